"""What surrounds every page: the name, and a few lines of style."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_HERE = Path(__file__).parent
ICON = _HERE / "icon.svg"
"""Picture in the browser's tab; a Material symbol there would be fetched from another host."""

_ask_before_leaving = st.components.v2.component("chunkviz_leaving", js=(_HERE / "leaving.js").read_text("utf-8"))


_PAGES = (
    ("explore", "Explore", ":material/segment:"),
    ("tune", "Tune", ":material/tune:"),
    ("hierarchy", "Hierarchy", ":material/account_tree:"),
    ("compare", "Compare", ":material/compare_arrows:"),
    ("retrieve", "Retrieve", ":material/search:"),
    ("measure", "Measure", ":material/rule:"),
    ("cost", "Tokens & cost", ":material/payments:"),
    ("present", "Present", ":material/slideshow:"),
    ("guide", "Guide", ":material/menu_book:"),
)
"""File, title and icon of each page; the first is the one the app opens on."""
_navigation = threading.Event()


def pages() -> list[StreamlitPage]:
    """Return the pages of the app, in order; ``app.py`` navigates among them."""
    _navigation.set()
    return [
        st.Page(f"pages/{name}.py", title=title, icon=icon, default=place == 0)
        for place, (name, title, icon) in enumerate(_PAGES)
    ]


def draw() -> None:
    """Draw the logo and load the style sheet."""
    if not _navigation.is_set():
        # Until somebody navigates, Streamlit runs a file of pages/ by itself when its address is opened, without
        # app.py around it. One navigation is enough to end that.
        # The icon first: without one, the browser would fetch that of the page from another host.
        st.set_page_config(page_title="chunkviz", page_icon=ICON, layout="wide")
        st.navigation(pages(), position="hidden")
        st.rerun()
    st.logo(_HERE / "logo.svg", size="large")
    st.html(_HERE / "page.css")


def ask_before_leaving() -> None:
    """Have the browser ask before the page is closed or reloaded."""
    with st.container(key="leaving", height=1, border=False):
        _ask_before_leaving(key="leaving question")
