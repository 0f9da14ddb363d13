"""What the curve sends to the browser: all that a threshold needs, packed from arrays, and what is in force.

A message is laid out as those of the viewer are: length of the head, head in JSON, body. The body
of ``curve`` is its columns one after the other, little endian, as the head lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.blocks import paragraphs, semantic_segments
from chunkviz.chunk import Chunking
from chunkviz.evidence import SimilarityCurve, Structure
from chunkviz.services import Services
from chunkviz.split_plan import RunCounts, SplitPlan, run_counts, split_plan
from chunkviz.strategies import Semantic, SemanticParentChild
from chunkviz.strategies.strategy import measure_of
from chunkviz.tokens import TokenMap
from chunkviz.ui.viewer.payload import as_message, pack


@dataclass(frozen=True)
class Movable:
    """What lets the browser move the threshold: sizes, the plan for splitting, counts."""

    noun: str
    """What the threshold makes: chunks or parents."""
    unit: str
    min_size: int
    max_size: int
    plan: SplitPlan
    counts: RunCounts


def movable(chunking: Chunking, services: Services, report: Callable[[float], None] | None = None) -> Movable | None:
    """Return it, or None where the strategy has no threshold; worked out once for each maximum.

    ``report`` is told the share done (0 to 1); what it raises ends the work.
    """
    strategy, document = chunking.strategy, chunking.document
    match strategy:
        case Semantic():
            segments, kind = semantic_segments(document), Structure("sentence")
            noun, unit, low, high = "chunk", strategy.unit, strategy.min_size, strategy.max_chunk_size
        case SemanticParentChild():
            segments, kind = paragraphs(document), Structure("paragraph")
            noun, unit, low, high = "parent", strategy.unit, 0, strategy.max_parent_size
        case _:
            return None
    tokens = TokenMap.of(document, services.tokenizer)

    def make() -> tuple[SplitPlan, RunCounts]:
        measure = measure_of(unit, document, services)
        plan = split_plan(document, segments, measure, high, kind, tokens, report)
        return plan, run_counts(plan.starts, segments.ends, tokens)

    key = ("split plan", kind, unit, high, services.tokenizer.name, document.language)
    return Movable(noun, unit, low, high, *document.derive(key, make))


def curve_message(curve: SimilarityCurve, given: Movable | None, *, viewer: str, document: str, target: str) -> bytes:
    """Return the message with the curve, once per set of similarities and sizes."""
    columns: dict[str, NDArray[Any]] = {
        "similarities": curve.similarities.astype(np.float32),
        "allowed": curve.allowed.astype(np.uint8),
        "segmentStarts": curve.starts.astype(np.int32),
        "segmentEnds": curve.ends.astype(np.int32),
    }
    if curve.mode == "gradient":
        columns["signal"] = curve.signal.astype(np.float32)
    if given is not None:
        plan, counts = given.plan, given.counts
        columns |= {
            name: np.ascontiguousarray(values, np.int32)
            for name, values in (
                ("starts", plan.starts), ("reach", plan.reach), ("pieceEnds", plan.ends),
                ("following", plan.following), ("sizes", plan.sizes), ("heads", counts.heads),
                ("tails", counts.tails), ("exceptions", counts.exceptions.ravel()),
            )
        }  # fmt: skip
    packed, body = pack(b"".join(_aligned(values) for values in columns.values()))
    head = {
        "kind": "curve",
        "viewer": viewer,
        "target": target,
        "document": document,
        "columns": [[name, values.dtype.name, len(values)] for name, values in columns.items()],
        "mode": curve.mode,
        "minChunkSize": curve.min_chunk_size,
        "embedder": curve.embedder,
        "movable": given is not None,
        "noun": "chunk" if given is None else given.noun,
        "unit": "" if given is None else given.unit,
        "minSize": 0 if given is None else given.min_size,
        "maxSize": 0 if given is None else given.max_size,
        "exact": given is None or given.counts.exact,
        "packed": packed,
    }
    return as_message(head, body)


def state_message(chunking: Chunking, *, viewer: str, setting: str, selected: int | None) -> bytes:
    """Return the message with what is in force: threshold, boundaries of the core, and the selected chunk."""
    curve = chunking.evidence.curve
    made = chunking.parents or chunking.chunks
    starts = np.fromiter((chunk.start for chunk in made), np.int32, len(made))
    ends = np.fromiter((chunk.end for chunk in made), np.int32, len(made))
    tokens = np.fromiter((chunk.token_count for chunk in made), np.int32, len(made))
    packed, body = pack(starts.tobytes() + ends.tobytes() + tokens.tobytes())
    chunk = chunking[selected] if selected is not None and selected < len(chunking) else None
    head = {
        "kind": "state",
        "viewer": viewer,
        "document": chunking.document.id,
        "threshold": None if curve is None else curve.threshold,
        "setting": setting,
        "count": len(made),
        "selected": None if chunk is None else [chunk.start, chunk.end],
        "packed": packed,
    }
    return as_message(head, body)


def _aligned(values: NDArray[Any]) -> bytes:
    """Return the bytes, filled up so that the next column begins at a multiple of four."""
    coded = values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    return coded + bytes(-len(coded) % 4)
