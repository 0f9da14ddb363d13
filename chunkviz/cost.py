"""Cost ledger: what embedding a chunking sends, keeps and costs, and what a model never reads of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from chunkviz.chunk import Chunking
from chunkviz.errors import ParameterError
from chunkviz.prices import Price, estimate_cost, price_of
from chunkviz.span import Span
from chunkviz.tokens import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FLOAT32 = 4
"""Bytes of one number of a vector."""
_REPORT_EVERY = 64
"""Texts counted between two reports of progress."""


Unit = Literal["count", "tokens", "ratio", "bytes", "dollars"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger."""

    name: str
    value: float | None
    """None where it is not known."""
    unit: Unit
    meaning: str
    estimate: bool = False
    """Whether it rests on a price or a stated dimension, and not on a measurement alone."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a chunking costs to make and to embed with one model; sizes in tokens of ``encoding``."""

    model: str
    encoding: str
    """Name of the tokenizer that counted."""
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
    calls: int
    """Requests to services while chunking; answers that were kept from before cost none."""
    tokens_in: int
    """Tokens sent with them, as the services counted them."""
    tokens_out: int
    """Tokens that came back."""
    service_dollars: float | None
    """Money for those requests; None where the service or its price is not known."""

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
        numbers = "dimension not known" if self.dimensions is None else f"{self.dimensions:,} numbers"
        return (
            Entry("Texts to embed", self.texts, "count", "One a chunk; parents are not embedded."),
            Entry("Tokens of the document", self.document_tokens, "tokens", "Each counted once."),
            Entry("Tokens to embed", self.tokens, "tokens", "Sum over the texts, overlap and contexts included."),
            Entry("Duplication", self.duplication, "ratio", "Tokens to embed over tokens of the document."),
            Entry("Vectors", self.texts, "count", f"One a text; {numbers} each."),
            Entry("Size of the vectors", self.bytes, "bytes", "Four bytes a number, without an index.", True),
            Entry("Money for embedding", self.dollars, "dollars", "Tokens to embed at the price below.", True),
            Entry("Texts with context", self.contexts, "count", "With a written context before them."),
            Entry("Tokens of contexts", self.context_tokens, "tokens", "By which contexts make the texts longer."),
            Entry("Calls while chunking", self.calls, "count", "To embedder and writer; kept answers are free."),
            Entry("Tokens in", self.tokens_in, "count", "Sent with those calls, as the services counted them."),
            Entry("Tokens out", self.tokens_out, "count", "Came back from them, as the services counted them."),
            Entry(
                "Money for those calls", self.service_dollars, "dollars", "Tokens in and out at the price below.", True
            ),
        )


def ledger(
    chunking: Chunking,
    model: str,
    *,
    dimensions: int | None = None,
    prices: Mapping[str, Price] | None = None,
    service: str | None = None,
) -> Ledger:
    """Add up what embedding costs with ``model``, and what was spent on ``service`` while chunking.

    Money is None where ``prices`` (``PRICES`` where None) does not know the model. ``service`` is the one model
    that was asked while chunking; None where there were several or it is not known.

    Raises
    ------
    ParameterError
        When ``dimensions`` is below 1.

    """
    if dimensions is not None and dimensions < 1:
        message = f"dimensions must be at least 1, not {dimensions}."
        raise ParameterError(message)
    price = price_of(model, prices)
    tokens = int(embedded_counts(chunking).sum())
    usage = chunking.usage
    tokens_in = usage.tokens - usage.tokens_out
    spent: float | None = 0.0
    if usage.calls:
        spent = estimate_cost(service or "", usage.calls, tokens_in, usage.tokens_out, prices).dollars
    return Ledger(
        model=model,
        encoding=chunking.tokens.tokenizer.name,
        texts=len(chunking),
        document_tokens=len(chunking.tokens),
        tokens=tokens,
        dimensions=dimensions,
        dollars=None if price is None else tokens * price.tokens_in / 1_000_000,
        contexts=sum(chunk.context is not None for chunk in chunking),
        context_tokens=tokens - int(chunking.token_counts.sum()),
        calls=usage.calls,
        tokens_in=tokens_in,
        tokens_out=usage.tokens_out,
        service_dollars=spent,
    )


def differences(one: Ledger, other: Ledger) -> tuple[float | None, ...]:
    """Return ``one`` minus ``other``, in the order of ``entries``.

    None where either is not known, and for tokens and money where they were counted in different encodings: such
    a difference would say more about the encodings than about the settings.
    """
    alike = one.encoding == other.encoding
    return tuple(
        None
        if mine.value is None or theirs.value is None or not (alike or mine.unit in {"count", "bytes"})
        else mine.value - theirs.value
        for mine, theirs in zip(one.entries(), other.entries(), strict=True)
    )


def embedded_counts(
    chunking: Chunking, tokenizer: Tokenizer | None = None, report: Callable[[float], None] | None = None
) -> NDArray[np.int64]:
    """Return the tokens of every text as embedded, int64 (n,); by the chunking's tokenizer where None is given.

    ``report`` is told the share done (0 to 1) now and then.
    """
    own = chunking.tokens.tokenizer
    asked = own if tokenizer is None or tokenizer.name == own.name else tokenizer
    if asked is own and not any(chunk.context for chunk in chunking):
        return chunking.token_counts
    counts = np.empty(len(chunking), np.int64)
    for index, chunk in enumerate(chunking):
        known = asked is own and not chunk.context
        counts[index] = chunk.token_count if known else asked.count(chunk.embedding_text)
        if report is not None and index % _REPORT_EVERY == 0:
            report(index / len(chunking))
    return counts


@dataclass(frozen=True)
class Recount:
    """The same chunks counted under another encoding."""

    encoding: str
    counts: NDArray[np.int64]
    """Tokens of every text as embedded, int64 (n,)."""
    differing: NDArray[np.int64]
    """Indices of chunks whose count differs by more than the share asked for, int64 (k,)."""


def recount(
    chunking: Chunking, tokenizer: Tokenizer, *, share: float = 0.10, report: Callable[[float], None] | None = None
) -> Recount:
    """Count the chunks with another tokenizer; a chunk differs when it is off by more than ``share`` of its count.

    ``report`` is told the share done (0 to 1); what it raises ends the count.
    """
    usual, other = embedded_counts(chunking), embedded_counts(chunking, tokenizer, report)
    return Recount(tokenizer.name, other, np.flatnonzero(np.abs(other - usual) > share * usual))


def unseen(chunking: Chunking, limit: int, report: Callable[[float], None] | None = None) -> tuple[Span, ...]:
    """Return what a model that reads ``limit`` tokens a text never reads: one span a chunk that is too long.

    Tokens are those of the chunking's tokenizer, so that for a model with another tokenizer the
    spans are an estimate. A token across the limit is read up to where it begins. Text that another
    chunk's vector does hold, because chunks overlap, is in the span all the same: spans are by chunk.
    ``report`` is told the share done (0 to 1); what it raises ends the search.

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
        if report is not None and len(spans) % _REPORT_EVERY == 0:
            report(chunk.index / len(chunking))
        before = len(chunk.embedding_text) - len(chunk.text)
        read = int(tokenizer.token_starts(chunk.embedding_text)[limit])
        start = chunk.start + max(0, read - before)
        if start < chunk.end:
            spans.append(Span(start, chunk.end))
    return tuple(spans)


def never_read(chunking: Chunking, limit: int, *, report: Callable[[float], None] | None = None) -> tuple[Span, ...]:
    """Return the parts of the document that no text's read part holds, of those ``unseen`` names; they are disjoint."""
    lost = {span.end: span.start for span in unseen(chunking, limit, report)}
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
