"""The same page as most people write it: the whole text as HTML, one `<mark>` per chunk, anew at each step."""

from __future__ import annotations

import html
import os
from pathlib import Path

import streamlit as st

import chunkviz

COLOURS = ("#cfe0ff", "#ffe3bf", "#c9f0e2", "#ead6ff")


@st.cache_resource
def document_of(path: str) -> chunkviz.Document:
    """Read the text once, whatever the slider does."""
    return chunkviz.Document(Path(path).read_text("utf-8"), name="benchmark.md")


def marked_text(chunking: chunkviz.Chunking) -> str:
    """Return the text once, in full, as markup; what chunks share is shown with the first of them."""
    text, parts, done = chunking.document.text, [], 0
    for chunk in chunking:
        start = max(chunk.start, done)
        parts.append(html.escape(text[done:start]))
        inside = html.escape(text[start : chunk.end])
        title = f"chunk {chunk.index + 1}, {chunk.token_count} tokens"
        parts.append(f'<mark style="background:{COLOURS[chunk.index % 4]}" title="{title}">{inside}</mark>')
        done = chunk.end
    parts.append(html.escape(text[done:]))
    return "".join(parts)


st.set_page_config(layout="wide")
document = document_of(os.environ["CHUNKVIZ_BENCHMARK_TEXT"])
size = st.slider("Chunk size", 100, 4_000, int(st.query_params.get("size", "1000")), step=1)
chunking = chunkviz.get_strategy("fixed_size", chunk_size=size, chunk_overlap=60, unit="characters").chunk(document)
st.html(
    f'<div id="naive" data-steps="{size}" style="height:640px;overflow:auto;white-space:pre-wrap">'
    f"{marked_text(chunking)}</div>"
)
