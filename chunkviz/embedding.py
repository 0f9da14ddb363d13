"""Vectors of a document's segments: asked for once each, checked, and compared with their neighbours."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.document import Document
from chunkviz.embedders.lexical import Lexical
from chunkviz.errors import ServiceError
from chunkviz.packing import Packer
from chunkviz.progress import Told, part
from chunkviz.remembered import remembered
from chunkviz.tokens import TokenMap
from chunkviz.vectors import SelfSimilarity, averaged, neighbour_similarities, self_similarity, unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.services import Embedder, Services

_BATCH = 1024
"""Texts embedded between two reports of progress, where the embedder names no number."""
_TAKEN = 8192
"""Rows copied between two reports."""
_FITTED, _EMBEDDED = 0.15, 0.9
"""Shares of the work at which an embedder that is fitted to the texts is, and at which all are embedded."""
_KEPT = 4
_KEPT_BYTES = 256 * 2**20
"""Sets of vectors kept for a document and an embedder: one for each way of making segments somebody tries."""


@lru_cache(maxsize=1)
def default_embedder() -> Embedder:
    """Return the embedder that needs no model; always the same object, so that its vectors are remembered."""
    return Lexical()


@dataclass(frozen=True, eq=False)
class Vectors:
    """One row per text, and what they cost when they were made."""

    rows: NDArray[np.float32]
    """float32 (n, dimensions), unit length; a row of zeros where the embedder gave nothing usable."""
    embedder: str
    """Name of the embedder."""
    calls: int
    tokens: int
    overview: SelfSimilarity | None = None
    """All texts compared with each other, made small, where the rows themselves are not kept."""


def embed_spans(
    document: Document, starts: NDArray[np.int64], ends: NDArray[np.int64], services: Services
) -> tuple[Vectors, bool]:
    """Return the vectors of spans of a document, and whether they were made now and not remembered.

    They live as long as the document and the embedder, so that a slider never embeds twice.

    Raises
    ------
    ServiceError
        When the embedder fails, or gives another number or shape of vectors than it should.
    Cancelled
        When ``services.report`` says so.

    """
    return _known_or_made(document, "vectors", starts, ends, services, lambda made: made)


def compare_spans(
    document: Document, starts: NDArray[np.int64], ends: NDArray[np.int64], services: Services
) -> tuple[Vectors, bool]:
    """Return, as one column, the similarity of each span with the next; raises as :func:`embed_spans`.

    The vectors themselves, which take a hundred times the text, are not kept; ``overview`` is what
    remains of the similarity of all with all.
    """

    def compared(made: Vectors) -> Vectors:
        overview = self_similarity(made.rows)
        services.report((1 + _EMBEDDED) / 2)
        return replace(made, rows=neighbour_similarities(made.rows)[:, None], overview=overview)

    return _known_or_made(document, "similarities", starts, ends, services, compared)


def _known_or_made(
    document: Document,
    what: str,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    services: Services,
    kept: Callable[[Vectors], Vectors],
) -> tuple[Vectors, bool]:
    embedder = services.embedder or default_embedder()
    known: OrderedDict[bytes, Vectors] = remembered(document, what, embedder, OrderedDict)
    key = hashlib.sha256(starts.tobytes() + b"|" + ends.tobytes()).digest()
    if key in known:
        known.move_to_end(key)
        return known[key], False
    texts = [document.text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    known[key] = made = kept(embed_texts(texts, embedder, services))
    while len(known) > 1 and (len(known) > _KEPT or sum(each.rows.nbytes for each in known.values()) > _KEPT_BYTES):
        known.popitem(last=False)
    return made, True


def embed_texts(texts: Sequence[str], embedder: Embedder, services: Services, *, fit: bool = True) -> Vectors:
    """Return one unit row per text; each distinct text is sent once, none longer than the embedder reads.

    A longer text is cut by the tokens of ``services.tokenizer``; its row is the mean of its parts,
    weighted by their tokens. An embedder that can be fitted to these texts is, unless ``fit`` is false.
    Raises as :func:`embed_spans`.
    """
    fitted: Callable[[Sequence[str]], Embedder] | None = getattr(embedder, "fitted", None) if fit else None
    parts, owners, weights = _parts(texts, embedder, services)
    services.report(0.0)
    distinct = list(dict.fromkeys(parts))
    before = getattr(embedder, "usage", None)
    ready = fitted(Told(distinct, part(services.report, 0.0, _FITTED))) if fitted is not None else embedder
    rows = _in_batches(distinct, ready, embedder, services.part(0.0 if fitted is None else _FITTED, _EMBEDDED))
    after = getattr(embedder, "usage", None)
    place = {text: index for index, text in enumerate(distinct)}
    order = np.fromiter((place[part] for part in parts), np.int64, len(parts))
    if len(distinct) < len(parts):
        rows = _taken(rows, order, services)
    if len(parts) > len(texts):
        rows = averaged(rows * weights[:, None], owners, len(texts))
    return Vectors(
        rows,
        embedder.name,
        calls=0 if before is None else after.calls - before.calls,  # type: ignore[union-attr]  # both or neither
        tokens=0 if before is None else after.tokens - before.tokens,  # type: ignore[union-attr]
    )


def _parts(
    texts: Sequence[str], embedder: Embedder, services: Services
) -> tuple[list[str], NDArray[np.int64], NDArray[np.float32]]:
    """Cut texts that the embedder cannot read whole; return parts, the text each belongs to, and its weight."""
    # An embedder that knows its model's own tokens, and has been told what to do, divides better.
    divides = getattr(embedder, "divides_long_texts", False)
    limit: int | None = None if divides else getattr(embedder, "max_tokens", None)
    parts: list[str] = []
    owners: list[int] = []
    weights: list[float] = []
    for index, text in enumerate(texts):
        # No token is shorter than a byte, so a short text needs no counting.
        if limit is None or len(text) * 4 <= limit or services.tokenizer.count(text) <= limit:
            parts.append(text)
            owners.append(index)
            weights.append(1.0)
            continue
        own = Document(text)
        tokens = TokenMap.of(own, services.tokenizer)
        for piece in Packer(text, tokens, limit).pack():
            parts.append(text[piece.start : piece.end])
            owners.append(index)
            weights.append(float(tokens.count(piece.start, piece.end)))
    return parts, np.array(owners, np.int64), np.array(weights, np.float32)


def _in_batches(texts: list[str], ready: Embedder, embedder: Embedder, services: Services) -> NDArray[np.float32]:
    size = int(getattr(embedder, "batch", _BATCH))
    rows = np.zeros((0, 1), np.float32)
    for first in range(0, len(texts), size):
        batch = texts[first : first + size]
        found = unit_rows(_checked(ready.embed(batch), len(batch), embedder))
        if first == 0:
            rows = np.empty((len(texts), found.shape[1]), np.float32)
        if found.shape[1] != rows.shape[1]:
            message = (
                f"The embedder {embedder.name!r} gave vectors of {rows.shape[1]} and then of {found.shape[1]} "
                "dimensions; all must have the same."
            )
            raise ServiceError(message)
        rows[first : first + len(batch)] = found
        services.report(min(1.0, (first + len(batch)) / len(texts)))
    return rows


def _taken(rows: NDArray[np.float32], order: NDArray[np.int64], services: Services) -> NDArray[np.float32]:
    """Return the rows in an order, float32 (len(order), dimensions): gigabytes where a document is large."""
    taken = np.empty((len(order), rows.shape[1]), np.float32)
    for first in range(0, len(order), _TAKEN):
        services.report(_EMBEDDED)
        rows.take(order[first : first + _TAKEN], axis=0, out=taken[first : first + _TAKEN], mode="clip")
    services.report(_EMBEDDED)
    return taken


def _checked(given: object, count: int, embedder: Embedder) -> NDArray[np.float32]:
    try:
        rows = np.asarray(given, np.float32)
    except (TypeError, ValueError):
        rows = np.zeros(0, np.float32)
    if rows.ndim != 2 or len(rows) != count or rows.shape[1] == 0:  # noqa: PLR2004  rows and columns
        shape = f"{len(rows)} vectors" if rows.ndim == 2 else f"an array of shape {rows.shape}"  # noqa: PLR2004
        message = f"The embedder {embedder.name!r} must give one vector for each of {count} texts, not {shape}."
        raise ServiceError(message)
    return rows
