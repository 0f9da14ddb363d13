"""Chunks of a size, filled along the places where a text may be cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkviz.characters import snap_back, snap_forward
from chunkviz.evidence import DocumentEnd, Reason, SizeLimit
from chunkviz.measure import Measure
from chunkviz.packing.cuts import Level
from chunkviz.packing.trimming import is_whole, skip_space, trimmed_end
from chunkviz.progress import EVERY, Report, silent

_SLACK = 2
"""Tokens by which a slice and the document's own tokens usually differ at most: no good place is passed over."""

_DOCUMENT_END = DocumentEnd()


@dataclass(frozen=True, slots=True)
class Piece:
    """One packed span, trimmed of white space, and why it ends where it does."""

    start: int
    end: int
    reason: Reason
    parent: int | None = None
    """Place of its parent among the parents of the cutting."""
    context: str | None = None
    """Text written about it."""
    context_error: str | None = None
    """Why there is no context, where some was asked for."""
    extra: tuple[tuple[str, Any], ...] = ()
    """Metadata, as (name, value) pairs."""


@dataclass(frozen=True, slots=True)
class Packer:
    """Fills chunks of ``text``: ``size`` and ``overlap`` are counted by ``measure``, ``levels`` say where to cut."""

    text: str
    measure: Measure
    size: int
    overlap: int = 0
    levels: Sequence[Level] = ()
    breaks: Sequence[tuple[int, Reason]] = ()
    """Places where a chunk ends however small it is, in order, with the reason."""
    keep_indentation: bool = False
    """Whether a chunk that begins a line begins with the line's indentation, where that fits."""
    report: Report = field(default=silent, compare=False, repr=False)
    """Told the share of ``text`` that is behind the chunks; what it raises ends the work."""

    def pack(self, begin: int = 0, end: int | None = None, last: Reason = _DOCUMENT_END) -> list[Piece]:
        """Return the chunks of ``text[begin:end]`` as trimmed pieces in order; both are whole places.

        Neighbours share whole segments of the highest level that has one small enough, at most
        ``overlap`` of them; no piece lies inside its neighbour. Only a single character (grapheme
        cluster) larger than ``size`` exceeds it, and its reason says so. ``last`` is why the last
        piece ends.
        """
        pieces: list[Piece] = []
        for start, stop, reason in self._stretches(begin, len(self.text) if end is None else end, last):
            self._fill(pieces, start, stop, reason)
        return pieces

    def _stretches(self, begin: int, end: int, last: Reason) -> Iterator[tuple[int, int, Reason]]:
        """Yield the trimmed stretches of text between breaks, each with the reason why it ends."""
        text = self.text
        start, length = skip_space(text, begin), trimmed_end(text, begin, end)
        for place, reason in self.breaks:
            if start < (place := skip_space(text, place)) < length and is_whole(text, place, start):
                yield start, trimmed_end(text, start, place), reason
                start = place
        if start < length:
            yield start, length, last

    def _fill(self, pieces: list[Piece], start: int, length: int, last: Reason) -> None:
        """Append the pieces of the stretch from ``start`` to ``length``."""
        text, measure = self.text, self.measure
        # Everything before `settled` is in a piece already; a new piece must end behind it.
        settled = start
        while start < length:
            if len(pieces) % EVERY == 0:
                self.report(start / len(text))
            opening = self._opening(start)
            high = skip_space(text, min(measure.reach(opening, self.size + 1), length))
            if high >= length and measure.count(opening, length) <= self.size:
                pieces.append(Piece(opening, length, last))
                break
            cut, reason = self._choose_cut(opening, max(start, settled), min(high, length))
            if cut is None and start < settled:
                start = settled
                continue
            if cut is None:
                cut = snap_forward(text, start + 1, start)
                reason = SizeLimit(exceeded=measure.count(start, cut) > self.size)
            end = trimmed_end(text, max(start, settled), cut)
            # What no size can hold is said, but for the end of the document, which is said always.
            too_large = reason == SizeLimit(exceeded=True) and last != _DOCUMENT_END
            pieces.append(Piece(opening, end, reason if end < length or too_large else last))
            settled = skip_space(text, cut)
            start = self._step_back(start, end, settled) if self.overlap else settled

    def _opening(self, start: int) -> int:
        """Return where a piece begins whose first character is at ``start``: there, or at its line's indentation."""
        text, line = self.text, start
        if self.keep_indentation:
            while line > 0 and text[line - 1] not in "\r\n" and text[line - 1].isspace():
                line -= 1
            if line > 0 and text[line - 1] not in "\r\n":
                return start
        fits = line == start or self.measure.count(line, snap_forward(text, start + 1, start)) <= self.size
        return line if fits else start

    def _choose_cut(self, start: int, floor: int, high: int) -> tuple[int | None, Reason]:
        """Return the cut behind ``floor`` and its reason, or None where not even one character fits."""
        text, measure = self.text, self.measure
        for level in self.levels:
            bound = high
            while (cut := level.cuts.last(floor, bound)) is not None:
                if not is_whole(text, cut, floor):
                    bound = cut - 1
                    continue
                excess = measure.count(start, trimmed_end(text, floor, cut)) - self.size
                if excess <= 0:
                    return cut, level.reasons.get(cut, level.reason)
                # White space before a cut is no part of the chunk, so the place behind it may still be within reach.
                bound = min(cut - 1, skip_space(text, measure.reach(start, self.size - excess + _SLACK)))
        return self.last_whole(start, floor, high), SizeLimit()

    def last_whole(self, start: int, floor: int, high: int) -> int | None:
        """Return the last place between whole characters in ``(floor, high]`` up to which the size is kept.

        None when not even one character fits.
        """
        text, measure = self.text, self.measure
        bound = min(high, measure.reach(start, self.size))
        while (cut := snap_back(text, bound, floor)) > floor:
            excess = measure.count(start, trimmed_end(text, start, cut)) - self.size
            if excess <= 0:
                return cut
            bound = min(cut - 1, measure.reach(start, self.size - excess + _SLACK))
        # The document's own tokens can promise less than the slice keeps: try one character.
        cut = snap_forward(text, floor + 1, floor)
        return cut if cut <= high and measure.count(start, cut) <= self.size else None

    def _step_back(self, start: int, end: int, settled: int) -> int:
        """Return where the next piece starts so that it repeats whole segments of at most ``overlap``.

        Nothing is repeated across the beginning of a section: a chunk belongs to one heading path.
        """
        low = max(start + 1, self.measure.back(end, self.overlap))
        for level in self.levels:
            if level.starts_afresh:
                low = max(low, level.cuts.last(low - 1, settled) or 0)
        for level in self.levels:
            bound = low if level.repeats else end
            while (place := level.cuts.first(bound, end)) is not None:
                if self.measure.count(self._opening(place), end) <= self.overlap and is_whole(self.text, place, start):
                    return place
                bound = place + 1
        return settled
