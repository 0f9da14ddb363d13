"""The boundaries that the text itself offers: headers, paragraphs and lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.segments.headings import Heading, headings
from chunkviz.segments.lines import line_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document


@dataclass(frozen=True, slots=True)
class StructureCuts:
    """Sorted offsets where the text itself offers a boundary.

    Each is the first character after white space, so what stands before keeps its punctuation and
    what follows begins with its heading. No place between a heading and the text it announces is
    offered: a heading stays with the beginning of its section.
    """

    headers: tuple[Sequence[int], ...]
    """One row per heading level that occurs, highest first."""
    paragraphs: Sequence[int]
    lines: Sequence[int]
    glued: frozenset[int] = frozenset()
    """Line starts left out because a heading holds on to them."""


def structure_cuts(document: Document) -> StructureCuts:
    """Return where headers, paragraphs and lines begin; computed once per document."""
    return document.derive("structure cuts", lambda: _find_structure_cuts(document))


def _find_structure_cuts(document: Document) -> StructureCuts:
    text = document.text
    lines, paragraphs, _ = line_places(document)
    found = headings(document)
    if not found:
        return StructureCuts((), paragraphs.tolist(), lines.tolist())
    firsts = [found[0], *(heading for before, heading in pairwise(found) if not _announces(text, before, heading))]
    headers = tuple(
        starts
        for level in range(1, 7)
        if (starts := [heading.start for heading in firsts if heading.level == level and heading.start > 0])
    )
    glued = _glued(found, lines) - {start for starts in headers for start in starts}
    left_out = np.fromiter(glued, np.int64, len(glued))
    return StructureCuts(
        headers,
        np.setdiff1d(paragraphs, left_out, assume_unique=True).tolist(),
        np.setdiff1d(lines, left_out, assume_unique=True).tolist(),
        frozenset(glued),
    )


def _announces(text: str, before: Heading, heading: Heading) -> bool:
    """Whether ``heading`` is the first thing in the section of ``before``, a level deeper."""
    return heading.level > before.level and not text[before.end : heading.start].strip()


def _glued(found: tuple[Heading, ...], lines: NDArray[np.int64]) -> set[int]:
    """Return the line starts that would part a heading's lines, or a heading from what follows it."""
    glued: set[int] = set()
    first = lines.searchsorted([heading.start for heading in found], "right")
    behind = lines.searchsorted([heading.end for heading in found], "right")
    for begin, end in zip(first.tolist(), behind.tolist(), strict=True):
        glued.update(lines[begin : end + 1].tolist())
    return glued
