"""Where a text may be cut: places of one kind, and levels of them from the most to the least wanted."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from chunkviz.evidence import Reason, Structure
from chunkviz.segments import StructureCuts, sentence_starts

_WORD_START = re.compile(r"(?<=[\s\u200b、，；：。！？])(?=[^\s\u200b])")
_NOT_FIRST = "、，；：。！？」』）】〉》〕”’"
"""CJK marks end a word-like piece without a space, but these behind them belong to it."""


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


def structure_levels(text: str, cuts: StructureCuts, language: Callable[[], str | None]) -> tuple[Level, ...]:
    """Return the built-in cascade: headers by level, paragraphs, lines, sentences, words."""
    return (
        *(Level(SortedCuts(places), Structure("header"), starts_afresh=True) for places in cuts.headers),
        Level(SortedCuts(cuts.paragraphs), Structure("paragraph")),
        Level(SortedCuts(cuts.lines), Structure("line")),
        Level(SentenceCuts(text, cuts, language), Structure("sentence")),
        Level(WordCuts(text), Structure("word")),
    )
