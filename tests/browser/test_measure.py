"""Text that is selected with the mouse, as Python hears of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from screens import App, Open, Screen

from chunkviz.samples import load_sample

pytestmark = pytest.mark.browser


def drag(screen: Screen, start: int, end: int) -> None:
    """Select with the mouse from before one UTF-16 unit to behind another."""
    boxes = screen.viewer(
        """[v.page.rectAt(a[0], false), v.page.rectAt(a[1] - 1, false)]
          .map((r) => [r.left, r.right, r.top + r.height / 2])""",
        [start, end],
    )
    (left, _, top), (_, right, bottom) = boxes
    screen.page.mouse.move(left + 1, top)
    screen.page.mouse.down()
    screen.page.mouse.move((left + right) / 2, (top + bottom) / 2, steps=3)
    screen.page.mouse.move(right - 1, bottom, steps=3)
    screen.page.mouse.up()


@pytest.mark.parametrize("how", [{}, {"dark": True}, {"width": 390, "height": 844}])
def test_text_selected_behind_emoji_is_told_in_code_points(show: Callable[..., Screen], how: dict[str, int]) -> None:
    screen = show(text="emoji", marking=1, **how)
    screen.python_says("marked=None")
    drag(screen, 14, 20)  # each dancer takes two units
    assert screen.viewer("v.page.selectedText(v.root)") == "target"
    screen.python_says("marked=(11, 17)")


def test_white_space_at_the_ends_of_a_selection_is_left_out(show: Callable[..., Screen]) -> None:
    screen = show(text="emoji", marking=1)
    drag(screen, 13, 21)
    assert screen.viewer("v.page.selectedText(v.root)") == " target "
    screen.python_says("marked=(11, 17)")


class Measure(App):
    path = "measure"
    viewer_key = "measure viewer"
    ready = "v.painter.painted.size && v.pointed"


def test_an_answer_marked_with_the_mouse_becomes_a_question(app: Open) -> None:
    measure: Measure = app(Measure)
    text = load_sample("essay").text
    answer = "In a bakery the flour is always one hundred per cent"
    start = text.index(answer)
    # It answers the question that is shown, so the document stands there already.
    measure.wait("v.page.inSight(a[0], a[1])", [start, start + len(answer)])
    measure.viewer("v.parts.reading.scrollIntoView({ block: 'end' })")
    measure.wait("v.page.rectAt(a, false).top > 80 && v.page.rectAt(a, false).bottom < innerHeight - 80", start)
    drag(measure, start, start + len(answer))
    measure.widget("use selected").get_by_role("button", disabled=False).click()
    measure.page.get_by_text(f"Answered by “{answer}”").wait_for()
    field = measure.widget("question wording").get_by_role("textbox")
    field.fill("What is one hundred per cent?")
    field.press("Enter")
    measure.widget("add question").get_by_role("button", disabled=False).click()
    measure.page.get_by_text("7 questions ·").wait_for()
    assert measure.widget("question shown").locator("input").input_value() == "7. What is one hundred per cent?"
