"""What the page says while there is nothing to compare yet: how to pin, and pairs for one click."""

from __future__ import annotations

import streamlit as st

from chunkviz.embedders import EMBEDDERS
from chunkviz.strategies import FixedSize, Recursive, Semantic, Strategy
from chunkviz.tokens import DEFAULT_ENCODING
from chunkviz.ui import pins, session
from chunkviz.ui.pins import Pin

PAIRS: tuple[tuple[str, str, tuple[Strategy, Strategy]], ...] = (
    (
        "Fixed size against recursive",
        "Windows of 512 tokens, 50 of them shared, against cuts at paragraphs and sentences.",
        (FixedSize(chunk_size=512, chunk_overlap=50), Recursive(chunk_size=512)),
    ),
    (
        "Semantic against recursive",
        "Cuts where the subject changes against cuts by size, both without a model.",
        (Semantic(), Recursive(chunk_size=512)),
    ),
    (
        "Recursive 128 against 512",
        "One way of cutting, in two sizes: which boundaries of the small chunks stay?",
        (Recursive(chunk_size=128), Recursive(chunk_size=512)),
    ),
)
"""Title, what it shows, and the settings of each pair that can be pinned at once."""


def draw(settings: int) -> None:
    """Say how settings come here, and offer ready pairs; ``settings`` is how many there are, 0 or 1."""
    so_far = "One setting is" if settings else "No setting is"
    st.info(
        f"{so_far} here yet; comparing needs two. Press **Pin this setting** in the sidebar, change the strategy or a "
        "slider, and the pinned setting stands beside the new one. Up to six stay in the link.",
        icon=":material/keep:",
    )
    st.markdown("**Or begin with a pair**")
    for place, (column, (title, what, strategies)) in enumerate(zip(st.columns(len(PAIRS)), PAIRS, strict=True)):
        with column.container(border=True, height="stretch", gap="small", key=f"pair card {place}"):
            st.markdown(f"**{title}**  \n{what}")
            st.button(
                "Pin both", icon=":material/keep:", key=f"pair {place}", on_click=_pin, args=(strategies,),
                width="stretch",
            )  # fmt: skip


def _pin(strategies: tuple[Strategy, Strategy]) -> None:
    encoding = str(session.stored("encoding", DEFAULT_ENCODING))
    for strategy in strategies:
        pin = pin_of(strategy, encoding)
        if len(pins.all()) < pins.MOST and not any(pin.same_setting(each) for each in pins.all()):
            pins.add(pin)


def pin_of(strategy: Strategy, encoding: str) -> Pin:
    """Return a strategy as a pin that asks no model."""
    lexical = EMBEDDERS[0].name if "embedder" in strategy.services_needed() else None
    return pins.pin_of(strategy, encoding, lexical)
