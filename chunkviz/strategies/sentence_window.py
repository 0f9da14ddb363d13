"""Single sentences to be found, each with its neighbours to be returned."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from chunkviz.blocks import sentence_segments
from chunkviz.document import Document
from chunkviz.evidence import DocumentEnd, Structure
from chunkviz.packing import Piece
from chunkviz.params import Slider
from chunkviz.services import Services
from chunkviz.strategies.strategy import About, Cutting, Parent, Strategy


class SentenceWindow(Strategy):
    """Each sentence is a child, searched alone; its parent is the sentence with ``window`` neighbours."""

    name: ClassVar[str] = "sentence_window"
    about: ClassVar[About] = About(
        title="Sentence window",
        summary="Searches single sentences and returns each with its neighbours on either side.",
        split_unit="sentence",
        boundary_logic="every sentence; the parent reaches window sentences to either side",
        best_for="facts that stand in one sentence",
        calls="none",
        relative_cost="low; many chunks to embed",
        source="LlamaIndex's SentenceWindowNodeParser",
    )

    window: Annotated[int, Field(ge=0), Slider(0, 10, 1, "sentences")] = 3
    """Sentences on either side that are returned with the one found."""

    def cut(self, document: Document, services: Services) -> Cutting:
        """Take the sentences; sentences whose windows coincide share one parent."""
        segments = sentence_segments(document, services.report)
        if not len(segments):
            return Cutting(())
        first, last = segments.with_neighbours(self.window)
        new = np.ones(len(segments), np.bool_)
        new[1:] = (first[1:] != first[:-1]) | (last[1:] != last[:-1])
        owner = (np.cumsum(new) - 1).tolist()
        parents = [Parent(start, end) for start, end in zip(first[new].tolist(), last[new].tolist(), strict=True)]
        reason = Structure("sentence")
        pieces = [
            Piece(start, end, reason, parent)
            for start, end, parent in zip(segments.starts.tolist(), segments.ends.tolist(), owner, strict=True)
        ]
        pieces[-1] = Piece(pieces[-1].start, pieces[-1].end, DocumentEnd(), pieces[-1].parent)
        return Cutting(pieces, parents)
