"""The boundaries that the text itself offers: headers, paragraphs and lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from chunkviz.segments.headings import Heading, headings
from chunkviz.segments.lines import line_places

if TYPE_CHECKING:
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
        return StructureCuts((), paragraphs, lines)
    firsts = [found[0], *(heading for before, heading in pairwise(found) if not _announces(text, before, heading))]
    headers = tuple(
        starts
        for level in range(1, 7)
        if (starts := [heading.start for heading in firsts if heading.level == level and heading.start > 0])
    )
    glued = _glued(found, lines) - {start for starts in headers for start in starts}
    return StructureCuts(
        headers,
        [place for place in paragraphs if place not in glued],
        [place for place in lines if place not in glued],
        frozenset(glued),
    )


def _announces(text: str, before: Heading, heading: Heading) -> bool:
    """Whether ``heading`` is the first thing in the section of ``before``, a level deeper."""
    return heading.level > before.level and not text[before.end : heading.start].strip()


def _glued(found: tuple[Heading, ...], lines: list[int]) -> set[int]:
    """Return the line starts that would part a heading's lines, or a heading from what follows it."""
    glued: set[int] = set()
    for heading in found:
        first, behind = bisect_right(lines, heading.start), bisect_right(lines, heading.end)
        glued.update(lines[first : behind + 1])
    return glued
