"""From chunkings and questions to an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
_AT_ONCE = 64
"""Places of an order that are looked at together; budgets are full after a few."""


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
    UnknownNameError
        For a unit or a ranking that there is not.
    ServiceError, Cancelled
        As of ``Index``.

    """
    given = (chunkings,) if isinstance(chunkings, Chunking) else tuple(chunkings)
    check_request([each.document for each in given], questions, k, budgets, unit)
    made = index if index is not None else Index(given, ranking, services)
    shapes = {each.document.id: _Shape.of(each) for each in given}
    searched = np.concatenate([each.token_counts for each in given])
    passages = _Passages.of(made.chunks, searched)
    orders = made.orders([each.question for each in questions])
    results = tuple(
        _asked(each, order, passages, shapes, k, budgets, unit) for each, order in zip(questions, orders, strict=True)
    )
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
        mean_returned_tokens=float(np.mean(passages.tokens)) if passages.tokens else 0.0,
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


@dataclass(frozen=True)
class _Passages:
    """What an index returns: parents where there are any, else the chunks themselves, each once."""

    numbers: list[int]
    """By place in the index, which passage is returned."""
    chunks: list[Chunk]
    tokens: list[int]
    """Of each passage."""

    @classmethod
    def of(cls, searched: Sequence[Chunk], counts: NDArray[np.int64]) -> _Passages:
        if not any(chunk.parent is not None for chunk in searched):
            return cls(list(range(len(searched))), list(searched), counts.tolist())
        known: dict[str, int] = {}
        chunks: list[Chunk] = []
        numbers = []
        for chunk in searched:
            returned = chunk.parent or chunk
            number = known.setdefault(returned.id, len(chunks))
            if number == len(chunks):
                chunks.append(returned)
            numbers.append(number)
        return cls(numbers, chunks, [chunk.token_count for chunk in chunks])

    def best_first(self, order: NDArray[np.int64]) -> Iterator[int]:
        """Yield the passages that an order brings, each once."""
        known: set[int] = set()
        for first in range(0, len(order), _AT_ONCE):
            for place in order[first : first + _AT_ONCE].tolist():
                number = self.numbers[place]
                if number not in known:
                    known.add(number)
                    yield number


@dataclass(frozen=True)
class _Shape:
    """Where the chunks of a document lie: those searched, and those returned."""

    chunks: tuple[NDArray[np.int64], NDArray[np.int64]]
    returned: tuple[NDArray[np.int64], NDArray[np.int64]]

    @classmethod
    def of(cls, chunking: Chunking) -> _Shape:
        chunks = (chunking.starts, chunking.ends)
        if not chunking.parents:
            return cls(chunks, chunks)
        returned = dict.fromkeys((each.start, each.end) for each in (one.parent or one for one in chunking.chunks))
        spans = np.array(sorted(returned), np.int64).reshape(-1, 2)
        return cls(chunks, (spans[:, 0], spans[:, 1]))

    @staticmethod
    def touching(spans: tuple[NDArray[np.int64], NDArray[np.int64]], reference: Span) -> list[Span]:
        starts, ends = spans
        near = np.flatnonzero((starts < reference.end) & (ends > reference.start)).tolist()
        return [Span(int(starts[place]), int(ends[place])) for place in near]


def _asked(
    question: Question,
    order: NDArray[np.int64],
    passages: _Passages,
    shapes: dict[str, _Shape],
    k: int,
    budgets: Sequence[int],
    unit: str,
) -> QuestionResult:
    references: list[Place] = [(each.document_id, each.span) for each in question.references]
    brought = list(passages.best_first(order[:k]))
    chunks = [passages.chunks[number] for number in brought]
    scores = score_spans(references, [(each.document_id, each.span) for each in chunks])
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
        recall_at=tuple(score_spans(references, each).recall for each in _within(order, passages, budgets, unit)),
        retrieved_tokens=sum(passages.tokens[number] for number in brought),
        retrieved_characters=sum(each.end - each.start for each in chunks),
        hits=min(k, len(order)),
        whole=fates.count("whole"),
        split=fates.count("split"),
        lost=fates.count("lost"),
    )


def _within(order: NDArray[np.int64], passages: _Passages, budgets: Sequence[int], unit: str) -> list[list[Place]]:
    """Return for each budget what fits it, best first, the last passage cut where the budget ends."""
    filled: list[list[Place]] = [[] for _ in budgets]
    left = list(budgets)
    most = max(left, default=0)
    for passage in passages.best_first(order):
        if most <= 0:
            break
        chunk = passages.chunks[passage]
        size = passages.tokens[passage] if unit == "tokens" else chunk.end - chunk.start
        for number, room in enumerate(left):
            if room > 0:
                end = chunk.end if size <= room else _cut(chunk, room, unit)
                filled[number].append((chunk.document_id, Span(chunk.start, end)))
                left[number] = room - size
        most -= size
    return filled


def _cut(chunk: Chunk, room: int, unit: str) -> int:
    end = chunk.start + room if unit == "characters" else chunk.tokens.reach(chunk.start, room)
    return max(chunk.start, min(chunk.end, end))
