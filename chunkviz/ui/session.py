"""What one visitor has open: the only reader of the session's state, the address and the caches."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from chunkviz.document import Document
from chunkviz.samples import load_sample
from chunkviz.settings import PREFIX, Settings

Kept = TypeVar("Kept")
DETECTED = "detected language"
"""Where the language of the document is not chosen."""


@st.cache_resource(max_entries=32, show_spinner=False)
def sample_document(identifier: str) -> Document:
    """Return a bundled document; all visitors share it."""
    return load_sample(identifier)


def in_language(document: Document, language: str | None) -> Document:
    """Return the document with its language as chosen; the same object each time, so that nothing is counted twice."""
    if language == document.language:
        return document
    return document.derive(("in language", language), lambda: replace(document, language=language))


@st.cache_resource(show_spinner=False)
def settings() -> Settings:
    """Return the settings of this installation; Streamlit's secrets come before the environment."""
    try:
        secrets = {name.lower().removeprefix(PREFIX.lower()): value for name, value in st.secrets.to_dict().items()}
    except FileNotFoundError:  # there are none, which is usual
        secrets = {}
    return Settings(**{name: value for name, value in secrets.items() if name in Settings.model_fields})


def get(name: str, default: Any = None) -> Any:
    """Return a value of the session."""
    return st.session_state.get(name, default)


def put(name: str, value: Any) -> None:
    """Set a value of the session; a widget's value must be set before the widget is drawn."""
    st.session_state[name] = value


def drop(name: str) -> Any:
    """Remove a value from the session and return it, or None."""
    return st.session_state.pop(name, None)


def keep(name: str, make: Callable[[], Kept]) -> Kept:
    """Return a value of the session, made on first use."""
    if name not in st.session_state:
        st.session_state[name] = make()
    kept: Kept = st.session_state[name]
    return kept


def remembered(of: object, name: str, make: Callable[[], Kept], *facts: Hashable) -> Kept:
    """Return what follows from a value on the screen and ``facts``, worked out once as long as they stay."""
    place = f"remembered {name}"
    held: tuple[object, tuple[Hashable, ...], Kept] | None = st.session_state.get(place)
    if held is None or held[0] is not of or held[1] != facts:
        held = (of, facts, make())
        st.session_state[place] = held
    return held[2]


def is_dark() -> bool:
    """Return whether the page is drawn in the dark theme."""
    return st.context.theme.type == "dark"


def stored(widget: str, default: Any) -> Any:
    """Return what a widget bound to the address holds, or will hold once it is drawn."""
    value = st.session_state.get(widget)
    if value is None:
        value = st.query_params.get(widget)
    return default if value is None else value


def in_address(name: str) -> str | None:
    """Return what the address holds under a name that is no widget's."""
    value: str | None = st.query_params.get(name)
    return value


def put_in_address(name: str, value: str) -> None:
    """Write a value that is no widget's into the address; "" takes it out."""
    if (st.query_params.get(name) or "") == value:
        return
    if value:
        st.query_params[name] = value
    else:
        del st.query_params[name]


def link() -> dict[str, str]:
    """Return what the address asked for when the session began; after its first run, nothing."""
    if "link" in st.session_state:
        return {}
    st.session_state["link"] = True
    return _settings_in_address()


def hold_link() -> None:
    """At the end of the first run, keep what the address still holds, for ``keep_link``."""
    keep("held link", _settings_in_address)


def keep_link() -> None:
    """Before the widgets are drawn, put back what a change of page straight after the first run drops.

    Streamlit carries a widget's value to another page only once the browser has sent something; before
    that, a value that came with the address is gone with it.
    """
    for name, value in st.session_state.get("held link", {}).items():
        if name in st.session_state and name not in st.query_params:
            # A parameter still bound to its widget is Streamlit's to write: it left it out because it is the default.
            with suppress(StreamlitAPIException):
                st.query_params[name] = value
                st.session_state[name] = st.session_state[name]
    if "held link" in st.session_state:
        st.session_state["held link"] = {}


def _settings_in_address() -> dict[str, str]:
    return {name: value for name, value in st.query_params.to_dict().items() if not name.startswith("embed")}
