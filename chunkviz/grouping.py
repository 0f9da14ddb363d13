"""Segments become groups: cut by similarity, small groups joined, large ones split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkviz.blocks import Segments
from chunkviz.document import Document
from chunkviz.embedding import compare_spans
from chunkviz.evidence import Dissimilar, DocumentEnd, Optimum, Oversize, Reason, SimilarityCurve, Structure
from chunkviz.measure import Measure
from chunkviz.packing import Level, Packer, Piece, SortedCuts, structure_levels
from chunkviz.progress import Report, silent, told
from chunkviz.segments import language_of, structure_cuts
from chunkviz.services import Services
from chunkviz.thresholds import ThresholdMode, cuts_for, resolve_threshold, signal_of
from chunkviz.vectors import SelfSimilarity


@dataclass(frozen=True)
class Compared:
    """Segments of a document with the similarity of neighbours, and what embedding them cost this time."""

    segments: Segments
    similarities: NDArray[np.float32] = field(repr=False)
    embedder: str
    calls: int
    tokens: int
    overview: SelfSimilarity | None = field(default=None, repr=False)
    """All segments compared with each other, made small."""


def compare(document: Document, segments: Segments, services: Services, window: int = 0) -> Compared:
    """Embed each segment (with ``window`` neighbours on either side) and compare it with the next."""
    found, made = compare_spans(document, *segments.with_neighbours(window), services)
    return Compared(
        segments,
        found.rows[:, 0],
        found.embedder,
        found.calls if made else 0,
        found.tokens if made else 0,
        found.overview,
    )


@dataclass(frozen=True)
class Grouping:
    """What a strategy makes of any set of cuts between compared segments: groups, joined and split to their sizes.

    What was split once is remembered, so that looking at many thresholds costs what differs.
    """

    document: Document = field(repr=False)
    compared: Compared
    measure: Measure
    maximum: int
    """The most a piece may hold, by ``measure``; larger groups are split."""
    kind: Structure | Optimum
    """Why a group is split between two of its segments."""
    min_chunk_size: int = 1
    """Segments a chunk must have before a boundary may follow."""
    minimum: int = 0
    """A group below this joins a neighbour; 0 joins none."""
    _split: dict[Piece, list[Piece]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def curve(self, mode: ThresholdMode, setting: float) -> SimilarityCurve:
        """Resolve the threshold; the target modes try some and look at the pieces each would give."""
        compared = self.compared
        signal = signal_of(mode, compared.similarities)
        allowed = ~compared.segments.joined

        def outcome(value: float) -> float:
            pieces = self.pieces(cuts_for(signal, value, self.min_chunk_size, allowed))
            if mode == "target_count":
                return len(pieces)
            return float(np.median([self.measure.count(piece.start, piece.end) for piece in pieces]))

        return SimilarityCurve(
            starts=compared.segments.starts,
            ends=compared.segments.ends,
            similarities=compared.similarities,
            signal=signal,
            allowed=allowed,
            embedder=compared.embedder,
            threshold=resolve_threshold(mode, setting, signal[allowed], outcome),
            mode=mode,
            setting=setting,
            min_chunk_size=self.min_chunk_size,
            overview=compared.overview,
        )

    def groups(self, cuts: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return ``(first, last)`` segment of each group, small ones joined."""
        groups = groups_of(cuts, len(self.compared.segments))
        return join_small(groups, self.compared, self.measure, self.minimum, self.maximum) if self.minimum else groups

    def pieces(
        self, cuts: NDArray[np.int64], curve: SimilarityCurve | None = None, report: Report = silent
    ) -> list[Piece]:
        """Return the pieces that cuts leave; by the curve they say how similar the next segment is."""
        return self.split(self.groups(cuts), curve, report)

    def split(
        self, groups: Sequence[tuple[int, int]], curve: SimilarityCurve | None = None, report: Report = silent
    ) -> list[Piece]:
        """Return each group as a piece, or as several where it is above the maximum."""
        segments = self.compared.segments
        spans = pieces_of(segments, groups, curve)
        return split_large(
            self.document, self.measure, segments, spans, self.maximum, self.kind, self._split, lambda: self._packer,
            report,
        )  # fmt: skip

    @cached_property
    def _packer(self) -> Packer:
        """What splits large groups, made once: it takes a look at the whole document."""
        return packer_for(self.document, self.measure, self.compared.segments, self.maximum, self.kind)


def notes_of(curve: SimilarityCurve) -> tuple[str, ...]:
    """Return what the person should know about the curve."""
    return () if curve.note is None else (curve.note,)


def groups_of(cuts: NDArray[np.int64], count: int) -> list[tuple[int, int]]:
    """Return ``(first, last)`` segment of each group that ``cuts`` leave of ``count`` segments."""
    if not count:
        return []
    bounds = [-1, *cuts.tolist(), count - 1]
    return [(before + 1, last) for before, last in pairwise(bounds)]


def join_small(
    groups: Sequence[tuple[int, int]], compared: Compared, measure: Measure, minimum: int, maximum: int
) -> list[tuple[int, int]]:
    """Join each group smaller than ``minimum`` to its more similar neighbour, where ``maximum`` allows.

    From left to right; of two equally similar neighbours the one before is taken. Every join ends
    a group, so time is linear.
    """
    starts, ends = compared.segments.starts.tolist(), compared.segments.ends.tolist()
    similarities = compared.similarities.tolist()

    def size(first: int, last: int) -> int:
        return measure.count(starts[first], ends[last])

    done: list[tuple[int, int]] = []
    ahead = list(reversed(groups))
    while ahead:
        first, last = ahead.pop()
        if size(first, last) < minimum:
            before = similarities[first - 1] if done and size(done[-1][0], last) <= maximum else None
            behind = similarities[last] if ahead and size(first, ahead[-1][1]) <= maximum else None
            if before is not None and (behind is None or before >= behind):
                ahead.append((done.pop()[0], last))
                continue
            if behind is not None:
                ahead.append((first, ahead.pop()[1]))
                continue
        done.append((first, last))
    return done


def split_large(
    document: Document,
    measure: Measure,
    segments: Segments,
    spans: Sequence[Piece],
    maximum: int,
    kind: Structure | Optimum,
    known: dict[Piece, list[Piece]] | None = None,
    packer_of: Callable[[], Packer] | None = None,
    report: Report = silent,
) -> list[Piece]:
    """Split each span above ``maximum`` at its segments, or inside one where that is above it, too.

    ``kind`` is what a cut between segments is called; its reason names the limit as well. The last
    piece of a span keeps its reason. ``known`` remembers what spans were split into, and ``packer_of`` gives
    what splits them (that of ``packer_for``), for whoever asks about many sets of spans. ``report`` is told the
    share of the spans that is done.
    """

    def make() -> Packer:
        return packer_for(document, measure, segments, maximum, kind)

    known = {} if known is None else known
    packer: Packer | None = None
    pieces: list[Piece] = []
    for span in told(spans, report):
        if measure.count(span.start, span.end) <= maximum:
            pieces.append(span)
            continue
        if span not in known:
            packer = packer or (packer_of or make)()
            *inner, last = packer.pack(span.start, span.end, span.reason)
            known[span] = [
                *(replace(piece, reason=_above(piece.reason, maximum, measure.unit)) for piece in inner),
                last,
            ]
        pieces += known[span]
    return pieces


def _above(reason: Reason, maximum: int, unit: str) -> Reason:
    return Oversize(reason, maximum, unit) if isinstance(reason, Structure | Optimum) else reason


def packer_for(
    document: Document, measure: Measure, segments: Segments, maximum: int, kind: Structure | Optimum
) -> Packer:
    """Return what splits spans above ``maximum`` at their segments, or inside one."""
    return Packer(document.text, measure, maximum, levels=split_levels(document, segments, kind))


def split_levels(document: Document, segments: Segments, kind: Structure | Optimum) -> tuple[Level, ...]:
    """Return where a span above its maximum may be split: at segments that begin afresh, then inside them."""
    free = np.concatenate(([True], ~segments.joined)) if len(segments) else np.zeros(0, np.bool_)
    cascade = structure_levels(document.text, structure_cuts(document), lambda: language_of(document))
    return (Level(SortedCuts(segments.starts[free].tolist()), kind), *cascade[-3:])


def pieces_of(
    segments: Segments, groups: Sequence[tuple[int, int]], curve: SimilarityCurve | None = None
) -> list[Piece]:
    """Return each group as a span; by the curve it ends because the next segment is dissimilar."""
    pieces = []
    for first, last in groups:
        reason: Dissimilar | DocumentEnd = DocumentEnd()
        if last + 1 < len(segments) and curve is not None and curve.threshold is not None:
            gradient = curve.mode == "gradient"
            reason = Dissimilar(float(curve.signal[last]), curve.threshold, "gradient" if gradient else "similarity")
        pieces.append(Piece(int(segments.starts[first]), int(segments.ends[last]), reason))
    return pieces
