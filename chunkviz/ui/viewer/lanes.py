"""Lanes: the boundaries of several settings side by side, for the viewer to draw beside one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.agreement import Boundaries, blank_places, boundaries_of, pairs
from chunkviz.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from chunkviz.chunk import Chunking
    from chunkviz.document import Document

LANE_LETTERS = "ABCDEF"
"""What the lanes are called, in their order; so many fit beside a text."""
LANE_COLOURS = {
    "light": ("#1d4ed8", "#a14a07", "#047257", "#7e22ce", "#b3126b", "#45556c"),
    "dark": ("#8dbdff", "#f5bd6b", "#5fdcb1", "#d0a9ff", "#ff9fce", "#c3cddb"),
}
"""Colour of each lane by theme, for whatever else stands for the same setting; 4.5:1 and more on the page."""


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """The boundaries of one setting, and which other settings cut at the same places."""

    name: str
    """The setting's name, for people."""
    offsets: NDArray[np.int64]
    """Where it cuts, int64 (n,), ascending: characters from the start of the document.

    Each stands directly behind the last character before the boundary that is not white space, so
    that one place has one offset, whichever setting cuts there."""
    cut_by: NDArray[np.bool_]
    """Which settings cut at each of them, bool (n, lanes); the lane's own column is true."""

    @property
    def shared(self) -> NDArray[np.bool_]:
        """Whether every setting cuts there, bool (n,)."""
        shared: NDArray[np.bool_] = self.cut_by.sum(axis=1) == self.cut_by.shape[1]
        return shared

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Whether no other setting cuts there, bool (n,)."""
        alone: NDArray[np.bool_] = self.cut_by.sum(axis=1) == 1
        return alone


def lanes_of(chunkings: Sequence[tuple[str, Chunking]], *, reference: int = 0, tolerance: int = 0) -> tuple[Lane, ...]:
    """Return a lane for each named chunking of one document, in the order given.

    Boundaries that differ by white space only are at one place. With a tolerance of so many characters
    that are not white space, each setting's boundaries are paired with those of the ``reference``, and what
    is left over with what the settings before it have left over; each with at most one.

    Raises
    ------
    ParameterError
        When there are more than six, they are not of one text, the reference is not one of them or the
        tolerance is negative.

    """
    if not chunkings:
        return ()
    _check(chunkings, reference, tolerance)
    found = [boundaries_of(chunking) for _, chunking in chunkings]
    document = chunkings[0][1].document
    known = _places(found, reference, tolerance)
    cut_by = np.zeros((max((int(each.max(initial=-1)) for each in known), default=-1) + 1, len(found)), np.bool_)
    for lane, each in enumerate(known):
        cut_by[each, lane] = True
    return tuple(
        Lane(name, _offsets(document, each), cut_by[which])
        for (name, _), each, which in zip(chunkings, found, known, strict=True)
    )


def disagreements(lanes: Sequence[Lane]) -> NDArray[np.int64]:
    """Return the offset of each place where some settings cut and others do not, int64, ascending.

    Where a tolerance lets settings cut a little apart, it is where the first of them cuts.
    """
    if not lanes:
        return np.zeros(0, np.int64)
    firsts = [
        each.offsets[~each.shared & (np.argmax(each.cut_by, axis=1) == place)] for place, each in enumerate(lanes)
    ]
    return np.sort(np.concatenate(firsts))


def _check(chunkings: Sequence[tuple[str, Chunking]], reference: int, tolerance: int) -> None:
    message = ""
    text = chunkings[0][1].document.text
    if len(chunkings) > len(LANE_LETTERS):
        message = f"at most {len(LANE_LETTERS)} chunkings have room beside a text, not {len(chunkings)}."
    elif not 0 <= reference < len(chunkings):
        message = f"reference must be the place of a chunking, 0 to {len(chunkings) - 1}, not {reference}."
    elif tolerance < 0:
        message = f"tolerance must be 0 characters or more, not {tolerance}."
    elif any(chunking.document.text != text for _, chunking in chunkings):
        message = "only chunkings of one text can stand side by side; chunk the same document with each setting."
    if message:
        raise ParameterError(message)


def _places(found: Sequence[Boundaries], reference: int, tolerance: int) -> list[NDArray[np.int64]]:
    """Return for each chunking the number of the place of each of its boundaries, int64; places are numbered as met."""
    order = sorted(range(len(found)), key=lambda lane: lane != reference)
    met, numbers = np.zeros(0, np.int64), np.zeros(0, np.int64)
    known = [np.zeros(0, np.int64)] * len(found)
    for lane in order:
        places = found[lane].places
        here, there = pairs(places, met, tolerance)
        fresh = np.ones(len(places), np.bool_)
        fresh[here] = False
        mine = np.empty(len(places), np.int64)
        mine[here] = numbers[there]
        mine[fresh] = len(met) + np.arange(int(fresh.sum()))
        known[lane] = mine
        met, numbers = np.concatenate((met, places[fresh])), np.concatenate((numbers, mine[fresh]))
        by_place = np.argsort(met, kind="stable")
        met, numbers = met[by_place], numbers[by_place]
    return known


def _offsets(document: Document, boundaries: Boundaries) -> NDArray[np.int64]:
    """Return the offset directly behind the last visible character before each boundary, int64 (n,)."""
    last = boundaries.places - 1
    blank = blank_places(document)
    # So many visible characters stand before each blank; those at or before the last one are passed on the way to it.
    offsets: NDArray[np.int64] = last + np.searchsorted(blank - np.arange(len(blank)), last, "right") + 1
    return offsets
