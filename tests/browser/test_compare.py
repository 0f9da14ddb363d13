"""The Compare page in a real Chromium: settings side by side, one that fails, lanes, and an upload."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from screens import App, Open

import chunkviz as cv
from chunkviz.agreement import agreement
from chunkviz.export import to_jsonl
from chunkviz.samples import load_sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import FilePayload

pytestmark = pytest.mark.browser

FIXED = {"name": "fixed", "strategy": "fixed_size", "chunk_size": 96, "chunk_overlap": 16}
CUTS = {"name": "cuts", "strategy": "recursive", "chunk_size": 128}
BROKEN = {"name": "no model", "strategy": "semantic", "@embedder": "openai:text-embedding-3-small"}
LINES = """() => {
  const chart = [...document.querySelectorAll(".js-plotly-plot")].find((each) => each.layout.annotations?.length)
  return chart && chart.data.map((trace) => Array.from(trace.x).filter((each, at) => at % 3 === 0))
}"""


class Compare(App):
    path = "compare"
    viewer_key = "compare viewer"
    ready = "v.painter.painted.size && v.pointed"
    patience = 120_000  # all settings are chunked and measured first


@pytest.fixture
def compare(app: Open) -> Callable[..., Compare]:
    """Open the page with pinned settings, once its document is drawn."""

    def open_compare(*pinned: dict[str, Any], width: int = 1400, dark: bool = False, **query: str) -> Compare:
        asked = {"sample": "essay", "pins": json.dumps(pinned), **query}
        return app(Compare, width=width, dark=dark, query=asked)

    return open_compare


def test_every_boundary_has_its_line_and_its_lane(compare: Callable[..., Compare]) -> None:
    screen = compare(FIXED, CUTS, reference="cuts")
    document = load_sample("essay")
    one = cv.FixedSize(chunk_size=96, chunk_overlap=16).chunk(document)
    two, three = cv.Recursive(chunk_size=128).chunk(document), cv.Recursive().chunk(document)
    screen.page.wait_for_function(LINES)
    assert [len(each) for each in screen.page.evaluate(LINES)] == [len(each) - 1 for each in (one, two, three)]
    found = agreement(two, one)
    screen.page.get_by_text("A fixed against B cuts").wait_for()
    shared = screen.widget("measures").get_by_test_id("stMetricValue").nth(5)
    assert shared.inner_text() == str(len(found.shared))
    screen.page.locator(".lane-name").first.wait_for()
    names = screen.page.locator(".lane-key").inner_text()
    assert "fixed" in names
    assert "cuts" in names
    assert "this setting" in names
    assert not screen.page.get_by_text("Not everything in the link").count()


@pytest.mark.parametrize(("width", "seen", "hidden"), [(1400, "wide", "narrow"), (390, "narrow", "wide")])
def test_of_the_two_forms_of_the_table_one_is_seen(
    compare: Callable[..., Compare], width: int, seen: str, hidden: str
) -> None:
    screen = compare(FIXED, CUTS, width=width)
    screen.page.locator(f".st-key-{seen}-comparison").wait_for()
    assert not screen.page.locator(f".st-key-{hidden}-comparison").is_visible()
    if seen == "narrow":
        cells = screen.page.locator(".st-key-narrow-comparison tbody tr").first
        assert cells.inner_text().split()[0] == "Chunks"
        assert all(box["x"] + box["width"] <= 390 for each in cells.locator("td").all() if (box := each.bounding_box()))


def test_a_line_that_is_clicked_brings_its_place_into_sight(compare: Callable[..., Compare]) -> None:
    screen = compare(FIXED, CUTS)
    screen.page.wait_for_function(LINES)
    offset = screen.page.evaluate(LINES)[0][-1]
    chart = screen.page.locator(".js-plotly-plot").first
    chart.scroll_into_view_if_needed()
    x, y = chart.evaluate(
        """(chart, offset) => {
          const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect()
          return [box.left + xaxis._offset + xaxis.d2p(offset), box.top + yaxis._offset + yaxis.d2p(2)]
        }""",
        offset,
    )
    screen.page.mouse.move(x, y - 20)
    screen.page.mouse.move(x, y - 1, steps=4)
    screen.page.mouse.click(x, y - 1)
    screen.wait("v.layers.focus && v.layers.focus[0] <= a && a <= v.layers.focus[1]", offset)


def test_a_setting_that_fails_leaves_the_others_on_the_screen(compare: Callable[..., Compare]) -> None:
    screen = compare(FIXED, BROKEN, CUTS)
    screen.page.locator(".stAlert").get_by_text("is not set up in this session").wait_for()
    row = screen.page.locator("[role=gridcell]").filter(has_text="is not set up in this session")
    row.first.wait_for(state="attached")
    screen.page.get_by_role("button", name="Try again").wait_for()
    screen.page.wait_for_function(f"() => ({LINES})()?.length === 3")


def test_a_file_of_another_pipeline_becomes_a_setting_that_is_not_in_the_link(compare: Callable[..., Compare]) -> None:
    screen = compare(FIXED, CUTS)
    chunking = cv.Recursive(chunk_size=64).chunk(load_sample("essay"))
    file: FilePayload = {"name": "mine.jsonl", "mimeType": "application/octet-stream", "buffer": to_jsonl(chunking)}
    screen.page.get_by_test_id("stMain").locator("input[type=file]").set_input_files(file)
    screen.page.get_by_text(f"{len(chunking)} of {len(chunking)} chunks placed").wait_for()
    screen.page.wait_for_function(f"() => ({LINES})()?.length === 4")
    assert [len(each) for each in screen.page.evaluate(LINES)][2] == len(chunking) - 1
    assert "mine" not in screen.page.url
    assert set(parse_qs(urlsplit(screen.page.url).query)) <= {"pins", "sample", "reference"}


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_telephone(compare: Callable[..., Compare], dark: bool) -> None:  # noqa: FBT001  a column
    screen = compare(FIXED, CUTS, width=390, dark=dark)
    screen.page.get_by_role("heading", name="Bring your own chunks").wait_for()
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= 390
    main = screen.page.get_by_test_id("stMain")
    assert main.evaluate("(each) => each.scrollWidth") <= 390
