"""The Tokens & cost page in a real Chromium: what a model never reads, and whether it fits the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from screens import App, Open

import chunkviz as cv
from chunkviz.cost import never_read
from chunkviz.samples import load_sample

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser

MINILM = "all-MiniLM-L6-v2 (Sentence Transformers)"
LIMIT = 256
TEXTS = {
    "emoji": "".join(f"Boat {number} 🚤 came in 👩‍🚀 with 𝒩 nets. " for number in range(120)),
    "japanese": "潮は夜のあいだに満ちる。船は朝までに港へ戻る。" * 60,
    "arabic": "وصل القارب إلى الميناء قبل الفجر ثم عاد. " * 80,
}
PAINTED_AREA = "[v.text.blocks[v.near[0]], v.text.blockEnd(v.near[1])]"


class Cost(App):
    path = "cost"
    viewer_key = "cost viewer"
    ready = "v.painter.painted.size && v.pointed"


@pytest.fixture
def cost(app: Open) -> Callable[..., Cost]:
    """Open the page with the model of the smallest limit."""

    def open_cost(*, query: dict[str, str] | None = None, **how: int | bool) -> Cost:
        return app(Cost, query={"cost model": MINILM, **(query or {"sample": "essay"})}, **how)

    return open_cost


def units(text: str, points: int) -> int:
    """Return the offset in UTF-16 units of an offset in characters."""
    return len(text[:points].encode("utf-16-le", "surrogatepass")) // 2


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_struck_through_exactly_beyond_the_limit(cost: Callable[..., Cost], name: str) -> None:
    screen = cost()
    screen.paste(TEXTS[name])
    document = cv.load_bytes(TEXTS[name].encode(), "pasted.md")
    lost = [
        [units(document.text, span.start), units(document.text, span.end)]
        for span in never_read(cv.Recursive().chunk(document), LIMIT)
    ]
    assert lost
    screen.wait("JSON.stringify(v.layers.unseen) === JSON.stringify(a)", lost)
    low, high = screen.viewer(PAINTED_AREA)
    struck = {at for layer, start, end in screen.painted() if layer == "unseen" for at in range(start, end)}
    assert struck == {at for start, end in lost for at in range(max(start, low), min(end, high))}
    assert struck


@pytest.mark.parametrize("dark", [False, True])
def test_struck_text_can_still_be_read(cost: Callable[..., Cost], dark: bool) -> None:  # noqa: FBT001  a column
    screen = cost(dark=dark)
    screen.wait("v.layers.unseen.length")
    assert screen.viewer("v.element.dataset.theme") == ("dark" if dark else "light")
    rules = screen.viewer("[...v.sheetRules.cssRules].map((rule) => rule.cssText).join('\\n')")
    rule = next(each for each in rules.split("\n") if each.startswith("::highlight(unseen"))
    assert "line-through" in rule
    assert min(screen.viewer(CONTRAST_OF_STRUCK)) >= 4.5


CONTRAST_OF_STRUCK = """(() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d")
  const light = (...colours) => {
    for (const colour of colours) {
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
    }
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((each) =>
      each <= 0.03928 * 255 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const page = getComputedStyle(v.root.host ?? v.root).getPropertyValue("--st-background-color")
  return v.palette.hues.map((hue) => {
    const [one, other] = [light(v.palette.unseen), light(page, `rgba(${hue}, ${v.palette.fill})`)]
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  })
})()"""


def test_the_tooltip_says_why_text_is_struck_through(cost: Callable[..., Cost]) -> None:
    screen = cost()
    screen.wait("v.layers.unseen.length")
    first = screen.viewer("v.layers.unseen[0][0]")
    screen.page.get_by_role("button", name="Go to the first place").click()
    screen.wait("v.layers.focus")
    screen.wait(
        "(() => { const r = v.page.rectAt(a, false); return r && r.top > 0 && r.bottom < innerHeight })()", first
    )
    x, y = screen.point_of(first + 3)
    screen.page.mouse.move(x, y)
    screen.page.get_by_text("Never seen by the model: it lies beyond the model's limit.").wait_for()


def test_a_larger_limit_takes_the_strokes_away(cost: Callable[..., Cost]) -> None:
    screen = cost()
    screen.wait("v.layers.unseen.length")
    viewer = screen.viewer("v.suffix")
    screen.page.get_by_role("combobox", name="Embedding model").click()
    screen.page.get_by_role("option", name="bge-m3 (BAAI)").click()
    screen.page.get_by_text("Every text fits").wait_for()
    screen.wait("!v.layers.unseen.length && v.painter.painted.size")
    assert screen.pieces("unseen") == []
    assert screen.viewer("v.suffix") == viewer, "the viewer was built anew"


def test_a_bar_marks_its_texts_and_a_point_goes_to_one(cost: Callable[..., Cost]) -> None:
    screen = cost(query={"sample": "manual", "recursive.chunk_size": "96"})
    chunking = cv.Recursive(chunk_size=96).chunk(load_sample("manual"))
    bars = screen.page.locator(".stPlotlyChart .barlayer .point path")
    bars.last.click(force=True)  # a transparent layer of the chart takes the clicks
    screen.wait("v.layers.marked.size > 0")
    marked = screen.viewer("[...v.layers.marked].sort((one, other) => one - other)")
    assert max(chunk.token_count for chunk in chunking) in {chunking.chunks[index].token_count for index in marked}
    assert screen.viewer("v.table.rows") == marked
    screen.choose("cost sizes view", "Along the document")
    screen.page.locator(".stPlotlyChart .main-svg .ytitle", has_text="tokens in the chunk").wait_for()
    chunk = chunking.chunks[20]
    screen.page.mouse.click(*screen.point_on_chart((chunk.start + chunk.end) // 2, chunk.token_count))
    screen.wait("v.layers.selected === a && v.page.inSight(v.chunks.starts[a], v.chunks.ends[a])", chunk.index)


def test_a_bar_of_the_parents_marks_the_chunks_in_them(cost: Callable[..., Cost]) -> None:
    screen = cost(query={"sample": "contract", "strategy": "hierarchical"})
    chunking = cv.Hierarchical().chunk(load_sample("contract"))
    screen.choose("cost level", "Parents")
    screen.page.get_by_text("Parents are returned and not embedded").wait_for()
    bars = screen.page.locator(".stPlotlyChart .barlayer .point path")
    bars.last.click(force=True)
    screen.wait("v.layers.marked.size > 0")
    marked = screen.viewer("[...v.layers.marked].sort((one, other) => one - other)")
    largest = max(chunking.parents, key=lambda parent: parent.token_count)
    children = {chunk.index for chunk in chunking if chunk.parent is largest}
    assert children
    assert children <= set(marked)
    owners = {chunking[index].parent for index in marked}
    assert set(marked) == {chunk.index for chunk in chunking if chunk.parent in owners}


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_telephone(cost: Callable[..., Cost], dark: bool) -> None:  # noqa: FBT001  a column
    screen = cost(width=390, height=844, dark=dark)
    screen.page.get_by_text("are never seen by the model").wait_for()
    screen.page.get_by_role("heading", name="Under other encodings").wait_for()
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= 390
    main = screen.page.get_by_test_id("stMain")
    assert main.evaluate("(each) => each.scrollWidth") <= 390
