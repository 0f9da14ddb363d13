"""Where a program may be cut, by its syntax tree.

The parser is tree-sitter. Only what is bigger than a chunk is looked into, so that the work is that
of parsing and some more.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from chunkviz.characters import characters_before, line_beginnings
from chunkviz.document import without_surrogates
from chunkviz.evidence import Reason, Syntax
from chunkviz.grammars import CodeLanguage, load_grammar
from chunkviz.segments import line_places, skip_blank

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from chunkviz.document import Document

SECONDS: Final = 3.0
"""A parser may take this long, and as many again for each megabyte; no ordinary program comes near."""
_TOO_DEEP_FOR_YAML = re.compile(rb"(?:[ \t]|[-?:](?=\s|\Z)){101}")
"""Blocks that begin so far to the right may be nested so deep that the grammar (0.7) overruns its stack and crashes."""
_DEEPEST: Final = 16
"""Nodes that stand deeper are cut as if they stood there."""

_DEFINITION = re.compile(
    r"(?:\w+_)?(method|constructor|function|class|interface|struct|enum|trait|impl|record|namespace|module|mod|object)"
    r"(?:_(?:definition|declaration|item|specifier))?|(type)_(?:declaration|item|alias_declaration|spec)"
)
_ENTRY = re.compile(r"pair|\w+_pair")
_IMPORT = re.compile(
    r"import_\w+|use_declaration|using_directive|preproc_include|package_\w+|namespace_use_declaration"
)
_LEADS = re.compile(
    r"\w*comment|decorator|\w*annotation|modifiers?|attribute_(?:item|list|declaration|specifier)|inner_attribute_item"
)
"""Nodes that belong to what follows them."""
_STATEMENT = re.compile(r"\w*(?:statement|declaration|expression|assignment|command|clause|definition)")
_LONGEST_NAME: Final = 200
_BODY = re.compile(r"\w*(?:block|body|_list|compound_statement|suite|then)")
"""Nodes that belong to what they are the body of."""
_WRAPPERS = ("decorated_definition", "export_statement", "template_declaration", "ambient_declaration")
_HOLDERS = ("class", "interface", "struct", "trait", "impl", "record", "object", "enum")
"""Definitions whose functions are called methods."""


class Scope(NamedTuple):
    """Something with a name, and the text that belongs to it, the comments before it included."""

    start: int
    end: int
    title: str


@dataclass(slots=True)
class ProgramCuts:
    """Places in order of the text, by how deep they stand in the tree."""

    lines: list[list[int]] = field(default_factory=lambda: [[] for _ in range(_DEEPEST + 1)])
    """Starts of nodes that begin a line."""
    inside: list[list[int]] = field(default_factory=lambda: [[] for _ in range(_DEEPEST + 1)])
    """Starts of nodes in the midst of a line."""
    held: list[int] = field(default_factory=list)
    """Starts of lines that belong to what stands before: a body to its head, a function to its comment."""
    ended: dict[int, Reason] = field(default_factory=dict)
    """For each place: what ended there."""
    scopes: list[Scope] = field(default_factory=list)

    def scope_paths(self, offsets: list[int]) -> Iterator[tuple[str, ...]]:
        """Yield what each of the ascending offsets stands in, outermost first."""
        stack: list[Scope] = []
        at = 0
        for offset in offsets:
            while at < len(self.scopes) and self.scopes[at].start <= offset:
                stack = [scope for scope in stack if scope.end > self.scopes[at].start]
                stack.append(self.scopes[at])
                at += 1
            stack = [scope for scope in stack if scope.end > offset]
            yield tuple(scope.title for scope in stack)


def parse(document: Document, language: CodeLanguage) -> Tree | None:
    """Return the syntax tree, computed once, or None where the parser cannot read it, or not in time."""
    return document.derive(("syntax tree", language), lambda: _parse(_source(document), language))


def _source(document: Document) -> bytes:
    # The scanner of one grammar takes quadratic time over NULs; no language gives them a meaning.
    return document.derive("source bytes", lambda: without_surrogates(document.text).replace("\0", " ").encode())


def _parse(data: bytes, language: CodeLanguage) -> Tree | None:
    if language == "yaml" and _TOO_DEEP_FOR_YAML.search(data):
        return None
    from tree_sitter import Parser  # noqa: PLC0415  compiled; loaded when first needed

    limit = time.thread_time() + SECONDS * (1 + len(data) / 1e6)

    def read(offset: int, _point: object) -> bytes:
        return data[offset : offset + (1 << 16)]

    try:
        return Parser(load_grammar(language)).parse(read, progress_callback=lambda *_: time.thread_time() > limit)
    except ValueError:  # what a cancelled parser raises
        return None


@dataclass(slots=True)
class _Walk:
    """The nodes that were looked at, in order, each before its children; one list for each fact."""

    source: bytes
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Index of the parent among these, or -1."""
    kinds: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    """What a definition or entry is called; empty for all else."""

    def add(self, node: Node, depth: int, parent: int) -> None:
        kind = node.type
        inner = _unwrapped(node) if kind in _WRAPPERS else node
        label = _label(inner.type)
        held_by = self.labels[self._holder(parent)] if label == "function" and parent >= 0 else ""
        label = "method" if held_by in _HOLDERS else label
        wrapped = parent >= 0 and self.kinds[parent] in _WRAPPERS
        name = "" if wrapped or not (_DEFINITION.fullmatch(inner.type) or label == "entry") else self._name(inner)
        self.starts.append(node.start_byte)
        self.ends.append(node.end_byte)
        self.depths.append(depth)
        self.parents.append(parent)
        self.kinds.append(kind)
        self.labels.append(label)
        self.titles.append(name if not name or label in ("function", "method", "entry") else f"{label} {name}")

    def _name(self, node: Node) -> str:
        """Return what a definition is called, or an entry's key."""
        found = None
        for name in ("name", "key", "type"):
            found = found or node.child_by_field_name(name)
        while found is None and (inner := node.child_by_field_name("declarator")) is not None:
            found = None if inner.child_by_field_name("declarator") else inner
            node = inner
        if found is None or found.end_byte - found.start_byte > _LONGEST_NAME:
            return ""
        # The node's own text would be read anew from the source, at a cost.
        return self.source[found.start_byte : found.end_byte].decode(errors="replace").strip("\"'")

    def _holder(self, index: int) -> int:
        """Return what holds the body with this index, or the node itself."""
        body = _BODY.fullmatch(self.kinds[index]) is not None
        return self.parents[index] if body and self.parents[index] >= 0 else index


def _walk(source: bytes, tree: Tree, size: int) -> _Walk:
    """Return the named children of everything larger than ``size`` bytes that could be parsed."""
    walk, cursor = _Walk(source), tree.walk()
    around: list[int] = []
    if not cursor.goto_first_child():
        return walk
    while True:
        node = cursor.node
        if node is not None and node.is_named and not node.is_error:
            walk.add(node, len(around), around[-1] if around else -1)
            if node.end_byte - node.start_byte > size and cursor.goto_first_child():
                around.append(len(walk.starts) - 1)
                continue
        while not cursor.goto_next_sibling():
            if not around:
                return walk
            around.pop()
            cursor.goto_parent()


def program_cuts(document: Document, tree: Tree, size: int) -> ProgramCuts:
    """Return where the program may be cut; what is not larger than ``size`` bytes is not looked into."""
    text, data = document.text, _source(document)
    walk = _walk(data, tree, size)
    offsets = np.array(walk.starts, np.int64)
    starts = characters_before(data, offsets)
    ends = characters_before(data, np.array(walk.ends, np.int64)).tolist()
    visible = np.concatenate(([skip_blank(text)], line_places(document).lines, [len(text)]))
    firsts = visible[np.searchsorted(visible, characters_before(data, line_beginnings(data, offsets)))]
    return _arrange(walk, starts.tolist(), ends, firsts.tolist())


def _arrange(walk: _Walk, starts: list[int], ends: list[int], firsts: list[int]) -> ProgramCuts:
    """Sort the starts of nodes; ``firsts`` are the first visible characters of the lines they are in."""
    cuts = ProgramCuts()
    known: set[int] = set()
    before: dict[int, str] = {}
    """Label of the node before, by parent."""
    led: dict[int, int] = {}
    """Start of the comments and decorators right before, by parent."""
    opened: set[int] = set()
    """Parents one of whose children has begun a line."""
    for start, end, first, depth, parent, kind, label, title in zip(
        starts, ends, firsts, walk.depths, walk.parents, walk.kinds, walk.labels, walk.titles, strict=True
    ):
        begins_line = start <= first < end
        place = first if begins_line else start
        if place not in known:
            known.add(place)
            cuts.ended[place] = Syntax(before.get(parent, label))
            head = parent >= 0 and parent not in opened and begins_line
            if begins_line and (parent in led or head or _BODY.fullmatch(kind)):
                cuts.held.append(place)
            else:
                (cuts.lines if begins_line else cuts.inside)[min(depth, _DEEPEST)].append(place)
        if begins_line:
            opened.add(parent)
        if title:
            cuts.scopes.append(Scope(led.get(parent, place), end, title))
        if begins_line and _LEADS.fullmatch(kind):
            led.setdefault(parent, place)
        else:
            led.pop(parent, None)
            before[parent] = label
    cuts.scopes.sort(key=lambda scope: (scope.start, -scope.end))
    return cuts


def _unwrapped(node: Node) -> Node:
    """Return what a node that only adds something to a definition holds."""
    for name in ("definition", "declaration"):
        if (inner := node.child_by_field_name(name)) is not None:
            return inner
    return node.named_children[-1] if node.named_children else node


@lru_cache(maxsize=4096)
def _label(kind: str) -> str:
    """Return the word for a kind of node: function, class, import, entry, comment, statement, or its own name."""
    definition = _DEFINITION.fullmatch(kind)
    if definition is not None:
        word = definition[1] or definition[2]
        return {"constructor": "method", "mod": "module"}.get(word, word)
    for pattern, label in ((_ENTRY, "entry"), (_IMPORT, "import"), (_LEADS, "comment"), (_STATEMENT, "statement")):
        if pattern.fullmatch(kind):
            return label
    return kind.replace("_", " ")
