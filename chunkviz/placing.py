"""Where texts that were cut from a document stand in it, one after another.

Each text is sought behind the start of the one before, so that overlap is allowed and text that
occurs often goes to its place in the order. Of several places the one counts that continues best:
nearest to the end of the text before, less the overlap that all lengths together suggest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from chunkviz.characters import snap_back, snap_forward
from chunkviz.document import without_surrogates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.records import Record

Method: TypeAlias = Literal["offsets", "exact", "white space", "approximate"]

SCORE = 90.0
"""A place is approximate from this similarity on: 100 less the share, in percent, of inserted and deleted characters
in both texts together, white space left out (``rapidfuzz.fuzz.ratio``)."""
STRETCH = 20_000
"""Characters, white space left out, in which a text is sought behind the one before, added to twice its length."""
APPROXIMATE_STRETCH = 4_000
"""The same for approximate places, which take longer to find."""
PROBE = 64
"""Characters of the beginning, the middle and the end of a text with which an approximate place is found."""
SKIPPED, APPROXIMATE_SKIPPED = 500_000, 16_000
"""Characters at most by which texts that were not placed move the ends of the two searches."""
APPROXIMATE_FAILURES = 2_000
"""After so many texts that are nowhere, no further one is sought approximately."""
WHOLE_SEARCHES = 200
"""How many texts that are not near the one before are sought in all that follows."""
_LOOK_AHEAD = 3
"""A text found far ahead counts only if none of so many that follow it is near the one before."""
_PROBE_SCORE = 70.0
"""Similarity from which a probe leads to a place, which is then held against the whole text."""
_EDGE, _SLACK = 4, 8
"""Characters of the text's edge, and by how many the edge of an approximate place may move to where they stand."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A text that was found."""

    record: Record
    start: int
    end: int
    method: Method
    score: float = 100.0
    """Similarity of text and place; 100 unless it is approximate."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A text that was not found, and why."""

    record: Record
    reason: str
    out_of_order: bool = False
    """Whether it was seen in the document after all, elsewhere than the order of the others allows."""


class _Place:
    """Half-open range in the text without white space, and the method that found it."""

    __slots__ = ("end", "method", "score", "start")

    def __init__(self, start: int, end: int, method: Method, score: float = 100.0) -> None:
        self.start, self.end, self.method, self.score = start, end, method, score


@dataclass(eq=False)
class Placing:
    """Places texts in one document; ``dense`` is its text without white space."""

    text: str
    blanks: NDArray[np.int64] = field(repr=False)
    """Offsets of the white space of the text."""
    records: Sequence[Record]

    def __post_init__(self) -> None:
        """Take the white space out of everything, once."""
        self._texts = ["".join(record.text.split()) for record in self.records]
        self._start, self._end = -1, 0
        self._skipped = 0
        self._whole_searches = self._failures = 0
        self._last: Record | None = None

    @cached_property
    def dense(self) -> str:
        """The text without white space."""
        return "".join(self.text.split())

    @cached_property
    def _visible(self) -> NDArray[np.int64]:
        """Offset in the text of each character that is not white space."""
        keep = np.ones(len(self.text), np.bool_)
        keep[self.blanks] = False
        return np.flatnonzero(keep)

    @cached_property
    def _overlap(self) -> int:
        """Characters that neighbours share on average, if the texts cover the document; else 0."""
        surplus = sum(map(len, self._texts)) - len(self.dense)
        return max(0, surplus // max(1, len(self._texts) - 1))

    def run(self) -> Iterator[Placed | Unplaced]:
        """Yield what comes of each text in order; places begin one behind the other."""
        for at, record in enumerate(self.records):
            text = self._texts[at]
            if not text:
                yield Unplaced(record, "it holds no text")
                continue
            place = self._by_offsets(record) or self._near(text) or self._far(at) or self._approximate(text)
            if place is None:
                self._skipped += len(text)
                yield self._lost(record, text)
                continue
            self._start, self._end, self._skipped, self._last = place.start, place.end, 0, record
            yield self._placed(record, place)

    def _placed(self, record: Record, place: _Place) -> Placed:
        start, end = int(self._visible[place.start]), int(self._visible[place.end - 1]) + 1
        if place.method == "approximate":  # what was found by similarity may end inside a character
            start, end = snap_back(self.text, start), snap_forward(self.text, end)
        method = place.method
        if method == "white space":
            lead = len(record.text) - len(record.text.lstrip())
            if self.text.startswith(record.text, start - lead) and start >= lead:
                start, end, method = start - lead, start - lead + len(record.text), "exact"
        elif method == "offsets" and record.start is not None:
            start, end = record.start, record.start + len(record.text)
        return Placed(record, start, end, method, place.score)

    def _by_offsets(self, record: Record) -> _Place | None:
        """Take the record's word for its place where its text stands there."""
        if record.start is None or not self.text.startswith(record.text, record.start):
            return None
        end = record.start + len(record.text)
        if record.end is not None and (record.end < end or self.text[end : record.end].strip()):
            return None  # it contradicts itself
        start = self._densely(record.start)
        return _Place(start, self._densely(record.start + len(record.text)), "offsets") if start > self._start else None

    def _densely(self, offset: int) -> int:
        return offset - int(np.searchsorted(self.blanks, offset))

    def _limit(self, text: str) -> int:
        """Return where the search near the text before ends; what was not placed may have stood in between."""
        return min(len(self.dense), self._end + min(self._skipped, SKIPPED) + 2 * len(text) + STRETCH)

    def _approximate_limit(self, text: str) -> int:
        skipped = min(self._skipped, APPROXIMATE_SKIPPED)
        return min(len(self.dense), self._end + skipped + 2 * len(text) + APPROXIMATE_STRETCH)

    def _near(self, text: str) -> _Place | None:
        return self._exactly(text, self._limit(text))

    def _exactly(self, text: str, limit: int) -> _Place | None:
        """Return the place before ``limit`` that continues best, white space left out."""
        dense, size = self.dense, len(text)
        # A chunk seldom lies inside the one before; only where it is nowhere else is that its place.
        low = max(self._start + 1, self._end - size + 1)
        wanted = max(low, self._end - self._overlap)
        behind = dense.find(text, wanted, limit)
        before = dense.rfind(text, low, min(limit, wanted + size - 1))
        found = [at for at in (before, behind) if at >= 0] or [dense.find(text, self._start + 1, limit)]
        best = min(found, key=lambda at: abs(at - (self._end - self._overlap)))
        return None if best < 0 else _Place(best, best + size, "white space")

    def _far(self, at: int) -> _Place | None:
        """Return the next place in all that follows, unless texts behind it are near the one before."""
        if self._whole_searches >= WHOLE_SEARCHES:
            return None
        text = self._texts[at]
        if self._limit(text) >= len(self.dense):
            return None
        self._whole_searches += 1
        found = self.dense.find(text, self._end)
        if found < 0:
            return None
        following = [each for each in self._texts[at + 1 : at + 1 + _LOOK_AHEAD] if each]
        if any(self._near(each) for each in following):
            return None
        return _Place(found, found + len(text), "white space")

    def _approximate(self, text: str) -> _Place | None:
        """Return the most similar place near the text before, found by the text's beginning, middle or end."""
        from rapidfuzz import fuzz  # noqa: PLC0415  compiled; loaded when first needed

        best: _Place | None = None
        if self._failures >= APPROXIMATE_FAILURES:
            return None
        for guess in self._guesses(text):
            start, end = self._edges(text, *guess)
            if self._start < start < end:
                score = fuzz.ratio(text, self.dense[start:end], score_cutoff=SCORE)
                if score and (best is None or score > best.score):
                    best = _Place(start, end, "approximate", score)
        self._failures += best is None
        return best

    def _guesses(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield starts and ends where a part of the text is like a part of what follows the text before."""
        from rapidfuzz import fuzz  # noqa: PLC0415  compiled; loaded when first needed

        low, size = self._start + 1, len(text)
        stretch = self.dense[low : self._approximate_limit(text)]
        starts: list[int] = []
        for offset in sorted({0, max(0, (size - PROBE) // 2), max(0, size - PROBE)}):
            probe = text[offset : offset + PROBE]
            found = fuzz.partial_ratio_alignment(probe, stretch, score_cutoff=_PROBE_SCORE)
            if found is not None and len(probe) <= len(stretch):
                starts.append(low + found.dest_start - found.src_start - offset)
                yield starts[-1], starts[-1] + size
        # The beginning as its own probe places it, and the end as its own does: what lies between may be longer.
        if starts and abs(starts[-1] - starts[0]) < size // 2:
            yield starts[0], starts[-1] + size

    def _edges(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Move the edges to where the first and the last characters of the text stand, if that is near."""
        first, last = text[:_EDGE], text[-_EDGE:]
        start = max(start, self._start + 1)
        at = self._nearest(first, start, max(self._start + 1, start - _SLACK), start + _SLACK + len(first))
        start = start if at is None else at
        at = self._nearest(last, end - len(last), max(start, end - _SLACK - len(last)), end + _SLACK)
        end = end if at is None else at + len(last)
        return start, min(end, len(self.dense))

    def _nearest(self, piece: str, wanted: int, low: int, high: int) -> int | None:
        behind = self.dense.find(piece, max(low, wanted), max(0, high))
        before = self.dense.rfind(piece, low, max(0, min(high, wanted + len(piece))))
        found = [at for at in (before, behind) if at >= 0]
        return min(found, key=lambda at: abs(at - wanted)) if found else None

    def _lost(self, record: Record, text: str) -> Unplaced:
        """Say why a text is nowhere behind the one before."""
        after = "the beginning" if self._last is None else f"chunk {self._last.number}"
        if without_surrogates(text) != text:
            why = f"it does not follow {after}; it holds half a surrogate pair, so nothing can be nearly the same"
            return Unplaced(record, why)
        if self._failures >= APPROXIMATE_FAILURES:
            lost = f"{APPROXIMATE_FAILURES:,} lost ones"
            return Unplaced(record, f"it does not follow {after} as it is; after {lost} none is sought further")
        elsewhere = self.dense.find(text) if self._whole_searches < WHOLE_SEARCHES else -1
        if elsewhere >= 0:
            self._whole_searches += 1
            where = f"it stands at character {int(self._visible[elsewhere]):,}, away from {after}"
            return Unplaced(record, f"it is out of order: {where}", out_of_order=True)
        reached = self._approximate_limit(text) - self._end
        return Unplaced(
            record, f"the {reached:,} characters after {after} hold neither this text nor one nearly the same"
        )


def in_document_order(text: str, records: Sequence[Record]) -> list[Record]:
    """Return the records by where their texts, or else one half of them, first stand; white space is left out.

    A text that stands nowhere stays behind the one before it in the file, and so do those of one place.
    """
    dense = "".join(text.split())
    places, last = [], -1
    for record in records:
        wanted = "".join(record.text.split())
        middle = len(wanted) // 2
        found = (dense.find(part) for part in (wanted, wanted[:middle], wanted[middle:]) if part)
        last = next((at for at in found if at >= 0), last)
        places.append(last)
    return [records[number] for number in sorted(range(len(records)), key=places.__getitem__)]
