"""What every strategy is: a frozen model of its parameters with one method of its own."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from chunkviz.chunk import Chunk, Chunking, Usage
from chunkviz.document import Document
from chunkviz.evidence import Evidence
from chunkviz.measure import CharacterMeasure, Measure
from chunkviz.packing import Piece
from chunkviz.params import Unit, check_cross_rules, explain
from chunkviz.services import Services
from chunkviz.tokens import TokenMap


@dataclass(frozen=True, slots=True)
class About:
    """What a person choosing a strategy needs to know."""

    title: str
    summary: str
    split_unit: str
    boundary_logic: str
    best_for: str
    calls: str
    relative_cost: str
    source: str


class Strategy(BaseModel):
    """A way of chunking with its parameters chosen: hashable, comparable, its repr is the code that makes it.

    A subclass declares its parameters as fields, ``name`` and ``about``, and implements ``cut``.

    Raises
    ------
    ParameterError
        At construction, naming the parameter, what must hold and what was given.

    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: ClassVar[str]
    about: ClassVar[About]

    def __init__(self, **parameters: Any) -> None:
        """Check the parameters against their declaration."""
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            record = error.errors()[0]
            own = record.get("ctx", {}).get("error")
            raise (own if isinstance(own, ValueError) else explain(type(self), record)) from None

    @model_validator(mode="after")
    def _cross_rules(self) -> Strategy:
        check_cross_rules(self)
        return self

    @abstractmethod
    def cut(self, document: Document, services: Services) -> Sequence[Piece]:
        """Return the trimmed pieces of the document in order, each with the reason for its end."""

    def chunk(self, document: Document | str, services: Services | None = None) -> Chunking:
        """Chunk a document, or a plain text.

        Raises
        ------
        DocumentError
            When ``document`` is neither.
        ServiceError
            When a service breaks its protocol.

        """
        began = time.perf_counter()
        document = document if isinstance(document, Document) else Document(document)
        services = services or Services()
        tokens = TokenMap.of(document, services.tokenizer)
        pieces = self.cut(document, services)
        chunks = tuple(Chunk(document, piece.start, piece.end, index, tokens) for index, piece in enumerate(pieces))
        return Chunking(
            document=document,
            strategy=self,
            tokens=tokens,
            chunks=chunks,
            evidence=Evidence(tuple(piece.reason for piece in pieces)),
            usage=Usage(seconds=time.perf_counter() - began),
        )

    async def achunk(self, document: Document | str, services: Services | None = None) -> Chunking:
        """Chunk in a thread, so that an event loop stays free."""
        return await asyncio.to_thread(self.chunk, document, services)

    def config(self) -> dict[str, Any]:
        """Return name and parameters as plain values; ``strategy_from_config`` turns them back."""
        return {"strategy": self.name, **self.model_dump(mode="json")}


def measure_of(unit: Unit, document: Document, services: Services) -> Measure:
    """Return what counts sizes in ``unit`` for this document."""
    return TokenMap.of(document, services.tokenizer) if unit == "tokens" else CharacterMeasure(document)
