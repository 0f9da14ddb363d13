"""Below the curve of the Tune page, one of three panels: sweep, histogram of similarities, self-similarity map."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunkviz.chunk import Chunking
from chunkviz.evidence import SimilarityCurve
from chunkviz.services import Services
from chunkviz.tuning import tunable
from chunkviz.ui import session
from chunkviz.ui.charts import draw_chart
from chunkviz.ui.figures_tuning import self_similarity_map, similarity_histogram, stretch_of
from chunkviz.ui.tuning_sweep import draw_sweep
from chunkviz.vectors import SelfSimilarity

_SWEEP, _SIMILARITIES, _MAP = "Sweep", "Similarities", "Self-similarity"


def draw_panels(chunking: Chunking, services: Services, *, selected: int | None) -> None:
    """Draw the panel that is chosen, where there are neighbours; ``selected`` is the chunk marked in the map."""
    curve = chunking.evidence.curve
    if curve is None or not len(curve.similarities):
        return
    views = [_SWEEP, _SIMILARITIES, _MAP] if tunable(chunking) else [_SIMILARITIES, _MAP]
    if session.get("tuning view") not in views:
        session.put("tuning view", views[0])
    view = st.segmented_control(
        "What to look at", views, required=True, key="tuning view", persist_state="session",
        label_visibility="collapsed",
    )  # fmt: skip
    if not tunable(chunking):
        st.caption(
            "This strategy has no threshold: it looks for the partition that is best as a whole, so there is "
            "nothing to sweep."
        )
    if view == _MAP:
        _draw_map(chunking, curve, selected)
    elif view == _SIMILARITIES:
        _draw_histogram(curve)
    else:
        draw_sweep(chunking, curve, services)


def _draw_histogram(curve: SimilarityCurve) -> None:
    values = curve.signal[curve.allowed]
    draw_chart(
        similarity_histogram(values, curve.threshold, curve.mode), key="similarities",
        alt="How often neighbouring segments are how similar",
    )  # fmt: skip
    held = len(curve.signal) - len(values)
    facts = [f"{len(values):,} pairs of neighbours"]
    if len(values):
        facts.append(f"median {np.median(values):.3f}")
        facts.append(f"from {values.min():.3f} to {values.max():.3f}")
    if curve.threshold is not None and len(values):
        below = int((values < curve.threshold).sum())
        facts.append(f"{below:,} ({below / len(values):.0%}) below the threshold")
    if held:
        facts.append(f"{held:,} more, where a heading holds on to its text, are left out")
    st.caption(" · ".join(facts) + ".")
    if curve.threshold is not None and curve.min_chunk_size > 1:
        st.caption(f"Not every one below parts two chunks: a chunk has at least {curve.min_chunk_size} segments.")


def _draw_map(chunking: Chunking, curve: SimilarityCurve, selected: int | None) -> None:
    overview = curve.overview
    if overview is None:
        return
    picture, texts = st.columns([3, 2], gap="medium")
    with texts:
        first, second = _choose_pair(chunking, curve)
    shown = chunking.parents or chunking.chunks
    starts = np.array([each.start for each in shown], np.int64)
    ends = np.array([each.end for each in shown], np.int64)
    firsts = np.searchsorted(curve.ends, starts, "right").astype(np.int64)
    lasts = (np.searchsorted(curve.starts, ends, "left") - 1).astype(np.int64)
    marked = selected if selected is None or selected >= len(chunking) else _square_of(chunking, selected)
    figure = self_similarity_map(overview, firsts, lasts, selected=marked, pair=(first, second))
    key = f"map {len(curve)} {overview.similarities.sum():.4f}"
    with picture:
        draw_chart(
            figure, key=key, on_select=lambda: _take_pair(key),
            alt="Similarity of every segment with every other, chunks as squares on the diagonal",
        )  # fmt: skip
        noun = "parents" if chunking.parents else "chunks"
        means = (
            f" A place is the mean of up to {int(np.diff(overview.edges).max()):,} × "
            f"{int(np.diff(overview.edges).max()):,} pairs."
            if overview.pooled
            else ""
        )
        st.caption(
            f"Squares are {noun}. The stronger the blue, the more similar; click a place to read both segments.{means}"
        )
    with texts:
        st.markdown(_similarity_of(curve, overview, first, second))
        for segment in (first, second):
            start, end = int(curve.starts[segment]), int(curve.ends[segment])
            st.caption(f"Segment {segment + 1:,} · characters {start:,}–{end:,}")
            with st.container(border=True, height=180, key=f"segment {'one' if segment == first else 'other'}"):
                st.text(chunking.document.text[start:end])
            if first == second:
                break


def _square_of(chunking: Chunking, selected: int) -> int:
    parent = chunking[selected].parent
    return selected if not chunking.parents or parent is None else parent.index


def _choose_pair(chunking: Chunking, curve: SimilarityCurve) -> tuple[int, int]:
    """Draw the two numbers a click sets and a keyboard can; at first the least similar neighbours."""
    if session.get("pair of") != (chunking.document.id, len(curve)):
        session.put("pair of", (chunking.document.id, len(curve)))
        least = int(np.argmin(curve.similarities))
        session.put("pair one", least + 1)
        session.put("pair other", least + 2)
    with st.container(horizontal=True, key="pair"):
        one = st.number_input("Segment", 1, len(curve), key="pair one", persist_state="session", width=140)
        other = st.number_input("and segment", 1, len(curve), key="pair other", persist_state="session", width=140)
    return int(one) - 1, int(other) - 1


def _take_pair(key: str) -> None:
    points = (session.get(key) or {}).get("selection", {}).get("points", [])
    chosen = [point["customdata"] for point in points if "customdata" in point]
    if chosen:
        session.put("pair one", int(chosen[0][0]) + 1)
        session.put("pair other", int(chosen[0][1]) + 1)


def _similarity_of(curve: SimilarityCurve, overview: SelfSimilarity, first: int, second: int) -> str:
    if first == second:
        return "One segment; choose another to compare it with."
    if abs(first - second) == 1:
        return f"Similarity of these neighbours: **{float(curve.similarities[min(first, second)]):.3f}**"
    one, other = stretch_of(overview, first), stretch_of(overview, second)
    value = float(overview.similarities[one, other])
    if not overview.pooled:
        return f"Similarity: **{value:.3f}**"
    both = f"{_range(overview.edges, one)} and {_range(overview.edges, other)}"
    return f"Mean similarity of segments {both}: **{value:.3f}**"


def _range(edges: NDArray[np.int64], stretch: int) -> str:
    return f"{int(edges[stretch]) + 1:,}–{int(edges[stretch + 1]):,}"
