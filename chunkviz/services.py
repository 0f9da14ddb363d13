"""What a strategy may use besides the document: passed in, never part of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from chunkviz.errors import ParameterError
from chunkviz.progress import Report, part, silent
from chunkviz.tokens import Tokenizer, get_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chunkviz.document import Document


@runtime_checkable
class Embedder(Protocol):
    """What turns texts into vectors; one small object is enough."""

    @property
    def name(self) -> str:
        """Name of the model, as people know it."""
        ...

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions): one row per text, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """What a writer is given: the chunk, its surroundings, and where it stands."""

    document: Document = field(repr=False)
    start: int
    end: int
    text: str
    preceding: str
    following: str
    title: str | None
    headings: tuple[str, ...]


@runtime_checkable
class Writer(Protocol):
    """What writes context about a chunk; one small object is enough.

    One that takes a long look at the whole document may have ``prepare(document, report)``: it is called before the
    first request, and tells ``report`` the share done.
    """

    @property
    def name(self) -> str:
        """Name of the model or method, as people know it."""
        ...

    def write(self, request: WriteRequest, /) -> str:
        """Return one or two sentences that place the chunk in its document."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one chunking; a strategy that needs none of them uses none."""

    tokenizer: Tokenizer = field(default_factory=get_tokenizer)
    """Counts tokens; ``cl100k_base`` unless told otherwise."""
    embedder: Embedder | None = None
    """Turns texts into vectors; None takes the lexical embedder, which needs no model."""
    writer: Writer | None = None
    """Writes context; None takes the outline writer, which needs no model."""
    report: Report = field(default=silent, compare=False)
    """Told the share done (0 to 1) of long work; raises ``Cancelled`` when nobody wants the result any more."""

    def part(self, low: float, high: float) -> Services:
        """Return the same services for a part of the work, whose report tells ``low`` to ``high`` of the whole."""
        return replace(self, report=part(self.report, low, high))

    def __post_init__(self) -> None:
        """Refuse what cannot serve, before it fails in the middle of the work."""
        for name, service, protocol in (
            ("tokenizer", self.tokenizer, Tokenizer),
            ("embedder", self.embedder, Embedder),
            ("writer", self.writer, Writer),
        ):
            if (service is not None or name == "tokenizer") and not isinstance(service, protocol):
                makers = {
                    "tokenizer": "cv.get_tokenizer",
                    "embedder": "chunkviz.embedders.get_embedder",
                    "writer": "chunkviz.writers.get_writer",
                }
                hint = f"; use {makers[name]}({service!r})" if isinstance(service, str) else ""
                needs = ", ".join(sorted(each for each in vars(protocol) if not each.startswith("_")))
                message = f"{name} must be an object with {needs}, not {service!r}{hint}."
                raise ParameterError(message)
