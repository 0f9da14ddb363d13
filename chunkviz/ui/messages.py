"""What a page says when something cannot be done."""

from __future__ import annotations

import streamlit as st

from chunkviz.ui.text import as_plain


def draw_error(reason: Exception | str) -> None:
    """Say what is wrong; the words are shown as they are, whatever they quote."""
    st.error(as_plain(str(reason)), icon=":material/error:")
