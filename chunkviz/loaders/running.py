"""Running headers and footers: what a layout program prints at the same place of page after page.

They are no part of the text: left in, they would stand in the middle of a sentence that goes on to the next page, open
most pages' chunks and match every question about the title.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product, takewhile, zip_longest
from typing import NamedTuple

from chunkviz.loaders.layout import Line, Style

_NUMBER = re.compile(r"\d+")
_DEEPEST = 3  # lines from the upper or the lower edge of the text
_FEWEST = 3  # pages
_MOST_NUMBERS = 4  # in a running line: more are a row of figures
_SAME_PLACE = 3.0  # points, by which the base lines may differ


class _Candidate(NamedTuple):
    page: int
    line: int
    bottom: float
    numbers: tuple[int, ...]


def running_lines(pages: Sequence[Sequence[Line]], style: Style) -> list[set[int]]:
    """Return, for each page, the indices of the lines that are running headers or footers.

    A line is one where it stands among the three outermost of its page with nothing else further out, in type no
    larger than the body, and again at the same height on at least three pages and on every second one between its
    first and its last (left and right pages may differ). The words must be the same. A number must be the same too,
    or go up with the page as a page number does: rows of figures that end several pages alike stay.
    """
    alike: dict[tuple[str, bool], list[_Candidate]] = defaultdict(list)
    outermost = [_outermost(lines) for lines in pages]
    for page, (lines, edges) in enumerate(zip(pages, outermost, strict=True)):
        for upper, edge in enumerate(edges):
            for index in edge:
                line = lines[index]
                numbers = tuple(map(int, _NUMBER.findall(line.text)))
                if not style.level(line) and len(numbers) <= _MOST_NUMBERS:
                    words = _NUMBER.sub("0", line.text)
                    alike[words, bool(upper)].append(_Candidate(page, index, line.first.bottom, numbers))
    again: list[set[int]] = [set() for _ in pages]
    for candidates in alike.values():
        for group in _groups(candidates):
            for candidate in group:
                again[candidate.page].add(candidate.line)
    return [
        {index for edge in edges for index in takewhile(found.__contains__, edge)}
        for edges, found in zip(outermost, again, strict=True)
    ]


def _outermost(lines: Sequence[Line]) -> tuple[list[int], list[int]]:
    """Return the indices of the lowest and of the highest lines, from the edge inwards."""
    by_height = sorted(range(len(lines)), key=lambda index: lines[index].first.bottom)
    return by_height[:_DEEPEST], by_height[::-1][:_DEEPEST]


def _groups(candidates: list[_Candidate]) -> Iterator[list[_Candidate]]:
    """Yield those that stand at one height, with numbers that agree, and that go on through the pages."""
    candidates.sort(key=lambda candidate: candidate.bottom)
    at_one_height: list[_Candidate] = []
    for candidate, following in zip_longest(candidates, candidates[1:]):
        at_one_height.append(candidate)
        if following is None or following.bottom - candidate.bottom > _SAME_PLACE:
            agreeing = defaultdict(list)
            for each in at_one_height:
                for numbers in _readings(each):
                    agreeing[numbers].append(each)
            yield from filter(_goes_on, agreeing.values())
            at_one_height = []


def _readings(candidate: _Candidate) -> Iterator[tuple[tuple[bool, int], ...]]:
    """Yield the ways to read its numbers: each as one that stays, or as one that goes up with the page."""
    return product(*(((False, number), (True, number - candidate.page)) for number in candidate.numbers))


def _goes_on(group: list[_Candidate]) -> bool:
    pages = {candidate.page for candidate in group}
    return len(pages) >= _FEWEST and 2 * len(pages) > max(pages) - min(pages)
