"""What travels to the browser, without a browser."""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import chunkviz
from chunkviz.span import Span
from chunkviz.ui.viewer.payload import (
    document_message,
    encode_boundaries,
    fingerprint,
    leb128,
    pointer_message,
)
from chunkviz.ui.viewer.pointer import Pointer, chunk_at, move_pointer


def read(message: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(message[:4], "little")
    head = json.loads(message[4 : 4 + size])
    body = message[4 + size :]
    return head, zlib.decompress(body) if head["packed"] else body


def numbers(body: bytes) -> list[int]:
    """The readable twin of the browser's reader."""
    found, value, shift = [], 0, 0
    for byte in body:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
    return found


def chunks_of(message: bytes) -> list[tuple[int, int, int, str]]:
    head, body = read(message)
    count = head["count"]
    values = numbers(body)
    gaps, lengths, tokens, reasons = (values[place * count : (place + 1) * count] for place in range(4))
    end, found = 0, []
    for gap, length, token, reason in zip(gaps, lengths, tokens, reasons, strict=True):
        start = end + (gap >> 1 ^ -(gap & 1))
        end = start + length
        found.append((start, end, token, head["reasons"][reason]))
    return found


@given(st.lists(st.integers(0, 2**31)))
def test_numbers_come_back_as_they_were(values: list[int]) -> None:
    assert numbers(leb128(np.array(values, np.int64))) == values


@given(
    st.lists(
        st.tuples(
            st.integers(0, 9_000_000),
            st.integers(1, 70_000),
            st.integers(0, 9_999),
            st.sampled_from(["line", "é <b>", "size limit"]),
        ),
        unique_by=lambda row: row[0],
        max_size=300,
    )
)
def test_boundaries_come_back_as_they_were(rows: list[tuple[int, int, int, str]]) -> None:
    rows = [(start, start + length, tokens, reason) for start, length, tokens, reason in sorted(rows)]
    starts, ends, tokens = (np.array([row[column] for row in rows], np.int64) for column in range(3))
    message = encode_boundaries(starts, ends, tokens, [row[3] for row in rows], viewer="v", document="d")
    assert chunks_of(message) == rows


@given(st.text(), st.sets(st.integers(0, 10_000)))
def test_any_text_travels_and_keeps_its_number_of_characters(text: str, marked: set[int]) -> None:
    document = chunkviz.Document(text, name="a.md")
    head, body = read(document_message(document, viewer="v", height=1, highlights=True))
    assert len(body.decode()) == head["length"] == len(text)
    message = pointer_message(Pointer(), viewer="v", chunking="c", marked=marked, focus=Span(1, 2), focus_serial=3)
    head, body = read(message)
    assert np.cumsum(numbers(body)).tolist() == sorted(marked)
    assert head["focus"] == [1, 2]


def test_a_lone_surrogate_travels_as_one_replacement_character() -> None:
    document = chunkviz.Document("a\ud800b", name="a.md")
    assert read(document_message(document, viewer="v", height=1, highlights=True))[1].decode() == "a\ufffdb"


def test_text_is_encoded_once_per_document() -> None:
    document = chunkviz.Document("word " * 40_000, name="a.md")
    document_message(document, viewer="v", height=1, highlights=True)
    packed = document.derive("viewer document", lambda: None)
    document_message(document, viewer="v", height=2, highlights=True)
    assert document.derive("viewer document", lambda: None) is packed


def test_ten_thousand_irregular_chunks_stay_under_sixty_kilobytes() -> None:
    chance = np.random.default_rng(1)
    lengths = chance.integers(300, 1_700, 10_000)
    ends = np.cumsum(lengths)
    starts = ends - lengths - chance.integers(-3, 90, 10_000).clip(max=ends - lengths)
    reasons = [("paragraph", "sentence", "size limit")[place] for place in chance.integers(0, 3, 10_000)]
    message = encode_boundaries(starts, ends, chance.integers(70, 500, 10_000), reasons, viewer="v", document="d")
    assert len(message) < 60_000


STARTS = np.array([0, 100, 200, 300], np.int64)


def moved(
    pointer: Pointer, *, starts: np.ndarray = STARTS, asked: int | None = None, chosen: dict[str, Any] | None = None
) -> Pointer:
    return move_pointer(pointer, document="d", starts=starts, chosen=chosen, asked=asked)


def test_a_choice_in_the_browser_wins_once() -> None:
    chosen = {"anchor": 200, "serial": 5, "document": "d"}
    after = moved(Pointer(), chosen=chosen, asked=0)
    assert (after.selected, after.seen, after.request) == (2, 5, 0)
    again = moved(after, chosen=chosen, asked=1)
    assert (again.selected, again.request) == (1, 1)


def test_a_page_may_hand_back_what_it_was_given() -> None:
    after = moved(moved(Pointer(), asked=2), asked=2)
    assert (after.selected, after.request) == (2, 1)


def test_the_selection_keeps_its_place_when_boundaries_move() -> None:
    finer = np.arange(0, 400, 10, dtype=np.int64)
    after = moved(moved(Pointer(), asked=2), starts=finer, asked=2)
    assert (after.selected, after.anchor, after.request) == (20, 200, 1)


def test_another_document_begins_without_a_selection() -> None:
    before = moved(Pointer(), asked=2)
    after = move_pointer(
        before, document="e", starts=STARTS, chosen={"anchor": 100, "serial": 9, "document": "d"}, asked=2
    )
    assert after.selected is None


def test_escape_clears_what_python_had_chosen() -> None:
    after = moved(moved(Pointer(), asked=2), chosen={"anchor": None, "serial": 7, "document": "d"})
    assert after.selected is None


@given(st.lists(st.integers(0, 50), unique=True), st.integers(0, 60))
def test_the_selected_chunk_is_the_last_that_starts_before_the_place(starts: list[int], anchor: int) -> None:
    starts.sort()
    expected = max([0, *(place for place, start in enumerate(starts) if start <= anchor)]) if starts else None
    assert chunk_at(np.array(starts, np.int64), anchor) == expected


def test_fingerprints_tell_chunkings_apart() -> None:
    assert fingerprint(STARTS, STARTS + 100) != fingerprint(STARTS, STARTS + 99)
