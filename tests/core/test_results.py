"""Numbers about a chunking, and its exports, read back."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz import export
from chunkviz.metrics import fidelity, inside_words, numbers, size_bins
from chunkviz.samples import app_folder, list_samples, load_sample
from tests.core.laws import assert_laws
from tests.core.test_laws import bounds_of, texts


def partial(text: str, *spans: tuple[int, int]) -> cv.Chunking:
    """Return a chunking with just these spans, which a sound strategy would not make."""
    whole = cv.FixedSize().chunk(text)
    chunks = tuple(cv.Chunk(whole.document, a, b, i, whole.tokens) for i, (a, b) in enumerate(spans))
    reasons = tuple(cv.evidence.SizeLimit() for _ in chunks)
    return cv.Chunking(whole.document, whole.strategy, whole.tokens, chunks, cv.Evidence(reasons))


def test_fidelity_counts_what_is_covered_left_out_and_doubled() -> None:
    found = fidelity(partial("abc def  ghi jkl ", (0, 5), (2, 7), (13, 16)))
    assert (found.characters, found.covered, found.doubled, found.blank, found.left_out) == (17, 10, 3, 4, 3)
    assert found.gaps == (cv.Span(9, 12),)
    assert not found.complete
    assert fidelity(cv.Recursive().chunk("abc def")).complete
    assert fidelity(cv.Recursive().chunk("")).complete


def test_numbers_of_a_worked_example() -> None:
    chunking = cv.FixedSize(chunk_size=3, chunk_overlap=1).chunk("one two three four five six seven")
    measured = numbers(chunking)
    assert (measured.chunks, measured.tokens, measured.median, measured.smallest, measured.largest) == (3, 9, 3, 3, 3)
    assert (measured.overlap, measured.overlap_tokens) == (4.5, 1.0)
    assert measured.duplication == 9 / 7
    assert measured.mid_sentence == 1.0
    assert measured.mid_word == 0.0
    assert numbers(cv.FixedSize().chunk("")).mid_word is None


def test_overlap_is_measured_over_all_neighbours_those_without_any_too() -> None:
    text = "".join(f"# Part\n\n{'Otters swim at noon. ' * 9}\n\n" for _ in range(3))
    chunking = cv.Recursive(chunk_size=24, chunk_overlap=8).chunk(text)
    shared = [text[chunk.start : before.end] for before, chunk in pairwise(chunking)]
    assert "" in shared
    tokens = [cv.get_tokenizer().count(each) for each in shared]
    assert max(tokens) <= 8
    assert numbers(chunking).overlap_tokens == sum(tokens) / len(tokens) > 0


def test_boundaries_inside_words_and_sentences_are_counted() -> None:
    chunking = cv.FixedSize(chunk_size=4, chunk_overlap=0, unit="characters").chunk("abcdef. gh.")
    assert chunking.ends.tolist() == [4, 7, 11]
    measured = numbers(chunking)
    assert measured.mid_word == 0.5
    assert measured.mid_sentence == 0.5
    assert not inside_words("日本語", np.array([1, 2])).any()
    assert inside_words("straße3x e\u0301a", np.array([2, 6, 7])).all()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 20_000), max_size=60))
def test_every_count_is_in_its_bin(counts: list[int]) -> None:
    edges, bins = size_bins(np.array(counts, np.int64))
    assert len(edges) <= 32
    for count, at in zip(counts, bins.tolist(), strict=True):
        assert edges[at] <= count < edges[at + 1]


@settings(max_examples=60, deadline=None)
@given(texts)
def test_exports_read_back_to_the_same_spans(text: str) -> None:
    chunking = cv.FixedSize(chunk_size=12, chunk_overlap=3).chunk(cv.Document(text, 'a, "b".txt', language="en"))
    lines = [json.loads(line) for line in export.to_jsonl(chunking).decode().splitlines()]
    assert [(row["start"], row["end"], row["text"]) for row in lines] == [(c.start, c.end, c.text) for c in chunking]
    clean = [cv.document.without_surrogates(c.text) for c in chunking]
    table = pq.read_table(io.BytesIO(export.to_parquet(chunking))).to_pylist()
    assert [(row["start"], row["end"], row["text"]) for row in table] == list(
        zip(chunking.starts.tolist(), chunking.ends.tolist(), clean, strict=True)
    )
    csv_rows = list(csv.DictReader(io.StringIO(export.to_csv(chunking).decode(), newline="")))
    assert [row["text"] for row in csv_rows] == clean
    assert [int(row["token_count"]) for row in csv_rows] == chunking.token_counts.tolist()
    assert all(tuple(row) == export.COLUMNS for row in (*lines, *table, *csv_rows))


@pytest.mark.parametrize("sample", [sample.id for sample in list_samples()])
@pytest.mark.parametrize("name", cv.list_strategies())
def test_every_strategy_keeps_the_laws_on_every_sample(name: str, sample: str) -> None:
    document = load_sample(sample)
    tokenizer = cv.get_tokenizer()
    fields = cv.strategies.strategy_class(name).model_fields
    for size, overlap, unit in ((128, 16, "tokens"), (512, 0, "tokens"), (700, 90, "characters")):
        given = {
            "chunk_size": size,
            "max_chunk_size": size,
            "max_child_size": size,
            "chunk_overlap": overlap,
            "unit": unit,
        }
        strategy = cv.get_strategy(name, **{each: value for each, value in given.items() if each in fields})
        chunking = strategy.chunk(document)
        limit, shared, counted = bounds_of(strategy)
        assert_laws(chunking, size=limit, overlap=shared, unit=counted, tokenizer=tokenizer)
        assert fidelity(chunking).complete


@pytest.mark.parametrize("sample", ["essay", "report", "matsuri", "inventory"])
def test_the_exported_python_lines_make_the_same_chunks(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = next(each for each in list_samples() if each.id == sample)
    chunking = cv.Recursive(chunk_size=100, chunk_overlap=20, separators=("\n\n", "。", "'")).chunk(load_sample(sample))
    monkeypatch.chdir(app_folder() / "sample_docs")
    for lines in (export.to_python(chunking), export.to_python(chunking, sample=sample)):
        scope: dict[str, object] = {}
        exec(lines, scope)  # noqa: S102  the law under test
        assert scope["chunking"] == chunking
    assert Path(entry.file).exists()


def test_what_is_embedded_counts_the_context() -> None:
    class Says:
        name = "says"

        def write(self, _request: object, /) -> str:
            return "One two three."

    chunking = cv.ContextualRetrieval(base="recursive").chunk("Four five six.", cv.Services(writer=Says()))
    count = cv.get_tokenizer().count
    assert numbers(chunking).largest == count("Four five six.")
    assert numbers(chunking).largest_embedded == count("One two three.\n\nFour five six.")
    assert numbers(chunking).duplication == count("One two three.\n\nFour five six.") / count("Four five six.")
