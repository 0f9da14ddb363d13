"""A long text is encoded in blocks, by several threads where there are cores for them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.tokens import encode_in_blocks
from chunkviz.tokens.encoding import Encoding
from chunkviz.vocabulary import load_tokenizer
from tests.core.toys import Counting

PLAIN = load_tokenizer("cl100k_base", fast=False)


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_blocks_give_the_tokens_of_the_whole_on_any_number_of_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: cores)
    tokenizer = PLAIN
    text = "".join(f"Sentence {number}, 日本語。\r\n\n" for number in range(8_000))
    told: list[float] = []
    assert np.array_equal(encode_in_blocks(tokenizer, text, told.append), tokenizer.token_starts(text))
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(told) >= max(2, cores)


def test_the_caller_makes_the_blocks_that_no_thread_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 2)
    makers: list[int] = []
    late = threading.Event()

    class Noting(Counting):
        def token_starts(self, text: str, /) -> NDArray[np.int64]:
            makers.append(threading.get_ident())
            if threading.current_thread() is not threading.main_thread():
                assert late.wait(60)
            return super().token_starts(text)

    def report(_: float) -> None:
        if makers.count(threading.get_ident()) == 3:
            late.set()

    text = "Words to count, and more of them.\n" * 8_000
    assert np.array_equal(encode_in_blocks(Noting(PLAIN), text, report), PLAIN.token_starts(text))
    assert makers.count(threading.get_ident()) >= 3


def test_one_core_needs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 1)
    monkeypatch.setattr("chunkviz.tokens.encoding.ThreadPoolExecutor", None)
    text = "Words to count, and more of them.\n" * 8_000
    assert np.array_equal(encode_in_blocks(PLAIN, text), PLAIN.token_starts(text))


def test_what_the_report_raises_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 1)
    counting = Counting(PLAIN)

    def stop(_: float) -> None:
        raise cv.errors.Cancelled

    with pytest.raises(cv.errors.Cancelled):
        encode_in_blocks(counting, "Words to count.\n" * 80_000, stop)
    assert counting.calls == 1


def test_tokens_begun_beforehand_are_those_of_the_text_and_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 2)
    tokenizer = Counting()
    document = cv.Document("Words to count, 日本語。\n" * 8_000)
    tokens = cv.TokenMap.of(document, tokenizer)
    tokens.begin()
    tokens.begin()
    assert not tokens.made
    assert np.array_equal(tokens.starts, cv.get_tokenizer().token_starts(document.text))
    tokens.begin()
    assert tokenizer.characters == len(document)


def test_an_error_of_tokens_begun_beforehand_is_raised_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Broken(Counting):
        def token_starts(self, text: str, /) -> np.ndarray[Any, np.dtype[np.int64]]:
            raise ZeroDivisionError(len(text))

    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 2)
    tokens = cv.TokenMap.of(cv.Document("Words to count.\n" * 8_000), Broken())
    tokens.begin()
    with pytest.raises(ZeroDivisionError):
        _ = tokens.starts


def test_what_lies_in_front_does_not_wait_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 2)
    late = threading.Event()

    class Late(Counting):
        def token_starts(self, text: str, /) -> NDArray[np.int64]:
            if "the end" in text and threading.current_thread() is not threading.main_thread():
                assert late.wait(60)
            return super().token_starts(text)

    text = "Words to count, 日本語。\n" * 20_000 + "the end"
    tokens, whole = cv.TokenMap.of(cv.Document(text), Late()), cv.TokenMap(cv.Document(text), PLAIN)
    tokens.begin()
    assert tokens.count(10, 5_000) == whole.count(10, 5_000)
    assert tokens.reach(7, 512) == whole.reach(7, 512)
    assert tokens.back(5_000, 50) == whole.back(5_000, 50)
    assert not tokens.made
    late.set()
    assert np.array_equal(tokens.starts, whole.starts)
    assert tokens.made


@given(
    pieces=st.lists(
        st.sampled_from(["word ", "一つの文。", "x" * 90, "  ", "\n", "🧑‍🚒 ", "3.14, "]), min_size=40, max_size=160
    ),
    places=st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(0, 300)), min_size=1, max_size=12),
    cores=st.integers(1, 3),
)
def test_tokens_asked_for_while_they_are_made_are_those_of_the_whole(
    pieces: list[str], places: list[tuple[int, int, int]], cores: int
) -> None:
    text = "".join(pieces)
    whole = cv.TokenMap(cv.Document(text), PLAIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: cores)
        patch.setattr("chunkviz.tokens.encoding.BLOCK", 32)
        tokens = cv.TokenMap.of(cv.Document(text), PLAIN)
        tokens.begin()
        for one, other, size in places:
            start, end = sorted((one % len(text), other % len(text)))
            assert tokens.reach(start, size) == whole.reach(start, size)
            assert tokens.back(end, size) == whole.back(end, size)
            assert tokens.count(start, end) == whole.count(start, end)
        assert np.array_equal(tokens.starts, whole.starts)


def test_what_one_caller_gives_up_another_still_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 1)
    text = "Words to count.\n" * 40_000
    encoding = Encoding(PLAIN, text)

    def stop(_: float) -> None:
        raise cv.errors.Cancelled

    with pytest.raises(cv.errors.Cancelled):
        encoding.starts(stop)
    assert np.array_equal(encoding.starts_to(len(text)), PLAIN.token_starts(text))


def test_a_later_block_that_is_no_row_of_offsets_is_an_error_where_it_is_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Backwards(Counting):
        def token_starts(self, text: str, /) -> NDArray[np.int64]:
            starts = super().token_starts(text)
            return starts[::-1] if "the end" in text else starts

    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 2)
    tokens = cv.TokenMap.of(cv.Document("Words to count.\n" * 20_000 + "the end"), Backwards())
    tokens.begin()
    assert tokens.count(0, 16) == PLAIN.count("Words to count.\n")
    with pytest.raises(cv.errors.ServiceError, match="non-decreasing row of offsets"):
        _ = tokens.starts
