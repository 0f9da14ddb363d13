"""What the Tokens & cost page draws: numbers, the text a model never reads, and the cost ledger."""

from __future__ import annotations

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.cost import Ledger, differences, ledger, never_read
from chunkviz.models import EMBEDDING_LIMITS
from chunkviz.prices import PRICES
from chunkviz.ui import pins
from chunkviz.ui.viewer import draw_viewer

_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
"""Numbers in a vector, from the models' documentation pages."""


def draw(chunking: Chunking) -> None:
    """Draw the page for one chunking."""
    limit_of = st.selectbox(
        "Limit of the embedding model", ["none", *EMBEDDING_LIMITS], key="model", bind="query-params"
    )
    priced = st.selectbox("Price and dimension of", list(_DIMENSIONS), key="priced model", persist_state="session")
    found = ledger(chunking, priced, dimensions=_DIMENSIONS[priced], prices=PRICES)
    with st.container(horizontal=True, gap="small", key="numbers"):
        st.metric("Texts", f"{found.texts:,}")
        st.metric("Tokens to embed", f"{found.tokens:,}")
        st.metric("Duplication", f"×{found.duplication:.2f}")
        st.metric("Vectors (estimate)", f"{(found.bytes or 0) / 1e6:,.2f} MB")
        st.metric("Money (estimate)", "–" if found.dollars is None else f"${found.dollars:,.6f}")
    limit = EMBEDDING_LIMITS.get(limit_of or "")
    lost = never_read(chunking, limit) if limit else ()
    if limit:
        characters = sum(span.end - span.start for span in lost)
        st.caption(
            f"**{characters:,} characters in {len(lost):,} places are never seen by the model**, struck through below. "
            "An estimate where the model's own tokens differ from those counted here."
        )
    draw_viewer(chunking, key="cost viewer", unseen=lost)
    _draw_ledger(chunking, found)


def _draw_ledger(chunking: Chunking, found: Ledger) -> None:
    st.subheader("Cost ledger", anchor=False)
    names = [pin.name for pin in pins.all()]
    chosen = st.selectbox("Difference against", ["none", *names], key="against", persist_state="session")
    pin = next((each for each in pins.all() if each.name == chosen), None)
    other = None if pin is None else pins.chunking_of(pin, chunking.document)
    rows = [
        {
            "": entry.name + (" (estimate)" if entry.estimate else ""),
            "This setting": entry.value,
            "Meaning": entry.meaning,
        }
        for entry in found.entries()
    ]
    if other is not None:
        theirs = ledger(other, found.model, dimensions=found.dimensions, prices=PRICES)
        for row, difference in zip(rows, differences(found, theirs), strict=True):
            row["Difference"] = difference
    st.dataframe(rows, hide_index=True)
    st.caption("List prices as of November 2026; they change, and agreements differ.")
