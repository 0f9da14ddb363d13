"""Proposed questions: what is sent, what is read of the answer, and what is dropped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.errors import Cancelled, ParameterError, ServiceError
from chunkviz.evaluation import (
    Proposal,
    ProposalRequest,
    Proposer,
    Question,
    Reference,
    load_questions,
    proposal_requests,
    propose_questions,
    save_questions,
)
from chunkviz.evaluation.proposals import MOST, PASSAGE
from chunkviz.evaluation.proposer import OpenAICompatibleProposer
from tests.services.server import KEY, Reply, Server

TEXT = "The vent closes at dusk.\n\nThe pump starts\nat dawn. {braces} Rain stops the pump."
GUIDE = cv.Document(TEXT, name="guide.txt")
LONG = cv.Document(" ".join(f"Sentence number {number} says this." for number in range(2_000)), name="long.txt")


class Given:
    """Proposes what it is given, request by request; an error is raised."""

    name = "given"

    def __init__(self, *answers: Sequence[Proposal] | ServiceError) -> None:
        self.answers = list(answers)

    def propose(self, _request: ProposalRequest, /) -> Sequence[Proposal]:
        answer = self.answers.pop(0)
        if isinstance(answer, ServiceError):
            raise answer
        return answer


def texts(question: Question, document: cv.Document = GUIDE) -> list[str]:
    return [document.text[each.span.start : each.span.end] for each in question.references]


def test_passages_are_whole_sentences_from_all_over_the_document() -> None:
    requests = proposal_requests(LONG, 10)
    assert [each.count for each in requests] == [3, 3, 2, 2]
    assert requests[0].span.start == 0
    assert requests[-1].span.end == len(LONG.text)
    assert all(one.span.end < other.span.start for one, other in pairwise(requests))
    assert all(each.text.startswith("Sentence") and each.text.endswith("this.") for each in requests)
    assert all(PASSAGE - 80 < len(each.text) <= PASSAGE for each in requests)


@given(st.text(max_size=200), st.integers(1, MOST))
def test_any_text_is_asked_about_as_often_as_is_wanted(text: str, count: int) -> None:
    requests = proposal_requests(cv.Document(text), count)
    assert sum(each.count for each in requests) == (count if text.strip() else 0)


@pytest.mark.parametrize("count", [0, MOST + 1, True, 1.5])
def test_the_number_is_bounded(count: int) -> None:
    with pytest.raises(ParameterError, match=f"count must be a whole number from 1 to {MOST}"):
        proposal_requests(GUIDE, count)


def test_excerpts_are_found_word_for_word_or_dropped_with_the_reason() -> None:
    found = propose_questions(
        proposal_requests(GUIDE, 4),
        Given([
            Proposal("When does  the pump start?", ("starts at dawn", "Rain stops the pump.", "Snow stops it.")),
            Proposal("Who closes the vent?", ("The vent closes at dust.",)),
            Proposal("Why?", ()),
            Proposal(" ", ("dawn",)),
            Proposal("One too many?", ("dawn",)),
        ]),
    )  # fmt: skip
    (question,) = found.questions
    assert question.question == "When does the pump start?"
    assert question.proposed_by == "given"
    assert texts(question) == ["starts\nat dawn", "Rain stops the pump."]
    assert [(each.row, each.excerpt, each.reason) for each in found.dropped] == [
        (1, "Snow stops it.", "the excerpt is not word for word in what the model read."),
        (2, "The vent closes at dust.", "the excerpt is not word for word in what the model read."),
        (3, "", "it came without an excerpt that answers it."),
        (4, "", "it is blank."),
        (5, "", "only 4 were asked for."),
    ]


def test_an_excerpt_stands_where_the_model_read_it() -> None:
    requests = proposal_requests(LONG, 6)
    found = propose_questions(requests, Given([], [Proposal("What?", ("says this.",))]))
    ((reference,),) = (each.references for each in found.questions)
    assert reference.span.start == requests[1].span.start + requests[1].text.index("says this.")


def test_a_request_that_fails_leaves_the_others_and_all_that_fail_are_an_error() -> None:
    requests = proposal_requests(LONG, 6)
    ours = Proposal("What?", ("says this.",))
    found = propose_questions(requests, Given(ServiceError("It is down."), [ours]))
    assert len(found.questions) == 1
    assert found.failed == ("It is down.",)
    with pytest.raises(ServiceError, match="It is down"):
        propose_questions(requests, Given(ServiceError("It is down."), ServiceError("Still.")))


def test_it_can_be_stopped() -> None:
    def stop(share: float) -> None:
        raise Cancelled(str(share))

    with pytest.raises(Cancelled):
        propose_questions(proposal_requests(GUIDE, 1), Given([]), report=stop)


def test_who_proposed_a_question_is_kept_with_it() -> None:
    asked = Question("When?", (Reference(GUIDE.id, cv.Span(4, 8)),), "model")
    assert asked == Question("When?", asked.references)
    assert load_questions(save_questions([asked], [GUIDE]), GUIDE).questions[0].proposed_by == "model"
    assert (
        load_questions(save_questions([Question("When?", asked.references)], [GUIDE]), GUIDE).questions[0].proposed_by
        is None
    )


ROWS = [{"question": "When does the pump start?", "excerpts": ["at dawn"]}]


@pytest.mark.parametrize(
    "said",
    [
        json.dumps(ROWS),
        f"Here they are:\n```json\n{json.dumps(ROWS)}\n```\nGood luck.",
        json.dumps({"questions": ROWS}),
        json.dumps({"question": ROWS[0]["question"], "references": "at dawn"}),
    ],
)
def test_a_model_is_asked_once_and_understood(server: Server, said: str) -> None:
    server.chat = lambda _: said
    proposer = OpenAICompatibleProposer("small", base_url=server.url, api_key=KEY)
    assert isinstance(proposer, Proposer)
    found = propose_questions(proposal_requests(GUIDE, 2), proposer)
    assert [each.question for each in found.questions] == ["When does the pump start?"]
    assert texts(found.questions[0]) == ["at dawn"]
    assert found.questions[0].proposed_by == proposer.name
    (request,) = server.received
    system, user = request.body["messages"]
    assert "JSON" in system["content"]
    assert f"<passage>\n{TEXT}\n</passage>" in user["content"]
    assert "Write 2 questions" in user["content"]
    assert '[{"question": "…", "excerpts": ["…"]}]' in user["content"]
    assert KEY not in repr(proposer)
    assert proposer.usage.calls == 1


@pytest.mark.parametrize("said", ["I would rather not.", "[1, 2]", "{broken", '[{"excerpts": []}]', "[" * 50_000])
def test_another_answer_is_one_sentence(server: Server, said: str) -> None:
    server.chat = lambda _: said
    proposer = OpenAICompatibleProposer("small", base_url=server.url, api_key=KEY)
    with pytest.raises(ServiceError, match="did not answer with a JSON list of questions"):
        propose_questions(proposal_requests(GUIDE, 1), proposer)


def test_a_wrong_key_ends_the_work_at_the_first_request(server: Server) -> None:
    server.always = Reply(401, echo=True)
    proposer = OpenAICompatibleProposer("small", base_url=server.url, api_key=KEY)
    with pytest.raises(ServiceError, match="did not accept the API key") as caught:
        propose_questions(proposal_requests(LONG, 6), proposer)
    assert KEY not in str(caught.value)
    assert len(server.received) == 1


def test_an_estimate_asks_nobody(server: Server) -> None:
    estimate = OpenAICompatibleProposer("gpt-4o-mini", base_url=server.url, api_key=KEY).estimate(
        proposal_requests(LONG, 6)
    )
    assert (estimate.calls, estimate.tokens_out) == (2, 720)
    assert server.received == []


@pytest.mark.parametrize(
    ("prompts", "reason"),
    [
        ({"user_prompt": "Ask."}, "user_prompt must hold {passage}"),
        ({"user_prompt": "{passage} {chunk}"}, "not {chunk}"),
        ({"system_prompt": "{key}"}, "system_prompt must use only"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_refused(prompts: dict[str, str], reason: str) -> None:
    with pytest.raises(ParameterError) as caught:
        OpenAICompatibleProposer("small", **prompts)  # type: ignore[arg-type]
    assert reason in str(caught.value)
