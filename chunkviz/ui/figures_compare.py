"""Settings side by side as Plotly figures; pure, tested without Streamlit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from chunkviz.ui.figures import layout_of
from chunkviz.ui.text import shortened

MOST_POINTS = 4_000
"""Points of a bar code, all strips and the gaps between lines included."""
_POINTS_OF_A_LINE = 3
_STRIP = 46
"""Height of a strip with its name, in pixels."""
_NAME_LINE = 0.56
"""Where a strip's lines end, of its height; its name stands above."""
_SHORT = 0.5
"""Height of a line that the reference does not share, of a whole one."""
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up")
_LONGEST_NAME = 34
"""Characters of a name that fit a telephone's width."""
_STEADY = {"selected": {"marker": {"opacity": 0}}, "unselected": {"marker": {"opacity": 0}}}


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """The boundaries of one setting along the document."""

    name: str
    """With its letter."""
    offsets: NDArray[np.int64]
    """Characters from the start, int64 (n,), ascending."""
    shared: NDArray[np.bool_]
    """Whether the reference cuts there, too, bool (n,); all true for the reference itself."""
    colour: str


def budget(strips: int) -> int:
    """Return how many lines each of so many strips may have."""
    return MOST_POINTS // (_POINTS_OF_A_LINE * max(1, strips))


def lines_of(strip: Strip, length: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return where the lines of a strip stand, int64 (m,), and how high they are, of a whole one, float64 (m,).

    A line stands for a boundary, and is half as high where the reference has none. Where there are more than
    ``most``, a line stands for the boundaries of one of ``most`` equal stretches of the document, at the first of
    them, and is as high as their number, of the greatest number in one stretch.
    """
    offsets = strip.offsets
    if len(offsets) <= most:
        return offsets, np.where(strip.shared, 1.0, _SHORT)
    stretches = offsets * most // max(1, length)
    _, first, counts = np.unique(stretches, return_index=True, return_counts=True)
    return offsets[first], counts / counts.max()


def bar_code(strips: Sequence[Strip], length: int) -> go.Figure:
    """Return a strip of lines for each setting along the document; a click reports the offset as ``customdata``.

    ``length`` is that of the document in characters.
    """
    figure = go.Figure()
    most = budget(len(strips))
    for place, strip in enumerate(strips):
        base = len(strips) - 1 - place
        offsets, heights = lines_of(strip, length, most)
        along = _with_gaps(offsets, offsets)
        figure.add_scatter(
            x=along, y=_with_gaps(np.full(len(offsets), float(base)), base + heights * _NAME_LINE),
            customdata=[[each] for each in along], mode="lines+markers", connectgaps=False,
            line={"color": strip.colour, "width": 1.5},
            # Lines take no clicks; markers do, seen or not.
            marker={"size": 10, "color": strip.colour, "opacity": 0}, **_STEADY,
            name=escape(strip.name), showlegend=False,
            hovertemplate="%{fullData.name}<br>character %{x:,}<extra></extra>",
        )  # fmt: skip
        figure.add_annotation(
            x=0, xref="paper", xanchor="left", y=base + _NAME_LINE + 0.02, yanchor="bottom", showarrow=False,
            text=f"{escape(shortened(strip.name, _LONGEST_NAME))} · {len(strip.offsets):,}",
            font={"color": strip.colour, "size": 12},
        )  # fmt: skip
    figure.update_layout(
        height=_STRIP * len(strips) + 58, margin={"l": 8, "r": 8, "t": 4, "b": 8}, dragmode=False,
        hovermode="closest", hoverlabel={"align": "left"},
        xaxis={"title": {"text": "character in the document"}, "range": [-0.005 * length, 1.005 * length],
               "tickformat": ",d", "automargin": True, "showgrid": False, "zeroline": False},
        yaxis={"visible": False, "range": [-0.06, len(strips)], "fixedrange": True},
    )  # fmt: skip
    return figure


def token_histograms(
    counts: Mapping[str, NDArray[np.int64]], edges: NDArray[np.int64], colours: Sequence[str]
) -> go.Figure:
    """Return the share of each setting's chunks by size as one stepped line; the legend shows and hides them.

    ``counts`` int64 (n,) by name in order; ``edges`` int64 (k + 1,) are those of ``metrics.size_bins``. Lines differ in
    dashes and signs, too, so that nobody needs to tell colours apart.
    """
    figure = go.Figure()
    middles = ((edges[:-1] + edges[1:]) / 2).tolist()
    lows, highs = edges[:-1].tolist(), (edges[1:] - 1).tolist()
    for place, (name, sizes) in enumerate(counts.items()):
        numbers = np.histogram(sizes, edges)[0]
        heights = numbers / max(1, len(sizes))
        figure.add_scatter(
            x=middles, y=heights.tolist(), mode="lines+markers", name=escape(shortened(name, _LONGEST_NAME)),
            line={"color": colours[place], "width": 2, "shape": "hvh", "dash": _DASHES[place % len(_DASHES)]},
            marker={"symbol": _SYMBOLS[place % len(_SYMBOLS)], "color": colours[place],
                    "size": [7 if height else 0 for height in heights.tolist()]},
            customdata=list(zip(lows, highs, numbers.tolist(), strict=True)),
            hovertemplate="%{fullData.name}<br>%{customdata[0]:,} to %{customdata[1]:,} tokens: %{customdata[2]:,} "
            "chunks, %{y:.0%}<extra></extra>",
        )  # fmt: skip
    figure.update_layout(
        **layout_of("tokens in a chunk", "share of the chunks", height=320), showlegend=True,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left", "title": {"text": ""}},
    )  # fmt: skip
    figure.update_xaxes(tickformat=",d")
    figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    return figure


def agreement_map(names: Sequence[str], cells: Sequence[Sequence[float | None]], ink: str) -> go.Figure:
    """Return the boundary F1 of every two settings as a heat map with its numbers; "–" where there is none.

    ``names`` begin with a letter, which alone stands along the other side; ``ink`` is the colour of the numbers.
    """
    letters = [name[:1] for name in names]
    rows = [escape(shortened(name, 22)) for name in names]
    text = [["–" if cell is None else f"{cell:.2f}" for cell in row] for row in cells]
    hover = [
        [f"{escape(one)}<br>{escape(other)}<br>F1 {text[y][x]}" for x, other in enumerate(names)]
        for y, one in enumerate(names)
    ]
    figure = go.Figure(
        go.Heatmap(
            x=letters, y=rows, z=cells, zmin=0, zmax=1, xgap=2, ygap=2, showscale=False, hovertext=hover,
            hoverinfo="text",
            # The page shines through where there is little, so that light and dark both read as "more".
            colorscale=[[0, "rgba(74, 116, 222, 0.05)"], [1, "rgba(74, 116, 222, 0.6)"]],
        )
    )  # fmt: skip
    figure.add_scatter(
        x=[letter for _ in rows for letter in letters], y=[row for row in rows for _ in letters], mode="text",
        text=[each for row in text for each in row], textfont={"size": 13, "color": ink}, hoverinfo="skip",
        showlegend=False,
    )  # fmt: skip
    # A title, even an empty one, would have room of its own above the letters.
    layout = layout_of("", "", height=44 * len(names) + 44, top=32)
    figure.update_layout(**layout | {"xaxis": {}, "yaxis": {"automargin": True}})
    figure.update_xaxes(type="category", showgrid=False, side="top", ticks="", automargin=False)
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed", ticks="")
    return figure


def _with_gaps(low: NDArray[Any], high: NDArray[Any]) -> list[float | None]:
    """Return low, high, nothing, low, high, nothing …, which draws one line for each."""
    points: list[float | None] = []
    for one, other in zip(low.tolist(), high.tolist(), strict=True):
        points += [one, other, None]
    return points
