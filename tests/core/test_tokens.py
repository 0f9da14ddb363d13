"""A long text is encoded in blocks, by several threads where there are cores for them."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.tokens import encode_in_blocks
from chunkviz.tokens.encoding import own_tokenizer
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


def test_a_copy_has_the_same_tokens_and_a_vocabulary_of_its_own() -> None:
    copy = PLAIN.copy()
    text = "It's 日本語, “naïve” 👩‍👩‍👧 <|endoftext|>\r\n\tx = 'a'\n"
    assert np.array_equal(copy.token_starts(text), PLAIN.token_starts(text))
    assert copy.name == PLAIN.name
    assert copy.encoding is not PLAIN.encoding
    assert copy.encoding._core_bpe is not PLAIN.encoding._core_bpe


def test_a_thread_takes_a_copy_once_it_has_encoded_much_and_keeps_it() -> None:
    found: dict[str, list[object]] = {}

    def ask(name: str) -> None:
        found[name] = [own_tokenizer(PLAIN, 1 << 18) for _ in range(4)]

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("one", "another")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for tokenizers in found.values():
        assert tokenizers[0] is tokenizers[1] is PLAIN
        assert tokenizers[2] is tokenizers[3] is not PLAIN
    assert found["one"][2] is not found["another"][2]


def test_a_tokenizer_without_copies_is_shared() -> None:
    counting = Counting(PLAIN)
    assert [own_tokenizer(counting, 1 << 20) for _ in range(3)] == [counting] * 3


def encode_in_child(text: str) -> list[int]:
    return encode_in_blocks(PLAIN, text).tolist()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.tokens.encoding._usable_cores", lambda: 2)
    text = "Words to count, 日本語。\n" * 12_000
    here = encode_in_child(text)
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        assert pool.submit(encode_in_child, text).result(120) == here
