"""From chunkings and questions to an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunk import Chunk, Chunking
from chunkviz.document import Document
from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.evaluation.questions import Question
from chunkviz.evaluation.results import Evaluation, QuestionResult
from chunkviz.evaluation.spans import Place, fate_of, precision_omega, score_spans
from chunkviz.retrieval import Index, Ranking
from chunkviz.services import Services
from chunkviz.span import Span

BUDGETS = (2000, 4000)
UNITS = ("tokens", "characters")


def evaluate(
    chunkings: Chunking | Sequence[Chunking],
    questions: Sequence[Question],
    *,
    k: int = 5,
    ranking: Ranking = "lexical",
    services: Services | None = None,
    budgets: Sequence[int] = BUDGETS,
    unit: str = "tokens",
    index: Index | None = None,
) -> Evaluation:
    """Return what one setting reaches: its chunkings of all documents, asked every question.

    What is retrieved is what a model would be given: parents where there are any, each once. Recall at a budget
    takes passages in order until the budget is full, cutting the last one where it is; text that overlapping
    passages share fills it twice.

    Parameters
    ----------
    chunkings
        One of each document, made by one strategy.
    k
        Hits for each question.
    budgets
        Sizes, in ``unit`` ("tokens" or "characters").
    index
        An index over these chunkings, where one has been made.

    Raises
    ------
    ParameterError
        Without a question or a chunking, for a ``k`` or a budget below 1, and for a question about a document that
        was not chunked.
    ServiceError, Cancelled
        As of ``Index``.

    """
    given = (chunkings,) if isinstance(chunkings, Chunking) else tuple(chunkings)
    check_request([each.document for each in given], questions, k, budgets, unit)
    made = index if index is not None else Index(given, ranking, services)
    shapes = {each.document.id: _Shape.of(each) for each in given}
    orders = made.orders([each.question for each in questions])
    results = tuple(
        _asked(each, order, made, shapes, k, budgets, unit) for each, order in zip(questions, orders, strict=True)
    )
    searched = np.concatenate([each.token_counts for each in given])
    returned = [chunk.token_count for each in given for chunk in dict.fromkeys(_returned(each))]
    return Evaluation(
        strategy=repr(given[0].strategy),
        config=given[0].strategy.config(),
        documents=tuple(each.document.name for each in given),
        ranking=made.ranking,
        embedder=made.embedder,
        k=k,
        budgets=tuple(budgets),
        unit=unit,
        tokenizer=given[0].tokens.tokenizer.name,
        chunks=len(searched),
        mean_tokens=float(searched.mean()) if len(searched) else 0.0,
        mean_returned_tokens=float(np.mean(returned)) if returned else 0.0,
        results=results,
    )


def check_request(
    documents: Sequence[Document], questions: Sequence[Question], k: int, budgets: Sequence[int], unit: str
) -> None:
    """Refuse what no setting can be evaluated with; raises as ``evaluate`` says."""
    if not documents or not questions:
        message = f"{'questions' if documents else 'documents'} must hold at least one, and none was given."
        raise ParameterError(message)
    for what, number in (("k", k), *(("a budget", budget) for budget in budgets)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            message = f"{what} must be a whole number from 1 on, not {number!r}."
            raise ParameterError(message)
    if unit not in UNITS:
        what = "unit"
        raise UnknownNameError(what, unit, UNITS)
    known = {each.id for each in documents}
    for question in questions:
        if not all(reference.document_id in known for reference in question.references):
            message = f"every question must be about the documents given, and {question.question!r} is not."
            raise ParameterError(message)


def _returned(chunking: Chunking) -> Iterable[Chunk]:
    return (chunk.parent or chunk for chunk in chunking.chunks)


@dataclass(frozen=True)
class _Shape:
    """Where the chunks of a document lie: those searched, and those returned."""

    chunks: tuple[NDArray[np.int64], NDArray[np.int64]]
    returned: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, chunking: Chunking) -> _Shape:
        spans = sorted({chunk.span for chunk in _returned(chunking)})
        count = len(spans)
        return cls(
            (chunking.starts, chunking.ends),
            (
                np.fromiter((span.start for span in spans), np.int64, count),
                np.fromiter((span.end for span in spans), np.int64, count),
            ),
        )

    @staticmethod
    def touching(spans: tuple[NDArray[np.int64], NDArray[np.int64]], reference: Span) -> list[Span]:
        starts, ends = spans
        near = np.flatnonzero((starts < reference.end) & (ends > reference.start)).tolist()
        return [Span(int(starts[place]), int(ends[place])) for place in near]


def _asked(
    question: Question,
    order: NDArray[np.int64],
    index: Index,
    shapes: dict[str, _Shape],
    k: int,
    budgets: Sequence[int],
    unit: str,
) -> QuestionResult:
    references: list[Place] = [(each.document_id, each.span) for each in question.references]
    passages = list(_passages(order[:k], index))
    scores = score_spans(references, [(each.document_id, each.span) for each in passages])
    touching: set[Place] = set()
    fates = []
    for document, span in references:
        shape = shapes[document]
        touching.update((document, each) for each in shape.touching(shape.returned, span))
        fates.append(fate_of(span, shape.touching(shape.chunks, span)))
    return QuestionResult(
        question=question.question,
        recall=scores.recall,
        precision=scores.precision,
        iou=scores.iou,
        precision_omega=precision_omega(references, touching),
        recall_at=tuple(score_spans(references, each).recall for each in _within(order, index, budgets, unit)),
        retrieved_tokens=sum(each.token_count for each in passages),
        retrieved_characters=sum(len(each.span) for each in passages),
        hits=min(k, len(order)),
        whole=fates.count("whole"),
        split=fates.count("split"),
        lost=fates.count("lost"),
    )


def _passages(order: NDArray[np.int64], index: Index) -> Iterator[Chunk]:
    """Yield what is returned, best first, each once."""
    known: set[str] = set()
    for place in order.tolist():
        chunk = index.chunks[place].parent or index.chunks[place]
        if chunk.id not in known:
            known.add(chunk.id)
            yield chunk


def _within(order: NDArray[np.int64], index: Index, budgets: Sequence[int], unit: str) -> list[list[Place]]:
    """Return for each budget what fits it, best first, the last passage cut where the budget ends."""
    filled: list[list[Place]] = [[] for _ in budgets]
    left = list(budgets)
    for chunk in _passages(order, index):
        if max(left, default=0) <= 0:
            break
        size = chunk.token_count if unit == "tokens" else len(chunk.span)
        for number, room in enumerate(left):
            if room > 0:
                end = chunk.end if size <= room else _cut(chunk, room, unit)
                filled[number].append((chunk.document_id, Span(chunk.start, end)))
                left[number] = room - size
    return filled


def _cut(chunk: Chunk, room: int, unit: str) -> int:
    end = chunk.start + room if unit == "characters" else chunk.tokens.reach(chunk.start, room)
    return max(chunk.start, min(chunk.end, end))
