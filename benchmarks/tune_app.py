"""The page `tune.py` measures: one slider, the curve, the viewer."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

import chunkviz
from chunkviz.ui.curve import draw_curve
from chunkviz.ui.viewer import draw_viewer


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
draw_curve(chunking, services(), key="curve", viewer="viewer")
draw_viewer(chunking, key="viewer")
