"""What the Tune page draws: the curve with its threshold, and the document that follows it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.evidence import SimilarityCurve
from chunkviz.metrics import numbers
from chunkviz.services import Services
from chunkviz.strategies import strategy_class
from chunkviz.thresholds import BOUNDS, ThresholdMode, resolve_threshold, setting_for
from chunkviz.ui import jobs, session, sidebar
from chunkviz.ui.controls import put_threshold, widget_key
from chunkviz.ui.curve import draw_curve
from chunkviz.ui.curve.payload import movable
from chunkviz.ui.explore import draw_notes
from chunkviz.ui.messages import draw_stopped
from chunkviz.ui.text import as_plain
from chunkviz.ui.tuning_panels import draw_panels
from chunkviz.ui.viewer import draw_viewer

WITH_CURVE = ("semantic", "semantic_parent_child", "cluster_semantic")
"""Strategies that compare neighbours."""
_DIGITS = 6


def before() -> None:
    """Put in force what the page decided in its last run, before any widget is drawn."""
    for name, value in (session.drop("tune pending") or {}).items():
        session.put(name, value)


def draw(chunking: Chunking) -> None:
    """Draw the page for one chunking."""
    curve = chunking.evidence.curve
    if curve is None and chunking.strategy.name in WITH_CURVE:
        st.info("This document has no text, so there is nothing to compare.", icon=":material/info:")
        return
    if curve is None:
        _offer_strategies(chunking)
        return
    setting: sidebar.Setting = session.get("setting")
    services = setting.services or Services()
    _keep_share(chunking, curve)
    compared = len(curve.similarities) > 0
    # All of it in one place: were the curve and the viewer behind it to move, the browser would build them anew.
    with st.container():
        _draw_numbers(chunking, curve)
        if not compared:
            count = "one segment" if len(curve) else "no segment"
            st.info(f"The document has {count}, so there are no neighbours to compare.", icon=":material/info:")
    with st.container():
        if compared and _prepare(chunking, services):
            draw_curve(
                chunking, services, key="curve", viewer="viewer", setting=_setting_words(curve),
                selected=session.get("tune selected"), on_threshold=lambda value: _take(chunking, curve, value),
            )  # fmt: skip
            _draw_below(chunking, curve)
    with st.container():
        # Below the curve: a note that comes or goes must not move the line away from under the mouse.
        draw_notes(chunking)
    state = draw_viewer(chunking, key="viewer", height=560)
    draw_panels(chunking, services, selected=state.selected)
    if state.selected != session.get("tune selected"):
        # The curve stands above the viewer, so it hears of a choice one run later.
        session.put("tune selected", state.selected)
        st.rerun()


def _prepare(chunking: Chunking, services: Services) -> bool:
    """Work out what the line needs to be dragged; return whether it is there, or else say why not."""

    def work(job: jobs.Job[None]) -> None:
        movable(chunking, services, job.report)

    # The job holds the chunking, so that as long as it stands no other can have its identity.
    job = jobs.run((id(chunking), services.tokenizer.name), "Preparing the threshold line", work, slot="line")
    if not job.done:
        return False
    try:
        job.outcome()
    except Cancelled:
        draw_stopped("The curve was stopped before its line could be moved.", "Draw the curve", "line")
        return False
    return True


def _offer_strategies(chunking: Chunking) -> None:
    st.info(
        f"`{chunking.strategy.name}` compares nothing, so it has no similarity curve. These strategies do:",
        icon=":material/info:",
    )
    for name in WITH_CURVE:
        about = strategy_class(name).about
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{about.title}**  \n{about.summary}")
            st.button("Use it", key=f"use {name}", on_click=session.put, args=("strategy", name))


def _draw_numbers(chunking: Chunking, curve: SimilarityCurve) -> None:
    measured = numbers(chunking)
    with st.container(horizontal=True, gap="small", key="numbers"):
        if chunking.parents:
            st.metric("Parents", f"{len(chunking.parents):,}")
        st.metric("Chunks", f"{measured.chunks:,}", help="What is searched; with parents, their children.")
        st.metric(
            "Median tokens", f"{measured.median:,.10g}",
            help="Of the chunks; the figures at the curve are those of the parents." if chunking.parents else None,
        )  # fmt: skip
        st.metric("p95 tokens", f"{measured.p95:,.0f}", help="95 of 100 chunks have at most this many tokens.")
        st.metric("Smallest – largest", f"{measured.smallest:,} – {measured.largest:,}", help="Tokens.")
        if curve.threshold is not None:
            st.metric(
                "Gradient threshold" if curve.mode == "gradient" else "Threshold",
                f"{curve.threshold:.3f}" if len(curve.similarities) else "–",
                help="The value the curve is held against, resolved from the setting.",
            )  # fmt: skip


def _setting_words(curve: SimilarityCurve) -> str:
    mode = curve.mode
    if mode in {None, "absolute"} or curve.setting is None:
        return ""
    return f"from {mode.replace('_', ' ')} {curve.setting:g}"


def _draw_below(chunking: Chunking, curve: SimilarityCurve) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="curve words"):
        if curve.threshold is None:
            st.caption(
                "This strategy weighs all partitions against each other and uses no threshold; the curve shows the "
                "neighbours alone."
            )
        else:
            parents = (
                " While the line moves, the text shows the parents it makes; let go, and it shows their children."
                if chunking.parents
                else ""
            )
            st.caption(
                f"{len(curve):,} segments compared by {as_plain(curve.embedder)}. Drag the line, or press ↑ ↓ on it; "
                f"{_what_letting_go_does(curve.mode)} ← → walk the points, Enter opens one.{parents}"
            )
            st.toggle(
                "Keep the share below", key="keep share", persist_state="session",
                help="Similarities of one embedder are not those of another. With this, a new embedder starts with "
                "the threshold that leaves the same share of neighbours below it.",
            )  # fmt: skip


def _what_letting_go_does(mode: ThresholdMode | None) -> str:
    if mode == "absolute":
        return "letting go puts the value in force."
    if mode in {"target_count", "target_size"}:
        return "letting go ends the target and puts an absolute value in force."
    return f"letting go puts the {str(mode).replace('_', ' ')} in force that comes to it."


def _take(chunking: Chunking, curve: SimilarityCurve, value: float) -> None:
    """Put a dragged threshold in force, in the terms of the mode where it can be said in them."""
    name = chunking.strategy.name
    mode, setting = setting_in_mode(curve, value)
    put_threshold(name, mode, setting)


def setting_in_mode(curve: SimilarityCurve, value: float) -> tuple[ThresholdMode, float]:
    """Return mode and setting for a value of the line: the shortest number that cuts at the same places."""
    mode: ThresholdMode = curve.mode or "absolute"
    signal = curve.signal[curve.allowed]
    exact = setting_for(mode, value, signal)
    if exact is None:
        return ("absolute", value) if mode != "gradient" else (mode, 0.0 if value < float(signal.min()) else 100.0)
    if mode == "absolute":
        return mode, value
    low, high = BOUNDS[mode]
    wanted = (signal < np.float32(value)).sum()
    for digits in range(_DIGITS):
        setting = min(max(round(exact, digits), low), high)
        if (signal < np.float32(_resolved(mode, setting, signal))).sum() == wanted:
            return mode, setting
    return mode, exact


def _resolved(mode: ThresholdMode, setting: float, signal: Any) -> float:
    return resolve_threshold(mode, setting, signal, lambda _: 0.0)


def _keep_share(chunking: Chunking, curve: SimilarityCurve) -> None:
    """Where asked to, give a new embedder the threshold that leaves the same share of neighbours below it."""
    signal = curve.signal[curve.allowed]
    if curve.threshold is None or curve.mode != "absolute" or not len(signal):
        session.drop("tune share")
        return
    place = (chunking.document.id, chunking.strategy.name)
    before = session.get("tune share")
    if session.get("keep share") and before and before[0] == place and before[1] != curve.embedder:
        value = round(float(np.percentile(np.asarray(signal, np.float64), 100 * before[2])), 4)
        session.put("tune share", (place, curve.embedder, before[2]))
        if value != curve.threshold:
            session.put("tune pending", {widget_key(chunking.strategy.name, "threshold"): value})
            st.rerun()
        return
    session.put("tune share", (place, curve.embedder, float((signal < np.float32(curve.threshold)).mean())))
