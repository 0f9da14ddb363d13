"""What the Retrieve page draws: a question, its hits in the document, and what a model would be given."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import get_args

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.retrieval import ModelInput, Ranking, collect, format_hits
from chunkviz.samples import questions_file
from chunkviz.services import Services
from chunkviz.ui import services, session, sidebar
from chunkviz.ui.consent import ConsentNeeded, ask
from chunkviz.ui.messages import draw_error, draw_stopped
from chunkviz.ui.retrieve.answer import draw_answer
from chunkviz.ui.retrieve.cards import COME, GO, about_marks, draw_hits, score_text
from chunkviz.ui.retrieve.search import Found, find, forget
from chunkviz.ui.retrieve.settings import Searched, choose_searched, choose_shown
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer
from chunkviz.ui.viewer.heat import Heat, heat_of
from chunkviz.wording import count_of

_STYLE = Path(__file__).with_name("retrieve.css")
_COLUMNS = 3
"""Settings side by side in one row."""
_MOST = 20
"""Hits that the slider offers."""
_SEEK = "seek serial"
_UNITS: dict[Ranking, str] = {"lexical": "BM25 score", "dense": "Cosine", "hybrid": "Fused score"}


def draw(chunking: Chunking) -> None:
    """Draw the page for one chunking."""
    st.html(_STYLE)
    question = _ask_question(chunking.document)
    ranking, k, asked = _choose_ranking(chunking)
    if not len(chunking):
        st.info("This document has no text, so there is nothing to search.", icon=":material/info:")
        draw_viewer(chunking, key="viewer")
    elif not question.strip():
        st.info("Type a question, or take one of the examples.", icon=":material/north:")
        draw_viewer(chunking, key="viewer")
    elif asked is None:
        draw_viewer(chunking, key="viewer")
    else:
        _draw_searched(choose_searched(chunking), question, k, ranking, asked)


def _ask_question(document: Document) -> str:
    question = st.text_input(
        "Question", key="question", bind="query-params", placeholder="What should the passage tell?", max_chars=2_000
    )
    examples = _examples().get(document.name, ()) if session.get("source") == "Sample" else ()
    if examples:
        session.put("example question", question if question in examples else None)
        st.pills("Questions about this sample", examples, key="example question", on_change=_take_example)
    return question or ""


def _take_example() -> None:
    session.put("question", session.get("example question") or "")


@lru_cache(maxsize=1)
def _examples() -> dict[str, tuple[str, ...]]:
    """Return the bundled questions by the name of their document."""
    found: dict[str, list[str]] = {}
    for line in questions_file().read_text(encoding="utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            found.setdefault(PurePath(row["document"]).name, []).append(row["question"])
    return {name: tuple(each) for name, each in found.items()}


def _choose_ranking(chunking: Chunking) -> tuple[Ranking, int, Services | None]:
    """Draw how chunks are ranked; return it with k and the services, None where the embedder cannot be made."""
    setting: sidebar.Setting = session.get("setting")
    given = setting.services or Services()
    ways, number, embedder = st.columns([3, 3, 4], gap="medium")
    ranking: Ranking = ways.segmented_control(
        "Ranking", get_args(Ranking), default="lexical", required=True, key="ranking", bind="query-params",
        help="lexical: BM25 by the words, no model. dense: cosine of an embedder's vectors. "
        "hybrid: both, fused by reciprocal ranks.",
    )  # fmt: skip
    k = number.slider("Hits", 1, _MOST, 5, key="k", bind="query-params")
    with embedder:
        if ranking == "lexical":
            st.caption(
                "No model is asked. On public benchmarks BM25 finds more than small sentence models do, "
                "so it is the default."
            )
            return ranking, k, given
        if given.embedder is not None:
            st.caption(f"Embedder of the sidebar: **{as_plain(given.embedder.name)}**. Each question is embedded, too.")
            return ranking, k, given
        chosen = services.choose_embedder(chunking.document)
    return ranking, k, None if chosen is None else replace(given, embedder=chosen)


def _draw_searched(settings: tuple[Searched, ...], question: str, k: int, ranking: Ranking, asked: Services) -> None:
    """Search every setting; draw the one shown in the document, and each one's hits in a column of its own."""
    found = {each: _search(each, question, k, ranking, asked) for each in settings}
    shown = choose_shown(settings)
    first = found[shown]
    received = None if first is None else format_hits(first.hits)
    if first is not None and received is not None and first.hits:
        _draw_numbers(first, received)
    if len(settings) == 1:
        cards, picture = st.columns([2, 3], gap="medium")
        with picture:
            selected = _draw_document(shown, first)
        with cards, st.container(key="hits", gap="small"):
            _draw_found(shown, first, selected, go=True)
    else:
        selected = _draw_document(shown, first)
        for row in range(0, len(settings), _COLUMNS):
            for column, each in zip(st.columns(_COLUMNS), settings[row : row + _COLUMNS], strict=False):
                with column:
                    here = each is shown
                    _draw_found(each, found[each], selected if here else None, go=here, titled=True)
    if first is not None and received is not None and first.hits:
        _draw_received(received)
        draw_answer(question, first.hits)


def _draw_found(each: Searched, found: Found | None, selected: int | None, *, go: bool, titled: bool = False) -> None:
    """Draw the hits of one setting; those of the one in the document above can be gone to."""
    if titled:
        st.markdown(f"**{as_plain(each.name)}**")
    if found is None:
        return
    if not found.hits:
        st.info(_nothing_found(found.index.ranking), icon=":material/search_off:")
        return
    if titled:
        tokens = format_hits(found.hits).token_count
        received = count_of(tokens, "token")
        st.caption(f"{len(found.hits):,} of {len(found.chunking):,} chunks · a model receives {received}")
    st.caption(about_marks(found.matches))
    draw_hits(found, selected, slot=each.slot, go=go, narrow=titled)


def _nothing_found(ranking: Ranking) -> str:
    if ranking == "lexical":
        return "No chunk shares a word with this question. Ask with other words, or choose the dense ranking."
    return "The embedder has no vector for this question, so nothing can be compared with it. Ask with other words."


def _search(each: Searched, question: str, k: int, ranking: Ranking, asked: Services) -> Found | None:
    """Return what a setting finds, or None while it works or with the reason on the screen."""
    try:
        return find(each.chunking, question, k, ranking, asked, slot=each.slot)
    except Cancelled:
        draw_stopped("The search was stopped.", "Search again", each.slot, forget=forget)
    except ConsentNeeded as question_first:
        ask(question_first, slot=each.slot)
    except ChunkvizError as error:
        forget(each.slot)
        draw_error(error)
        st.button("Try again", icon=":material/refresh:", key=f"try {each.slot}")
    return None


def _draw_numbers(found: Found, received: ModelInput) -> None:
    passages = collect(found.hits)
    returned = sum(len(each.returned.span) for each in passages)
    parents = any(hit.parent is not None for hit in found.hits)
    with st.container(horizontal=True, gap="small", key="measures"):
        st.metric("Hits", f"{len(found.hits):,} of {len(found.chunking):,}", help="Of all chunks that are searched.")
        if parents:
            st.metric("Parents returned", f"{len(passages):,}", help="Children of one parent bring it once.")
        st.metric("Best score", score_text(found.hits[0], found.index.ranking))
        st.metric("Tokens of the hits", f"{sum(hit.chunk.token_count for hit in found.hits):,}")
        st.metric(
            "Model receives", f"{received.token_count:,} tok",
            help=f"The text below, with headings and numbers, counted with {received.tokenizer}.",
        )  # fmt: skip
        st.metric(
            "Of the document", f"{returned / max(1, len(found.chunking.document)):.1%}",
            help="Characters that are returned, over those of the document; overlap counts twice.",
        )  # fmt: skip
    st.caption(_how(found))


def _how(found: Found) -> str:
    """Return in one line what was compared."""
    count = f"{len(found.index):,} {'children' if found.chunking.parents else 'chunks'}"
    contexts = sum(chunk.context is not None for chunk in found.index.chunks)
    with_context = f" {contexts:,} of them are searched with their context." if contexts else ""
    match found.index.ranking:
        case "lexical":
            way = "BM25 over"
        case "dense":
            way = f"Cosines of {as_plain(str(found.index.embedder))} with"
        case "hybrid":
            way = f"Reciprocal ranks of BM25 and of {as_plain(str(found.index.embedder))}, fused, over"
    return f"{way} {count}, every one compared.{with_context} Scores compare within one search only."


def _draw_document(shown: Searched, found: Found | None) -> int | None:
    """Draw the document with the hits as heat; return the selected chunk."""
    wanted: int | None = session.drop(GO)
    asked = None if found is None else (found.question, found.index.ranking, shown.slot)
    if found is not None and found.hits and session.get("searched") != asked:
        wanted = found.hits[0].chunk.index  # who asks anew looks for the best hit
    session.put("searched", asked)
    if wanted is not None and wanted == session.get("selected hit"):
        # Who asks for the chunk that is selected already has scrolled away from it.
        session.put(_SEEK, session.get(_SEEK, 0) + 1)
    heat = None if found is None else _heat(found)
    state = draw_viewer(
        shown.chunking, key="viewer", selected=wanted, marked=() if heat is None else tuple(heat.hits), heat=heat
    )  # fmt: skip
    session.put("selected hit", state.selected)
    return state.selected


def _heat(found: Found) -> Heat:
    ranking = found.index.ranking
    labels = {hit.chunk.index: score_text(hit, ranking) for hit in found.hits}
    heat = heat_of(found.scores, labels, from_zero=ranking == "lexical", unit=_UNITS[ranking])
    return replace(heat, come=session.get(COME, 0), seek=session.get(_SEEK, 0))


def _draw_received(received: ModelInput) -> None:
    st.subheader("What a model would receive", anchor=False)
    st.caption(
        f"Exactly this text: {count_of(received.token_count, 'token')}, {count_of(len(received.text), 'character')} "
        f"(counted with {as_plain(received.tokenizer)})."
    )
    st.code(received.text, language=None, wrap_lines=True, height=320)
