"""Open pages, in the words the tests are written in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Locator, Page

SPANS = "Array.from(v.chunks.pointStarts, (start, index) => [start, v.chunks.pointEnds[index]])"
HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> & *stars* $x$ :red[no]"
READY = "v.element.dataset.chunking && v.painter.painted.size && v.pointed?.head.chunking === v.chunks.fingerprint"
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


class Screen:
    """One open page, in the words the tests are written in."""

    viewer_key = "viewer"

    def __init__(self, page: Page) -> None:
        self.page = page
        self.received = 0
        page.on("websocket", lambda wire: wire.on("framereceived", self._count))

    def _count(self, frame: bytes | str) -> None:
        self.received += len(frame)

    def viewer(self, script: str, argument: object = None) -> Any:
        """Evaluate ``script`` with ``v``, the viewer's own object in the browser."""
        return self.page.evaluate(
            f"(a) => {{ const v = chunkvizViewers.get('{self.viewer_key}').stage; return {script} }}", argument
        )

    def wait(self, script: str, argument: object = None) -> None:
        """Return once ``script`` holds of the viewer ``v``."""
        self.page.wait_for_function(
            f"(a) => {{ const v = globalThis.chunkvizViewers?.get('{self.viewer_key}')?.stage;"
            f" return v?.chunks && ({script}) }}",
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


class App(Screen):
    """The app in a tab; a page of its own derives from it and says when it is drawn."""

    path = ""
    """Of its address, behind the server's."""
    ready = READY
    """Of its viewer, once the page is drawn."""
    patience = 60_000
    """Milliseconds until a wait is given up."""

    def settle(self) -> None:
        """Return once the page is drawn: Streamlit fetches its widgets one by one, and shows a skeleton until then."""
        self.wait(self.ready)
        self.page.wait_for_function("() => !document.querySelector('[data-testid=stSkeleton]')")

    def widget(self, key: str) -> Locator:
        return self.page.locator(f".st-key-{re.sub('[^A-Za-z0-9_-]', '-', key)}")

    def choose(self, key: str, label: str) -> None:
        self.widget(key).get_by_role("radio", name=label, exact=True).click()

    def spans(self) -> list[list[int]]:
        return self.viewer(SPANS)

    def slide(self, key: str, press: str, *values: int) -> None:
        """Press a key on a slider for each value it shall take, and each time wait for the chunks it makes."""
        handle = self.widget(f"{key} slider").get_by_role("slider")
        _, parameter = key.split(".")
        for value in values:
            handle.press(press)
            self.page.wait_for_function(
                """([key, value]) => new URLSearchParams(location.search).get(key) === value
                  && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning" """,
                arg=[key, str(value)],
            )
            # The run can be over before the browser has drawn what it sent.
            self.wait(f"v.element.dataset.strategy.includes(a) && {READY}", f"{parameter}={value},")

    def paste(self, text: str) -> None:
        self.choose("source", "Paste")
        field = self.widget("pasted").get_by_role("textbox")
        field.fill(text)
        field.press("Control+Enter")
        self.shows(text)

    def upload(self, name: str, data: bytes) -> None:
        self.choose("source", "Upload")
        file: FilePayload = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
        self.widget("upload").locator("input[type=file]").set_input_files(file)

    def shows(self, text: str) -> None:
        """Return once a document with these words is open."""
        self.wait(f"v.text.text.includes(a) && {READY}", text)

    def card(self) -> str:
        return self.widget("card").inner_text()

    def go(self, page: str) -> None:
        self.page.get_by_role("link", name=page, exact=True).click()

    def point_on_chart(self, x: float, y: float) -> tuple[float, float]:
        """Place on the screen of a point given in the units of the chart's axes."""
        chart = self.page.locator(".stPlotlyChart .js-plotly-plot")
        chart.scroll_into_view_if_needed()
        return chart.evaluate(
            """(chart, [x, y]) => {
              const { xaxis, yaxis } = chart._fullLayout
              const box = chart.getBoundingClientRect()
              return [box.left + xaxis._offset + xaxis.d2p(x), box.top + yaxis._offset + yaxis.d2p(y)]
            }""",
            [x, y],
        )


Open = Callable[..., Any]
"""Opens the app: ``app(page, *, link, width, height, dark, query, **parameters)``, where ``page`` is ``App`` or a class
of its; a parameter's dot is written as two underscores."""
