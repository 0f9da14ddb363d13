"""The blocks of a markdown document by CommonMark, as places of the document's own text.

The parser is pulldown-cmark (the package ``pyromark``), with tables, footnotes and task lists.
"""

from __future__ import annotations

from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from chunkviz.characters import characters_before, line_beginnings
from chunkviz.document import without_surrogates
from chunkviz.segments import Heading, front_matter_end, heading_title, line_places, skip_blank

if TYPE_CHECKING:
    from chunkviz.document import Document
    from chunkviz.evidence import StructureKind

_KINDS: Final[dict[str, StructureKind]] = {
    "Paragraph": "paragraph",
    "Heading": "header",
    "BlockQuote": "quote",
    "CodeBlock": "code fence",
    "HtmlBlock": "block",
    "List": "list item",
    "Item": "list item",
    "FootnoteDefinition": "paragraph",
    "Table": "table",
}
_CONTAINERS = frozenset(("BlockQuote", "List", "Item", "FootnoteDefinition"))


class Block(NamedTuple):
    """One block: a paragraph, heading, list, list item, quote, table, code block, or another."""

    kind: StructureKind
    start: int
    end: int
    place: int
    """First visible character of its first line, where what holds the block (a quote, say) has its sign."""
    depth: int
    """How many lists, items, quotes and footnotes it stands in."""
    level: int
    """Of a heading, from 1; 0 for all else."""


def blocks(document: Document) -> tuple[Block, ...]:
    """Return the blocks in order, each before what it holds; computed once per document.

    Front matter is one block. What no block holds (link definitions) is left out. Source code has
    no headings: ``#`` starts a comment there.
    """
    return document.derive("blocks", lambda: _find_blocks(document))


def _find_blocks(document: Document) -> tuple[Block, ...]:
    import pyromark  # noqa: PLC0415  compiled; loaded when first needed

    text, options = document.text, pyromark.Options
    front = front_matter_end(text)
    body = without_surrogates(text[front:])
    kinds: list[StructureKind] = []
    starts: list[int] = []
    ends: list[int] = []
    depths: list[int] = []
    levels: list[int] = []
    around: list[int] = []
    event: Any
    for event, span in pyromark.events_with_range(
        body, options=options.ENABLE_TABLES | options.ENABLE_FOOTNOTES | options.ENABLE_TASKLISTS, merge_text=True
    ):
        level = 0
        # An event is a dictionary of one entry, or a word such as "SoftBreak": one look tells both from what is sought.
        if "Start" not in event:
            if event != "Rule":
                continue
            kind: StructureKind = "block"
            name = ""
        else:
            tag = event["Start"]
            name = tag if isinstance(tag, str) else next(iter(tag))
            if name not in _KINDS:
                continue
            kind = _KINDS[name]
            if name == "Heading":
                level = int(tag[name]["level"][1])
        start, end = span["start"], span["end"]
        while around and around[-1] <= start:
            around.pop()
        kinds.append(kind)
        starts.append(start)
        ends.append(end)
        depths.append(len(around))
        levels.append(level)
        if name in _CONTAINERS:
            around.append(end)
    data = body.encode()
    begins = np.array(starts, np.int64)
    offsets = np.concatenate((begins, np.array(ends, np.int64), line_beginnings(data, begins)))
    first, last, lines = np.split(characters_before(data, offsets) + front, 3)
    visible = np.concatenate(([skip_blank(text)], line_places(document).lines, [len(text)]))
    places = visible[np.searchsorted(visible, lines)]
    if document.format == "code":
        kinds = ["paragraph" if kind == "header" else kind for kind in kinds]
        levels = [0] * len(levels)
    rows = zip(kinds, first.tolist(), last.tolist(), places.tolist(), depths, levels, strict=True)
    # As Block(…) makes them, without a call of a Python function for each.
    found = map(partial(tuple.__new__, Block), compress(rows, (places < last).tolist()))
    head = [Block("block", 0, front, 0, 0, 0)] if front else []
    return (*head, *found)


def markdown_headings(document: Document) -> tuple[Heading, ...]:
    """Return the headings that divide the document; those in lists, quotes and footnotes are left out."""
    return document.derive("markdown headings", lambda: _find_headings(document))


def _find_headings(document: Document) -> tuple[Heading, ...]:
    found: list[Heading] = []
    for block in blocks(document):
        if block.level and not block.depth:
            source = document.text[block.start : block.end].rstrip("\r\n")
            found.append(Heading(block.level, heading_title(source), block.start, block.start + len(source)))
    return tuple(found)
