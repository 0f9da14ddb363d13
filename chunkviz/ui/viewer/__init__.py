"""The document viewer: the text with every chunk in place, its chunk table and its detail drawer.

Three component instances stand for one viewer. The first holds the text and draws everything; its
element does not change at a slider step, so Streamlit sends a reference instead of the text. The
two others draw nothing and hand the boundaries and the selection to the first. The heavy script
belongs to the first for the same reason: a component's script travels with its element.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from chunkviz.ui import session
from chunkviz.ui.viewer.layers import findings_message, lanes_message
from chunkviz.ui.viewer.payload import (
    boundaries_message,
    document_message,
    facts_of,
    fingerprint,
    pointer_message,
)
from chunkviz.ui.viewer.pointer import Pointer, marked_span, move_pointer
from chunkviz.ui.viewer.source import relay_script, viewer_script, viewer_style

if TYPE_CHECKING:
    from chunkviz.chunk import Chunking
    from chunkviz.lint import Finding
    from chunkviz.span import Span
    from chunkviz.ui.viewer.heat import Heat
    from chunkviz.ui.viewer.lanes import Lane

__all__ = ["ViewerState", "draw_viewer"]

_stage = st.components.v2.component("chunkviz_viewer", css=viewer_style(), js=viewer_script())
_relay = st.components.v2.component("chunkviz_viewer_relay", js=relay_script())


@dataclass(frozen=True, slots=True)
class ViewerState:
    """What the person has chosen in the viewer."""

    selected: int | None
    """Index of the selected chunk in the chunking just drawn, or None."""
    anchor: int | None = None
    """Character offset the selection holds on to when boundaries move, or None."""
    marked_text: Span | None = None
    """The text selected last with mouse, finger or keys, where that is asked for; its ends without white space."""


def draw_viewer(
    chunking: Chunking,
    *,
    key: str,
    selected: int | None = None,
    marked: Collection[int] = (),
    focus: Span | None = None,
    focus_serial: int = 0,
    height: int = 640,
    highlights: bool = True,
    unseen: Sequence[Span] = (),
    heat: Heat | None = None,
    marking: bool = False,
    lanes: Sequence[Lane] = (),
    findings: Sequence[Finding] = (),
) -> ViewerState:
    """Draw a chunking in its document, and return what is selected.

    Parameters
    ----------
    chunking
        What to draw.
    key
        Names this viewer on the page; two viewers need two keys.
    selected
        A chunk chosen elsewhere, for example in a chart. None leaves the choice to the viewer, and
        so does the index that this function returned last: a page may hand it back unchanged.
    marked
        Indices to make stand out in the text and to filter by in the table.
    focus
        A place to scroll to and outline, whether or not a chunk covers it.
    focus_serial
        A number that grows when the same ``focus`` should be scrolled to again.
    height
        Height of the text in pixels.
    highlights
        False paints by elements even where the browser has the CSS Custom Highlight API.
    heat
        Paints chunks by how strongly they answer a question, in place of their cycling colours.
    unseen
        Disjoint spans in order that a model never reads; they are struck through.
    marking
        Whether a text selection is reported; each one runs the page again.
    lanes
        Boundaries of up to six settings, drawn in columns beside the text, with keys from one disagreement
        to the next; those of ``lanes_of``.
    findings
        Objections to this chunking, drawn as icons beside the text, with keys from one to the next.

    Returns
    -------
    ViewerState
        After this run; a choice made in the browser is in it at once.

    """
    document = chunking.document
    memory = f"{key}:pointer"
    with st.container(gap=None):
        result = _stage(
            key=key,
            data=document_message(document, viewer=key, height=height, highlights=highlights, marking=marking),
            on_selection_change=_do_nothing,
            on_marked_text_change=_do_nothing,
        )
        chosen = result.get("selection")
        pointer = move_pointer(
            session.get(memory, Pointer()),
            document=document.id,
            starts=chunking.starts,
            chosen=chosen if isinstance(chosen, Mapping) else None,
            asked=selected,
        )
        session.put(memory, pointer)
        boundaries = session.remembered(
            chunking, f"{key}:boundaries message", lambda: boundaries_message(chunking, viewer=key)
        )
        _relay(key=f"{key}:boundaries", data=boundaries)
        _relay(
            key=f"{key}:moves",
            data=pointer_message(
                pointer,
                viewer=key,
                chunking=fingerprint(chunking.starts, chunking.ends),
                marked=marked,
                focus=focus,
                focus_serial=focus_serial,
                facts=facts_of(chunking, pointer.selected),
                unseen=unseen,
                heat=heat,
            ),
        )
        if _wanted(f"{key}:lanes", bool(lanes)):
            _relay(key=f"{key}:lanes", data=lanes_message(lanes, document, viewer=key))
        if _wanted(f"{key}:findings", bool(findings)):
            _relay(key=f"{key}:findings", data=findings_message(findings, chunking, viewer=key))
    return ViewerState(pointer.selected, pointer.anchor, marked_span(result.get("marked_text"), document))


def _wanted(layer: str, there: bool) -> bool:  # noqa: FBT001  whether there is anything to draw
    """Whether a layer's message is sent: an empty one only to take away what an earlier run has sent."""
    memory = f"{layer}:sent"
    if there:
        session.put(memory, value=True)
    return there or bool(session.get(memory))


def _do_nothing() -> None:
    """Declare that the browser may set the state; the page reads it from the result."""
