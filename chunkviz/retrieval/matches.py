"""Where the words of a question stand in a document, so that a person sees why a chunk was found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunkviz.chunk import Chunk
from chunkviz.retrieval.terms import Terms, split_terms
from chunkviz.span import Span


def find_matches(chunks: Sequence[Chunk], question: str) -> tuple[Span, ...]:
    """Return the places of the question's terms in the chunks' one document, in order, those that touch joined.

    Words that more than half of the chunks hold ("the", "is") hardly count in BM25; they are left out where the
    question has others. A term counts for the last chunk that begins before it.
    """
    if not chunks:
        return ()
    terms = Terms.of(chunks[0].document)
    wanted = set(split_terms(question, question=True))
    asked = [number for number, word in enumerate(terms.vocabulary) if word in wanted]
    starts = np.fromiter((chunk.start for chunk in chunks), np.int64, len(chunks))
    places = {number: np.flatnonzero(terms.words == number) for number in asked}
    half = len(chunks) / 2
    rare = [n for n in asked if len(np.unique(np.searchsorted(starts, terms.starts[places[n]], "right"))) <= half]
    found = [places[number] for number in rare or asked]
    if not found:
        return ()
    joined: list[Span] = []
    for place in np.sort(np.concatenate(found)).tolist():
        start, end = int(terms.starts[place]), int(terms.ends[place])
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        else:
            joined.append(Span(start, end))
    return tuple(joined)
