"""The pictures of the comparison: bar code, histograms of sizes, map of agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.metrics import size_bins
from chunkviz.span import Span
from chunkviz.ui import session
from chunkviz.ui.charts import draw_chart
from chunkviz.ui.compare import measured
from chunkviz.ui.compare.table import Terms
from chunkviz.ui.figures_compare import Strip, agreement_map, bar_code, budget, token_histograms
from chunkviz.ui.viewer.lanes import LANE_COLOURS, LANE_LETTERS, Lane

_INK = {"light": "#1d2230", "dark": "#e6e8ee"}
"""Colour of numbers on a heat map, by theme."""
_AROUND = 20
"""Characters outlined on either side of a boundary that was clicked."""


def colours() -> tuple[str, ...]:
    """Return the colour of each lane in the theme of the page."""
    return LANE_COLOURS["dark" if session.is_dark() else "light"]


def draw_bar_code(lanes: Sequence[Lane], reference: int, document: Document) -> Span | None:
    """Draw a strip for each lane; return a place around a boundary that was clicked since the last run.

    ``reference`` is the place of one of the lanes.
    """
    strips = [
        Strip(f"{letter} {lane.name}", lane.offsets, lane.cut_by[:, reference], colour)
        for letter, lane, colour in zip(LANE_LETTERS, lanes, colours(), strict=False)
    ]
    key = f"bar code {document.id} {len(strips)} {sum(int(each.offsets.sum()) for each in strips)}"
    draw_chart(
        bar_code(strips, max(1, len(document))), key=key, on_select="rerun",
        alt="Boundaries of each setting along the document",
    )  # fmt: skip
    most = budget(len(strips))
    thinned = [f"**{each.name[0]}**" for each in strips if len(each.offsets) > most]
    letter = LANE_LETTERS[reference]
    words = f"A line is a boundary; half a line, one that **{letter}** does not have. Click one to go there."
    if thinned:
        stretch = max(1, round(len(document) / most))
        words += (
            f" In {', '.join(thinned)} a line stands for the boundaries of about {stretch:,} characters, and its "
            "height for how many they are."
        )
    st.caption(words)
    return _clicked(key, document)


def _clicked(key: str, document: Document) -> Span | None:
    points = (session.get(key) or {}).get("selection", {}).get("points", [])
    found = points[0].get("customdata") if points else None
    offset = found[0] if isinstance(found, list | tuple) and found else found
    fresh = isinstance(offset, int | float) and session.get("clicked in bar code") != (key, offset)
    session.put("clicked in bar code", (key, offset))
    if not fresh or not isinstance(offset, int | float):
        return None
    at = int(offset)
    return Span(max(0, at - _AROUND), min(len(document), at + _AROUND))


def draw_sizes(labelled: Sequence[tuple[str, Chunking]]) -> None:
    """Draw the sizes of every setting over the same bins; labels begin with the letter."""
    counts = {label: chunking.token_counts for label, chunking in labelled}
    edges, _ = size_bins(np.concatenate(list(counts.values())))
    figure = token_histograms(counts, edges, colours())
    draw_chart(figure, key="compare sizes", alt="Histograms of the tokens in a chunk, one a setting")
    encodings = {chunking.tokens.tokenizer.name for _, chunking in labelled}
    counted = (
        "" if len(encodings) == 1 else f" The settings are counted in different tokens: {', '.join(sorted(encodings))}."
    )
    st.caption(
        "Which share of a setting's chunks has so many tokens. Click a name above the picture to hide or show "
        f"it.{counted}"
    )


def draw_map(labelled: Sequence[tuple[str, Chunking]], terms: Terms) -> None:
    """Draw the F1 of every two settings, as far as it is known; labels begin with the letter."""

    def cell(one: Chunking, other: Chunking) -> float | None:
        task = measured.f1_of(one, other, tolerance=terms.tolerance)
        found: float | None = measured.known(task)
        return found

    cells = [
        [cell(*((one, other) if i <= j else (other, one))) for j, (_, other) in enumerate(labelled)]
        for i, (_, one) in enumerate(labelled)
    ]
    ink = _INK["dark" if session.is_dark() else "light"]
    draw_chart(
        agreement_map([label for label, _ in labelled], cells, ink), key="agreement map",
        alt="Boundary F1 of every two settings",
    )  # fmt: skip
    st.caption("F1 of every two settings: 1 where all boundaries are shared, 0 where none is, – where neither has one.")
