"""The one engine that turns places where a text may be cut into chunks of a size.

A strategy says where boundaries may fall and why, as levels from the most to the least wanted;
``pack`` fills chunks greedily: each ends at the last place of the highest level that lies within
reach. Pieces too big for a level are thereby cut at the next one, and small neighbours share a
chunk. Sizes are checked on the chunk's own text, never summed over its pieces. Time is linear in
the text: each chunk costs some binary searches and its own few characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chunkviz.evidence import DocumentEnd, Reason, SizeLimit, Structure
from chunkviz.segments import sentence_starts, snap_back, snap_forward
from chunkviz.tokens import Measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SPACE = re.compile(r"\s*")
_WORD_START = re.compile(r"(?<=[\s\u200b、，；：。！？])(?=[^\s\u200b])")
# CJK marks end a word-like piece without a space, but a closing bracket after them belongs to it.
_SLACK = 2
"""Tokens by which a slice and the document's own tokens usually differ at most, so that no good place is passed over."""
_NOT_FIRST = "、，；：。！？」』）】〉》〕”’"


class Cuts(Protocol):
    """Places where a text may be cut, in order."""

    def last(self, low: int, high: int) -> int | None:
        """Return the last place in ``(low, high]``."""
        ...

    def first(self, low: int, high: int) -> int | None:
        """Return the first place in ``[low, high)``."""
        ...


@dataclass(frozen=True, slots=True)
class Level:
    """Cuts of one kind, with the reason a boundary there is given."""

    cuts: Cuts
    reason: Reason


@dataclass(frozen=True, slots=True)
class SortedCuts:
    """Cuts known in advance, as a sorted array or list."""

    places: NDArray[np.int64] | Sequence[int]

    def last(self, low: int, high: int) -> int | None:
        """Return the last place in ``(low, high]``."""
        at = bisect_right(self.places, high) - 1
        return int(self.places[at]) if at >= 0 and self.places[at] > low else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first place in ``[low, high)``."""
        at = bisect_left(self.places, low)
        return int(self.places[at]) if at < len(self.places) and self.places[at] < high else None


@dataclass(frozen=True, slots=True)
class WordCuts:
    """Starts of words: behind white space, and behind CJK punctuation, which needs none."""

    text: str

    def last(self, low: int, high: int) -> int | None:
        """Return the last place in ``(low, high]``; looks at growing windows from the end."""
        width = 64
        while True:
            window = max(low + 1, high - width)
            place = None
            for match in _WORD_START.finditer(self.text, window, min(high + 1, len(self.text))):
                if self.text[match.start()] not in _NOT_FIRST:
                    place = match.start()
            if place is not None or window == low + 1:
                return place
            width *= 4

    def first(self, low: int, high: int) -> int | None:
        """Return the first place in ``[low, high)``."""
        for match in _WORD_START.finditer(self.text, low, min(high + 1, len(self.text))):
            if match.start() >= high:
                break
            if self.text[match.start()] not in _NOT_FIRST:
                return match.start()
        return None


class SentenceCuts:
    """Starts of sentences, found in the lines a question is about, and remembered."""

    __slots__ = ("_known", "_language", "_lines", "_text")

    def __init__(self, text: str, lines: Sequence[int], language: Callable[[], str | None]) -> None:
        """Look into ``text`` between the sorted offsets ``lines``; the language is asked for when first needed."""
        self._text, self._lines, self._language = text, lines, language
        self._known: dict[int, list[int]] = {}

    def _line(self, offset: int) -> tuple[int, int]:
        at = bisect_right(self._lines, offset)
        start = int(self._lines[at - 1]) if at else 0
        return start, int(self._lines[at]) if at < len(self._lines) else len(self._text)

    def _starts(self, start: int, end: int) -> list[int]:
        if start not in self._known:
            self._known[start] = sentence_starts(self._text[start:end], self._language(), start)
        return self._known[start]

    def last(self, low: int, high: int) -> int | None:
        """Return the last place in ``(low, high]``."""
        while high > low:
            start, end = self._line(high - 1)
            starts = self._starts(start, end)
            at = bisect_right(starts, high) - 1
            if at >= 0:
                return starts[at] if starts[at] > low else None
            high = start
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first place in ``[low, high)``."""
        while low < high:
            start, end = self._line(low)
            starts = self._starts(start, end)
            at = bisect_left(starts, low)
            if at < len(starts):
                return starts[at] if starts[at] < high else None
            low = end
        return None


@dataclass(frozen=True, slots=True)
class Piece:
    """One packed span, trimmed of white space, and why it ends where it does."""

    start: int
    end: int
    reason: Reason


def pack(  # noqa: C901  one loop, read from top to bottom
    text: str, measure: Measure, levels: Sequence[Level], size: int, overlap: int = 0
) -> list[Piece]:
    """Return the chunks of ``text`` as trimmed pieces in order.

    ``size`` and ``overlap`` are counted by ``measure``. Neighbours share whole segments of the
    highest level that has one small enough, at most ``overlap`` of them; no piece lies inside its
    neighbour. Only a single character (grapheme cluster) larger than ``size`` exceeds it, and its
    reason says so.
    """
    pieces: list[Piece] = []
    length = trimmed_end(text, 0, len(text))
    start = skip_space(text, 0)
    settled = start
    """Everything before this offset is in a piece already; a new piece must end behind it."""
    while start < length:
        reach = measure.reach(start, size + 1)
        high = skip_space(text, min(reach, length))
        if high >= length and measure.count(start, length) <= size:
            pieces.append(Piece(start, length, DocumentEnd()))
            break
        cut, end, reason = _choose_cut(text, measure, levels, size, start, settled, min(high, length))
        if cut is None:
            if start < settled:
                start = settled
                continue
            cut = snap_forward(text, start + 1, start)
            end, reason = cut, SizeLimit(exceeded=measure.count(start, cut) > size)
        if end >= length:
            reason = DocumentEnd()
        pieces.append(Piece(start, end, reason))
        settled = skip_space(text, cut)
        start = settled if overlap == 0 else _step_back(text, measure, levels, overlap, start, end, settled)
    return pieces


def _choose_cut(
    text: str, measure: Measure, levels: Sequence[Level], size: int, start: int, settled: int, high: int
) -> tuple[int | None, int, Reason]:
    """Return the cut, the trimmed end before it and the reason, or None where not even one character fits."""
    floor = max(start, settled)
    for level in levels:
        bound = high
        while (cut := level.cuts.last(floor, bound)) is not None:
            if snap_back(text, cut, floor) != cut:
                bound = cut - 1
                continue
            end = trimmed_end(text, floor, cut)
            excess = measure.count(start, end) - size
            if excess <= 0:
                return cut, end, level.reason
            bound = min(cut - 1, measure.reach(start, size - excess + _SLACK))
    cut = last_whole(text, measure, size, start, floor, high)
    if cut is None:
        return None, 0, SizeLimit()
    return cut, trimmed_end(text, floor, cut), SizeLimit()


def last_whole(text: str, measure: Measure, size: int, start: int, floor: int, high: int) -> int | None:
    """Return the last place between whole characters behind ``floor`` up to which the size is kept.

    None when not even one character fits.
    """
    bound = min(high, measure.reach(start, size))
    while True:
        cut = snap_back(text, bound, floor)
        if cut <= floor:
            break
        excess = measure.count(start, trimmed_end(text, start, cut)) - size
        if excess <= 0:
            return cut
        bound = min(cut - 1, measure.reach(start, size - excess + _SLACK))
    # The document's own tokens can promise less than the slice keeps: try one character.
    cut = snap_forward(text, floor + 1, floor)
    return cut if cut <= high and measure.count(start, cut) <= size else None


def _step_back(
    text: str, measure: Measure, levels: Sequence[Level], overlap: int, start: int, end: int, settled: int
) -> int:
    """Return where the next piece starts so that it repeats whole segments of at most ``overlap``."""
    low = max(start + 1, measure.back(end, overlap))
    for level in levels:
        bound = low
        while (place := level.cuts.first(bound, end)) is not None:
            excess = measure.count(place, end) - overlap
            if excess <= 0 and snap_back(text, place, start) == place:
                return place
            bound = place + 1
    return settled


def skip_space(text: str, offset: int) -> int:
    """Return the first offset from ``offset`` on that is not white space.

    White space that carries a combining mark is a visible character, and stops here too.
    """
    match = _SPACE.match(text, offset)
    end = match.end() if match else offset
    return snap_back(text, end, offset)


def trimmed_end(text: str, start: int, cut: int) -> int:
    """Return ``cut`` without the white space before it, not below ``start``."""
    if cut > start and not text[cut - 1].isspace():
        return cut
    end = start + len(text[start:cut].rstrip())
    return end if end == start else min(cut, snap_forward(text, end, start))


def structure_levels(text: str, language: Callable[[], str | None], headers: Sequence[NDArray[np.int64]],
                     paragraphs: NDArray[np.int64], lines: NDArray[np.int64]) -> tuple[Level, ...]:
    """Return the built-in cascade: headers by level, paragraphs, lines, sentences, words."""
    return (
        *(Level(SortedCuts(places), Structure("header")) for places in headers),
        Level(SortedCuts(paragraphs), Structure("paragraph")),
        Level(SortedCuts(lines), Structure("line")),
        Level(SentenceCuts(text, lines, language), Structure("sentence")),
        Level(WordCuts(text), Structure("word")),
    )
