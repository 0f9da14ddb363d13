"""What sizes are counted in: the face that tokens and characters share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from chunkviz.document import Document


@dataclass(frozen=True)
class CharacterMeasure:
    """Sizes in code points, with the same face as :class:`TokenMap`."""

    document: Document = field(repr=False)

    unit = "characters"

    def count(self, start: int, end: int) -> int:
        """Return the number of characters between two offsets."""
        return end - start

    def reach(self, start: int, size: int) -> int:
        """Return the offset ``size`` characters after ``start``, at most the end of the text."""
        return min(start + max(size, 0), len(self.document.text))

    def back(self, end: int, size: int) -> int:
        """Return the offset ``size`` characters before ``end``, at least 0."""
        return max(0, end - size)


class Measure(Protocol):
    """What the packing engine asks of a unit; see :class:`TokenMap` and :class:`CharacterMeasure`."""

    @property
    def unit(self) -> str: ...  # noqa: D102
    def count(self, start: int, end: int) -> int: ...  # noqa: D102
    def reach(self, start: int, size: int) -> int: ...  # noqa: D102
    def back(self, end: int, size: int) -> int: ...  # noqa: D102
