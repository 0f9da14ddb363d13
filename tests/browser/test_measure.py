"""Text that is selected with the mouse, as Python hears of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from screens import Screen

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
