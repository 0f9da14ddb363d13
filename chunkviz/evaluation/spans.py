"""Measures of one question, by arithmetic on spans.

With the characters that answer it as *e* and those retrieved as *r*: recall is the share of *e* that is in *r*,
precision the share of *r* that is in *e*, IoU what both share over what either has. A character of *e* counts once;
what is retrieved counts as often as it is retrieved, so overlap costs. Precision-omega is the IoU that a perfect
search would reach, one that returns every chunk with some of *e* and no other: it measures the boundaries alone.
From Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", Chroma Technical Report, 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from chunkviz.span import Span

Place: TypeAlias = tuple[str, Span]
"""Id of a document, and a span of it."""
Fate: TypeAlias = Literal["whole", "split", "lost"]


@dataclass(frozen=True, slots=True)
class Scores:
    """Recall, precision and IoU of what was retrieved, each 0 to 1."""

    recall: float
    precision: float
    iou: float


def score_spans(references: Iterable[Place], retrieved: Sequence[Place]) -> Scores:
    """Return the scores of retrieved spans; overlapping ones count in full, what they share is found once."""
    wanted = merge(references)
    relevant = size(wanted)
    found = shared(wanted, merge(retrieved))
    taken = sum(len(span) for _, span in retrieved)
    return Scores(
        recall=found / relevant if relevant else 0.0,
        precision=found / taken if taken else 0.0,
        iou=found / (taken + relevant - found) if taken + relevant else 0.0,
    )


def precision_omega(references: Iterable[Place], touching: Iterable[Place]) -> float:
    """Return the IoU of a perfect search, given every chunk that shares a character with a reference."""
    wanted, given = merge(references), merge(touching)
    found = shared(wanted, given)
    either = size(given) + size(wanted) - found
    return found / either if either else 0.0


def fate_of(reference: Span, chunks: Sequence[Span]) -> Fate:
    """Return whether a span is whole in one chunk, split over several, or lost: in none with any character."""
    if any(reference in chunk for chunk in chunks):
        return "whole"
    return "split" if any(reference.overlap(chunk) for chunk in chunks) else "lost"


def merge(places: Iterable[Place]) -> dict[str, list[tuple[int, int]]]:
    """Return by document the union of spans, as disjoint ranges in order."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for document, span in sorted(places, key=lambda each: (each[0], each[1].start)):
        own = ranges.setdefault(document, [])
        if own and span.start <= own[-1][1]:
            own[-1] = (own[-1][0], max(own[-1][1], span.end))
        elif len(span):
            own.append((span.start, span.end))
    return ranges


def size(ranges: dict[str, list[tuple[int, int]]]) -> int:
    """Return the characters in merged ranges."""
    return sum(end - start for own in ranges.values() for start, end in own)


def shared(ones: dict[str, list[tuple[int, int]]], others: dict[str, list[tuple[int, int]]]) -> int:
    """Return the characters that two sets of merged ranges share, by walking both once."""
    total = 0
    for document in ones.keys() & others.keys():
        one, other = ones[document], others[document]
        i = j = 0
        while i < len(one) and j < len(other):
            total += max(0, min(one[i][1], other[j][1]) - max(one[i][0], other[j][0]))
            if one[i][1] <= other[j][1]:
                i += 1
            else:
                j += 1
    return total
