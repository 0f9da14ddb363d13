"""What every strategy is: a frozen model of its parameters with one method of its own."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar, NoReturn, Self, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator, model_validator

from chunkviz.chunk import Chunk, Chunking, Usage
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evidence import Evidence
from chunkviz.measure import CharacterMeasure, Measure
from chunkviz.packing import Piece
from chunkviz.params import WHOLE_NUMBER, Unit, check_cross_rules, explain
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

    def __new__(cls, *positional: Any, **_parameters: Any) -> Self:
        """Refuse values without a name, here and not in ``__init__``, whose signature people read."""
        if positional:
            named = ", ".join(f"{name}={value!r}" for name, value in zip(cls.model_fields, positional, strict=False))
            message = f"{cls.__name__} takes its parameters by name: {cls.__name__}({named})."
            raise ParameterError(message)
        return super().__new__(cls)

    def __init__(self, **parameters: Any) -> None:
        """Check the parameters against their declaration."""
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            record = error.errors()[0]
            own = record.get("ctx", {}).get("error")
            raise (own if isinstance(own, ValueError) else explain(type(self), record)) from None

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        """Refuse: a strategy is a value, like the chunks it makes."""
        own = type(self).__name__
        message = f"{own} cannot be changed; make another one: {own}({name}={value!r})."
        raise FrozenInstanceError(message)

    @field_validator("*", mode="before")
    @classmethod
    def _yes_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        annotation = cls.model_fields[str(info.field_name)].annotation
        kinds = {annotation, *get_args(annotation)}
        if isinstance(value, bool) and kinds & {int, float}:
            message = f"{info.field_name} must be {WHOLE_NUMBER if int in kinds else 'a number'}, not {value}."
            raise ParameterError(message)
        return value

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
