"""How far two chunkings of one document agree on where it is parted; each number is a published measure.

A boundary lies where a chunk ends; the overlap with which the next one begins does not move it. Text
in no chunk is a stretch of its own, with a boundary at either end. White space does not count: places
are numbers of characters before them that are not white space, so a boundary before a blank line and
one behind it are the same. Of two chunkings the first is the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from chunkviz.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.chunk import Chunking
    from chunkviz.document import Document

AgreementUnit: TypeAlias = Literal["characters", "tokens"]
"""What windows slide over: characters that are not white space, or tokens that begin with or hold such a one."""

_LAST_SPACE = 0x3000
_BLANK = np.fromiter((chr(code).isspace() for code in range(_LAST_SPACE + 2)), np.bool_)
"""Whether each code point is white space; there is none above the last but one."""


def blank_places(document: Document) -> NDArray[np.int64]:
    """Return the offset of every white space character, int64 ascending; computed once per document."""

    def find() -> NDArray[np.int64]:
        codes = np.frombuffer(document.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return np.flatnonzero(_BLANK[np.minimum(codes, _LAST_SPACE + 1)])

    return document.derive("blank places", find)


def visible_before(document: Document, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many characters that are not white space stand before each offset, int64 (n,)."""
    return offsets - np.searchsorted(blank_places(document), offsets)


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Where a chunking parts its document."""

    offsets: NDArray[np.int64]
    """Characters from the start of the document, int64 (n,), ascending."""
    places: NDArray[np.int64]
    """The same without white space, int64 (n,), strictly ascending, inside (0, length)."""
    length: int
    """Characters of the document that are not white space."""

    def __len__(self) -> int:
        """Return the number of boundaries."""
        return len(self.places)


def boundaries_of(chunking: Chunking) -> Boundaries:
    """Return the boundaries of a chunking; see the head of this module for what counts as one."""
    document = chunking.document
    length = len(document) - len(blank_places(document))
    starts, ends = chunking.starts, chunking.ends
    first, last = visible_before(document, starts), visible_before(document, ends)
    reached = np.zeros(len(last), np.int64)
    reached[1:] = np.maximum.accumulate(last)[:-1]
    apart = first > reached  # text in no chunk stands before these
    places, which = np.unique(np.concatenate((last, first[apart])), return_index=True)
    offsets = np.concatenate((ends, starts[apart]))[which]
    inner = (places > 0) & (places < length)
    return Boundaries(offsets[inner], places[inner], length)


@dataclass(frozen=True, eq=False)
class Agreement:
    """Which boundaries two chunkings share; offsets are those of the document."""

    a: Boundaries
    b: Boundaries
    tolerance: int
    """Characters, white space not counted, that two boundaries may lie apart and still be one."""
    shared: NDArray[np.int64]
    """Offset in a and offset in b of each shared boundary, int64 (m, 2)."""
    only_a: NDArray[np.int64]
    """Offsets of the boundaries that only a has, int64."""
    only_b: NDArray[np.int64]
    """Offsets of the boundaries that only b has, int64."""

    @property
    def precision(self) -> float | None:
        """Share of the boundaries of b that a has, too; None where b has none."""
        return len(self.shared) / len(self.b) if len(self.b) else None

    @property
    def recall(self) -> float | None:
        """Share of the boundaries of a that b has, too; None where a has none."""
        return len(self.shared) / len(self.a) if len(self.a) else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall, 0 to 1; None where neither has a boundary."""
        total = len(self.a) + len(self.b)
        return 2 * len(self.shared) / total if total else None

    @cached_property
    def disagreements(self) -> NDArray[np.int64]:
        """Offsets of the boundaries that only one of them has, int64 ascending."""
        return np.union1d(self.only_a, self.only_b)

    def next_disagreement(self, offset: int) -> int | None:
        """Return the first disagreement behind ``offset``, or None."""
        at = int(np.searchsorted(self.disagreements, offset, "right"))
        return int(self.disagreements[at]) if at < len(self.disagreements) else None

    def previous_disagreement(self, offset: int) -> int | None:
        """Return the last disagreement before ``offset``, or None."""
        at = int(np.searchsorted(self.disagreements, offset, "left"))
        return int(self.disagreements[at - 1]) if at else None


def agreement(a: Chunking, b: Chunking, *, tolerance: int = 0) -> Agreement:
    """Pair the boundaries of two chunkings, each with at most one of the other, as many as possible.

    Raises
    ------
    ParameterError
        When the chunkings are not of one text, or the tolerance is negative.

    """
    if tolerance < 0:
        message = f"tolerance must be 0 characters or more, not {tolerance}."
        raise ParameterError(message)
    _check_same_text(a, b)
    left, right = boundaries_of(a), boundaries_of(b)
    in_a, in_b = pairs(left.places, right.places, tolerance)
    return Agreement(
        left,
        right,
        tolerance,
        np.stack((left.offsets[in_a], right.offsets[in_b]), axis=1),
        np.delete(left.offsets, in_a),
        np.delete(right.offsets, in_b),
    )


def _check_same_text(a: Chunking, b: Chunking) -> None:
    if a.document is not b.document and a.document.text != b.document.text:
        message = (
            f"only chunkings of one text can be compared, not of {a.document.name or 'one document'!r} and "
            f"{b.document.name or 'another'!r}; chunk the same document twice."
        )
        raise ParameterError(message)


def pairs(a: NDArray[np.int64], b: NDArray[np.int64], tolerance: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of a largest set of pairs at most ``tolerance`` apart, from left to right: two int64 (m,).

    ``a`` and ``b`` are increasing places in characters, int64 (n,) and (k,). On a line, pairing the first
    two that are near enough never costs a pair later.
    """
    if tolerance == 0:
        _, in_a, in_b = np.intersect1d(a, b, assume_unique=True, return_indices=True)
        return in_a, in_b
    taken: list[tuple[int, int]] = []
    left, right = a.tolist(), b.tolist()
    i = j = 0
    while i < len(left) and j < len(right):
        distance = left[i] - right[j]
        if abs(distance) <= tolerance:
            taken.append((i, j))
            i, j = i + 1, j + 1
        elif distance < 0:
            i += 1
        else:
            j += 1
    found = np.array(taken, np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


@dataclass(frozen=True, slots=True)
class WindowErrors:
    """Two error rates of b against the reference a: 0 is agreement, 1 disagreement in every window.

    Of ``length`` units in a row, each is held against the one ``window`` units behind it, which makes
    ``length - window`` probes. A boundary inside a unit counts as behind it.
    """

    pk: float
    """Share of probes whose ends are in one chunk for one, and not for the other (Beeferman et al. 1999)."""
    window_diff: float
    """Share of probes between whose ends both have not the same number of boundaries (Pevzner and Hearst 2002)."""
    window: int
    """Units; half the mean segment of the reference, rounded half up, at least 1."""
    length: int
    """Units of the document."""
    unit: AgreementUnit


def window_errors(a: Chunking, b: Chunking, *, unit: AgreementUnit = "characters") -> WindowErrors | None:
    """Measure Pk and WindowDiff of ``b`` against the reference ``a``; None for a document of less than two units.

    Tokens are those of ``a``; such as begin inside the same character count as one. Takes time by the
    number of boundaries, not of units.

    Raises
    ------
    ParameterError
        When the chunkings are not of one text, or the unit is neither.

    """
    if unit not in ("characters", "tokens"):
        message = f"unit must be characters or tokens, not {unit!r}."
        raise ParameterError(message)
    _check_same_text(a, b)
    gaps_a, gaps_b = boundaries_of(a).places, boundaries_of(b).places
    length = len(a.document) - len(blank_places(a.document))
    if unit == "tokens":
        units = np.unique(visible_before(a.document, a.tokens.starts))
        units = units[units < length]
        length = len(units)
        gaps_a, gaps_b = (_inner(np.searchsorted(units, gaps), length) for gaps in (gaps_a, gaps_b))
    if length < 2:  # noqa: PLR2004  there is no gap
        return None
    segments = len(gaps_a) + 1
    window = max(1, (length + segments) // (2 * segments))
    pk, window_diff = _errors(gaps_a, gaps_b, length, window)
    return WindowErrors(pk, window_diff, window, length, unit)


def _inner(gaps: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    return np.unique(gaps[(gaps > 0) & (gaps < length)])


def _errors(a: NDArray[np.int64], b: NDArray[np.int64], length: int, window: int) -> tuple[float, float]:
    """Return Pk and WindowDiff over probes i in [0, length - window), between whose ends lie gaps i + 1 to i + window.

    A gap g enters at i = g - window and leaves at i = g: between such events the counts stay as they are.
    """
    probes = length - window
    steps = np.concatenate((np.ones(len(a)), -np.ones(len(a)), np.zeros(2 * len(b)))).astype(np.int64)
    events = np.concatenate((a - window, a, b - window, b))
    order = np.argsort(events, kind="stable")
    other = np.concatenate((np.zeros(2 * len(a)), np.ones(len(b)), -np.ones(len(b)))).astype(np.int64)
    in_a, in_b = np.cumsum(steps[order]), np.cumsum(other[order])
    edges = np.clip(np.append(events[order], probes), 0, probes)
    lasts = np.diff(edges)
    return (
        float(lasts[(in_a > 0) != (in_b > 0)].sum() / probes),
        float(lasts[in_a != in_b].sum() / probes),
    )
