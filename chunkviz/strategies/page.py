"""The pages of a document, one chunk each."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import Field

from chunkviz.document import Document
from chunkviz.evidence import Reason, Structure
from chunkviz.measure import Measure
from chunkviz.packing import Packer, skip_space, structure_levels, trimmed_end
from chunkviz.params import Choice, Slider, Unit
from chunkviz.segments import language_of, structure_cuts
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.strategy import About, Cutting, Strategy, measure_of


class Page(Strategy):
    """One chunk a page; a page above ``chunk_size`` is split, one below ``min_size`` joins the next where both fit.

    Pages are those the loader found, or else what form feeds divide. The metadata of a chunk hold
    ``pages``, the numbers of its first and last page from 1.
    """

    name: ClassVar[str] = "page"
    about: ClassVar[About] = About(
        title="Page",
        summary="One chunk a page; long pages are split along their structure, very short ones join the next.",
        split_unit="page, then header, paragraph, line, sentence, word",
        boundary_logic="where a page ends; inside a page that is too big, at the strongest boundary in reach",
        best_for="reports and slides whose pages are units of meaning, and answers that cite a page",
        calls="none",
        relative_cost="lowest",
        source="page-level chunking, the best on average in NVIDIA's comparison of chunking strategies (2025)",
    )

    chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "{unit}", characters=(100, 8000, 50))] = 512
    """The most a chunk may hold."""
    min_size: Annotated[int, Field(ge=0), Slider(0, 512, 2, "{unit}", characters=(0, 2000, 10))] = 50
    """A page shorter than this joins the next one, or the last page the one before, where both fit; 0: none does."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""

    def cut(self, document: Document, services: Services) -> Cutting:
        """Break the document where pages begin, and pack each along its structure."""
        text, measure = document.text, measure_of(self.unit, document, services)
        starts = page_starts(document)
        breaks: list[tuple[int, Reason]] = [(place, Structure("page")) for place in self._breaks(text, measure, starts)]
        levels = document.derive(
            ("structure levels", document.language),
            lambda: structure_levels(text, structure_cuts(document), lambda: language_of(document)),
        )
        pieces = Packer(text, measure, self.chunk_size, 0, levels, breaks, report=services.report).pack()
        numbered = [
            replace(piece, extra=(("pages", (bisect_right(starts, piece.start), bisect_right(starts, piece.end - 1))),))
            for piece in pieces
        ]
        notes = () if len(starts) > 1 or document.pages else ("This has no pages, so it is packed as one.",)
        return Cutting(numbered, notes=notes)

    def _breaks(self, text: str, measure: Measure, starts: list[int]) -> list[int]:
        """Return the page starts at which a chunk must end: all but those of pages that join another."""
        kept: list[int] = []
        begin, *others = sorted({*starts, len(text)})
        for here, following in pairwise(others):
            end, then = trimmed_end(text, begin, here), trimmed_end(text, here, following)
            is_short = measure.count(begin, end) < self.min_size
            is_last = following == len(text) and measure.count(here, then) < self.min_size
            if not ((is_short or is_last) and measure.count(begin, then) <= self.chunk_size):
                kept.append(here)
                begin = here
        return kept


def page_starts(document: Document) -> list[int]:
    """Return the first visible character of each page; a blank page has that of the next."""
    text = document.text
    if document.pages:
        places = [page.start for page in document.pages[1:]]
    else:
        places = [match.end() for match in re.finditer("\f", text)]
    starts = [skip_space(text, 0)]
    for place in places:
        # A page that begins in the blank before the start last found begins there, too.
        starts.append(starts[-1] if place <= starts[-1] else skip_space(text, place))
    return starts
