"""Chunks that another pipeline made of a document, as a chunking like any other."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from chunkviz.agreement import blank_places
from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evidence import DocumentEnd, OwnReason, Reason
from chunkviz.packing import Piece
from chunkviz.placing import Placed, Placing, Unplaced
from chunkviz.records import Record
from chunkviz.segments import skip_blank
from chunkviz.services import Services
from chunkviz.strategies.strategy import About, Cutting, Strategy

SHOWN = 5
"""Texts that could not be placed which the notes of a chunking name one by one."""


class OwnChunks(Strategy):
    """The chunks of a file that somebody else's pipeline made; see :func:`align`."""

    name: ClassVar[str] = "own_chunks"
    about: ClassVar[About] = About(
        title="Own chunks",
        summary="Chunks that another pipeline made, found in the document.",
        split_unit="whatever made them",
        boundary_logic="text by text, in order: as it stands, without white space, or approximately",
        best_for="comparing what you have with what you could have",
        calls="none",
        relative_cost="lowest",
        source="your file",
    )

    file: str
    """Name of the file they came in."""
    records: tuple[Record, ...] = Field(repr=False)
    """The chunks as they came."""

    def __str__(self) -> str:
        """Return what people call it."""
        return f"own chunks of {self.file}"

    def cut(self, document: Document, services: Services) -> Cutting:
        """Place the texts; the notes tell what could not be placed."""
        return _cutting(document, _place(document, self.records, services))

    def config(self) -> dict[str, Any]:
        """Return name and file; the chunks themselves are in that file."""
        return {"strategy": self.name, "file": self.file}


@dataclass(frozen=True, slots=True)
class Aligned:
    """A chunking of the texts that were found, and those that were not."""

    chunking: Chunking
    placed: tuple[Placed, ...]
    """One for each chunk, in order."""
    unplaced: tuple[Unplaced, ...]

    @property
    def methods(self) -> dict[str, int]:
        """How many chunks were placed in which way."""
        return dict(Counter(each.method for each in self.placed))


def align(
    document: Document, records: Sequence[Record], *, file: str = "chunks", services: Services | None = None
) -> Aligned:
    """Find the texts of ``records`` in the document; ``file`` is the name they are called by.

    A text is placed by its own offsets where it stands there, else where it is found exactly, else
    with other white space, else where the document is at least 90 percent like it; each behind the
    start of the one before. The places of chunks are their texts' own, an approximate one's the nearest.

    Raises
    ------
    ParameterError
        When there are no records, or none of them is in the document.
    Cancelled
        When ``services.report`` says that nobody wants the result.

    """
    began = time.perf_counter()
    services = services or Services()
    strategy = OwnChunks(file=file, records=tuple(records))
    if not strategy.records:
        message = f"{file} holds no chunks; give a file with at least one."
        raise ParameterError(message)
    results = _place(document, strategy.records, services)
    placed = tuple(each for each in results if isinstance(each, Placed))
    unplaced = tuple(each for each in results if isinstance(each, Unplaced))
    if not placed:
        message = (
            f"none of the {len(results):,} chunks of {file} is in {document.name or 'the document'}; the first: "
            f"{unplaced[0].reason}. Give the document they were made of."
        )
        raise ParameterError(message)
    chunking = strategy.assemble(document, services, _cutting(document, results), began=began)
    return Aligned(chunking, placed, unplaced)


def _place(document: Document, records: Sequence[Record], services: Services) -> list[Placed | Unplaced]:
    """Return what comes of each record; where all tell where they begin, in that order."""
    starts = [record.start for record in records]
    if None not in starts:
        records = sorted(records, key=lambda record: (record.start or 0, record.end or 0, record.number))
    results = []
    for done, result in enumerate(Placing(document.text, blank_places(document), records).run(), start=1):
        results.append(result)
        services.report(done / len(records))
    return results


def _cutting(document: Document, results: Sequence[Placed | Unplaced]) -> Cutting:
    pieces = []
    for result in results:
        if isinstance(result, Placed):
            at_end = skip_blank(document.text, result.end) == len(document)
            extra: tuple[tuple[str, Any], ...] = (("record", result.record.number), ("placed", result.method))
            if result.method == "approximate":
                extra = (*extra, ("score", round(result.score, 1)))
            pieces.append(Piece(result.start, result.end, _reason(result, at_end=at_end), extra=extra))
    unplaced = [result for result in results if isinstance(result, Unplaced)]
    notes = [f"Chunk {each.record.number} could not be placed: {each.reason}." for each in unplaced[:SHOWN]]
    if len(unplaced) > SHOWN:
        notes.append(f"{len(unplaced) - SHOWN:,} more chunks could not be placed.")
    return Cutting(pieces, notes=tuple(notes))


def _reason(placed: Placed, *, at_end: bool) -> Reason:
    if at_end:
        return DocumentEnd()
    about = f", placed at {placed.score:.0f}%" if placed.method == "approximate" else ""
    return OwnReason(f"own chunk ends{about}")
