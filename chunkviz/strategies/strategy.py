"""What every strategy is: a frozen model of its parameters with one method of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar, Literal, NoReturn, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, ValidationInfo, field_validator, model_validator

from chunkviz.chunk import Chunk, Chunking, Usage
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evidence import Evidence, SimilarityCurve
from chunkviz.measure import CharacterMeasure, Measure
from chunkviz.packing import Piece
from chunkviz.params import WHOLE_NUMBER, Unit, check_cross_rules, explain, fitting_defaults
from chunkviz.progress import part, told
from chunkviz.services import Services
from chunkviz.tokens import TokenMap

Need: TypeAlias = Literal["embedder", "writer"]
_CUT = 0.9
"""Share of the work that is ``cut``; the rest makes chunks of the pieces."""


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


@dataclass(frozen=True, slots=True)
class Parent:
    """A span that is returned when one of its children is found."""

    start: int
    end: int
    level: int = 1
    """1 for what holds chunks, 2 for what holds those parents, and so on."""
    parent: int | None = None
    """Place of its own parent, which stands before it in the list."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """What a strategy found: its pieces, and what it knew when it cut."""

    pieces: Sequence[Piece]
    """Trimmed spans in order, each with the reason for its end."""
    parents: Sequence[Parent] = ()
    """Spans in order, each behind its own parent; pieces and parents name their parents by place."""
    curve: SimilarityCurve | None = None
    notes: tuple[str, ...] = ()
    calls: int = 0
    """Requests made to services."""
    tokens: int = 0
    """Tokens that services took, in and out together."""
    tokens_out: int = 0
    """Those of them that came back, where a service said so."""


class Strategy(BaseModel):
    """A way of chunking with its parameters chosen: hashable, comparable, its repr is the code that makes it.

    A subclass declares its parameters as fields, ``name`` and ``about``, and implements ``cut``;
    or, where its chunks come from elsewhere, ``chunk`` or ``async achunk``, with the help of
    ``assemble``.

    Raises
    ------
    ParameterError
        At construction, naming the parameter, what must hold and what was given.

    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: ClassVar[str]
    about: ClassVar[About]
    needs: ClassVar[tuple[Need, ...]] = ()
    """Services the strategy asks, besides the tokenizer."""

    def __new__(cls, *positional: Any, **_parameters: Any) -> Self:
        """Refuse values without a name, here and not in ``__init__``, whose signature people read."""
        if positional:
            named = ", ".join(f"{name}={value!r}" for name, value in zip(cls.model_fields, positional, strict=False))
            message = f"{cls.__name__} takes its parameters by name: {cls.__name__}({named})."
            raise ParameterError(message)
        return super().__new__(cls)

    def __init__(self, **parameters: Any) -> None:
        """Check the parameters against their declaration.

        A default that must stay below a smaller value than its own is a quarter of that value.
        """
        parameters = {**fitting_defaults(type(self), parameters), **parameters}
        try:
            super().__init__(**parameters)
        except ValidationError as error:
            record = error.errors()[0]
            own = record.get("ctx", {}).get("error")
            raise (own if isinstance(own, ValueError) else explain(type(self), record)) from None

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Refuse a strategy that cannot chunk, where it is defined and not where it is used."""
        if all(getattr(cls, name) is getattr(Strategy, name) for name in ("cut", "chunk", "achunk")):
            message = f"strategy class {cls.__name__} must implement cut, chunk or achunk"
            raise TypeError(message)

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

    def cut(self, document: Document, services: Services) -> Cutting:
        """Return the pieces of the document; called by ``chunk``."""
        raise NotImplementedError

    def chunk(self, document: Document | str, services: Services | None = None) -> Chunking:
        """Chunk a document, or a plain text.

        Raises
        ------
        DocumentError
            When ``document`` is neither.
        ServiceError
            When a service fails or breaks its protocol.
        Cancelled
            When ``services.report`` says that nobody wants the result.

        """
        if type(self).cut is Strategy.cut:
            return _run_apart(self, document, services)
        began = time.perf_counter()
        document = document if isinstance(document, Document) else Document(document)
        services = services or Services()
        return self.assemble(document, services, self.cut(document, services.part(0.0, _CUT)), began=began)

    async def achunk(self, document: Document | str, services: Services | None = None) -> Chunking:
        """Chunk in a thread, so that an event loop stays free."""
        return await asyncio.to_thread(self.chunk, document, services)

    def assemble(
        self, document: Document, services: Services, cutting: Cutting, *, began: float | None = None
    ) -> Chunking:
        """Return the chunking that pieces and parents make; ``began`` is when the work began (``perf_counter``)."""
        tokens = TokenMap.of(document, services.tokenizer)
        parents: list[Chunk] = []
        for index, each in enumerate(told(cutting.parents, part(services.report, _CUT, 0.95))):
            above = None if each.parent is None else parents[each.parent]
            parents.append(Chunk(document, each.start, each.end, index, tokens, above, level=each.level))
        chunks = tuple(
            Chunk(
                document,
                piece.start,
                piece.end,
                index,
                tokens,
                None if piece.parent is None else parents[piece.parent],
                piece.context,
                piece.context_error,
                piece.extra,
            )
            for index, piece in enumerate(told(cutting.pieces, part(services.report, 0.95, 1.0)))
        )
        return Chunking(
            document=document,
            strategy=self,
            tokens=tokens,
            chunks=chunks,
            evidence=Evidence(tuple(piece.reason for piece in cutting.pieces), cutting.curve, cutting.notes),
            parents=tuple(parents),
            usage=Usage(
                calls=cutting.calls,
                tokens=cutting.tokens,
                tokens_out=cutting.tokens_out,
                seconds=0.0 if began is None else time.perf_counter() - began,
            ),
        )

    def services_needed(self) -> tuple[Need, ...]:
        """Return the services this value asks, those of a strategy it builds on among them."""
        return self.needs

    def config(self) -> dict[str, Any]:
        """Return name and parameters as plain values; ``strategy_from_config`` turns them back."""
        return {"strategy": self.name, **self.model_dump(mode="json")}


def _run_apart(strategy: Strategy, document: Document | str, services: Services | None) -> Chunking:
    """Run ``achunk`` to its end in a thread of its own, for the caller's may have an event loop that runs."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(strategy.achunk(document, services))).result()


def measure_of(unit: Unit, document: Document, services: Services) -> Measure:
    """Return what counts sizes in ``unit`` for this document; tokens are being made meanwhile."""
    if unit == "characters":
        return CharacterMeasure(document)
    tokens = TokenMap.of(document, services.tokenizer)
    tokens.begin()
    return tokens
