"""The tree of a chunking -> Plotly figures; pure, and tested without Streamlit."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Literal, TypeAlias

import plotly.graph_objects as go

from chunkviz.tree import Tree
from chunkviz.ui.text import shortened
from chunkviz.wording import count_of

View: TypeAlias = Literal["Icicle", "Treemap", "Sunburst"]

MOST_BOXES = 1_500
"""Boxes a picture may have; a browser draws so many at once without a pause."""
_RUN = 150
"""Neighbours above which a picture with too many boxes puts them into runs."""
_CROWDED = 200
"""Boxes above which edges of a whole pixel would hide what they part."""
_EXCERPT = 90
_HEIGHT = 320


@dataclass(frozen=True, slots=True)
class Box:
    """One box of a picture: a node, or a run of neighbouring nodes that are not drawn one by one."""

    id: str
    above: str
    """Id of the box it stands in; empty for the document."""
    nodes: tuple[int, ...]
    """The node, or those of a run."""
    closed: bool
    """True where what stands in it is not drawn."""


def boxes_of(tree: Tree, *, selected: int | None = None, most: int = MOST_BOXES) -> list[Box]:
    """Return the boxes to draw: all nodes, or as many levels as fit and what surrounds the selected chunk.

    A level is opened as a whole or not at all, so that no part of the document looks richer than
    another; only the way to the selected chunk is open to the end. Above 150 neighbours on a level, runs
    of them stand for them.
    """
    if len(tree) <= most:
        # By where they begin: neighbours are drawn in the order they are given, and sections and chunks alternate.
        starts = tree.starts.tolist()
        above = tree.above.tolist()
        return [
            Box(tree.id_of(node), "" if above[node] < 0 else tree.id_of(above[node]), (node,), closed=False)
            for node in sorted(range(len(tree)), key=starts.__getitem__)
        ]
    path = _path(tree, selected)
    boxes = [Box(tree.id_of(0), "", (0,), closed=True)]
    level, fits = [0], True
    while level:
        below = {place: _below(tree, boxes[place]) for place in level}
        fits = fits and len(boxes) + sum(map(len, below.values())) <= most
        level_below: list[int] = []
        for place, groups in below.items():
            box = boxes[place]
            if not groups or not (fits or path.intersection(box.nodes)):
                continue
            boxes[place] = Box(box.id, box.above, box.nodes, closed=False)
            for nodes in groups:
                level_below.append(len(boxes))
                boxes.append(Box(_name(tree, nodes), box.id, nodes, closed=True))
        level = level_below
    return [Box(box.id, box.above, box.nodes, box.closed and bool(_below(tree, box))) for box in boxes]


def _path(tree: Tree, selected: int | None) -> set[int]:
    """Return the node of the selected chunk, or of the first, and all above it."""
    node = tree.node_of(selected or 0)
    path: set[int] = set()
    while node >= 0:
        path.add(node)
        node = int(tree.above[node])
    return path


def _below(tree: Tree, box: Box) -> list[tuple[int, ...]]:
    """Return what stands in a box: the nodes of a run one by one, or a node's children, in runs where they are many."""
    if len(box.nodes) > 1:
        return [(node,) for node in box.nodes]
    children = tree.children_of(box.nodes[0])
    if len(children) <= _RUN:
        return [(node,) for node in children]
    size = isqrt(len(children))
    return [children[at : at + size] for at in range(0, len(children), size)]


def _name(tree: Tree, nodes: tuple[int, ...]) -> str:
    return tree.id_of(nodes[0]) if len(nodes) == 1 else f"{tree.id_of(nodes[0])} to {tree.id_of(nodes[-1])}"


def chunk_clicked(tree: Tree, boxes: list[Box], identifier: str) -> int | None:
    """Return the number, from 0, of the first chunk in the box with that id, or None."""
    node = next((box.nodes[0] for box in boxes if box.id == identifier), None)
    return None if node is None else tree.chunk_of(node)


def label_of(tree: Tree, nodes: tuple[int, ...]) -> str:
    """Return what a node, or a run of nodes, is called: plain text."""
    first, last = nodes[0], nodes[-1]
    kind = tree.kind(first)
    if kind == "document":
        return tree.title_of(0) or "Document"
    if kind == "section":
        return tree.title_of(first) if first == last else f"{tree.title_of(first)} … {tree.title_of(last)}"
    before = 0 if kind == "parent" else tree.inner
    numbers = f"{first - before:,}" if first == last else f"{first - before:,}–{last - before:,}"
    return f"P{numbers}" if kind == "parent" else numbers


def tree_figure(
    tree: Tree, boxes: list[Box], text: str, *, view: View = "Icicle", selected: int | None = None, dark: bool = False
) -> go.Figure:
    """Return the tree as nested boxes whose areas are the tokens of the chunks in them.

    ``boxes`` are those of ``boxes_of``, ``text`` is the document's. A click reports the ``id`` of a box.
    The selected chunk, by its number from 0, and all it stands in have a thick edge and a sign.
    """
    path = set() if selected is None else _path(tree, selected)
    paint = _DARK if dark else _LIGHT
    chosen = [bool(path.intersection(box.nodes)) for box in boxes]
    signs = ["▸ " if each and place else "" for place, each in enumerate(chosen)]
    names = [_escaped(shortened(label_of(tree, box.nodes), 40)) for box in boxes]
    trace = {"Icicle": go.Icicle, "Treemap": go.Treemap, "Sunburst": go.Sunburst}[view](
        ids=[box.id for box in boxes],
        parents=[box.above for box in boxes],
        labels=[
            f"{sign}{name}{' …' if box.closed else ''}" for sign, name, box in zip(signs, names, boxes, strict=True)
        ],
        values=[int(tree.weights[list(box.nodes)].sum()) for box in boxes],
        branchvalues="total",
        customdata=[_hover(tree, box, text) for box in boxes],
        hovertemplate="%{customdata}<extra></extra>",
        textinfo="label",
        textfont={"color": paint.text, "size": 13},
        marker={
            "colors": [paint.fill(tree, box) for box in boxes],
            "line": {
                "color": [paint.chosen if each else paint.edge for each in chosen],
                "width": [3 if each else 1 if len(boxes) <= _CROWDED else 0.3 for each in chosen],
            },
        },
        sort=False,
        # A click selects; when it also dives into the box, the rest of the document is out of sight.
        maxdepth=-1,
    )
    if view == "Icicle":
        trace.update(tiling={"orientation": "v"}, pathbar={"visible": False})
    elif view == "Treemap":
        trace.update(tiling={"packing": "squarify", "pad": 2}, pathbar={"visible": False}, root={"color": paint.page})
    figure = go.Figure(trace)
    figure.update_layout(
        height=_HEIGHT, margin={"l": 0, "r": 0, "t": 4, "b": 4}, uniformtext={"minsize": 11, "mode": "hide"},
        hoverlabel={"align": "left"},
    )  # fmt: skip
    return figure


def _hover(tree: Tree, box: Box, text: str) -> str:
    first, last = box.nodes[0], box.nodes[-1]
    kind = tree.kind(first)
    label = _escaped(shortened(label_of(tree, box.nodes), _EXCERPT))
    name = {"document": label, "section": label, "parent": f"Parent {label[1:]}", "chunk": f"Chunk {label}"}[kind]
    if first != last:
        name = name.replace("Parent", "Parents").replace("Chunk", "Chunks")
    start, end = int(tree.starts[first]), int(tree.ends[last])
    chunks = int(tree.leaves[list(box.nodes)].sum())
    tokens = count_of(int(tree.tokens[first]), "token") if first == last else f"{len(box.nodes):,} neighbours"
    held = "" if kind == "chunk" else f" · {chunks:,} {'chunk' if chunks == 1 else 'chunks'}"
    words = _escaped(shortened(" ".join(text[start : start + 4 * _EXCERPT].split()), _EXCERPT))
    opened = "<br>Click to open." if box.closed else ""
    return f"<b>{name}</b><br>{tokens}{held} · characters {start:,}–{end:,}<br>{words}{opened}"


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@dataclass(frozen=True, slots=True)
class _Paint:
    """The viewer's hues, mixed with the page so that text on them can be read."""

    page: str
    text: str
    edge: str
    chosen: str
    hues: tuple[tuple[int, int, int], ...]
    strong: float
    faint: float

    def fill(self, tree: Tree, box: Box) -> str:
        """Return the colour of a box: its parent's hue, fainter for chunks."""
        node = box.nodes[0]
        if node == 0:
            return self._mixed((128, 136, 150), self.faint)
        owner = node if node < tree.first_chunk else int(tree.above[node])
        if owner == 0:
            return self._mixed((128, 136, 150), self.faint)
        share = self.strong if node < tree.first_chunk else self.faint
        return self._mixed(self.hues[tree.place_in_level(owner) % len(self.hues)], share)

    def _mixed(self, hue: tuple[int, int, int], share: float) -> str:
        page = tuple(int(self.page[at : at + 2], 16) for at in (1, 3, 5))
        red, green, blue = (round(own * share + under * (1 - share)) for own, under in zip(hue, page, strict=True))
        return f"rgb({red}, {green}, {blue})"


_LIGHT = _Paint(
    page="#ffffff", text="#1f2937", edge="#ffffff", chosen="#1f2937",
    hues=((37, 99, 235), (202, 110, 4), (5, 140, 105), (147, 51, 234)), strong=0.34, faint=0.17,
)  # fmt: skip
_DARK = _Paint(
    page="#12141a", text="#f1f5f9", edge="#12141a", chosen="#f8fafc",
    hues=((96, 165, 250), (245, 170, 66), (52, 211, 160), (192, 132, 252)), strong=0.42, faint=0.22,
)  # fmt: skip
"""Hues of ``palette.js``, whose order parents take in the gutter too."""
