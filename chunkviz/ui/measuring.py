"""What the Measure page asks of the evaluation, and what is known of each setting, kept for the session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.evaluation import BUDGETS, Evaluation, Failure, Question, evaluate, sweep
from chunkviz.evaluation.remembering import remembering
from chunkviz.retrieval import Ranking
from chunkviz.services import Embedder, Services, Writer
from chunkviz.strategies import ContextualRetrieval, Strategy
from chunkviz.tokens import Tokenizer
from chunkviz.ui import jobs, session
from chunkviz.ui.consent import AskFirst, ConsentNeeded, ask

_KEPT = 8
"""Requests whose results are remembered per visitor."""

Outcome: TypeAlias = Evaluation | Failure


@dataclass(frozen=True)
class Candidate:
    """A setting to be measured: a strategy, what it counts in, and the services it asks."""

    name: str = field(compare=False)
    strategy: Strategy
    tokenizer: Tokenizer
    embedder: Embedder | None = None
    writer: Writer | None = None
    made: Chunking | None = field(default=None, compare=False, repr=False)
    """Its chunks, where they are there already, so that nothing is chunked, placed or paid for again."""

    def other(self, strategy: Strategy) -> Candidate:
        """Return the same with another strategy, named by what it is."""
        made = self.made if strategy == self.strategy else None
        return replace(self, name=repr(strategy), strategy=strategy, made=made)


@dataclass(frozen=True)
class Request:
    """What every setting is asked alike."""

    document: Document = field(repr=False)
    questions: tuple[Question, ...]
    k: int
    ranking: Ranking
    unit: str
    """Of the budgets: "tokens" or "characters"."""
    embedder: Embedder | None = None
    """Of the ranking, the same for every setting; None where it asks none."""

    @property
    def key(self) -> tuple[Any, ...]:
        """All that the numbers depend on besides the setting."""
        document = (self.document.id, self.document.language)
        return (*document, self.questions, self.k, self.ranking, self.unit, self.embedder)


def known(request: Request) -> dict[Candidate, Outcome]:
    """Return what has been measured for this request, by setting; what is measured next is added to it."""
    memory: OrderedDict[Any, dict[Candidate, Outcome]] = session.keep("measured", OrderedDict)
    found = memory.setdefault(request.key, {})
    memory.move_to_end(request.key)
    while len(memory) > _KEPT:
        memory.popitem(last=False)
    return found


def measure(request: Request, candidates: Sequence[Candidate], *, slot: str, label: str) -> bool:
    """Measure the settings that are not known yet; return whether all are, else draw progress or what stops it.

    Those that are done stay in ``known`` whatever becomes of the others: after Stop, a button goes on with the rest.
    """
    kept = known(request)
    if all(each in kept for each in candidates):
        return True
    asked = (request.key, tuple(candidates))

    def work(job: jobs.Job[None]) -> None:
        searching = _agreed_embedder(request, candidates, job)
        for number, each in enumerate(candidates):
            if each not in kept:
                outcome = _measured(request, each, searching, job, number / len(candidates), 1 / len(candidates))
                kept[replace(each, made=None)] = outcome  # what is kept must not keep all chunks alive
            job.report((number + 1) / len(candidates))

    if session.get(f"stopped {slot}") != asked:
        job = jobs.run(asked, label, work, slot=slot)
        if not job.done:
            return False
        jobs.forget(slot)
        try:
            job.outcome()
        except Cancelled:
            session.put(f"stopped {slot}", asked)
        except ConsentNeeded as question:
            ask(question, slot=slot)
            return False
        else:
            return True
    done = sum(each in kept for each in candidates)
    st.info(
        f"Measuring was stopped after {done:,} of {len(candidates):,} settings. What is measured is kept.",
        icon=":material/info:",
    )
    st.button("Go on", icon=":material/resume:", key=f"go on {slot}", on_click=session.drop, args=(f"stopped {slot}",))
    return False


def _agreed_embedder(request: Request, candidates: Sequence[Candidate], job: jobs.Job[None]) -> Embedder | None:
    """Return the embedder of the ranking, once somebody has agreed to all that it would be sent.

    A paid one is asked for the chunks of every setting together, so that a sweep asks for one yes and not for fifty.
    Raises ``ConsentNeeded`` where nobody has agreed yet.
    """
    if request.ranking == "lexical" or request.embedder is None:
        return None
    asked = [each.question for each in request.questions]
    if not isinstance(request.embedder, AskFirst):
        return remembering(request.embedder, asked)
    texts = dict.fromkeys(asked)
    for each in candidates:
        job.report(0.0)
        try:
            chunking = each.made or each.strategy.chunk(request.document, _services(request, each))
        except ConsentNeeded:
            raise
        except ChunkvizError:
            continue  # measuring it will say why
        texts.update(dict.fromkeys(chunk.embedding_text for chunk in chunking))
    return remembering(request.embedder.fitted(list(texts)), asked)


def _services(request: Request, candidate: Candidate) -> Services:
    """Return what the strategy of a setting asks; raises ``ConsentNeeded`` before a context is paid for."""
    services = Services(candidate.tokenizer, candidate.embedder, candidate.writer)
    if isinstance(candidate.writer, AskFirst) and isinstance(candidate.strategy, ContextualRetrieval):
        candidate.writer.check(candidate.strategy.missing(request.document, services))
    return services


def _measured(
    request: Request, candidate: Candidate, searching: Embedder | None, job: jobs.Job[None], before: float, share: float
) -> Outcome:
    """Return what one setting reaches; raises ``Cancelled``, and ``ConsentNeeded`` before anything is paid for."""

    def told(done: float) -> None:
        job.report(before + share * done)

    if candidate.made is not None:
        return _evaluated(request, candidate.made, searching, told)
    services = _services(request, candidate)
    if isinstance(candidate.embedder, AskFirst):
        candidate.embedder.question = None
    (outcome,) = sweep(
        request.document,
        [candidate.strategy],
        request.questions,
        k=request.k,
        ranking=request.ranking,
        services=services,
        budgets=BUDGETS,
        unit=request.unit,
        embedder=searching,
        report=told,
    )
    asked = candidate.embedder
    if isinstance(outcome, Failure) and isinstance(asked, AskFirst) and asked.question is not None:
        raise asked.question
    return outcome


def _evaluated(
    request: Request, chunking: Chunking, searching: Embedder | None, told: Callable[[float], None]
) -> Outcome:
    """Return what chunks reach that are there already, as ``sweep`` would."""
    services = Services(chunking.tokens.tokenizer, searching, report=told)
    try:
        return evaluate(
            chunking, request.questions, k=request.k, ranking=request.ranking, services=services, budgets=BUDGETS,
            unit=request.unit,
        )  # fmt: skip
    except Cancelled:
        raise
    except ChunkvizError as error:
        return Failure(repr(chunking.strategy), str(error))
