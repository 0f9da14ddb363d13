"""Chunks with a sentence or two about where they stand, written for each and put before it for embedding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, SerializeAsAny, field_validator, model_validator

from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.packing import Piece
from chunkviz.params import Slider, StrategyChoice
from chunkviz.progress import part
from chunkviz.remembered import remembered
from chunkviz.segments import heading_path
from chunkviz.services import Services, WriteRequest
from chunkviz.strategies.strategy import About, Cutting, Need, Parent, Strategy
from chunkviz.writers import default_writer, write_all

if TYPE_CHECKING:
    from chunkviz.chunk import Chunk, Chunking
    from chunkviz.services import Writer

_CHUNKED, _PREPARED = 0.1, 0.4
"""Shares of the work at which the chunks are there, and at which the writer has taken its look at the document."""


class ContextualRetrieval(Strategy):
    """Chunks of another strategy, each with context that a writer gives it; text and span stay exact."""

    name: ClassVar[str] = "contextual_retrieval"
    about: ClassVar[About] = About(
        title="Contextual retrieval",
        summary="Puts one or two sentences about its place in the document before each chunk, for embedding only.",
        split_unit="that of the base strategy",
        boundary_logic="that of the base strategy; a writer sees the chunk, its surroundings and its headings",
        best_for="chunks that do not say what they are about",
        calls="one writer call per chunk (none with the outline context)",
        relative_cost="highest with a language model",
        source=(
            "Anthropic, Introducing Contextual Retrieval (2024): 49 percent fewer failed retrievals (from 5.7 to 2.9 "
            "percent of questions without the right text in the top 20) with a language model's context, embeddings "
            "and BM25 together, 35 percent fewer with embeddings alone; measured by them on their corpora, not here"
        ),
    )
    needs: ClassVar[tuple[Need, ...]] = ("writer",)

    chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "tokens")] = 512
    """The most a chunk may hold, where the base strategy is given by its name and has a size."""
    chunk_overlap: Annotated[int, Field(ge=0), Slider(0, 512, 2, "tokens", "chunk_size")] = 50
    """How much of a chunk the next one repeats, at most, where the base strategy has an overlap."""
    window: Annotated[int, Field(ge=0), Slider(0, 5000, 50, "characters")] = 500
    """How much of the text before and after a chunk its writer is shown."""
    base: Annotated[SerializeAsAny[Strategy] | str, StrategyChoice(("contextual_retrieval",))] = "fixed_size"
    """The strategy that makes the chunks: a name, or a strategy with parameters of its own."""

    @field_validator("base", mode="before")
    @classmethod
    def _base_from_config(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            from chunkviz.strategies import strategy_from_config  # noqa: PLC0415  the registry lists this class, too

            return strategy_from_config(given)
        return given

    @model_validator(mode="after")
    def _base_can_be_made(self) -> ContextualRetrieval:
        if isinstance(self.base_strategy, ContextualRetrieval):
            message = "base must be another strategy than contextual_retrieval, whose chunks have context already."
            raise ParameterError(message)
        return self

    @property
    def base_strategy(self) -> Strategy:
        """The strategy that makes the chunks, with size and overlap where it has them and was given by its name."""
        if isinstance(self.base, Strategy):
            return self.base
        from chunkviz.strategies import strategy_class  # noqa: PLC0415  the registry lists this class, too

        made = strategy_class(self.base)
        ours = {
            "chunk_size": self.chunk_size,
            "max_chunk_size": self.chunk_size,
            "chunk_overlap": self.chunk_overlap,
            "unit": "tokens",
        }
        return made(**{name: value for name, value in ours.items() if name in made.model_fields})

    def services_needed(self) -> tuple[Need, ...]:
        """Return the writer, and what the base strategy asks."""
        return (*self.base_strategy.services_needed(), *self.needs)

    def config(self) -> dict[str, Any]:
        """Return name and parameters as plain values; a base with parameters of its own is a configuration itself."""
        base = self.base.config() if isinstance(self.base, Strategy) else self.base
        return {**super().config(), "base": base}

    def cut(self, document: Document, services: Services) -> Cutting:
        """Let the base strategy chunk, then have context written for each chunk that has none yet."""
        chunking = self.base_strategy.chunk(document, services.part(0.0, _CHUNKED))
        writer = services.writer or default_writer()
        known = _known(document, writer)
        keys = [self._key(chunk) for chunk in chunking]
        asked = [place for place, key in enumerate(keys) if key not in known]
        before = getattr(writer, "usage", None)
        prepare = getattr(writer, "prepare", None)
        if prepare is not None and asked:
            prepare(document, part(services.report, _CHUNKED, _PREPARED))
        requests = [self._request(chunking.chunks[place]) for place in asked]
        written = write_all(writer, requests, part(services.report, _PREPARED, 1.0))
        after = getattr(writer, "usage", None)
        errors: dict[int, str | None] = {}
        for place, each in zip(asked, written, strict=True):
            if each.context is None:
                errors[place] = each.error
            else:
                known[keys[place]] = each.context
        pieces = [
            replace(piece, context=known.get(keys[place]), context_error=errors.get(place))
            for place, piece in enumerate(_pieces(chunking))
        ]
        return Cutting(
            pieces,
            _parents(chunking),
            chunking.evidence.curve,
            chunking.evidence.notes,
            calls=chunking.usage.calls + (after.calls - before.calls if before and after else 0),
            tokens=chunking.usage.tokens + (after.tokens - before.tokens if before and after else 0),
            tokens_out=after.tokens_out - before.tokens_out if before and after else 0,
        )

    def missing(self, document: Document, services: Services) -> list[WriteRequest]:
        """Return what the writer would be asked now, without asking: for an estimate before the first call."""
        known = _known(document, services.writer or default_writer())
        chunking = self.base_strategy.chunk(document, services)
        return [self._request(chunk) for chunk in chunking if self._key(chunk) not in known]

    def _key(self, chunk: Chunk) -> tuple[int, int, int]:
        return (chunk.start, chunk.end, self.window)

    def _request(self, chunk: Chunk) -> WriteRequest:
        document = chunk.document
        return WriteRequest(
            document=document,
            start=chunk.start,
            end=chunk.end,
            text=chunk.text,
            preceding=document.text[max(0, chunk.start - self.window) : chunk.start],
            following=document.text[chunk.end : chunk.end + self.window],
            title=document.title,
            headings=heading_path(document, chunk.start),
        )


def _known(document: Document, writer: Writer) -> dict[tuple[int, int, int], str]:
    """Return the contexts the writer has given; those that failed are not in it, so only they are asked for again."""
    made: dict[tuple[int, int, int], str] = remembered(document, "contexts", writer, dict)
    return made


def _pieces(chunking: Chunking) -> list[Piece]:
    return [
        Piece(
            chunk.start,
            chunk.end,
            reason,
            None if chunk.parent is None else chunk.parent.index,
            extra=chunk.extra,
        )
        for chunk, reason in zip(chunking, chunking.evidence.reasons, strict=True)
    ]


def _parents(chunking: Chunking) -> list[Parent]:
    return [
        Parent(each.start, each.end, each.level, None if each.parent is None else each.parent.index)
        for each in chunking.parents
    ]
