"""Lines on a page -> paragraphs and headings, as Markdown.

A heading is a line in larger type than the body. A paragraph ends where the gap to the next line is larger than usual
or the type changes. A line is joined to the one before when that one was full: its next word would not have fitted.
Everything else (rows of a table, lists, addresses) keeps its line ends. No character but line ends and end-of-line
hyphens is dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

_HYPHENS = re.compile("[\ufffe\x02]|\xad(?=\\S)")  # PDFium marks a hyphen that only breaks a word at a line's end
_LIST_ITEM = re.compile(r"(?:[•◦▪‣●○■–*-]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s")
_HEADING_RATIO = 1.12  # larger than the body by this much
_SAME_SIZE = 1.06
_MAX_HEADING = 200  # characters
_MAX_HEADING_SHARE = 0.4  # of all characters in one size: then it is another body text
_GAP_RATIO = 1.3  # between two lines, over the usual distance
_SPARSE = 0.75  # width per character over type height: a row with gaps, as in a table
_MAX_LEVELS = 6
_MAX_LEADING = 3.0
_USUAL_LEADING = 1.2


class Box(NamedTuple):
    """A character's place on its page, in points from the lower left."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with the boxes of its first and last character (which differ where words were joined)."""

    text: str
    first: Box
    last: Box
    joined: int = 0

    @classmethod
    def of(cls, text: str, first: Box, last: Box) -> Line:
        """Make a line, taking out hyphens that only broke a word."""
        whole, joined = _HYPHENS.subn("", text)
        return cls(whole, first, last, joined)

    @property
    def size(self) -> float:
        """Height of the type in points, to half of one."""
        return max(0.5, round(2 * (self.first.top - self.first.bottom)) / 2)

    @property
    def is_sparse(self) -> bool:
        """Whether it has gaps, as a row of a table."""
        return not self.joined and self.last.right - self.first.left > _SPARSE * self.size * len(self.text)


@dataclass(frozen=True, slots=True)
class Style:
    """Which sizes of type are headings, largest first, judged over the whole document."""

    body: float
    headings: tuple[float, ...]
    leading: float  # usual distance between the feet of two lines of a paragraph, over the size of their type

    @classmethod
    def of(cls, pages: Sequence[Sequence[Line]]) -> Style:
        """Judge by how many characters each size has."""
        weights: Counter[float] = Counter()
        for lines in pages:
            for line in lines:
                weights[line.size] += len(line.text)
        body = max(weights, key=lambda size: weights[size])
        most = _MAX_HEADING_SHARE * sum(weights.values())
        sizes: list[float] = []
        for size in sorted((size for size in weights if size > _HEADING_RATIO * body), reverse=True):
            if weights[size] <= most and (not sizes or sizes[-1] > _SAME_SIZE * size):
                sizes.append(size)
        return cls(body, tuple(sizes[:_MAX_LEVELS]), _leading(pages))

    def level(self, line: Line) -> int:
        """Heading level from 1, or 0 for body text."""
        if not any(character.isalpha() for character in line.text):
            return 0
        for level, size in enumerate(self.headings, start=1):
            if line.size <= _SAME_SIZE * size and line.size * _SAME_SIZE >= size:
                return level
        return 0


def markdown(lines: Sequence[Line], style: Style) -> str:
    """Return a page as Markdown."""
    edges = _right_edges(lines)
    pieces: list[str] = []
    before: Line | None = None
    level_before = 0
    for line, level in zip(lines, _levels(lines, style), strict=True):
        if before is None:
            separator = ""
        elif level != level_before:
            separator = "\n\n"
        elif level:
            separator = " " if _follows(before, line) and _is_full(before, line, edges) else "\n\n"
        else:
            separator = _separator(before, line, style.leading * line.size, edges)
        starts = separator in {"", "\n\n"}
        pieces.append(separator)
        if level and starts:
            pieces.append("#" * level + " ")
        elif not level and separator != " " and line.text.startswith("#"):
            pieces.append("\\")  # a comment in a listing must not become a heading
        pieces.append(line.text)
        before, level_before = line, level
    return "".join(pieces)


def _levels(lines: Sequence[Line], style: Style) -> list[int]:
    """Heading level of each line, 0 for body text; a whole paragraph in large type (a lead, a quotation) is body."""
    levels = [style.level(line) for line in lines]
    start = 0
    for end in range(1, len(lines) + 1):
        goes_on = end < len(lines) and levels[end] == levels[start] and _follows(lines[end - 1], lines[end])
        if not goes_on:
            if sum(len(line.text) for line in lines[start:end]) > _MAX_HEADING:
                levels[start:end] = [0] * (end - start)
            start = end
    return levels


def _separator(before: Line, line: Line, pitch: float, edges: dict[int, float]) -> str:
    """What stands between two lines of body text: a blank line, a line end or a space."""
    drop = before.last.bottom - line.first.bottom
    if drop > _GAP_RATIO * pitch or max(before.size, line.size) > _SAME_SIZE * min(before.size, line.size):
        return "\n\n"
    full = _is_full(before, line, edges) and not _LIST_ITEM.match(line.text)
    if drop < 0:  # the next column, or text elsewhere on the page
        return " " if full and before.text[-1] not in ".!?:…" else "\n\n"
    return " " if full else "\n"


def _is_full(before: Line, line: Line, edges: dict[int, float]) -> bool:
    """Whether the first word of ``line`` would not have fitted behind ``before``."""
    if before.is_sparse or line.is_sparse:
        return False
    width = (line.last.right - line.first.left) / len(line.text) if line.last.right > line.first.left else 0.0
    word = (len(line.text.split(maxsplit=1)[0]) + 1) * width
    return before.last.right + word > edges.get(_column(before), before.last.right)


def _follows(before: Line, line: Line) -> bool:
    """Whether a heading goes on in the next line."""
    return 0 < before.last.bottom - line.first.bottom < 2 * line.size


def _leading(pages: Iterable[Sequence[Line]]) -> float:
    """Lower quartile, since gaps between paragraphs are among the distances too."""
    drops = sorted(
        drop / line.size
        for lines in pages
        for before, line in pairwise(lines)
        if 0 < (drop := before.last.bottom - line.first.bottom) < _MAX_LEADING * line.size and before.size == line.size
    )
    return drops[len(drops) // 4] if drops else _USUAL_LEADING


def _column(line: Line) -> int:
    """Columns are told apart by where their text ends, roughly: a quarter of an inch is one."""
    return round(line.first.left / 36)


def _right_edges(lines: Sequence[Line]) -> dict[int, float]:
    """How far right each column reaches."""
    edges: dict[int, float] = {}
    for line in lines:
        edges[_column(line)] = max(edges.get(_column(line), 0.0), line.last.right)
    return edges
