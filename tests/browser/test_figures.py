"""Figures saved as files from a real Chromium: charts, the similarity curve, those of the report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from screens import App, Open
from test_report import opened

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.ui.report import to_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, buttons: Locator, kind: str, folder: Path) -> bytes:
    with page.expect_download() as download:
        buttons.get_by_role("button", name=kind, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path.read_bytes()


def looks(svg: bytes) -> tuple[str, ET.Element]:
    """The colour behind a figure, and the figure, which refers to nothing outside of it."""
    text = svg.decode()
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink", "http://www.w3.org/2000/xmlns/"}
    root = ET.fromstring(text)  # noqa: S314  made here
    # The letters of a file may be wider than those of the screen, so no legend is cut to its width.
    assert not [each for each in root.iter() if each.get("class") == "scrollbox" and each.get("clip-path")]
    return str(root[0].get("fill")), root


def size_of_png(data: bytes) -> tuple[int, int]:
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def test_a_chart_is_saved_as_it_looks(app: Open, tmp_path: Path) -> None:
    here: App = app(sample="essay", strategy="fixed_size", fixed_size__chunk_size=128)
    buttons = here.page.get_by_role("group", name="Save the figure: Histogram of the number of tokens in each chunk")
    here.page.locator(".js-plotly-plot .main-svg").first.wait_for()
    paper, root = looks(saved(here.page, buttons, "SVG", tmp_path))
    assert paper.lower() in {"#ffffff", "#fff"}
    shown = here.page.locator(".js-plotly-plot .point path").count()
    bars = [each for each in root.iter(f"{SVG}g") if each.get("class") == "point"]
    assert len(bars) == shown > 1
    fills = {re.search(r"fill: ([^;]+);", str(bar[0].get("style")))[1] for bar in bars}  # type: ignore[index]
    assert all(fill.startswith("rgb") for fill in fills)
    wide, tall = int(str(root.get("width"))), int(str(root.get("height")))
    assert size_of_png(saved(here.page, buttons, "PNG", tmp_path)) == (2 * wide, 2 * tall)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "histogram-of-the-number-of-tokens-in-each-chunk.png",
        "histogram-of-the-number-of-tokens-in-each-chunk.svg",
    ]


@pytest.mark.parametrize("dark", [False, True])
def test_the_figures_of_a_report_are_saved(chromium: Browser, tmp_path: Path, *, dark: bool) -> None:
    document = load_sample("essay")
    chunking = cv.Semantic(threshold_mode="percentile", threshold=20).chunk(document)
    report = to_report(chunking, others=[("a & b", cv.Recursive().chunk(document))], failed=[("c", "no key")])
    screen = opened(chromium, tmp_path, report, dark=dark)
    screen.page.locator("#histogram rect").first.wait_for()
    files = tmp_path / "files"
    files.mkdir()
    for figure in ("similarity curve", "tokens in a chunk", "where chunks begin"):
        buttons = screen.page.get_by_role("group", name=f"Save the figure: {figure}")
        paper, root = looks(saved(screen.page, buttons, "SVG", files))
        assert paper == ("#12141a" if dark else "#fff")
        words = [each.text for each in root.iter(f"{SVG}text")]
        expected = {"similarity curve": f"{chunking.evidence.curve.threshold:.3f}", "where chunks begin": "a & b"}  # type: ignore[union-attr]
        assert figure not in expected or expected[figure] in words
        wide, tall = int(str(root.get("width"))), int(str(root.get("height")))
        assert size_of_png(saved(screen.page, buttons, "PNG", files)) == (2 * wide, 2 * tall)
    screen.page.context.close()


def test_the_curve_is_saved_with_its_line(app: Open, tmp_path: Path) -> None:
    here: App = app(sample="essay", strategy="semantic", semantic__threshold_mode="percentile")
    here.page.get_by_role("link", name="Tune").click()
    buttons = here.page.get_by_role("group", name="Save the figure: similarity curve")
    here.page.wait_for_function("() => globalThis.chunkvizViewers?.get('curve')?.stage?.inForce")
    _, root = looks(saved(here.page, buttons, "SVG", tmp_path))
    curve = cv.Semantic(threshold_mode="percentile").chunk(load_sample("essay")).evidence.curve
    assert curve is not None
    words = [str(each.text) for each in root.iter(f"{SVG}text")]
    assert f"{curve.threshold:.3f}" in words
    assert words[-1].startswith(f"Threshold {curve.threshold:.3f}")
