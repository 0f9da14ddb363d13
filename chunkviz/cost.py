"""Cost ledger: what embedding a chunking sends, keeps and costs, and what a model never reads of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.chunk import Chunking
from chunkviz.errors import ParameterError
from chunkviz.prices import Price, price_of
from chunkviz.span import Span
from chunkviz.strategies.contextual_retrieval import ContextualRetrieval
from chunkviz.tokens import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOAT32 = 4
"""Bytes of one number of a vector."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger."""

    name: str
    value: float | None
    """None where it is not known."""
    meaning: str
    estimate: bool = False
    """Whether it rests on a price or another model's count, and not on a measurement."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a chunking costs to embed with one model; sizes in tokens of the chunking's tokenizer."""

    model: str
    texts: int
    document_tokens: int
    tokens: int
    """Sum over the texts as embedded: overlap and contexts included."""
    dimensions: int | None
    dollars: float | None
    contexts: int
    """Texts that have a context."""
    context_tokens: int
    """Tokens by which contexts make the texts longer."""
    writer_calls: int
    """Calls made for this chunking; answers that were kept from before cost none."""
    writer_tokens: int
    """Tokens of those calls, in and out together, as the services counted them."""

    @property
    def duplication(self) -> float:
        """Tokens sent over tokens of the document; 0.0 for an empty document."""
        return self.tokens / self.document_tokens if self.document_tokens else 0.0

    @property
    def bytes(self) -> int | None:
        """Bytes of all vectors as float32, without an index; None where the dimension is not known."""
        return None if self.dimensions is None else self.texts * self.dimensions * _FLOAT32

    def entries(self) -> tuple[Entry, ...]:
        """Return every line with its meaning."""
        return (
            Entry("Texts", self.texts, "Texts to embed, one a chunk; each becomes one vector."),
            Entry("Tokens of the document", self.document_tokens, "Counted once."),
            Entry("Tokens to embed", self.tokens, "Sum over the texts, overlap and contexts included."),
            Entry("Duplication", self.duplication, "Tokens to embed over tokens of the document."),
            Entry("Vectors", self.texts, "Rows to keep, one a text."),
            Entry("Bytes of vectors", self.bytes, "Vectors × dimension × 4 (float32), without an index.", True),
            Entry("Embedding, US dollars", self.dollars, "Tokens to embed at the price per million tokens.", True),
            Entry("Texts with context", self.contexts, "Texts that have a written context before them."),
            Entry("Tokens of contexts", self.context_tokens, "By which contexts make the texts longer."),
            Entry("Service calls", self.writer_calls, "Made for this chunking; kept answers cost none."),
            Entry("Service tokens", self.writer_tokens, "Of those calls, in and out, as the service counted them."),
        )


def ledger(
    chunking: Chunking,
    model: str,
    *,
    dimensions: int | None = None,
    prices: Mapping[str, Price] | None = None,
) -> Ledger:
    """Add up what embedding costs with ``model``; money is None where ``prices`` does not know it.

    Raises
    ------
    ParameterError
        When ``dimensions`` is below 1.

    """
    if dimensions is not None and dimensions < 1:
        message = f"dimensions must be at least 1, not {dimensions}."
        raise ParameterError(message)
    embedded = embedded_counts(chunking)
    price = price_of(model, prices)
    tokens = int(embedded.sum())
    written = isinstance(chunking.strategy, ContextualRetrieval)
    return Ledger(
        model=model,
        texts=len(chunking),
        document_tokens=len(chunking.tokens),
        tokens=tokens,
        dimensions=dimensions,
        dollars=None if price is None else tokens * price.tokens_in / 1_000_000,
        contexts=sum(chunk.context is not None for chunk in chunking),
        context_tokens=tokens - int(chunking.token_counts.sum()),
        writer_calls=chunking.usage.calls if written else 0,
        writer_tokens=chunking.usage.tokens if written else 0,
    )


def differences(one: Ledger, other: Ledger) -> tuple[float | None, ...]:
    """Return ``one`` minus ``other``, in the order of ``entries``; None where either is not known."""
    return tuple(
        None if mine.value is None or theirs.value is None else mine.value - theirs.value
        for mine, theirs in zip(one.entries(), other.entries(), strict=True)
    )


def embedded_counts(chunking: Chunking, tokenizer: Tokenizer | None = None) -> NDArray[np.int64]:
    """Return the tokens of every text as embedded, int64 (n,); by the chunking's tokenizer where None is given."""
    if tokenizer is None or tokenizer.name == chunking.tokens.tokenizer.name:
        own = chunking.tokens.tokenizer
        counts = (own.count(chunk.embedding_text) if chunk.context else chunk.token_count for chunk in chunking)
    else:
        counts = (tokenizer.count(chunk.embedding_text) for chunk in chunking)
    return np.fromiter(counts, np.int64, len(chunking))


@dataclass(frozen=True)
class Recount:
    """The same chunks counted under another encoding."""

    encoding: str
    counts: NDArray[np.int64]
    """Tokens of every text as embedded, int64 (n,)."""
    differing: NDArray[np.int64]
    """Indices of chunks whose count differs by more than the share asked for, int64 (k,)."""


def recount(chunking: Chunking, tokenizer: Tokenizer, *, share: float = 0.10) -> Recount:
    """Count the chunks with another tokenizer; a chunk differs when it is off by more than ``share`` of its count."""
    usual, other = embedded_counts(chunking), embedded_counts(chunking, tokenizer)
    return Recount(tokenizer.name, other, np.flatnonzero(np.abs(other - usual) > share * usual))


def unseen(chunking: Chunking, limit: int) -> tuple[Span, ...]:
    """Return what a model that reads ``limit`` tokens a text never reads: one span a chunk that is too long.

    Tokens are those of the chunking's tokenizer, so that for a model with another tokenizer the
    spans are an estimate. A token across the limit is read up to where it begins. Text that another
    chunk's vector does hold, because chunks overlap, is in the span all the same: spans are by chunk.

    Raises
    ------
    ParameterError
        When ``limit`` is below 1.

    """
    if limit < 1:
        message = f"limit must be at least 1 token, not {limit}."
        raise ParameterError(message)
    tokenizer = chunking.tokens.tokenizer
    spans = []
    for chunk, count in zip(chunking, embedded_counts(chunking).tolist(), strict=True):
        if count <= limit:
            continue
        before = len(chunk.embedding_text) - len(chunk.text)
        read = int(tokenizer.token_starts(chunk.embedding_text)[limit])
        start = chunk.start + max(0, read - before)
        if start < chunk.end:
            spans.append(Span(start, chunk.end))
    return tuple(spans)


def never_read(chunking: Chunking, limit: int) -> tuple[Span, ...]:
    """Return the parts of the document that no text's read part holds, of those ``unseen`` names; they are disjoint."""
    lost = {span.end: span.start for span in unseen(chunking, limit)}
    found: list[Span] = []
    read_to = 0
    pending: list[Span] = []
    for chunk in chunking:
        stop = lost.get(chunk.end, chunk.end)
        pending = _without(pending, chunk.start, stop)
        read_to = max(read_to, stop)
        if stop < chunk.end:
            start = max(stop, read_to, pending[-1].end if pending else 0)
            if start < chunk.end:
                pending.append(Span(start, chunk.end))
        while pending and pending[0].end <= chunk.start:
            found.append(pending.pop(0))
    return (*found, *pending)


def _without(spans: list[Span], start: int, end: int) -> list[Span]:
    """Return the spans with one stretch taken out."""
    kept = []
    for span in spans:
        for low, high in ((span.start, min(span.end, start)), (max(span.start, end), span.end)):
            if low < high:
                kept.append(Span(low, high))
    return kept
