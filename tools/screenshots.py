"""Take pictures of the running app: wide and narrow, light and dark.

    python tools/screenshots.py FOLDER [QUERY ...]

starts the app on a free loopback port, opens it in Chromium and writes one PNG per width and
theme for each query string (for example "sample=manual&strategy=fixed_size"). Without any query it
also renews docs/explore.png, the picture in the README.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chromium import ARGUMENTS, find_chromium
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
README_QUERY = "sample=manual&strategy=recursive&recursive.chunk_size=192&recursive.chunk_overlap=24"


@contextmanager
def running_app() -> Iterator[str]:
    """Start the app and yield its address; stop it at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()  # noqa: S310
            except (urllib.error.URLError, TimeoutError):
                time.sleep(0.1)
            else:
                break
        yield address
    finally:
        server.terminate()
        server.wait()


def open_page(browser: Browser, url: str, width: int, height: int, scheme: str) -> Page:
    """Open the app and wait until the document is drawn and nothing runs any more."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector('[data-testid="stMetric"]', timeout=60_000)
    page.wait_for_selector('[data-testid="stPlotlyChart"] .main-svg', timeout=60_000)
    page.wait_for_function("() => !document.querySelector('[data-testid=\"stStatusWidget\"]')")
    page.wait_for_timeout(700)
    return page


def main() -> None:
    """Take the pictures."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    queries = sys.argv[2:] or [README_QUERY]
    with running_app() as address, sync_playwright() as playwright, tempfile.TemporaryDirectory():
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))
        for number, query in enumerate(queries):
            for width in (1400, 390):
                for scheme in ("light", "dark"):
                    page = open_page(browser, f"{address}/?{query}", width, 900, scheme)
                    page.screenshot(path=folder / f"{number}-{width}-{scheme}.png")
                    main_part = page.locator('[data-testid="stMain"]')
                    page.set_viewport_size({"width": width, "height": 2600})
                    page.wait_for_timeout(500)
                    main_part.screenshot(path=folder / f"{number}-{width}-{scheme}-whole.png")
                    page.context.close()
        if not sys.argv[2:]:
            page = open_page(browser, f"{address}/?{README_QUERY}", 1400, 860, "light")
            page.screenshot(path=ROOT / "docs" / "explore.png")
        browser.close()


if __name__ == "__main__":
    main()
