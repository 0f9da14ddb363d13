"""Heat: how strongly each chunk answers a question, for the viewer to paint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STRENGTHS = 3
"""Strengths that can be told apart, from 1; 0 is no heat."""


@dataclass(frozen=True, eq=False)
class Heat:
    """Strength of every chunk, and which are hits."""

    levels: NDArray[np.int64]
    """int64 (n,), 0 to 3."""
    hits: Mapping[int, str] = field(default_factory=dict)
    """By index of the chunk, best first, what the tooltip says of the hit, such as "BM25 7.31"."""
    bounds: tuple[float, ...] = ()
    """Least score of each strength, weakest first; the legend names them."""
    unit: str = ""
    """What the scores are."""
    come: int = 0
    """A number that grows when the document itself should come into sight, as on a telephone."""
    seek: int = 0
    """A number that grows when the selected chunk should come into sight again."""

    def head(self) -> dict[str, Any]:
        """Return what the pointer message says of it; the levels travel in its body."""
        return {
            "hits": [[index, label] for index, label in self.hits.items()],
            "bounds": [f"{bound:.3g}" for bound in self.bounds],
            "unit": self.unit,
            "come": self.come,
            "seek": self.seek,
        }


def heat_of(scores: NDArray[np.float64], hits: Mapping[int, str], *, from_zero: bool, unit: str) -> Heat:
    """Return the heat of chunks by their scores, float64 (n,); NaN and what was not found are cold.

    The way from the least score (0 where ``from_zero``) to the best is parted in four: the lowest quarter is cold,
    the others are the three strengths. A hit has the weakest strength at least, so that it is never invisible.
    """
    levels = np.zeros(len(scores), np.int64)
    known = np.isfinite(scores) & (scores > 0 if from_zero else np.ones(len(scores), bool))
    bounds: tuple[float, ...] = ()
    if known.any():
        best = float(scores[known].max())
        least = 0.0 if from_zero else float(scores[known].min())
        bounds = tuple(least + (best - least) * quarter / (STRENGTHS + 1) for quarter in range(1, STRENGTHS + 1))
        if best > least:
            levels[known] = np.searchsorted(bounds, scores[known], "right")
    for index in hits:
        levels[index] = max(1, levels[index])
    return Heat(levels, dict(hits), bounds, unit)
