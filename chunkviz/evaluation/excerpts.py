"""Where an excerpt stands in a document: exactly, or with other white space, or nearly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from chunkviz.span import Span

BOUND = 90.0
"""Least likeness, of 100, at which an approximate place counts."""
_SHORTEST = 12
"""Characters below which nothing is looked for approximately: too much is like a short text."""


@dataclass(frozen=True, slots=True)
class Located:
    """A place, and how sure it is."""

    span: Span
    how: Literal["exact", "white space", "approximate"]
    likeness: float = 100.0
    """0 to 100; below 100 only where the place is approximate."""


def locate(excerpt: str, text: str, *, bound: float = BOUND) -> Located | None:
    """Return the first place of an excerpt, without the white space at its edges, or None where there is none.

    Exactly first, then with any white space between its words, then the most similar stretch as long as the excerpt,
    where its likeness (``rapidfuzz``'s normalised indel similarity) is at least ``bound`` of 100.
    """
    wanted = excerpt.strip()
    if not wanted:
        return None
    start = text.find(wanted)
    if start >= 0:
        return Located(Span(start, start + len(wanted)), "exact")
    found = _spaced_anyhow(wanted).search(text)
    if found:
        return Located(Span(*found.span()), "white space")
    return _nearly(wanted, text, bound) if _SHORTEST <= len(wanted) <= len(text) else None


def places_of(excerpt: str, text: str) -> int:
    """Return at how many places an excerpt stands in a text, word for word, with any white space between the words."""
    wanted = excerpt.strip()
    return sum(1 for _ in _spaced_anyhow(wanted).finditer(text)) if wanted else 0


def _spaced_anyhow(wanted: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, wanted.split())))


def _nearly(wanted: str, text: str, bound: float) -> Located | None:
    from rapidfuzz import fuzz  # noqa: PLC0415  seldom needed

    best = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=bound)
    if best is None:
        return None
    start, end = best.dest_start, best.dest_end
    stretch = text[start:end]
    start += len(stretch) - len(stretch.lstrip())
    end -= len(stretch) - len(stretch.rstrip())
    return Located(Span(start, end), "approximate", float(best.score)) if start < end else None
