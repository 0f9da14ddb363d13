"""Why each boundary fell where it did: a closed union, so that a picture can be drawn of every kind.

``str(reason)`` is the short label people read ("paragraph", "size limit").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from chunkviz.threshold_sweep import cuts_for_many
from chunkviz.thresholds import ThresholdMode, cuts_for
from chunkviz.vectors import SelfSimilarity

StructureKind: TypeAlias = Literal[
    "header", "paragraph", "line", "sentence", "word", "character",
    "page", "list item", "table row", "table", "code fence", "quote", "block",
]  # fmt: skip


_NEARLY_ALL = 0.9
_ENOUGH = 10
"""Neighbours from which on a share of them says something."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The text itself offers a boundary here: a header begins, say, or a paragraph ends."""

    kind: StructureKind

    def __str__(self) -> str:
        """Return the kind as it is shown."""
        return self.kind


@dataclass(frozen=True, slots=True)
class OwnSeparator:
    """One of the separators the user listed was found here."""

    separator: str

    def __str__(self) -> str:
        """Return the separator with line ends made visible."""
        return f"separator {self.separator!r}"


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """The size was used up and nothing better than this place was sought."""

    exceeded: bool = False
    """True where one indivisible character is larger than the whole limit."""

    def __str__(self) -> str:
        """Return the label, which says so when the limit could not be kept."""
        return "one character above the size limit" if self.exceeded else "size limit"


@dataclass(frozen=True, slots=True)
class Oversize:
    """What the strategy had grouped is larger than a chunk may be, and was split at this place of it."""

    at: Structure | Optimum
    """What the text offers here."""
    limit: int
    unit: str
    """What the limit is counted in: tokens or characters."""

    def __str__(self) -> str:
        """Return the place and the limit, as in "sentence, size limit 512 tokens"."""
        return f"{self.at}, size limit {self.limit:,} {self.unit if self.limit != 1 else self.unit.removesuffix('s')}"


@dataclass(frozen=True, slots=True)
class Dissimilar:
    """The neighbours on either side resemble each other less than the threshold asks for."""

    value: float
    threshold: float
    signal: Literal["similarity", "gradient"] = "similarity"
    """What the threshold is held against: the similarity itself, or how steeply it falls."""

    def __str__(self) -> str:
        """Return both numbers, with as many digits as it takes to tell them apart."""
        # A threshold near zero needs more digits to be told from zero, and from its neighbours.
        for digits in range(2 if abs(self.threshold) >= 0.1 else 3, 7):  # noqa: PLR2004
            value, threshold = _shown(self.value, digits), _shown(self.threshold, digits)
            if value != threshold:
                break
        return f"{self.signal} {value} < {threshold}"


def _fully(value: float) -> str:
    """Return a number with two digits at least, and up to four where it has them."""
    text = f"{value + 0.0:.4f}".rstrip("0")
    return text if len(text.partition(".")[2]) >= 2 else f"{value + 0.0:.2f}"  # noqa: PLR2004


def _shown(value: float, digits: int) -> str:
    """Return a number with so many digits, and no minus before a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Optimum:
    """The partition that is best as a whole has a boundary here."""

    def __str__(self) -> str:
        """Return the label."""
        return "best partition"


@dataclass(frozen=True, slots=True)
class Syntax:
    """The grammar of a programming language ends something here: a function, a class, a statement."""

    kind: str

    def __str__(self) -> str:
        """Return the kind as it is shown."""
        return self.kind


@dataclass(frozen=True, slots=True)
class ParentEnd:
    """The parent ends here, and a child never crosses its parent."""

    def __str__(self) -> str:
        """Return the label."""
        return "parent ends"


@dataclass(frozen=True, slots=True)
class DocumentEnd:
    """There is no more text."""

    def __str__(self) -> str:
        """Return the label."""
        return "end of document"


@dataclass(frozen=True, slots=True)
class OwnReason:
    """Why a strategy from elsewhere cut here, in its own words."""

    label: str

    def __str__(self) -> str:
        """Return the words."""
        return self.label


Reason: TypeAlias = (
    Structure
    | OwnSeparator
    | SizeLimit
    | Oversize
    | Dissimilar
    | Optimum
    | Syntax
    | ParentEnd
    | DocumentEnd
    | OwnReason
)


@dataclass(frozen=True, eq=False)
class SimilarityCurve:
    """How similar neighbouring segments are along a document, and the threshold that was held against it.

    Everything a threshold slider needs: no boundary at another threshold asks an embedder again.
    """

    starts: NDArray[np.int64] = field(repr=False)
    """Start of each segment, int64 (n,)."""
    ends: NDArray[np.int64] = field(repr=False)
    """End of each segment, int64 (n,)."""
    similarities: NDArray[np.float32] = field(repr=False)
    """Cosine of segments k and k + 1, float32 (n - 1,), finite, in [-1, 1]."""
    signal: NDArray[np.float32] = field(repr=False)
    """What the threshold is held against: the similarities, or their gradient; float32 (n - 1,)."""
    allowed: NDArray[np.bool_] = field(repr=False)
    """False where no boundary may fall: behind a heading; bool (n - 1,)."""
    embedder: str
    """Name of what made the vectors."""
    threshold: float | None = None
    """The resolved value: a boundary may fall where ``signal < threshold``; None where no threshold is used."""
    mode: ThresholdMode | None = None
    setting: float | None = None
    """The value the threshold was resolved from, in the terms of ``mode``."""
    min_chunk_size: int = 1
    """Segments a chunk must have before a boundary may follow."""
    overview: SelfSimilarity | None = field(default=None, repr=False)
    """All segments compared with each other, made small; it follows from the vectors, so equality leaves it out."""

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.starts)

    def __eq__(self, other: object) -> bool:
        """Compare values; arrays by their content."""
        if not isinstance(other, SimilarityCurve):
            return NotImplemented
        return (self._facts() == other._facts()) and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("starts", "ends", "similarities", "signal", "allowed")
        )

    def __hash__(self) -> int:
        """Hash the plain values of what equality compares."""
        return hash(self._facts())

    def _facts(self) -> tuple[object, ...]:
        return (len(self), self.threshold, self.mode, self.setting, self.min_chunk_size, self.embedder)

    @property
    def note(self) -> str | None:
        """One sentence where an absolute threshold lies above nearly every similarity, as it may for an embedder."""
        if self.mode != "absolute" or self.threshold is None or int(self.allowed.sum()) < _ENOUGH:
            return None
        share = float((self.signal[self.allowed] < self.threshold).mean())
        if share < _NEARLY_ALL:
            return None
        return (
            f"{share:.0%} of the neighbours are less similar than the threshold {_fully(self.threshold)} with the "
            f"embedder {self.embedder!r}, so the threshold chooses nothing; try threshold_mode='percentile'."
        )

    def cuts_for(self, threshold: float) -> NDArray[np.int64]:
        """Return the boundaries at another threshold: see :func:`chunkviz.cuts_for`."""
        return cuts_for(self.signal, threshold, self.min_chunk_size, self.allowed)

    def cuts_for_many(self, thresholds: Sequence[float]) -> list[NDArray[np.int64]]:
        """Return the boundaries at each threshold: see :func:`chunkviz.cuts_for_many`."""
        return cuts_for_many(self.signal, thresholds, self.min_chunk_size, self.allowed)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a strategy knew when it cut: for each chunk, why it ended where it did."""

    reasons: tuple[Reason, ...] = ()
    curve: SimilarityCurve | None = None
    """Segments, similarities and threshold, where the strategy compared neighbours."""
    notes: tuple[str, ...] = ()
    """What the person should know, one sentence each: a file that does not parse, a limit that had to give way."""
