"""A page with nothing but a viewer and the controls its tests need, chosen by query parameters."""

from __future__ import annotations

import json

import streamlit as st

import chunkviz
from chunkviz.span import Span
from chunkviz.ui.viewer import draw_viewer

TEXTS = {
    "emoji": "🕺🕺🕺 before target after",
    "words": " ".join(f"word{number}" for number in range(400)),
    "markup": "<img src=x onerror=alert(1)> <script>alert(2)</script> a < b && c > d </div> <!-- x",
    "space": "a\n\n    b\n\tc   d\n",
    "arabic": "قال المعلم: version 2.0 جاهزة الآن. ثم خرج.",
    "equal": "same words here. " * 40,
    "blank": " \n \n",
    "headings": "".join(
        f"# Part {part}\n\n"
        + "".join(
            f"## Section {part}.{section}\n\n" + f"Sentence {part}{section} about the sea and its tides. " * 12 + "\n\n"
            for section in range(4)
        )
        for part in range(6)
    ),
    "long": "\n".join(f"Line {number} holds a few ordinary words that differ by number." for number in range(24_000)),
    "unbroken": "x" * 30_000,
}


@st.cache_resource
def document_of(name: str) -> chunkviz.Document:
    """Keep one document per name, as a page does."""
    suffix = ".py" if name == "space" else ".md"
    pages = (Span(0, 4_000), Span(4_000, len(TEXTS[name]))) if name == "headings" else ()
    return chunkviz.Document(TEXTS[name], name=f"{name}{suffix}", pages=pages)


st.set_page_config(layout="wide")
query = st.query_params
left, middle, right = st.columns(3)
size = left.slider("Chunk size", 1, 2_000, int(query.get("size", "120")))
overlap = int(query.get("overlap", "0"))
document = document_of(query.get("text", "words"))
chunking = chunkviz.get_strategy("fixed_size", chunk_size=size, chunk_overlap=min(overlap, size - 1), unit="characters").chunk(document)
asked = middle.number_input("Select", value=None, step=1, min_value=0)
pushed = right.button("Ask")
marked = (1, 3) if query.get("marked") else ()
focus = Span(*json.loads(query["focus"])) if "focus" in query else None
state = draw_viewer(
    chunking,
    key="viewer",
    selected=asked if pushed else None,
    marked=marked,
    focus=focus,
    highlights="elements" not in query,
)
st.markdown(f"`selected={state.selected} anchor={state.anchor}`")
if "second" in query:
    draw_viewer(chunking, key="second", height=200)
