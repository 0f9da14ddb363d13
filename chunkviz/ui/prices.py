"""The table of prices: list prices to begin with, edited for this session."""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunkviz.models import EMBEDDING_MODELS
from chunkviz.prices import PRICES, Price
from chunkviz.ui import session
from chunkviz.ui.text import as_plain

_IN, _OUT = "Dollars in", "Dollars out"
_LIST, _YOURS, _UNKNOWN = "list price", "yours", "not known"
NAMES = (
    *(model.name for model in EMBEDDING_MODELS),
    *(name for name in PRICES if name not in {model.name for model in EMBEDDING_MODELS}),
)
"""The models in the table, embedding models first."""


def in_force() -> dict[str, Price]:
    """Return the price of each model that has one: the person's own before the list price."""
    return {**PRICES, **_own()}


def source_of(model: str) -> str:
    """Say where the price of a model comes from, for a tooltip."""
    price = in_force().get(model)
    if price is None:
        return f"No price of {as_plain(model)} is known here; enter yours in the table of prices below."
    whose = "your price" if model in _own() else "list price"
    return f"Tokens to embed at ${price.tokens_in:g} per million, {whose}. Counted here; not a bill."


def draw() -> None:
    """Draw the table, and the button that brings the list prices back."""
    own = _own()
    name = f"Prices per million tokens ({len(own)} of them yours)" if own else "Prices per million tokens"
    with st.expander(name, icon=":material/sell:", key="prices"):
        rows = []
        for model in NAMES:
            price = in_force().get(model)
            whose = _YOURS if model in own else _LIST if price else _UNKNOWN
            tokens_in, tokens_out = (None, None) if price is None else (price.tokens_in, price.tokens_out or None)
            rows.append({"Model": model, _IN: tokens_in, _OUT: tokens_out, "From": whose})
        serial = session.get("prices serial", 0)
        dollars = st.column_config.NumberColumn(min_value=0, format="$%g")
        st.data_editor(
            rows, hide_index=True, key=f"prices {serial}", disabled=["Model", "From"], height="content",
            column_config={_IN: dollars, _OUT: dollars}, on_change=_take, args=(f"prices {serial}",),
            alt="Prices in US dollars per million tokens", placeholder="–",
        )  # fmt: skip
        st.caption(
            "List prices as of November 2026; they change, and agreements differ. Click a price to enter yours: it "
            "counts on this page, in this session."
        )
        if own:
            st.button("Back to the list prices", icon=":material/undo:", key="list prices", on_click=_reset)


def taken(own: dict[str, Price], edited: dict[int, dict[str, Any]]) -> dict[str, Price]:
    """Return the own prices after edits of rows of ``NAMES``; what is cleared or equals the list is the list's."""
    after = dict(own)
    for place, change in edited.items():
        model = NAMES[int(place)]
        before = after.pop(model, None) or PRICES.get(model, Price(0.0))
        price = Price(
            float(change.get(_IN, before.tokens_in) or 0.0), float(change.get(_OUT, before.tokens_out) or 0.0)
        )
        cleared = _IN in change and change[_IN] is None
        if not cleared and price != PRICES.get(model):
            after[model] = price
    return after


def _take(editor: str) -> None:
    _hold(taken(_own(), session.get(editor, {}).get("edited_rows", {})))


def _reset() -> None:
    _hold({})


def _hold(own: dict[str, Price]) -> None:
    session.put("own prices", own)
    session.put("prices serial", session.get("prices serial", 0) + 1)  # a fresh table, which shows whose each price is


def _own() -> dict[str, Price]:
    held: dict[str, Price] = session.get("own prices", {})
    return held
