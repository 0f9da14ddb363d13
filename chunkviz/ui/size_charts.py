"""Charts of sizes whose bars and points choose what they stand for: the same on every page that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from chunkviz.metrics import size_bins
from chunkviz.ui import session
from chunkviz.ui.charts import draw_chart
from chunkviz.ui.figures import size_along_document, token_histogram

if TYPE_CHECKING:
    from numpy.typing import NDArray

View = Literal["Histogram", "Along the document"]
VIEWS: tuple[View, ...] = ("Histogram", "Along the document")


def name_of(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> str:
    """Return a name for charts of these spans, so that a selection of bars ends with the bars."""
    return f"{len(starts)} {int(starts.sum())} {int(ends.sum())}"


def chosen_in_charts(name: str, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], int | None]:
    """Return the places in the bars that are selected, int64, and that of a point clicked since the last run.

    ``name`` and ``counts`` (int64 (n,), tokens) are those the charts were drawn with.
    """
    bars = _points(f"histogram {name}", "point_index")
    marked = np.flatnonzero(np.isin(size_bins(counts)[1], bars)) if bars else np.zeros(0, np.int64)
    clicked = _points(f"along {name}", "customdata")
    place = clicked[0][0] - 1 if clicked and isinstance(clicked[0], list | tuple) else None
    fresh = place is not None and place < len(counts) and session.get("clicked along") != (name, place)
    session.put("clicked along", (name, place))
    return marked, place if fresh else None


def draw_size_chart(
    view: View, name: str, starts: NDArray[np.int64], ends: NDArray[np.int64], counts: NDArray[np.int64], *,
    limit: int | None = None, limit_name: str = "", selected: int | None = None, noun: str = "chunk",
) -> str:  # fmt: skip
    """Draw one of the two charts; return what a click on it does, for people.

    ``starts``, ``ends`` and ``counts`` are int64 (n,): spans in characters, and tokens. ``selected`` is the place
    marked along the document.
    """
    if view == "Histogram":
        figure = token_histogram(*size_bins(counts), limit=limit, limit_name=limit_name)
        alt = f"Histogram of the number of tokens in each {noun}"
        hint = "Click a bar to mark its chunks in the document and list them alone; click it again to end that."
    else:
        figure = size_along_document(starts, ends, counts, limit=limit, limit_name=limit_name, selected=selected)
        alt = f"Tokens of each {noun} along the document"
        hint = "Click a point to go to its chunk." if noun != "parent" else "Click a point to go to its first chunk."
    key = f"{'histogram' if view == 'Histogram' else 'along'} {name}"
    draw_chart(figure, key=key, on_select="rerun", alt=alt)
    return hint


def _points(key: str, field: str) -> list[Any]:
    selection = (session.get(key) or {}).get("selection", {})
    return [point[field] for point in selection.get("points", []) if field in point]
