"""The Hierarchy page and the brackets of parents, in a real Chromium."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from screens import App, Open

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.tree import tree_of

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

LEVELS = {"hierarchical.max_levels": "3"}
BRACKETS = """[...v.root.querySelectorAll(".bracket")].map((each) => {
  const box = each.getBoundingClientRect()
  return [Number(each.dataset.parent), box.left, box.top, box.bottom]
})"""
LINES = """a.map(([start, end]) => [v.page.rectAt(start, false).top, v.page.rectAt(end - 1, true).bottom])"""
CONTRAST_OF_LABELS = """(() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
  const linear = (each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
  const share = [0.2126, 0.7152, 0.0722]
  const light = (colour) => parse(colour).map(linear).reduce((sum, each, at) => sum + each * share[at], 0)
  return [...v.root.querySelectorAll(".bracket-label")].map((label) => {
    const style = getComputedStyle(label)
    const [one, other] = [light(style.color), light(style.backgroundColor)].sort((a, b) => b - a)
    return (one + 0.05) / (other + 0.05)
  })
})()"""


CONTRAST_OF_BOXES = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
  const linear = (each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
  const share = [0.2126, 0.7152, 0.0722]
  const light = (colour) => parse(colour).map(linear).reduce((sum, each, at) => sum + each * share[at], 0)
  const labelled = [...document.querySelectorAll(".stPlotlyChart .slice")].filter((each) => each.querySelector("text"))
  return labelled.map((each) => {
    const parts = [each.querySelector("text"), each.querySelector("path.surface")]
    const inks = parts.map((part) => getComputedStyle(part).fill)
    const [one, other] = inks.map(light).sort((a, b) => b - a)
    return (one + 0.05) / (other + 0.05)
  })
}"""


class Hierarchy(App):
    path = "hierarchy"


def box(screen: App, label: str) -> Locator:
    """A box of the picture, by what is written in it."""
    texts = screen.page.locator(".stPlotlyChart .slice").filter(has=screen.page.get_by_text(label, exact=True))
    return texts.locator("path.surface").first


def selected(screen: App, *names: str) -> Locator:
    """The line that says in which boxes the selected chunk stands; a small box hides its label."""
    return screen.page.get_by_text(f"Selected: {' › '.join(names)}", exact=True)


def marked(screen: App, label: str) -> Locator:
    """The label of a box on the way to the selected chunk; there, though a small box may not show it."""
    return screen.page.locator(".stPlotlyChart .slice text", has_text=re.compile(f"^▸ {label}$"))


@pytest.mark.parametrize("view", ["Icicle", "Treemap", "Sunburst"])
def test_a_click_in_the_tree_goes_to_the_first_chunk_of_the_box(app: Open, view: str) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": "contract", "tree": view})
    tree = tree_of(cv.Hierarchical().chunk(load_sample("contract")))
    for parent in (9, 5, 9):
        # In a treemap the chunks lie over their parent: only its head is its own.
        box(screen, f"P{parent}").click(force=True, position={"x": 12, "y": 10} if view == "Treemap" else None)
        chunk = tree.chunk_of(parent)
        assert chunk is not None
        screen.wait("v.layers.selected === a", chunk)
        selected(screen, "contract.txt", f"P{parent}", f"chunk {chunk + 1}").wait_for()
        marked(screen, f"P{parent}").wait_for(state="attached")


def test_choosing_in_the_document_marks_the_way_in_the_tree(app: Open) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": "contract"})
    chunking = cv.Hierarchical().chunk(load_sample("contract"))
    scroller = screen.page.locator(".scroller")
    scroller.press("End")
    selected(screen, "contract.txt", f"P{len(chunking.parents)}", f"chunk {len(chunking)}").wait_for()
    marked(screen, f"P{len(chunking.parents)}").wait_for(state="attached")
    scroller.press("Home")
    selected(screen, "contract.txt", "P1", "chunk 1").wait_for()
    marked(screen, "P1").wait_for(state="attached")


def test_what_is_chosen_in_tree_or_document_is_chosen_everywhere(app: Open) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": "contract"})
    chunking = cv.Hierarchical().chunk(load_sample("contract"))
    tree = tree_of(chunking)
    box(screen, "P5").click(force=True)
    by_tree = tree.chunk_of(5)
    assert by_tree is not None
    expect_chosen(screen, by_tree)
    screen.page.locator(".scroller").press("End")
    expect_chosen(screen, len(chunking) - 1)
    screen.widget("add selected").get_by_role("button").click()
    screen.page.get_by_text(f"{len(chunking)} · ").first.wait_for()
    last = chunking[len(chunking) - 1].parent
    assert last is not None
    screen.page.get_by_text(f"Parent {last.index + 1} of").last.wait_for()


def expect_chosen(screen: App, chunk: int) -> None:
    """Return once document, line of words, picture and simulator agree on the chunk, from 0."""
    screen.wait("v.layers.selected === a", chunk)
    screen.page.get_by_text(re.compile(f"^Selected: .* › chunk {chunk + 1}$")).wait_for()
    screen.page.locator(".stPlotlyChart .slice text", has_text=re.compile("^▸ P")).first.wait_for(state="attached")
    screen.widget("add selected").get_by_text(f"Add chunk {chunk + 1}, selected").wait_for()


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# 潮\n\n潮は夜のあいだに満ちる。船は朝までに港へ戻る。\n\n## 港\n\n誰もいない港は静かだ。\n\n", "潮"),
        ("# الميناء\n\nوصل القارب قبل الفجر. ثم عاد إلى البحر.\n\n## البحر\n\nكان البحر هادئا.\n\n", "الميناء"),
    ],
    ids=["japanese", "arabic"],
)
def test_headings_of_any_script_stand_in_the_tree(
    app: Open,
    text: str,
    heading: str,
) -> None:
    screen = app(Hierarchy, query={"strategy": "markdown"})
    screen.paste(text)
    box(screen, heading).click(force=True)
    screen.wait("v.layers.selected === 0")
    screen.page.get_by_text(f"› {heading} › chunk 1").wait_for()


@pytest.mark.parametrize("view", ["Icicle", "Treemap", "Sunburst"])
@pytest.mark.parametrize("dark", [False, True])
def test_labels_of_the_boxes_can_be_read(app: Open, view: str, *, dark: bool) -> None:
    query = {"strategy": "hierarchical", "sample": "contract", "tree": view}
    screen = app(Hierarchy, query=query, dark=dark)
    screen.page.locator(".stPlotlyChart .slice text").first.wait_for()
    found = screen.page.evaluate(CONTRAST_OF_BOXES)
    assert len(found) > 20
    assert min(found) >= 4.5


def test_the_keyboard_alone_goes_through_the_indented_tree(app: Open) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": "contract"})
    views = screen.widget("tree")
    views.get_by_role("radio", name="Icicle").focus()
    for _ in range(3):
        screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Space")
    screen.page.get_by_test_id("stDataFrame").wait_for()
    screen.page.get_by_test_id("stDataFrame").locator("canvas").first.focus()
    for _ in range(3):
        screen.page.keyboard.press("ArrowDown")
    screen.page.keyboard.press("Shift+Space")
    screen.wait("v.layers.selected === 1")


def test_a_row_of_the_indented_tree_goes_there(app: Open) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": "contract", "tree": "Indented"})
    table = screen.page.get_by_test_id("stDataFrame")
    # The fourth row under the head, in the column of boxes: document, P1, chunk 1, chunk 2.
    table.click(position={"x": 20, "y": 35 * 4 + 17})
    screen.wait("v.layers.selected === 1")


@pytest.mark.parametrize("dark", [False, True])
def test_brackets_stand_beside_the_lines_of_their_parents(app: Open, *, dark: bool) -> None:
    screen = app(strategy="hierarchical", sample="contract", dark=dark, hierarchical__max_levels=3)
    chunking = cv.Hierarchical(max_levels=3).chunk(load_sample("contract"))
    screen.wait("v.root.querySelectorAll('.bracket').length > 3")
    drawn = screen.viewer(BRACKETS)
    parents = [chunking.parents[place] for place, *_ in drawn]
    whole = [each for each in zip(parents, drawn, strict=True) if each[0].end < 2_500]
    assert len(whole) > 3
    lines = screen.viewer(LINES, [[parent.start, parent.end] for parent, _ in whole])
    for (top, bottom), (_, (_, _, bracket_top, bracket_bottom)) in zip(lines, whole, strict=True):
        assert bracket_top == pytest.approx(top, abs=4)
        assert bracket_bottom == pytest.approx(bottom, abs=4)
    lefts = {
        parent.level: {left for each, (_, left, *_) in zip(parents, drawn, strict=True) if each.level == parent.level}
        for parent in parents
    }
    assert max(lefts[2]) < min(lefts[1])
    tree = tree_of(chunking)
    hues = [tree.place_in_level(1 + place) % 4 for place in range(len(chunking.parents))]
    assert screen.viewer("Array.from(v.chunks.parents.hues)") == hues
    outer = [hue for hue, parent in zip(hues, chunking.parents, strict=True) if parent.level == 2]
    assert outer[:5] == [0, 1, 2, 3, 0]
    assert min(screen.viewer(CONTRAST_OF_LABELS)) >= 4.5


def test_brackets_have_names_and_lead_to_the_first_child(app: Open) -> None:
    screen = app(strategy="hierarchical", sample="contract")
    chunking = cv.Hierarchical().chunk(load_sample("contract"))
    parent = chunking.parents[1]
    children = [chunk for chunk in chunking if chunk.parent is parent]
    name = (
        f"Parent 2 of {len(chunking.parents)}: {parent.token_count} tokens, {len(children)} children, "
        f"[{parent.start:,}, {parent.end:,})"
    )
    screen.page.get_by_role("group", name="Parents in sight").get_by_role("img", name=name).wait_for(state="attached")
    bracket = screen.page.locator(".bracket[data-parent='1']")
    bracket.hover(position={"x": 3, "y": 6})
    # That brought it into sight, and while the text scrolls there is no tooltip; now it stands still.
    screen.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    bracket.hover(position={"x": 4, "y": 8})
    screen.page.locator(".tooltip", has_text=name).wait_for()
    bracket.click(position={"x": 3, "y": 6})
    screen.wait("v.layers.selected === a", children[0].index)
    screen.page.locator(".bracket.selected[data-parent='1']").wait_for()
    assert "in parent 2" in screen.viewer("v.parts.live.textContent")


def test_a_strategy_without_parents_has_no_brackets(app: Open) -> None:
    screen = app(strategy="recursive", sample="contract")
    assert screen.viewer("v.root.querySelectorAll('.bracket').length") == 0
    assert screen.viewer("v.chunks.parents") is None


def test_where_parents_overlap_deeply_only_that_of_the_selected_chunk_is_drawn(app: Open) -> None:
    screen = app(strategy="sentence_window", sample="essay", sentence_window__window=8)
    assert screen.viewer("v.root.querySelectorAll('.bracket').length") == 0
    screen.page.locator(".bracket-note", has_text="parents overlap here").wait_for()
    screen.page.locator(".scroller").press("Home")
    screen.wait("v.root.querySelectorAll('.bracket.selected').length === 1")


def test_only_what_is_near_is_drawn_of_ten_thousand_parents(app: Open) -> None:
    screen = app(strategy="sentence_window", sample="essay", sentence_window__window=1)
    text = "".join(f"Sentence number {number} ends here. \n" for number in range(10_000))
    screen.upload("long.txt", text.encode())
    screen.wait("v.chunks.count > 9000 && v.chunks.parents && v.root.querySelector('.bracket')")
    assert screen.viewer("v.chunks.parents.count") > 9_000
    assert screen.viewer("v.root.querySelectorAll('.bracket').length") <= 400
    screen.page.locator(".scroller").press("End")
    screen.wait("v.root.querySelector(`.bracket.selected[data-parent='${v.chunks.parents.count - 1}']`)")


def test_children_are_found_by_keyboard_and_the_parents_follow(app: Open) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": "contract"})
    field = screen.widget("child search").get_by_role("textbox")
    field.fill("chevron")
    field.press("Enter")
    add = screen.widget("add found").get_by_role("button")
    add.get_by_text("Add 1 found").wait_for()
    add.focus()
    screen.page.keyboard.press("Enter")
    received = screen.page.get_by_test_id("stCode").last
    received.get_by_text("[Parent context:").wait_for()
    chunk = next(chunk for chunk in cv.Hierarchical().chunk(load_sample("contract")) if "Chevron" in chunk.text)
    screen.page.get_by_text(f"Parent {(chunk.parent or chunk).index + 1} of").last.wait_for()


@pytest.mark.parametrize("sample", ["contract", "matsuri"])
def test_it_fits_a_telephone(app: Open, sample: str) -> None:
    screen = app(Hierarchy, query={"strategy": "hierarchical", "sample": sample, **LEVELS}, width=390, height=844)
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert screen.viewer("v.page.holder.clientWidth") > 180
