"""Time a slider step in a real browser: this viewer against the whole text redrawn as `<mark>` elements.

Both pages cut the same text with the same strategy and are driven by the same key presses on the
same slider. A step lasts from the key press until the second frame after the new chunks are in the
page, so that script run, wire, layout and painting are all in it. Bytes are those of the WebSocket.

    python benchmarks/browser.py                      # 1 MB and 10 MB of generated prose
    python benchmarks/browser.py a.txt b.txt          # texts of your own
    CHROMIUM=/path/to/chromium python benchmarks/browser.py --steps 9

Nothing is asserted about time; the table is for people.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

import streamlit
from playwright.sync_api import Page, WebSocket, sync_playwright

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "tools"))
from chromium import ARGUMENTS, find_chromium  # noqa: E402  it stands beside the other tools

PAGES = {"viewer": HERE / "browser_app.py", "naive": HERE / "browser_naive_app.py"}

SOUNDS = (
    "b|br|c|ch|cl|d|dr|f|fl|g|gr|h|j|k|l|m|n|p|pl|pr|qu|r|s|sh|sl|sp|st|str|t|th|tr|v|w|y",
    "a|e|i|o|u|ai|ea|ee|oo|ou",
    "|||b|ck|d|g|l|ll|m|n|nd|ng|nt|p|r|rd|rn|s|st|t",
)
"""Beginnings, middles and ends of syllables."""

FIND = """
globalThis.drawn = () => {
  const naive = document.querySelector("#naive")
  if (naive) return naive.dataset.steps
  for (const element of document.querySelectorAll("*")) {
    const viewer = element.shadowRoot?.querySelector(".viewer")
    if (viewer) {
      globalThis.drawn = () => viewer.dataset.chunking
      return viewer.dataset.chunking
    }
  }
}
globalThis.tasks = []
const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)))
watch.observe({ type: "longtask" })
"""

STEP = """
globalThis.step = new Promise((done) => {
  const before = drawn()
  tasks.length = 0
  addEventListener("keydown", (event) => {
    const start = event.timeStamp
    const look = () => {
      const now = drawn()
      if (now === undefined || now === before) return requestAnimationFrame(look)
      const changed = performance.now() - start
      requestAnimationFrame(() => requestAnimationFrame(() => done([changed, performance.now() - start])))
    }
    look()
  }, { capture: true, once: true })
})
undefined
"""


@dataclass
class Steps:
    """What the steps on one page cost."""

    seconds: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    long_tasks: list[float] = field(default_factory=list)
    longest: float = 0.0
    first_seconds: float = 0.0
    first_bytes: int = 0


def prose(characters: int, seed: int = 7) -> str:
    """Return non-repeating prose: invented words in Zipf's proportions, sentences, paragraphs, headings."""
    chance = random.Random(seed)  # noqa: S311  the same text on every machine
    onsets, vowels, codas = (part.split("|") for part in SOUNDS)
    words = sorted(
        {
            "".join(
                chance.choice(onsets) + chance.choice(vowels) + chance.choice(codas)
                for _ in range(1 + chance.randrange(3))
            )
            for _ in range(30_000)
        },
        key=len,
    )
    weights = [1 / (rank + 3) for rank in range(len(words))]
    parts: list[str] = []
    length = 0
    while length < characters:
        if chance.random() < 0.03:
            part = f"## {' '.join(chance.choices(words, weights, k=3)).capitalize()}\n\n"
        else:
            sentences = (
                " ".join(chance.choices(words, weights, k=chance.randint(5, 24))) for _ in range(chance.randint(2, 8))
            )
            part = " ".join(f"{sentence.capitalize()}." for sentence in sentences) + "\n\n"
        parts.append(part)
        length += len(part)
    return "".join(parts)[:characters]


@contextmanager
def served(page: Path, text: Path) -> Iterator[str]:
    """Run a Streamlit server on a free loopback port; yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(page), "--server.headless", "true"),
        *("--server.address", "127.0.0.1", "--server.port", str(port), "--browser.gatherUsageStats", "false"),
        *("--server.fileWatcherType", "none"),
    ]
    path = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "CHUNKVIZ_BENCHMARK_TEXT": str(text), "PYTHONPATH": path}
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_up(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait(20)


def wait_until_up(address: str) -> None:
    """Return once the server answers."""
    end = monotonic() + 60
    while monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310  our own server
                return
        except OSError:
            sleep(0.1)
    message = f"{address} does not answer"
    raise SystemExit(message)


def measure(page: Page, address: str, steps: int, size: int) -> Steps:
    """Open a page and press the slider's arrow key ``steps`` times."""
    found = Steps()
    received = 0

    def count(frame: bytes | str) -> None:
        nonlocal received
        received += len(frame)

    def listen(wire: WebSocket) -> None:
        wire.on("framereceived", count)

    page.on("websocket", listen)
    begun = monotonic()
    page.goto(f"{address}?size={size}")
    page.evaluate(FIND)
    page.wait_for_function("drawn() !== undefined", timeout=300_000)
    found.first_seconds = monotonic() - begun
    page.wait_for_timeout(1_500)
    found.first_bytes = received
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(steps + 1):  # the first warms up both sides
        received = 0
        page.evaluate(STEP)
        slider.press("ArrowRight", no_wait_after=True)
        _, painted = page.evaluate("step")
        page.wait_for_timeout(400)
        found.seconds.append(painted / 1000)
        found.sent.append(received)
        tasks = page.evaluate("tasks")
        found.long_tasks.append(sum(tasks))
        found.longest = max(found.longest, *tasks, 0.0)
    for values in (found.seconds, found.sent, found.long_tasks):
        del values[0]
    return found


def report(name: str, characters: int, chunks: int, found: dict[str, Steps]) -> None:
    """Print the rows of one document."""
    naive = statistics.median(found["naive"].seconds) if "naive" in found else None
    for page, steps in found.items():
        middle = statistics.median(steps.seconds)
        ratio = f"1/{naive / middle:.1f}" if naive and page != "naive" else "1"
        print(
            f"| {name} | {characters:,} | {chunks:,} | {page} | {middle * 1000:,.0f} | {ratio} "
            f"| {max(steps.sent):,} | {statistics.median(steps.long_tasks):,.0f} | {steps.longest:,.0f} "
            f"| {steps.first_seconds:.1f} | {steps.first_bytes:,} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "texts", nargs="*", type=Path, help="UTF-8 files; generated prose of 1 MB and 10 MB without them"
    )
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--size", type=int, default=1000, help="chunk size in characters")
    parser.add_argument("--only", choices=tuple(PAGES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        texts = options.texts
        if not texts:
            for megabytes in (1, 10):
                path = Path(folder) / f"prose {megabytes} MB"
                path.write_text(prose(megabytes * 1_000_000), "utf-8")
                texts.append(path)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))
        print(
            f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
            f"Streamlit {streamlit.__version__}, Chromium {browser.version}; medians of {options.steps} steps\n"
        )
        print(
            "| document | characters | chunks | page | step, ms | ratio | most bytes a step | long tasks, ms "
            "| longest, ms | first view, s | first bytes |\n|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|"
        )
        for text in texts:
            found = {}
            for name, page in PAGES.items():
                if options.only not in (None, name):
                    continue
                with served(page, text) as address:
                    tab = browser.new_page(viewport={"width": 1400, "height": 1000})
                    tab.set_default_timeout(300_000)
                    found[name] = measure(tab, address, options.steps, options.size)
                    tab.close()
            characters = len(text.read_text("utf-8"))
            report(text.name, characters, -(-characters // (options.size - 60)), found)
        browser.close()


if __name__ == "__main__":
    main()
