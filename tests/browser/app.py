"""A page with nothing but a viewer and the controls its tests need, chosen by query parameters."""

from __future__ import annotations

import json

import streamlit as st
from app_texts import chunking, document

from chunkviz.span import Span
from chunkviz.ui import lint_panel
from chunkviz.ui.viewer import draw_viewer
from chunkviz.ui.viewer.lanes import lanes_of

st.set_page_config(layout="wide")
keep = st.cache_resource(document)
query = st.query_params
name = query.get("text", "words")
left, middle, right = st.columns(3)
size = left.slider("Chunk size", 1, 2_000, int(query.get("size", "120")))
drawn = chunking(name, size, int(query.get("overlap", "0")), of=keep(name))
asked = middle.number_input("Select", value=None, step=1, min_value=0)
pushed = right.button("Ask")
if right.toggle("Hide"):
    st.write("hidden")
    st.stop()
names = query.get("names", "").split("|")
settings = [
    (names[place] if place < len(names) else f"size {each}", chunking(name, int(each), of=keep(name)))
    for place, each in enumerate(filter(None, query.get("lanes", "").split(",")))
]
without = left.toggle("Without layers")
found = lint_panel.draw(drawn, key="lint") if "lint" in query else lint_panel.LintView()
state = draw_viewer(
    drawn,
    key="viewer",
    selected=asked if pushed else None,
    marked=(1, 3) if "marked" in query else (),
    focus=Span(*json.loads(query["focus"])) if "focus" in query else found.focus,
    focus_serial=found.serial,
    highlights="elements" not in query,
    marking="marking" in query,
    lanes=() if without else lanes_of(settings),
    findings=() if without else found.findings,
)
if "marking" in query:
    span = state.marked_text
    st.markdown(f"`marked={None if span is None else (span.start, span.end)}`")
st.markdown(f"`selected={state.selected} anchor={state.anchor}`")
if "second" in query:
    draw_viewer(drawn, key="second", height=200)
