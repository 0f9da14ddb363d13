"""What surrounds every page: the name, and a few lines of style."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
ICON = _HERE / "icon.svg"
"""Picture in the browser's tab; a Material symbol there would be fetched from another host."""

_ask_before_leaving = st.components.v2.component("chunkviz_leaving", js=(_HERE / "leaving.js").read_text("utf-8"))


def draw() -> None:
    """Draw the logo and load the style sheet."""
    st.logo(_HERE / "logo.svg", size="large")
    st.html(_HERE / "page.css")


def ask_before_leaving() -> None:
    """Have the browser ask before the page is closed or reloaded."""
    with st.container(key="leaving", height=1, border=False):
        _ask_before_leaving(key="leaving question")
