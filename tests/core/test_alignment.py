"""Chunks of other pipelines: read from their files, and found in the document."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz import export, placing, records, rows
from chunkviz.agreement import agreement
from chunkviz.alignment import Aligned, OwnChunks, align
from chunkviz.errors import Cancelled, DocumentError, ParameterError, UnknownNameError
from chunkviz.metrics import fidelity, numbers
from chunkviz.records import Record, read_records
from chunkviz.samples import list_samples, load_sample
from tests.core.test_laws import texts


def made(*chunks: str | tuple[str, int]) -> tuple[Record, ...]:
    return tuple(
        Record(number, number, *(each if isinstance(each, tuple) else (each,)))
        for number, each in enumerate(chunks, start=1)
    )


def spans(aligned: Aligned) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in aligned.chunking]


def methods(aligned: Aligned) -> list[str]:
    return [each.method for each in aligned.placed]


# Columns --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (b"id;passage\n1;a\n", ("id", "passage")),
        (b'{"a": 1, "b": 2}\n{"c": 3}', ("a", "b")),
        (b'[{"x": "y"}]', ("x",)),
        (b"id,passage\n", ()),
        (b"", ()),
    ],
)
def test_the_columns_are_those_of_the_first_chunk(data: bytes, columns: tuple[str, ...]) -> None:
    assert records.column_names(data, "own") == columns


def test_columns_of_a_file_that_cannot_be_read_are_an_error() -> None:
    with pytest.raises(DocumentError, match=r"own, line 2: it must be UTF-8"):
        records.column_names(b"a\n\xff", "own")


# Placing --------------------------------------------------------------------------------------------


def test_texts_are_placed_as_they_stand() -> None:
    document = cv.Document("One fine day.\n\nIt rained.  Then it stopped.", "day.txt")
    aligned = align(document, made("One fine day.", "It rained.", "Then it stopped."), file="own.csv")
    assert spans(aligned) == [(0, 13), (15, 25), (27, 43)]
    assert methods(aligned) == ["exact"] * 3
    assert [chunk.text for chunk in aligned.chunking] == ["One fine day.", "It rained.", "Then it stopped."]
    assert aligned.chunking.boundary_reasons == ("own chunk ends", "own chunk ends", "end of document")
    assert str(aligned.chunking.strategy) == "own chunks of own.csv"
    assert aligned.chunking[1].metadata == {"record": 2, "placed": "exact"}


def test_white_space_at_the_edges_of_an_exact_text_is_kept() -> None:
    assert spans(align(cv.Document("a b. c d. e"), made("a b. ", "c d. e"))) == [(0, 5), (5, 11)]


def test_texts_with_other_white_space_are_placed() -> None:
    document = cv.Document("One fine\n   day.\n\nIt\trained.")
    aligned = align(document, made("One fine day.", "It rained. "))
    assert spans(aligned) == [(0, 16), (18, 28)]
    assert methods(aligned) == ["white space", "white space"]


def test_changed_texts_are_placed_approximately_with_their_score() -> None:
    text = "The kettle boils when the water in it reaches one hundred degrees. " + "It is then switched off by its lid."
    document = cv.Document(f"Before. {text} After all.")
    changed = text.replace("hundred", "hunderd").replace("switched", "swiched")
    aligned = align(document, made("Before.", changed, "After all."))
    assert spans(aligned) == [(0, 7), (8, 8 + len(text)), (9 + len(text), 19 + len(text))]
    assert methods(aligned) == ["exact", "approximate", "exact"]
    assert 95 < aligned.placed[1].score < 100
    assert aligned.chunking.boundary_reasons[1].startswith("own chunk ends, placed at 9")
    assert aligned.chunking[1].metadata["score"] == round(aligned.placed[1].score, 1)


def test_a_file_in_another_order_is_put_in_the_documents() -> None:
    text = "One fine day. It rained. Then it stopped. All went home."
    aligned = align(cv.Document(text), made("All went home.", "Then it stoped.", "It rained.", "One fine day.", "No!"))
    assert spans(aligned) == [(0, 13), (14, 24), (25, 41), (42, 56)]
    assert [each.record.number for each in aligned.placed] == [4, 3, 2, 1]
    assert [(each.record.number, each.reason) for each in aligned.unplaced] == [
        (5, "the 35 characters after chunk 4 hold neither this text nor one nearly the same"),
    ]
    assert not aligned.in_order
    assert "another order in their file" in aligned.chunking.evidence.notes[0]


def test_what_cannot_be_placed_is_listed_and_the_rest_goes_on() -> None:
    document = cv.Document("One fine day. It rained. Then it stopped.", "day.txt")
    aligned = align(
        document, made("One fine day.", "Nothing of the kind is here.", "  ", "Then it stopped.", "It rains.")
    )
    assert spans(aligned) == [(0, 13), (25, 41)]
    assert [(each.record.number, each.reason) for each in aligned.unplaced] == [
        (2, "the 23 characters after chunk 1 hold neither this text nor one nearly the same"),
        (3, "it holds no text"),
        (5, "the 0 characters after chunk 4 hold neither this text nor one nearly the same"),
    ]
    assert aligned.chunking.evidence.notes[1] == "Chunk 3 could not be placed: it holds no text."
    assert fidelity(aligned.chunking).gaps == (cv.Span(14, 24),)
    assert numbers(aligned.chunking).chunks == 2


def test_repeated_text_goes_to_its_place_in_the_order() -> None:
    line = "The kettle is on again. "
    document = cv.Document(f"{line}First. {line}Second. {line}Third.")
    aligned = align(document, made(line.strip(), "First.", line.strip(), "Second.", line.strip(), "Third."))
    assert [start for start, _ in spans(aligned)] == [0, 24, 31, 55, 63, 87]


def test_text_made_of_one_repeated_sentence_is_tiled() -> None:
    line = "The kettle is on again. "
    aligned = align(cv.Document(line * 8), made(*[(line * 2).strip()] * 4))
    assert spans(aligned) == [(0, 47), (48, 95), (96, 143), (144, 191)]


def test_overlap_is_found_where_repeated_text_leaves_it_open() -> None:
    text = "ab" * 40
    windows = [text[at : at + 20] for at in range(0, 61, 10)]
    assert [start for start, _ in spans(align(cv.Document(text), made(*windows)))] == list(range(0, 61, 10))


def test_a_text_that_stands_far_behind_too_does_not_take_the_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placing, "STRETCH", 20)
    monkeypatch.setattr(placing, "APPROXIMATE_STRETCH", 20)
    filler = " ".join(f"Filler number {number}." for number in range(60))
    document = cv.Document(f"Intro. XXXX Second part. Third part. {filler} Summary. The end.")
    aligned = align(document, made("Intro.", "Summary.", "Second part.", "Third part.", filler, "Summary.", "The end."))
    assert [each.record.number for each in aligned.unplaced] == [2]
    assert aligned.unplaced[0].reason.startswith("it is out of order")
    later = align(document, made("Intro.", "Summary.", "The end."))
    assert not later.unplaced


def test_own_offsets_count_where_the_text_stands_there() -> None:
    document = cv.Document("tea tea tea tea")
    aligned = align(document, made(("tea", 8), ("tea", 4), ("tea", 12)))
    assert spans(aligned) == [(4, 7), (8, 11), (12, 15)]
    assert methods(aligned) == ["offsets"] * 3
    wrong = align(document, made(("tea", 1), ("tea", 5)))
    assert (spans(wrong), methods(wrong)) == ([(0, 3), (4, 7)], ["exact", "exact"])


def test_own_offsets_whose_end_contradicts_the_text_do_not_count() -> None:
    document = cv.Document("tea tea tea tea")
    records = (Record(1, 1, "tea", 0, 3), Record(2, 2, "tea", 8, 9), Record(3, 3, "tea", 12, 14))
    aligned = align(document, records)
    assert spans(aligned) == [(0, 3), (4, 7), (8, 11)]
    assert methods(aligned) == ["offsets", "exact", "exact"]


def test_a_chunk_inside_the_one_before_is_placed_if_it_is_nowhere_else() -> None:
    aligned = align(cv.Document("alpha beta gamma"), made("alpha beta gamma", "gamma"))
    assert spans(aligned) == [(0, 16), (11, 16)]


def test_chunks_of_another_document_are_refused_in_one_sentence() -> None:
    document = cv.Document("Something else.", "other.txt")
    message = (
        "none of the 1 chunks of own.csv is in other.txt; the first: the 14 characters after the beginning hold "
        "neither this text nor one nearly the same. Give the document they were made of."
    )
    with pytest.raises(ParameterError, match=re.escape(message)):
        align(document, made("A kettle is a vessel with a lid."), file="own.csv")
    with pytest.raises(ParameterError, match=r"own\.csv holds no chunks"):
        align(document, (), file="own.csv")


def test_placing_can_be_stopped() -> None:
    def stop(_: float) -> None:
        message = "stopped"
        raise Cancelled(message)

    with pytest.raises(Cancelled):
        align(cv.Document("a b"), made("a", "b"), services=cv.Services(report=stop))


def test_own_chunks_are_a_strategy_like_the_others() -> None:
    document = cv.Document("One. Two.")
    strategy = OwnChunks(file="own.csv", records=made("One.", "Two."))
    assert strategy.chunk(document) == align(document, strategy.records, file="own.csv").chunking
    assert hash(strategy) == hash(OwnChunks(file="own.csv", records=made("One.", "Two.")))
    assert repr(strategy) == "OwnChunks(file='own.csv')"
    assert strategy.config() == {"strategy": "own_chunks", "file": "own.csv"}
    assert agreement(strategy.chunk(document), strategy.chunk(document)).f1 == 1.0


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(4, 30), st.integers(0, 3), st.booleans())
@example("\ud83d\ude00 a", 4, 0, True)
def test_chunks_of_any_text_are_placed_whole_and_in_order(text: str, size: int, overlap: int, squeezed: bool) -> None:  # noqa: FBT001
    document = cv.Document(text, language="en")
    chunking = cv.FixedSize(chunk_size=size, chunk_overlap=overlap, unit="characters").chunk(document)
    if not chunking.chunks:
        return
    given_texts = ["".join(chunk.text.split()) if squeezed else chunk.text for chunk in chunking]
    aligned = align(document, made(*given_texts))
    starts = [start for start, _ in spans(aligned)]
    assert starts == sorted(set(starts))
    for placed in aligned.placed:
        if placed.method != "approximate":
            here = text[placed.start : placed.end]
            assert "".join(here.split()) == "".join(placed.record.text.split())
    if not overlap:
        assert not aligned.unplaced


@pytest.mark.parametrize("sample", [each.id for each in list_samples()])
@pytest.mark.parametrize("overlap", [0, 24])
def test_chunks_of_the_samples_come_back_to_their_spans(sample: str, overlap: int) -> None:
    document = load_sample(sample)
    for strategy in (
        cv.FixedSize(chunk_size=100, chunk_overlap=overlap),
        cv.Recursive(chunk_size=60, chunk_overlap=overlap),
    ):
        chunking = strategy.chunk(document)
        expected = [(chunk.start, chunk.end) for chunk in chunking]
        assert spans(align(document, made(*(chunk.text for chunk in chunking)))) == expected
        squeezed = align(document, made(*(" ".join(chunk.text.split()) for chunk in chunking)))
        assert spans(squeezed) == expected
        assert not squeezed.unplaced


@pytest.mark.parametrize("sample", ["essay", "report", "matsuri"])
def test_texts_with_a_slip_in_each_hundred_characters_come_back_to_their_spans(sample: str) -> None:
    document = load_sample(sample)
    chunking = cv.Recursive(chunk_size=120).chunk(document)
    rng = random.Random(7)  # noqa: S311  any slips do, the same each time
    slipped = []
    for chunk in chunking:
        letters = list(chunk.text)
        for at in range(50, len(letters) - 10, 100):
            letters[at + rng.randrange(-9, 9)] = rng.choice(["", "x", "xy"])
        slipped.append("".join(letters))
    aligned = align(document, made(*slipped))
    assert not aligned.unplaced
    assert spans(aligned) == [(chunk.start, chunk.end) for chunk in chunking]


# Files ----------------------------------------------------------------------------------------------


def test_json_lines_are_read_with_a_guessed_column_and_offsets() -> None:
    data = b'\xef\xbb\xbf{"text": "a", "start": 3, "end": 4}\n\n'
    data += b'{"page_content": "b\\nc", "metadata": {"start_index": 7}}\r\n'
    assert read_records(data, "own.jsonl") == (Record(1, 1, "a", 3, 4), Record(2, 3, "b\nc", 7))


def test_a_json_array_is_read() -> None:
    assert read_records(b'[{"content": "a"},\n {"chunk": "b"}]', "own.json") == (Record(1, 1, "a"), Record(2, 2, "b"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_with_line_ends_in_texts_and_large_fields(delimiter: str) -> None:
    sheet = io.StringIO(newline="")
    writer = csv.writer(sheet, delimiter=delimiter)
    writer.writerows([["id", "text", "start"], ["1", 'a "b"\r\nc', "0"], ["2", "d" * 200_000, ""]])
    before = csv.field_size_limit()
    assert read_records(sheet.getvalue().encode(), "own.csv") == (
        Record(1, 2, 'a "b"\r\nc', 0),
        Record(2, 4, "d" * 200_000),
    )
    assert csv.field_size_limit() == before


def test_the_column_of_the_text_can_be_named() -> None:
    data = b'{"text": "a", "body": "b"}'
    assert read_records(data, "own.jsonl", column="body")[0].text == "b"
    with pytest.raises(UnknownNameError, match=r"own\.jsonl, line 1: column 'bodi' is not known.*'body'"):
        read_records(data, "own.jsonl", column="bodi")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"text": "a"}\n{"text": }', "own, line 2, column 10: it must be JSON"),
        (b'{"text": "a"}\n7', "own, line 2: each line must be a JSON object, not 7"),
        (b'{"text": "a"}\n{"text": 7}', "own, line 2, column text: it must be a text, not 7"),
        (b'[{"text": "a"}, 3]', "own, entry 2: each must be a JSON object, not 3"),
        (b'[{"text": null}]', "own, entry 1, column text: it must be a text, not null"),
        (b'{"text": "a", "start": -1}', "own, line 1, column start: it must be a whole number from 0 on, not -1"),
        (b"text,start\na,b", 'own, line 2, column start: it must be a whole number from 0 on, not "b"'),
        (b"id,body\n1,b", "own, line 2: a chunk needs its text in one of the columns text, page_content"),
        (b"id,text\n1,b\n2,c,d", "own, line 3: it has more columns than the header's 2"),
        (b'id,text\n1,"b', "own, line 2: it must be CSV"),
        (b'{"text": "a"}\n{"text": "\xff"}', "own, line 2: it must be UTF-8, and byte 24 is not"),
        (b"", "own holds no chunks"),
        (b"[]", "own holds no chunks"),
        (b"text\n", "own holds no chunks"),
        (b"[" * 200_000, "own, line 1: it is nested too deep"),
        (b'{"text": "a", "n": ' + b"9" * 5000 + b"}", "own, line 1: it is nested too deep, or holds a number too long"),
    ],
)
def test_what_cannot_be_read_is_named_by_file_line_and_column(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_records(data, "own")
    assert str(caught.value).startswith(message)


def test_files_and_numbers_of_chunks_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MAX_BYTES", 20)
    with pytest.raises(DocumentError, match="own has 21 bytes; chunks are read from files of at most 20"):
        read_records(b"x" * 21, "own")
    monkeypatch.setattr(rows, "MAX_BYTES", 100)
    monkeypatch.setattr(records, "MAX_RECORDS", 1)
    with pytest.raises(DocumentError, match="own, line 2: a file may hold 1 chunks"):
        read_records(b'{"text": "a"}\n{"text": "b"}', "own")


@settings(max_examples=60, deadline=None)
@given(texts)
def test_our_own_exports_come_back_to_the_same_spans(text: str) -> None:
    document = cv.Document(cv.document.without_surrogates(text), "a.txt", language="en")
    chunking = cv.FixedSize(chunk_size=12, chunk_overlap=3).chunk(document)
    if not chunking.chunks:
        return
    for data in (export.to_jsonl(chunking), export.to_csv(chunking)):
        aligned = align(document, read_records(data, "own"))
        assert spans(aligned) == [(chunk.start, chunk.end) for chunk in chunking]
        assert set(methods(aligned)) == {"offsets"}


def test_anything_that_is_json_is_read_or_refused_in_a_sentence() -> None:
    rng = random.Random(3)  # noqa: S311
    values: list[Any] = [None, True, 1, 1.5, "t", [], {}, {"start": "x"}, {"start_index": 2}]
    outcomes = set()
    for _ in range(300):
        row = {key: rng.choice(values) for key in ("text", "start", "end", "metadata") if rng.random() < 0.7}
        try:
            outcomes.add(type(read_records(json.dumps(row).encode(), "own")))
        except DocumentError as error:
            outcomes.add(str(error)[:11])
    assert outcomes == {tuple, "own, line 1"}


def test_the_exported_python_lines_read_own_chunks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("One. Two.", encoding="utf-8")
    (tmp_path / "own.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n', encoding="utf-8")
    records = read_records((tmp_path / "own.jsonl").read_bytes(), "own.jsonl")
    aligned = align(cv.load("a.txt"), records, file="own.jsonl")
    scope: dict[str, object] = {}
    exec(export.to_python(aligned.chunking), scope)  # noqa: S102  the law under test
    assert scope["chunking"] == aligned.chunking
