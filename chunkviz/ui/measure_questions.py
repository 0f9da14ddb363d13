"""The questions of the open document: bundled, marked with the mouse, uploaded; kept for the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.evaluation import Question, QuestionSet, Reference, load_questions, save_questions
from chunkviz.samples import list_samples, questions_file
from chunkviz.span import Span
from chunkviz.ui import jobs, session
from chunkviz.ui.messages import draw_error
from chunkviz.ui.text import as_plain

_MOST_LISTED = 200
"""Rows of what could not be used that are listed; the number says how many there are."""
_SHORT = 90


@dataclass(frozen=True)
class Report:
    """What became of an upload."""

    name: str
    added: int
    found: QuestionSet


def bundled(document: Document) -> tuple[Question, ...]:
    """Return the questions that come with a bundled document; none for others."""
    files = {sample.file: sample.id for sample in list_samples()}
    if document.name not in files or session.sample_document(files[document.name]).id != document.id:
        return ()
    known: dict[str, tuple[Question, ...]] = session.keep("bundled questions", dict)
    if document.id not in known:
        known[document.id] = load_questions(questions_file(), document).questions
    return known[document.id]


def questions_of(document: Document) -> tuple[Question, ...]:
    """Return the questions about a document; a bundled document begins with its own."""
    held: dict[str, tuple[Question, ...]] = session.keep("questions", dict)
    if document.id not in held:
        held[document.id] = bundled(document)
    return held[document.id]


def put_questions(document: Document, questions: Sequence[Question]) -> None:
    """Keep other questions about a document, each once."""
    held: dict[str, tuple[Question, ...]] = session.keep("questions", dict)
    held[document.id] = tuple(dict.fromkeys(questions))


def remove_question(document: Document, place: int) -> None:
    """Remove one question; the next takes its place on the screen."""
    questions = questions_of(document)
    put_questions(document, questions[:place] + questions[place + 1 :])


def reword(document: Document, place: int, wanted: str) -> None:
    """Ask a question in other words; blank ones change nothing."""
    questions = list(questions_of(document))
    if wanted.strip():
        questions[place] = replace(questions[place], question=" ".join(wanted.split()))
        put_questions(document, questions)


def draw_new_question(document: Document, marked: Span | None) -> None:
    """Draw the field for a question and its answers: what is marked in the document below."""
    drafts: dict[str, tuple[Span, ...]] = session.keep("question drafts", dict)
    spans = drafts.get(document.id, ())
    if marked == session.get("answer used"):
        marked = None  # it stays selected in the browser when its question is added
    with st.container(border=True, key="new question", gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            wording = st.text_input(
                "A question of your own", key="question wording", persist_state="session", width="stretch",
                placeholder="Mark what answers it in the document below, then type the question …",
            )  # fmt: skip
            st.button(
                "Use the selected text", icon=":material/format_ink_highlighter:", key="use selected",
                disabled=marked is None or marked in spans, on_click=_add_span, args=(document, marked),
                help="Adds what is selected in the document to what answers the question; there may be several places.",
            )  # fmt: skip
            st.button(
                "Add the question", icon=":material/add:", key="add question", type="primary",
                disabled=not spans or not (wording or "").strip(), on_click=_add_question, args=(document,),
            )  # fmt: skip
        if marked is not None and marked not in spans:
            st.caption(f"Selected: {excerpt_of(document, marked)}")
        for span in spans:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption(f"Answered by {excerpt_of(document, span)}")
                st.button(
                    "", icon=":material/close:", key=f"drop {span.start} {span.end}", type="tertiary",
                    help="This does not answer it", on_click=_drop_span, args=(document, span),
                )  # fmt: skip


def _add_span(document: Document, span: Span) -> None:
    drafts: dict[str, tuple[Span, ...]] = session.keep("question drafts", dict)
    drafts[document.id] = tuple(dict.fromkeys((*drafts.get(document.id, ()), span)))


def _drop_span(document: Document, span: Span) -> None:
    drafts: dict[str, tuple[Span, ...]] = session.keep("question drafts", dict)
    drafts[document.id] = tuple(each for each in drafts.get(document.id, ()) if each != span)


def _add_question(document: Document) -> None:
    drafts: dict[str, tuple[Span, ...]] = session.keep("question drafts", dict)
    wording = " ".join(str(session.get("question wording") or "").split())
    spans = drafts.pop(document.id, ())
    if wording and spans:
        references = tuple(Reference(document.id, span) for span in sorted(spans, key=lambda each: each.start))
        put_questions(document, (*questions_of(document), Question(wording, references)))
        session.put("question wording", "")
        session.put("answer used", spans[-1])
        session.put("question shown", len(questions_of(document)) - 1)


def draw_files(document: Document) -> None:
    """Draw upload and download of the questions, and the way back to the bundled ones."""
    questions = questions_of(document)
    with st.expander("Questions as a file", icon=":material/upload_file:"):
        file = st.file_uploader(
            "Questions: CSV, JSON or JSONL with question and references", type=["csv", "json", "jsonl"],
            key="questions upload",
            help="References are excerpts of the document, word for word or nearly, or objects with content, or with "
            "start_index and end_index. What cannot be located is listed, and left out.",
        )  # fmt: skip
        if file is not None and session.get("questions taken") != (file.file_id, document.id):
            _take(file.getvalue(), file.name, file.file_id, document)
        with st.container(horizontal=True, gap="small"):
            st.download_button(
                "Download as JSON", data=save_questions(questions, [document]), file_name="questions.json",
                mime="application/json", key="questions download", icon=":material/download:", disabled=not questions,
            )  # fmt: skip
            own = bundled(document)
            if own and questions != own:
                st.button(
                    f"Back to the {len(own):,} bundled questions", icon=":material/undo:", key="bundled",
                    on_click=put_questions, args=(document, own),
                )  # fmt: skip
            if questions:
                st.button(
                    "Remove all", icon=":material/delete:", key="remove all", on_click=put_questions,
                    args=(document, ()),
                )  # fmt: skip
    _draw_report(document)


def _take(data: bytes, name: str, identity: str, document: Document) -> None:
    """Read an upload and locate what it refers to; whatever goes wrong is said, and the questions stay."""

    def work(job: jobs.Job[QuestionSet]) -> QuestionSet:
        return load_questions(data, document, name=name, report=job.report)

    job = jobs.run((identity, document.id), "Locating the references", work, slot="questions")
    if not job.done:
        return
    session.put("questions taken", (identity, document.id))
    jobs.forget("questions")
    reports: dict[str, Report | str] = session.keep("question reports", dict)
    try:
        found = job.outcome()
    except Cancelled:
        reports[document.id] = (
            f"{name} was stopped before all of it was located, so nothing was added; upload it again."
        )
        return
    except ChunkvizError as error:
        reports[document.id] = str(error)
        return
    before = questions_of(document)
    if found.questions and before == bundled(document):
        before = ()  # the person's own take their place; a button brings them back
    put_questions(document, (*before, *found.questions))
    reports[document.id] = Report(name, len(questions_of(document)) - len(before), found)
    st.rerun()


def _draw_report(document: Document) -> None:
    reports: dict[str, Report | str] = session.keep("question reports", dict)
    report = reports.get(document.id)
    if report is None:
        return
    if isinstance(report, str):
        draw_error(report)
        return
    added = f"{report.added:,} question{'' if report.added == 1 else 's'} added from {as_plain(report.name)}."
    known = len(report.found.questions) - report.added
    if known:
        added += f" {known:,} {'was' if known == 1 else 'were'} there already."
    problems = report.found.problems
    listed = [*problems, *report.found.approximate, *report.found.repeated]
    if not listed:
        st.success(added, icon=":material/check_circle:")
        return
    left_out = f" {len(problems):,} reference{'' if len(problems) == 1 else 's'} could not be used." if problems else ""
    near = len(report.found.approximate)
    nearly = f" {near:,} {'was' if near == 1 else 'were'} placed approximately." if near else ""
    often = len(report.found.repeated)
    unsure = (
        f" {often:,} {'stands' if often == 1 else 'stand'} at several places, of which the first is taken."
        if often
        else ""
    )
    st.warning(f"{added}{left_out}{nearly}{unsure}", icon=":material/rule:")
    st.dataframe(
        {
            ("Entry" if listed[0].line is None else "Line"): [each.line or each.row for each in listed[:_MOST_LISTED]],
            "Question": [each.question for each in listed[:_MOST_LISTED]],
            "Excerpt": [each.excerpt for each in listed[:_MOST_LISTED]],
            "Reason": [each.reason for each in listed[:_MOST_LISTED]],
        },
        key="question problems", hide_index=True, width="stretch",
    )  # fmt: skip
    if len(listed) > _MOST_LISTED:
        st.caption(f"The first {_MOST_LISTED:,} of {len(listed):,}.")


def excerpt_of(document: Document, span: Span) -> str:
    """Return the beginning of a span, safe for Markdown, with its size."""
    text = " ".join(document.text[span.start : min(span.end, span.start + 4 * _SHORT)].split())
    whole = text if len(text) <= _SHORT and len(span) <= 4 * _SHORT else f"{text[:_SHORT].rstrip()}…"
    return f"“{as_plain(whole)}” ({len(span):,} characters, {span.start:,}–{span.end:,})"
