"""What moving a threshold costs: frames while the line is dragged, and steps of the page, in Chromium.

Prints, for documents of about so many segments: the work of one position of the line (rule, picture, text), the
time between frames while the mouse drags it, and what a step of a slider costs until it is painted, beside the same
page drawn with `st.html` and Plotly shapes. Figures only; nothing here fails when it is slow.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
from pathlib import Path

import streamlit
from browser import FIND, HERE, STEP, find_chromium, prose, served
from chromium import ARGUMENTS
from playwright.sync_api import Page, sync_playwright

PAGES = {"ours": HERE / "tune_app.py", "naive": HERE / "tune_naive_app.py"}
CHARACTERS = 92
"""Characters of the prose for one segment, about."""

CURVE = "chunkvizViewers.get('curve').stage"
READY = f"globalThis.chunkvizViewers?.get('curve')?.stage?.inForce && {CURVE}.viewer?.chunks"

WORK = f"""() => {{
  const curve = {CURVE}
  const {{ low, high }} = curve.picture
  const times = {{ rule: [], picture: [], text: [] }}
  for (let step = 0; step < 40; step++) {{
    const threshold = low + ((step + 0.5) / 40) * (high - low)
    const marks = [performance.now()]
    const found = curve.rule.pieces(threshold)
    marks.push(performance.now())
    curve.preview = {{ threshold, found }}
    curve.drawMoving()
    marks.push(performance.now())
    curve.showInText(found)
    marks.push(performance.now())
    Object.keys(times).forEach((name, at) => times[name].push(marks[at + 1] - marks[at]))
  }}
  curve.forget()
  return times
}}"""

FRAMES = """
globalThis.frames = []
globalThis.watching = true
let last = performance.now()
const look = (now) => {
  frames.push(now - last)
  last = now
  if (watching) requestAnimationFrame(look)
}
requestAnimationFrame(look)
undefined
"""


def percentile(values: list[float], share: float) -> float:
    """Return the value that ``share`` of the values do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def drag(page: Page, moves: int) -> list[float]:
    """Drag the line up and down; return the milliseconds between frames meanwhile."""
    plot = page.get_by_role("slider", name="Threshold on the")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    if box is None:
        message = "the curve is not on the screen"
        raise SystemExit(message)
    x = box["x"] + box["width"] / 2
    at = page.evaluate(f"{CURVE}.picture.y({CURVE}.threshold)")
    page.mouse.move(x, box["y"] + at)
    page.mouse.down()
    page.evaluate(FRAMES)
    for move in range(moves):
        away = abs((move % 40) - 20) / 20
        page.mouse.move(x, box["y"] + 15 + away * (box["height"] - 60))
    page.evaluate("watching = false")
    frames: list[float] = page.evaluate("frames.slice(2)")
    page.keyboard.press("Escape")
    page.mouse.up()
    return frames


def steps_of(page: Page, steps: int) -> tuple[list[float], float]:
    """Press the slider's arrow key; return milliseconds until each step is painted, and the longest task."""
    page.evaluate(FIND)
    page.wait_for_function("drawn() !== undefined", timeout=300_000)
    page.wait_for_timeout(1_500)
    slider = page.locator(".stSlider").get_by_role("slider")
    slider.focus()
    times, longest = [], 0.0
    for _ in range(steps + 1):  # the first warms up both sides
        page.evaluate(STEP)
        slider.press("ArrowRight", no_wait_after=True)
        _, painted = page.evaluate("step")
        page.wait_for_timeout(400)
        times.append(painted)
        longest = max(longest, *page.evaluate("tasks"), 0.0)
    return times[1:], longest


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--segments", type=int, nargs="*", default=[1_000, 20_000])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--moves", type=int, default=120)
    parser.add_argument("--only", choices=tuple(PAGES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS))
        print(
            f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
            f"Streamlit {streamlit.__version__}, Chromium {browser.version}, no GPU\n"
        )
        for segments in options.segments:
            text = Path(folder) / f"{segments} segments"
            text.write_text(prose(segments * CHARACTERS), "utf-8")
            tasks: dict[str, float] = {}
            for name, script in PAGES.items():
                if options.only not in (None, name):
                    continue
                with served(script, text) as address:
                    page = browser.new_page(viewport={"width": 1400, "height": 1000})
                    page.set_default_timeout(300_000)
                    page.goto(address)
                    times, longest = steps_of(page, options.steps)
                    tasks[name] = longest
                    print(
                        f"- {name}, about {segments:,} segments: step {statistics.median(times):,.0f} ms, "
                        f"longest task {longest:,.0f} ms"
                    )
                    if name == "ours":
                        report_drag(page, options.moves)
                    page.close()
            if len(tasks) == len(PAGES):
                share = f"{tasks['ours'] / tasks['naive']:.0%}" if tasks["naive"] else "–"
                print(f"- longest task of ours as a share of the naive page's, about {segments:,} segments: {share}")
        browser.close()


def report_drag(page: Page, moves: int) -> None:
    """Print what a position of the line costs, and the frames of a drag."""
    page.wait_for_function(READY)
    page.wait_for_timeout(500)
    count, chunks = page.evaluate(f"[{CURVE}.columns.segmentEnds.length, {CURVE}.inForce.starts.length]")
    work = {part: statistics.median(times) for part, times in page.evaluate(WORK).items()}
    total = sum(work.values())
    print(
        f"  - {count:,} segments, {chunks:,} chunks; one position of the line: "
        + ", ".join(f"{part} {time:.1f} ms" for part, time in work.items())
        + f"; {total / count * 1000:.1f} ms for 1,000 segments"
    )
    frames = drag(page, moves)
    print(
        f"  - {len(frames):,} frames of a drag: median {statistics.median(frames):.1f} ms, "
        f"p95 {percentile(frames, 0.95):.1f} ms, longest {max(frames):.1f} ms; "
        f"median {statistics.median(frames) / count * 1000:.1f} ms for 1,000 segments (a frame has 16.7 ms)"
    )


if __name__ == "__main__":
    main()
