"""An answer by a model, for who has one: nothing is sent before the estimate is agreed to."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from html import escape

import streamlit as st

from chunkviz.answers import Answer, Answerer, build_prompt
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.retrieval import Hit
from chunkviz.ui import jobs, services, session
from chunkviz.ui.consent import ConsentNeeded, ask
from chunkviz.ui.messages import draw_error
from chunkviz.ui.text import as_plain

_KEPT = 20
"""Answers remembered per visitor, so that none is paid for twice."""
_SLOT = "answer"


def draw_answer(question: str, hits: tuple[Hit, ...]) -> None:
    """Offer an answer from the hits."""
    with st.expander("Answer from these passages, by a model of yours (optional)", icon=":material/forum:"):
        st.caption(
            "The model is given the text above and the question, and is asked to cite passages by their numbers. "
            "Everything else on this page works without it."
        )
        answerer = services.choose_answerer()
        if answerer is None:
            return
        answer = _answer_of(answerer, question, hits)
        if answer is not None:
            _draw(answer)


def _answer_of(answerer: Answerer, question: str, hits: tuple[Hit, ...]) -> Answer | None:
    prompt = build_prompt(question, hits)
    parts = (answerer.name, prompt.system, prompt.user)
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    memory: OrderedDict[str, Answer] = session.keep("answers", OrderedDict)
    if digest in memory:
        memory.move_to_end(digest)
        return memory[digest]
    if digest not in session.keep("agreed", set):
        ask(ConsentNeeded(answerer.name, answerer.estimate(question, hits), digest), slot=_SLOT)
        return None
    job = jobs.run(digest, "Waiting for the answer", lambda _: answerer.answer(question, hits), slot=_SLOT)
    if not job.done:
        return None
    try:
        answer = job.outcome()
    except Cancelled as wish:
        st.info(as_plain(str(wish)), icon=":material/info:")
    except ChunkvizError as error:
        draw_error(error)
    else:
        memory[digest] = answer
        while len(memory) > _KEPT:
            memory.popitem(last=False)
        return answer
    # What failed cost nothing or little, but sending it once more is a new decision.
    session.keep("agreed", set).discard(digest)
    st.button("Try again", icon=":material/refresh:", key="answer again", on_click=jobs.forget, args=(_SLOT,))
    return None


def _draw(answer: Answer) -> None:
    """Show the answer as it came: a model's text is as foreign as a document's."""
    said = "".join(
        f'<b class="cited">{escape(piece.text)}</b>' if piece.numbers else escape(piece.text) for piece in answer.pieces
    )
    st.html(f'<div class="answer">{said}</div>')
    cited = answer.cited
    if cited:
        listed = " · ".join(f"[{hit.rank}] chunk {hit.chunk.index + 1:,}" for hit in cited)
        st.caption(f"Cites {listed}. By {as_plain(answer.model)}.".replace("[", "\\["))
    else:
        st.warning(f"The answer cites no passage. By {as_plain(answer.model)}.", icon=":material/link_off:")
    if answer.unknown:
        numbers = ", ".join(str(each) for each in answer.unknown)
        st.warning(f"It cites passages that it was not given: {numbers}.", icon=":material/warning:")
