"""A chunking at any threshold: each place measured once, all of them in a sweep, and the way back from a wish."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from chunkviz.blocks import Segments
from chunkviz.chunk import Chunking
from chunkviz.errors import ParameterError
from chunkviz.grouping import Compared
from chunkviz.services import Services
from chunkviz.strategies import Semantic, SemanticParentChild
from chunkviz.strategies.strategy import measure_of
from chunkviz.thresholds import BOUNDS, cuts_for, resolve_threshold, shortest_between, solve
from chunkviz.tuning.outcomes import Mode, Outcome, Suggestion, Sweep, Target, Withheld

MOST_PLACES = 200
"""Thresholds in a sweep; where there are more, the widest gaps and an even choice of the others."""


def tunable(chunking: Chunking) -> bool:
    """Whether a threshold made these chunks, so that another one can be tried."""
    curve = chunking.evidence.curve
    return (
        isinstance(chunking.strategy, Semantic | SemanticParentChild)
        and curve is not None
        and curve.threshold is not None
    )


class Tuning:
    """One document under one strategy at any threshold; each place is measured once.

    It holds the similarities that the chunking's evidence carries, so it asks no embedder.
    """

    def __init__(self, chunking: Chunking) -> None:
        """Take segments and similarities from the evidence.

        Raises
        ------
        ParameterError
            When no threshold made the chunking.

        """
        strategy, curve = chunking.strategy, chunking.evidence.curve
        if not isinstance(strategy, Semantic | SemanticParentChild) or curve is None or curve.threshold is None:
            message = f"chunking must be made by a strategy with a threshold, not by {strategy.name!r}."
            raise ParameterError(message)
        self.mode: Mode = "gradient" if curve.mode == "gradient" else "absolute"
        self.noun: Literal["chunks", "parents"] = "parents" if isinstance(strategy, SemanticParentChild) else "chunks"
        self._curve, self._tokens = curve, chunking.tokens
        compared = Compared(
            Segments(curve.starts, curve.ends, ~curve.allowed), curve.similarities, curve.embedder, calls=0, tokens=0
        )
        measure = measure_of(strategy.unit, chunking.document, Services(tokenizer=chunking.tokens.tokenizer))
        self._grouping = strategy.grouping(chunking.document, compared, measure)
        self._values = np.sort(curve.signal[curve.allowed])
        self._distinct = np.unique(self._values)
        self._known: dict[int, Outcome] = {}
        self._sizes: dict[tuple[int, int], tuple[tuple[int, ...], tuple[int, ...]]] = {}

    @property
    def places(self) -> int:
        """Number of thresholds that could make a difference and can be set; at least 1."""
        count = len(self._distinct)
        # A percentage of places never exceeds the last value, nor does a similarity exceed 1.
        reachable = count and self.mode == "absolute" and self._distinct[-1] < BOUNDS["absolute"][1]
        return count + 1 if reachable else max(count, 1)

    def at(self, threshold: float) -> Outcome:
        """Return what a threshold gives; exactly what the strategy makes of it."""
        place = int(np.searchsorted(self._distinct, np.float32(threshold), "left"))
        found = self._at(place)
        setting = float(threshold) if self.mode == "absolute" else found.setting
        return replace(found, threshold=float(threshold), setting=setting)

    def sweep(
        self, thresholds: Sequence[float] | None = None, report: Callable[[float], None] = lambda _share: None
    ) -> Sweep:
        """Measure the thresholds given, or every place, or ``MOST_PLACES`` of them where there are more.

        ``report`` is told the share done, and may raise ``Cancelled``.
        """
        asked: Sequence[float | int] = self._choice() if thresholds is None else sorted(thresholds)
        found = []
        for done, each in enumerate(asked):
            report(done / len(asked))
            found.append(self._at(int(each)) if thresholds is None else self.at(each))
        report(1.0)
        # What groups were split into helps among many thresholds; the outcomes are all that is worth keeping.
        self._sizes.clear()
        self._grouping = replace(self._grouping)
        return Sweep(
            mode=self.mode,
            noun=self.noun,
            outcomes=tuple(found),
            complete=len({each.place for each in found}) == self.places,
            least=float(self._distinct[0]) if len(self._distinct) else 0.0,
            greatest=float(self._distinct[-1]) if len(self._distinct) else 0.0,
            places=self.places,
        )

    def solve(self, target: Target, report: Callable[[float], None] = lambda _share: None) -> Suggestion | Withheld:
        """Return the threshold that comes nearest to a target, of all that were measured for it or before.

        Sizes that a strategy keeps can make an outcome step back here and there, so what halving finds
        is held against everything measured so far. Of two equally good thresholds the lower is taken.
        ``report`` is told about the share done, and may raise ``Cancelled``.
        """
        steps = _Steps(self.places, report)
        if target.aim == "largest":
            return self._solve_largest(target, steps)
        counting = target.aim == "count"

        def outcome(value: float) -> float:
            steps.take()
            found = self._at(int(np.searchsorted(self._distinct, value, "left")))
            return found.chunks if counting else found.median

        values = self._distinct[: self.places - 1].astype(np.float64)
        if len(values):
            solve(values, target.number, outcome, rising=counting)
        else:
            self._at(0)
        best = min(
            self._known.values(),
            key=lambda each: (abs((each.chunks if counting else each.median) - target.number), each.place),
        )
        exact = (best.chunks if counting else best.median) == target.number
        why = "" if exact else " No threshold gives exactly that, with the sizes as they are set."
        return Suggestion("target", best, f"The nearest to {_wish(target, self.noun)}.{why}")

    def _solve_largest(self, target: Target, steps: _Steps) -> Suggestion | Withheld:
        low, high = 0, self.places - 1
        while low < high:
            middle = (low + high) // 2
            steps.take()
            if self._at(middle).largest <= target.number:
                high = middle
            else:
                low = middle + 1
        self._at(low)
        fitting = [each for each in self._known.values() if each.largest <= target.number]
        if not fitting:
            least = min(each.largest for each in self._known.values())
            return Withheld(
                "target",
                f"No threshold keeps all {self.noun} within {target.number:,} tokens: the largest has at least "
                f"{least:,}. A smaller maximum size does.",
            )
        best = min(fitting, key=lambda each: (each.chunks, each.place))
        return Suggestion("target", best, f"The fewest {self.noun} with {_wish(target, self.noun)}.")

    def _at(self, place: int) -> Outcome:
        if place not in self._known:
            self._known[place] = self._measure(place)
        return self._known[place]

    def _measure(self, place: int) -> Outcome:
        low, high = self._between(place)
        threshold, setting = self._setting(place, low, high)
        curve = self._curve
        cuts = cuts_for(curve.signal, threshold, curve.min_chunk_size, curve.allowed)
        starts: list[int] = []
        tokens: list[int] = []
        for group in self._grouping.groups(cuts):
            known = self._sizes.get(group)
            if known is None:
                pieces = self._grouping.split([group])
                known = self._sizes[group] = (
                    tuple(piece.start for piece in pieces),
                    tuple(self._tokens.count(piece.start, piece.end) for piece in pieces),
                )
            starts += known[0]
            tokens += known[1]
        counts = np.array(tokens, np.int64)
        sizes, numbers = np.unique(counts, return_counts=True)
        return Outcome(
            threshold=threshold,
            setting=setting,
            low=low,
            high=high,
            place=place,
            chunks=len(counts),
            median=float(np.median(counts)) if len(counts) else 0.0,
            p95=float(np.percentile(counts, 95)) if len(counts) else 0.0,
            largest=int(counts.max(initial=0)),
            sizes=sizes,
            numbers=numbers.astype(np.int64),
            boundaries=hashlib.blake2b(np.array(starts, np.int64).tobytes(), digest_size=16).digest(),
        )

    def _between(self, place: int) -> tuple[float, float]:
        """Return the ends of a place: the values on either side, or the bounds of a similarity."""
        values = self._distinct
        bottom, top = BOUNDS["absolute"]
        if self.mode == "gradient" and len(values):
            bottom, top = float(values[0]), float(values[-1])
        low = float(values[place - 1]) if place else bottom
        return low, float(values[place]) if place < len(values) else top

    def _setting(self, place: int, low: float, high: float) -> tuple[float, float]:
        """Return a threshold in a place, with few digits where that is possible, and the setting that gives it."""
        if self.mode == "gradient":
            return self._percentage(place, high)
        if place == 0:
            threshold = min(0.0, high)
        elif place == len(self._distinct):
            threshold = high
        else:
            threshold = shortest_between(low, high)
        return threshold, threshold

    def _percentage(self, place: int, high: float) -> tuple[float, float]:
        if place == 0 or len(self._values) < 2:  # noqa: PLR2004  of one value there is no share
            return high, 0.0
        below = int(np.searchsorted(self._values, self._distinct[place - 1], "right"))
        last = len(self._values) - 1
        percent = shortest_between(100 * (below - 1) / last, 100 * below / last)
        threshold = resolve_threshold("gradient", percent, self._values, lambda _: 0.0)
        if int(np.searchsorted(self._distinct, np.float32(threshold), "left")) == place:
            return threshold, percent
        return high, 100 * below / last

    def _choice(self) -> list[int]:
        """Return the places of a sweep: all, or both ends, the widest gaps, and the rest evenly."""
        count = self.places
        if count <= MOST_PLACES:
            return list(range(count))
        gaps = np.diff(self._distinct)
        widest = np.argsort(-gaps, kind="stable")[: MOST_PLACES // 2] + 1
        evenly = np.linspace(0, count - 1, MOST_PLACES - len(widest)).astype(np.int64)
        return sorted({*widest.tolist(), *evenly.tolist()})


def sweep(chunking: Chunking, thresholds: Sequence[float] | None = None) -> Sweep:
    """Return what other thresholds would give for the same document, strategy and similarities.

    Parameters
    ----------
    chunking
        Made by a strategy with a threshold.
    thresholds
        Which ones; None takes every one that could make a difference, at most ``MOST_PLACES``.

    Raises
    ------
    ParameterError
        When no threshold made the chunking.

    """
    return Tuning(chunking).sweep(thresholds)


class _Steps:
    """Tells how far a search by halving has come."""

    def __init__(self, places: int, report: Callable[[float], None]) -> None:
        self._most, self._taken, self._report = places.bit_length() + 2, 0, report

    def take(self) -> None:
        """Report before each step."""
        self._report(min(1.0, self._taken / self._most))
        self._taken += 1


def _wish(target: Target, noun: str) -> str:
    match target.aim:
        case "count":
            return f"{target.number:,} {noun}"
        case "median":
            return f"a median of {target.number:,} tokens"
        case "largest":
            return f"none above {target.number:,} tokens"
