"""Sweep, histogram of similarities and self-similarity map as Plotly figures; pure, tested without Streamlit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from chunkviz.tuning import Outcome, Suggestion, Sweep, plateaus, widest_plateau
from chunkviz.vectors import SelfSimilarity

_COLOUR = "#5b84e6"
_MARKED = "#e08a1e"
_LIMIT = "#c8434f"
_QUIET = "#8a93a6"
_SHADE = "rgba(138, 147, 166, 0.16)"
_CLICKABLE = 60
"""Places along each side of the map that a click can tell apart; their square stays below 4,000 points."""
_MOST_SQUARES = 600
_WIDE = 0.04
"""Share of the values' range from which a plateau is wide enough to be seen."""
_STEADY = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}


def sweep_figure(
    found: Sweep, current: Outcome, *, limit: int | None = None, suggested: Mapping[str, Outcome] | None = None
) -> go.Figure:
    """Return what thresholds give in panels below each other: chunks, their tokens, and the share over a limit.

    Plateaus are shaded, the current threshold is a line, suggestions stand at theirs under their short names. A
    click on a point reports its place in ``found.outcomes`` as ``customdata``.
    """
    outcomes = found.outcomes
    titles = [
        found.noun,
        f"tokens of {found.noun}: <b>median</b> and p95",
        *([f"share of {found.noun} over {limit:,} tokens"] if limit else []),
    ]
    figure = make_subplots(
        rows=len(titles), cols=1, shared_xaxes=True, vertical_spacing=0.13, subplot_titles=titles,
        row_heights=[3, 3, 2][: len(titles)],
    )  # fmt: skip
    x = [each.threshold for each in outcomes]
    lines = [
        (1, [each.chunks for each in outcomes], _COLOUR, "%{y:,} " + found.noun),
        (2, [each.p95 for each in outcomes], _QUIET, "p95: %{y:,.0f} tokens"),
        (2, [each.median for each in outcomes], _COLOUR, "median: %{y:,.10g} tokens"),
    ]
    if limit:
        lines.append((3, [each.share_over(limit) for each in outcomes], _LIMIT, f"%{{y:.0%}} over {limit:,} tokens"))
    for row, y, colour, hover in lines:
        figure.add_scatter(
            x=x, y=y, row=row, col=1, mode="lines+markers", customdata=[[index] for index in range(len(x))],
            line={"color": colour, "width": 1.5, "shape": "hvh"}, marker={"size": 5, "color": colour},
            hovertemplate=f"%{{x:.3f}}: {hover}<extra></extra>", showlegend=False, **_STEADY,
        )  # fmt: skip
    for each in wide_plateaus(found):
        figure.add_vrect(x0=each[0], x1=each[1], fillcolor=_SHADE, line_width=0, layer="below", row="all", col=1)
    figure.add_vline(x=current.threshold, line={"color": _MARKED, "width": 2}, row="all", col=1)
    named = list((suggested or {}).items())
    figure.add_scatter(
        x=[each.threshold for _, each in named], y=[each.chunks for _, each in named], text=[name for name, _ in named],
        row=1, col=1, mode="markers+text", textposition="middle center", textfont={"color": "#ffffff", "size": 11},
        marker={"size": 18, "color": "#b3620a", "line": {"width": 0}}, hoverinfo="skip", showlegend=False,
        cliponaxis=False, **_STEADY,
    )  # fmt: skip
    low, high = _shown(found, current)
    figure.update_xaxes(range=[low, high], automargin=True)
    figure.update_xaxes(title={"text": f"threshold of {_signal(found.mode)}"}, row=len(titles))
    figure.update_yaxes(rangemode="tozero", tickformat=",d", automargin=True, nticks=5)
    if limit:
        figure.update_yaxes(tickformat=".0%", row=3)
    for title in figure.layout.annotations:
        title.update(x=0, xanchor="left", font={"size": 13})
    figure.update_layout(
        height=200 * len(titles) - (40 if limit else 0), margin={"l": 8, "r": 8, "t": 30, "b": 8}, dragmode=False,
        hoverlabel={"align": "left"}, hovermode="closest", hoverdistance=30,
    )  # fmt: skip
    return figure


def wide_plateaus(found: Sweep) -> list[tuple[float, float]]:
    """Return the ends of the stretches that are wide enough to be shaded, within the range of the values."""
    enough = (found.greatest - found.least) * _WIDE
    widest = widest_plateau(found)
    suggested = widest.outcome if isinstance(widest, Suggestion) else None
    return [
        (each.low, each.high)
        for each in plateaus(found)
        if (not each.edge and each.width >= enough > 0) or each.outcome == suggested
    ]


def _shown(found: Sweep, current: Outcome) -> tuple[float, float]:
    """Return the ends of the axis: all values and the current threshold, with a little room."""
    low, high = min(found.least, current.threshold), max(found.greatest, current.threshold)
    room = (high - low) * 0.03 or 0.1
    return low - room, high + room


def _signal(mode: str | None) -> str:
    return "the gradient of similarity" if mode == "gradient" else "similarity"


def similarity_histogram(
    signal: NDArray[np.float32], threshold: float | None = None, mode: str | None = None, bins: int = 40
) -> go.Figure:
    """Return how often neighbours are how similar; those below the threshold in the colour of its line.

    ``signal`` is float32 (n,): the similarities where a boundary may fall, or their gradient.
    """
    values = np.asarray(signal, np.float64)
    edges = np.histogram_bin_edges(values, bins) if len(values) else np.array([0.0, 1.0])
    below = np.zeros(len(values), np.bool_) if threshold is None else signal < threshold
    figure = go.Figure()
    for name, part, colour in (("below the threshold", values[below], _MARKED), ("others", values[~below], _COLOUR)):
        figure.add_bar(
            x=((edges[:-1] + edges[1:]) / 2).tolist(), y=np.histogram(part, edges)[0].tolist(),
            width=(np.diff(edges) * 0.94).tolist(), marker={"color": colour, "line": {"width": 0}}, name=name,
            customdata=np.stack([edges[:-1], edges[1:]], axis=1).tolist(), showlegend=False,
            hovertemplate=f"%{{customdata[0]:.3f}} to %{{customdata[1]:.3f}}<br>%{{y:,}} neighbours, {name}"
            "<extra></extra>",
        )  # fmt: skip
    if threshold is not None:
        figure.add_vline(
            x=threshold, line={"color": _MARKED, "width": 2},
            annotation={"text": f"threshold {threshold:.3f}", "font": {"color": _MARKED}, "yanchor": "bottom"},
            annotation_position="top right" if threshold < float(edges.mean()) else "top left",
        )  # fmt: skip
    figure.update_layout(
        height=300, margin={"l": 8, "r": 8, "t": 26, "b": 8}, barmode="stack", bargap=0, dragmode=False,
        xaxis={"title": {"text": f"{_signal(mode)} of neighbouring segments"}, "automargin": True},
        yaxis={"title": {"text": "neighbours"}, "automargin": True, "tickformat": ",d"},
    )  # fmt: skip
    return figure


def self_similarity_map(
    overview: SelfSimilarity, firsts: NDArray[np.int64], lasts: NDArray[np.int64], *, selected: int | None = None,
    pair: tuple[int, int] | None = None,
) -> go.Figure:  # fmt: skip
    """Return every stretch of the document against every other, with chunks as squares on the diagonal.

    ``firsts`` and ``lasts`` are int64 (m,): first and last segment of each chunk. ``selected`` is the
    chunk drawn thicker, ``pair`` the two segments marked by a cross. A click reports two segments, from
    0, as ``customdata``: the most similar pair under it, where a pixel has several.
    """
    low, high = colour_range(overview)
    edges = (overview.edges + 0.5).tolist()
    figure = go.Figure(
        go.Heatmap(
            x=edges, y=edges, z=overview.similarities, zmin=low, zmax=high, hoverinfo="skip",
            # The page shines through where there is little similarity, so light and dark both read as "more".
            colorscale=[[0, "rgba(74, 116, 222, 0.02)"], [1, "rgba(74, 116, 222, 1)"]],
            # Above and not beside the map, which would leave a telephone little of it.
            colorbar={"title": {"text": "similarity", "side": "top"}, "orientation": "h", "thickness": 10, "len": 0.7,
                      "y": 1.01, "yanchor": "bottom", "outlinewidth": 0, "tickformat": ".2f", "nticks": 5},
        )
    )  # fmt: skip
    kept = _squares_that_show(firsts, lasts)
    figure.add_scatter(
        **_outline(firsts[kept], lasts[kept]), mode="lines", line={"color": _QUIET, "width": 2}, hoverinfo="skip",
        showlegend=False,
    )  # fmt: skip
    if selected is not None and selected < len(firsts):
        one = slice(selected, selected + 1)
        figure.add_scatter(
            **_outline(firsts[one], lasts[one]), mode="lines", line={"color": _MARKED, "width": 3}, hoverinfo="skip",
            showlegend=False,
        )  # fmt: skip
    if pair is not None:
        figure.add_scatter(
            x=[pair[1] + 1], y=[pair[0] + 1], mode="markers", hoverinfo="skip", showlegend=False,
            marker={"size": 13, "symbol": "x-thin", "line": {"color": _MARKED, "width": 3}},
        )  # fmt: skip
    places = clickable(overview)
    figure.add_scattergl(
        x=[place[3] for place in places], y=[place[2] for place in places], mode="markers", showlegend=False,
        customdata=[[place[0], place[1]] for place in places], marker={"size": 9, "color": _MARKED, "opacity": 0},
        hovertext=[_pair_text(overview, place[0], place[1]) for place in places], hoverinfo="text",
        selected={"marker": {"opacity": 0}}, unselected={"marker": {"opacity": 0}},
    )  # fmt: skip
    count = int(overview.edges[-1])
    figure.update_layout(
        height=540, margin={"l": 8, "r": 8, "t": 70, "b": 8}, dragmode=False, hovermode="closest", hoverdistance=30,
        xaxis={"title": {"text": "segment"}, "range": [0.5, count + 0.5], "constrain": "domain", "showgrid": False},
        yaxis={"title": {"text": "segment"}, "range": [count + 0.5, 0.5], "constrain": "domain", "showgrid": False,
               "scaleanchor": "x"},
    )  # fmt: skip
    return figure


def colour_range(overview: SelfSimilarity) -> tuple[float, float]:
    """Return the similarities between which colours are told apart: 98 of 100 pairs of different stretches."""
    if len(overview) < 2:  # noqa: PLR2004  a pair
        return 0.0, 1.0
    others = overview.similarities[~np.eye(len(overview), dtype=np.bool_)]
    low, high = (float(each) for each in np.percentile(others, [1, 99]))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def clickable(overview: SelfSimilarity, most: int = _CLICKABLE) -> list[tuple[int, int, float, float]]:
    """Return at most ``most`` squared places: two segments, and where on the two axes the place lies.

    The two are the beginnings of the most similar pair of different stretches there.
    """
    count = len(overview)
    bounds = np.linspace(0, count, min(count, most) + 1).astype(np.int64)
    hidden = overview.similarities.copy()
    np.fill_diagonal(hidden, -2)
    starts = overview.edges.tolist()
    places = []
    for row in range(len(bounds) - 1):
        for column in range(len(bounds) - 1):
            block = hidden[bounds[row] : bounds[row + 1], bounds[column] : bounds[column + 1]]
            one, other = divmod(int(block.argmax()), block.shape[1])
            middles = [(starts[bounds[at]] + starts[bounds[at + 1]] + 1) / 2 for at in (row, column)]
            places.append((starts[bounds[row] + one], starts[bounds[column] + other], middles[0], middles[1]))
    return places


def stretch_of(overview: SelfSimilarity, segment: int) -> int:
    """Return the stretch that a segment is in."""
    return int(np.searchsorted(overview.edges, segment, "right")) - 1


def _pair_text(overview: SelfSimilarity, one: int, other: int) -> str:
    first, second = stretch_of(overview, one), stretch_of(overview, other)
    value = float(overview.similarities[first, second])
    if overview.pooled:
        names = [f"{overview.edges[at] + 1:,}–{overview.edges[at + 1]:,}" for at in (first, second)]
        return f"segments {names[0]} and {names[1]}<br>mean similarity {value:.3f}"
    return f"segments {one + 1:,} and {other + 1:,}<br>similarity {value:.3f}"


def _squares_that_show(firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which chunks get a square: each stretch of segments once, and of too many the longest."""
    if not len(firsts):
        return np.zeros(0, np.int64)
    _, kept = np.unique(np.stack([firsts, lasts]), axis=1, return_index=True)
    longest = kept[np.argsort(-(lasts - firsts)[kept], kind="stable")][:_MOST_SQUARES]
    return np.sort(longest).astype(np.int64)


def _outline(firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> dict[str, list[float]]:
    """Return the corners of squares as one line that is lifted between them."""
    low, high = firsts + 0.5, lasts + 1.5
    lifted = np.full(len(firsts), np.nan)
    return {
        "x": np.stack([low, high, high, low, low, lifted], axis=1).ravel().tolist(),
        "y": np.stack([low, low, high, high, low, lifted], axis=1).ravel().tolist(),
    }
