"""What the Measure page draws: the numbers of the setting, its questions with the document, other settings, sweeps."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import Evaluation, Question
from chunkviz.retrieval import RANKINGS, Index, Ranking
from chunkviz.services import Services
from chunkviz.ui import jobs, measuring, narrow, session
from chunkviz.ui.consent import AskFirst
from chunkviz.ui.measure_numbers import draw_numbers
from chunkviz.ui.measure_proposals import draw_proposals
from chunkviz.ui.measure_questions import (
    draw_files,
    draw_new_question,
    excerpt_of,
    questions_of,
    remove_question,
    reword,
)
from chunkviz.ui.measure_settings import Listed, draw_settings, settings_of
from chunkviz.ui.measure_sweep import draw_sweep
from chunkviz.ui.measuring import Candidate, Request
from chunkviz.ui.retrieve.search import index_of
from chunkviz.ui.services import choose_embedder
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer

_MOST_K = 1_000
_QUESTIONS, _SETTINGS, _SWEEP = "Questions", "Settings", "Sweep"
_VIEWER = "measure viewer"


def draw(chunking: Chunking) -> None:
    """Draw the page for the chunking that the sidebar has open."""
    document = chunking.document
    if not document.text.strip():
        st.info("This document has no text, so there is nothing to ask about it.", icon=":material/info:")
        return
    services: Services = session.get("setting").services or Services()
    questions = questions_of(document)
    numbers = st.container()
    request = _choose_request(document, questions, services)
    listed = settings_of(chunking, services)
    current, candidates = listed.current, listed.candidates
    if request is not None and questions:
        measuring.measure(request, candidates, slot="measure", label=_label(candidates))
        with numbers:
            draw_numbers(request, current)
    view = st.segmented_control(
        "What to look at", [_QUESTIONS, _SETTINGS, _SWEEP], default=_QUESTIONS, required=True, key="measure view",
        persist_state="session", label_visibility="collapsed",
    )  # fmt: skip
    if request is None:
        draw_viewer(chunking, key=_VIEWER)
    elif view == _QUESTIONS:
        _draw_questions(chunking, request, listed, services)
    elif not questions:
        st.info("There are no questions yet. Mark or upload some under Questions.", icon=":material/info:")
    elif view == _SETTINGS:
        draw_settings(request, listed)
    else:
        draw_sweep(request, current)
    st.caption(
        "Recall, precision, IoU and precision-omega as in Smith and Troynikov, “Evaluating Chunking Strategies for "
        "Retrieval”, Chroma Technical Report, 2024. Intervals: bootstrap over the questions, 95 %, 2,000 draws."
    )


def _label(candidates: tuple[Candidate, ...]) -> str:
    return f"Measuring {len(candidates):,} setting{'' if len(candidates) == 1 else 's'}"


def _choose_request(document: Document, questions: tuple[Question, ...], services: Services) -> Request | None:
    """Draw what every setting is asked alike; return it, or None where the embedder cannot be made."""
    with st.container(horizontal=True, vertical_alignment="top", gap="medium", key="measure request"):
        k = st.number_input(
            "Chunks retrieved (k)", 1, _MOST_K, 5, key="k", bind="query-params", width=150,
            help="For each question. Child chunks bring their parents.",
        )  # fmt: skip
        chosen = st.segmented_control(
            "Ranking", list(RANKINGS), default="lexical", required=True, key="ranking", bind="query-params",
            help="lexical: BM25, without a model. dense: cosines of an embedder's vectors, the same for all settings. "
            "hybrid: both, by reciprocal rank fusion.",
        )  # fmt: skip
        unit = st.segmented_control(
            "Budgets in", ["tokens", "characters"], default="tokens", required=True, key="budget unit",
            persist_state="session", help="Recall at a budget: how much of the answers is in the first 2,000 or 4,000.",
        )  # fmt: skip
    ranking: Ranking = chosen if chosen in get_args(Ranking) else "lexical"
    request = Request(document, questions, int(k), ranking, unit or "tokens")
    if ranking == "lexical":
        return request
    if services.embedder is not None:
        st.caption(f"Ranked with the embedder of the sidebar, **{as_plain(services.embedder.name)}**, in all settings.")
        return replace(request, embedder=services.embedder)
    with st.container(border=True, key="measure embedder"):
        embedder = choose_embedder(document)
    return None if embedder is None else replace(request, embedder=embedder)


def _draw_questions(chunking: Chunking, request: Request, listed: Listed, services: Services) -> None:
    document, questions = request.document, request.questions
    if not questions:
        st.info(
            "There are no questions about this document yet. Select the words that answer one in the text below, type "
            "the question and add it; or upload a file of questions.",
            icon=":material/format_ink_highlighter:",
        )
    place = _draw_table(request, listed.candidates) if questions else None
    hits: tuple[int, ...] = ()
    focus = None
    if place is not None:
        hits = _draw_question(chunking, request, listed.current, place, services)
        spans = [one.span for one in questions[place].references]
        focus = spans[min(int(session.get("answer shown", 0)), len(spans) - 1)]
    new = st.container()
    serial = f"{place} {focus}"
    if session.get("question focused") != serial:
        session.put("question focused", serial)
        session.put("question serial", session.get("question serial", 0) + 1)
    state = draw_viewer(
        chunking, key=_VIEWER, marked=hits, focus=focus, focus_serial=session.get("question serial", 0), marking=True
    )
    with new:
        draw_new_question(document, state.marked_text)
    draw_proposals(document)
    draw_files(document)


def _draw_table(request: Request, candidates: tuple[Candidate, ...]) -> int:
    """Draw every question with its recall in each setting; return which is chosen."""
    questions = request.questions
    rows: dict[str, list[object]] = {"Question": [each.question for each in questions]}
    if any(each.proposed_by for each in questions):
        rows["Proposed by"] = [each.proposed_by or "" for each in questions]
    known = measuring.known(request)
    config = {"Question": st.column_config.TextColumn(width="large")}
    for candidate in candidates:
        found = known.get(candidate)
        if isinstance(found, Evaluation):
            name = candidate.name if candidate.name not in rows else f"{candidate.name} "
            rows[name] = [each.recall for each in found.results]
            config[name] = st.column_config.ProgressColumn(
                candidate.name, min_value=0, max_value=1, format="percent", width="medium",
                help=f"Recall at {found.k}: share of the answer's characters that is retrieved.",
            )  # fmt: skip
    if session.get("question shown") is None or not 0 <= session.get("question shown") < len(questions):
        session.put("question shown", max(0, min(len(questions) - 1, int(session.get("question shown") or 0))))
    key = f"questions {request.document.id} {len(questions)}"

    def follow() -> None:
        chosen = (session.get(key) or {}).get("selection", {}).get("rows", [])
        if chosen:
            session.put("question shown", chosen[0])
            session.put("answer shown", 0)

    with narrow.wide("questions"):
        st.dataframe(
            rows, key=key, hide_index=True, on_select=follow, selection_mode="single-row", column_config=config,
            height=min(248, 50 + 35 * len(questions)), width="stretch",
        )  # fmt: skip
    narrow.draw_plain(
        "questions",
        {name: [f"{each:.0%}" if isinstance(each, float) else each for each in cells] for name, cells in rows.items()},
        "Questions and their recall",
    )
    if len(rows) > 1:
        st.caption(f"Recall at {request.k} in each setting: the share of the answer's characters that is retrieved.")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen: int = st.selectbox(
            "Question shown in the document", range(len(questions)), key="question shown", persist_state="session",
            format_func=lambda each: f"{each + 1}. {questions[each].question}" if each < len(questions) else "–",
            on_change=session.put, args=("answer shown", 0), width="stretch",
        )  # fmt: skip
        _draw_edit(request, chosen)
    return chosen


def _draw_edit(request: Request, place: int) -> None:
    document, question = request.document, request.questions[place]
    with st.popover("Edit", icon=":material/edit:", key="edit question"):
        field = f"question text {document.id} {place} {question.question}"
        st.text_input(
            "Reword the question", question.question, key=field, width=520,
            on_change=lambda: reword(document, place, str(session.get(field) or "")),
        )  # fmt: skip
        st.button(
            "Remove this question", icon=":material/delete:", key="remove question", on_click=remove_question,
            args=(document, place),
        )  # fmt: skip


def _draw_question(
    chunking: Chunking, request: Request, current: Candidate, place: int, services: Services
) -> tuple[int, ...]:
    """Draw what answers a question and what it finds; return the chunks that are found, best first."""
    document, question = request.document, request.questions[place]
    index = _index(chunking, request, current, services)
    hits = () if index is None else tuple(hit.place for hit in index.search(question.question, request.k))
    if len(question.references) > 1:
        if int(session.get("answer shown", 0)) >= len(question.references):
            session.put("answer shown", 0)
        st.segmented_control(
            "Answer shown", range(len(question.references)), format_func=lambda each: f"Answer {each + 1}",
            default=0, required=True, key="answer shown", label_visibility="collapsed",
        )  # fmt: skip
    else:
        session.put("answer shown", 0)
    lines = []
    for reference in question.references:
        touching = (chunking.starts < reference.span.end) & (chunking.ends > reference.span.start)
        holding = np.flatnonzero(touching).tolist()
        found = [f"{index + 1:,}" for index in holding if index in hits]
        retrieved = f"of which {_listed(found)} {'is' if len(found) == 1 else 'are'} retrieved"
        chunks = f"chunk{'' if len(holding) == 1 else 's'} {_listed([f'{index + 1:,}' for index in holding])}"
        state = (
            "not searched yet"
            if index is None
            else "not retrieved"
            if not found
            else "retrieved"
            if len(found) == len(holding)
            else retrieved
        )
        where = f"in {chunks}, {state}" if holding else "in no chunk"
        lines.append(f"- {excerpt_of(document, reference.span)}: {where}")
    st.markdown("\n".join(lines))
    if index is None:
        return hits
    ranks = _listed([f"{index + 1:,}" for index in hits], most=12)
    words = f"Retrieved, best first: chunks {ranks}. They stand out in the document, the answer is outlined."
    st.caption(words if hits else "Nothing is retrieved: no chunk shares a term with the question.")
    return hits


def _index(chunking: Chunking, request: Request, current: Candidate, services: Services) -> Index | None:
    """Return the index over the chunking, made once, or None with the reason on the screen."""
    embedder = request.embedder
    if isinstance(embedder, AskFirst):
        if not isinstance(measuring.known(request).get(current), Evaluation):
            return None  # somebody has to agree first, to all that is measured together
        embedder = embedder.inner  # it was agreed to, and its vectors are kept
    try:
        return index_of(chunking, request.ranking, replace(services, embedder=embedder), slot="measure index")
    except ChunkvizError as error:
        jobs.forget("measure index")
        st.caption(as_plain(str(error)))
        return None


def _listed(names: list[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
