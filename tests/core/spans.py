"""Chunkings with boundaries of one's own choice."""

from __future__ import annotations

from collections.abc import Sequence

import chunkviz as cv
from chunkviz.evidence import DocumentEnd
from chunkviz.packing import Piece
from chunkviz.strategies import Cutting, Parent


def chunked(
    document: cv.Document | str,
    spans: Sequence[tuple[int, int]],
    *,
    parents: Sequence[tuple[int, int]] = (),
    owners: Sequence[int] = (),
    contexts: Sequence[str | None] = (),
    services: cv.Services | None = None,
) -> cv.Chunking:
    """Return a chunking with these spans; ``owners`` are the parents of each by place."""
    document = document if isinstance(document, cv.Document) else cv.Document(document, name="text.txt")
    pieces = [
        Piece(
            start,
            end,
            DocumentEnd(),
            owners[place] if owners else None,
            context=contexts[place] if contexts else None,
        )
        for place, (start, end) in enumerate(spans)
    ]
    cutting = Cutting(pieces, [Parent(start, end) for start, end in parents])
    return cv.FixedSize().assemble(document, services or cv.Services(), cutting)


def lines(text: str, **options: object) -> cv.Chunking:
    """Return a chunking with a chunk for each line."""
    spans, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return chunked(text, spans, **options)  # type: ignore[arg-type]
