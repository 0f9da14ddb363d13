"""What surrounds every page: the name, and a few lines of style."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent


def draw() -> None:
    """Draw the logo and load the style sheet."""
    st.logo(_HERE / "logo.svg", size="large")
    st.html(_HERE / "page.css")
