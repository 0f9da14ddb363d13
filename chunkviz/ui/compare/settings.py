"""Which settings stand side by side: pins, own chunks, and the one in the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.services import Services
from chunkviz.strategies import Strategy
from chunkviz.ui import jobs, outcomes, own_chunks, pins, services, session, sidebar
from chunkviz.ui.outcomes import Failed, Outcome, Pending, Running
from chunkviz.ui.viewer.lanes import LANE_LETTERS

Kind: TypeAlias = Literal["pinned", "own chunks", "in the sidebar"]
MOST = pins.MOST
"""Settings side by side."""
IN_SIDEBAR = "this setting"
"""Name of the setting in the sidebar where it is not pinned."""
_SLOT = "chunking"
"""Of the sidebar's job, as on every page."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One setting of the comparison."""

    name: str
    """No other has it."""
    kind: Kind
    strategy: str
    """What people call the strategy, with its sizes."""
    outcome: Outcome
    slot: str
    """Of the job that makes its chunks; "" for own chunks."""
    paid: str | None = None
    """The one paid model that is asked while chunking; None for none or two."""
    letter: str = ""
    """What its lane and its strip are called; "" while it has no chunks, and so neither of them."""

    @property
    def chunking(self) -> Chunking | None:
        """The chunking, where there is one."""
        return self.outcome if isinstance(self.outcome, Chunking) else None

    @property
    def label(self) -> str:
        """The name behind the letter."""
        return f"{self.letter} {self.name}".strip()

    @property
    def pending(self) -> Pending | None:
        """Why there is no chunking, where there is none."""
        return None if isinstance(self.outcome, Chunking) else self.outcome


def compared(document: Document, setting: sidebar.Setting) -> tuple[tuple[Compared, ...], tuple[str, ...]]:
    """Return the settings side by side, and the names of those that had no place any more.

    One that takes long is made at a time, for all of them wait for the same processor; the others wait for their turn.
    """
    found, left_out = _side_by_side(document, setting)
    letters = iter(LANE_LETTERS)
    return tuple(replace(each, letter=next(letters)) if each.chunking is not None else each for each in found), tuple(
        left_out
    )


def _side_by_side(document: Document, setting: sidebar.Setting) -> tuple[list[Compared], list[str]]:
    found: list[Compared] = []
    left_out: list[str] = []
    free = True
    for pin in pins.all():
        outcome = pins.outcome_of(pin, document, start=free)
        free = free and not isinstance(outcome, Running)
        paid = services.paid_model(pin.embedder, pin.writer)
        name = str(pin.config.get("strategy"))
        found.append(Compared(pin.name, "pinned", name, outcome, pins.slot_of(pin), paid))
    for own in own_chunks.all(document):
        name = _unique(own.name, found)
        if len(found) >= MOST:  # pinned since they were brought
            left_out.append(name)
            continue
        found.append(Compared(name, "own chunks", f"chunks of {own.file}", own.chunking, ""))
    if _is_pinned(setting):
        return found, left_out
    if len(found) >= MOST:
        return found, [*left_out, IN_SIDEBAR]
    found.append(_of_sidebar(document, setting, _unique(IN_SIDEBAR, found), start=free))
    return found, left_out


def _is_pinned(setting: sidebar.Setting) -> bool:
    if setting.strategy is None or setting.services is None:
        return False
    encoding = setting.services.tokenizer.name
    pin = pins.pin_of(setting.strategy, encoding, *services.names_in_use(setting.strategy))
    return any(pin.same_setting(each) for each in pins.all())


def _of_sidebar(document: Document, setting: sidebar.Setting, name: str, *, start: bool) -> Compared:
    strategy, asked = setting.strategy, setting.services
    if strategy is None or asked is None:
        refused = str(session.get("refused") or "the setting in the sidebar cannot be")
        return Compared(name, "in the sidebar", str(session.get("strategy")), Failed(refused), _SLOT)

    def make() -> tuple[Strategy, Services]:
        return strategy, asked

    outcome = outcomes.outcome_of(document, make, slot=_SLOT, start=start)
    paid = services.paid_model(*services.names_in_use(strategy))
    return Compared(name, "in the sidebar", strategy.name, outcome, _SLOT, paid)


def draw_pending(found: Sequence[Compared]) -> None:
    """Draw what becomes of each setting that has no chunks, with what can be done about it."""
    for each in found:
        if each.pending is None or isinstance(each.pending, outcomes.Waiting):
            continue
        if not isinstance(each.pending, outcomes.Failed):
            outcomes.draw(each.pending, each.name, slot=each.slot)
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            outcomes.draw(each.pending, each.name, slot=each.slot)
            st.button(
                "Try again", icon=":material/refresh:", key=f"try {each.name}", on_click=jobs.forget, args=(each.slot,)
            )


def about(each: Compared) -> str:
    """Return the strategy with its sizes, or the file of own chunks, for a table."""
    chunking = each.chunking
    if chunking is None or each.kind == "own chunks":
        return each.strategy
    try:
        return pins.automatic_name(chunking.strategy)
    except ChunkvizError:
        return each.strategy


def _unique(name: str, found: list[Compared]) -> str:
    taken = {each.name for each in found}
    number, unique = 1, name
    while unique in taken:
        number += 1
        unique = f"{name} ({number})"
    return unique
