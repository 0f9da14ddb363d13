"""Sweeps of measured settings as Plotly figures; pure, tested without Streamlit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from chunkviz.ui.figures import layout_of

_COLOUR = "#5b84e6"
_MARKED = "#e08a1e"
_QUIET = "#8a93a6"
_DARK, _LIGHT = "#1d2230", "#ffffff"
_DEEP = 0.75
"""Share from which a cell is so deep that light figures are read better than dark ones."""
_HEIGHT = 340
_STEADY = {"selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 1}}}


@dataclass(frozen=True, slots=True)
class Point:
    """One measured setting of a sweep."""

    values: tuple[float, ...]
    """Of the parameters that were swept, one or two."""
    mean: float
    """Of the measure that is shown, with its bootstrap interval."""
    low: float
    high: float
    recall: float
    tokens: float
    """Retrieved for a question, on average."""


def sweep_line(points: Sequence[Point], parameter: str, measure: str, current: int | None = None) -> go.Figure:
    """Return a measure along one parameter, with its intervals; a click reports the point's place as ``customdata``."""
    figure = go.Figure(
        go.Scatter(
            x=[each.values[0] for each in points], y=[each.mean for each in points], mode="lines+markers",
            error_y={"type": "data", "symmetric": False, "array": [each.high - each.mean for each in points],
                     "arrayminus": [each.mean - each.low for each in points], "color": _QUIET, "thickness": 1.5,
                     "width": 4},
            line={"color": _COLOUR, "width": 1.5},
            marker={"size": 10, "color": [_MARKED if place == current else _COLOUR for place in range(len(points))]},
            customdata=[[place] for place in range(len(points))],
            hovertext=[_about(each, (parameter,), measure) for each in points], hoverinfo="text", **_STEADY,
        )
    )  # fmt: skip
    figure.update_layout(**layout_of(parameter, f"{measure}, 95 % interval", height=_HEIGHT, top=16))
    figure.update_yaxes(range=[-0.03, 1.03], tickformat=".1f")
    return figure


def sweep_map(
    points: Sequence[Point],
    parameters: tuple[str, str],
    measure: str,
    current: int | None = None,
    *,
    axes: tuple[Sequence[float], Sequence[float]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """Return a measure over two parameters as a heat map with its numbers; what was not measured stays empty.

    ``axes`` are the values of both that are swept, in order, so that the map has its places from the beginning;
    without them it has those of ``points``. ``dark`` is the theme of the page, which shines through: the numbers must
    be read on either. A click reports the point's place as ``customdata``.
    """
    rows, columns = axes or (sorted({each.values[0] for each in points}), sorted({each.values[1] for each in points}))
    known = {each.values: each for each in points}
    cells: list[list[float | None]] = [
        [known[row, column].mean if (row, column) in known else None for column in columns] for row in rows
    ]
    figure = go.Figure(
        go.Heatmap(
            x=[_shown(each) for each in columns], y=[_shown(each) for each in rows], z=cells, hoverinfo="skip",
            zmin=0, zmax=1, xgap=2, ygap=2,
            # The page shines through where there is little, so that light and dark both read as "more".
            colorscale=[[0, "rgba(36, 80, 184, 0.04)"], [1, "rgba(36, 80, 184, 0.95)"]], showscale=False,
        )
    )  # fmt: skip
    figure.add_scatter(
        x=[_shown(each.values[1]) for each in points], y=[_shown(each.values[0]) for each in points],
        mode="markers+text", text=[f"{each.mean:.2f}" for each in points],
        textfont={"size": 13, "color": [_LIGHT if dark or each.mean > _DEEP else _DARK for each in points]},
        marker={"size": 34, "symbol": "square", "color": "rgba(0, 0, 0, 0)",
                "line": {"width": [2 if place == current else 0 for place in range(len(points))], "color": _MARKED}},
        customdata=[[place] for place in range(len(points))], showlegend=False,
        hovertext=[_about(each, parameters, measure) for each in points], hoverinfo="text", **_STEADY,
    )  # fmt: skip
    height = max(_HEIGHT, 44 * len(rows) + 80)
    figure.update_layout(**layout_of(parameters[1], parameters[0], height=height, top=16))
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(type="category", showgrid=False)
    return figure


def pareto(points: Sequence[Point], parameters: Sequence[str], current: int | None = None) -> go.Figure:
    """Return recall against tokens retrieved; the line joins what nothing beats in both.

    A click reports the point's place as ``customdata``.
    """
    best = front(points)
    figure = go.Figure(
        go.Scatter(
            x=[points[place].tokens for place in best], y=[points[place].recall for place in best], mode="lines",
            line={"color": _QUIET, "width": 1.5, "shape": "hv"}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    figure.add_scatter(
        x=[each.tokens for each in points], y=[each.recall for each in points], mode="markers", showlegend=False,
        marker={"opacity": 1, "size": [13 if place == current else 10 for place in range(len(points))],
                "color": [_MARKED if place == current else _COLOUR for place in range(len(points))],
                "symbol": ["circle" if place in best else "circle-open" for place in range(len(points))]},
        customdata=[[place] for place in range(len(points))],
        hovertext=[_about(each, parameters, "recall", each.recall) for each in points], hoverinfo="text", **_STEADY,
    )  # fmt: skip
    named = "tokens retrieved for a question, on average"
    figure.update_layout(**layout_of(named, "recall", height=_HEIGHT, top=16))
    figure.update_xaxes(rangemode="tozero", tickformat=",d")
    figure.update_yaxes(range=[-0.03, 1.03], tickformat=".1f")
    return figure


def front(points: Sequence[Point]) -> list[int]:
    """Return the places of the points that no other beats, with as much recall for fewer tokens or more for as many.

    In order of tokens; of equal points the first counts.
    """
    kept: list[int] = []
    for place in sorted(range(len(points)), key=lambda each: (points[each].tokens, -points[each].recall, each)):
        if not kept or points[place].recall > points[kept[-1]].recall:
            kept.append(place)
    return kept


def _about(point: Point, parameters: Sequence[str], measure: str, mean: float | None = None) -> str:
    named = [f"{name} {_shown(value)}" for name, value in zip(parameters, point.values, strict=True)]
    interval = f" [{point.low:.2f}, {point.high:.2f}]" if mean is None and not math.isnan(point.low) else ""
    number = point.mean if mean is None else mean
    return "<br>".join([*named, f"{measure} {number:.2f}{interval}", f"{point.tokens:,.0f} tokens a question"])


def _shown(value: float) -> str:
    return f"{value:,.10g}"
