"""The partition of a document that is best as a whole, found by dynamic programming."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from chunkviz.blocks import Segments
from chunkviz.document import Document
from chunkviz.embedding import embed_spans
from chunkviz.evidence import DocumentEnd, Optimum, SimilarityCurve
from chunkviz.grouping import split_large
from chunkviz.measure import Measure
from chunkviz.packing import Packer, Piece, structure_levels
from chunkviz.params import Slider
from chunkviz.progress import Report, part, silent, told
from chunkviz.segments import language_of, structure_cuts
from chunkviz.services import Services
from chunkviz.strategies.strategy import About, Cutting, Need, Strategy, measure_of
from chunkviz.vectors import neighbour_similarities, self_similarity


class ClusterSemantic(Strategy):
    """Small pieces are grouped so that similarity inside the chunks is as large as it can be under the size."""

    name: ClassVar[str] = "cluster_semantic"
    about: ClassVar[About] = About(
        title="Cluster semantic",
        summary="Groups small pieces so that all pieces of a chunk resemble each other as much as possible.",
        split_unit="piece of about piece_size tokens, along the text's structure",
        boundary_logic="the partition with the largest sum of similarities inside chunks, under max_chunk_size",
        best_for="prose whose topics wander back and forth",
        calls="one embedding per piece",
        relative_cost="medium",
        source="Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024)",
    )
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    max_chunk_size: Annotated[int, Field(ge=2), Slider(32, 2048, 16, "tokens")] = 400
    """The most a chunk may hold."""
    piece_size: Annotated[int, Field(ge=1), Slider(8, 256, 2, "tokens", "max_chunk_size")] = 50
    """The most a piece may hold; pieces are embedded, and never split."""

    def cut(self, document: Document, services: Services) -> Cutting:
        """Embed the pieces, then find the best partition."""
        measure = measure_of("tokens", document, services)
        levels = structure_levels(document.text, structure_cuts(document), lambda: language_of(document))
        packer = Packer(
            document.text, measure, self.piece_size, levels=levels, report=part(services.report, 0.0, 0.3)
        )  # fmt: skip
        pieces = packer.pack()
        if not pieces:
            return Cutting(())
        segments = Segments(
            np.array([piece.start for piece in pieces], np.int64),
            np.array([piece.end for piece in pieces], np.int64),
            np.zeros(max(len(pieces) - 1, 0), np.bool_),
        )
        vectors, made = embed_spans(document, segments.starts, segments.ends, services.part(0.3, 0.6))
        lows = lowest_firsts(segments, measure, self.max_chunk_size, part(services.report, 0.6, 0.7))
        firsts = best_partition(vectors.rows, lows, part(services.report, 0.7, 0.9))
        similarities = neighbour_similarities(vectors.rows)
        services.report(0.9)
        curve = SimilarityCurve(
            starts=segments.starts,
            ends=segments.ends,
            similarities=similarities,
            signal=similarities,
            allowed=~segments.joined,
            embedder=vectors.embedder,
            overview=self_similarity(vectors.rows),
        )
        spans = [
            Piece(
                int(segments.starts[first]),
                int(segments.ends[behind - 1]),
                Optimum() if behind < len(segments) else DocumentEnd(),
            )
            for first, behind in zip(firsts, [*firsts[1:], len(segments)], strict=True)
        ]
        report = part(services.report, 0.9, 1.0)
        spans = split_large(document, measure, segments, spans, self.max_chunk_size, Optimum(), report=report)
        return Cutting(spans, curve=curve, calls=vectors.calls if made else 0, tokens=vectors.tokens if made else 0)


def lowest_firsts(segments: Segments, measure: Measure, maximum: int, report: Report = silent) -> list[int]:
    """Return, for each segment, the first one with which it fits a chunk of ``maximum``; never decreasing."""
    starts, ends = segments.starts.tolist(), segments.ends.tolist()
    lows = []
    low = 0
    for last in told(range(len(starts)), report):
        while low < last and measure.count(starts[low], ends[last]) > maximum:
            low += 1
        lows.append(low)
    return lows


def best_partition(rows: NDArray[np.float32], lows: list[int], report: Report = silent) -> list[int]:
    """Return the first segment of each chunk in the partition with the largest reward.

    The reward of a chunk is the sum, over all pairs of its segments, of their cosine less the mean
    cosine of the document. ``rows`` are unit vectors, float32 (n, dimensions); a chunk that ends
    with segment k starts at ``lows[k]`` or behind. Of two equal partitions the one with longer
    chunks at the end is taken. Time: n times the segments of a chunk.
    """
    count = len(rows)
    if not count:
        return []
    mean = _mean_cosine(rows)
    best = np.zeros(count + 1)
    before = np.zeros(count, np.int64)
    # rewards[i] is the reward of a chunk from segment low + i to the last one looked at.
    low, rewards = 0, np.zeros(0)
    for last in told(range(count), report):
        rewards = rewards[lows[last] - low :]
        low = lows[last]
        gains = rows[low:last].astype(np.float64) @ rows[last].astype(np.float64) - mean
        rewards = np.append(rewards + np.cumsum(gains[::-1])[::-1], 0.0)
        totals = best[low : last + 1] + rewards
        choice = int(np.argmax(totals))
        best[last + 1], before[last] = totals[choice], low + choice
    firsts = []
    behind = count
    while behind:
        behind = int(before[behind - 1])
        firsts.append(behind)
    return firsts[::-1]


def _mean_cosine(rows: NDArray[np.float32]) -> float:
    """Return the mean cosine of all pairs, from the sum of the vectors: no matrix of all pairs is made."""
    count = len(rows)
    if count < 2:  # noqa: PLR2004  a pair
        return 0.0
    total = rows.sum(axis=0, dtype=np.float64)
    own = float(np.einsum("ij,ij->", rows, rows, dtype=np.float64))
    return (float(total @ total) - own) / (count * (count - 1))
