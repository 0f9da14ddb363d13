"""The app itself, as a person meets it in a real Chromium."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pyarrow.parquet as pq
import pytest
from docx import Document as Word
from fpdf import FPDF
from screens import HOSTILE, READY, App, Open
from test_viewer import CONTRAST

import chunkviz as cv
from chunkviz.samples import load_sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


def test_it_opens_on_a_sample_already_coloured(app: Open) -> None:
    screen = app()
    chunking = cv.Recursive().chunk(load_sample("essay"))
    assert screen.text == chunking.document.text
    assert screen.spans() == [[chunk.start, chunk.end] for chunk in chunking]
    assert screen.viewer("v.element.dataset.painter") == "highlights"
    first = chunking.chunks[0]
    assert min(start for name, start, _ in screen.painted() if name == "chunk-0") == first.start
    assert screen.page.evaluate("[...CSS.highlights.values()].some((each) => each.size > 0)")
    number = screen.page.locator(".chunk-number").first
    box = number.bounding_box()
    assert number.inner_text() == "1"
    assert box
    assert 0 < box["y"] < 500, "the text is on the first screen"


def test_a_slider_moved_by_keys_repaints_and_its_link_restores_the_screen(app: Open, chromium: Browser) -> None:
    screen = app(sample="contract", strategy="recursive")
    before = screen.spans()
    screen.slide("recursive.chunk_size", "ArrowLeft", 496, 480, 464)
    after = screen.spans()
    assert after != before
    expected = cv.Recursive(chunk_size=464).chunk(load_sample("contract"))
    assert after == [[chunk.start, chunk.end] for chunk in expected]
    context = chromium.new_context()
    try:
        other = app(link=screen.page.url, of=context)
        assert other.spans() == after
        assert other.text == screen.text
        assert other.widget("strategy").locator("input").input_value() == "recursive"
        assert other.widget("sample").get_by_role("radio", name="contract").get_attribute("aria-checked") == "true"
    finally:
        context.close()


def test_the_address_never_holds_the_text(app: Open) -> None:
    screen = app()
    screen.paste("Confidential walrus. " * 400)
    screen.slide("recursive.chunk_size", "ArrowLeft", 496, 480)
    assert "alrus" not in screen.page.url
    screen.upload("secret-otter.md", b"# Classified otter\n\nThe otter swims at noon.\n")
    screen.shows("Classified otter")
    assert "tter" not in screen.page.url
    assert set(parse_qs(urlsplit(screen.page.url).query)) <= {"recursive.chunk_size", "source"}


def test_everything_is_still_there_after_a_look_at_the_guide(app: Open) -> None:
    screen = app()
    screen.upload("kept.md", "".join(f"# Part {part}\n\n{'Words of it. ' * 60}\n\n" for part in range(12)).encode())
    screen.shows("Part 11")
    screen.slide("recursive.chunk_size", "ArrowLeft", 496, 480)
    screen.page.mouse.click(*screen.point_of(300))
    screen.wait("v.layers.selected >= 0 && v.pointed?.head.selected === v.layers.selected")
    spans, selected = screen.spans(), screen.viewer("v.layers.selected")
    screen.go("Guide")
    screen.page.get_by_role("heading", name="Guide").wait_for()
    assert "kept.md" in screen.card()
    screen.go("Explore")
    screen.shows("Part 11")
    assert screen.spans() == spans
    screen.wait("v.layers.selected === a", selected)
    screen.paste("A pasted otter. It stays.")
    screen.go("Guide")
    screen.page.get_by_role("heading", name="Guide").wait_for()
    screen.go("Explore")
    screen.shows("A pasted otter. It stays.")
    assert screen.widget("pasted").get_by_role("textbox").input_value() == "A pasted otter. It stays."
    screen.choose("source", "Upload")
    screen.shows("Part 11")
    assert screen.spans() == spans


def test_a_look_at_the_guide_straight_after_a_link_loses_nothing_of_it(app: Open) -> None:
    screen = app(sample="contract", strategy="fixed_size", fixed_size__chunk_size=96, fixed_size__unit="characters")
    spans, asked = screen.spans(), parse_qs(urlsplit(screen.page.url).query)
    screen.go("Guide")
    screen.page.get_by_role("heading", name="Guide").wait_for()
    screen.page.wait_for_function("location.search.includes('sample=contract')")
    assert parse_qs(urlsplit(screen.page.url).query) == asked
    assert screen.widget("fixed_size.chunk_size").get_by_role("spinbutton").input_value() == "96"
    assert screen.widget("fixed_size.unit").get_by_role("radio", checked=True).inner_text() == "characters"
    screen.go("Explore")
    screen.wait(READY)
    assert screen.spans() == spans
    assert parse_qs(urlsplit(screen.page.url).query) == asked


def test_a_long_file_name_takes_two_lines_and_is_whole_in_its_tooltip(app: Open) -> None:
    screen = app()
    name = f"minutes-of-the-{'very-' * 30}long-meeting-2026.txt"
    screen.upload(name, b"We met at noon.")
    screen.shows("We met at noon.")
    shown = screen.widget("card").locator(".name")
    assert shown.get_attribute("title") == name
    assert shown.inner_text().startswith("minutes-of-the-very-")
    assert shown.inner_text().endswith("ong-meeting-2026.txt")
    assert shown.evaluate("(e) => e.getClientRects()[0].height / parseFloat(getComputedStyle(e).lineHeight)") <= 2.01
    screen.upload("titled.md", f"# {'An endless title of otters ' * 9}\n\nThey met at one.".encode())
    screen.shows("They met at one.")
    assert shown.evaluate("(e) => e.getClientRects()[0].height / parseFloat(getComputedStyle(e).lineHeight)") <= 2.01


def test_a_number_out_of_bounds_says_which_one_counts(app: Open) -> None:
    screen = app(recursive__chunk_size=100, recursive__chunk_overlap=10)
    field = screen.widget("recursive.chunk_overlap").get_by_role("spinbutton")
    said = screen.widget("recursive.chunk_overlap in force")
    assert not said.is_visible()
    field.fill("9000")
    field.press("Enter")
    said.wait_for()
    assert "Not between 0 and 99: 10 stays in force." in said.inner_text()
    assert not screen.widget("recursive.chunk_size in force").is_visible()
    field.fill("20")
    field.press("Enter")
    said.wait_for(state="hidden")


def test_the_browser_asks_before_a_pasted_text_is_lost(chromium: Browser, real_server: str) -> None:
    page = chromium.new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
    try:
        page.goto(real_server)
        screen = App(page)
        screen.wait(READY)
        page.reload()
        screen.wait(READY)
        assert asked == []
        screen.paste("An otter that nobody kept.")
        assert "until this page is closed or reloaded" in page.locator("[data-testid=stSidebar]").inner_text()
        screen.go("Guide")
        page.get_by_role("heading", name="Guide").wait_for()
        page.wait_for_function("document.querySelector('.st-key-leaving')")
        page.reload()
        assert asked == ["beforeunload"]
    finally:
        page.close()


def pdf(*pages: str, password: str = "") -> bytes:
    made = FPDF()
    if password:
        made.set_encryption(owner_password="owner", user_password=password)  # noqa: S106  the point of the file
    for text in pages:
        made.add_page()
        made.set_font("Helvetica", size=12)
        made.multi_cell(0, 6, text)
    return bytes(made.output())


def docx(*paragraphs: str) -> bytes:
    made = Word()
    made.add_heading("A handbook of otters", 1)
    for text in paragraphs:
        made.add_paragraph(text)
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def test_a_real_pdf_and_a_real_docx_are_shown_and_a_bad_file_leaves_them_open(app: Open) -> None:
    screen = app()
    screen.upload("otters.pdf", pdf("Otters hold hands while they sleep.", "Page two is about rivers."))
    screen.shows("about rivers")
    assert "2 pages" in screen.card()
    assert screen.page.locator("[role=columnheader].page").is_visible()
    screen.upload("handbook.docx", docx("Feed them at noon.", "Count them at night: 🦦🦦."))
    screen.shows("at night: 🦦🦦.")
    assert "A handbook of otters" in screen.card()
    spans = screen.spans()
    for name, data, words in (
        ("locked.pdf", pdf("Secret", password="user"), "password"),  # noqa: S106  the point of the file
        ("broken.pdf", b"%PDF-1.7 not really", "broken.pdf"),
        ("empty.md", b"", "empty.md is empty"),
    ):
        screen.upload(name, data)
        said = screen.page.get_by_role("alert").filter(has_text=words)
        said.wait_for()
        sentence = said.inner_text().strip()
        assert sentence.endswith(".")
        assert "\n" not in sentence.removeprefix("error").strip()
        assert "Traceback" not in sentence
        assert screen.spans() == spans
        assert "handbook.docx" in screen.card()


def test_a_bar_of_the_histogram_marks_its_chunks_until_it_is_clicked_again(app: Open) -> None:
    screen = app(sample="manual", recursive__chunk_size=96)
    bars = screen.page.locator(".stPlotlyChart .barlayer .point path")
    bars.last.wait_for()
    bars.last.click(force=True)  # a transparent layer of the chart takes the clicks
    screen.wait("v.layers.marked.size > 0")
    marked = screen.viewer("[...v.layers.marked].sort((one, other) => one - other)")
    chunking = cv.Recursive(chunk_size=96).chunk(load_sample("manual"))
    largest = max(chunk.token_count for chunk in chunking)
    assert largest in {chunking.chunks[index].token_count for index in marked}
    assert screen.viewer("v.table.rows") == marked
    assert len(marked) < len(chunking)
    screen.page.locator(".table-bar", has_text=f"{len(marked)} of {len(chunking)} chunks").wait_for()
    screen.page.locator(".rows .row").first.click()
    screen.wait("v.page.inSight(v.chunks.starts[a], v.chunks.ends[a])", marked[0])
    assert any(name.startswith("marked-") for name, _, _ in screen.painted())
    bars.last.click(force=True)  # a transparent layer of the chart takes the clicks
    screen.wait("v.layers.marked.size === 0 && v.table.rows.length === v.chunks.count")


def test_a_point_along_the_document_selects_its_chunk(app: Open) -> None:
    screen = app(sample="manual", recursive__chunk_size=96)
    screen.choose("sizes view", "Along the document")
    chunk = cv.Recursive(chunk_size=96).chunk(load_sample("manual")).chunks[20]
    screen.page.locator(".stPlotlyChart .main-svg .ytitle", has_text="tokens in the chunk").wait_for()
    place = screen.point_on_chart((chunk.start + chunk.end) // 2, chunk.token_count)
    screen.page.mouse.click(*place)
    screen.wait("v.layers.selected === a && v.page.inSight(v.chunks.starts[a], v.chunks.ends[a])", chunk.index)
    screen.page.locator(".rows .row.selected").wait_for()


def test_a_row_of_the_table_scrolls_the_text(app: Open) -> None:
    screen = app(sample="manual", recursive__chunk_size=64)
    grid = screen.page.locator(".grid")
    last = screen.viewer("v.chunks.count - 1")
    assert not screen.viewer("v.page.inSight(v.chunks.starts[a], v.chunks.ends[a])", last)
    grid.press("End")
    screen.wait("v.layers.selected === a && v.page.seen()[1] >= v.chunks.ends[a]", last)
    grid.press("ArrowUp")
    screen.wait("v.layers.selected === a", last - 1)
    assert screen.page.locator(".detail h3").inner_text() == f"Chunk {last} of {last + 1}"


def test_downloads_read_back_to_the_spans_on_the_screen(app: Open) -> None:
    screen = app()
    screen.paste("🕺🕺🕺 before target after. Naïve “quotes”, a comma,\nand a line.\n\n" * 12)
    screen.slide("recursive.chunk_size", "Home", 32)
    spans = screen.spans()
    assert len(spans) > 3
    found: dict[str, list[dict[str, Any]]] = {}
    for ending in ("jsonl", "csv", "parquet"):
        with screen.page.expect_download() as waiting:
            screen.widget(f"download {ending}").get_by_role("button").click()
        assert waiting.value.suggested_filename == f"pasted.chunks.{ending}"
        data = waiting.value.path().read_bytes()
        match ending:
            case "jsonl":
                found[ending] = [json.loads(line) for line in data.decode().splitlines()]
            case "csv":
                found[ending] = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
            case _:
                found[ending] = pq.read_table(io.BytesIO(data)).to_pylist()
    text = screen.text.encode("utf-16", "surrogatepass").decode("utf-16")
    for rows in found.values():
        assert [[int(row["start"]), int(row["end"])] for row in rows] == spans
        assert [row["text"] for row in rows] == [text[start:end] for start, end in spans]


def test_markup_from_outside_is_shown_and_never_run(app: Open) -> None:
    screen = app()
    name = "<img src=x onerror=alert(3)>.md"
    body = f"# {HOSTILE}\n\nFirst words.\n\n## <b>bold</b> [link](javascript:alert(4))\n\nLast words.\n"
    screen.upload(name, body.encode())
    screen.shows("Last words.")
    assert screen.text == body
    assert HOSTILE in screen.card()
    assert name in screen.card()
    screen.page.locator(".grid").press("End")
    screen.wait("v.layers.selected === v.chunks.count - 1")
    screen.page.mouse.move(*screen.point_of(5))
    screen.page.locator(".tooltip").wait_for()
    assert HOSTILE in screen.page.locator(".facts").inner_text()
    screen.paste(f"{HOSTILE} and more")
    screen.upload("<img src=x onerror=alert(5)>.pdf", b"%PDF-1.7 broken")
    screen.page.get_by_role("alert").filter(has_text="<img src=x onerror=alert(5)>.pdf").wait_for()
    found = screen.page.locator(".viewer").locator("img, script, b, a").count()
    assert found == 0
    assert screen.page.locator("[onerror], img[src=x], a[href^=javascript]").count() == 0


def test_marks_do_not_shift_behind_emoji(app: Open) -> None:
    screen = app(
        strategy="fixed_size", fixed_size__unit="characters", fixed_size__chunk_size=8, fixed_size__chunk_overlap=0
    )
    screen.paste("🕺🕺🕺 before target after")
    hues = {"chunk-0", "chunk-1", "chunk-2", "chunk-3"}
    text = screen.text
    painted = [text[start:end] for name, start, end in screen.painted() if name in hues]
    assert [each.encode("utf-16", "surrogatepass").decode("utf-16") for each in painted] == [
        "🕺🕺🕺 befo",
        "re targe",
        "t after",
    ]


READABLE = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d")
  const mixed = (colours) => {
    for (const colour of colours) {
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
    }
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }
  const linear = (each) => each <= 0.03928 * 255 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  const behind = (element) => {
    const stack = []
    for (let each = element; each; each = each.parentElement ?? each.getRootNode().host) {
      stack.unshift(getComputedStyle(each).backgroundColor)
    }
    return ["#fff", ...stack]
  }
  const dim = []
  const visit = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) visit(element.shadowRoot)
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
      if (!own || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
      // Signs are no words, what is switched off may be pale, and the slider's own number is not shown.
      if (element.closest("style, script, :disabled, label:has(:disabled), [data-testid=stIconMaterial]")) continue
      if (!element.getClientRects().length) continue
      const style = getComputedStyle(element)
      const colour = element instanceof SVGElement ? style.fill : style.color
      const back = behind(element)
      const pair = [light(mixed(back)), light(mixed([...back, colour]))].sort((one, other) => one - other)
      const contrast = (pair[1] + 0.05) / (pair[0] + 0.05)
      if (contrast < 4.5) dim.push(`${contrast.toFixed(2)} ${element.textContent.trim().slice(0, 40)}`)
    }
  }
  visit(document.body)
  return dim
}"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_word_of_the_page_can_be_read(app: Open, *, dark: bool) -> None:
    screen = app(sample="report", dark=dark)
    screen.page.locator(".stPlotlyChart .main-svg .ytitle").wait_for()
    assert screen.viewer("v.element.dataset.theme") == ("dark" if dark else "light")
    assert min(screen.viewer(CONTRAST)) >= 4.5
    assert screen.page.evaluate(READABLE) == []


def test_a_telephone_shows_everything_without_sideways_scrolling(app: Open) -> None:
    screen = app(sample="manual", width=390, height=844)
    wide = """(names) => [document.scrollingElement, ...document.querySelectorAll(names)]
      .map((each) => each.scrollWidth - each.clientWidth)"""
    assert set(screen.page.evaluate(wide, "[data-testid=stMain]")) == {0}
    assert screen.viewer("v.element.scrollWidth <= v.element.clientWidth")
    text = screen.page.locator(".reading").bounding_box()
    assert text
    assert text["y"] < 422, "half of the first screen is text"
    screen.page.get_by_test_id("stExpandSidebarButton").click()
    handle = screen.widget("recursive.chunk_size slider").get_by_role("slider")
    handle.scroll_into_view_if_needed()
    screen.page.wait_for_function(
        "() => document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().x === 0"
    )
    screen.slide("recursive.chunk_size", "ArrowLeft", 496, 480)
    assert set(screen.page.evaluate(wide, "[data-testid=stMain], [data-testid=stSidebarContent]")) == {0}


FOCUSED = """async () => {
  let active = document.activeElement
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
  const settle = () => {
    const ends = (each) => Number.isFinite(each.effect.getComputedTiming().endTime)
    for (const each of document.getAnimations().filter(ends)) each.finish()
  }
  const look = () => {
    settle()
    const found = []
    for (let each = active, step = 0; each && step < 4; each = each.parentElement, step++) {
      const style = getComputedStyle(each)
      const outline = style.outlineStyle === "none" || style.outlineWidth === "0px" ? "" : style.outline
      found.push(outline, style.boxShadow, style.borderColor, style.backgroundColor, style.color)
    }
    return found.join("|")
  }
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  await drawn()
  const focused = look()
  active.blur()
  await drawn()
  const plain = look()
  active.focus({ focusVisible: true, preventScroll: true })
  await drawn()
  const label = active.getAttribute("aria-label") || active.labels?.[0]?.innerText || active.innerText || active.tagName
  return { name: label.trim(), seen: focused !== plain, inside: active.className === "scroller" }
}"""


def test_tab_alone_reaches_every_control_and_the_text(app: Open) -> None:
    screen = app(sample="essay")
    names, unseen = [], []
    for _ in range(60):
        screen.page.keyboard.press("Tab")
        found = screen.page.evaluate(FOCUSED)
        names.append(found["name"])
        if not found["seen"]:
            unseen.append(found["name"])
        if found["inside"]:
            break
    reached = " | ".join(names)
    for wanted in (
        "Explore",
        "Guide",
        "Sample",
        "essay",
        "Chunk size (tokens)",
        "Chunk overlap",
        "Go to chunk number",
        "Text of",
    ):
        assert wanted in reached, reached
    assert unseen == []
    screen.page.keyboard.press("n")
    screen.wait("v.layers.selected === 0")


def words(characters: int) -> str:
    """Text that does not repeat, so that nothing is quick by luck."""
    draw = random.Random(7)  # noqa: S311  not a secret
    syllables = ["ka", "lo", "mi", "ter", "van", "is", "ou", "per", "shi", "der", "al", "en"]
    made: list[str] = []
    length = 0
    while length < characters:
        made.append(
            "".join(draw.choices(syllables, k=draw.randint(1, 4))) + draw.choice(["", "", "", "", ".", ",", ".\n\n"])
        )
        length += len(made[-1]) + 1
    return " ".join(made)


def test_long_work_shows_its_progress_and_can_be_stopped(app: Open) -> None:
    screen = app(strategy="semantic")  # embeds: long with any tokenizer
    screen.upload("long.txt", words(8_000_000).encode())
    # Reading the file shows its progress first; it is the longer work behind it that is stopped here.
    screen.page.get_by_text("Chunking long.txt").wait_for()
    screen.page.get_by_role("progressbar").first.wait_for()
    screen.page.get_by_role("button", name="Stop", exact=True).click()
    screen.page.get_by_text("stopped").wait_for()
    screen.choose("source", "Sample")
    screen.shows("harbour")


def test_the_details_tell_parent_and_context_of_the_selected_chunk(app: Open) -> None:
    screen = app(sample="manual", strategy="contextual_retrieval", height=1300)
    screen.page.mouse.click(*screen.point_of(900))
    screen.wait("v.root.querySelector('.detail').textContent.includes('Context, put before the text for embedding')")
    selected = screen.viewer("v.layers.selected")
    context = cv.ContextualRetrieval().chunk(load_sample("manual"))[selected].context
    assert context
    assert context in screen.viewer("v.root.querySelector('.detail').textContent")
    parents = app(sample="manual", strategy="hierarchical", height=1300)
    parents.page.mouse.click(*parents.point_of(900))
    parents.wait("v.root.querySelector('.detail').textContent.includes('Parent, returned when this chunk is found')")
    parents.page.get_by_text(re.compile(r"^Parent of chunk \d+")).wait_for()
