"""The leave-behind report, opened from a file in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from screens import App, Open, Screen

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.ui.report import to_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SPANS = "Array.from(v.chunks.pointStarts, (start, index) => [start, v.chunks.pointEnds[index]])"


def opened(chromium: Browser, tmp_path: Path, page: bytes, *, dark: bool = False, width: int = 1400) -> Screen:
    path = tmp_path / "report.html"
    path.write_bytes(page)
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=True
    )
    tab = context.new_page()
    tab.on("pageerror", lambda error: pytest.fail(str(error)))
    tab.goto(path.as_uri())
    screen = Screen(tab)
    screen.wait("v.element.dataset.chunking")
    return screen


def spans_of(chunking: cv.Chunking) -> list[list[int]]:
    return [[chunk.start, chunk.end] for chunk in chunking]


def shown_at(page: Page) -> float:
    return float(page.locator("#value").inner_text())


@pytest.mark.parametrize("dark", [False, True])
def test_its_slider_moves_to_boundaries_of_the_library(chromium: Browser, tmp_path: Path, *, dark: bool) -> None:
    document = load_sample("essay")
    chunking = cv.Semantic(threshold_mode="percentile", threshold=20).chunk(document)
    screen = opened(chromium, tmp_path, to_report(chunking), dark=dark)
    assert screen.viewer(SPANS) == spans_of(chunking)
    assert screen.viewer("v.element.dataset.theme") == ("dark" if dark else "light")
    slider = screen.page.locator("#threshold")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "End", "Home"):
        slider.press(key)
        threshold = screen.page.evaluate(
            "JSON.parse(document.getElementById('data').textContent).steps"
            "[document.getElementById('threshold').value].threshold"
        )
        expected = cv.Semantic(threshold=threshold).chunk(document)
        screen.wait("v.chunks.count === a", len(expected))
        assert screen.viewer(SPANS) == spans_of(expected)
    screen.page.get_by_role("button", name="As set").click()
    screen.wait("v.chunks.count === a", len(chunking))
    screen.page.context.close()


def test_the_line_can_be_dragged_in_the_picture(chromium: Browser, tmp_path: Path) -> None:
    chunking = cv.Semantic(threshold_mode="percentile", threshold=20).chunk(load_sample("essay"))
    screen = opened(chromium, tmp_path, to_report(chunking))
    before = shown_at(screen.page)
    box = screen.page.locator("#curve").bounding_box()
    assert box is not None
    screen.page.mouse.move(box["x"] + 200, box["y"] + box["height"] - 20)
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + 200, box["y"] + 40)
    screen.page.mouse.up()
    assert shown_at(screen.page) > before
    screen.page.context.close()


def test_a_chunk_can_be_chosen_and_read(chromium: Browser, tmp_path: Path) -> None:
    document = cv.Document("😀 First part here.\n\nSecond <b>part</b> there.", name="<i>.txt")
    chunking = cv.Recursive(chunk_size=8, chunk_overlap=0).chunk(document)
    screen = opened(chromium, tmp_path, to_report(chunking), width=390)
    screen.page.locator(".scroller").focus()
    screen.page.keyboard.press("End")
    screen.wait("v.layers.selected === a", len(chunking) - 1)
    assert chunking[len(chunking) - 1].text in screen.page.locator(".detail").inner_text()
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= 390
    screen.page.context.close()


def test_the_app_makes_one(app: Open, tmp_path: Path, chromium: Browser) -> None:
    here: App = app(sample="matsuri", strategy="semantic", semantic__threshold_mode="percentile")
    here.page.get_by_text("Report for somebody without Python").click()
    here.page.get_by_role("button", name="Make the report").click()
    with here.page.expect_download() as download:
        here.page.get_by_role("button", name="Report (HTML)").click()
    download.value.save_as(tmp_path / "made.html")
    screen = opened(chromium, tmp_path, (tmp_path / "made.html").read_bytes())
    assert screen.viewer(SPANS) == here.spans()
    screen.page.context.close()
