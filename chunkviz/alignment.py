"""Chunks that another pipeline made of a document, as a chunking like any other."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from chunkviz.agreement import blank_places
from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evidence import DocumentEnd, OwnReason, Reason
from chunkviz.packing import Piece
from chunkviz.placing import Placed, Placing, Unplaced, in_document_order
from chunkviz.records import Record
from chunkviz.segments import skip_blank
from chunkviz.services import Services
from chunkviz.strategies.strategy import About, Cutting, Strategy

SHOWN = 5
"""Texts that could not be placed which the notes of a chunking name one by one."""
SORTED = 5_000
"""Most texts that are put in the document's order where their file has another: each is sought in all of it."""


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
        return _cutting(document, *_place(document, self.records, services))

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
    in_order: bool = True
    """Whether the file had them in the order in which they stand in the document."""

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
    start of the one before. Where that leaves some out of order, all are put in the document's order first, and
    what is placed then counts if more of it is found as it is. The places of chunks are their texts' own, an
    approximate one's the nearest.

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
    results, in_order = _place(document, strategy.records, services)
    placed = tuple(each for each in results if isinstance(each, Placed))
    unplaced = tuple(each for each in results if isinstance(each, Unplaced))
    if not placed:
        message = (
            f"none of the {len(results):,} chunks of {file} is in {document.name or 'the document'}; the first: "
            f"{unplaced[0].reason}. Give the document they were made of."
        )
        raise ParameterError(message)
    chunking = strategy.assemble(document, services, _cutting(document, results, in_order), began=began)
    return Aligned(chunking, placed, unplaced, in_order)


def _place(document: Document, records: Sequence[Record], services: Services) -> tuple[list[Placed | Unplaced], bool]:
    """Return what comes of each record, and whether it is in the order of the file, or of the offsets it tells."""
    starts = [record.start for record in records]
    if None not in starts:
        records = sorted(records, key=lambda record: (record.start or 0, record.end or 0, record.number))
    results = _one_after_another(document, records, lambda share: services.report(0.8 * share))
    if len(records) <= SORTED and any(isinstance(each, Unplaced) and each.out_of_order for each in results):
        ordered = in_document_order(document.text, records)
        again = _one_after_another(document, ordered, lambda share: services.report(0.8 + 0.2 * share))
        if _count_found(again) > _count_found(results):
            return again, False
    services.report(1.0)
    return results, True


def _one_after_another(
    document: Document, records: Sequence[Record], report: Callable[[float], None]
) -> list[Placed | Unplaced]:
    results = []
    for done, result in enumerate(Placing(document.text, blank_places(document), records).run(), start=1):
        results.append(result)
        report(done / len(records))
    return results


def _count_found(results: Sequence[Placed | Unplaced]) -> int:
    # An approximate place proves no order: a second copy of a text is nearly where the first one is.
    return sum(isinstance(each, Placed) and each.method != "approximate" for each in results)


def _cutting(document: Document, results: Sequence[Placed | Unplaced], in_order: bool) -> Cutting:  # noqa: FBT001  a fact
    pieces = []
    for result in results:
        if isinstance(result, Placed):
            at_end = skip_blank(document.text, result.end) == len(document)
            extra: tuple[tuple[str, Any], ...] = (("record", result.record.number), ("placed", result.method))
            if result.method == "approximate":
                extra = (*extra, ("score", round(result.score, 1)))
            pieces.append(Piece(result.start, result.end, _reason(result, at_end=at_end), extra=extra))
    unplaced = [result for result in results if isinstance(result, Unplaced)]
    notes = [] if in_order else ["The chunks stand in another order in their file; here they are in the document's."]
    notes += [f"Chunk {each.record.number} could not be placed: {each.reason}." for each in unplaced[:SHOWN]]
    if len(unplaced) > SHOWN:
        notes.append(f"{len(unplaced) - SHOWN:,} more chunks could not be placed.")
    return Cutting(pieces, notes=tuple(notes))


def _reason(placed: Placed, *, at_end: bool) -> Reason:
    if at_end:
        return DocumentEnd()
    about = f", placed at {placed.score:.0f}%" if placed.method == "approximate" else ""
    return OwnReason(f"own chunk ends{about}")
