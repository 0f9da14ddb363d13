"""Long work tells how far it is, and is ended by whoever listens: at each report, `Cancelled` may be raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar, overload

Report: TypeAlias = Callable[[float], None]
"""Told the share done, 0 to 1; raises ``Cancelled`` when nobody wants the result any more."""

Item = TypeVar("Item")

EVERY = 256
"""Items between two reports: milliseconds of work, so that the reports themselves cost nothing that can be measured."""


def silent(_share: float) -> None:
    """Take no note of progress."""


def part(report: Report, low: float, high: float) -> Report:
    """Return what tells ``report`` of a part of the work: its 0 to 1 are ``low`` to ``high`` of the whole."""
    if report is silent:
        return report
    return lambda share: report(low + (high - low) * share)


def told(items: Sequence[Item], report: Report) -> Iterator[Item]:
    """Yield the items in order, telling ``report`` before each 256th which share of them is done."""
    count = len(items)
    for first in range(0, count, EVERY):
        report(first / count)
        yield from items[first : first + EVERY]


class Told(Sequence[Item]):
    """A sequence for others to read, which tells ``report`` the share behind each place that is looked at."""

    def __init__(self, items: Sequence[Item], report: Report) -> None:
        self._items, self._report = items, report

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        """Return an item or some, after the report."""
        first = place if isinstance(place, int) else place.start or 0
        if isinstance(place, slice) or first % EVERY == 0:
            self._report(min(1.0, first / max(1, len(self._items))))
        return self._items[place]
