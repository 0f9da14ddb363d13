"""The segments that strategies embed and group: paragraphs, and sentences with whole blocks between them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import Document
from chunkviz.packing import is_whole, skip_space, trimmed_end
from chunkviz.progress import Report, part, silent, told
from chunkviz.segments import headings, language_of, sentences, structure_cuts

_FENCE = re.compile(
    r"^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*(?:\n(?![ ]{0,3}(?P=fence))[^\n]*)*(?:\n[^\n]*|\Z)", re.MULTILINE
)
_WHOLE = re.compile(r"[ ]{0,3}(?:[-*+•][ \t]|\d{1,9}[.)][ \t]|[|>])|[ ]{4}|\t")
"""How a list, a table, a quote or indented code begins."""

_FOUND = 0.5
"""Share of the work that is finding where segments begin."""


@dataclass(frozen=True)
class Segments:
    """Spans in order, trimmed of white space; every other character of the document is in one."""

    starts: NDArray[np.int64] = field(repr=False)
    """int64 (n,)."""
    ends: NDArray[np.int64] = field(repr=False)
    """int64 (n,)."""
    joined: NDArray[np.bool_] = field(repr=False)
    """bool (n - 1,): segment k announces the next one and is never parted from it, as a heading is."""

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.starts)

    def with_neighbours(self, window: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return starts and ends, int64 (n,) each, of each segment with ``window`` neighbours on either side."""
        places = np.arange(len(self))
        first = np.maximum(places - window, 0)
        last = np.minimum(places + window, len(self) - 1)
        return self.starts[first], self.ends[last]


def sentence_segments(document: Document, report: Report = silent) -> Segments:
    """Return the sentences, each trimmed and made of whole characters; computed once per document.

    ``report`` is told the share done, as by all that finds segments here; what it raises ends the work.
    """

    def find() -> Segments:
        report(0.0)
        found = sentences(document)
        return _segments(document, (span.start for span in found), (), part(report, _FOUND, 1.0))

    return document.derive(("sentence segments", language_of(document)), find)


def semantic_segments(document: Document, report: Report = silent) -> Segments:
    """Return sentences, with headings, lists, tables, quotes and fences as whole segments between them."""

    def find() -> Segments:
        ranges = _whole_blocks(document)
        report(_FOUND / 2)
        places = [span.start for span in sentences(document)] if document.format != "code" else list(_blocks(document))
        report(_FOUND)
        inside = np.zeros(len(document.text) + 1, np.bool_)
        for start, end in ranges:
            inside[start + 1 : end] = True
        starts = [place for place in places if not inside[place]]
        edges = (place for pair in ranges for place in pair)
        ends = (heading.end for heading in headings(document))
        return _segments(document, [*starts, *edges], ends, part(report, _FOUND, 1.0))

    return document.derive(("semantic segments", language_of(document)), find)


def paragraphs(document: Document, report: Report = silent) -> Segments:
    """Return the paragraphs: what blank lines part, a heading with what it announces, a fence whole."""

    def find() -> Segments:
        inside = np.zeros(len(document.text) + 1, np.bool_)
        for match in _fences(document):
            inside[match.start() + 1 : match.end()] = True
        cuts = structure_cuts(document)
        headers = (place for places in cuts.headers for place in places)
        places = [place for place in (*_blocks(document), *headers) if not inside[place]]
        return _segments(document, places, (), part(report, _FOUND, 1.0))

    return document.derive("paragraphs", find)


def _blocks(document: Document) -> Iterable[int]:
    return structure_cuts(document).paragraphs


def _fences(document: Document) -> list[re.Match[str]]:
    return list(_FENCE.finditer(document.text)) if document.format == "markdown" else []


def _whole_blocks(document: Document) -> list[tuple[int, int]]:
    """Return the ranges of headings, lists, tables, quotes and fences, in order and apart."""
    text = document.text
    found = [(match.start(), match.end()) for match in _fences(document)]
    fences = [start for start, _ in found]
    found += [(heading.start, heading.end) for heading in headings(document)]
    starts = [skip_space(text, 0), *_blocks(document)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line = text.rfind("\n", 0, start) + 1
        if _WHOLE.match(text, line):
            behind = bisect_left(fences, start)
            # A fence that stands in a list ends the list's own range, and is one of its own.
            found.append((start, min(end, fences[behind]) if behind < len(fences) else end))
    apart: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if start < end and (not apart or start >= apart[-1][1]):
            apart.append((start, end))
    return apart


def _segments(document: Document, places: Iterable[int], join: Iterable[int], report: Report) -> Segments:
    """Cut the text at ``places``; ``join`` are offsets whose segment holds on to the next."""
    text = document.text
    cuts = sorted({place for place in places if 0 < place < len(text)})
    starts: list[int] = []
    ends: list[int] = []
    floor = 0
    for cut in told([*cuts, len(text)], report):
        if cut < len(text) and not is_whole(text, cut, floor):
            continue
        start = skip_space(text, floor)
        if start < cut:
            end = trimmed_end(text, start, cut)
            if start < end:
                starts.append(start)
                ends.append(end)
        floor = cut
    first, last = np.array(starts, np.int64), np.array(ends, np.int64)
    joined = np.zeros(max(len(first) - 1, 0), np.bool_)
    ending = np.searchsorted(last, np.fromiter(join, np.int64), "left")
    joined[ending[ending < len(joined)]] = True
    return Segments(first, last, joined)
