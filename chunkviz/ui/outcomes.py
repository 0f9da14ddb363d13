"""What comes of a setting: a chunking, or why there is none yet, to be drawn wherever a page wants it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.services import Services
from chunkviz.strategies import Strategy
from chunkviz.ui import compute, jobs
from chunkviz.ui.consent import ConsentNeeded, ask
from chunkviz.ui.text import as_plain


@dataclass(frozen=True, slots=True)
class Running:
    """It is being made."""

    share: float
    """Of the work that is done, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Its turn has not come."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Somebody stopped it."""


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot be made."""

    reason: str
    """One sentence; not escaped."""


Pending: TypeAlias = Running | Waiting | Stopped | Failed | ConsentNeeded
"""Why there is no chunking."""
Outcome: TypeAlias = Chunking | Pending


def outcome_of(
    document: Document, make: Callable[[], tuple[Strategy, Services]], *, slot: str, start: bool = True
) -> Outcome:
    """Return the chunking, or why there is none; what failed stays failed until its ``slot`` is forgotten.

    ``make`` may raise. With ``start`` False nothing new is begun: what is not there yet is waiting.
    """
    try:
        strategy, services = make()
        if not start and not compute.is_begun(document, strategy, services, slot=slot):
            return Waiting()
        chunking = compute.chunking_of(document, strategy, services, slot=slot, drawn=False)
    except Cancelled:
        return Stopped()
    except ConsentNeeded as question:
        return question
    except ChunkvizError as error:
        return Failed(str(error))
    except Exception as error:  # noqa: BLE001  strategies of others raise anything; the other settings go on
        return Failed(f"{type(error).__name__}: {error}")
    return Running(jobs.share_of(slot)) if chunking is None else chunking


def said(outcome: Pending) -> str:
    """Return the outcome in words, for a cell of a table."""
    match outcome:
        case Running():
            return f"chunking, {min(outcome.share, 0.99):.0%} done"
        case Waiting():
            return "waits for its turn"
        case Stopped():
            return "stopped"
        case Failed():
            return " ".join(outcome.reason.split())
        case ConsentNeeded():
            calls = outcome.estimate.calls
            return f"asks before it sends {calls:,} request{'' if calls == 1 else 's'} to {outcome.service}"
        case _ as never:
            assert_never(never)


def draw(outcome: Pending, name: str, *, slot: str) -> None:
    """Draw why a setting has no chunking, with what can be done about it."""
    shown = as_plain(name)
    match outcome:
        case Running():
            jobs.draw_progress(slot)
        case Waiting():
            st.caption(f"{shown} waits for its turn.")
        case Stopped():
            st.info(f"{shown} was stopped.", icon=":material/info:")
            st.button("Chunk again", icon=":material/refresh:", key=f"again {slot}", on_click=jobs.forget, args=(slot,))
        case ConsentNeeded():
            st.caption(f"**{shown}** asks first:")
            ask(outcome, slot=slot)
        case Failed():
            st.error(f"{shown}: {as_plain(outcome.reason)}", icon=":material/error:")
        case _ as never:
            assert_never(never)
