"""Segments become groups: cut by similarity, small groups joined, large ones split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from chunkviz.blocks import Segments
from chunkviz.document import Document
from chunkviz.embedding import compare_spans
from chunkviz.evidence import Dissimilar, DocumentEnd, Optimum, Oversize, Reason, SimilarityCurve, Structure
from chunkviz.measure import Measure
from chunkviz.packing import Level, Packer, Piece, SortedCuts, structure_levels
from chunkviz.segments import language_of, structure_cuts
from chunkviz.services import Services
from chunkviz.thresholds import ThresholdMode, cuts_for, resolve_threshold, signal_of


@dataclass(frozen=True)
class Compared:
    """Segments of a document with the similarity of neighbours, and what embedding them cost this time."""

    segments: Segments
    similarities: NDArray[np.float32] = field(repr=False)
    embedder: str
    calls: int
    tokens: int


def compare(document: Document, segments: Segments, services: Services, window: int = 0) -> Compared:
    """Embed each segment (with ``window`` neighbours on either side) and compare it with the next."""
    found, made = compare_spans(document, *segments.with_neighbours(window), services)
    return Compared(
        segments,
        found.rows[:, 0],
        found.embedder,
        found.calls if made else 0,
        found.tokens if made else 0,
    )


def curve_of(
    compared: Compared,
    mode: ThresholdMode,
    setting: float,
    min_chunk_size: int,
    outcome: Callable[[NDArray[np.int64]], float],
) -> SimilarityCurve:
    """Resolve the threshold; ``outcome`` gives what the target modes aim at for a set of cuts."""
    signal = signal_of(mode, compared.similarities)
    allowed = ~compared.segments.joined
    threshold = resolve_threshold(
        mode, setting, signal[allowed], lambda value: outcome(cuts_for(signal, value, min_chunk_size, allowed))
    )
    return SimilarityCurve(
        starts=compared.segments.starts,
        ends=compared.segments.ends,
        similarities=compared.similarities,
        signal=signal,
        allowed=allowed,
        embedder=compared.embedder,
        threshold=threshold,
        mode=mode,
        setting=setting,
        min_chunk_size=min_chunk_size,
    )


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
) -> list[Piece]:
    """Split each span above ``maximum`` at its segments, or inside one where that is above it, too.

    ``kind`` is what a cut between segments is called; its reason names the limit as well. The last
    piece of a span keeps its reason.
    """
    packer: Packer | None = None
    pieces: list[Piece] = []
    for span in spans:
        if measure.count(span.start, span.end) <= maximum:
            pieces.append(span)
            continue
        packer = packer or Packer(document.text, measure, maximum, levels=_levels(document, segments, kind))
        *inner, last = packer.pack(span.start, span.end, span.reason)
        pieces += [replace(piece, reason=_above(piece.reason, maximum, measure.unit)) for piece in inner]
        pieces.append(last)
    return pieces


def _above(reason: Reason, maximum: int, unit: str) -> Reason:
    return Oversize(reason, maximum, unit) if isinstance(reason, Structure | Optimum) else reason


def _levels(document: Document, segments: Segments, kind: Structure | Optimum) -> tuple[Level, ...]:
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
