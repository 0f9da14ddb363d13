"""No paid call without a yes: what the work would cost is found out by a rehearsal that sends nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chunkviz.cli.services import costs
from chunkviz.cli.speech import say
from chunkviz.embedders import Lexical
from chunkviz.errors import ChunkvizError, ParameterError
from chunkviz.prices import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chunkviz.chunk import Chunking
    from chunkviz.document import Document
    from chunkviz.services import Services, WriteRequest
    from chunkviz.strategies import Strategy


class _RehearsedEmbedder:
    """Notes what it is asked, and answers without a model."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.texts: list[str] = []

    @property
    def name(self) -> str:
        return str(self.inner.name)

    @property
    def max_tokens(self) -> int | None:
        limit: int | None = getattr(self.inner, "max_tokens", None)
        return limit

    @property
    def divides_long_texts(self) -> bool:
        return bool(getattr(self.inner, "divides_long_texts", False))

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        self.texts.extend(texts)
        return Lexical().embed(texts)


class _RehearsedWriter:
    """Notes what it is asked, and answers with a dash."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.requests: list[WriteRequest] = []

    @property
    def name(self) -> str:
        return str(self.inner.name)

    def write(self, request: WriteRequest, /) -> str:
        self.requests.append(request)
        return "-"


@dataclass(frozen=True, slots=True)
class Bill:
    """What some work would cost at each of the two services; None where nothing would be sent."""

    embedder: Estimate | None = None
    writer: Estimate | None = None

    def __add__(self, other: Bill) -> Bill:
        return Bill(_sum(self.embedder, other.embedder), _sum(self.writer, other.writer))


def rehearse(
    document: Document,
    strategy: Strategy,
    services: Services,
    then: Callable[[Chunking, Services], None] = lambda *_: None,
) -> Bill:
    """Return what chunking, and whatever follows ``then``, would cost, found by doing it with stand-ins.

    Where boundaries depend on paid vectors, the number of chunks that are written about is a guess.

    Raises
    ------
    ServiceError
        When the cache cannot be used.

    """
    embedder, writer = _RehearsedEmbedder(services.embedder), _RehearsedWriter(services.writer)
    stand_ins: dict[str, Any] = {}
    if costs(services.embedder):
        stand_ins["embedder"] = embedder
    if costs(services.writer):
        stand_ins["writer"] = writer
    rehearsing = replace(services, **stand_ins)
    then(strategy.chunk(document, rehearsing), rehearsing)
    return Bill(
        _some(embedder.inner.estimate(list(dict.fromkeys(embedder.texts))) if embedder.texts else None),
        _some(writer.inner.estimate(writer.requests) if writer.requests else None),
    )


def ask(bill: Bill, services: Services, *, agreed: bool) -> None:
    """Say what the work would cost, and return only where it may be sent.

    Raises
    ------
    ParameterError
        Where nobody can be asked and ``--yes`` was not given.
    ChunkvizError
        Where the answer is no.

    """
    lines = [
        f"{service.name}: {estimate}"
        for service, estimate in ((services.embedder, bill.embedder), (services.writer, bill.writer))
        if service is not None and estimate is not None
    ]
    for line in lines:
        say(line)
    if not lines or agreed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = "Nothing was sent; give --yes to send it."
        raise ParameterError(message)
    sys.stderr.write("Send it? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        message = "Nothing was sent."
        raise ChunkvizError(message)


def _some(estimate: Estimate | None) -> Estimate | None:
    return estimate if estimate is not None and estimate.calls else None


def _sum(one: Estimate | None, other: Estimate | None) -> Estimate | None:
    if one is None or other is None:
        return one or other
    dollars = None if one.dollars is None or other.dollars is None else one.dollars + other.dollars
    return Estimate(
        one.calls + other.calls, one.tokens_in + other.tokens_in, one.tokens_out + other.tokens_out, dollars
    )
