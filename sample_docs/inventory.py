"""Stock-keeping for a seed library: lots come in, packets go out, seeds grow old.

A seed library lends seeds in spring and hopes for them back in autumn. Its stock differs from a
shop's in two ways. What is on the shelf decays, so a packet of parsnips from three years ago is
barely a packet at all; and the oldest lot that still germinates should leave first.

>>> stock = Inventory(today=date(2024, 3, 1))
>>> stock.receive("parsnip", 400, harvested=date(2023, 9, 20))
Lot('parsnip', 400 seeds, harvested 2023-09-20)
>>> stock.receive("parsnip", 400, harvested=date(2022, 9, 12))
Lot('parsnip', 400 seeds, harvested 2022-09-12)
>>> [(lot.harvested.year, taken) for lot, taken in stock.lend("parsnip", 500)]
[(2022, 400), (2023, 100)]
>>> stock.on_hand("parsnip")
300

Run the module to check these examples and print a sample shelf.
"""

from __future__ import annotations

import doctest
import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import Enum
from typing import Concatenate, Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

DAYS_PER_YEAR: Final = 365.25
FAIR_RATE: Final = 0.5  # of its fresh rate; a lot below that is kept, but no longer lent


class StockError(Exception):
    """The shelf cannot do what was asked of it."""


class Shortage(StockError):
    """Fewer seeds are on hand than were asked for."""

    def __init__(self, crop: str, wanted: int, on_hand: int) -> None:
        super().__init__(f"{wanted} seeds of {crop} wanted, {on_hand} on hand")
        self.crop = crop
        self.wanted = wanted
        self.on_hand = on_hand


class Sowing(Enum):
    """When a crop is put into the ground, and for how many weeks one may go on doing it."""

    EARLY = ("Feb", 6)
    SPRING = ("Mar", 10)
    SUMMER = ("May", 8)
    AUTUMN = ("Sep", 5)

    def __init__(self, opens: str, weeks: int) -> None:
        self.opens = opens
        self.weeks = weeks

    def __str__(self) -> str:
        return f"from {self.opens}, {self.weeks} weeks"


@dataclass(frozen=True, slots=True)
class Crop:
    """One line of the catalogue.

    Parameters
    ----------
    name
        Key under which the crop is stocked.
    label
        What is printed on the packet, in the language of whoever gave the seed.
    half_life
        Years after which half of the seeds that would have germinated no longer do.
    fresh_rate
        Share of seeds that germinate in the year of harvest.
    sowing
        Season in which it is lent most.
    packet
        Seeds in one packet.

    """

    name: str
    label: str
    half_life: float
    fresh_rate: float
    sowing: Sowing
    packet: int

    def rate(self, age: timedelta) -> float:
        """Share of seeds expected to germinate at this age.

        >>> round(CATALOGUE["leek"].rate(timedelta(days=0)), 2)
        0.85
        >>> round(CATALOGUE["leek"].rate(timedelta(days=731)), 2)
        0.42
        """
        years = max(age.days, 0) / DAYS_PER_YEAR
        return float(self.fresh_rate * 0.5 ** (years / self.half_life))


# Half-lives are for dry, cool storage. They are rounded from the library's own germination tests
# (ten seeds on damp paper, every February), so do not plan a farm around them.
CATALOGUE: Final[dict[str, Crop]] = {
    crop.name: crop
    for crop in (
        Crop("aubergine", "Aubergine “Violetta di Firenze”", 4.5, 0.82, Sowing.EARLY, 20),
        Crop("basil", "Basilico genovese", 5.0, 0.80, Sowing.SPRING, 100),
        Crop("beetroot", "Beetroot “Cheltenham Green Top”", 4.0, 0.80, Sowing.SPRING, 60),
        Crop("broad bean", "Fève d'Aguadulce", 4.0, 0.92, Sowing.AUTUMN, 25),
        Crop("burdock", "滝野川ごぼう", 3.0, 0.75, Sowing.SPRING, 40),
        Crop("carrot", "Möhre „Rote Riesen“", 3.0, 0.78, Sowing.SPRING, 300),
        Crop("chilli", "Ají amarillo", 3.5, 0.75, Sowing.EARLY, 15),
        Crop("cucumber", "Огурец «Нежинский»", 6.0, 0.90, Sowing.SUMMER, 15),
        Crop("kale", "Cavolo nero", 5.0, 0.88, Sowing.SUMMER, 80),
        Crop("leek", "Poireau de Carentan", 2.0, 0.85, Sowing.EARLY, 120),
        Crop("lettuce", "Laitue “Merveille des Quatre Saisons”", 4.0, 0.90, Sowing.SPRING, 250),
        Crop("melon", "Honigmelone", 6.0, 0.88, Sowing.SUMMER, 10),
        Crop("onion", "Cebolla de Figueres", 1.5, 0.82, Sowing.EARLY, 150),
        Crop("parsnip", "Parsnip “Student”", 1.6, 0.72, Sowing.EARLY, 120),
        Crop("pea", "Ært “Lollandske Rosiner”", 3.5, 0.90, Sowing.SPRING, 50),
        Crop("radish", "聖護院だいこん", 4.5, 0.92, Sowing.AUTUMN, 100),
        Crop("spinach", "Spinat „Matador“", 3.0, 0.75, Sowing.AUTUMN, 120),
        Crop("tomato", "Tomate “Cœur de Bœuf”", 6.0, 0.90, Sowing.EARLY, 20),
    )
}


@dataclass(frozen=True, slots=True, order=True)
class Lot:
    """Seeds of one crop that were harvested together; lots sort oldest first."""

    harvested: date
    crop: str
    seeds: int = field(compare=False)

    def __post_init__(self) -> None:
        if self.seeds < 0:
            raise StockError(f"a lot cannot hold {self.seeds} seeds")
        if self.crop not in CATALOGUE:
            raise StockError(f"{self.crop!r} is not in the catalogue")

    def __repr__(self) -> str:
        return f"Lot({self.crop!r}, {self.seeds} seeds, harvested {self.harvested})"

    def rate_on(self, day: date) -> float:
        """Return the germination to expect on a given day."""
        return CATALOGUE[self.crop].rate(day - self.harvested)

    def split(self, seeds: int) -> tuple[Lot, Lot]:
        """Return two lots, the seeds taken and the seeds left.

        >>> Lot(date(2023, 8, 1), "pea", 50).split(20)[1]
        Lot('pea', 30 seeds, harvested 2023-08-01)
        """
        return replace(self, seeds=seeds), replace(self, seeds=self.seeds - seeds)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the day book."""

    day: date
    action: str
    crop: str
    seeds: int


def recorded(
    action: str,
) -> Callable[
    [Callable[Concatenate[Inventory, str, int, P], R]], Callable[Concatenate[Inventory, str, int, P], R]
]:
    """Decorate a method of ``Inventory`` so that each success is written to the day book.

    The method's first two arguments must be a crop and a number of seeds. Nothing is written when
    it raises: the day book holds what happened, not what was wished for.
    """

    def decorate(
        method: Callable[Concatenate[Inventory, str, int, P], R],
    ) -> Callable[Concatenate[Inventory, str, int, P], R]:
        @functools.wraps(method)
        def wrapper(self: Inventory, crop: str, seeds: int, /, *args: P.args, **kwargs: P.kwargs) -> R:
            result = method(self, crop, seeds, *args, **kwargs)
            self.day_book.append(Entry(self.today, action, crop, seeds))
            return result

        return wrapper

    return decorate


class Inventory:
    """The shelf: every lot in the building, and the day book of what came and went.

    >>> stock = Inventory(today=date(2024, 3, 1))
    >>> stock.lend("tomato", 20)
    Traceback (most recent call last):
    ...
    inventory.Shortage: 20 seeds of tomato wanted, 0 on hand
    """

    def __init__(self, today: date, lots: Iterable[Lot] = ()) -> None:
        self.today = today
        self.day_book: list[Entry] = []
        self._lots: list[Lot] = sorted(lots)

    def __iter__(self) -> Iterator[Lot]:
        return iter(self._lots)

    def __len__(self) -> int:
        return len(self._lots)

    def on_hand(self, crop: str) -> int:
        """Seeds of a crop that may be lent today."""
        return sum(lot.seeds for lot in self._lendable(crop))

    def retired(self) -> list[Lot]:
        """Lots that have grown too old to lend, oldest first."""
        return [lot for lot in self._lots if not self._is_fair(lot)]

    @recorded("received")
    def receive(self, crop: str, seeds: int, *, harvested: date) -> Lot:
        """Put a new lot on the shelf."""
        if harvested > self.today:
            raise StockError(f"{crop} cannot have been harvested on {harvested}, which is still to come")
        lot = Lot(harvested, crop, seeds)
        self._lots = sorted([*self._lots, lot])
        return lot

    @recorded("lent")
    def lend(self, crop: str, seeds: int) -> list[tuple[Lot, int]]:
        """Take seeds from the shelf, oldest fair lot first; all of them or none.

        Returns
        -------
        list of (Lot, int)
            Each lot as it stood before, and how many seeds were taken from it.

        """
        available = self.on_hand(crop)
        if seeds > available:
            raise Shortage(crop, seeds, available)

        taken: list[tuple[Lot, int]] = []
        left = seeds
        for lot in list(self._lendable(crop)):
            if left == 0:
                break
            share = min(left, lot.seeds)
            _, rest = lot.split(share)
            self._replace(lot, rest)
            taken.append((lot, share))
            left -= share
        return taken

    @contextmanager
    def trial(self) -> Iterator[Inventory]:
        """Try something and put everything back afterwards.

        >>> stock = Inventory(date(2024, 3, 1), [Lot(date(2023, 8, 1), "pea", 50)])
        >>> with stock.trial() as shelf:
        ...     _ = shelf.lend("pea", 50)
        >>> stock.on_hand("pea")
        50
        """
        lots, entries = list(self._lots), len(self.day_book)
        try:
            yield self
        finally:
            self._lots = lots
            del self.day_book[entries:]

    def packets(self) -> Counter[str]:
        """Whole packets that could be made up today, by crop."""
        made: Counter[str] = Counter()
        for crop in CATALOGUE.values():
            made[crop.name] = self.on_hand(crop.name) // crop.packet
        return +made  # unary plus drops the zeros

    def _is_fair(self, lot: Lot) -> bool:
        return lot.rate_on(self.today) >= FAIR_RATE * CATALOGUE[lot.crop].fresh_rate

    def _lendable(self, crop: str) -> Iterator[Lot]:
        return (lot for lot in self._lots if lot.crop == crop and self._is_fair(lot))

    def _replace(self, old: Lot, new: Lot) -> None:
        # By identity: two gifts of the same crop and day are equal, and yet two envelopes.
        place = next(i for i, lot in enumerate(self._lots) if lot is old)
        self._lots[place : place + 1] = [new] if new.seeds else []


def report(stock: Inventory, width: int = 44) -> str:
    """Lay the shelf out as text, one line for each lot, with a bar for its germination."""

    def bar(rate: float, cells: int = 10) -> str:
        full = round(rate * cells)
        return "█" * full + "·" * (cells - full)

    def line(lot: Lot) -> str:
        label = CATALOGUE[lot.crop].label
        rate = lot.rate_on(stock.today)
        # Ideographs are drawn two cells wide, so they pad the column twice as fast.
        wide = sum(ord(char) > 0x2E80 for char in label)
        return f"{label:<{width - wide}} {lot.seeds:>5}  {bar(rate)} {rate:4.0%}"

    return "\n".join(line(lot) for lot in stock)


def main() -> int:
    """Check the examples in this module, then show what a shelf looks like."""
    # Run as a script this module is "__main__", so exceptions are compared without their module.
    failed = doctest.testmod(sys.modules[__name__], optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed
    stock = Inventory(date(2024, 3, 1))
    stock.receive("burdock", 240, harvested=date(2023, 10, 2))
    stock.receive("onion", 900, harvested=date(2021, 9, 5))
    stock.receive("tomato", 130, harvested=date(2020, 8, 30))
    print(report(stock))
    print("retired:", stock.retired())
    print("packets:", dict(stock.packets()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
