"""Long work in a thread, with progress on the screen and a button that ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import streamlit as st

from chunkviz.errors import Cancelled
from chunkviz.ui import session

Result = TypeVar("Result")
_QUICK = 1.0
"""Seconds that work may take before a progress bar appears; most takes less."""


@dataclass
class Job(Generic[Result]):
    """One piece of work, running or done; ``work`` gets the job and reports to it."""

    key: object
    label: str
    work: Callable[[Job[Any]], Result]
    share: float = 0.0
    cancelled: bool = False
    shown: bool = False
    """Whether its progress was drawn."""
    result: Result | None = None
    error: BaseException | None = None
    _thread: threading.Thread = field(init=False, repr=False)

    def start(self) -> None:
        """Begin in a daemon thread; an unwanted job never keeps the server alive."""
        self._thread = threading.Thread(target=self._run, name=f"chunkviz {self.label}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self.work(self)
        except BaseException as error:  # noqa: BLE001  handed to whoever waits, in their own thread
            self.error = error

    def report(self, share: float) -> None:
        """Take note of the share done (0 to 1).

        Raises
        ------
        Cancelled
            When the person at the screen no longer wants the result.

        """
        self.share = share
        if self.cancelled:
            message = f"{self.label} was stopped."
            raise Cancelled(message)

    @property
    def done(self) -> bool:
        """Whether there is a result or an error."""
        return not self._thread.is_alive()

    def outcome(self) -> Result:
        """Return the result of a job that is done, or raise what the work raised; ``Cancelled`` after Stop."""
        if self.error is not None:
            raise self.error
        return self.result  # type: ignore[return-value]  # done without an error

    def wait(self, seconds: float) -> bool:
        """Return whether it is done after at most so many seconds."""
        self._thread.join(seconds)
        return self.done


def run(key: object, label: str, work: Callable[[Job[Any]], Result], *, slot: str, drawn: bool = True) -> Job[Result]:
    """Return the job that does ``work``, done or not; while it takes long, its progress is drawn here.

    ``slot`` names the place in the session: a new key in the same slot ends the job before it. The
    page runs again when the job is done. With ``drawn`` False the page calls ``draw_progress`` where it wants it.
    """
    place = f"job:{slot}"
    job: Job[Result] | None = session.get(place)
    begun = False
    if job is None or job.key != key:
        if job is not None:
            job.cancelled = True
        job = Job(key, label, work)
        session.put(place, job)
        job.start()
        begun = True
    # What is quick is done before its progress would be drawn, however soon it reports.
    if not job.wait(_QUICK if (begun or job.share == 0.0) and not job.cancelled else 0.0) and drawn:
        _draw_progress(place)
    return job


def resume(slot: str) -> Job[Any] | None:
    """Return the job in ``slot``, done or not, drawing its progress while it runs; None where there is none.

    For a page that no longer has what began the job, as after a change of page.
    """
    job: Job[Any] | None = session.get(f"job:{slot}")
    if job is not None and not job.wait(0.0):
        _draw_progress(f"job:{slot}")
    return job


def draw_progress(slot: str) -> None:
    """Draw the progress of the job in ``slot``, with its Stop; the page runs again when it is done."""
    if session.get(f"job:{slot}") is not None:
        _draw_progress(f"job:{slot}")


def holds(key: object, slot: str) -> bool:
    """Return whether the job in ``slot``, done or not, is the one of this key."""
    job: Job[Any] | None = session.get(f"job:{slot}")
    return job is not None and job.key == key


def is_running(slot: str) -> bool:
    """Return whether a job in ``slot`` is not done yet."""
    job: Job[Any] | None = session.get(f"job:{slot}")
    return job is not None and not job.done


def share_of(slot: str) -> float:
    """Return the share done (0 to 1) of the job in ``slot``; 0 where there is none."""
    job: Job[Any] | None = session.get(f"job:{slot}")
    return 0.0 if job is None else min(job.share, 1.0)


@st.fragment(run_every=0.4)
def _draw_progress(place: str) -> None:
    job: Job[Any] | None = session.get(place)
    if job is None:
        return  # forgotten, and the browser asked once more how far it is
    if job.wait(0.0) and job.shown:
        st.rerun()
    # Not in the run that draws it first: a page that runs again before the browser has sent anything forgets its link.
    job.shown = True
    with st.container(border=True):
        st.progress(min(job.share, 1.0), text=f"{job.label}…")
        if st.button("Stop", icon=":material/stop_circle:", key=f"{place}:stop", disabled=job.cancelled):
            job.cancelled = True


def forget(slot: str) -> None:
    """End the job in ``slot``, if there is one, and forget its result."""
    job = session.drop(f"job:{slot}")
    if job is not None:
        job.cancelled = True


def move(slot: str, to: str) -> None:
    """Give the job in ``slot``, if there is one, another slot, where it goes on."""
    job = session.drop(f"job:{slot}")
    if job is not None:
        session.put(f"job:{to}", job)
