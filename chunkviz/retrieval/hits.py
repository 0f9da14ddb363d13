"""What a search returns, and what a model would be given of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunkviz.chunk import Chunk
from chunkviz.model_input import write_model_input
from chunkviz.tokens import get_tokenizer

if TYPE_CHECKING:
    from chunkviz.tokens import Tokenizer


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a question found."""

    chunk: Chunk
    score: float
    """BM25, a cosine, or a sum of reciprocal ranks; comparable within one search only."""
    source: str
    """Name of the document."""
    rank: int
    """1 for the best."""
    place: int
    """Number of the chunk among all that are searched, from 0."""
    lexical_rank: int | None = None
    """In a hybrid search, its rank by BM25; None where it shares no term with the question."""
    dense_rank: int | None = None
    """In a hybrid search, its rank by cosine."""

    @property
    def parent(self) -> Chunk | None:
        """The larger chunk that is returned with it, or None."""
        return self.chunk.parent

    @property
    def returned(self) -> Chunk:
        """What answers the question: the parent, or the chunk itself where it has none."""
        return self.chunk.parent or self.chunk


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that is returned, once, with the hits that brought it."""

    returned: Chunk
    source: str
    hits: tuple[Hit, ...]


def collect(hits: Iterable[Hit]) -> tuple[Passage, ...]:
    """Return what the hits bring, best first: children of one parent bring it once, and stay with it."""
    found: dict[tuple[str, str], list[Hit]] = {}
    for hit in hits:
        found.setdefault((hit.source, hit.returned.id), []).append(hit)
    return tuple(Passage(each[0].returned, each[0].source, tuple(each)) for each in found.values())


@dataclass(frozen=True, slots=True)
class ModelInput:
    """The text that a model would be given, and its size."""

    text: str
    token_count: int
    tokenizer: str
    """Name of what counted."""
    hits: tuple[Hit, ...] = field(repr=False)


def format_hits(hits: Sequence[Hit], tokenizer: Tokenizer | None = None) -> ModelInput:
    """Return the hits as one text, best first, with the tokens it takes.

    The form is that of ``chunkviz.model_input``: a parent is written out at the first of its children.
    """
    counting = tokenizer or (hits[0].chunk.tokens.tokenizer if hits else get_tokenizer())
    text = write_model_input((hit.chunk, hit.parent) for hit in hits)
    return ModelInput(text, counting.count(text), counting.name, tuple(hits))
