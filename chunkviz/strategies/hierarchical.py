"""Small chunks to be found inside large ones to be returned, level by level."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import Field

from chunkviz.document import Document
from chunkviz.evidence import DocumentEnd, ParentEnd
from chunkviz.packing import Packer, Piece, structure_levels
from chunkviz.params import Choice, Slider, Unit
from chunkviz.progress import part
from chunkviz.segments import language_of, structure_cuts
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.strategy import About, Cutting, Parent, Strategy, measure_of

_FIRST = 0.3
"""Share of the work that is packing the first level."""


class Hierarchical(Strategy):
    """Parents of ``parent_chunk_size`` along the text's structure, children of ``chunk_size`` inside them."""

    name: ClassVar[str] = "hierarchical"
    about: ClassVar[About] = About(
        title="Hierarchical",
        summary="Searches small chunks and returns the large one around the chunk found.",
        split_unit="header, paragraph, line, sentence, word",
        boundary_logic="recursive at each level: parents first, then children that never cross them",
        best_for="precise search with answers that need context",
        calls="none",
        relative_cost="lowest",
        source="LangChain's ParentDocumentRetriever and LlamaIndex's HierarchicalNodeParser",
    )

    parent_chunk_size: Annotated[int, Field(ge=2), Slider(64, 4096, 32, "{unit}", characters=(200, 16000, 100))] = 1500
    """The most a parent may hold."""
    chunk_size: Annotated[
        int, Field(ge=1), Slider(32, 2048, 16, "{unit}", "parent_chunk_size", characters=(50, 8000, 50))
    ] = 400
    """The most a child may hold."""
    chunk_overlap: Annotated[int, Field(ge=0), Slider(0, 512, 2, "{unit}", "chunk_size", characters=(0, 2000, 10))] = (
        100
    )
    """How much of a child the next one of the same parent repeats, at most."""
    max_levels: Annotated[int, Field(ge=2, le=6), Slider(2, 6, 1)] = 2
    """Levels from the largest parents down to the children; the sizes between them fall by equal factors."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "characters"
    """What sizes are counted in."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The size of each level, largest first; the last is ``chunk_size``."""
        steps = self.max_levels - 1
        ratio = self.chunk_size / self.parent_chunk_size
        between = (round(self.parent_chunk_size * ratio ** (step / steps)) for step in range(1, steps))
        return (self.parent_chunk_size, *between, self.chunk_size)

    def cut(self, document: Document, services: Services) -> Cutting:
        """Pack the document, then each parent, down to the children."""
        measure = measure_of(self.unit, document, services)
        levels = document.derive(
            ("structure levels", document.language),
            lambda: structure_levels(document.text, structure_cuts(document), lambda: language_of(document)),
        )
        # The first level is packed as a whole; those below it part after part, together through the document.
        reports = [part(services.report, 0.0, _FIRST), *[part(services.report, _FIRST, 1.0)] * (len(self.sizes) - 1)]
        packers = [
            Packer(
                document.text, measure, size, self.chunk_overlap if size == self.sizes[-1] else 0, levels, report=report
            )
            for size, report in zip(self.sizes, reports, strict=True)
        ]
        parents: list[Parent] = []
        children: list[Piece] = []

        def descend(packer_at: int, begin: int, end: int, above: int | None) -> None:
            pieces = packers[packer_at].pack(begin, end, ParentEnd())
            if packer_at == len(packers) - 1:
                children.extend(replace(piece, parent=above) for piece in pieces)
                return
            for piece in pieces:
                parents.append(Parent(piece.start, piece.end, len(packers) - 1 - packer_at, above))
                descend(packer_at + 1, piece.start, piece.end, len(parents) - 1)

        descend(0, 0, len(document.text), None)
        if children:
            children[-1] = replace(children[-1], reason=DocumentEnd())
        return Cutting(children, parents)
