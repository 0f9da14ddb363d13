"""The viewer as a person meets it, in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import app_texts
import pytest

if TYPE_CHECKING:
    from screens import Screen

pytestmark = pytest.mark.browser
Show = Callable[..., "Screen"]

HUES = ("chunk-0", "chunk-1", "chunk-2", "chunk-3")


def chunk_pieces(screen: Screen) -> list[str]:
    return [screen.text[start:end] for name, start, end in screen.painted() if name in HUES]


def selected(screen: Screen, index: int) -> None:
    screen.wait("v.layers.selected === a", index)
    screen.python_says(f"selected={index} ")


@pytest.mark.parametrize("painting", [{}, {"elements": 1}])
def test_marks_do_not_shift_behind_emoji(show: Show, painting: dict[str, int]) -> None:
    screen = show(text="emoji", size=8, **painting)
    assert [piece.encode("utf-16", "surrogatepass").decode("utf-16") for piece in chunk_pieces(screen)] == [
        "🕺🕺🕺 befo",
        "re targe",
        "t after",
    ]


def test_overlap_is_painted_as_overlap_and_the_text_reads_once(show: Show) -> None:
    screen = show(text="words", size=120, overlap=40)
    source = " ".join(f"word{number}" for number in range(400))
    assert screen.text == source
    spans = screen.viewer("Array.from(v.chunks.starts, (start, index) => [start, v.chunks.ends[index]])")
    shared = [source[after[0] : before[1]] for before, after in pairwise(spans)]
    assert [piece for piece in shared if piece] == screen.pieces("overlap")
    assert spans[-1][1] == len(source)
    covered = sorted((start, end) for name, start, end in screen.painted() if name == "overlap" or name in HUES)
    assert all(before[1] <= after[0] for before, after in pairwise(covered))


def test_markup_is_shown_and_never_run(show: Show) -> None:
    screen = show(text="markup", size=20, overlap=5)
    alarms: list[str] = []
    screen.page.on("dialog", lambda dialog: (alarms.append(dialog.message), dialog.dismiss()))
    screen.page.locator(".scroller").press("n")
    screen.page.mouse.move(*screen.point_of(3))
    screen.page.locator(".tooltip").wait_for()
    assert screen.text.startswith("<img src=x onerror=alert(1)> <script>alert(2)</script> a < b")
    assert screen.page.locator(".viewer").locator("img, script").count() == 0
    assert alarms == []


def test_white_space_is_kept_and_can_be_shown_without_changing_the_text(show: Show) -> None:
    screen = show(text="space", size=6)
    before = screen.text
    assert before == "a\n\n    b\n\tc   d\n"
    assert screen.viewer("getComputedStyle(v.page.elements[0]).whiteSpace") == "pre-wrap"
    indent = screen.viewer("v.page.rectAt(7, false).left - v.page.rectAt(0, false).left")
    assert isinstance(indent, float | int)
    assert indent > 20
    screen.page.get_by_role("button", name="White space").click()
    screen.wait("v.root.querySelector('.overlay canvas')")
    assert screen.text == before


def test_right_to_left_text_runs_from_right_to_left(show: Show) -> None:
    screen = show(text="arabic", size=14)
    assert screen.viewer("v.page.elements[0].matches(':dir(rtl)')")
    assert screen.viewer("v.page.rectAt(0, false).left > v.page.rectAt(5, false).left")
    assert "".join(chunk_pieces(screen)).replace(" ", "") == screen.text.replace(" ", "")


def test_a_click_selects_for_the_screen_and_for_python(show: Show) -> None:
    screen = show(text="words", size=120)
    screen.page.mouse.click(*screen.point_of(250))
    selected(screen, 2)
    assert screen.page.locator(".detail h3").inner_text().startswith("Chunk 3 of")
    assert screen.page.locator(".row.selected .cell.index").inner_text() == "3"
    assert screen.pieces("selected-2") == [screen.viewer("v.text.text.slice(v.chunks.starts[2], v.chunks.ends[2])")]


def test_the_second_click_on_an_overlap_takes_the_later_chunk(show: Show) -> None:
    screen = show(text="words", size=120, overlap=40)
    inside = screen.viewer("v.chunks.starts[1] + 5")
    screen.page.mouse.click(*screen.point_of(inside))
    selected(screen, 0)
    screen.page.mouse.click(*screen.point_of(inside))
    selected(screen, 1)


def test_keys_walk_through_the_chunks(show: Show) -> None:
    screen = show(text="words", size=120)
    text = screen.page.locator(".scroller")
    for key, index in (
        ("n", 0),
        ("n", 1),
        ("Alt+ArrowDown", 2),
        ("p", 1),
        ("Alt+ArrowUp", 0),
        ("End", None),
        ("Home", 0),
    ):
        text.press(key)
        last = screen.viewer("v.chunks.count - 1")
        screen.wait("v.layers.selected === a", last if index is None else index)
    assert "tokens, ends at size limit: word0 word1" in screen.page.locator(".live").inner_text()
    text.press("Enter")
    assert screen.viewer("v.root.activeElement.className") == "detail"
    text.press("Escape")
    screen.python_says("selected=None")


def test_table_and_number_field_select_and_scroll(show: Show) -> None:
    screen = show(text="headings", size=100)
    screen.page.get_by_label("Go to chunk number").fill("120")
    screen.page.get_by_label("Go to chunk number").press("Enter")
    selected(screen, 119)
    screen.wait("v.page.inSight(v.chunks.starts[119], v.chunks.ends[119])")
    screen.page.locator(".rows .row.selected").wait_for()
    screen.page.locator(".grid").press("ArrowDown")
    selected(screen, 120)
    screen.page.locator(".grid").press("Home")
    selected(screen, 0)
    screen.wait("v.page.inSight(0, 10)")
    screen.page.locator(".rows .row").nth(2).click()
    selected(screen, 2)


def test_python_moves_the_viewer(show: Show) -> None:
    screen = show(text="headings", size=100)
    screen.page.get_by_label("Select", exact=True).fill("100")
    screen.page.get_by_label("Select", exact=True).press("Enter")
    screen.page.get_by_role("button", name="Ask").click()
    selected(screen, 100)
    screen.wait("v.page.inSight(v.chunks.starts[100], v.chunks.ends[100])")
    assert screen.viewer("v.parts.number.value") == "101"


def test_the_selection_survives_a_slider_step(show: Show) -> None:
    screen = show(text="words", size=120)
    screen.page.mouse.click(*screen.point_of(600))
    screen.wait("v.layers.selected > 0")
    anchor = screen.viewer("v.anchor")
    screen.python_says(f"anchor={anchor}")
    before = screen.viewer("v.chunks.fingerprint")
    screen.page.get_by_role("slider").press("ArrowLeft")
    screen.wait("v.chunks.fingerprint !== a", before)
    screen.wait("v.chunks.starts[v.layers.selected] <= a && v.chunks.ends[v.layers.selected] > a", anchor)
    index = screen.viewer("v.layers.selected")
    screen.python_says(f"selected={index} anchor={anchor}")


def test_hovering_tells_what_a_chunk_is(show: Show) -> None:
    screen = show(text="words", size=120, overlap=40)
    screen.page.mouse.move(*screen.point_of(130))
    tip = screen.page.locator(".tooltip")
    tip.wait_for()
    tokens = screen.viewer("v.chunks.tokens[1]")
    size = screen.viewer("v.chunks.size(1)")
    span = screen.viewer("v.chunks.span(1)")
    assert f"Chunk 2 · {tokens} tokens · {size} characters · {span}" in tip.inner_text()
    assert "New text begins at size limit, ends at size limit" in tip.inner_text()
    assert "with chunk 1" in tip.inner_text()


def test_the_minimap_moves_through_the_document(show: Show) -> None:
    screen = show(text="long", size=900)
    box = screen.page.locator(".minimap").bounding_box()
    assert box
    screen.page.mouse.click(box["x"] + 8, box["y"] + box["height"] / 2)
    screen.wait("Math.abs(v.page.seen()[0] / v.text.text.length - 0.5) < 0.01")
    screen.wait("v.painter.painted.has(v.page.near(0)[0])")


def test_elements_paint_what_highlights_paint(show: Show) -> None:
    query = {"text": "headings", "size": 130, "overlap": 30, "marked": 1, "focus": "[40, 90]"}
    painted = []
    for painting in ({}, {"elements": 1}):
        screen = show(**query, **painting)
        screen.page.locator(".scroller").press("Home")
        selected(screen, 0)
        marks: dict[str, set[int]] = {}
        for name, start, end in screen.painted():
            marks.setdefault(str(name), set()).update(range(int(start), int(end)))
        painted.append((screen.viewer("v.element.dataset.painter"), marks))
    assert [name for name, _ in painted] == ["highlights", "elements"]
    assert painted[0][1] == painted[1][1]
    assert {"overlap", "marked-1", "marked-3", "selected-0", "focus"} <= set(painted[0][1])


def test_a_slider_step_sends_boundaries_and_no_text(show: Show) -> None:
    screen = show(text="long", size=140)
    count = screen.viewer("v.chunks.count")
    assert isinstance(count, int)
    assert count > 10_000
    assert screen.viewer("v.text.text.length > 1400000")
    screen.viewer("globalThis.block = v.page.elements[0].firstChild")
    for _ in range(2):
        before = screen.viewer("v.chunks.fingerprint")
        screen.python_says("selected=None")
        screen.received = 0
        screen.page.get_by_role("slider").press("ArrowRight")
        screen.wait("v.chunks.fingerprint !== a && v.pointed.head.chunking === v.chunks.fingerprint", before)
        assert screen.received < 100_000
    assert screen.viewer("globalThis.block === v.page.elements[0].firstChild"), "the text was laid out again"
    before = screen.received
    screen.page.locator(".scroller").press("n")
    selected(screen, 0)
    assert screen.received - before < 20_000


def test_ten_thousand_rows_are_never_all_in_the_page(show: Show) -> None:
    screen = show(text="long", size=140)
    assert screen.page.locator(".rows .row").count() < 60
    screen.page.locator(".grid").evaluate("(grid) => grid.scrollTo(0, grid.scrollHeight)")
    screen.wait("v.root.querySelector(`.rows .row[data-index='${v.chunks.count - 1}']`)")


def test_copying_gives_the_literal_text(show: Show) -> None:
    screen = show(text="space", size=20)
    screen.page.mouse.click(*screen.point_of(0))
    selected(screen, 0)
    screen.page.get_by_role("button", name="Copy text").click()
    screen.page.get_by_role("button", name="Copied").wait_for()
    assert screen.page.evaluate("navigator.clipboard.readText()") == "a\n\n    b\n\tc   d"


@pytest.mark.parametrize("text", ["space", "long"])
def test_copying_a_selection_gives_the_literal_text(show: Show, text: str) -> None:
    screen = show(text=text, size=300)
    end = min(len(screen.text), 7_000)
    screen.page.get_by_role("button", name="White space").click()
    copied = screen.viewer(
        """(() => {
          const [from, to] = [v.page.nodeAt(0), v.page.nodeAt(a - 1)]
          getSelection().setBaseAndExtent(from.node, from.offset, to.node, to.offset + 1)
          const data = new DataTransfer()
          v.parts.scroller.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, cancelable: true }))
          return data.getData("text/plain")
        })()""",
        end,
    )
    assert copied == screen.text[:end]


def test_searching_the_table_counts_and_shows_what_was_found(show: Show) -> None:
    screen = show(text="headings", size=300)
    screen.page.get_by_label("Search chunks").fill("SENTENCE 23 ABOUT")
    screen.page.locator(".matches", has_text=" of ").wait_for()
    found = screen.viewer("v.table.rows")
    assert found == screen.viewer(
        "[...Array(v.chunks.count).keys()].filter((i) => "
        "v.text.text.slice(v.chunks.starts[i], v.chunks.ends[i]).includes('Sentence 23 about'))"
    )
    screen.page.locator(".rows .row").first.click()
    selected(screen, found[0])
    screen.wait("v.painter.highlights.get('found').size > 0")
    screen.page.get_by_label("Search chunks").fill("no such words")
    screen.page.get_by_text("No chunk matches.").wait_for()


def test_sorting_the_table(show: Show) -> None:
    screen = show(text="headings", size=300)
    button = screen.page.locator(".head").get_by_role("button", name="Characters")
    button.click()
    button.click()
    assert screen.page.locator("[role=columnheader].characters").get_attribute("aria-sort") == "descending"
    sizes = screen.viewer("v.table.rows.map((index) => v.chunks.size(index))")
    assert sizes == sorted(sizes, reverse=True)


def test_marked_chunks_filter_the_table(show: Show) -> None:
    screen = show(text="headings", size=300, marked=1)
    assert screen.viewer("v.table.rows") == [1, 3]
    screen.page.get_by_role("button", name="Only the 2 marked").click()
    assert screen.viewer("v.table.rows.length === v.chunks.count")


def test_equal_chunks_are_told_apart(show: Show) -> None:
    screen = show(text="equal", size=17)
    assert screen.page.locator(".rows .row").count() == len(
        set(screen.page.locator(".rows .row").evaluate_all("(rows) => rows.map((row) => row.id)"))
    )
    screen.page.mouse.click(*screen.point_of(17 * 5 + 3))
    selected(screen, 5)


def test_headings_pages_and_tokens_agree_with_python(show: Show) -> None:
    screen = show(text="headings", size=300)
    screen.page.get_by_label("Go to chunk number").fill("14")
    screen.page.get_by_label("Go to chunk number").press("Enter")
    selected(screen, 13)
    facts = screen.page.locator(".facts").inner_text()
    chunk = app_texts.chunking("headings", 300).chunks[13]
    for value in (" › ".join(chunk.headings), f"{chunk.token_count}", f"[{chunk.start:,}, {chunk.end:,})"):
        assert value in facts


CONTRAST = """(() => {
  const style = getComputedStyle(v.root.host ?? v.root)
  const context = new OffscreenCanvas(1, 1).getContext("2d")
  const mixed = (...colours) => {
    for (const colour of colours) {
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
    }
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }
  const linear = (each) => each <= 0.03928 * 255 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  const contrast = (...pair) => {
    const [dark, bright] = pair.map(light).sort((one, other) => one - other)
    return (bright + 0.05) / (dark + 0.05)
  }
  const page = style.getPropertyValue("--st-background-color")
  const text = mixed(style.getPropertyValue("--st-text-color"))
  return v.palette.hues.flatMap((hue, place) => {
    const fill = (alpha) => `rgba(${hue}, ${alpha})`
    const stack = [page, v.palette.overlap, fill(v.palette.marked), fill(v.palette.selected), v.palette.focus]
    return [contrast(text, mixed(...stack)), contrast(mixed(page), mixed(v.palette.lines[place]))]
  })
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_numbers_can_be_read_in_both_themes(show: Show, *, dark: bool) -> None:
    screen = show(text="words", size=120, dark=dark)
    assert screen.viewer("v.element.dataset.theme") == ("dark" if dark else "light")
    assert min(screen.viewer(CONTRAST)) >= 4.5


def test_colours_follow_a_change_of_theme_while_open(show: Show) -> None:
    screen = show(text="words", size=120)
    screen.page.emulate_media(color_scheme="dark")
    screen.wait("v.element.dataset.theme === 'dark'")
    assert screen.pieces("chunk-0")


def test_two_viewers_on_one_page_do_not_clash(show: Show) -> None:
    screen = show(text="words", size=120, second=1)
    screen.page.wait_for_function("chunkvizViewers.get('second')?.stage?.chunks")
    screen.page.mouse.click(*screen.point_of(5))
    selected(screen, 0)
    suffixes = screen.page.evaluate("[...chunkvizViewers.values()].map((each) => each.stage.suffix)")
    assert len(set(suffixes)) == 2
    assert screen.page.evaluate("chunkvizViewers.get('second').stage.layers.selected") == -1


def test_a_viewer_leaves_nothing_behind_and_comes_back(show: Show) -> None:
    screen = show(text="words", size=120)
    screen.page.mouse.click(*screen.point_of(250))
    selected(screen, 2)
    hide = screen.page.get_by_text("Hide", exact=True)
    hide.click()
    screen.python_says("hidden")
    screen.page.wait_for_function("CSS.highlights.size === 0")
    hide.click()
    screen.wait("v.painter.painted.size > 0 && v.layers.selected === 2")
    assert screen.pieces("selected-2")


def test_a_blank_document_is_met_with_a_sentence(show: Show) -> None:
    screen = show(text="blank")
    assert "nothing to chunk" in screen.page.locator(".blank").inner_text()


def test_a_long_line_is_cut_between_characters(show: Show) -> None:
    screen = show(text="unbroken", size=900)
    assert screen.text == "x" * 30_000
    assert screen.viewer("v.page.elements.length > 3")


def test_nothing_sticks_out_on_a_telephone(show: Show) -> None:
    screen = show(text="headings", size=120, overlap=30, width=390, height=844)
    assert screen.viewer("v.element.scrollWidth <= v.element.clientWidth")
    assert screen.viewer("v.parts.scroller.scrollWidth <= v.parts.scroller.clientWidth")
    assert screen.viewer("v.table.grid.scrollWidth <= v.table.grid.clientWidth")
