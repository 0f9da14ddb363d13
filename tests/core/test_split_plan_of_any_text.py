"""The plan for splitting, down to a maximum of one, where single characters stay above it."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.blocks import semantic_segments
from chunkviz.evidence import DocumentEnd, Structure
from chunkviz.grouping import split_large
from chunkviz.packing import Piece
from chunkviz.params import Unit
from chunkviz.split_plan import run_counts, split_plan
from chunkviz.strategies.strategy import measure_of
from chunkviz.tokens import TokenMap
from tests.core.test_laws import texts

KIND = Structure("sentence")
FAMILY = "\U0001f468‍\U0001f469‍\U0001f467"


@pytest.mark.parametrize(
    ("text", "maximum", "pieces"),
    [
        ("e\u0301\n# Title\n", 1, [(0, 2), (3, 4), (5, 10)]),
        (f"{FAMILY}\n\nOne two.", 3, [(0, 5), (7, 15)]),
    ],
)
def test_a_character_above_the_maximum_is_a_piece_and_the_run_goes_on(
    text: str, maximum: int, pieces: list[tuple[int, int]]
) -> None:
    document = cv.Document(text, language="en")
    segments, services = semantic_segments(document), cv.Services()
    tokens = TokenMap.of(document, services.tokenizer)
    plan = split_plan(document, segments, measure_of("tokens", document, services), maximum, KIND, tokens)
    last = len(segments) - 1
    assert plan.split(0, last, int(segments.ends[last])) == pieces


@settings(deadline=None)  # the first text loads the vocabulary
@given(text=texts, maximum=st.integers(1, 30), unit=st.sampled_from(["tokens", "characters"]))
def test_any_run_of_any_text_is_split_and_counted_as_the_strategies_do(text: str, maximum: int, unit: Unit) -> None:
    document, services = cv.Document(text), cv.Services()
    segments, tokens = semantic_segments(document), TokenMap.of(document, services.tokenizer)
    measure = measure_of(unit, document, services)
    plan = split_plan(document, segments, measure, maximum, KIND, tokens)
    counts = run_counts(plan.starts, segments.ends, tokens)
    few = min(len(segments), 12)
    for first, last in combinations_with_replacement(range(few), 2):
        start, end = int(segments.starts[first]), int(segments.ends[last])
        wanted = split_large(document, measure, segments, [Piece(start, end, DocumentEnd())], maximum, KIND)
        assert plan.split(first, last, end) == [(piece.start, piece.end) for piece in wanted]
        assert counts.count(first, last) == services.tokenizer.count(text[start:end])
