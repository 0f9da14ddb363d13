"""What a threshold gives, and what may be wished of one and said about one: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chunkviz.errors import ParameterError

Mode: TypeAlias = Literal["absolute", "gradient"]
Aim: TypeAlias = Literal["count", "median", "largest"]


@dataclass(frozen=True)
class Outcome:
    """What one threshold gives, in chunks; in parents where the threshold is about parents."""

    threshold: float
    """A boundary may fall where the signal is below this."""
    setting: float
    """The value that gives it in the mode of its sweep: the threshold itself, or percent of all places."""
    low: float
    high: float
    """Nothing changes while ``low < threshold <= high``."""
    place: int
    """Number of distinct values of the signal below the threshold."""
    chunks: int
    median: float
    """Tokens."""
    p95: float
    """Tokens that 95 of 100 chunks do not exceed."""
    largest: int
    """Tokens."""
    sizes: NDArray[np.int64] = field(repr=False, compare=False)
    """Each number of tokens that occurs, increasing; int64 (k,)."""
    numbers: NDArray[np.int64] = field(repr=False, compare=False)
    """How many chunks have it; int64 (k,)."""
    boundaries: bytes = field(repr=False)
    """Equal for thresholds that give the same chunks, and different for all others."""

    def share_over(self, limit: int) -> float:
        """Return the share of chunks of more than ``limit`` tokens; 0 of none."""
        return float(self.numbers[self.sizes > limit].sum() / self.chunks) if self.chunks else 0.0


@dataclass(frozen=True)
class Plateau:
    """A stretch of thresholds all of which give the same chunks: ``low < threshold <= high``."""

    low: float
    high: float
    outcome: Outcome
    edge: bool
    """Whether it reaches to where no neighbours are parted, or all that can be."""

    @property
    def width(self) -> float:
        """How far the threshold can move and change nothing."""
        return self.high - self.low


@dataclass(frozen=True)
class Sweep:
    """What thresholds give, from the lowest to the highest."""

    mode: Mode
    """What a threshold is held against: the similarity itself, or its gradient."""
    noun: Literal["chunks", "parents"]
    """What the threshold makes, and what is counted here."""
    outcomes: tuple[Outcome, ...] = field(repr=False)
    complete: bool
    """Whether every threshold that could make a difference is in it."""
    least: float
    greatest: float
    """The lowest and the highest value of the signal where a boundary may fall; equal if there is only one."""
    places: int
    """Number of thresholds that could make a difference."""

    def __len__(self) -> int:
        """Return the number of thresholds."""
        return len(self.outcomes)


@dataclass(frozen=True)
class Target:
    """A wish: about so many chunks, a median of so many tokens, or none above so many."""

    aim: Aim
    number: int

    def __post_init__(self) -> None:
        """Refuse what no chunking has."""
        if self.number < 1:
            message = f"number of a target must be at least 1, not {self.number}."
            raise ParameterError(message)


@dataclass(frozen=True)
class Suggestion:
    """A threshold worth trying, and why."""

    kind: Literal["knee", "plateau", "target"]
    outcome: Outcome
    reason: str


@dataclass(frozen=True)
class Withheld:
    """A suggestion that this document does not allow, and why."""

    kind: Literal["knee", "plateau", "target"]
    reason: str
