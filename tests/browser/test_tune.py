"""The Tune page in a real Chromium: the line is dragged, and the browser's boundaries are the library's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from screens import App, Open

import chunkviz as cv
from chunkviz.samples import load_sample

if TYPE_CHECKING:
    from playwright.sync_api import Locator

pytestmark = pytest.mark.browser

CURVE = "globalThis.chunkvizViewers?.get('curve')?.stage"
RULED = f"""(threshold) => {{
  const found = {CURVE}.rule.pieces(threshold)
  return [found.starts.map((start, at) => [start, found.ends[at]]), found.tokens]
}}"""


CONTRAST = """(() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d")
  const light = (colour) => {
    context.fillStyle = colour
    context.fillRect(0, 0, 1, 1)
    const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) => each / 255)
    const [red, green, blue] = parts.map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const text = light(getComputedStyle(c.parts.PART).color)
  const paper = light(c.colours.paper)
  return (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05)
})()"""


FOCUSED = """() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return element.getAttribute("aria-label") || element.innerText || element.tagName
}"""
OUTLINED = """() => {
  let element = document.activeElement
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
  return getComputedStyle(element).outlineStyle === "solid"
}"""
TEXTS = {
    "japanese": "潮は夜のあいだに満ちる。船は朝までに港へ戻る。パンは毎朝焼く。量子の話はまた別だ。" * 12,
    "arabic": "وصل القارب إلى الميناء قبل الفجر. الخبز طازج كل صباح. كان البحر هادئا. القياس يغير الحالة. " * 12,
}


class Tune(App):
    path = "tune"

    def settle(self) -> None:
        """Wait until curve and viewer show the same state, and no run is under way."""
        self.page.wait_for_function(
            f"""() => {{
              const curve = {CURVE}
              const viewer = globalThis.chunkvizViewers?.get('viewer')?.stage
              return curve?.inForce && !curve.preview && viewer?.chunks && viewer.chunks.fingerprint !== 'preview'
                && (curve.head.noun !== 'chunk' || viewer.chunks.count === curve.inForce.starts.length)
                && document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'
            }}"""
        )

    def curve(self, script: str) -> Any:
        return self.page.evaluate(f"() => {{ const c = {CURVE}; return {script} }}")

    @property
    def plot(self) -> Locator:
        return self.page.get_by_role("slider", name="Threshold on the")

    def drag_to(self, threshold: float, *, release: bool = True) -> None:
        """Take the line and put it at a value."""
        self.take_hold()
        self.carry_to(threshold)
        if release:
            self.page.mouse.up()

    def take_hold(self) -> None:
        """Press the button of the mouse on the line."""
        box = self.plot.bounding_box()
        assert box is not None
        self.held_at = (box["x"] + box["width"] / 2, box["y"])
        self.page.mouse.move(self.held_at[0], self.held_at[1] + self.curve("c.picture.y(c.threshold)"))
        self.page.mouse.down()

    def carry_to(self, threshold: float) -> float:
        """Move the line that is held; return the value it came to, which a pixel decides."""
        x, top = self.held_at
        y = top + float(self.curve(f"c.picture.y({threshold})"))
        self.page.mouse.move(x, y - 9)
        self.page.mouse.move(x, y)
        self.page.wait_for_function(f"() => {CURVE}.preview?.threshold === {CURVE}.wanted && !{CURVE}.frame")
        return float(self.curve("c.preview.threshold"))

    def focused(self) -> str:
        """What the element with the keyboard is called."""
        return str(self.page.evaluate(FOCUSED))


@pytest.fixture
def tune(app: Open) -> Any:
    def start(query: str, **how: Any) -> Tune:
        return app(Tune, query=dict(parse_qsl(query)), **how)

    return start


@pytest.mark.parametrize(
    ("sample", "strategy"),
    [
        ("essay", cv.Semantic()),
        ("manual", cv.Semantic(min_chunk_size=2, max_chunk_size=64, min_size=24)),
        ("contract", cv.Semantic(min_chunk_size=1, max_chunk_size=400, min_size=120, unit="characters")),
        ("matsuri", cv.Semantic(min_chunk_size=3, max_chunk_size=48, window=1)),
        ("essay", cv.SemanticParentChild(max_parent_size=160)),
        ("handbook", cv.SemanticParentChild(max_parent_size=900, max_child_size=300, unit="characters")),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_the_browsers_rule_is_the_cores(tune: Any, sample: str, strategy: cv.Strategy) -> None:
    given = strategy.config()
    name = given.pop("strategy")
    query = "&".join(f"{name}.{key}={value}" for key, value in given.items())
    page: Tune = tune(f"sample={sample}&strategy={name}&{query}")
    assert page.curve("c.element.dataset.agrees") == "true"
    curve = strategy.chunk(load_sample(sample)).evidence.curve
    assert curve is not None
    values = sorted({round(float(value), 4) for value in curve.similarities})
    thresholds = [-1.0, *values[:: max(1, len(values) // 25)], 1.0]
    for threshold in thresholds:
        config = {**given, "threshold": threshold, "threshold_mode": "absolute"}
        chunking = cv.get_strategy(name, **config).chunk(load_sample(sample))
        made = chunking.parents or chunking.chunks
        spans, tokens = page.page.evaluate(RULED, threshold)
        assert spans == [[chunk.start, chunk.end] for chunk in made], threshold
        assert tokens == [chunk.token_count for chunk in made], threshold


@pytest.mark.parametrize(
    ("sample", "strategy"),
    [
        ("essay", cv.Semantic(max_chunk_size=64, min_size=24)),
        ("matsuri", cv.Semantic(min_chunk_size=3, max_chunk_size=48)),
        ("contract", cv.SemanticParentChild(max_parent_size=160)),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_wherever_the_line_is_dragged_the_text_shows_what_the_core_makes(
    tune: Any, sample: str, strategy: cv.Strategy
) -> None:
    given = strategy.config()
    name = given.pop("strategy")
    query = "&".join(f"{name}.{key}={value}" for key, value in given.items())
    page: Tune = tune(f"sample={sample}&strategy={name}&{query}")
    low, high = page.curve("[c.picture.low, c.picture.high]")
    page.take_hold()
    seen = set()
    for step in range(1, 20):
        threshold = page.carry_to(low + (high - low) * step / 20)
        config = {**given, "threshold": threshold, "threshold_mode": "absolute"}
        chunking = cv.get_strategy(name, **config).chunk(load_sample(sample))
        made = [[each.start, each.end] for each in chunking.parents or chunking.chunks]
        assert page.viewer("v.chunks.fingerprint") == "preview"
        assert page.spans() == made, threshold
        seen.add(len(made))
    assert len(seen) > 3
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.settle()


@pytest.mark.parametrize("name", TEXTS)
def test_texts_in_other_scripts_follow_the_line_too(tune: Any, name: str) -> None:
    page: Tune = tune("strategy=semantic&semantic.threshold_mode=percentile")
    page.paste(TEXTS[name])
    page.settle()
    assert page.curve("c.element.dataset.agrees") == "true"
    document = cv.load_bytes(TEXTS[name].encode(), "pasted.md")
    made = cv.Semantic(threshold_mode="percentile").chunk(document)
    assert page.spans() == [[chunk.start, chunk.end] for chunk in made]
    page.take_hold()
    threshold = page.carry_to(page.curve("(c.picture.low + c.picture.high) / 2"))
    page.page.mouse.up()
    page.page.wait_for_function(
        "() => !new URLSearchParams(location.search).get('semantic.threshold')?.startsWith('2')"
    )
    page.settle()
    assert page.curve("c.threshold") == pytest.approx(threshold, abs=0.05)
    page.plot.focus()
    page.plot.press("ArrowRight")
    first = made.evidence.curve
    assert first is not None
    assert document.text[first.starts[0] : first.ends[0]].strip() in page.curve("c.parts.tooltip.innerText")


def test_a_text_with_nothing_to_compare_has_no_curve_and_the_next_one_has(tune: Any) -> None:
    page: Tune = tune("strategy=semantic")
    page.paste("One sentence.")
    page.page.get_by_text("The document has one segment, so there are no neighbours to compare.").wait_for()
    page.plot.wait_for(state="detached")
    page.paste("One paragraph has this. It has that as well. And a third sentence stands in it.")
    page.settle()
    assert page.curve("c.columns.similarities.length") == 2
    assert page.curve("c.element.dataset.agrees") == "true"


def test_while_the_line_moves_what_is_in_force_steps_back(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold=0.05")
    assert "not in force yet" not in page.curve("c.parts.said.textContent")
    page.drag_to(0.2, release=False)
    assert page.curve("c.parts.said.textContent").startswith("not in force yet")
    assert page.widget("numbers").evaluate("(each) => getComputedStyle(each).opacity") == "0.4"
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.settle()
    assert "not in force yet" not in page.curve("c.parts.said.textContent")
    assert page.widget("numbers").evaluate("(each) => getComputedStyle(each).opacity") == "1"


def test_the_keyboard_alone_reaches_curve_text_and_suggestions_in_this_order(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold_mode=percentile")
    page.widget("suggestion knee").get_by_role("button", name="Apply").wait_for()
    page.page.get_by_test_id("stMain").focus()
    met: list[str] = []
    while not (met and met[-1].endswith("Apply")) and len(met) < 60:
        page.page.keyboard.press("Tab")
        met.append(page.focused())
        if met[-1].startswith("Threshold on the"):
            assert page.page.evaluate(OUTLINED)
    order = [next((at for at, name in enumerate(met) if name.startswith(start)), -1) for start in (
        "Threshold on the", "Zoom in", "Text of",
    )]  # fmt: skip
    assert -1 not in order, met
    assert order == sorted(order), met
    page.page.keyboard.press("Enter")
    page.page.wait_for_function("() => !location.search.includes('threshold_mode=percentile')")
    page.settle()


def test_the_boundaries_follow_the_line_and_python_gets_the_value(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold=0.05")
    before = page.viewer("v.chunks.count")
    page.drag_to(0.2, release=False)
    preview = page.viewer("[v.chunks.fingerprint, v.chunks.count]")
    assert preview[0] == "preview"
    assert preview[1] != before
    assert page.curve("c.element.dataset.shown") == str(preview[1])
    page.page.mouse.up()
    page.page.wait_for_function("() => Number(new URLSearchParams(location.search).get('semantic.threshold')) > 0.15")
    page.settle()
    threshold = page.curve("c.threshold")
    assert threshold == pytest.approx(0.2, abs=0.01)
    chunking = cv.Semantic(threshold=threshold).chunk(load_sample("essay"))
    assert page.spans() == [[chunk.start, chunk.end] for chunk in chunking]


def test_a_dragged_percentile_stays_a_percentile(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold_mode=percentile")
    page.drag_to(0.12)
    page.page.wait_for_function("() => Number(new URLSearchParams(location.search).get('semantic.threshold')) > 60")
    page.settle()
    assert "threshold_mode=percentile" in page.page.url
    assert page.curve("c.threshold") == pytest.approx(0.12, abs=0.02)


def test_the_keys_move_the_line_and_walk_the_points(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold=0.05")
    page.plot.focus()
    press = "c.key(new KeyboardEvent('keydown', { key: 'ArrowUp' }))"
    shown = page.curve(f"[...Array(12)].map(() => ({press}, c.drawing(), c.parts.value.textContent))")
    assert len(set(shown)) == 12, "thresholds that differ are written differently"
    written = page.curve("c.parts.value.textContent").split()[-1]
    page.page.wait_for_function("() => Number(new URLSearchParams(location.search).get('semantic.threshold')) > 0.05")
    page.settle()
    assert page.curve("c.threshold") == float(written), "what was shown while it moved is what is in force"
    page.plot.press("ArrowRight")
    page.plot.press("ArrowRight")
    assert page.curve("c.pointed") == 1
    about = page.curve("c.parts.tooltip.innerText")
    assert "Similarity" in about
    assert "When I asked" in about or "She baked" in about
    page.plot.press("Enter")
    page.wait("v.layers.selected === 0")
    page.page.wait_for_function(f"() => {CURVE}.bodies.state.head.selected?.[0] === 0")
    page.page.keyboard.press("Tab")
    assert page.curve("c.parts.tooltip.hidden"), "it goes with the focus"


def test_a_click_on_a_point_goes_to_its_text_and_a_choice_there_shades_its_stretch(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold_mode=percentile")
    place = page.curve("c.inForce.cuts[5]")
    box = page.plot.bounding_box()
    x, y = page.curve(f"[c.picture.x(c.picture.places[{place}]), c.picture.y(c.picture.signal[{place}])]")
    page.page.mouse.click(box["x"] + x, box["y"] + y - 12)
    page.wait("v.layers.selected >= 4")
    selected = page.viewer("v.layers.selected")
    page.page.wait_for_function(f"(start) => {CURVE}.bodies.state.head.selected?.[0] === start",
                                arg=page.spans()[selected][0])  # fmt: skip
    page.page.locator(".scroller").focus()
    page.page.keyboard.press("End")
    last = page.spans()[-1]
    page.page.wait_for_function(f"(start) => {CURVE}.bodies.state.head.selected?.[0] === start", arg=last[0])


def test_a_suggestion_applies(tune: Any) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold_mode=percentile")
    page.page.get_by_role("button", name="Apply").first.click()
    page.page.wait_for_function("() => !location.search.includes('threshold_mode=percentile')")
    page.settle()
    assert page.curve("c.element.dataset.agrees") == "true"


def test_zoom_and_back(tune: Any) -> None:
    page: Tune = tune("sample=contract&strategy=semantic&semantic.threshold_mode=percentile")
    page.page.get_by_role("button", name="Zoom in").click()
    page.page.get_by_role("button", name="Zoom in").click()
    span = page.curve("c.picture.to - c.picture.from")
    assert span == pytest.approx(page.curve("c.picture.length") / 4)
    page.page.get_by_role("button", name="Whole document").click()
    assert not page.curve("c.picture.zoomed")


def test_hostile_text_is_words_in_the_tooltip(tune: Any) -> None:
    page: Tune = tune("strategy=semantic&semantic.threshold_mode=percentile")
    page.paste("<script>alert(1)</script> is here. <img src=x onerror=alert(2)> follows. *Third* one ends.")
    page.settle()
    page.plot.focus()
    page.plot.press("ArrowRight")
    assert "<script>alert(1)</script> is here." in page.curve("c.parts.tooltip.innerText")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1400])
def test_it_is_readable_and_fits(tune: Any, width: int, *, dark: bool) -> None:
    page: Tune = tune("sample=essay&strategy=semantic&semantic.threshold_mode=percentile", width=width, dark=dark)
    assert page.curve("c.element.dataset.theme") == ("dark" if dark else "light")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    for part in ("value", "said", "legend"):
        assert page.curve(CONTRAST.replace("PART", part)) >= 4.5, part


def test_twenty_thousand_segments_stay_usable(tune: Any) -> None:
    page: Tune = tune("strategy=semantic&semantic.threshold_mode=percentile&semantic.max_chunk_size=256")
    words = load_sample("essay").text.split(". ")
    text = ". ".join(f"{words[number % len(words)]} {number}" for number in range(20_000))
    page.page.set_default_timeout(180_000)
    page.choose("source", "Upload")
    page.upload("long.txt", text.encode())
    page.page.wait_for_function(f"() => {CURVE}?.columns?.similarities.length > 15000")
    page.settle()
    assert page.curve("c.element.dataset.agrees") == "true"
    page.drag_to(page.curve("(c.picture.low + c.picture.high) / 2"), release=False)
    assert page.viewer("v.chunks.fingerprint") == "preview"
    assert page.viewer("v.chunks.count") == int(page.curve("c.element.dataset.shown"))
    page.page.keyboard.press("Escape")
    page.page.mouse.up()
    page.settle()
    assert "zoom in to see each sign" in page.curve("c.parts.legend.innerText")
    for _ in range(12):
        page.plot.press("+")
    assert "zoom in" not in page.curve("c.parts.legend.innerText")
