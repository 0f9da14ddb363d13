"""Values -> Plotly figures; pure, and tested without Streamlit."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

_HEIGHT = 260
_MOST_POINTS = 1500
_FEW = 6
"""Chunks in the highest bar up to which every whole number is written on the axis, and no half."""
_COLOUR = "#5b84e6"
_MARKED = "#e08a1e"
_LIMIT = "#c8434f"


def token_histogram(
    edges: NDArray[np.int64],
    bins: NDArray[np.int64],
    *,
    limit: int | None = None,
    limit_name: str = "",
) -> go.Figure:
    """Return the histogram of chunk sizes: one bar a bin, a line at the model's limit.

    ``edges`` int64 (k + 1,) and ``bins`` int64 (n,) are those of ``metrics.size_bins``. A click on
    bar ``i`` reports point index ``i``.
    """
    heights = np.bincount(bins, minlength=len(edges) - 1)
    lows, highs = edges[:-1], edges[1:] - 1
    figure = go.Figure(
        go.Bar(
            x=((edges[:-1] + edges[1:]) / 2).tolist(),
            y=heights.tolist(),
            width=(np.diff(edges) * 0.94).tolist(),
            marker={"color": _COLOUR, "line": {"width": 0}},
            customdata=np.stack([lows, highs], axis=1).tolist() if len(heights) else [],
            hovertemplate="%{customdata[0]:,} to %{customdata[1]:,} tokens<br>%{y:,} chunks<extra></extra>",
            # The browser colours a clicked bar itself: were it done here, each click would make another chart,
            # which knows nothing of the click and cannot take it back.
            selected={"marker": {"color": _MARKED, "opacity": 1}},
            unselected={"marker": {"color": _COLOUR, "opacity": 1}},
        )
    )
    figure.update_layout(**layout_of("tokens in a chunk", "chunks", height=_HEIGHT, top=24), bargap=0)
    largest = int(edges[-1])
    if limit is not None and limit <= largest * 1.5:
        figure.add_vline(
            x=limit, line={"color": _LIMIT, "width": 2, "dash": "dash"},
            annotation={"text": f"{limit_name}: {limit:,}", "font": {"color": _LIMIT}, "yanchor": "bottom"},
            annotation_position="top left" if limit > largest / 2 else "top right",
        )  # fmt: skip
    figure.update_yaxes(tickformat=",d", rangemode="tozero", dtick=1 if heights.max(initial=0) <= _FEW else None)
    return figure


def size_along_document(
    starts: NDArray[np.int64], ends: NDArray[np.int64], counts: NDArray[np.int64], *, limit: int | None = None,
    limit_name: str = "", selected: int | None = None,
) -> go.Figure:  # fmt: skip
    """Return chunk sizes where they stand in the document, as a step line.

    Arrays are int64 (n,). Above 1,500 chunks only the smallest and largest of each stretch are drawn, so
    that the picture stays true to the extremes and a step sends little. A click reports the chunk's
    number, from 1, as ``customdata``.
    """
    shown = decimate(counts, _MOST_POINTS)
    middle = (starts + ends) // 2
    figure = go.Figure(
        go.Scattergl(
            x=middle[shown].tolist(), y=counts[shown].tolist(), mode="lines+markers",
            line={"color": _COLOUR, "width": 1, "shape": "hvh"},
            marker={"size": 7, "color": _COLOUR}, customdata=[[int(index) + 1] for index in shown],
            hovertemplate="chunk %{customdata[0]:,}<br>%{y:,} tokens<br>at character %{x:,}<extra></extra>",
            selected={"marker": {"opacity": 1}}, unselected={"marker": {"opacity": 1}}, showlegend=False,
        )
    )  # fmt: skip
    if selected is not None and selected < len(counts):
        figure.add_scatter(
            x=[int(middle[selected])], y=[int(counts[selected])], mode="markers", hoverinfo="skip", showlegend=False,
            marker={"size": 13, "color": _MARKED, "line": {"width": 0}},
        )  # fmt: skip
    figure.update_layout(**layout_of("character in the document", "tokens in the chunk", height=_HEIGHT, top=24))
    if limit is not None and len(counts) and limit <= int(counts.max()) * 1.5:
        figure.add_hline(
            y=limit, line={"color": _LIMIT, "width": 2, "dash": "dash"},
            annotation={"text": f"{limit_name}: {limit:,}", "font": {"color": _LIMIT}},
        )  # fmt: skip
    figure.update_yaxes(rangemode="tozero", tickformat=",d")
    figure.update_xaxes(tickformat=",d")
    return figure


def decimate(values: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the sorted indices (at most ``most``) of the least and greatest value in each equal stretch."""
    if len(values) <= most:
        return np.arange(len(values))
    stretches = np.array_split(np.arange(len(values)), most // 2)
    kept = [
        index
        for stretch in stretches
        for index in (stretch[values[stretch].argmin()], stretch[values[stretch].argmax()])
    ]
    return np.unique(np.array(kept, np.int64))


def layout_of(x: str, y: str, *, height: int, top: int = 8) -> dict[str, Any]:
    """Return the layout of a figure with two named axes, in pixels: ``height`` in all, ``top`` above the axes."""
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": top, "b": 8},
        "xaxis": {"title": {"text": x}, "automargin": True},
        "yaxis": {"title": {"text": y}, "automargin": True},
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"align": "left"},
    }
