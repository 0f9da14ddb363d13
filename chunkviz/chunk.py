"""Chunks, and the chunking that holds them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkviz.document import Document
from chunkviz.evidence import Evidence
from chunkviz.segments import heading_path, skip_blank
from chunkviz.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.strategies.strategy import Strategy
    from chunkviz.tokens import TokenMap


_REPORT_EVERY = 2_000
"""Chunks counted between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of a document, with everything that follows from it.

    Text, tokens, headings and page are derived from the document by slicing and counting, so
    they cannot disagree with the span.
    """

    document: Document = field(repr=False)
    start: int
    end: int
    index: int
    tokens: TokenMap = field(repr=False)
    parent: Chunk | None = None
    context: str | None = None
    """Text written about the chunk, put before it for embedding; never part of the span."""
    context_error: str | None = None
    extra: tuple[tuple[str, Any], ...] = ()
    """What a strategy or a user adds, as (name, value) pairs; read it as ``metadata``."""
    level: int = 0
    """0 for what is searched, 1 and up for parents."""

    @property
    def span(self) -> Span:
        """The place in the document."""
        return Span(self.start, self.end)

    @property
    def text(self) -> str:
        """The literal text; this slice is the only place where chunk text is made."""
        return self.document.text[self.start : self.end]

    @property
    def token_count(self) -> int:
        """What the tokenizer says of ``text``, exactly."""
        return self.tokens.count(self.start, self.end)

    @property
    def document_id(self) -> str:
        """Id of the document."""
        return self.document.id

    @property
    def id(self) -> str:
        """Document, level and span: unique in a chunking, equal on every run."""
        level = "" if self.level == 0 else f"p{self.level}:"
        return f"{self.document.id}:{level}{self.start}-{self.end}"

    @property
    def embedding_text(self) -> str:
        """What is embedded: context, a blank line and the text, or the text alone."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What a strategy or a user added, read-only."""
        return MappingProxyType(dict(self.extra))

    @property
    def headings(self) -> tuple[str, ...]:
        """Titles of the headings in force at the start, outermost first."""
        return heading_path(self.document, skip_blank(self.document.text, self.start))

    @property
    def page(self) -> int | None:
        """Number of the page (from 1) the chunk starts on, or None where the document has no pages."""
        pages = self.document.pages
        return max(1, bisect_right(pages, self.start, key=lambda page: page.start)) if pages else None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a chunking cost: calls to services, tokens they took (in and out together), seconds taken here."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    tokens_out: int = 0
    """Those among ``tokens`` that came back, where a service said so."""


@dataclass(frozen=True)
class Chunking:
    """All chunks one strategy made of one document, in order, with the evidence.

    Two runs of equal strategies over equal documents compare equal; what they cost does not count.
    """

    document: Document
    strategy: Strategy
    tokens: TokenMap = field(repr=False)
    chunks: tuple[Chunk, ...] = field(repr=False)
    evidence: Evidence = field(repr=False)
    parents: tuple[Chunk, ...] = field(default=(), repr=False)
    usage: Usage = field(default=Usage(), compare=False)

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.chunks)

    def __iter__(self) -> Iterator[Chunk]:
        """Iterate over the chunks in order."""
        return iter(self.chunks)

    def __getitem__(self, index: int) -> Chunk:
        """Return one chunk by its number from 0."""
        return self.chunks[index]

    @property
    def boundary_reasons(self) -> tuple[str, ...]:
        """One label per chunk: why it ended where it did."""
        return tuple(str(reason) for reason in self.evidence.reasons)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Start of every chunk, int64 (n,)."""
        return np.fromiter((chunk.start for chunk in self.chunks), np.int64, len(self.chunks))

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """End of every chunk, int64 (n,)."""
        return np.fromiter((chunk.end for chunk in self.chunks), np.int64, len(self.chunks))

    @cached_property
    def token_counts(self) -> NDArray[np.int64]:
        """Exact token count of every chunk, int64 (n,)."""
        return np.fromiter((chunk.token_count for chunk in self.chunks), np.int64, len(self.chunks))

    @cached_property
    def parent_token_counts(self) -> NDArray[np.int64]:
        """Exact token count of every parent, int64 (p,)."""
        return np.fromiter((parent.token_count for parent in self.parents), np.int64, len(self.parents))

    def prepare(self, report: Callable[[float], None]) -> None:
        """Count the tokens of all chunks and parents now, telling ``report`` the share done; what it raises ends it."""
        of = {"token_counts": self.chunks, "parent_token_counts": self.parents}
        whole, done = max(1, len(self.chunks) + len(self.parents)), 0
        for name, spans in of.items():
            if name in self.__dict__:
                continue
            counts = np.zeros(len(spans), np.int64)
            for place, span in enumerate(spans):
                if place % _REPORT_EVERY == 0:
                    report((done + place) / whole)
                counts[place] = span.token_count
            self.__dict__[name] = counts
            done += len(spans)
        report(1.0)

    @cached_property
    def parent_places(self) -> NDArray[np.int64]:
        """Place of each chunk's parent among the parents, int64 (n,); -1 where it has none."""
        places = (-1 if chunk.parent is None else chunk.parent.index for chunk in self.chunks)
        return np.fromiter(places, np.int64, len(self.chunks))

    @cached_property
    def overlaps(self) -> NDArray[np.int64]:
        """Characters each chunk shares with the one before, as measured, int64 (n,); the first is 0."""
        shared = np.zeros(len(self.chunks), np.int64)
        shared[1:] = np.maximum(0, self.ends[:-1] - self.starts[1:])
        return shared
