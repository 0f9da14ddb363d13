"""Ten megabytes of text on Tune, Hierarchy and Tokens & cost, in a real Chromium: everything answers."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from screens import App, Open

from chunkviz.samples import load_sample

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

SIZE = 10_000_000
CURVE = "globalThis.chunkvizViewers?.get('curve')?.stage"
QUIET = "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"


@cache
def manual() -> bytes:
    """Return paragraphs of the essay under numbered headings; no two sections are the same."""
    paragraphs = [each for each in load_sample("essay").text.split("\n\n") if len(each) > 200]
    parts: list[str] = []
    size = number = 0
    while size < SIZE:
        kind = "#" if number % 8 == 0 else "##"
        part = f"{kind} Part {number}\n\n{paragraphs[number % len(paragraphs)].replace('. ', f' in part {number}. ')}"
        parts.append(part)
        size += len(part.encode()) + 2
        number += 1
    return "\n\n".join(parts).encode()


class Large(App):
    """A page that opens on the first sample and is given ten megabytes."""

    patience = 600_000

    def says(self, words: str | re.Pattern[str], of: str = "stCaptionContainer") -> None:
        """Return once a widget of Streamlit's reads these words.

        A search by text alone would read the ten megabytes as well, which stops the page for half a minute each time.
        """
        self.page.get_by_test_id(of).filter(has_text=words).first.wait_for()


class Hierarchy(Large):
    path = "hierarchy"


class Tune(Large):
    path = "tune"


class Cost(Large):
    path = "cost"
    viewer_key = "cost viewer"
    ready = "v.painter.painted.size && v.pointed"


def opened(app: Open, page: type[Large], **query: str) -> Large:
    screen: Large = app(page, query=query)
    screen.upload("ten.md", manual())
    return screen


def radio(screen: App, key: str, name: str) -> Locator:
    return screen.widget(key).get_by_role("radio", name=name, exact=True)


def test_the_tree_is_drawn_and_a_click_in_it_goes_to_the_text(app: Open) -> None:
    screen = opened(app, Hierarchy, strategy="hierarchical")
    screen.wait("v.chunks.count > 20000 && v.chunks.parents?.count > 4000")
    screen.says(re.compile(r"The picture has [\d,]+ of [\d,]+ boxes"))
    boxes = screen.page.locator(".stPlotlyChart .slice path.surface")
    assert 20 < boxes.count() <= 1_500
    screen.page.locator(".scroller").press("End")
    screen.wait("v.layers.selected === v.chunks.count - 1")
    last = screen.viewer("v.chunks.count")
    screen.says(re.compile(f"^Selected: .* › chunk {last:,}$"))
    radio(screen, "tree", "Indented").click()
    screen.says(re.compile(r"The table has [\d,]+ of [\d,]+ rows"))
    radio(screen, "tree", "Icicle").click()
    boxes.nth(1).click(force=True)
    screen.wait("v.layers.selected < v.chunks.count - 1")


def test_the_line_is_dragged_over_fifty_thousand_segments(app: Open) -> None:
    screen = opened(app, Tune, **{"strategy": "semantic", "semantic.threshold_mode": "percentile"})
    page = screen.page
    page.wait_for_function(f"() => {CURVE}?.inForce?.starts.length > 2000 && {QUIET}")
    assert page.evaluate(f"{CURVE}.columns.similarities.length") > 40_000
    assert page.evaluate(f"{CURVE}.element.dataset.agrees") == "true"
    plot = page.get_by_role("slider", name="Threshold on the")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + page.evaluate(f"{CURVE}.picture.y({CURVE}.threshold)")
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x, y - 8 * step)
    page.wait_for_function(f"() => {CURVE}.preview?.threshold === {CURVE}.wanted && !{CURVE}.frame")
    threshold = page.evaluate(f"{CURVE}.wanted")
    starts, ends, _ = page.evaluate(
        f"""(threshold) => {{
          const found = {CURVE}.rule.pieces(threshold)
          return [found.starts, found.ends, found.tokens]
        }}""",
        threshold,
    )
    assert screen.spans() == [list(each) for each in zip(starts, ends, strict=True)]
    page.keyboard.press("Escape")
    page.mouse.up()
    page.wait_for_function(f"() => !{CURVE}.preview")


def test_cost_counts_and_a_model_with_a_small_limit_strikes_text_through(app: Open) -> None:
    screen = opened(app, Cost, **{"cost model": "all-MiniLM-L6-v2 (Sentence Transformers)"})
    screen.wait("v.chunks.count > 4000 && v.layers.unseen.length > 1000")
    screen.page.get_by_role("button", name="Go to the first place").click()
    screen.wait("v.layers.focus")
    screen.says("are never seen by the model")
