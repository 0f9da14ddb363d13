"""Boundaries where the meaning changes: where neighbouring sentences resemble each other least."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from chunkviz.blocks import semantic_segments
from chunkviz.document import Document
from chunkviz.evidence import Structure
from chunkviz.grouping import Compared, Grouping, compare, notes_of
from chunkviz.measure import Measure
from chunkviz.params import Choice, Slider, Unit
from chunkviz.progress import part
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.strategy import About, Cutting, Need, Strategy, measure_of
from chunkviz.thresholds import MODE_HELP, MODE_RANGES, ThresholdMode, check_threshold

THRESHOLD = Slider(0, 1, 0.01, mode="threshold_mode", modes=MODE_RANGES)


def setting_of_mode(given: Any) -> Any:
    """Give a threshold that was left out the value its mode starts from; what is no mapping passes as it is."""
    if not isinstance(given, dict) or "threshold" in given:
        return given
    mode = given.get("threshold_mode", "absolute")
    return {**given, "threshold": MODE_RANGES[mode].default} if mode in MODE_RANGES else given


class Semantic(Strategy):
    """Chunks that end where the similarity of neighbouring segments falls below a threshold."""

    name: ClassVar[str] = "semantic"
    about: ClassVar[About] = About(
        title="Semantic",
        summary="Ends a chunk where neighbouring sentences resemble each other less than the threshold asks for.",
        split_unit="sentence; headings, lists, tables and fences whole",
        boundary_logic="cosine similarity of neighbours below the threshold, and min_chunk_size sentences so far",
        best_for="prose that changes its topic without headings",
        calls="one embedding per segment",
        relative_cost="medium",
        source="Greg Kamradt, 5 Levels of Text Splitting (2024); Hearst, TextTiling (1997)",
    )
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    threshold: Annotated[float, THRESHOLD] = 0.5
    """What the similarity of neighbours must reach to stay together, in the terms of the mode."""
    threshold_mode: Annotated[ThresholdMode, Choice(MODE_HELP, explained=True)] = "absolute"
    """What the threshold means; the similarity it comes to is always shown."""
    min_chunk_size: Annotated[int, Field(ge=1), Slider(1, 50, 1, "sentences")] = 5
    """Sentences (or whole blocks) a chunk must have before it may end."""
    max_chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "{unit}", characters=(100, 8000, 50))] = 512
    """The most a chunk may hold; longer ones are split between sentences."""
    min_size: Annotated[int, Field(ge=0), Slider(0, 512, 8, "{unit}", "max_chunk_size", characters=(0, 2000, 10))] = 0
    """A chunk below this joins its more similar neighbour, where the limit allows; 0 joins none."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""
    window: Annotated[int, Field(ge=0), Slider(0, 10, 1, "sentences")] = 0
    """Neighbours on either side that are embedded together with each sentence; they smooth the curve."""

    @model_validator(mode="before")
    @classmethod
    def _start_from_the_mode(cls, given: Any) -> Any:
        return setting_of_mode(given)

    @model_validator(mode="after")
    def _threshold_fits_its_mode(self) -> Semantic:
        check_threshold(self.threshold_mode, self.threshold)
        return self

    def cut(self, document: Document, services: Services) -> Cutting:
        """Compare neighbours, cut below the threshold, then bring the groups within their sizes."""
        segments = semantic_segments(document, part(services.report, 0.0, 0.2))
        compared = compare(document, segments, services.part(0.2, 0.8), self.window)
        grouping = self.grouping(document, compared, measure_of(self.unit, document, services))
        curve = grouping.curve(self.threshold_mode, self.threshold)
        cuts = curve.cuts_for(curve.threshold or 0.0)
        pieces = grouping.pieces(cuts, curve, part(services.report, 0.8, 1.0))
        return Cutting(pieces, curve=curve, notes=notes_of(curve), calls=compared.calls, tokens=compared.tokens)

    def grouping(self, document: Document, compared: Compared, measure: Measure) -> Grouping:
        """Return what the sizes make of any cuts; the threshold has no part in it."""
        return Grouping(
            document,
            compared,
            measure,
            maximum=self.max_chunk_size,
            kind=Structure("sentence"),
            min_chunk_size=self.min_chunk_size,
            minimum=self.min_size,
        )
