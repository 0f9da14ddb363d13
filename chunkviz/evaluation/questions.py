"""Questions with the spans that answer them: read from what people have, and written as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from chunkviz.document import Document
from chunkviz.errors import DocumentError
from chunkviz.evaluation.excerpts import Located, locate, places_of
from chunkviz.evaluation.question_files import question_rows
from chunkviz.rows import shown
from chunkviz.span import Span

_NAMES = ("document", "corpus_id", "source")
"""Fields that may name the document of a question or a reference."""
_EXCERPTS = ("content", "excerpt", "text")


@dataclass(frozen=True, slots=True)
class Reference:
    """A span that answers a question."""

    document_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Question:
    """A question and all that answers it, which may stand in several documents."""

    question: str
    references: tuple[Reference, ...]
    proposed_by: str | None = field(default=None, compare=False)
    """Name of the model that proposed it; None for what people ask."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What could not be used as it was given."""

    row: int
    """Number of the question in the file, from 1."""
    question: str
    excerpt: str
    reason: str
    line: int | None = None
    """Line of the file it begins on, from 1, where the file has a line for each."""

    def __str__(self) -> str:
        """Return one sentence."""
        line = "" if self.line is None else f"line {self.line}, "
        return f"Question {self.row} ({line}{_short(self.question)}): {self.reason}"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a file, what was left out of it and why, and what was placed without being sure."""

    questions: tuple[Question, ...]
    problems: tuple[Problem, ...] = ()
    approximate: tuple[Problem, ...] = ()
    repeated: tuple[Problem, ...] = ()
    """Excerpts that stand at several places; the first is taken, and finding another counts as a miss."""

    def about(self, documents: Iterable[Document]) -> tuple[Question, ...]:
        """Return the questions that are answered in these documents alone."""
        known = {document.id for document in documents}
        return tuple(each for each in self.questions if all(one.document_id in known for one in each.references))


def load_questions(
    source: str | Path | bytes,
    documents: Document | Sequence[Document],
    *,
    name: str | None = None,
    report: Callable[[float], None] = lambda _: None,
) -> QuestionSet:
    """Return the questions of a CSV, JSON or JSONL file, given as its path or as its bytes.

    Each row has a ``question`` and ``references``: excerpts, or objects with ``content`` or with ``start_index`` and
    ``end_index`` (or both: then the content decides), as in Chroma's published data. A row or a reference may name
    its document (``document``, ``corpus_id`` or ``source``: the name, with or without its folders and ending);
    otherwise the first document that holds the excerpt counts. In CSV, references are JSON or one excerpt as it is.
    A question none of whose references is found is left out, and listed; so is a blank one. ``proposed_by`` names the
    model that proposed a question. Messages call the file ``name``; ``report`` is told the share done (0 to 1) and may
    end the work.

    Raises
    ------
    DocumentError
        When the file cannot be read, or a row has no question or no references; naming file and line.

    """
    shown_as = name or ("the file of questions" if isinstance(source, bytes) else str(source))
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        message = f"{shown_as} cannot be read ({error.strerror or error})."
        raise DocumentError(message) from error
    known = (documents,) if isinstance(documents, Document) else tuple(documents)
    rows = question_rows(data, shown_as)
    questions: list[Question] = []
    problems: list[Problem] = []
    doubts: dict[bool, list[Problem]] = {True: [], False: []}  # by whether the place is approximate
    for number, asked in enumerate(rows, start=1):
        row, line = asked.row, asked.line
        text = row["question"].strip() if isinstance(row["question"], str) else ""
        if not text:
            told = "it is blank" if isinstance(row["question"], str | None) else "it is no text"
            problems.append(Problem(number, str(row["question"] or ""), "", f"{told}; type the question.", line))
            continue
        found: list[Reference] = []
        for each in _references(row["references"]):
            if isinstance(each, str):
                problems.append(Problem(number, text, "", each, line))
                continue
            excerpt = _excerpt(each)
            try:
                document, place, places = _place({**_named(row), **each}, known)
            except LookupError as error:
                problems.append(Problem(number, text, excerpt, str(error.args[0]), line))
                continue
            found.append(Reference(document.id, place.span))
            doubt = _doubt(document, place, places)
            if doubt is not None:
                doubts[place.how == "approximate"].append(Problem(number, text, excerpt, doubt, line))
        if found:
            proposed_by = str(row.get("proposed_by") or "").strip() or None
            questions.append(Question(text, tuple(dict.fromkeys(found)), proposed_by))
        elif not problems or problems[-1].row != number:
            problems.append(Problem(number, text, "", "it has no references.", line))
        report(number / len(rows))
    return QuestionSet(tuple(questions), tuple(problems), tuple(doubts[True]), tuple(doubts[False]))


def save_questions(questions: Iterable[Question], documents: Iterable[Document]) -> bytes:
    """Return JSON that ``load_questions`` reads, with the excerpts, so that it survives changes of the documents.

    Raises
    ------
    DocumentError
        When a question is answered in a document that is not given.

    """
    known = {document.id: document for document in documents}
    rows = []
    for each in questions:
        references = []
        for one in each.references:
            if one.document_id not in known:
                message = f"the document that answers {_short(each.question)} must be given to save the questions."
                raise DocumentError(message)
            document, span = known[one.document_id], one.span
            content = document.text[span.start : span.end]
            references.append(
                {"document": document.name, "start_index": span.start, "end_index": span.end, "content": content}
            )
        by = {"proposed_by": each.proposed_by} if each.proposed_by else {}
        rows.append({"question": each.question, "references": references, **by})
    return (json.dumps({"questions": rows}, indent=1) + "\n").encode()


def _doubt(document: Document, place: Located, places: int) -> str | None:
    """Return why a reference may stand elsewhere, or None."""
    if place.how == "approximate":
        return f"placed approximately in {document.name}, likeness {place.likeness:.0f} of 100."
    if places == 1:
        return None
    return (
        f"the excerpt stands at {places:,} places; the first is taken, and the others count as misses. "
        "Give more of its surroundings, or start_index and end_index."
    )


def _references(given: Any) -> Iterator[dict[str, Any] | str]:
    """Yield references as objects, or one sentence in place of each that can be none."""
    if isinstance(given, str):
        try:
            whole = json.loads(given)
        except (ValueError, RecursionError):
            whole = given
        given = whole if isinstance(whole, list | dict) else given
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, dict):
            yield each
        elif isinstance(each, str):
            if each.strip():
                yield {"content": each}
        elif each is not None:
            yield f"a reference must be an excerpt, or an object with content or offsets, not {shown(each)}."


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in _NAMES if row.get(name)}


def _excerpt(reference: Mapping[str, Any]) -> str:
    return next((str(reference[name]) for name in _EXCERPTS if reference.get(name)), "")


def _place(reference: Mapping[str, Any], documents: Sequence[Document]) -> tuple[Document, Located, int]:
    """Return where a reference stands, and how many places there are; a ``LookupError`` says why it stands nowhere."""
    name = next((str(reference[each]) for each in _NAMES if reference.get(each)), None)
    candidates = documents if name is None else _of_name(name, documents)
    if not candidates:
        message = f"it is about {name!r}, which is not among the documents."
        raise LookupError(message)
    excerpt = _excerpt(reference)
    if reference.get("start_index") is not None and reference.get("end_index") is not None:
        placed = _by_offsets(reference, excerpt, candidates)
        if placed is not None:
            return (*placed, 1)
    if not excerpt.strip():
        message = "a reference has neither an excerpt nor offsets inside its document."
        raise LookupError(message)
    for bound in (101.0, None):  # what is nearly in one document may be exactly in the next
        for document in candidates:
            found = locate(excerpt, document.text, **({} if bound is None else {"bound": bound}))
            if found is not None:
                sure = found.how != "approximate"
                return document, found, sum(places_of(excerpt, each.text) for each in candidates) if sure else 1
    only = candidates[0].name if len(candidates) == 1 else ""
    where = name or only or "any of the documents"
    hint = "; a list of references must be JSON" if excerpt.lstrip().startswith("[") else ""
    message = f"the excerpt {_short(excerpt)} is not in {where}, neither word for word nor nearly{hint}."
    raise LookupError(message)


def _by_offsets(
    reference: Mapping[str, Any], excerpt: str, candidates: Sequence[Document]
) -> tuple[Document, Located] | None:
    try:
        start, end = int(reference["start_index"]), int(reference["end_index"])
    except (TypeError, ValueError):
        return None
    for document in candidates:
        stretch = document.text[max(start, 0) : max(end, 0)]
        if 0 <= start < end <= len(document.text) and stretch.strip() and excerpt in {"", stretch}:
            begin = start + len(stretch) - len(stretch.lstrip())
            return document, Located(Span(begin, begin + len(stretch.strip())), "exact")
    return None


def _of_name(name: str, documents: Sequence[Document]) -> list[Document]:
    """Return the documents of that name: exactly, or else without folders, or else without the ending."""
    for same in (
        lambda one: one == name,
        lambda one: PurePath(one).name == PurePath(name).name,
        lambda one: PurePath(one).stem == PurePath(name).name,
    ):
        found = [document for document in documents if same(document.name)]
        if found:
            return found
    return []


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:59] + "…")  # noqa: PLR2004  a line's worth
