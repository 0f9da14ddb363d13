"""Which settings the question is put to: the sidebar's, pinned ones, own chunks; those of the Compare page."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.ui import own_chunks, pins, session, sidebar
from chunkviz.ui.compare.settings import compared, draw_pending
from chunkviz.ui.text import as_plain

_OWN = "search"
"""Slot of the sidebar's setting."""
_SHOWN = "retrieve shown"


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """One setting that the question is put to."""

    name: str
    chunking: Chunking = field(repr=False)
    slot: str
    """Its own place for jobs and widgets."""


def choose_searched(chunking: Chunking) -> tuple[Searched, ...]:
    """Return the sidebar's setting, and, where that is wished, pinned ones and own chunks as far as they are there."""
    here = Searched("This setting", chunking, _OWN)
    kinds = [
        *(["pinned settings"] if pins.all() else []),
        *(["your own chunks"] if own_chunks.all(chunking.document) else []),
    ]
    label = f"Search {' and '.join(kinds)}, too"
    if not kinds or not st.toggle(label, key="search pins", persist_state="session"):
        return (here,)
    setting: sidebar.Setting = session.get("setting")
    found, _ = compared(chunking.document, setting)
    pinned = next((each.name for each in found if each.chunking is chunking), here.name)
    others = [each for each in found if each.kind != "in the sidebar" and each.chunking is not chunking]
    draw_pending(others)
    for sentence in own_chunks.shortfalls(chunking.document):
        st.warning(as_plain(sentence), icon=":material/search_off:")
    return (
        Searched(pinned, chunking, _OWN),
        *(
            Searched(each.name, each.chunking, f"search {each.name}")
            for each in others
            if each.chunking is not None and len(each.chunking)
        ),
    )


def choose_shown(settings: tuple[Searched, ...]) -> Searched:
    """Draw which setting is shown in the document, where there are several; return it."""
    names = [each.name for each in settings]
    if session.get(_SHOWN) not in names:
        session.put(_SHOWN, names[0])
    if len(settings) == 1:
        return settings[0]
    chosen = st.selectbox(
        "Shown in the document", names, key=_SHOWN, persist_state="session", width=420,
        help="The numbers, the document and what a model would receive are of this setting.",
    )  # fmt: skip
    return settings[names.index(chosen)]
