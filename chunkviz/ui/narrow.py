"""Tables that a telephone can show as well: the wide one where there is room, and a plain one where there is not.

A grid that scrolls sideways hides on a telephone what it is there for. Which of the two is seen is decided by the
style sheet of the page, since the server does not know how wide the window is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkviz.ui.text import as_plain

_MOST_HEIGHT = 420
"""Pixels that a long plain table takes before it scrolls."""
_MANY_ROWS = 24


def wide(name: str) -> DeltaGenerator:
    """Return a container that is seen where the window is wider than a telephone's."""
    return st.container(key=f"wide {name}")


def draw_plain(name: str, columns: Mapping[str, Sequence[object]], label: str) -> None:
    """Draw a table of texts that is seen on a telephone only, for what :func:`wide` holds elsewhere.

    ``columns`` holds a list of cells per heading, all of one length; texts are shown as they are.
    ``label`` is what a screen reader calls the table.
    """
    rows = max(map(len, columns.values()), default=0)
    plain = {as_plain(heading) or " ": [as_plain(str(cell)) for cell in cells] for heading, cells in columns.items()}
    with st.container(key=f"narrow {name}"):
        st.table(
            plain, border="horizontal", hide_index=True, alt=label,
            height=_MOST_HEIGHT if rows > _MANY_ROWS else "content",
        )  # fmt: skip
