"""The one engine that turns places where a text may be cut into chunks of a size.

A strategy says where boundaries may fall and why, as levels from the most to the least wanted;
``Packer`` fills chunks greedily: each ends at the last place of the highest level that lies within
reach. Pieces too big for a level are thereby cut at the next one, and small neighbours share a
chunk. Sizes are checked on the chunk's own text, never summed over its pieces. Time is linear in
the text: each chunk costs some binary searches and its own few characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from chunkviz.characters import FIRST_MARK, FIRST_PREPEND, holds_on, snap_back, snap_forward
from chunkviz.evidence import DocumentEnd, Reason, SizeLimit, Structure
from chunkviz.measure import Measure
from chunkviz.segments import StructureCuts, sentence_starts

_SPACE = re.compile(r"\s*")
_WORD_START = re.compile(r"(?<=[\s\u200b、，；：。！？])(?=[^\s\u200b])")
# CJK marks end a word-like piece without a space, but a closing bracket after them belongs to it.
_SLACK = 2
"""Tokens by which a slice and the document's own tokens usually differ at most: no good place is passed over."""
_NOT_FIRST = "、，；：。！？」』）】〉》〕”’"


_DOCUMENT_END = DocumentEnd()


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
    starts_afresh: bool = False
    """Whether what begins here is a thing of its own, which repeats nothing of what stands before."""
    reasons: Mapping[int, Reason] = field(default_factory=dict)
    """Reasons of single places, where they are not ``reason``."""
    repeats: bool = True
    """Whether an overlap may begin here."""


@dataclass(frozen=True, slots=True)
class SortedCuts:
    """Cuts known in advance, sorted."""

    places: Sequence[int]

    def last(self, low: int, high: int) -> int | None:
        """Return the last place in ``(low, high]``."""
        at = bisect_right(self.places, high) - 1
        return self.places[at] if at >= 0 and self.places[at] > low else None

    def first(self, low: int, high: int) -> int | None:
        """Return the first place in ``[low, high)``."""
        at = bisect_left(self.places, low)
        return self.places[at] if at < len(self.places) and self.places[at] < high else None


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

    __slots__ = ("_cuts", "_known", "_language", "_lines", "_text")

    def __init__(self, text: str, cuts: StructureCuts, language: Callable[[], str | None]) -> None:
        """Look into the lines of ``text``; the language is asked for when first needed."""
        self._text, self._cuts, self._lines, self._language = text, cuts, cuts.lines, language
        self._known: dict[int, list[int]] = {}

    def _line(self, offset: int) -> tuple[int, int]:
        at = bisect_right(self._lines, offset)
        start = self._lines[at - 1] if at else 0
        return start, self._lines[at] if at < len(self._lines) else len(self._text)

    def _starts(self, start: int, end: int) -> list[int]:
        if start not in self._known:
            found = sentence_starts(self._text[start:end], self._language(), start)
            self._known[start] = [place for place in found if place not in self._cuts.glued]
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
class CutsOutside:
    """The cuts that do not lie inside certain regions; where a region begins or ends is outside."""

    cuts: Cuts
    starts: Sequence[int]
    """Of each region, in order."""
    ends: Sequence[int]
    """Of each region; none reaches into the next."""

    def last(self, low: int, high: int) -> int | None:
        """Return the last place in ``(low, high]``."""
        while (place := self.cuts.last(low, high)) is not None:
            region = bisect_left(self.starts, place) - 1
            if region < 0 or place >= self.ends[region]:
                return place
            high = self.starts[region]
        return None

    def first(self, low: int, high: int) -> int | None:
        """Return the first place in ``[low, high)``."""
        while (place := self.cuts.first(low, high)) is not None:
            region = bisect_left(self.starts, place) - 1
            if region < 0 or place >= self.ends[region]:
                return place
            low = self.ends[region]
        return None


@dataclass(frozen=True, slots=True)
class Piece:
    """One packed span, trimmed of white space, and why it ends where it does."""

    start: int
    end: int
    reason: Reason
    parent: int | None = None
    """Place of its parent among the parents of the cutting."""
    context: str | None = None
    """Text written about it."""
    context_error: str | None = None
    """Why there is no context, where some was asked for."""
    extra: tuple[tuple[str, Any], ...] = ()
    """Metadata, as (name, value) pairs."""


@dataclass(frozen=True, slots=True)
class Packer:
    """Fills chunks of ``text``: ``size`` and ``overlap`` are counted by ``measure``, ``levels`` say where to cut."""

    text: str
    measure: Measure
    size: int
    overlap: int = 0
    levels: Sequence[Level] = ()
    breaks: Sequence[tuple[int, Reason]] = ()
    """Places where a chunk ends however small it is, in order, with the reason."""
    keep_indentation: bool = False
    """Whether a chunk that begins a line begins with the line's indentation, where that fits."""

    def pack(self, begin: int = 0, end: int | None = None, last: Reason = _DOCUMENT_END) -> list[Piece]:
        """Return the chunks of ``text[begin:end]`` as trimmed pieces in order; both are whole places.

        Neighbours share whole segments of the highest level that has one small enough, at most
        ``overlap`` of them; no piece lies inside its neighbour. Only a single character (grapheme
        cluster) larger than ``size`` exceeds it, and its reason says so. ``last`` is why the last
        piece ends.
        """
        pieces: list[Piece] = []
        for start, stop, reason in self._stretches(begin, len(self.text) if end is None else end, last):
            self._fill(pieces, start, stop, reason)
        return pieces

    def _stretches(self, begin: int, end: int, last: Reason) -> Iterator[tuple[int, int, Reason]]:
        """Yield the trimmed stretches of text between breaks, each with the reason why it ends."""
        text = self.text
        start, length = skip_space(text, begin), trimmed_end(text, begin, end)
        for place, reason in self.breaks:
            if start < (place := skip_space(text, place)) < length and is_whole(text, place, start):
                yield start, trimmed_end(text, start, place), reason
                start = place
        if start < length:
            yield start, length, last

    def _fill(self, pieces: list[Piece], start: int, length: int, last: Reason) -> None:
        """Append the pieces of the stretch from ``start`` to ``length``."""
        text, measure = self.text, self.measure
        # Everything before `settled` is in a piece already; a new piece must end behind it.
        settled = start
        while start < length:
            opening = self._opening(start)
            high = skip_space(text, min(measure.reach(opening, self.size + 1), length))
            if high >= length and measure.count(opening, length) <= self.size:
                pieces.append(Piece(opening, length, last))
                break
            cut, reason = self._choose_cut(opening, max(start, settled), min(high, length))
            if cut is None and start < settled:
                start = settled
                continue
            if cut is None:
                cut = snap_forward(text, start + 1, start)
                reason = SizeLimit(exceeded=measure.count(start, cut) > self.size)
            end = trimmed_end(text, max(start, settled), cut)
            # What no size can hold is said, but for the end of the document, which is said always.
            too_large = reason == SizeLimit(exceeded=True) and last != _DOCUMENT_END
            pieces.append(Piece(opening, end, reason if end < length or too_large else last))
            settled = skip_space(text, cut)
            start = self._step_back(start, end, settled) if self.overlap else settled

    def _opening(self, start: int) -> int:
        """Return where a piece begins whose first character is at ``start``: there, or at its line's indentation."""
        text, line = self.text, start
        if self.keep_indentation:
            while line > 0 and text[line - 1] not in "\r\n" and text[line - 1].isspace():
                line -= 1
            if line > 0 and text[line - 1] not in "\r\n":
                return start
        fits = line == start or self.measure.count(line, snap_forward(text, start + 1, start)) <= self.size
        return line if fits else start

    def _choose_cut(self, start: int, floor: int, high: int) -> tuple[int | None, Reason]:
        """Return the cut behind ``floor`` and its reason, or None where not even one character fits."""
        text, measure = self.text, self.measure
        for level in self.levels:
            bound = high
            while (cut := level.cuts.last(floor, bound)) is not None:
                if not is_whole(text, cut, floor):
                    bound = cut - 1
                    continue
                excess = measure.count(start, trimmed_end(text, floor, cut)) - self.size
                if excess <= 0:
                    return cut, level.reasons.get(cut, level.reason)
                # White space before a cut is no part of the chunk, so the place behind it may still be within reach.
                bound = min(cut - 1, skip_space(text, measure.reach(start, self.size - excess + _SLACK)))
        return self.last_whole(start, floor, high), SizeLimit()

    def last_whole(self, start: int, floor: int, high: int) -> int | None:
        """Return the last place between whole characters in ``(floor, high]`` up to which the size is kept.

        None when not even one character fits.
        """
        text, measure = self.text, self.measure
        bound = min(high, measure.reach(start, self.size))
        while (cut := snap_back(text, bound, floor)) > floor:
            excess = measure.count(start, trimmed_end(text, start, cut)) - self.size
            if excess <= 0:
                return cut
            bound = min(cut - 1, measure.reach(start, self.size - excess + _SLACK))
        # The document's own tokens can promise less than the slice keeps: try one character.
        cut = snap_forward(text, floor + 1, floor)
        return cut if cut <= high and measure.count(start, cut) <= self.size else None

    def _step_back(self, start: int, end: int, settled: int) -> int:
        """Return where the next piece starts so that it repeats whole segments of at most ``overlap``.

        Nothing is repeated across the beginning of a section: a chunk belongs to one heading path.
        """
        low = max(start + 1, self.measure.back(end, self.overlap))
        for level in self.levels:
            if level.starts_afresh:
                low = max(low, level.cuts.last(low - 1, settled) or 0)
        for level in self.levels:
            bound = low if level.repeats else end
            while (place := level.cuts.first(bound, end)) is not None:
                if self.measure.count(self._opening(place), end) <= self.overlap and is_whole(self.text, place, start):
                    return place
                bound = place + 1
        return settled


def skip_space(text: str, offset: int) -> int:
    """Return the first offset from ``offset`` on that is not white space.

    White space that carries a combining mark is a visible character, and stops here too.
    """
    if offset >= len(text) or not text[offset].isspace():
        return offset
    end = _SPACE.match(text, offset).end()  # type: ignore[union-attr]  # it matches nothing, too
    if end == len(text) or text[end] < FIRST_MARK:
        return end
    return snap_back(text, end, offset)


def trimmed_end(text: str, start: int, cut: int) -> int:
    """Return ``cut`` without the white space before it, not below ``start``."""
    if cut > start and not text[cut - 1].isspace():
        return cut
    near = max(start, cut - 64)  # one need not copy the whole chunk to find the white space at its end
    end = near + len(text[near:cut].rstrip())
    if end == near:
        end = start + len(text[start:cut].rstrip())
    if end == start or not holds_on(text[end - 1]):
        return end
    return min(cut, snap_forward(text, end, start))


def is_whole(text: str, offset: int, floor: int) -> bool:
    """Whether ``offset`` lies between grapheme clusters; ``floor`` is such a place before it."""
    if 0 < offset < len(text) and "\n" < text[offset] < FIRST_MARK and text[offset - 1] < FIRST_PREPEND:
        return True
    return snap_back(text, offset, floor) == offset


def structure_levels(text: str, cuts: StructureCuts, language: Callable[[], str | None]) -> tuple[Level, ...]:
    """Return the built-in cascade: headers by level, paragraphs, lines, sentences, words."""
    return (
        *(Level(SortedCuts(places), Structure("header"), starts_afresh=True) for places in cuts.headers),
        Level(SortedCuts(cuts.paragraphs), Structure("paragraph")),
        Level(SortedCuts(cuts.lines), Structure("line")),
        Level(SentenceCuts(text, cuts, language), Structure("sentence")),
        Level(WordCuts(text), Structure("word")),
    )
