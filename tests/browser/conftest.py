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
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from chromium import ARGUMENTS, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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


class Screen:
    """One open page, in the words the tests are written in."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.received = 0
        page.on("websocket", lambda wire: wire.on("framereceived", self._count))

    def _count(self, frame: bytes | str) -> None:
        self.received += len(frame)

    def viewer(self, script: str, argument: object = None) -> Any:
        """Evaluate ``script`` with ``v``, the viewer's own object in the browser."""
        return self.page.evaluate(
            f"(a) => {{ const v = chunkvizViewers.get('viewer').stage; return {script} }}", argument
        )

    def wait(self, script: str, argument: object = None) -> None:
        """Return once ``script`` holds of the viewer ``v``."""
        self.page.wait_for_function(
            f"(a) => {{ const v = globalThis.chunkvizViewers?.get('viewer')?.stage; return v?.chunks && ({script}) }}",
            arg=argument,
        )

    def painted(self) -> list[tuple[str, int, int]]:
        """Every painted piece as [layer, start, end] in UTF-16 units, read back from what is on the screen."""
        return self.viewer(READ_PAINT)

    def pieces(self, layer: str) -> list[str]:
        """The texts painted as ``layer``, in order."""
        return [self.text[start:end] for name, start, end in self.painted() if name == layer]

    @property
    def text(self) -> str:
        """What the blocks hold, as one string of UTF-16 units (each surrogate its own character)."""
        content = str(self.viewer("v.page.elements.map((each) => each.textContent).join('')"))
        units = content.encode("utf-16-le", "surrogatepass")
        return "".join(chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2))

    def python_says(self, words: str) -> None:
        """Return once the page below the viewer reads ``words``."""
        self.page.get_by_text(words).wait_for()

    def point_of(self, units: int) -> tuple[float, float]:
        """Middle of a character on the screen."""
        x, y = self.viewer(
            "(() => { const r = v.page.rectAt(a, false); return [r.left + r.width / 2, r.top + r.height / 2] })()",
            units,
        )
        return x, y


READ_PAINT = """(() => {
  const found = []
  const start = (node) => v.page.unitsAt(node, 0)
  if (v.element.dataset.painter === "highlights") {
    for (const [name, highlight] of CSS.highlights) {
      if (!name.endsWith(`-${v.suffix}`)) continue
      for (const range of highlight) {
        const base = start(range.startContainer)
        found.push([name.slice(0, -v.suffix.length - 1), base + range.startOffset, base + range.endOffset])
      }
    }
  } else {
    for (const span of v.root.querySelectorAll(".block span")) {
      const base = start(span.firstChild)
      for (const name of span.classList) found.push([name, base, base + span.textContent.length])
    }
  }
  return found.sort((one, other) => one[1] - other[1] || one[2] - other[2])
})()"""


@pytest.fixture
def show(chromium: Browser, server: str) -> Iterator[Callable[..., Screen]]:
    """Open the test page with query parameters; wait until its chunks are drawn."""
    opened = []

    def open_page(*, width: int = 1400, height: int = 1000, dark: bool = False, **query: object) -> Screen:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        screen = Screen(page)
        page.goto(f"{server}/?{urlencode(query)}")
        screen.wait("v.element.dataset.chunking && v.pointed")
        return screen

    yield open_page
    for context in opened:
        context.close()
