"""Thresholds worth trying: plateaus, on which nothing changes, and the knee, from which on little does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chunkviz.thresholds import shortest_between
from chunkviz.tuning.measuring import Tuning
from chunkviz.tuning.outcomes import Outcome, Plateau, Suggestion, Sweep, Target, Withheld

_BEND = 0.05
"""Share of the unit square by which a curve must sag below its diagonal to have a knee."""


def plateaus(found: Sweep) -> tuple[Plateau, ...]:
    """Return the stretches of thresholds that give the same chunks, in order.

    Places that were not measured are never taken to be like their neighbours.
    """
    stretches: list[list[Outcome]] = []
    for each in found.outcomes:
        before = stretches[-1][-1] if stretches else None
        if before is not None and each.place - before.place <= 1 and each.boundaries == before.boundaries:
            stretches[-1].append(each)
        else:
            stretches.append([each])
    return tuple(_plateau(found, members) for members in stretches)


def _plateau(found: Sweep, members: Sequence[Outcome]) -> Plateau:
    low, high = members[0].low, members[-1].high
    middle = members[len(members) // 2]
    if found.mode == "absolute" and low < high:
        threshold = shortest_between(low, high)
        middle = replace(middle, threshold=threshold, setting=threshold)
    edge = members[0].place == 0 or members[-1].place == found.places - 1
    return Plateau(low, high, replace(middle, low=low, high=high), edge)


def suggest(tuning: Tuning, found: Sweep, target: Target) -> tuple[Suggestion | Withheld, ...]:
    """Return three thresholds with their reasons: knee, middle of the widest plateau, and the target.

    Where the document does not allow one, what stands in its place says why.
    """
    return knee(found), widest_plateau(found), tuning.solve(target)


def knee(found: Sweep) -> Suggestion | Withheld:
    """Return the place from which on a higher threshold makes the median chunk hardly smaller.

    It lies where the curve of medians over thresholds, both brought to [0, 1], sags most below its
    falling diagonal: Satopää, Albrecht, Irwin and Raghavan, Finding a "Kneedle" in a Haystack (2011), for
    a curve that falls ever slower. The smoothing of that paper is left out: the curve has no noise.
    """
    outcomes = [each for each in found.outcomes if each.high >= found.least]
    medians = np.array([each.median for each in outcomes], np.float64)
    kinds = np.unique([each.chunks for each in outcomes]).tolist()
    if len(kinds) < 3 or medians.min() == medians.max():  # noqa: PLR2004  a line has no knee
        numbers = " or ".join(f"{count:,}" for count in kinds[:2])
        what = f"every threshold gives {numbers} {found.noun}" if len(kinds) < 3 else "the median never changes"  # noqa: PLR2004
        return Withheld("knee", f"A knee needs a curve, and here {what}.")
    # A place counts up to its upper end: there the threshold is highest and the median still the same.
    across = np.array([min(each.high, found.greatest) for each in outcomes])
    x = (across - across[0]) / (across[-1] - across[0])
    y = (medians - medians.min()) / (medians.max() - medians.min())
    sag = 1 - x - y
    best = int(sag.argmax())
    if sag[best] < _BEND:
        return Withheld("knee", "The median falls about evenly as the threshold rises, so it has no knee.")
    reason = f"The median falls fast up to here; a higher threshold makes {found.noun} hardly smaller."
    return Suggestion("knee", outcomes[best], reason)


def widest_plateau(found: Sweep) -> Suggestion | Withheld:
    """Return the middle of the widest stretch of thresholds that changes nothing and still chooses.

    A threshold above most values parts nearly everything: there a few outliers leave the widest gaps, which
    say nothing. So only stretches with at most half of the boundaries that a threshold can add are looked at.
    """
    fewest = min(each.chunks for each in found.outcomes)
    most = max(each.chunks for each in found.outcomes)
    choosing = [
        each for each in plateaus(found) if not each.edge and each.outcome.chunks - fewest <= (most - fewest) / 2
    ]
    if not choosing:
        return Withheld(
            "plateau", "No stretch of thresholds with at most half of the possible boundaries changes nothing."
        )
    widest = max(choosing, key=lambda each: (each.width, -each.low))
    reason = (
        f"From {widest.low:.3f} to {widest.high:.3f} nothing changes: the widest such stretch with at most half "
        "of the possible boundaries."
    )
    return Suggestion("plateau", widest.outcome, reason)
