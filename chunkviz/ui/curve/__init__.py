"""The similarity curve with a threshold line that can be dragged, linked with the viewer.

The boundaries follow in the browser while the line moves, by the same rule as the core's
(``rule.js``), and the value is handed to Python when the line is let go. As with the viewer, one
instance holds what is heavy and another hands it what changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.services import Services
from chunkviz.ui import session
from chunkviz.ui.charts import figure_script, figure_style
from chunkviz.ui.curve.payload import curve_message, movable, state_message
from chunkviz.ui.viewer.source import relay_script, viewer_parts

__all__ = ["draw_curve"]

_HERE = Path(__file__).parent
_SCRIPTS = ("rule.js", "picture.js", "save.js", "curve.js")


def _read(*names: str) -> str:
    return "\n".join((_HERE / name).read_text("utf-8") for name in names)


_stage = st.components.v2.component(
    "chunkviz_curve",
    css=f"{_read('curve.css')}\n{figure_style()}",
    js=f"{viewer_parts('text.js', 'model.js', 'palette.js', 'stage.js')}\n{figure_script()}\n{_read(*_SCRIPTS)}",
)
_relay = st.components.v2.component("chunkviz_curve_relay", js=relay_script())


def draw_curve(
    chunking: Chunking,
    services: Services,
    *,
    key: str,
    viewer: str,
    setting: str = "",
    selected: int | None = None,
    on_threshold: Callable[[float], None] | None = None,
) -> None:
    """Draw the curve of a chunking that has one.

    Parameters
    ----------
    chunking, services
        What to draw, and the services it was made with.
    key
        Names this curve on the page.
    viewer
        Key of the viewer that follows the line and is gone to by a click.
    setting
        The threshold in the terms of its mode, for people.
    selected
        The chunk whose stretch is shaded.
    on_threshold
        Called with the value of the line, before the page runs again, when the line was let go.

    """
    curve = chunking.evidence.curve
    if curve is None:
        return

    def take() -> None:
        given: Any = (session.get(key) or {}).get("threshold")
        if on_threshold is not None and isinstance(given, Mapping) and given.get("document") == chunking.document.id:
            on_threshold(float(given["value"]))

    given = movable(chunking, services)
    with st.container(gap=None):
        _stage(
            key=key,
            data=curve_message(curve, given, viewer=key, document=chunking.document.id, target=viewer),
            on_threshold_change=take,
        )
        _relay(
            key=f"{key}:state",
            data=state_message(chunking, viewer=key, setting=setting, selected=selected),
        )
