"""Thresholds of similarity: what each mode means, and the boundaries any value gives.

A boundary falls where the similarity of neighbouring segments is *below* the threshold. Every mode
but the first finds that absolute value from the document itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkviz.errors import ParameterError
from chunkviz.params import Range

ThresholdMode: TypeAlias = Literal[
    "absolute", "percentile", "standard_deviation", "interquartile", "gradient", "target_count", "target_size"
]

MODE_HELP: dict[str, str] = {
    "absolute": "the similarity itself; 1 is the same, 0 or less has nothing in common",
    "percentile": "so many percent of all neighbours are less similar",
    "standard_deviation": "so many standard deviations below the mean similarity",
    "interquartile": "so many interquartile ranges below the mean similarity",
    "gradient": "so many percent of all places fall off more steeply",
    "target_count": "about so many chunks",
    "target_size": "a median chunk of about this size",
}

MODE_RANGES: dict[str, Range] = {
    "absolute": Range(-0.2, 1.0, 0.01, 0.5, "similarity"),
    "percentile": Range(0.0, 100.0, 1.0, 20.0, "percent"),
    "standard_deviation": Range(-2.0, 4.0, 0.1, 1.0, "deviations below the mean"),
    "interquartile": Range(-2.0, 4.0, 0.1, 1.0, "ranges below the mean"),
    "gradient": Range(0.0, 100.0, 1.0, 10.0, "percent"),
    "target_count": Range(1.0, 200.0, 1.0, 20.0, "chunks"),
    "target_size": Range(32.0, 2048.0, 16.0, 256.0, "{unit}"),
}
"""What a slider offers in each mode, and what the mode means when no value is given with it."""

BOUNDS: dict[ThresholdMode, tuple[float, float]] = {
    "absolute": (-1.0, 1.0),
    "percentile": (0.0, 100.0),
    "standard_deviation": (-100.0, 100.0),
    "interquartile": (-100.0, 100.0),
    "gradient": (0.0, 100.0),
    "target_count": (1.0, 1e9),
    "target_size": (1.0, 1e9),
}
"""What is correct in each mode."""


def check_threshold(mode: ThresholdMode, setting: float) -> None:
    """Refuse a value that means nothing in its mode.

    Raises
    ------
    ParameterError
        Naming the mode, what must hold and what was given.

    """
    low, high = BOUNDS[mode]
    if not low <= setting <= high:
        rule = f"at least {low:g}" if high >= 1e9 else f"from {low:g} to {high:g}"  # noqa: PLR2004  that is no bound
        message = f"threshold must be {rule} when threshold_mode is {mode!r} ({MODE_HELP[mode]}), not {setting:g}."
        raise ParameterError(message)


def cuts_for(
    similarities: ArrayLike, threshold: float, min_chunk_size: int = 1, allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """Return where boundaries fall at a threshold, in O(n) and without any embedding.

    Parameters
    ----------
    similarities
        (n - 1,) of n segments: how similar segments k and k + 1 are.
    threshold
        A boundary may fall where the similarity is below it.
    min_chunk_size
        Segments a chunk must have before a boundary may follow it.
    allowed
        bool (n - 1,): False where no boundary may fall whatever the similarity, as between a
        heading and the text it announces. None allows all.

    Returns
    -------
    int64 (m,)
        Increasing; ``k`` means a boundary between segments k and k + 1.

    """
    low = np.asarray(similarities) < threshold
    below = np.flatnonzero(low if allowed is None else low & allowed)
    if min_chunk_size <= 1 or not len(below):
        return below
    if below[0] >= min_chunk_size - 1 and (np.diff(below) >= min_chunk_size).all():
        return below
    cuts = []
    earliest = min_chunk_size - 1
    for place in below.tolist():
        if place >= earliest:
            cuts.append(place)
            earliest = place + min_chunk_size
    return np.array(cuts, np.int64)


def signal_of(mode: ThresholdMode, similarities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what a mode holds its threshold against: the similarities, or their gradient; float32 (n - 1,)."""
    if mode != "gradient" or len(similarities) < 2:  # noqa: PLR2004  a slope needs two points
        return similarities
    return np.gradient(similarities).astype(np.float32)


def resolve_threshold(
    mode: ThresholdMode, setting: float, signal: NDArray[np.float32], outcome: Callable[[float], float]
) -> float:
    """Return the absolute value, a similarity or a gradient of one, that a setting means for this signal.

    ``outcome`` gives, for a threshold, what the two target modes aim at (number of chunks, median
    size); the others do not call it. An empty signal resolves to 0, where nothing can be cut.
    """
    if mode == "absolute" or not len(signal):
        return float(setting) if mode == "absolute" else 0.0
    values = np.asarray(signal, np.float64)
    resolved: float
    match mode:
        case "percentile" | "gradient":
            resolved = float(np.percentile(values, min(max(setting, 0.0), 100.0)))
        case "standard_deviation":
            resolved = float(values.mean() - setting * values.std())
        case "interquartile":
            low, high = np.percentile(values, [25, 75])
            resolved = float(values.mean() - setting * (high - low))
        case "target_count" | "target_size":
            resolved = solve(values, setting, outcome, rising=mode == "target_count")
        case _:
            assert_never(mode)
    return resolved


def setting_for(mode: ThresholdMode, threshold: float, signal: NDArray[np.float32]) -> float | None:
    """Return the setting of ``mode`` that resolves to ``threshold`` for this signal: the way back.

    None where there is no way back: the target modes, a signal without spread, a threshold outside
    the values where the mode counts in percent.
    """
    values = np.sort(np.asarray(signal, np.float64))
    setting: float | None = None
    if mode == "absolute":
        setting = threshold
    elif len(values) < 2 or values[0] == values[-1]:  # noqa: PLR2004  a spread needs two
        setting = None
    elif mode in {"percentile", "gradient"}:
        if values[0] <= threshold <= values[-1]:
            setting = float(np.interp(threshold, values, np.linspace(0.0, 100.0, len(values))))
    elif mode == "standard_deviation":
        setting = float((values.mean() - threshold) / values.std())
    elif mode == "interquartile":
        low, high = np.percentile(values, [25, 75])
        setting = float((values.mean() - threshold) / (high - low)) if high > low else None
    return setting


def solve(values: NDArray[np.float64], target: float, outcome: Callable[[float], float], *, rising: bool) -> float:
    """Return the threshold whose outcome is nearest to ``target``, found by halving the distinct values.

    ``rising`` says whether the outcome grows with the threshold. A minimum size makes the outcome
    step back here and there; of all thresholds looked at, the nearest one is taken.
    """
    distinct = np.unique(values)
    # Between two values nothing changes, so the places between them are all the thresholds there are.
    between = (distinct[:-1] + distinct[1:]) / 2
    above = np.nextafter(np.float32(distinct[-1]), np.float32(np.inf))  # cuts compare in single precision
    thresholds: list[float] = [float(distinct[0]), *between.tolist(), float(above)]
    low, high = 0, len(thresholds) - 1
    best, distance = thresholds[0], float("inf")
    while low <= high:
        middle = (low + high) // 2
        found = outcome(thresholds[middle])
        if abs(found - target) < distance:
            best, distance = thresholds[middle], abs(found - target)
        if (found < target) == rising:
            low = middle + 1
        else:
            high = middle - 1
    return best


def shortest_between(low: float, high: float) -> float:
    """Return a number with ``low < number <= high`` near the middle, of as few digits as tell it from both.

    It holds for the numbers as float32, in which similarities are kept.
    """
    middle = (low + high) / 2
    for digits in range(2, 8):
        short = round(middle, digits)
        if np.float32(low) < np.float32(short) <= np.float32(high):
            return short + 0.0  # -0.0 is 0
    return high
