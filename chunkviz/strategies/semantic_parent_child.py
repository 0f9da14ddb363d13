"""Paragraphs to be found, clusters of similar paragraphs to be returned."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from chunkviz.blocks import Segments, paragraphs
from chunkviz.document import Document
from chunkviz.evidence import DocumentEnd, Oversize, ParentEnd, Structure
from chunkviz.grouping import Compared, Grouping, compare, notes_of, split_large
from chunkviz.measure import Measure
from chunkviz.packing import Piece
from chunkviz.params import Choice, Slider, Unit
from chunkviz.progress import Report, part, told
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.semantic import THRESHOLD, setting_of_mode
from chunkviz.strategies.strategy import About, Cutting, Need, Parent, Strategy, measure_of
from chunkviz.thresholds import MODE_HELP, ThresholdMode, check_threshold


class SemanticParentChild(Strategy):
    """Each paragraph is a child; neighbours whose similarity reaches the threshold share a parent."""

    name: ClassVar[str] = "semantic_parent_child"
    about: ClassVar[About] = About(
        title="Semantic parent-child",
        summary="Searches paragraphs one by one, and returns the run of similar paragraphs around the one found.",
        split_unit="paragraph; fences whole, headings with what they announce",
        boundary_logic="a parent ends where the similarity of neighbouring paragraphs is below the threshold",
        best_for="answers that need more of the text than the sentence that matches",
        calls="one embedding per paragraph",
        relative_cost="medium",
        source="LangChain's parent document retrieval and LlamaIndex's auto-merging, with semantic parents",
    )
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    threshold: Annotated[float, THRESHOLD] = 0.5
    """What the similarity of neighbouring paragraphs must reach to share a parent, in the terms of the mode."""
    threshold_mode: Annotated[ThresholdMode, Choice(MODE_HELP, explained=True)] = "absolute"
    """What the threshold means; the targets are about parents, and the similarity it comes to is always shown."""
    max_parent_size: Annotated[int, Field(ge=2), Slider(64, 4096, 32, "{unit}", characters=(200, 16000, 100))] = 1024
    """The most a parent may hold; longer ones are split between paragraphs."""
    max_child_size: Annotated[
        int, Field(ge=1), Slider(32, 2048, 16, "{unit}", "max_parent_size", characters=(100, 8000, 50))
    ] = 256
    """The most a child may hold; longer paragraphs are split between sentences."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""

    @model_validator(mode="before")
    @classmethod
    def _start_from_the_mode(cls, given: Any) -> Any:
        return setting_of_mode(given)

    @model_validator(mode="after")
    def _threshold_fits_its_mode(self) -> SemanticParentChild:
        check_threshold(self.threshold_mode, self.threshold)
        return self

    def cut(self, document: Document, services: Services) -> Cutting:
        """Group paragraphs into parents, then take each parent's paragraphs as its children."""
        measure = measure_of(self.unit, document, services)
        segments = paragraphs(document, part(services.report, 0.0, 0.2))
        compared = compare(document, segments, services.part(0.2, 0.7))
        grouping = self.grouping(document, compared, measure)
        curve = grouping.curve(self.threshold_mode, self.threshold)
        cuts = curve.cuts_for(curve.threshold or 0.0)
        parents = grouping.pieces(cuts, curve, part(services.report, 0.7, 0.8))
        return Cutting(
            self._children(document, measure, segments, parents, part(services.report, 0.8, 1.0)),
            parents=[Parent(parent.start, parent.end) for parent in parents],
            curve=curve,
            notes=notes_of(curve),
            calls=compared.calls,
            tokens=compared.tokens,
        )

    def grouping(self, document: Document, compared: Compared, measure: Measure) -> Grouping:
        """Return what the sizes make of any cuts, as parents; the threshold has no part in it."""
        return Grouping(document, compared, measure, maximum=self.max_parent_size, kind=Structure("paragraph"))

    def _children(
        self, document: Document, measure: Measure, segments: Segments, parents: list[Piece], report: Report
    ) -> list[Piece]:
        children: list[Piece] = []
        starts, ends = segments.starts, segments.ends
        for place, parent in enumerate(told(parents, report)):
            first = int(np.searchsorted(ends, np.int64(parent.start), "right"))
            last = int(np.searchsorted(starts, np.int64(parent.end), "left"))
            spans = [
                Piece(max(start, parent.start), min(end, parent.end), Structure("paragraph"), place)
                for start, end in zip(starts[first:last].tolist(), ends[first:last].tolist(), strict=True)
            ]
            reason = parent.reason if not isinstance(parent.reason, Oversize) else ParentEnd()
            spans[-1] = Piece(spans[-1].start, spans[-1].end, reason, place)
            pieces = split_large(document, measure, segments, spans, self.max_child_size, Structure("sentence"))
            children += [Piece(piece.start, piece.end, piece.reason, place) for piece in pieces]
        if children:
            children[-1] = Piece(children[-1].start, children[-1].end, DocumentEnd(), children[-1].parent)
        return children
