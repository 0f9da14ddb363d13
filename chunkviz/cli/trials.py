"""Strategies evaluated one after another, here or in several processes."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from chunkviz.cli.services import Asked
from chunkviz.cli.speech import Progress, warnings_said
from chunkviz.document import Document
from chunkviz.evaluation import Evaluation, Failure, Question, sweep
from chunkviz.retrieval import Ranking
from chunkviz.services import Services
from chunkviz.settings import Settings
from chunkviz.strategies import Strategy


@dataclass(frozen=True)
class Trial:
    """What every strategy is tried with: plain values, which other processes can be given."""

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    asked: Asked
    ranking: Ranking
    k: int
    budgets: tuple[int, ...]
    unit: str

    def of(
        self, strategy: Strategy, services: Services, kept: MutableMapping[str, Any], report: Callable[[float], None]
    ) -> Evaluation | Failure:
        """Return what a strategy reaches; whatever goes wrong is part of what comes of it."""
        try:
            return sweep(
                self.documents, [strategy], self.questions, k=self.k, ranking=self.ranking, services=services,
                budgets=self.budgets, unit=self.unit, done=kept, report=report,
            )[0]  # fmt: skip
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:  # noqa: BLE001  strategies and services of others raise anything; the rest goes on
            return Failure(repr(strategy), f"{type(error).__name__}: {error}")


def trials(
    trial: Trial,
    strategies: Sequence[Strategy],
    services: Services,
    kept: MutableMapping[str, Any],
    progress: Progress,
    jobs: int,
) -> Iterator[Evaluation | Failure]:
    """Yield what each strategy reaches, in their order; what is measured is put into ``kept`` as it comes."""
    if jobs > 1 and len(strategies) > 1:
        yield from _side_by_side(trial, strategies, kept, progress, min(jobs, len(strategies)))
        return
    for place, strategy in enumerate(strategies):
        yield trial.of(strategy, services, kept, progress.part(place, len(strategies)))


def _side_by_side(
    trial: Trial, strategies: Sequence[Strategy], kept: MutableMapping[str, Any], progress: Progress, jobs: int
) -> Iterator[Evaluation | Failure]:
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(trial, dict(kept))
    )
    try:
        waiting = [pool.submit(_one, strategy) for strategy in strategies]
        for number, (strategy, future) in enumerate(zip(strategies, waiting, strict=True), start=1):
            try:
                outcome, new = future.result()
                kept.update(new)
            except BrokenProcessPool:
                reason = "its process was ended; the machine may be short of memory, or the strategy crashes."
                outcome = Failure(repr(strategy), reason)
            progress.report(number / len(strategies))
            yield outcome
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_given: list[tuple[Trial, dict[str, Any], Services]] = []
"""In a process that evaluates, what it was started with."""


def _begin(trial: Trial, kept: dict[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    _given[:] = [(trial, kept, trial.asked.make(Settings()))]


def _one(strategy: Strategy) -> tuple[Evaluation | Failure, dict[str, Any]]:
    trial, kept, services = _given[0]
    before = set(kept)
    with warnings_said():
        outcome = trial.of(strategy, services, kept, lambda _: None)
    return outcome, {key: kept[key] for key in kept.keys() - before}
