"""What splitting at a maximum size comes to for any run of segments, worked out before the run is known.

A threshold decides which segments form a group; whether and where a group above the maximum is
split does not depend on where the group ends, only on where it begins. So the answers can be
written down once, and a browser that moves a threshold needs no tokenizer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkviz.blocks import Segments
from chunkviz.document import Document
from chunkviz.evidence import Optimum, Structure
from chunkviz.grouping import packer_for
from chunkviz.measure import Measure
from chunkviz.tokens import TokenMap

_MOST_EXCEPTIONS = 200_000
"""Short runs whose counts are no sums that are written down at most; beyond, counts are estimates."""
_REPORT_EVERY = 256


@dataclass(frozen=True)
class SplitPlan:
    """Places where a piece can begin, and how far each reaches.

    The first ``n`` places are the segments; the others lie inside a segment above the maximum. To
    split the run that begins at place ``p`` and ends with segment ``last``: while ``last >
    reach[p]``, a piece ends at ``ends[p]`` and the next begins at place ``following[p]``; what is
    left is the last piece.
    """

    starts: NDArray[np.int64]
    """Offset where the piece begins, int64 (m,)."""
    reach: NDArray[np.int64]
    """Last segment up to whose end the maximum is kept, int64 (m,)."""
    ends: NDArray[np.int64]
    """Offset where the piece ends when the run goes on behind ``reach``, int64 (m,)."""
    following: NDArray[np.int64]
    """Place where the next piece begins then, or -1 where nothing follows, int64 (m,)."""
    sizes: NDArray[np.int64]
    """Tokens of that piece, int64 (m,)."""

    def split(self, first: int, last: int, end: int) -> list[tuple[int, int]]:
        """Return start and end of each piece of the run of segments ``first`` to ``last``, which ends at ``end``."""
        place, pieces = first, []
        while last > self.reach[place] and self.following[place] >= 0:
            pieces.append((int(self.starts[place]), int(self.ends[place])))
            place = int(self.following[place])
        return [*pieces, (int(self.starts[place]), end)]


def split_plan(
    document: Document, segments: Segments, measure: Measure, maximum: int, kind: Structure | Optimum, tokens: TokenMap,
    report: Callable[[float], None] | None = None,
) -> SplitPlan:  # fmt: skip
    """Work the plan out, in time linear in the segments; ``kind`` is the reason the strategy splits with.

    ``report`` is told the share done (0 to 1); what it raises ends the work.
    """
    packer = packer_for(document, measure, segments, maximum, kind)
    starts, ends = segments.starts.tolist(), segments.ends.tolist()
    count = len(starts)
    fresh = np.concatenate(([True], ~segments.joined)) if count else np.zeros(0, np.bool_)
    latest_fresh = np.maximum.accumulate(np.where(fresh, np.arange(count), 0)).tolist()
    places, inside = list(starts), list(range(count))
    place_of = {start: place for place, start in enumerate(starts)}
    reach: list[int] = []
    piece_ends: list[int] = []
    following: list[int] = []
    at = 0
    while at < len(places):
        if report is not None and at % _REPORT_EVERY == 0:
            report(at / len(places))
        start, segment = places[at], inside[at]
        last = _reach(measure, start, segment, ends, maximum)
        pieces = []
        if last + 1 < count and latest_fresh[last + 1] <= segment:
            pieces = packer.pack(start, ends[last + 1])
            if len(pieces) == 1:  # an indivisible character above the maximum is kept, and ends the segment
                last += 1
        reach.append(last)
        if len(pieces) > 1:
            piece_ends.append(pieces[0].end)
            behind = pieces[1].start
            if behind not in place_of:
                place_of[behind] = len(places)
                places.append(behind)
                inside.append(int(segments.starts.searchsorted(behind, side="right")) - 1)
            following.append(place_of[behind])
        elif last + 1 >= count:
            piece_ends.append(ends[-1])
            following.append(-1)
        else:
            cut = last + 1 if pieces else latest_fresh[last + 1]
            piece_ends.append(ends[cut - 1])
            following.append(cut)
        at += 1
    sizes = [tokens.count(start, end) for start, end in zip(places, piece_ends, strict=True)]
    return SplitPlan(*(np.array(column, np.int64) for column in (places, reach, piece_ends, following, sizes)))


def _reach(measure: Measure, start: int, segment: int, ends: list[int], maximum: int) -> int:
    """Return the last segment from ``segment`` on up to whose end the maximum is kept; the one before if none is."""
    last = bisect_right(ends, measure.reach(start, maximum)) - 1  # a list: numpy would copy it at each call
    last = max(last, segment - 1)
    while last + 1 < len(ends) and measure.count(start, ends[last + 1]) <= maximum:
        last += 1
    while last >= segment and measure.count(start, ends[last]) > maximum:
        last -= 1
    return last


@dataclass(frozen=True)
class RunCounts:
    """Tokens of any run from a place of a plan to the end of a segment, as a sum of two numbers."""

    heads: NDArray[np.int64]
    """int64 (m,), one for each place."""
    tails: NDArray[np.int64]
    """int64 (n,), one for each segment."""
    exceptions: NDArray[np.int64]
    """Rows (place, segment, tokens) of the runs whose count is no sum, int64 (e, 3), sorted."""
    exact: bool
    """False where the tokenizer's rules are not known, or too many runs are exceptions: then sums are estimates."""

    def count(self, place: int, segment: int) -> int:
        """Return the tokens from ``place`` to the end of ``segment``."""
        for known, behind, tokens in self.exceptions.tolist():
            if (known, behind) == (place, segment):
                return int(tokens)
        return int(self.heads[place] + self.tails[segment])


def run_counts(places: NDArray[np.int64], ends: NDArray[np.int64], tokens: TokenMap) -> RunCounts:
    """Return the counts for runs that begin at ``places`` (m,) and end at ``ends`` (n,), both int64 offsets."""
    edges = tokens.edges(places, ends)
    if edges is None:
        heads = -tokens.starts.searchsorted(places)
        return RunCounts(heads, tokens.starts.searchsorted(ends), np.zeros((0, 3), np.int64), exact=False)
    first = ends.searchsorted(places, side="right")
    # Runs that end before the first settled place behind their start; ends are in order, settled places nearly.
    last = np.maximum.accumulate(edges.settled_before).searchsorted(edges.settled_after)
    rows = []
    for place in np.flatnonzero(last > first).tolist():
        start = int(places[place])
        rows += [(place, at, tokens.count(start, int(ends[at]))) for at in range(int(first[place]), int(last[place]))]
        if len(rows) > _MOST_EXCEPTIONS:
            return RunCounts(edges.heads, edges.tails, np.array(rows, np.int64), exact=False)
    return RunCounts(edges.heads, edges.tails, np.array(rows, np.int64).reshape(-1, 3), exact=True)
