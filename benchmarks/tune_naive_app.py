"""The same page as most people write it: a Plotly curve with one shape per boundary, and the text as HTML."""

from __future__ import annotations

import html
import os
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

import chunkviz

COLOURS = ("#cfe0ff", "#ffe3bf", "#c9f0e2", "#ead6ff")


@st.cache_resource
def document_of(path: str) -> chunkviz.Document:
    """Read the text once, whatever the slider does."""
    return chunkviz.Document(Path(path).read_text("utf-8"), name="benchmark.md")


@st.cache_resource
def services() -> chunkviz.Services:
    """Keep what embeds, so that a step of the slider embeds nothing."""
    return chunkviz.Services()


st.set_page_config(layout="wide")
document = document_of(os.environ["CHUNKVIZ_BENCHMARK_TEXT"])
percentile = st.slider("Percentile", 0, 100, 30)
chunking = chunkviz.Semantic(
    threshold_mode="percentile", threshold=percentile, min_chunk_size=1, max_chunk_size=256
).chunk(document, services())
curve = chunking.evidence.curve
if curve is None or curve.threshold is None:
    st.stop()
figure = go.Figure(go.Scatter(x=curve.ends[:-1], y=curve.similarities, mode="lines+markers"))
rules = [
    {"type": "line", "x0": end, "x1": end, "yref": "paper", "y0": 0, "y1": 1, "line": {"width": 1}}
    for end in chunking.ends.tolist()
]
line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": curve.threshold, "y1": curve.threshold}
figure.update_layout(shapes=[*rules, line])
st.plotly_chart(figure)
marks = "".join(
    f'<mark style="background:{COLOURS[chunk.index % 4]}" title="chunk {chunk.index + 1}">{html.escape(chunk.text)}'
    "</mark>\n"
    for chunk in chunking
)
st.html(
    f'<div id="naive" data-steps="{percentile}" style="height:640px;overflow:auto;white-space:pre-wrap">{marks}</div>'
)
