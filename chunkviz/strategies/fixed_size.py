"""Windows of one size, wherever they fall: the baseline every other strategy is measured against."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from chunkviz.characters import snap_forward
from chunkviz.document import Document
from chunkviz.evidence import DocumentEnd, SizeLimit
from chunkviz.measure import Measure
from chunkviz.packing import Packer, Piece, skip_space, trimmed_end
from chunkviz.params import Choice, Slider, Unit
from chunkviz.progress import EVERY
from chunkviz.services import Services
from chunkviz.strategies.strategy import About, Cutting, Strategy, measure_of

UNIT_LABELS = {"tokens": "Tokens", "characters": "Characters"}


class FixedSize(Strategy):
    """Windows of ``chunk_size`` with ``chunk_overlap``, snapped to whole characters."""

    name: ClassVar[str] = "fixed_size"
    about: ClassVar[About] = About(
        title="Fixed size",
        summary="Equal windows, cut wherever the size is used up.",
        split_unit="token or character",
        boundary_logic="every chunk_size, stepping back by chunk_overlap",
        best_for="a baseline, and text without any structure",
        calls="none",
        relative_cost="lowest",
        source="the sliding window of early retrieval systems",
    )

    chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "{unit}", characters=(100, 8000, 50))] = 512
    """The most a chunk may hold."""
    chunk_overlap: Annotated[int, Field(ge=0), Slider(0, 512, 2, "{unit}", "chunk_size", characters=(0, 2000, 10))] = 50
    """How much of a chunk the next one repeats, at most."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""

    def cut(self, document: Document, services: Services) -> Cutting:
        """Slide the window; the last one never lies inside the one before."""
        text, measure = document.text, measure_of(self.unit, document, services)
        packer = Packer(text, measure, self.chunk_size)
        pieces: list[Piece] = []
        length = trimmed_end(text, 0, len(text))
        window = done = skip_space(text, 0)
        while done < length:
            if len(pieces) % EVERY == 0:
                services.report(done / length)
            start = skip_space(text, window)
            window_end = min(measure.reach(window, self.chunk_size), length)
            if start >= window_end > window:  # nothing but white space
                window = done = start
                continue
            cut, reason = packer.last_whole(start, max(start, done), window_end), SizeLimit()
            if cut is None and window < done:
                window = done
                continue
            if cut is None:
                cut = snap_forward(text, start + 1, start)
                reason = SizeLimit(exceeded=measure.count(start, cut) > self.chunk_size)
            end = trimmed_end(text, start, cut)
            if not pieces or end > pieces[-1].end:
                if pieces and pieces[-1].start == start:
                    pieces.pop()
                pieces.append(Piece(start, end, reason if end < length else DocumentEnd()))
            done = cut
            window = self._step_back(text, measure, window, cut)
        return Cutting(pieces)

    def _step_back(self, text: str, measure: Measure, window: int, cut: int) -> int:
        """Return where the next window starts: behind this one's start, sharing at most the overlap."""
        back = snap_forward(text, max(window + 1, measure.back(cut, self.chunk_overlap)), window)
        while back < cut and measure.count(skip_space(text, back), cut) > self.chunk_overlap:
            back = snap_forward(text, back + 1, back)
        return back
