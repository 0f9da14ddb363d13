"""Markdown by its blocks: headings, paragraphs, lists, tables, fences, quotes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import Field

from chunkviz.document import Document
from chunkviz.evidence import Reason, Structure
from chunkviz.measure import Measure
from chunkviz.outline import Outline, block_levels, inner_levels, outline_of
from chunkviz.packing import Level, Packer, Piece, SortedCuts, skip_space
from chunkviz.params import Choice, Slider, Switch, Unit
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.strategy import About, Cutting, Strategy, measure_of


class Markdown(Strategy):
    """Sections of a markdown document, packed up to ``chunk_size`` block by block.

    A heading down to ``max_heading_level`` starts a chunk, however short its section is; sections
    of deeper headings share a chunk while they fit. A heading stays with the beginning of what it
    announces, unless that is a fence which fits only alone. Tables are cut at the ends of rows, and
    not between header and first row; a fence that fits is kept whole, a longer one is cut at line
    ends. The metadata of a chunk hold ``headings``, the path in force at its start, and, where it
    continues a table, ``table_header``, the header row.
    """

    name: ClassVar[str] = "markdown"
    about: ClassVar[About] = About(
        title="Markdown",
        summary="Sections packed to the size: tables cut between rows, fences kept whole, the heading path on each.",
        split_unit="heading, block, list item, table row, sentence",
        boundary_logic="a heading down to a chosen level starts a chunk; else the outermost block boundary in reach",
        best_for="documentation, wikis, notes, and converted documents with headings and tables",
        calls="none",
        relative_cost="low",
        source="the header splitting that LangChain made common, on the CommonMark tree of pulldown-cmark",
    )

    chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "{unit}", characters=(100, 8000, 50))] = 512
    """The most a chunk may hold."""
    chunk_overlap: Annotated[int, Field(ge=0), Slider(0, 512, 2, "{unit}", "chunk_size", characters=(0, 2000, 10))] = 0
    """How much of a chunk the next one repeats, at most; whole segments only, and never across a heading."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""
    max_heading_level: Annotated[int, Field(ge=0, le=6), Slider(0, 6)] = 2
    """Deepest heading level that always starts a chunk; sections below it share a chunk while they fit (0: all do)."""
    heading_context: Annotated[bool, Field(title="Heading path as context"), Switch()] = False
    """Put the heading path before each chunk for embedding; outer titles are left out where it exceeds the size."""

    def cut(self, document: Document, services: Services) -> Cutting:
        """Pack the document along its blocks."""
        text, outline = document.text, outline_of(document)
        measure = measure_of(self.unit, document, services)
        header = Structure("header")
        breaks: list[tuple[int, Reason]] = [
            (place, header) for place, level in outline.headers if level <= self.max_heading_level
        ]
        levels = self._levels(document, measure)
        packer = Packer(
            text, measure, self.chunk_size, self.chunk_overlap, levels, breaks, keep_indentation=True,
            report=services.report,
        )  # fmt: skip
        context = ContextLine(self.chunk_size, len if self.unit == "characters" else services.tokenizer.count)
        pieces = []
        for piece in packer.pack():
            start = skip_space(text, piece.start)
            path, table = outline.path_at(start), outline.table_at(start)
            extra: tuple[tuple[str, Any], ...] = (("headings", path),)
            if table is not None:
                extra += (("table_header", table.header),)
            line = context.of(path) if self.heading_context else None
            pieces.append(Piece(piece.start, piece.end, piece.reason, context=line, extra=extra))
        return Cutting(pieces)

    def _levels(self, document: Document, measure: Measure) -> tuple[Level, ...]:
        outline, header = outline_of(document), Structure("header")
        deeper = (
            [place for place, each in outline.headers if each == level]
            for level in range(self.max_heading_level + 1, 7)
        )
        return (
            *(Level(SortedCuts(places), header, starts_afresh=True) for places in deeper if places),
            *block_levels(document),
            Level(
                SortedCuts(self._alone(document.text, outline, measure)), Structure("code fence"), starts_afresh=True
            ),
            *inner_levels(document),
        )

    def _alone(self, text: str, outline: Outline, measure: Measure) -> list[int]:
        """Return the starts of fences that fit, but not beside the heading above them or an overlap."""
        places = []
        for heading, start, end in outline.fences:
            before = start
            while before > 0 and text[before - 1].isspace():
                before -= 1
            together = measure.back(before, self.chunk_overlap) if heading is None else heading
            if measure.count(start, end) <= self.chunk_size < measure.count(together, end):
                places.append(start)
        return places


@dataclass(frozen=True, slots=True)
class ContextLine:
    """Heading paths as one line each, of at most ``size``."""

    size: int
    count: Callable[[str], int]
    _sizes: dict[str, int] = field(default_factory=dict)
    """Of each title: a long one stands in many paths, and is counted once."""

    def of(self, path: tuple[str, ...]) -> str | None:
        """Return the titles joined by " > ", without the outermost where it would be too long, or None."""
        for first in range(len(path)):
            titles = [title for title in path[first:] if title]
            if titles and all(self._size(title) <= self.size for title in titles):
                line = " > ".join(titles)
                if self.count(line) <= self.size:
                    return line
        return None

    def _size(self, title: str) -> int:
        if title not in self._sizes:
            self._sizes[title] = self.count(title)
        return self._sizes[title]
