"""Where the words of a question stand in a document, so that a person sees why a chunk was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunkviz.chunk import Chunk
from chunkviz.retrieval.terms import Terms, split_terms
from chunkviz.span import Span


@dataclass(frozen=True, slots=True)
class Matches:
    """Where a question's terms stand, and which terms these are."""

    spans: tuple[Span, ...]
    """In order, those that touch joined."""
    terms: tuple[str, ...]
    """The terms whose places are given, as they are compared (folded), in the question's order."""
    common: tuple[str, ...] = ()
    """Terms that are left out because more than half of the chunks hold them."""


def find_matches(chunks: Sequence[Chunk], question: str, *, within: Sequence[Span] | None = None) -> Matches:
    """Return the places of the question's terms in the chunks' one document.

    Words that more than half of the chunks hold ("the", "is") hardly count in BM25; they are left out where the
    question has others. A term counts for the last chunk that begins before it. ``within`` asks only for places that
    touch these spans, which in a long document is far less.
    """
    if not chunks:
        return Matches((), ())
    terms = Terms.of(chunks[0].document)
    wanted = dict.fromkeys(split_terms(question, question=True))
    numbers = {word: number for number, word in enumerate(terms.vocabulary) if word in wanted}
    starts = np.fromiter((chunk.start for chunk in chunks), np.int64, len(chunks))
    places = {word: np.flatnonzero(terms.words == numbers[word]) for word in wanted if word in numbers}
    half = len(chunks) / 2
    holding = {word: len(np.unique(np.searchsorted(starts, terms.starts[at], "right"))) for word, at in places.items()}
    rare = tuple(word for word in places if holding[word] <= half)
    given = rare or tuple(places)
    if not given:
        return Matches((), ())
    found = np.sort(np.concatenate([places[word] for word in given]))
    if within is not None:
        inside = np.zeros(len(found), bool)
        for span in within:
            inside |= (terms.ends[found] > span.start) & (terms.starts[found] < span.end)
        found = found[inside]
    common = tuple(word for word in places if word not in given)
    return Matches(_joined(terms.starts[found].tolist(), terms.ends[found].tolist()), given, common)


def _joined(starts: Sequence[int], ends: Sequence[int]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for start, end in zip(starts, ends, strict=True):
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        else:
            joined.append(Span(start, end))
    return tuple(joined)
