"""The hits as cards: rank, score, place, and the text with the question's words marked."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from html import escape

import streamlit as st

from chunkviz.retrieval import Hit, Matches, Passage, Ranking, collect
from chunkviz.span import Span
from chunkviz.ui import session
from chunkviz.ui.retrieve.search import Found
from chunkviz.ui.text import as_plain
from chunkviz.wording import count_of

GO = "go to chunk"
"""What the session calls the chunk that somebody asked to see."""
COME = "come to document"
"""What the session calls the number of times that somebody asked."""
_SHOWN = 4_000
"""Characters of a chunk in its card; the viewer shows all of it."""
_MOST_TERMS = 12
"""Words of a question that a line names."""
_AT_ONCE = 320
"""Characters of a card that can be read without scrolling, about."""
_BEFORE = 160
"""Characters shown before the matches a card begins with; what lies further ahead is left out."""


def draw_hits(found: Found, selected: int | None, *, slot: str, go: bool = True, narrow: bool = False) -> None:
    """Draw a card for each hit, best first; with ``go`` a button that goes to it, ``narrow`` without its words."""
    passages = {hit.rank: passage for passage in collect(found.hits) for hit in passage.hits}
    for hit in found.hits:
        with st.container(border=True, gap="xsmall", key=f"hit {slot} {hit.rank}"):
            _draw_head(hit, found.index.ranking, slot, chosen=hit.chunk.index == selected, go=go, narrow=narrow)
            _draw_place(hit, found.index.ranking)
            if hit.chunk.context:
                st.html(f'<div class="hit-context"><b>Context, searched with it</b> {escape(hit.chunk.context)}</div>')
            text = marked_text(hit.chunk.document.text, hit.chunk.span, found.matches.spans)
            st.html(f'<div class="hit-text" tabindex="0">{text}</div>')
            if hit.parent is not None:
                _draw_parent(hit, passages[hit.rank])


def about_marks(matches: Matches) -> str:
    """Return in one line of Markdown which words of the question are marked in the hits, and which are not."""
    if not matches.terms:
        return "No word of the question stands in the document, so none is marked."
    left_out = "" if not matches.common else f" Not {_listed(matches.common)}, which most chunks hold."
    return f"Underlined in the hits: **{_listed(matches.terms)}**.{left_out}"


def _listed(terms: Sequence[str]) -> str:
    shown = ", ".join(as_plain(term) for term in terms[:_MOST_TERMS])
    return shown if len(terms) <= _MOST_TERMS else f"{shown} and {len(terms) - _MOST_TERMS:,} more"


def score_text(hit: Hit, ranking: Ranking) -> str:
    """Return the score with what it is."""
    match ranking:
        case "lexical":
            return f"BM25 {hit.score:.2f}"
        case "dense":
            return f"cosine {hit.score:.3f}"
        case "hybrid":
            return f"fused {hit.score:.4f}"


def marked_text(text: str, span: Span, matches: Sequence[Span]) -> str:
    """Return the text of a span as HTML that shows exactly its characters, what matches within ``<mark>``.

    It begins where most matches stand together; a long way to them is left out, and so is what is beyond a few
    thousand characters; both are said.
    """
    place = bisect_left(matches, span.start + 1, key=lambda each: each.end)
    start = span.start
    first = _densest([each.start for each in matches[place : bisect_left(matches, span.end, key=_start_of)]])
    if first is not None and span.start + 2 * _BEFORE < first:
        start = first - _BEFORE
        start += text[start:first].find(" ") + 1
        place = bisect_left(matches, start + 1, key=lambda each: each.end)
    end = min(span.end, start + _SHOWN)
    parts, at = [f"<i>{start - span.start:,} characters</i> … "] if start > span.start else [], start
    for match in matches[place:]:
        if match.start >= end:
            break
        low, high = max(match.start, at), min(match.end, end)
        if low < high:
            parts += [escape(text[at:low]), f"<mark>{escape(text[low:high])}</mark>"]
            at = high
    parts.append(escape(text[at:end]))
    if end < span.end:
        parts.append(f" … <i>{span.end - end:,} more characters</i>")
    return "".join(parts)


def _start_of(match: Span) -> int:
    return match.start


def _densest(starts: Sequence[int]) -> int | None:
    """Return the first of the matches of which most begin within what a card shows at once, or None without any."""
    counts = [bisect_left(starts, start + _AT_ONCE) - place for place, start in enumerate(starts)]
    return starts[counts.index(max(counts))] if counts else None


def _draw_head(hit: Hit, ranking: Ranking, slot: str, *, chosen: bool, go: bool, narrow: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{hit.rank}** · **Chunk {hit.chunk.index + 1:,}** · {score_text(hit, ranking)} · "
            f"{count_of(hit.chunk.token_count, 'token')}",
            width="stretch",
        )
        if go:
            st.button(
                "" if narrow else "Shown" if chosen else "Go there", type="tertiary",
                icon=":material/check:" if narrow and chosen else ":material/my_location:",
                key=f"go {slot} {hit.rank}", on_click=_go, args=(hit.chunk.index,),
                help="Select this chunk in the document.",
            )  # fmt: skip


def _go(index: int) -> None:
    session.put(GO, index)
    session.put(COME, session.get(COME, 0) + 1)


def _draw_place(hit: Hit, ranking: Ranking) -> None:
    facts = [" › ".join(hit.chunk.headings), f"page {hit.chunk.page}" if hit.chunk.page else ""]
    if ranking == "hybrid":
        ranks = (("BM25", hit.lexical_rank), ("cosine", hit.dense_rank))
        facts.append(", ".join(f"{name} {'does not find it' if at is None else f'rank {at}'}" for name, at in ranks))
    if any(facts):
        st.caption(as_plain(" · ".join(filter(None, facts))))


def _draw_parent(hit: Hit, passage: Passage) -> None:
    parent = passage.returned
    first = passage.hits[0]
    if first.rank != hit.rank:
        st.caption(f":material/account_tree: Its parent {parent.index + 1:,} comes with hit {first.rank} already.")
        return
    others = [str(each.rank) for each in passage.hits[1:]]
    also = (
        f", and so do hits {' and '.join(others)}"
        if len(others) > 1
        else f", and so does hit {others[0]}"
        if others
        else ""
    )
    with st.expander(
        f"Brings parent {parent.index + 1:,} of {count_of(parent.token_count, 'token')}{also}",
        icon=":material/account_tree:",
    ):
        st.text(parent.text if len(parent.text) <= 10 * _SHOWN else f"{parent.text[: 10 * _SHOWN]} …")
