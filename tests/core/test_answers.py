"""Answers from passages: the prompt, the citations, and what the service may do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.answers import SYSTEM_PROMPT, Answer, Answerer, Piece, build_prompt, split_citations
from chunkviz.errors import ParameterError, ServiceError
from chunkviz.retrieval import Hit, Index, Matches, find_matches, format_hits
from tests.services.server import KEY, Server, running

TEXT = "The vent closes at dusk.\n\nThe pump starts at dawn.\n\nRain stops the pump."


def hits(question: str = "When does the pump start?", k: int = 5) -> tuple[Hit, ...]:
    chunking = cv.Recursive(chunk_size=8, chunk_overlap=0).chunk(cv.Document(TEXT, name="guide.txt"))
    return Index(chunking).search(question, k)


@pytest.fixture
def server() -> object:
    with running() as service:
        yield service


def test_citations_are_parted_from_the_words() -> None:
    assert split_citations("At dawn [2]. Rain [1, 3] stops it") == (
        Piece("At dawn "),
        Piece("[2]", (2,)),
        Piece(". Rain "),
        Piece("[1, 3]", (1, 3)),
        Piece(" stops it"),
    )
    assert split_citations("[x] [] [12345] [1-2]") == (Piece("[x] [] [12345] [1-2]"),)


@given(st.text(alphabet="[],; 0123456789ab", max_size=60))
def test_the_pieces_are_the_text(text: str) -> None:
    assert "".join(piece.text for piece in split_citations(text)) == text


def test_numbers_that_name_no_passage_are_told_apart() -> None:
    found = hits()
    answer = Answer("One [2][1], again [2], none [0] [7].", found, "model")
    assert answer.cited == (found[1], found[0])
    assert answer.unknown == (0, 7)


def test_the_prompt_holds_exactly_what_is_shown() -> None:
    found = hits()
    prompt = build_prompt(" When? ", found)
    assert prompt.system == SYSTEM_PROMPT
    assert prompt.user == f"<passages>\n{format_hits(found).text}\n</passages>\n\nQuestion: When?"


def test_there_must_be_a_question_and_a_passage() -> None:
    with pytest.raises(ParameterError, match="question must be"):
        build_prompt(" ", hits())
    with pytest.raises(ParameterError, match="hits must hold"):
        build_prompt("When?", ())


def test_an_estimate_asks_nobody(server: Server) -> None:
    estimate = Answerer("gpt-4o-mini", base_url=server.url, api_key=KEY).estimate("When?", hits())
    assert (estimate.calls, estimate.tokens_out) == (1, 150)
    assert estimate.dollars is not None
    assert server.received == []


def test_one_request_brings_the_answer(server: Server) -> None:
    server.chat = lambda _: " At dawn [1]. "
    answerer = Answerer("small", base_url=server.url, api_key=KEY)
    answer = answerer.answer("When does the pump start?", hits())
    assert answer.text == "At dawn [1]."
    assert answer.cited == hits()[:1]
    assert answerer.usage.calls == 1
    assert server.received[0].body["messages"][0] == {"role": "system", "content": SYSTEM_PROMPT}
    assert KEY not in repr(answerer)


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({"message": {"content": ""}}, "gave no text"),
        ({"message": {"content": None}, "finish_reason": "length"}, "used up 800 output tokens"),
        ({"message": {"refusal": "no"}}, "refused to answer"),
        ({"message": "no"}, "without a message"),
    ],
)
def test_an_answer_without_text_is_an_error_with_its_reason(server: Server, choice: object, reason: str) -> None:
    server.chat = lambda _: choice
    with pytest.raises(ServiceError, match=reason):
        Answerer("small", base_url=server.url, api_key=KEY).answer("When?", hits())


def test_matches_are_the_words_that_tell_chunks_apart() -> None:
    chunking = cv.Recursive(chunk_size=8, chunk_overlap=0).chunk(cv.Document(TEXT))
    assert len(chunking) == 3
    matches = find_matches(chunking.chunks, "the VENT, at Dawn?")
    assert [TEXT[span.start : span.end] for span in matches.spans] == ["vent", "dawn"]
    assert (matches.terms, matches.common) == (("vent", "dawn"), ("the", "at"))
    last = chunking[2].span
    within = find_matches(chunking.chunks, "the VENT, at Dawn?", within=[last])
    assert within.spans == tuple(span for span in matches.spans if span in last)
    assert within.terms == matches.terms
    # Where the question has no other words, the common ones are shown.
    assert [TEXT[span.start : span.end] for span in find_matches(chunking.chunks, "the").spans] == ["The", "The", "the"]
    assert find_matches(chunking.chunks, "zebra") == Matches((), ())
    assert find_matches((), "vent") == Matches((), ())


def test_pairs_of_characters_that_touch_are_one_match() -> None:
    text = "東京駅に行く。山に行く。"
    chunks = cv.FixedSize(chunk_size=7, chunk_overlap=0, unit="characters").chunk(cv.Document(text)).chunks
    assert [text[span.start : span.end] for span in find_matches(chunks, "東京駅").spans] == ["東京駅"]
