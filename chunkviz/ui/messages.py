"""What a page says when something cannot be done, or was stopped."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunkviz.ui import jobs
from chunkviz.ui.text import as_plain


def draw_error(reason: Exception | str) -> None:
    """Say what is wrong; the words are shown as they are, whatever they quote."""
    st.error(as_plain(str(reason)), icon=":material/error:")


def draw_stopped(words: str, again: str, slot: str, *, forget: Callable[[str], None] = jobs.forget) -> None:
    """Say that the work of a slot was stopped, in Markdown, with a button ``again`` that has it begin anew."""
    st.info(words, icon=":material/info:")
    st.button(again, icon=":material/refresh:", key=f"{slot} again", on_click=forget, args=(slot,))
