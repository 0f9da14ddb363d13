"""What the page measures of settings, worked out once in a job and kept as long as it may be asked again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import streamlit as st

from chunkviz.agreement import Agreement, AgreementUnit, WindowErrors, agreement, window_errors
from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.lint import Lint, lint
from chunkviz.metrics import Numbers, numbers
from chunkviz.ui import jobs, session

_KEPT = 240
"""Results remembered per visitor: those of six settings, their pairs, and what was looked at before."""


Report: TypeAlias = Callable[[float], None]
"""Takes the share done, 0 to 1; raises ``Cancelled`` where the result is no longer wanted."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to work out about one or two chunkings."""

    kind: str
    of: tuple[Chunking, ...]
    work: Callable[[Report], Any]
    """Is given whom to tell the share done; what that raises ends it."""
    facts: tuple[Hashable, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What the result follows from."""
        return (self.kind, *map(id, self.of), *self.facts)


@dataclass(frozen=True, slots=True)
class Pair:
    """How far a setting agrees with the reference, which is the first of both."""

    agreement: Agreement
    windows: WindowErrors | None
    """None for a document of less than two units."""


def numbers_of(chunking: Chunking) -> Task:
    """Return the task of measuring sizes and boundaries; gives ``Numbers``."""
    return Task("numbers", (chunking,), lambda _: numbers(chunking))


def lint_of(chunking: Chunking) -> Task:
    """Return the task of looking for objections; gives ``Lint``."""
    return Task("lint", (chunking,), lambda report: lint(chunking, report=report))


def pair_of(a: Chunking, b: Chunking, *, tolerance: int, unit: AgreementUnit) -> Task:
    """Return the task of holding b against the reference a; gives a ``Pair``."""

    def work(_: Report) -> Pair:
        return Pair(agreement(a, b, tolerance=tolerance), window_errors(a, b, unit=unit))

    return Task("pair", (a, b), work, (tolerance, unit))


def f1_of(a: Chunking, b: Chunking, *, tolerance: int) -> Task:
    """Return the task of holding two settings against each other, neither being the reference; gives F1 or None."""
    return Task("f1", (a, b), lambda _: agreement(a, b, tolerance=tolerance).f1, (tolerance,))


def work_out(tasks: Iterable[Task], *, slot: str, label: str) -> bool:
    """Work out what is not known yet; return whether all is, else draw the progress or what stopped it.

    What is done stays, whatever becomes of the rest; after Stop, a button goes on.
    """
    missing = [task for task in tasks if not is_known(task)]
    if not missing:
        return True
    kept = _memory()
    asked = tuple(task.key for task in missing)
    stopped = f"stopped {slot}"
    if session.get(stopped) != asked:
        job = jobs.run((slot, asked), label, lambda job: _work(job, missing, kept), slot=slot)
        if not job.done:
            return False
        jobs.forget(slot)
        try:
            job.outcome()
        except Cancelled:
            # What is left now is less than was asked for.
            session.put(stopped, tuple(task.key for task in missing if not is_known(task)))
        else:
            return True
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{label} was stopped. What is done is kept.", width="content")
        st.button(
            "Go on", icon=":material/resume:", key=f"go on {slot}", type="tertiary", on_click=session.drop,
            args=(stopped,),
        )  # fmt: skip
    return False


def _work(job: jobs.Job[None], tasks: Sequence[Task], kept: OrderedDict[Any, tuple[tuple[Chunking, ...], Any]]) -> None:
    for done, task in enumerate(tasks):
        # The chunkings are held with the result, so that no other ever has their identity.
        kept[task.key] = (task.of, task.work(partial(_report, job, done, len(tasks))))
        job.report((done + 1) / len(tasks))


def _report(job: jobs.Job[None], done: int, of: int, share: float) -> None:
    """Report the share of one task as that of all."""
    job.report((done + share) / of)


def is_known(task: Task) -> bool:
    """Return whether a task is done."""
    return task.key in _memory()


def known(task: Task) -> Any:
    """Return the result of a task, or None where it is not done."""
    held = _memory().get(task.key)
    return None if held is None else held[1]


def known_numbers(chunking: Chunking) -> Numbers | None:
    """Return sizes and boundaries, once they are measured."""
    found: Numbers | None = known(numbers_of(chunking))
    return found


def known_lint(chunking: Chunking) -> Lint | None:
    """Return the objections, once they are looked for."""
    found: Lint | None = known(lint_of(chunking))
    return found


def known_pair(a: Chunking, b: Chunking, *, tolerance: int, unit: AgreementUnit) -> Pair | None:
    """Return how far b agrees with the reference a, once it is measured."""
    found: Pair | None = known(pair_of(a, b, tolerance=tolerance, unit=unit))
    return found


def _memory() -> OrderedDict[Any, tuple[tuple[Chunking, ...], Any]]:
    memory: OrderedDict[Any, tuple[tuple[Chunking, ...], Any]] = session.keep("compare measured", OrderedDict)
    while len(memory) > _KEPT:
        memory.popitem(last=False)
    return memory
