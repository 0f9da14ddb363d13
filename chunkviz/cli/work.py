"""Documents to chunks: here, or in several processes, which end with this one whatever happens."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

from chunkviz.chunk import Chunking
from chunkviz.cli.output import FORMATS
from chunkviz.cli.services import Asked
from chunkviz.cli.sources import Source
from chunkviz.cli.speech import warnings_said
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.services import Services
from chunkviz.settings import Settings
from chunkviz.strategies import Strategy
from chunkviz.tokens import TokenMap

_AHEAD = 2
"""Documents for each process that may be under way or wait to be written; they bound the memory."""
_PATIENCE = 5.0
"""Seconds after which processes are worth their start, which takes about as long."""
_COUNTING = 0.3
"""Share of the progress for counting tokens, where services are asked behind it."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done with every document: plain values, which other processes can be given."""

    strategy: Strategy
    asked: Asked
    language: str | None
    format: str


@dataclass(frozen=True, slots=True)
class Done:
    """What came of one document."""

    source: Source
    part: Any = None
    """The chunks as the format wants them; None where there is a problem."""
    chunks: int = 0
    problem: str | None = None
    """Why there are none, or why some of them have no context."""
    notes: tuple[str, ...] = ()
    """What the person should know about the chunks."""


def chunk_document(
    document: Document, strategy: Strategy, services: Services, report: Callable[[float], None] = lambda _: None
) -> Chunking:
    """Chunk, and tell ``report`` the share done."""
    before = _COUNTING if strategy.services_needed() else 1.0
    TokenMap.of(document, services.tokenizer).prepare(lambda share: report(share * before))
    return strategy.chunk(document, replace(services, report=lambda share: report(before + share * (1 - before))))


def carry_out(
    source: Source,
    order: Order,
    services: Services,
    settings: Settings,
    report: Callable[[float], None] = lambda _: None,
) -> Done:
    """Load, chunk and encode one document; whatever goes wrong is part of what comes of it."""
    try:
        document = source.load(settings.limits, order.language)
        chunking = chunk_document(document, order.strategy, services, report)
        part = FORMATS[order.format].encode(chunking)
    except Exception as error:  # noqa: BLE001  strategies and services of others raise anything; the rest goes on
        return Done(source, problem=explain(source, error))
    failed = [chunk.context_error for chunk in chunking if chunk.context_error is not None]
    problem = (
        f"{source.shown}: {len(failed):,} of {len(chunking):,} chunks have no context: {failed[0]}" if failed else None
    )
    notes = tuple(f"{source.shown}: {note}" for note in chunking.evidence.notes)
    return Done(source, part, len(chunking), problem, notes)


def explain(source: Source, error: Exception) -> str:
    """Return one sentence that names the source and what went wrong."""
    reason = str(error) if isinstance(error, ChunkvizError) else f"{type(error).__name__}: {error}"
    return reason if source.shown in reason else f"{source.shown}: {reason}"


def in_turn(
    sources: Sequence[Source], order: Order, services: Services, settings: Settings,
    report: Callable[[int, float], None], *, jobs: int = 1,
) -> Iterator[Done]:  # fmt: skip
    """Yield what comes of each source, done here one after another; ``report`` is told place and share.

    Where that turns out to take long, ``jobs`` processes do what is left.
    """
    began = time.monotonic()
    for place, source in enumerate(sources):
        left = sources[place:]
        if jobs > 1 and len(left) > 1 and time.monotonic() - began > _PATIENCE:
            yield from side_by_side(left, order, min(jobs, len(left)))
            return
        yield carry_out(source, order, services, settings, partial(report, place))


def side_by_side(sources: Sequence[Source], order: Order, jobs: int) -> Iterator[Done]:
    """Yield what comes of each source in their order, done by ``jobs`` processes.

    A document whose process dies of it is tried once more, alone, and then reported; the others are not lost.
    """
    coming = iter(sources)
    waiting: deque[tuple[Source, Future[Done]]] = deque()
    with _Processes(order, jobs) as processes:

        def fill() -> None:
            while len(waiting) < jobs * _AHEAD and (source := next(coming, None)) is not None:
                waiting.append((source, processes.submit(source)))

        fill()
        while waiting:
            source, future = waiting.popleft()
            try:
                done = future.result()
            except BrokenProcessPool:
                others = [each for each, _ in waiting]
                waiting.clear()
                done = processes.alone(source)
                waiting.extend((each, processes.submit(each)) for each in others)
            fill()
            yield done


class _Processes:
    """Processes that chunk; a new set takes the place of one that broke."""

    def __init__(self, order: Order, jobs: int) -> None:
        self._order, self._jobs = order, jobs
        self._pool: ProcessPoolExecutor | None = None
        self._before = set(multiprocessing.active_children())

    def submit(self, source: Source) -> Future[Done]:
        """Have the source done by the next process that is free."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._jobs, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(self._order,)
            )
        with _deaf_to_interrupts():  # processes are started here, and inherit it
            try:
                return self._pool.submit(_one, source)
            except BrokenProcessPool as error:  # of a document before it
                failed: Future[Done] = Future()
                failed.set_exception(error)
                return failed

    def alone(self, source: Source) -> Done:
        """Have the source done with no other under way, after the processes broke."""
        self._renew()
        try:
            return self.submit(source).result()
        except BrokenProcessPool:
            self._renew()
            message = "its process was ended; the machine may be short of memory, or the strategy crashes."
            return Done(source, problem=f"{source.shown}: {message}")

    def _renew(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._pool = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._pool is None:
            return
        self._pool.shutdown(wait=False, cancel_futures=True)
        if kind is not None:  # nobody waits for what is under way
            for process in set(multiprocessing.active_children()) - self._before:
                process.terminate()
        self._pool.shutdown()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back: a terminal sends it to every process, and this one alone decides what it means."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_orders: list[Order] = []
"""In a process that chunks, the order it was started with."""


def _begin(order: Order) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be held back
    _orders[:] = [order]


@lru_cache(maxsize=1)
def _settings_and_services() -> tuple[Settings, Services]:
    """Return them once per process: making an embedder may mean loading a model."""
    settings = Settings()
    return settings, _orders[0].asked.make(settings)


def _one(source: Source) -> Done:
    with warnings_said():
        try:
            settings, services = _settings_and_services()
        except ChunkvizError as error:
            return Done(source, problem=explain(source, error))
        return carry_out(source, _orders[0], services, settings)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
