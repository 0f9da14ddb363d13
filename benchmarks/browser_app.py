"""The page `browser.py` measures: one slider, one viewer."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

import chunkviz
from chunkviz.ui.viewer import draw_viewer


@st.cache_resource
def document_of(path: str) -> chunkviz.Document:
    """Read the text once, whatever the slider does."""
    return chunkviz.Document(Path(path).read_text("utf-8"), name="benchmark.md")


st.set_page_config(layout="wide")
document = document_of(os.environ["CHUNKVIZ_BENCHMARK_TEXT"])
size = st.slider("Chunk size", 100, 4_000, int(st.query_params.get("size", "1000")), step=1)
draw_viewer(
    chunkviz.get_strategy("fixed_size", chunk_size=size, chunk_overlap=60, unit="characters").chunk(document),
    key="viewer",
)
