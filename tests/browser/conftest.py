"""A Streamlit server and a Chromium for the tests that look at the screen."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import pytest
from chromium import ARGUMENTS, find_chromium
from screens import App, Open, Screen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  an optional dependency

        path = find_chromium()
    except ImportError:
        path, reason = None, "playwright is not installed"
    else:
        reason = "no Chromium is on this machine; set CHROMIUM to its path"
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the test page, which has nothing but a viewer."""
    with serving(HERE / "app.py", tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture(scope="session")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the app itself."""
    with serving(ROOT / "app.py", tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@contextmanager
def serving(script: Path, log: Path) -> Iterator[str]:
    """Run a Streamlit script on a free port, in its own folder so that its settings count; yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"),
        *("--server.address", "127.0.0.1", "--server.port", str(port), "--browser.gatherUsageStats", "false"),
        *("--server.fileWatcherType", "none"),
    ]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with log.open("w") as output:
        process = subprocess.Popen(  # noqa: S603  our own interpreter
            command, cwd=script.parent, env={**os.environ, "PYTHONPATH": path}, stdout=output, stderr=output
        )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_up(f"{address}/_stcore/health", log)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def wait_until_up(address: str, log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310  our own server
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the server does not answer:\n{log.read_text()}")


@pytest.fixture(scope="session")
def visitor(chromium: Browser) -> Iterator[BrowserContext]:
    """One browser for all tests, so that scripts are fetched and compiled once; each tab is a session of its own."""
    context = chromium.new_context(accept_downloads=True, permissions=["clipboard-read", "clipboard-write"])
    yield context
    context.close()


FORGET = """() => {
  if (!location.protocol.startsWith("http") || sessionStorage.opened) return
  localStorage.clear()
  sessionStorage.opened = "yes"
}"""
"""Run in a new tab before anything else: the tabs share a browser, which remembers an opened sidebar."""


def new_tab(context: BrowserContext, *, width: int, height: int, dark: bool, timeout: float) -> Page:
    page = context.new_page()
    page.add_init_script(f"({FORGET})()")
    page.set_viewport_size({"width": width, "height": height})
    # What moves while a page is built costs more than the page: it is drawn anew for every frame, without a GPU.
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    page.set_default_timeout(timeout)
    return page


@pytest.fixture
def show(visitor: BrowserContext, server: str) -> Iterator[Callable[..., Screen]]:
    """Open the test page with query parameters; wait until its chunks are drawn."""
    tabs = []

    def open_page(*, width: int = 1400, height: int = 1000, dark: bool = False, **query: object) -> Screen:
        page = new_tab(visitor, width=width, height=height, dark=dark, timeout=30_000)
        tabs.append(page)
        screen = Screen(page)
        page.goto(f"{server}/?{urlencode(query)}")
        screen.wait("v.element.dataset.chunking && v.pointed")
        return screen

    yield open_page
    for tab in tabs:
        tab.close()


@pytest.fixture
def app(visitor: BrowserContext, real_server: str) -> Iterator[Open]:
    """Open the app in a new tab. Whatever a test does: no other host is asked, no dialog opens, nothing fails."""
    tabs, requests, alarms = [], [], []

    def open_app(
        page: type[App] = App, *, link: str = "", width: int = 1400, height: int = 900, dark: bool = False,
        of: BrowserContext = visitor, query: dict[str, object] | None = None, **parameters: object,
    ) -> App:  # fmt: skip
        tab = new_tab(of, width=width, height=height, dark=dark, timeout=page.patience)
        tabs.append(tab)
        tab.on("request", lambda request: requests.append(request.url))
        tab.on("websocket", lambda wire: requests.append(wire.url))
        tab.on("dialog", lambda dialog: (alarms.append(dialog.message), dialog.dismiss()))
        tab.on("pageerror", lambda error: alarms.append(str(error)))
        screen = page(tab)
        asked = {**(query or {}), **{name.replace("__", "."): value for name, value in parameters.items()}}
        tab.goto(link or f"{real_server}/{page.path}?{urlencode(asked)}")
        screen.settle()
        return screen

    yield open_app
    for tab in tabs:
        if tab.is_closed():
            continue  # with the context that its test opened and closed
        assert not tab.locator(".stException").count()
        tab.close()
    own = urlsplit(real_server).netloc
    assert {
        url for url in requests if urlsplit(url).scheme not in {"data", "blob"} and urlsplit(url).netloc != own
    } == set()
    assert alarms == []
