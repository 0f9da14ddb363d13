"""Presenter mode, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.metrics import numbers
from chunkviz.samples import load_sample
from chunkviz.services import Services
from chunkviz.tokens import get_tokenizer
from chunkviz.ui.present.prices import priced
from chunkviz.ui.present.steps import PRICED, STEPS
from chunkviz.ui.text import as_plain

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def present(**query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params.update(query)
    at.run()
    at.switch_page("pages/present.py")
    at.query_params.update(query)
    return settled(at.run())


def settled(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def title(at: AppTest) -> str:
    return next(each.proto.body for each in at.get("html") if "present-title" in each.proto.body)


@pytest.mark.parametrize("number", range(1, 7))
def test_each_step_has_its_address(number: int) -> None:
    at = present(step=str(number))
    assert STEPS[number - 1].title in title(at)
    assert at.button_group(key="step").value == number


def test_the_buttons_walk_through_the_steps_and_stop_at_the_ends() -> None:
    at = present()
    assert at.button(key="previous step").disabled
    for step in STEPS[1:]:
        settled(at.button(key="next step").click().run())
        assert step.title in title(at)
    assert at.button(key="next step").disabled
    settled(at.button(key="previous step").click().run())
    assert STEPS[-2].title in title(at)


@pytest.mark.parametrize("given", ["0", "7", "two", "-1"])
def test_an_address_that_names_no_step_shows_the_first_and_says_so(given: str) -> None:
    at = present(step=given)
    assert STEPS[0].title in title(at)
    assert f"There is no step {as_plain(given)}" in at.warning[0].value


def test_the_numbers_are_those_of_the_library() -> None:
    at = present(step="2")
    measured = numbers(cv.FixedSize(chunk_size=128, chunk_overlap=32).chunk(load_sample("essay")))
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["Chunks"] == f"{measured.chunks}"
    assert shown["Tokens to embed"] == f"×{measured.duplication:.2f}"


def test_the_words_of_the_steps_are_true_of_what_they_show() -> None:
    def of(place: int) -> tuple[cv.Chunking, float]:
        chunking = STEPS[place].strategy.chunk(load_sample(STEPS[place].sample))
        return chunking, numbers(chunking).mid_sentence or 0.0

    fixed, share = of(0)
    assert share > 0.9
    assert fixed[STEPS[0].look(fixed) or 0].text.endswith("I took this for")
    overlapping, share = of(1)
    assert share > 0.5
    assert numbers(overlapping).duplication == pytest.approx(4 / 3, abs=0.05)
    _, share = of(2)
    assert share == 0
    family, _ = of(4)
    found = family[STEPS[4].look(family) or 0]
    assert found.parent is not None
    assert found.parent.token_count > 2 * found.token_count


def test_the_prices_are_measured_tokens_at_the_list_price() -> None:
    rows = priced("essay", Services(tokenizer=get_tokenizer("cl100k_base")))
    assert [row.setting for row in rows] == [name for name, _ in PRICED]
    fixed = cv.FixedSize(chunk_size=128, chunk_overlap=0).chunk(load_sample("essay"))
    assert rows[0].chunks == len(fixed)
    assert rows[0].tokens == int(fixed.token_counts.sum())
    assert rows[0].stored == len(fixed) * 1536 * 4
    assert rows[0].dollars == pytest.approx(rows[0].tokens * 100_000 * 0.02 / 1e6)


def test_a_step_opens_in_explore() -> None:
    at = present(step="5")
    at.button(key="open step").click().run()
    settled(at)
    assert at.session_state["strategy"] == "hierarchical"
    assert at.session_state["sample"] == "contract"
    assert at.session_state["hierarchical.chunk_overlap"] == 0
