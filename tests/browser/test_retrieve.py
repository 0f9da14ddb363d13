"""The Retrieve page in a real Chromium: hits, heat and hostile text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from screens import HOSTILE, App, Open

import chunkviz as cv
from chunkviz.retrieval import Index
from chunkviz.samples import load_sample
from chunkviz.ui.viewer.heat import heat_of

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

TIDE = "How does a stilling well measure the level of the tide?"
HEATED = "v.layers.heat && v.layers.selected >= 0 && v.painter.painted.size"


class Retrieve(App):
    path = "retrieve"


def ask(app: Open, question: str = TIDE, *, width: int = 1400, dark: bool = False, **parameters: object) -> Retrieve:
    """Open the page with a question asked."""
    screen: Retrieve = app(Retrieve, question=question, width=width, dark=dark, **parameters)
    screen.wait(HEATED)
    return screen


def card(screen: App, rank: int) -> Locator:
    return screen.widget(f"hit search {rank}")


def test_heat_is_painted_on_the_chunks_that_answer(app: Open) -> None:
    screen = ask(app, strategy="recursive", recursive__chunk_size=128)
    chunking = cv.Recursive(chunk_size=128).chunk(load_sample("essay"))
    index = Index(chunking)
    hits = index.search(TIDE, 5)
    expected = heat_of(index.scores(TIDE), {hit.chunk.index: "" for hit in hits}, from_zero=True, unit="").levels
    assert set(expected.tolist()) == {0, 1, 2, 3}
    assert screen.viewer("[...v.layers.heat.levels]") == expected.tolist()
    assert screen.viewer("[...v.layers.heat.hits.keys()]") == [hit.chunk.index for hit in hits]
    # The selected chunk keeps its own heat, which the legend explains; rail and number say that it is selected.
    assert {name.split("-")[0] for name, _, _ in screen.painted()} <= {"heat", "overlap"}
    painted = [(name, start) for name, start, _ in screen.painted() if name.startswith("heat-")]
    assert painted
    for name, start in painted:
        place = max(chunk.index for chunk in chunking if chunk.start <= start)
        assert name == f"heat-{expected[place]}"
    assert not [name for name, _, _ in screen.painted() if name.startswith(("chunk-", "marked-"))]
    # Not by colour alone: each hit in sight has its rank, and the legend names the scores.
    assert "1" in screen.viewer("[...v.root.querySelectorAll('.rank')].map((each) => each.textContent)")
    legend = screen.viewer("v.root.querySelector('.legend').textContent")
    assert "BM25 score" in legend
    assert "rank of a hit" in legend


def test_the_best_hit_is_selected_and_another_is_one_click_away(app: Open) -> None:
    screen = ask(app, recursive__chunk_size=128)
    hits = Index(cv.Recursive(chunk_size=128).chunk(load_sample("essay"))).search(TIDE, 5)
    assert screen.viewer("v.layers.selected") == hits[0].chunk.index
    third = hits[2].chunk.index
    card(screen, 3).get_by_role("button", name="Go there").click()
    screen.wait("v.layers.selected === a", third)
    screen.wait("v.page.inSight(v.chunks.starts[a], v.chunks.ends[a])", third)
    card(screen, 3).get_by_role("button", name="Shown").wait_for()


IN_SIGHT = "v.page.inSight(v.chunks.starts[v.layers.selected], v.chunks.ends[v.layers.selected])"


def test_a_hit_of_wide_letters_comes_into_sight_though_the_text_is_longer_than_it_was_guessed(app: Open) -> None:
    screen = ask(app, "雨が降ったら祭りはどうなりますか", sample="matsuri", strategy="hierarchical")
    screen.wait(f"v.layers.selected > 10 && {IN_SIGHT}")


def test_another_ranking_with_the_same_best_hit_outlines_nothing_and_shows_it_again(app: Open) -> None:
    screen = ask(app, recursive__chunk_size=128)
    best = screen.viewer("v.layers.selected")
    screen.page.get_by_role("radio", name="hybrid").click()
    screen.settle()
    screen.wait("v.layers.selected === a && v.layers.focus === null", best)
    screen.viewer("(v.page.scroller.dispatchEvent(new WheelEvent('wheel')), v.page.scroller.scrollTop = 1e6)")
    screen.page.get_by_role("radio", name="lexical").click()
    screen.settle()
    screen.wait(f"v.layers.selected === a && {IN_SIGHT}", best)


def test_a_chunk_chosen_in_the_document_is_marked_among_the_cards(app: Open) -> None:
    screen = ask(app, recursive__chunk_size=128)
    hits = Index(cv.Recursive(chunk_size=128).chunk(load_sample("essay"))).search(TIDE, 5)
    screen.viewer("v.choose(a, true)", hits[1].chunk.index)
    card(screen, 2).get_by_role("button", name="Shown").wait_for()
    card(screen, 1).get_by_role("button", name="Go there").wait_for()


def test_hostile_text_is_shown_and_not_run(app: Open) -> None:
    screen = app(Retrieve)
    screen.paste(f"The bell rings. {HOSTILE} The bell is silent.")
    field = screen.widget("question").get_by_role("textbox")
    field.fill(f"stars {HOSTILE}")
    field.press("Enter")
    screen.wait("v.layers.heat")
    text = card(screen, 1).locator(".hit-text")
    text.wait_for()
    assert HOSTILE in text.inner_text()
    assert text.locator("img, script").count() == 0
    assert "stars" in text.locator("mark").all_inner_texts()
    assert HOSTILE in screen.page.locator(".stCode").first.inner_text()


@pytest.mark.parametrize("dark", [False, True])
def test_everything_fits_a_telephone(app: Open, dark: bool) -> None:  # noqa: FBT001  a parameter
    screen = ask(app, width=390, dark=dark, ranking="hybrid")
    assert screen.viewer("v.element.dataset.theme") == ("dark" if dark else "light")
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for rank in range(1, 6):
        box = card(screen, rank).bounding_box()
        assert box is not None
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390
    control = screen.widget("ranking").bounding_box()
    assert control is not None
    assert control["x"] + control["width"] <= 390
    card(screen, 2).get_by_role("button", name="Go there").click()
    screen.wait("v.parts.reading.getBoundingClientRect().bottom <= innerHeight + 1")
