"""Lanes and findings in the viewer, in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import app_texts
import pytest

from chunkviz.lint import lint
from chunkviz.ui.viewer.lanes import disagreements, lanes_of

if TYPE_CHECKING:
    from screens import Screen

pytestmark = pytest.mark.browser
Show = Callable[..., "Screen"]

SCRIPT = "<script>alert(1)</script>"
TICKS = """[...v.root.querySelectorAll('.lanes .lane-tick')].map((tick) => {
  const box = tick.getBoundingClientRect()
  return {
    units: Number(tick.dataset.units),
    lane: Number(tick.className.match(/lane-(\\d)/)[1]),
    kind: tick.className.match(/all|some|own/)[0],
    middle: (box.top + box.bottom) / 2,
    left: box.left,
  }
})"""


def laned(show: Show, sizes: str = "120,200,240", **options: object) -> Screen:
    screen = show(**{"text": "words", "size": 120, "lanes": sizes, **options})
    screen.wait("v.root.querySelectorAll('.lanes .lane-tick').length > 0")
    return screen


def expected(name: str, *sizes: int) -> list[list[tuple[int, str]]]:
    """Return offset and kind of each boundary of each setting."""
    lanes = lanes_of([(str(size), app_texts.chunking(name, size)) for size in sizes])
    return [
        [
            (offset, "all" if shared else "own" if alone else "some")
            for offset, shared, alone in zip(lane.offsets.tolist(), lane.shared, lane.alone, strict=True)
        ]
        for lane in lanes
    ]


def in_window(screen: Screen, units: int) -> None:
    """Return once the character is in the window of the text."""
    screen.wait(
        """(() => {
          const [line, box] = [v.page.rectAt(a, true), v.parts.scroller.getBoundingClientRect()]
          return line && line.top >= box.top && line.bottom <= box.bottom
        })()""",
        units,
    )


def test_ticks_stand_beside_the_lines_of_their_boundaries(show: Show) -> None:
    screen = laned(show)
    ticks: list[dict[str, Any]] = screen.viewer(TICKS)
    wanted = expected("words", 120, 200, 240)
    for lane in range(3):
        mine = [(tick["units"], tick["kind"]) for tick in ticks if tick["lane"] == lane]
        assert mine == wanted[lane][: len(mine)]
        assert len(mine) >= 5
    assert {tick["kind"] for tick in ticks} == {"all", "some", "own"}
    for tick in ticks:
        line = screen.viewer(
            "(() => { const r = v.page.rectAt(a - 1, true); return [r.top, r.bottom] })()", tick["units"]
        )
        assert line[0] - 6 <= tick["middle"] <= line[1] + 6
    # Every setting that cuts at a place does so at one height.
    assert (
        len({round(tick["middle"]) for tick in ticks if tick["kind"] == "all"})
        == sum(tick["kind"] == "all" for tick in ticks) / 3
    )


def test_lanes_lie_left_of_numbers_and_text(show: Show) -> None:
    screen = laned(show)
    ticks = screen.viewer(TICKS)
    numbers = screen.viewer("v.root.querySelector('.chunk-number').getBoundingClientRect().left")
    assert max(tick["left"] for tick in ticks) + 13 <= numbers


def test_shapes_differ_where_colours_cannot_be_told_apart(show: Show) -> None:
    screen = laned(show)
    shapes = screen.viewer(
        """Object.fromEntries(["all", "some", "own"].map((kind) => {
          const style = getComputedStyle(v.root.querySelector(`.lanes .lane-tick.${kind}`), "::before")
          return [kind, `${style.rotate} ${style.borderTopWidth} ${style.height}`]
        }))"""
    )
    assert len(set(shapes.values())) == 3


def test_disagreements_are_gone_through_by_key_and_by_button(show: Show) -> None:
    screen = laned(show)
    lanes = lanes_of([(str(size), app_texts.chunking("words", size)) for size in (120, 200, 240)])
    places = disagreements(lanes).tolist()
    count = screen.page.locator(".disagreements .layer-count")
    assert count.inner_text() == f"{len(places)} disagreements"
    text = screen.page.locator(".scroller")
    for key, number in (("d", 1), ("d", 2), ("Shift+D", 1), ("Shift+D", 1)):
        text.press(key)
        assert count.inner_text() == f"Disagreement {number} of {len(places)}"
    for _ in range(len(places) - 1):
        screen.page.get_by_role("button", name="Next disagreement").click()
    assert count.inner_text() == f"Disagreement {len(places)} of {len(places)}"
    screen.wait("v.root.querySelector('.lane-cut.current')?.dataset.units === String(a)", places[-1])
    in_window(screen, places[-1] - 1)
    assert f"Disagreement {len(places)} of {len(places)}" in screen.page.locator(".live").inner_text()
    screen.page.get_by_role("button", name="Previous disagreement").press("d")
    assert count.inner_text() == f"Disagreement {len(places)} of {len(places)}"
    assert screen.viewer("v.layers.selected") == -1


def test_the_sentence_and_the_tooltip_name_who_cuts(show: Show) -> None:
    screen = laned(show, "120,240", names=f"fine|{SCRIPT}")
    alarms: list[str] = []
    screen.page.on("dialog", lambda dialog: (alarms.append(dialog.message), dialog.dismiss()))
    screen.page.locator(".scroller").press("d")
    assert screen.page.locator(".disagreements .layer-said").inner_text().startswith("A cuts here, B does not")
    screen.page.locator(".lanes .lane-tick.own").first.hover()
    tooltip = screen.page.locator(".tooltip")
    tooltip.wait_for()
    assert tooltip.inner_text().split("\n")[0] == "A cuts here, B does not"
    assert SCRIPT in tooltip.inner_text()
    assert screen.page.locator(".lane-heads .lane-sign").nth(1).get_attribute("title") == SCRIPT
    assert SCRIPT in screen.page.locator(".lane-key").inner_text()
    assert screen.page.locator(".viewer script").count() == 0
    screen.page.locator(".lanes .lane-tick.all").first.hover()
    assert tooltip.inner_text().split("\n")[0] == "Both settings cut here"
    assert alarms == []


def test_boundaries_of_some_are_seen_in_the_text(show: Show) -> None:
    screen = laned(show, "120,200")
    cuts = screen.viewer(
        "[...v.root.querySelectorAll('.lane-cut')].map((cut) => [Number(cut.dataset.units), cut.textContent])"
    )
    own = sorted(
        (offset, letter)
        for letter, lane in zip("AB", expected("words", 120, 200), strict=True)
        for offset, kind in lane
        if kind == "own"
    )
    assert [tuple(cut) for cut in cuts] == own[: len(cuts)]
    assert {letter for _, letter in cuts} == {"A", "B"}
    edge = screen.viewer("v.root.querySelector('.lane-cut').getBoundingClientRect().left")
    assert abs(edge - screen.viewer("v.page.rectAt(a - 1, true).right", cuts[0][0])) < 3


def test_settings_that_agree_say_so(show: Show) -> None:
    screen = laned(show, "120,120")
    assert screen.page.locator(".disagreements .layer-count").inner_text() == "No disagreement"
    assert "All settings cut at the same places." in screen.page.locator(".disagreements").inner_text()
    assert screen.page.get_by_role("button", name="Next disagreement").is_disabled()


def test_layers_go_when_they_are_no_longer_asked_for(show: Show) -> None:
    screen = laned(show)
    screen.page.get_by_text("Without layers").click()
    screen.wait("!v.element.classList.contains('laned') && !v.root.querySelector('.lane-tick')")
    assert screen.page.locator(".disagreements").is_hidden()
    before = screen.viewer("v.layers.selected")
    screen.page.locator(".scroller").press("d")
    assert screen.viewer("v.layers.selected") == before


CONTRAST = """(() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d")
  const pixels = (colour) => {
    context.fillStyle = colour
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }
  const linear = (each) => each <= 0.03928 * 255 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  const page = light(pixels(getComputedStyle(v.root.host ?? v.root).getPropertyValue("--st-background-color")))
  return [...v.root.querySelectorAll(".lane-heads .lane-sign")].map((sign) => {
    const [dark, bright] = [page, light(pixels(getComputedStyle(sign).color))].sort((one, other) => one - other)
    return (bright + 0.05) / (dark + 0.05)
  })
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_six_lanes_can_be_read_in_both_themes(show: Show, *, dark: bool) -> None:
    screen = laned(show, "120,200,240,300,360,480", dark=dark)
    contrasts = screen.viewer(CONTRAST)
    assert len(contrasts) == 6
    assert min(contrasts) >= 4.5


def test_six_lanes_fit_a_telephone(show: Show) -> None:
    screen = laned(show, "120,200,240,300,360,480", width=390, height=844)
    assert screen.viewer("v.element.scrollWidth <= v.element.clientWidth")
    assert screen.viewer("v.parts.scroller.scrollWidth <= v.parts.scroller.clientWidth")
    assert screen.viewer("v.parts.blocks.clientWidth") > 150


def test_behind_emoji_ticks_stand_where_the_text_is_cut(show: Show) -> None:
    screen = laned(show, "8,12", text="emoji")
    # Code points 8 and 16, and 12 and 24 without white space before them; each emoji takes two units.
    assert [tick["units"] for tick in screen.viewer(TICKS) if tick["lane"] == 0] == [11, 19]


def test_only_ticks_near_the_window_exist_in_a_long_text(show: Show) -> None:
    screen = laned(show, "240,300,360,420,480,600", text="long", size=300)
    assert screen.viewer("v.lanes.settings.lanes[0].offsets.length") > 5_000
    assert screen.viewer("v.root.querySelectorAll('.lane-tick, .lane-cut').length") < 1_600
    screen.viewer("v.page.scrollTo(v.text.text.length - 2000, 0.5)")
    screen.wait(
        "[...v.root.querySelectorAll('.lanes .lane-tick')].some((tick) => tick.dataset.units > a)",
        len(app_texts.TEXTS["long"]) - 2_000,
    )


STRIP = """(() => {
  const [canvas, scale] = [v.root.querySelector('.minimap'), devicePixelRatio || 1]
  const context = canvas.getContext('2d')
  const at = (x, units) => {
    const y = Math.floor((units / v.text.text.length) * canvas.clientHeight)
    return [...context.getImageData(Math.round(x * scale), Math.round((y + 0.5) * scale), 1, 1).data]
  }
  return a.map((units) => at(canvas.clientWidth - 11, units))
})()"""
"""Colour in the strip, right of the chunks, at each place: red, green, blue, opacity."""


def test_the_minimap_marks_where_the_settings_disagree(show: Show) -> None:
    screen = laned(show, "300,420", text="headings", size=300)
    wanted = [
        (offset, lane)
        for lane, each in enumerate(expected("headings", 300, 420))
        for offset, kind in each
        if kind == "own"
    ]
    height, length = screen.viewer("v.parts.minimap.clientHeight"), screen.viewer("v.text.text.length")
    rows = [int(offset / length * height) for offset, _ in wanted]
    # Alone in their row of pixels, and far behind what is in sight, whose frame lies over the marks.
    alone = [each for each, row in zip(wanted, rows, strict=True) if rows.count(row) == 1 and row > height * 0.6]
    assert {lane for _, lane in alone} == {0, 1}
    places = [offset for offset, _ in alone]
    screen.wait(f"{STRIP}.every((colour) => colour[3] === 255)", places)
    hexadecimal = screen.viewer("v.lanes.onMinimap().colours")
    for (_, lane), colour in zip(alone, screen.viewer(STRIP, places), strict=True):
        assert colour[:3] == list(bytes.fromhex(hexadecimal[lane].removeprefix("#")))
    assert "where the settings disagree" in (screen.page.locator(".minimap").get_attribute("title") or "")


def test_the_minimap_of_one_setting_has_no_such_marks(show: Show) -> None:
    screen = show(text="words", size=120)
    assert screen.page.locator(".minimap").get_attribute("title") == "Click or drag to move through the document"
    assert screen.viewer("v.parts.minimap.clientWidth") <= 22


def test_marks_of_ten_thousand_boundaries_are_counted_once(show: Show) -> None:
    screen = laned(show, "40,44,48,52,56,60", text="long", size=300)
    places = screen.viewer("v.lanes.settings.places.length")
    assert places > 50_000
    counted = """(() => {
      const marks = v.minimap.disagreements
      const before = marks.counts
      for (let turn = 0; turn < 5; turn++) v.draw()
      return [marks.counts === before, marks.counts.length, marks.counts.reduce((x, y) => x + y, 0)]
    })()"""
    same, rows, total = screen.viewer(counted)
    assert same, "scrolling counts nothing anew"
    assert rows <= 1_000
    assert total == places


def linted(show: Show, **options: object) -> Screen:
    screen = show(**{"text": "headings", "size": 330, "lint": 1, **options})
    screen.page.get_by_text("Lint:").click()
    screen.wait("v.findings.list && v.root.querySelector('.finding')")
    return screen


def test_icons_stand_at_the_lines_of_their_findings(show: Show) -> None:
    screen = linted(show)
    findings = lint(app_texts.chunking("headings", 330)).findings
    assert screen.viewer("v.findings.list.sentences") == [each.message for each in findings]
    icons = screen.viewer(
        """[...v.root.querySelectorAll('.finding')].map((icon) => {
          const box = icon.getBoundingClientRect()
          return [Number(icon.dataset.finding), icon.dataset.kind, (box.top + box.bottom) / 2]
        })"""
    )
    assert len(icons) > 3
    for row, kind, middle in icons:
        finding = findings[row]
        assert kind == finding.kind
        start = finding.span.start
        at = start - 1 if finding.span.start == finding.span.end and screen.text[start - 1].strip() else start
        rect = screen.viewer("(() => { const r = v.page.rectAt(a, false); return [r.top, r.bottom] })()", at)
        assert rect[0] - 4 <= middle <= rect[1] + 4


def test_findings_are_gone_through_by_key_and_by_button(show: Show) -> None:
    screen = linted(show)
    findings = lint(app_texts.chunking("headings", 330)).findings
    bar = screen.page.locator(".findings")
    text = screen.page.locator(".scroller")
    for key, number in (("f", 1), ("f", 2), ("Shift+F", 1)):
        text.press(key)
        assert bar.locator(".layer-count").inner_text() == f"Finding {number} of {len(findings)}"
        assert bar.locator(".layer-said").inner_text() == findings[number - 1].message
        assert findings[number - 1].message in screen.page.locator(".live").inner_text()
    for _ in range(len(findings) - 1):
        screen.page.get_by_role("button", name="Next finding").click()
    in_window(screen, findings[-1].span.start - 1)
    screen.wait("v.root.querySelector('.finding.current')")


def test_the_tooltip_of_an_icon_is_the_sentence(show: Show) -> None:
    screen = linted(show)
    findings = lint(app_texts.chunking("headings", 330)).findings
    screen.page.locator(".finding").first.hover()
    screen.page.locator(".tooltip").wait_for()
    assert findings[0].message in screen.page.locator(".tooltip").inner_text()


def test_a_kind_filters_the_icons_and_goes_to_its_first(show: Show) -> None:
    screen = linted(show)
    words = [each for each in lint(app_texts.chunking("headings", 330)).findings if each.kind == "word"]
    screen.page.get_by_role("radio", name="In a word").or_(screen.page.get_by_role("button", name="In a word")).click()
    screen.wait("v.findings.list.count === a", len(words))
    screen.wait("v.findings.current === 0")
    assert set(screen.viewer("[...v.root.querySelectorAll('.finding')].map((icon) => icon.dataset.kind)")) == {"word"}


def test_a_long_document_is_looked_through_in_a_job(show: Show) -> None:
    screen = show(text="long", size=1_500, lint=1)
    screen.page.set_default_timeout(120_000)
    screen.page.get_by_text("Lint:").click()
    screen.wait("v.findings.list && v.root.querySelector('.finding')")
    findings = lint(app_texts.chunking("long", 1_500)).findings
    assert screen.page.locator(".findings .layer-count").inner_text() == f"{len(findings):,} findings"


def test_findings_of_other_boundaries_are_not_shown(show: Show) -> None:
    screen = linted(show)
    screen.page.get_by_text("Lint:").click()
    screen.wait("!v.findings.list && !v.root.querySelector('.finding')")


def test_icons_fit_a_telephone(show: Show) -> None:
    screen = linted(show, width=390, height=844)
    assert screen.viewer("v.element.scrollWidth <= v.element.clientWidth")
    assert screen.viewer("v.parts.scroller.scrollWidth <= v.parts.scroller.clientWidth")
    right = screen.viewer(
        "Math.max(...[...v.root.querySelectorAll('.finding-icons')].map((e) => e.getBoundingClientRect().right))"
    )
    assert right <= screen.viewer("v.parts.scroller.getBoundingClientRect().right")
