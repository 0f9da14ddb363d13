"""A place in a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range ``[start, end)`` of character offsets (Unicode code points) of a document."""

    start: int
    end: int

    def __post_init__(self) -> None:
        """Refuse a span that no text can have."""
        if not 0 <= self.start <= self.end:
            message = f"a span needs 0 <= start <= end, not start={self.start}, end={self.end}"
            raise ValueError(message)

    def __len__(self) -> int:
        """Return the number of characters."""
        return self.end - self.start

    def __contains__(self, other: Span | int) -> bool:
        """Whether an offset, or a whole span, lies inside."""
        if isinstance(other, Span):
            return self.start <= other.start and other.end <= self.end
        return self.start <= other < self.end

    def overlap(self, other: Span) -> int:
        """Return how many characters both spans share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))
