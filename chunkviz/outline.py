"""Where the blocks of a markdown document let it be cut."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from chunkviz.commonmark import Block, blocks, markdown_headings
from chunkviz.evidence import Reason, Structure, StructureKind
from chunkviz.packing import Cuts, CutsOutside, Level, SentenceCuts, SortedCuts, WordCuts
from chunkviz.segments import StructureCuts, heading_paths, language_of, line_starts

if TYPE_CHECKING:
    from chunkviz.document import Document

_SOLID = ("table", "code fence", "block")
"""Blocks that are cut between lines: tables, code, HTML and front matter."""
_ENDS: Final = {kind: Structure(kind) for kind in get_args(StructureKind)}
"""One reason for each kind: a document has tens of thousands of blocks."""
_DEEPEST: Final = 8
"""Blocks inside more lists and quotes than this are cut as if they stood inside so many."""


class Table(NamedTuple):
    """A table whose rows may be in several chunks."""

    rows: int
    """Start of the first row behind the header."""
    end: int
    header: str
    """The header row, as it is written."""


class Fence(NamedTuple):
    """A fenced code block."""

    heading: int | None
    """Start of the heading right above it, or of the first where several stand together."""
    start: int
    end: int


@dataclass(slots=True)
class Outline:
    """Places in order, each the first visible character of a line."""

    headers: list[tuple[int, int]] = field(default_factory=list)
    """(place, level) of the headings that begin something of their own: not right below a heading they belong to."""
    siblings: list[list[int]] = field(default_factory=lambda: [[] for _ in range(_DEEPEST + 1)])
    """Starts of blocks, by how many lists, items and quotes they stand in; a heading's first block is left out."""
    ended: dict[int, Reason] = field(default_factory=dict)
    """For the start of a block: what ended there."""
    rows: list[int] = field(default_factory=list)
    """Starts of table rows, from the second row behind the header on."""
    code_lines: list[int] = field(default_factory=list)
    """Starts of lines inside fences, indented code, HTML and front matter."""
    last_resort: list[int] = field(default_factory=list)
    """Where a heading would be parted from a table or fence, a header from all rows, a fence from its first line."""
    solid: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    """Starts and ends of what is cut between lines only."""
    fences: list[Fence] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    paths: tuple[Sequence[int], Sequence[tuple[str, ...]]] = ((), ())
    """Where each heading begins, and the heading path from there on."""

    def path_at(self, offset: int) -> tuple[str, ...]:
        """Return the titles of the headings in force at ``offset``, outermost first."""
        at = bisect_right(self.paths[0], offset)
        return self.paths[1][at - 1] if at else ()

    def table_at(self, offset: int) -> Table | None:
        """Return the table one of whose rows, not its header, is at ``offset``."""
        at = bisect_right(self.tables, offset, key=lambda table: table.rows) - 1
        return self.tables[at] if at >= 0 and offset < self.tables[at].end else None


def outline_of(document: Document) -> Outline:
    """Return the outline of a document; computed once."""
    return document.derive("outline", lambda: _find_outline(document))


def _find_outline(document: Document) -> Outline:
    found, lines = blocks(document), line_starts(document)
    held = _held_by_headings(found)
    outline = Outline(paths=heading_paths(markdown_headings(document)))
    before: list[Block] = []
    """The block last met at each depth around the current one."""
    last = -1
    for index, block in enumerate(found):
        if block.kind in _SOLID:
            _add_solid(outline, document.text, lines, block, held.get(block.place))
        sibling = before[block.depth] if block.depth < len(before) else block
        before[block.depth :] = [block]
        # What follows an item's own text holds on to it: a list there counts no more than its first item.
        is_inner_list = block.depth > 0 and _opens_list(found, index) and before[-2:][0].kind == "list item"
        if block.place <= last or is_inner_list:
            continue
        last = block.place
        if block.place in held:
            continue
        if block.level and not block.depth:
            outline.headers.append((block.place, block.level))
        else:
            outline.siblings[min(block.depth, _DEEPEST)].append(block.place)
            outline.ended[block.place] = _ENDS[sibling.kind]
    return outline


def _opens_list(found: Sequence[Block], index: int) -> bool:
    """Whether the block there is a list, whose first item begins with it."""
    if index + 1 == len(found):
        return False
    block, following = found[index], found[index + 1]
    return block.kind == following.kind == "list item" and block.start == following.start


def _held_by_headings(found: Sequence[Block]) -> dict[int, int]:
    """Return the start of what each heading announces, with the start of the first of the headings above it."""
    held: dict[int, int] = {}
    for above, block in pairwise(found):
        announces = above.level > 0 and block.depth >= above.depth
        if announces and (block.level == 0 or block.depth > above.depth or block.level > above.level):
            held[block.place] = held.get(above.place, above.place)
    return held


def _add_solid(outline: Outline, text: str, lines: Sequence[int], block: Block, heading: int | None) -> None:
    inner = lines[bisect_right(lines, block.place) : bisect_left(lines, block.end)]
    outline.solid[0].append(block.place)
    outline.solid[1].append(block.end)
    if heading is not None:
        outline.last_resort.append(block.place)
    if block.kind == "table":
        outline.last_resort += inner[1:2]
        outline.rows += inner[2:]
        line = text[block.start : inner[0] if inner else block.end].splitlines()[0].strip()
        outline.tables += [Table(first, block.end, line) for first in inner[1:2]]
    elif text.startswith(("```", "~~~"), block.start):
        closed = inner and not text[inner[-1] : block.end].strip("`~> \t\r\n")
        outline.last_resort += inner[:1]
        outline.code_lines += inner[1:-1] if closed else inner[1:]
        outline.fences.append(Fence(heading, block.place, block.end))
    else:
        outline.code_lines += inner


def block_levels(document: Document) -> tuple[Level, ...]:
    """Return the starts of blocks as levels, outermost first."""
    outline = outline_of(document)
    return tuple(
        Level(SortedCuts(places), Structure("block"), reasons=outline.ended) for places in outline.siblings if places
    )


def inner_levels(document: Document) -> tuple[Level, ...]:
    """Return where a block that is too big is cut: at rows and lines, or at sentences, lines, words."""
    return document.derive(("inner levels", document.language), lambda: _find_inner_levels(document))


def _find_inner_levels(document: Document) -> tuple[Level, ...]:
    text, outline, lines = document.text, outline_of(document), line_starts(document)
    segments = sorted({block.place for block in blocks(document)})
    held = frozenset(_held_lines(document))
    sentences = SentenceCuts(text, StructureCuts((), (), segments, held), lambda: language_of(document))
    prose: tuple[tuple[Cuts, StructureKind], ...] = (
        (sentences, "sentence"),
        (SortedCuts([place for place in lines if place not in held]), "line"),
        (WordCuts(text), "word"),
    )
    return (
        Level(SortedCuts(outline.rows), Structure("table row")),
        Level(SortedCuts(outline.code_lines), Structure("line")),
        Level(SortedCuts(sorted(outline.last_resort)), Structure("block")),
        *(Level(CutsOutside(cuts, *outline.solid), Structure(kind)) for cuts, kind in prose),
        # Inside a row or a line of code that is too big on its own, but never to begin an overlap.
        Level(WordCuts(text), Structure("word"), repeats=False),
    )


def _held_lines(document: Document) -> list[int]:
    """Return the line starts inside headings, and between a heading and the start of what it announces."""
    lines, found = line_starts(document), blocks(document)
    announced = _held_by_headings(found)
    kept: list[int] = []
    for index, block in enumerate(found):
        if block.level:
            kept += lines[bisect_right(lines, block.place) : bisect_left(lines, block.end)]
            below = found[index + 1].place if index + 1 < len(found) else block.place
            if below in announced:
                kept += lines[bisect_left(lines, block.end) : bisect_right(lines, below)]
    return kept
