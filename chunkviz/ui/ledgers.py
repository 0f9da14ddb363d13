"""The cost ledger as a table, alone or beside that of a pinned setting."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.cost import Ledger, differences, ledger
from chunkviz.prices import Price
from chunkviz.ui import narrow, pins, services, session
from chunkviz.ui.amounts import written
from chunkviz.ui.text import as_plain

_NONE = "nothing"


def draw(chunking: Chunking, found: Ledger, prices: Mapping[str, Price]) -> None:
    """Draw every line of the ledger, with the difference against a pinned setting where one is chosen."""
    st.subheader("Cost ledger", anchor=False)
    other = _other(chunking, found, prices)
    changes = differences(found, other[1]) if other else ()
    rows = []
    for place, entry in enumerate(found.entries()):
        row = {"Line": f"{entry.name} (estimate)" if entry.estimate else entry.name}
        row["This setting"] = written(entry.value, entry.unit)
        if other:
            row[other[0]] = written(other[1].entries()[place].value, entry.unit)
            row["Difference"] = written(changes[place], entry.unit, signed=True)
        row["Meaning"] = entry.meaning
        rows.append(row)
    right = st.column_config.TextColumn(alignment="right", width="small")
    numbers = ["This setting", *([other[0], "Difference"] if other else [])]
    with narrow.wide("ledger"):
        st.dataframe(
            rows, hide_index=True, key="ledger", height="content",
            column_config={
                "Line": st.column_config.TextColumn(width="medium"), **dict.fromkeys(numbers, right),
                "Meaning": st.column_config.TextColumn(width="large"),
            },
            alt="Cost ledger",
        )  # fmt: skip
    narrow.draw_plain("ledger", {name: [row[name] for row in rows] for name in ("Line", *numbers)}, "Cost ledger")
    if other and other[1].encoding != found.encoding:
        st.info(
            f"{as_plain(other[0])} is counted in {other[1].encoding} and this setting in {found.encoding}: "
            "their tokens and their money cannot be subtracted.",
            icon=":material/info:",
        )


def _other(chunking: Chunking, found: Ledger, prices: Mapping[str, Price]) -> tuple[str, Ledger] | None:
    """Let a pinned setting be chosen; return its name and ledger, or None with the reason on the screen."""
    pinned = {pin.name: pin for pin in pins.all()}
    if not pinned:
        st.caption("Pin a setting in the sidebar, then change something: the difference stands here.")
        return None
    if session.get("against") not in pinned:
        session.put("against", _NONE)
    name = st.selectbox(
        "Difference against", [_NONE, *pinned], key="against", persist_state="session", width=420,
        help="A setting pinned in the sidebar, chunking the same document.",
    )  # fmt: skip
    pin = pinned.get(name or _NONE)
    other = None if pin is None else pins.chunking_of(pin, chunking.document)
    if pin is None or other is None:
        return None
    service = services.paid_model(pin.embedder, pin.writer)
    made = session.remembered(
        other, "other ledger",
        lambda: ledger(other, found.model, dimensions=found.dimensions, prices=prices, service=service),
        found.model, found.dimensions, tuple(prices.items()), service,
    )  # fmt: skip
    taken = {"Line", "This setting", "Difference", "Meaning"}
    return (f"{pin.name} (pinned)" if pin.name in taken else pin.name), made
