"""Small-to-big, tried out: chunks somebody says were found, what is returned for them, what a model receives."""

from __future__ import annotations

import numpy as np
import streamlit as st

from chunkviz.chunk import Chunk, Chunking
from chunkviz.small_to_big import Collected, Passage, collect
from chunkviz.ui import session
from chunkviz.ui.text import as_plain, shortened
from chunkviz.ui.viewer.pointer import chunk_at
from chunkviz.wording import count_of

_MOST_HITS = 50
"""Chunks one search adds at most: no model is given more."""
_MOST_CARDS = 20
_HEIGHT = 480
_EXCERPT = 240
_SHORT = 28


def draw(chunking: Chunking, selected: int | None) -> None:
    """Draw the simulator for one chunking."""
    st.subheader("What a model receives", anchor=False)
    st.caption(
        "Say which chunks a search has found: by text, or by selecting one in the tree or the document. "
        "What is returned for them follows."
    )
    _draw_search(chunking, selected)
    hits = _hits(chunking)
    _draw_hits(chunking, hits)
    if not hits:
        return
    collected = collect(chunking, hits, **_choose_merging(chunking))
    text = collected.text
    _draw_totals(chunking, collected, chunking.tokens.tokenizer.count(text))
    cards, exact = st.columns(2, gap="medium")
    with cards:
        st.markdown("**What is returned**, in document order")
        with st.container(height=_HEIGHT, border=False, key="passages"):
            _draw_cards(chunking, collected)
    with exact:
        st.markdown("**The exact text**, with a button to copy it at its upper right")
        st.code(text, language=None, wrap_lines=True, height=_HEIGHT)


def _hits(chunking: Chunking) -> list[int]:
    """Return the chunks found, in order; they are kept as places in the text, which outlive a slider step."""
    places: set[int] = session.get("found places", (None, set()))[1] if _same_document(chunking) else set()
    found = {chunk_at(chunking.starts, place) for place in places}
    return sorted(each for each in found if each is not None)


def _same_document(chunking: Chunking) -> bool:
    return bool(session.get("found places", (None, set()))[0] == chunking.document.id)


def _put_hits(chunking: Chunking, hits: list[int]) -> None:
    session.put("found places", (chunking.document.id, {int(chunking.starts[hit]) for hit in hits}))


def _draw_search(chunking: Chunking, selected: int | None) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="child search row"):
        query = st.text_input(
            "Find chunks by text", key="child search", persist_state="session", width=340,
            placeholder="Words as they stand in the text", help="Capitals do not matter. Each chunk that holds them.",
        )  # fmt: skip
        found = session.remembered(chunking, "containing", lambda: _containing(chunking, query or ""), query)
        label = "Add those found" if not query else f"Add {min(len(found), _MOST_HITS):,} found"
        st.button(
            label, key="add found", icon=":material/search:", disabled=not found, on_click=_add,
            args=(chunking, found[:_MOST_HITS]),
        )  # fmt: skip
        st.button(
            "Add the selected chunk" if selected is None else f"Add chunk {selected + 1:,}, selected",
            key="add selected", icon=":material/add:", disabled=selected is None, on_click=_add,
            args=(chunking, [] if selected is None else [selected]),
        )  # fmt: skip
        st.button(
            "Clear", key="clear found", icon=":material/close:", disabled=not _hits(chunking), on_click=_put_hits,
            args=(chunking, []),
        )  # fmt: skip
    if query and not found:
        st.caption("No chunk holds these words.")
    elif len(found) > _MOST_HITS:
        st.caption(f"{len(found):,} chunks hold these words; the first {_MOST_HITS} are added.")


def _containing(chunking: Chunking, query: str) -> list[int]:
    """Return the chunks whose text holds the query, whatever its capitals."""
    wanted = query.strip().casefold()
    return [chunk.index for chunk in chunking if wanted in chunk.text.casefold()] if wanted else []


def _add(chunking: Chunking, more: list[int]) -> None:
    _put_hits(chunking, [*_hits(chunking), *more])


def _draw_hits(chunking: Chunking, hits: list[int]) -> None:
    def take() -> None:
        _put_hits(chunking, session.get("children found"))

    session.put("children found", hits)
    st.multiselect(
        "Chunks found", hits, key="children found", on_change=take, placeholder="None yet",
        format_func=lambda hit: f"{hit + 1:,} · {_words(chunking[hit], _SHORT)}", disabled=not hits,
    )  # fmt: skip


def _choose_merging(chunking: Chunking) -> dict[str, int]:
    """Return when children bring their parent, and how far up; nothing to choose where there are no parents."""
    levels, most = session.remembered(chunking, "merging", lambda: _levels_and_most(chunking))
    chosen = {"merge_at": 1, "up_to": 1}
    if most == 1 and levels <= 1:
        if chunking.parents:
            st.caption("Each parent has one child, so each child found brings its parent.")
        return chosen
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="merging"):
        if most > 1:
            session.put("merge at", min(max(1, int(session.get("merge at") or 1)), most))
            chosen["merge_at"] = st.slider(
                "Children that must be found to return their parent", 1, most, key="merge at", width=340,
                persist_state="session",
                help="With 1, each child found brings its parent (LangChain's ParentDocumentRetriever). With more, the "
                "parent stands for its children once so many are found, or all of a parent that has fewer "
                "(LlamaIndex's AutoMergingRetriever).",
            )  # fmt: skip
        if levels > 1:
            session.put("merge to", min(max(1, int(session.get("merge to") or 1)), levels))
            level = st.segmented_control(
                "Highest level returned", range(1, levels + 1), required=True, key="merge to",
                persist_state="session", help="Level 1 holds the chunks. Each level is merged after the one below it.",
            )  # fmt: skip
            chosen["up_to"] = level or 1
    return chosen


def _levels_and_most(chunking: Chunking) -> tuple[int, int]:
    """Return how many levels of parents there are, and the most children that any of them has; 1 of none."""
    above = [each.parent.index for each in (*chunking.parents, *chunking) if each.parent is not None]
    levels = max((parent.level for parent in chunking.parents), default=0)
    return levels, int(np.bincount(above).max()) if above else 1


def _draw_totals(chunking: Chunking, collected: Collected, received: int) -> None:
    alone, returned = collected.found_token_count, collected.token_count
    merged = len(collected.found) - len(collected.passages)
    with st.container(horizontal=True, gap="small", key="totals"):
        st.metric("Chunks found", f"{len(collected.found):,}")
        st.metric("Their tokens", f"{alone:,}")
        st.metric(
            "Passages returned", f"{len(collected.passages):,}", help="Parents, and chunks returned for themselves."
        )
        st.metric("Duplicates merged", f"{merged:,}", help="Chunks found whose parent was brought by another already.")
        st.metric("Tokens returned", f"{returned:,}", help="Each passage counted alone.")
        st.metric("Against the chunks alone", f"×{returned / max(1, alone):.1f}")
        st.metric(
            "Tokens received", f"{received:,}",
            help=f"The exact text below, its headers and the children once more included, in "
            f"{as_plain(chunking.tokens.tokenizer.name)}.",
        )  # fmt: skip
    if collected.repeated:
        st.caption(f"The passages overlap: {collected.repeated:,} characters are returned more than once.")


def _draw_cards(chunking: Chunking, collected: Collected) -> None:
    for passage in collected.passages[:_MOST_CARDS]:
        with st.container(border=True, gap="xxsmall"):
            st.markdown(_heading(chunking, passage))
            st.text(_words(passage.returned, _EXCERPT))
    left = len(collected.passages) - _MOST_CARDS
    if left > 0:
        st.caption(f"{left:,} more passages are in the text beside.")


def _heading(chunking: Chunking, passage: Passage) -> str:
    returned, tokens = passage.returned, count_of(passage.returned.token_count, "token")
    numbers = ", ".join(f"{chunk.index + 1:,}" for chunk in passage.found)
    found = f"{'chunk' if len(passage.found) == 1 else 'chunks'} {numbers}"
    if passage.merged:
        level = f", level {returned.level}" if returned.level > 1 else ""
        within = (
            f"{len(passage.found):,} of {passage.children:,} {'chunk' if passage.children == 1 else 'chunks'} found"
        )
        return f"**Parent {returned.index + 1:,} of {len(chunking.parents):,}**{level} · {tokens} · {within}: {found}"
    why = " · too few of its parent are found" if returned.parent is not None else ""
    return f"**Chunk {returned.index + 1:,} alone** · {tokens}{why}"


def _words(chunk: Chunk, most: int) -> str:
    words = " ".join(chunk.document.text[chunk.start : min(chunk.end, chunk.start + 2 * most)].split())
    return shortened(words, most)
