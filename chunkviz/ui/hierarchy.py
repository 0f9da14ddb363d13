"""What the Hierarchy page draws: parents and children in numbers, as a tree, in the document, and when found."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.metrics import fidelity
from chunkviz.tree import Family, Sizes, Tree, family, tree_of
from chunkviz.ui import session, simulator
from chunkviz.ui.charts import draw_chart
from chunkviz.ui.figures_tree import MOST_BOXES, Box, View, boxes_of, chunk_clicked, label_of, tree_figure
from chunkviz.ui.text import as_plain, shortened
from chunkviz.ui.viewer import draw_viewer

_PICTURES: tuple[View, ...] = ("Icicle", "Treemap", "Sunburst")
_WITH_PARENTS = ("hierarchical", "semantic_parent_child", "sentence_window")
_EXCERPT = 100
_LONGEST_NAME = 40
_HEIGHT = 520
"""Of the viewer, in pixels: less than on Explore, for the tree stands above it."""


def draw(chunking: Chunking) -> None:
    """Draw the page for one chunking."""
    tree = session.remembered(chunking, "tree", lambda: tree_of(chunking))
    measured = session.remembered(chunking, "family", lambda: family(chunking))
    # All of it in one place: were the viewer behind it to move up or down, the browser would build it anew.
    with st.container():
        _draw_numbers(tree, measured)
        if not chunking.parents:
            _offer_parents(tree)
        _draw_fidelity(chunking, measured)
    picture = st.container()
    state = draw_viewer(chunking, key="viewer", selected=session.drop("tree chose"), height=_HEIGHT)
    with picture:
        _draw_tree(chunking, tree, state.selected)
    simulator.draw(chunking, state.selected)


def _draw_numbers(tree: Tree, measured: Family) -> None:
    with st.container(horizontal=True, gap="small", key="numbers"):
        if not measured.parents:
            st.metric("Parents", "none")
            st.metric("Sections", f"{tree.inner:,}", help="Headings in whose section a chunk starts.")
            st.metric("Chunks", f"{measured.children:,}")
            _size("Chunk tokens", measured.child_tokens, "Median of the chunks.")
            return
        st.metric("Parents", f"{measured.parents:,}", help=_levels(measured))
        st.metric("Children", f"{measured.children:,}")
        _size("Parent tokens", measured.parent_tokens, "Median of the parents that hold chunks.")
        _size("Child tokens", measured.child_tokens, "Median of the chunks, which are what is searched.")
        _size("Children per parent", measured.children_per_parent, "Median of the parents that hold chunks.")
        st.metric(
            "Returned per found", f"×{measured.ratio:.1f}",
            help="Tokens of the parent over tokens of the child, median over the children.",
        )  # fmt: skip
    st.caption(
        f"Smallest – largest: parents {_span(measured.parent_tokens)} tokens · children "
        f"{_span(measured.child_tokens)} tokens · children in a parent {_span(measured.children_per_parent)}"
    )


def _size(label: str, sizes: Sizes, explanation: str) -> None:
    st.metric(label, f"{sizes.median:,.10g}", help=f"{explanation} {_span(sizes)}, smallest to largest.")


def _span(sizes: Sizes) -> str:
    return f"{sizes.smallest:,}" if sizes.smallest == sizes.largest else f"{sizes.smallest:,} – {sizes.largest:,}"


def _levels(measured: Family) -> str:
    if len(measured.levels) == 1:
        return "One level, which holds the chunks."
    counts = ", ".join(f"{count:,} at level {level}" for level, count in enumerate(measured.levels, start=1))
    return f"{counts}. Level 1 holds the chunks."


def _offer_parents(tree: Tree) -> None:
    """Say why there are no parents, and offer the strategies that make some."""
    shown = "The tree shows the document's headings with the chunks that start under each." if tree.inner else (
        "The document has no headings either, so the tree has one level."
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="offer parents"):
        st.markdown(f"This strategy makes no parents: what is found is what is returned. {shown} Try one with parents:")
        for name in _WITH_PARENTS:
            st.button(
                as_plain(name), key=f"use {name}", on_click=session.put, args=("strategy", name),
                icon=":material/account_tree:",
            )  # fmt: skip
    if tree.left_out:
        st.caption(f"{tree.left_out:,} more headings stand inside a chunk that starts before them.")


def _draw_fidelity(chunking: Chunking, measured: Family) -> None:
    """Say whether every child lies in its parent, and whether the chunks account for the document."""
    found = session.remembered(chunking, "hierarchy fidelity", lambda: fidelity(chunking))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="fidelity"):
        if chunking.parents:
            _judge(len(measured.orphans), "Every child has a parent", "orphans, chunks without a parent")
            _judge(len(measured.crossing), "No child crosses its parent", "children reach beyond their parent")
        _judge(len(found.gaps), "All text accounted for", "places left out")
        counts = f"{found.covered:,} of {found.characters:,} characters covered · {found.left_out:,} left out"
        nested = (
            f"{len(measured.orphans):,} orphans · {len(measured.crossing):,} crossing · " if chunking.parents else ""
        )
        st.caption(nested + counts)
    wrong = (*measured.orphans, *measured.crossing) if chunking.parents else measured.crossing
    if wrong:
        st.caption("Chunks: " + ", ".join(f"{index + 1:,}" for index in sorted(set(wrong))[:30]))


def _judge(wrong: int, well: str, ill: str) -> None:
    if wrong:
        st.badge(f"{wrong:,} {ill}", icon=":material/warning:", color="orange")
    else:
        st.badge(well, icon=":material/check_circle:", color="green")


def _draw_tree(chunking: Chunking, tree: Tree, selected: int | None) -> None:
    view = st.segmented_control(
        "Tree", [*_PICTURES, "Indented"], default=_PICTURES[0], required=True, key="tree", bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    if not len(chunking):
        st.caption("There are no chunks, so there is no tree.")
        return
    st.caption(_way_to(tree, selected))
    drawn = next((each for each in _PICTURES if each == view), None)
    if drawn is None:
        _draw_indented(chunking, tree, selected)
        return
    dark = session.is_dark()

    def make() -> tuple[list[Box], go.Figure]:
        boxes = boxes_of(tree, selected=selected)
        return boxes, tree_figure(tree, boxes, chunking.document.text, view=drawn, selected=selected, dark=dark)

    boxes, figure = session.remembered(chunking, "tree figure", make, drawn, selected, dark)
    # A new key after each click: the picture forgets what was clicked, so that the same box can be clicked again.
    key = f"tree {drawn} {session.get('tree clicks', 0)}"
    session.put("tree boxes", (tree, boxes))
    draw_chart(
        figure, key=key, on_select=lambda: _take_click(key),
        alt="Tree of the chunking: document, parents, chunks",
    )  # fmt: skip
    st.caption(_what_is_drawn(tree, boxes))


def _way_to(tree: Tree, selected: int | None) -> str:
    """Say in which boxes the selected chunk stands: its own may be too small for a label."""
    if selected is None or selected >= len(tree) - tree.first_chunk:
        return "Nothing is selected yet."
    names, node = [f"chunk {selected + 1:,}"], int(tree.above[tree.node_of(selected)])
    while node >= 0:
        names.append(as_plain(shortened(label_of(tree, (node,)), _LONGEST_NAME)))
        node = int(tree.above[node])
    return f"Selected: **{' › '.join(reversed(names))}**"


def _what_is_drawn(tree: Tree, boxes: list[Box]) -> str:
    inner = "P1, P2 … are parents, plain numbers" if tree.inner_kind == "parent" else "Names are headings, numbers"
    means = (
        f"{inner if tree.inner else 'Numbers'} are chunks. Areas are the tokens of the chunks. "
        "Click a box to go to its first chunk."
    )
    shown = sum(len(box.nodes) == 1 for box in boxes)
    if shown == len(tree):
        return means
    opens = "What surrounds the selected chunk is open; a box with … opens when it is clicked."
    return f"{means} {_how_many(tree, boxes, 'picture', 'boxes')}. {opens}"


def _how_many(tree: Tree, boxes: list[Box], where: str, what: str) -> str:
    shown = sum(len(box.nodes) == 1 for box in boxes)
    runs = len(boxes) - shown
    behind = f", and {runs:,} that stand for runs of neighbours" if runs else ""
    return f"The {where} has {shown:,} of {len(tree):,} {what}{behind}"


def _take_click(key: str) -> None:
    points = (session.get(key) or {}).get("selection", {}).get("points", [])
    kept: tuple[Tree, list[Box]] | None = session.get("tree boxes")
    if points and kept is not None:
        _go_to(chunk_clicked(*kept, points[0].get("id", "")))


def _go_to(chunk: int | None) -> None:
    session.put("tree chose", chunk)
    session.put("tree clicks", session.get("tree clicks", 0) + 1)


def _draw_indented(chunking: Chunking, tree: Tree, selected: int | None) -> None:
    whole = len(tree) <= MOST_BOXES
    boxes, columns = session.remembered(
        chunking, "indented tree", lambda: _rows(chunking, tree, selected), None if whole else selected
    )
    names = columns["Tree"]
    if selected is not None:
        chosen = tree.node_of(selected)
        names = [
            f"{name}  ◂ selected" if box.nodes == (chosen,) else name for box, name in zip(boxes, names, strict=True)
        ]
    key = f"tree rows {session.get('tree clicks', 0)}"

    def take() -> None:
        rows = (session.get(key) or {}).get("selection", {}).get("rows", [])
        if rows:
            _go_to(tree.chunk_of(boxes[rows[0]].nodes[0]))

    st.dataframe(
        {**columns, "Tree": names}, key=key, on_select=take, selection_mode="single-row", hide_index=True, height=320,
        column_config={
            "Tree": st.column_config.TextColumn(width="medium"),
            "Tokens": st.column_config.NumberColumn(format="localized"),
            "First words": st.column_config.TextColumn(width="large"),
        },
    )  # fmt: skip
    means = "Tokens are those of each row's own text. Choose a row to go to its first chunk."
    st.caption(
        means if whole else f"{means} {_how_many(tree, boxes, 'table', 'rows')}; a row with … opens when chosen."
    )


def _rows(chunking: Chunking, tree: Tree, selected: int | None) -> tuple[list[Box], dict[str, list[Any]]]:
    """Return boxes in reading order, as many as a picture has, and a table with a row for each."""
    below: dict[str, list[Box]] = {}
    for box in boxes_of(tree, selected=selected):
        below.setdefault(box.above, []).append(box)
    order: list[Box] = []
    waiting = below[""]
    while waiting:
        box = waiting.pop()
        order.append(box)
        waiting.extend(reversed(below.get(box.id, [])))
    text, rows = chunking.document.text, []
    for box in order:
        first, last = box.nodes[0], box.nodes[-1]
        start, end = int(tree.starts[first]), int(tree.ends[last])
        name = f"{label_of(tree, box.nodes)}{' …' if box.closed else ''}"
        rows.append((
            "\u2003" * int(tree.depths[first]) + name,
            int(tree.tokens[list(box.nodes)].sum()),
            int(tree.leaves[list(box.nodes)].sum()),
            f"[{start:,}, {end:,})",
            " ".join(text[start : min(end, start + _EXCERPT)].split()),
        ))  # fmt: skip
    names = ("Tree", "Tokens", "Chunks", "Span", "First words")
    return order, {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
