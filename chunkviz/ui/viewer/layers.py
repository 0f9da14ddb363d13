"""Two more messages to the viewer, beside those of ``payload``: lanes and findings.

``lanes``
    Boundaries of several settings. Body: for each lane the distance of each offset to the one before, then a
    number per boundary whose bits say which lanes cut there, the first lane's lowest. Head: names, counts, colours.
``findings``
    Objections to one chunking, in the order of their places. Body: four columns of a number per finding: kind,
    chunk, distance of its start to the one before, length; then, in JSON, one sentence per finding.

They travel apart from the boundaries, so that a slider step, a click and a filter each send what changed alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.lint import KINDS
from chunkviz.ui.viewer.lanes import LANE_COLOURS, LANE_LETTERS, Lane
from chunkviz.ui.viewer.payload import as_message, fingerprint, leb128, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chunkviz.chunk import Chunking
    from chunkviz.document import Document
    from chunkviz.lint import Finding


def lanes_message(lanes: Sequence[Lane], document: Document, *, viewer: str) -> bytes:
    """Return the message with the boundaries of several settings of one document; without any it takes them away."""
    bits = 1 << np.arange(len(lanes), dtype=np.int64)
    columns = [
        column for lane in lanes for column in (leb128(np.diff(lane.offsets, prepend=0)), leb128(lane.cut_by @ bits))
    ]
    packed, body = pack(b"".join(columns))
    head = {
        "kind": "lanes",
        "viewer": viewer,
        "document": document.id,
        "lanes": [
            {"name": lane.name, "letter": letter, "count": len(lane.offsets)}
            for lane, letter in zip(lanes, LANE_LETTERS, strict=False)
        ],
        "colours": LANE_COLOURS,
        "packed": packed,
    }
    return as_message(head, body)


def findings_message(findings: Sequence[Finding], chunking: Chunking, *, viewer: str) -> bytes:
    """Return the message with objections to one chunking; without any it takes them away."""
    ordered = sorted(findings, key=lambda finding: finding.span.start)
    rows = [(KINDS.index(each.kind), each.index, each.span.start, each.span.end - each.span.start) for each in ordered]
    kinds, indices, starts, lengths = np.array(rows, np.int64).reshape(-1, 4).T
    numbers = b"".join(map(leb128, (kinds, indices, np.diff(starts, prepend=0), lengths)))
    sentences = json.dumps([each.message for each in ordered], ensure_ascii=False).encode("utf-8", "replace")
    packed, body = pack(numbers + sentences)
    head = {
        "kind": "findings",
        "viewer": viewer,
        "chunking": fingerprint(chunking.starts, chunking.ends),
        "count": len(ordered),
        "kinds": KINDS,
        "packed": packed,
    }
    return as_message(head, body)
