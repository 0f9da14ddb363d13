"""Charts as every page draws them, each with two buttons that save it as SVG or PNG, as it looks.

Plotly's own button knows one format and would be a toolbar over the picture; the browser serialises what is
on the screen instead, so a file needs no server, no network and no second rendering.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

# Loaded whole before any figure is built: Streamlit loads it for the first table, and plotly, which looks whether it
# is there, fails on half of it when somebody else's page builds a figure at that moment.
import pandas  # noqa: F401, ICN001
import streamlit as st

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["draw_chart", "figure_script", "figure_style"]

_HERE = Path(__file__).parent
_STILL = {"displayModeBar": False, "scrollZoom": False}
_LONGEST_NAME = 60


def figure_script() -> str:
    """Return the functions that make files of figures, for another component or a page that stands alone."""
    return (_HERE / "files.js").read_text("utf-8")


def figure_style() -> str:
    """Return the style sheet of the two buttons."""
    return (_HERE / "buttons.css").read_text("utf-8")


_buttons = st.components.v2.component(
    "chunkviz_figure_files",
    css=figure_style(),
    js=f"{figure_script()}\n{(_HERE / 'buttons.js').read_text('utf-8')}",
)


def draw_chart(
    figure: go.Figure,
    *,
    key: str,
    alt: str,
    on_select: Callable[[], None] | Literal["rerun", "ignore"] = "ignore",
) -> None:
    """Draw a figure; ``alt`` tells people who cannot see it what it shows, and names the file.

    A click on a point is found in the session under ``key`` where ``on_select`` is given.
    """
    with st.container(gap=None, key=f"chart {key}"):
        if on_select == "ignore":
            st.plotly_chart(figure, key=key, config=_STILL, alt=alt)
        else:
            st.plotly_chart(
                figure, key=key, on_select=on_select, selection_mode="points", config=_STILL, alt=alt
            )  # fmt: skip
        _buttons(key=f"{key}:files", data={"file": file_name(alt), "figure": alt})


def file_name(words: str) -> str:
    """Return words as the name of a file without its ending: "Tokens of each chunk" is tokens-of-each-chunk."""
    name = "-".join(re.findall(r"[a-z0-9]+", words.lower()))
    return name[:_LONGEST_NAME].strip("-") or "figure"
