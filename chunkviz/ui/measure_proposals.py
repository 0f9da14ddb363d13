"""Questions that a model proposes: asked for after a yes, and each accepted, reworded or discarded by the person."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import streamlit as st

from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.evaluation import Problem, Proposals, Question, proposal_requests, propose_questions
from chunkviz.evaluation.proposals import MOST
from chunkviz.evaluation.proposer import OpenAICompatibleProposer
from chunkviz.ui import jobs, services, session
from chunkviz.ui.consent import ConsentNeeded, ask
from chunkviz.ui.measure_questions import excerpt_of, put_questions, questions_of
from chunkviz.ui.messages import draw_error
from chunkviz.ui.text import as_plain

_SLOT = "proposals"
_PENDING = "questions proposed"
_DROPPED = "proposals dropped"


@dataclass(frozen=True)
class _Asked:
    """What somebody wants a model to be asked."""

    document: str
    count: int
    proposer: OpenAICompatibleProposer


def draw_proposals(document: Document) -> None:
    """Draw the offer, and what was proposed about the document and waits for a word; nothing is sent without a yes."""
    with st.expander("Have a model propose questions (optional)", icon=":material/auto_awesome:"):
        st.caption(
            "A model of yours reads passages from all over the document and proposes questions with the excerpts that "
            "answer them. Excerpts that are not in the document word for word are dropped, and no question counts "
            "before you accept it. Everything else on this page works without it."
        )
        count = st.number_input(
            "Questions", 1, MOST, 6, key="proposal count", persist_state="session", width=160,
            help="At most so many; they come from passages spread over the document, three from each.",
        )  # fmt: skip
        proposer = services.choose_proposer()
        if proposer is not None:
            asked = _Asked(document.id, int(count), proposer)
            st.button(
                "Propose questions", icon=":material/auto_awesome:", key="propose", on_click=_begin, args=(asked,),
                disabled=session.get("proposals asked") == asked,
            )  # fmt: skip
            if session.get("proposals asked") == asked:
                _ask(document, asked)
    _draw_pending(document)


def _begin(asked: _Asked) -> None:
    session.put("proposals asked", asked)
    jobs.forget(_SLOT)


def _ask(document: Document, asked: _Asked) -> None:
    """Ask the model, once somebody has agreed to what it costs; each time anew."""
    requests = proposal_requests(document, asked.count)
    proposer = asked.proposer
    texts = [part for each in requests for part in proposer.prompts(each)]
    digest = hashlib.sha256("\0".join([proposer.name, *texts]).encode("utf-8", "surrogatepass")).hexdigest()
    if digest not in session.keep("agreed", set):
        ask(ConsentNeeded(proposer.name, proposer.estimate(requests), digest), slot=_SLOT)
        return
    job = jobs.run(
        digest, f"Asking {as_plain(proposer.name)}",
        lambda job: propose_questions(requests, proposer, report=job.report), slot=_SLOT,
    )  # fmt: skip
    if not job.done:
        return
    session.keep("agreed", set).discard(digest)  # to ask once more is a new decision
    session.drop("proposals asked")
    jobs.forget(_SLOT)
    try:
        _keep(document, job.outcome())
    except Cancelled:
        st.info("The model was stopped; what it had proposed is not kept.", icon=":material/info:")
    except ChunkvizError as error:
        draw_error(error)
    else:
        st.rerun()


def _keep(document: Document, found: Proposals) -> None:
    pending = _pending()
    known = {*questions_of(document), *pending.get(document.id, ())}
    new = tuple(each for each in found.questions if each not in known)
    pending[document.id] = (*pending.get(document.id, ()), *new)
    failures = tuple(Problem(0, "", "", reason) for reason in found.failed)
    _dropped()[document.id] = (*found.dropped, *failures)


def _pending() -> dict[str, tuple[Question, ...]]:
    held: dict[str, tuple[Question, ...]] = session.keep(_PENDING, dict)
    return held


def _dropped() -> dict[str, tuple[Problem, ...]]:
    held: dict[str, tuple[Problem, ...]] = session.keep(_DROPPED, dict)
    return held


def _draw_pending(document: Document) -> None:
    pending = _pending().get(document.id, ())
    dropped = _dropped().get(document.id, ())
    if pending:
        with st.container(border=True, key="proposed questions", gap="small"):
            with st.container(horizontal=True, vertical_alignment="center"):
                noun = "question waits" if len(pending) == 1 else "questions wait"
                st.markdown(f"**{len(pending):,} proposed {noun} for your word**", width="stretch")
                st.button("Accept all", icon=":material/done_all:", key="accept all", on_click=_accept_all,
                          args=(document,))  # fmt: skip
            for question in pending:
                _draw_proposed(document, question)
    if dropped:
        what = "was" if len(dropped) == 1 else "were"
        st.warning(f"{len(dropped):,} of what the model gave {what} dropped.", icon=":material/rule:")
        st.dataframe(
            {
                "Question": [each.question for each in dropped],
                "Excerpt": [each.excerpt for each in dropped],
                "Reason": [each.reason for each in dropped],
            },
            key="proposals dropped table", hide_index=True, width="stretch",
        )  # fmt: skip


def _draw_proposed(document: Document, question: Question) -> None:
    field = _field(question)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            f"Proposed by {as_plain(question.proposed_by or '')}", question.question, key=field, width="stretch"
        )
        st.button("Accept", icon=":material/check:", key=f"accept {field}", on_click=_accept,
                  args=(document, question))  # fmt: skip
        st.button("", icon=":material/delete:", key=f"discard {field}", on_click=_discard, type="tertiary",
                  args=(document, question), help="Discard this proposal")  # fmt: skip
    for each in question.references:
        st.caption(f"Answered by {excerpt_of(document, each.span)}")


def _field(question: Question) -> str:
    spans = " ".join(f"{each.span.start}-{each.span.end}" for each in question.references)
    return f"proposed {spans} {question.question}"


def _accept(document: Document, question: Question) -> None:
    wording = " ".join(str(session.get(_field(question)) or "").split()) or question.question
    put_questions(document, (*questions_of(document), replace(question, question=wording)))
    _discard(document, question)


def _accept_all(document: Document) -> None:
    for question in _pending().get(document.id, ()):
        _accept(document, question)


def _discard(document: Document, question: Question) -> None:
    _pending()[document.id] = tuple(each for each in _pending().get(document.id, ()) if each != question)
