"""Presenter mode: six scripted steps on bundled documents, in large type, moved by the arrow keys."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.services import Services
from chunkviz.strategies import Semantic
from chunkviz.tokens import DEFAULT_ENCODING, get_tokenizer
from chunkviz.ui import compute, session
from chunkviz.ui.curve import draw_curve
from chunkviz.ui.links import put_setting
from chunkviz.ui.messages import draw_error
from chunkviz.ui.present.prices import draw_prices
from chunkviz.ui.present.steps import STEPS, Step
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer

_HERE = Path(__file__).parent
_keys = st.components.v2.component("chunkviz_present_keys", js=(_HERE / "keys.js").read_text("utf-8"))


def draw() -> None:
    """Draw the step the address names."""
    st.html(_HERE / "present.css")
    _take_key()
    _put_in_range()
    with st.container(horizontal=True, vertical_alignment="center", key="present-bar"):
        st.button(
            "Previous step", icon=":material/arrow_back:", key="previous step", on_click=_move, args=(-1,),
            disabled=_current() == 1,
        )  # fmt: skip
        number = st.segmented_control(
            "Step", range(1, len(STEPS) + 1), default=1, required=True, key="step", bind="query-params",
            label_visibility="collapsed",
        )  # fmt: skip
        st.button(
            "Next step", icon=":material/arrow_forward:", icon_position="right", key="next step", on_click=_move,
            args=(1,), disabled=_current() == len(STEPS),
        )  # fmt: skip
        st.space("stretch")
        st.page_link("pages/explore.py", label="Leave", icon=":material/close:")
    _draw_step(STEPS[(number or 1) - 1])


def _current() -> int:
    return int(session.stored("step", 1))


def _put_in_range() -> None:
    """Keep an address that names no step from emptying the page."""
    given = str(session.stored("step", 1))
    if not (given.isdecimal() and 1 <= int(given) <= len(STEPS)):
        session.put("step", 1)
        st.warning(
            f"There is no step {as_plain(given)}; the steps go from 1 to {len(STEPS)}. This is the first.",
            icon=":material/link_off:",
        )


def _move(steps: int) -> None:
    session.drop("present threshold")
    session.put("step", min(max(_current() + steps, 1), len(STEPS)))


def _take_key() -> None:
    with st.container(key="present-keys", height=1, border=False):
        _keys(key="step keys", on_forward_change=lambda: _move(1), on_back_change=lambda: _move(-1))


def _draw_step(step: Step) -> None:
    st.html(f'<h1 class="present-title">{step.title}</h1>')
    services = session.keep("present services", lambda: Services(tokenizer=get_tokenizer(DEFAULT_ENCODING)))
    chunking = _chunking_of(step, services)
    if chunking is None:
        return
    st.html(f'<p class="present-words">{step.words}</p>')
    figures = step.numbers(chunking)
    if figures:
        with st.container(horizontal=True, gap="large", key="present-numbers"):
            for label, value in figures:
                st.metric(label, value)
    if step.name == "curve":
        draw_curve(
            chunking, services, key="present line", viewer="present curve",
            on_threshold=lambda value: session.put("present threshold", value),
        )  # fmt: skip
    if step.name == "cost":
        draw_prices(step.sample, services)
    else:
        draw_viewer(chunking, key=f"present {step.name}", selected=step.look(chunking), height=520)
    if st.button(
        "Open this setting in Explore", icon=":material/segment:", key="open step", on_click=put_setting,
        args=(step.strategy, step.sample),
    ):  # fmt: skip
        st.switch_page("pages/explore.py", query_params={})  # without the mapping, bound widgets forbid it
    st.caption(
        f"Measured here, now, on the sample “{step.sample}” with `{chunking.strategy!r}`. Arrow keys move between the "
        "steps; F11 fills the screen; each step has its own address."
    )


def _chunking_of(step: Step, services: Services) -> Chunking | None:
    document = session.sample_document(step.sample)
    strategy, dragged = step.strategy, session.get("present threshold")
    if step.name == "curve" and dragged is not None:
        strategy = Semantic(threshold=dragged)
    try:
        return compute.chunking_of(document, strategy, services)
    except Cancelled:
        st.info("Chunking was stopped. Choose another step, or this one again.", icon=":material/info:")
    except ChunkvizError as error:
        draw_error(error)
    return None
