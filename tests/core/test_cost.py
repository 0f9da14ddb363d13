"""The cost ledger, and what a model never reads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.chunk import Usage
from chunkviz.cost import differences, ledger, never_read, recount, unseen
from chunkviz.document import Document
from chunkviz.errors import Cancelled, ParameterError
from chunkviz.prices import Price
from chunkviz.span import Span
from chunkviz.tokens import get_tokenizer

TEXT = "One two three four. " * 20


def chunked(text: str, size: int, overlap: int = 0) -> cv.Chunking:
    return cv.FixedSize(chunk_size=size, chunk_overlap=overlap).chunk(Document(text))


def test_every_line_of_a_small_ledger() -> None:
    chunking = chunked("a b c d e f g h", 4, 2)
    found = ledger(chunking, "m", dimensions=8, prices={"m": Price(1_000_000)})
    assert chunking.token_counts.tolist() == [4, 4, 4]
    assert (found.texts, found.document_tokens, found.tokens, found.duplication) == (3, 8, 12, 1.5)
    assert (found.bytes, found.dollars, found.contexts, found.context_tokens) == (96, 12.0, 0, 0)


def test_what_is_not_known_is_none() -> None:
    found = ledger(chunked("a b", 4), "m", prices={})
    assert (found.dollars, found.bytes) == (None, None)


def test_an_empty_document_costs_nothing() -> None:
    found = ledger(chunked("", 4), "m", dimensions=8, prices={"m": Price(1)})
    assert (found.texts, found.tokens, found.duplication, found.bytes, found.dollars) == (0, 0, 0.0, 0, 0.0)


def test_contexts_are_sent_too() -> None:
    chunking = cv.get_strategy("contextual_retrieval", chunk_size=16, chunk_overlap=0).chunk(Document(TEXT))
    found = ledger(chunking, "m")
    count = get_tokenizer().count
    assert found.contexts == len(chunking)
    assert found.tokens == sum(count(chunk.embedding_text) for chunk in chunking)


def test_a_difference_with_itself_is_nothing() -> None:
    found = ledger(chunked(TEXT, 16), "m", prices={})
    assert set(differences(found, found)) == {0, None}


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_must_be_positive(limit: int) -> None:
    with pytest.raises(ParameterError, match="limit must be at least 1"):
        unseen(chunked(TEXT, 16), limit)


def test_unseen_text_begins_behind_the_limit() -> None:
    assert unseen(chunked("a b c d e f g h", 4), 3) == (Span(5, 7), Span(13, 15))


def test_text_that_the_next_chunk_reads_is_not_lost() -> None:
    assert never_read(chunked("a b c d e f g h", 4, 2), 3) == (Span(13, 15),)


@given(st.text("ab 日本é🎉ع\n", max_size=120), st.integers(2, 20), st.integers(0, 8), st.integers(1, 12))
def test_unseen_against_the_plain_definition(text: str, size: int, overlap: int, limit: int) -> None:
    chunking = chunked(text, size, min(overlap, size - 1))
    starts = get_tokenizer().token_starts
    lost, read = set[int](), set[int]()
    for chunk in chunking:
        tokens = starts(chunk.text)
        cut = chunk.start + int(tokens[limit]) if len(tokens) > limit else chunk.end
        read |= set(range(chunk.start, cut))
        lost |= set(range(cut, chunk.end))
    found = {at for span in unseen(chunking, limit) for at in range(span.start, span.end)}
    assert found == lost
    spans = never_read(chunking, limit)
    assert sorted(at for span in spans for at in range(span.start, span.end)) == sorted(lost - read)


class Letters:
    name = "letters"

    def count(self, text: str, /) -> int:
        return len(text)

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        return np.arange(len(text))


def test_recounting_finds_the_chunks_that_differ() -> None:
    chunking = chunked("a b c d e f g h", 4)
    found = recount(chunking, Letters())
    assert found.counts.tolist() == [7, 7]
    assert found.differing.tolist() == [0, 1]
    assert recount(chunking, get_tokenizer()).differing.tolist() == []


def test_what_was_spent_while_chunking_is_priced_in_and_out() -> None:
    chunking = replace(chunked("a b", 4), usage=Usage(calls=2, tokens=120, tokens_out=20))
    table = {"w": Price(1_000_000, 2_000_000)}
    found = ledger(chunking, "m", prices=table, service="w")
    assert (found.calls, found.tokens_in, found.tokens_out, found.service_dollars) == (2, 100, 20, 140.0)
    assert ledger(chunking, "m", prices=table).service_dollars is None


def test_tokens_of_two_encodings_are_not_subtracted() -> None:
    found = ledger(chunked(TEXT, 16), "m", dimensions=8, prices={"m": Price(1)})
    units = [entry.unit for entry in found.entries()]
    changes = differences(found, replace(found, encoding="other"))
    assert {unit for unit, change in zip(units, changes, strict=True) if change is None} == {
        "tokens",
        "ratio",
        "dollars",
    }
    assert {unit for unit, change in zip(units, changes, strict=True) if change == 0} == {"count", "bytes"}


def test_a_recount_that_is_not_wanted_ends() -> None:
    def report(_: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        recount(chunked(TEXT, 16), Letters(), report=report)
