"""Presenter mode in a real Chromium: the keys, the addresses, and what is left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from screens import App, Open

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

TITLES = (
    "A fixed cut does not read.",
    "Overlap softens the cut, and you pay for it.",
    "Cut where the text itself has a joint.",
    "Or where the subject changes.",
    "Search small, return large.",
    "Every choice has its price.",
)


class Presenter(App):
    path = "present"

    def settle(self) -> None:
        self.page.locator("[data-listens=arrows]").wait_for(state="attached")


def present(app: Open, step: int, **how: int | bool) -> Page:
    page: Page = app(Presenter, step=step, **how).page
    shows(page, step)
    return page


def shows(page: Page, step: int) -> None:
    page.get_by_role("heading", name=TITLES[step - 1]).wait_for()


def step_in_address(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("step", [])


def test_the_arrow_keys_move_and_the_address_follows(app: Open) -> None:
    page = present(app, 2)
    for step in (3, 4, 5, 6):
        page.keyboard.press("ArrowRight")
        shows(page, step)
        page.wait_for_function("step => new URLSearchParams(location.search).get('step') === step", arg=str(step))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    shows(page, 5)


def test_in_the_document_the_arrows_stay_the_documents(app: Open) -> None:
    page = present(app, 2)
    page.locator(".scroller").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name=TITLES[1]).click()
    page.keyboard.press("ArrowRight")
    shows(page, 3)
    assert step_in_address(page) == ["3"]


def test_explore_has_its_own_looks_again(app: Open) -> None:
    page = present(app, 5)
    assert not page.get_by_test_id("stSidebar").is_visible()
    page.get_by_role("button", name="Open this setting in Explore").click()
    App(page).wait("v.element.dataset.strategy.includes('Hierarchical(') && v.painter.painted.size")
    assert page.get_by_test_id("stSidebar").is_visible()
    assert page.get_by_role("link", name="Guide", exact=True).is_visible()
    assert "sample=contract" in page.url


@pytest.mark.parametrize("step", range(1, 7))
def test_it_fits_a_telephone(app: Open, step: int) -> None:
    page = present(app, step, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    next_step = page.get_by_role("button", name="Next step")
    box = next_step.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
