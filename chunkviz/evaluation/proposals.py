"""Questions that a model proposes about a document, each with excerpts that answer it, for a person to judge.

    requests = proposal_requests(document, 6)
    proposer = OpenAICompatibleProposer("gpt-4o-mini")      # from chunkviz.evaluation.proposer
    print(proposer.estimate(requests))                      # before anything is sent
    found = propose_questions(requests, proposer)
    found.questions, found.dropped                          # located word for word; what is not, with the reason

A model asks what its passage answers in so many words, which is kinder to a lexical search than people are, and it may
ask what nobody would; so nothing it proposes counts before somebody has accepted it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from chunkviz.document import Document
from chunkviz.errors import ParameterError, ServiceError, UnusableServiceError
from chunkviz.evaluation.excerpts import locate
from chunkviz.evaluation.questions import Problem, Question, Reference
from chunkviz.segments import sentences
from chunkviz.span import Span

MOST = 30
"""Questions that may be asked for at once."""
PASSAGE = 6_000
"""Characters that one request shows at most."""
_EACH = 3
"""Questions about one passage, so that they come from all over the document."""
_EXACT = 101.0
"""A likeness that no approximate place reaches."""


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """A passage of a document, and how many questions it shall answer."""

    document: Document = field(repr=False)
    span: Span
    count: int

    @property
    def text(self) -> str:
        """What the proposer is shown."""
        return self.document.text[self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question with the excerpts that answer it, as they were proposed."""

    question: str
    excerpts: tuple[str, ...]


@runtime_checkable
class Proposer(Protocol):
    """What proposes questions; one small object is enough."""

    @property
    def name(self) -> str:
        """Name of the model, as people know it."""
        ...

    def propose(self, request: ProposalRequest, /) -> Sequence[Proposal]:
        """Return questions that the passage answers, with excerpts copied from it."""
        ...


@dataclass(frozen=True, slots=True)
class Proposals:
    """What was proposed: questions whose excerpts were found, and what was dropped."""

    questions: tuple[Question, ...]
    """Each says by whom it was proposed."""
    dropped: tuple[Problem, ...] = ()
    failed: tuple[str, ...] = ()
    """Why requests failed; the others are all the same."""


def proposal_requests(document: Document, count: int) -> tuple[ProposalRequest, ...]:
    """Return requests for ``count`` questions, spread evenly over the document; none for a blank one.

    A passage begins and ends with a sentence where its sentences are not longer than itself.

    Raises
    ------
    ParameterError
        Unless ``count`` is from 1 to ``MOST``.

    """
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST:
        message = f"count must be a whole number from 1 to {MOST}, not {count!r}."
        raise ParameterError(message)
    length = len(document.text)
    if not document.text.strip():
        return ()
    number = max(1, min(-(-count // _EACH), length // PASSAGE))
    starts = [place * (length - min(length, PASSAGE)) // max(1, number - 1) for place in range(number)]
    shares = [count // number + (place < count % number) for place in range(number)]
    spans = [_whole_sentences(document, start) for start in starts]
    return tuple(
        ProposalRequest(document, span, share)
        for span, share in zip(spans, shares, strict=True)
        if document.text[span.start : span.end].strip()
    )


def _whole_sentences(document: Document, start: int) -> Span:
    end = min(start + PASSAGE, len(document.text))
    inside = [each for each in sentences(document) if start <= each.start and each.end <= end]
    return Span(inside[0].start, inside[-1].end) if inside else Span(start, end)


def propose_questions(
    requests: Sequence[ProposalRequest], proposer: Proposer, *, report: Callable[[float], None] = lambda _: None
) -> Proposals:
    """Ask for questions, and find each excerpt in the passage it was drawn from: word for word, or it is dropped.

    White space may differ. Of a question some of whose excerpts are not there the others stay; without any it is
    dropped, and so is what exceeds the number asked for.

    Parameters
    ----------
    report
        Told the share done, 0 to 1; what it raises ends the work.

    Raises
    ------
    ServiceError
        When every request failed; the first reason.

    """
    questions: list[Question] = []
    dropped: list[Problem] = []
    failures: list[ServiceError] = []
    number = 0
    for place, request in enumerate(requests):
        try:
            proposals = proposer.propose(request)
        except ServiceError as error:
            failures.append(error)
            if isinstance(error, UnusableServiceError):
                break
            continue
        for rank, proposal in enumerate(proposals):
            number += 1
            text = " ".join(proposal.question.split())
            if rank >= request.count:
                dropped.append(Problem(number, text, "", f"only {request.count} were asked for."))
                continue
            found = _located(request, proposal, number, text, dropped)
            if found:
                questions.append(Question(text, found, proposed_by=proposer.name))
        report((place + 1) / len(requests))
    if failures and len(failures) == place + 1:
        raise failures[0]
    return Proposals(tuple(dict.fromkeys(questions)), tuple(dropped), tuple(dict.fromkeys(map(str, failures))))


def _located(
    request: ProposalRequest, proposal: Proposal, number: int, text: str, dropped: list[Problem]
) -> tuple[Reference, ...]:
    """Return where the excerpts stand; note in ``dropped`` what cannot be used."""
    if not text:
        dropped.append(Problem(number, text, "", "it is blank."))
        return ()
    found: dict[Reference, None] = {}
    for excerpt in proposal.excerpts:
        place = locate(excerpt, request.text, bound=_EXACT)
        if place is None:
            dropped.append(Problem(number, text, excerpt, "the excerpt is not word for word in what the model read."))
            continue
        offset = request.span.start
        found[Reference(request.document.id, Span(offset + place.span.start, offset + place.span.end))] = None
    if not proposal.excerpts:
        dropped.append(Problem(number, text, "", "it came without an excerpt that answers it."))
    return tuple(sorted(found, key=lambda each: each.span.start))
