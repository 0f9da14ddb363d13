"""The plan for splitting any run of segments, against splitting it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.blocks import paragraphs, semantic_segments
from chunkviz.evidence import Structure
from chunkviz.grouping import groups_of, pieces_of, split_large
from chunkviz.measure import CharacterMeasure
from chunkviz.samples import list_samples, load_sample
from chunkviz.split_plan import run_counts, split_plan
from chunkviz.tokens import TokenMap, get_tokenizer

TOKENIZER = get_tokenizer()
KIND = Structure("sentence")


def test_a_plan_by_hand() -> None:
    document = cv.Document("One two three. Four five six. Seven.", language="en")
    segments = semantic_segments(document)
    measure = CharacterMeasure(document)
    plan = split_plan(document, segments, measure, 20, KIND, TokenMap.of(document, TOKENIZER))
    assert segments.starts.tolist() == [0, 15, 30]
    assert plan.reach.tolist() == [0, 1, 2]  # "Four five six. Seven." has 21 characters
    assert plan.ends.tolist() == [14, 29, 36]
    assert plan.following.tolist() == [1, 2, -1]
    assert plan.split(0, 2, 36) == [(0, 14), (15, 29), (30, 36)]


def test_a_segment_above_the_maximum_is_cut_inside() -> None:
    document = cv.Document("One two three four. Five.", language="en")
    segments = semantic_segments(document)
    plan = split_plan(document, segments, CharacterMeasure(document), 10, KIND, TokenMap.of(document, TOKENIZER))
    assert plan.split(0, 1, 25) == [(0, 7), (8, 13), (14, 19), (20, 25)]


def both_ways(
    document: cv.Document, maximum: int, cuts: np.ndarray, *, by_tokens: bool, by_paragraph: bool
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    tokens = TokenMap.of(document, TOKENIZER)
    measure = tokens if by_tokens else CharacterMeasure(document)
    segments = paragraphs(document) if by_paragraph else semantic_segments(document)
    allowed = np.flatnonzero(~segments.joined)
    groups = groups_of(np.intersect1d(cuts % max(1, len(segments)), allowed), len(segments))
    plan = split_plan(document, segments, measure, maximum, KIND, tokens)
    planned = [piece for first, last in groups for piece in plan.split(first, last, int(segments.ends[last]))]
    split = split_large(document, measure, segments, pieces_of(segments, groups), maximum, KIND)
    return planned, [(piece.start, piece.end) for piece in split]


@pytest.mark.parametrize("sample", [sample.id for sample in list_samples()])
@pytest.mark.parametrize("by_paragraph", [False, True])
@pytest.mark.parametrize(("maximum", "by_tokens"), [(16, True), (60, True), (400, True), (70, False), (900, False)])
def test_the_plan_splits_as_the_strategies_do(
    sample: str, maximum: int, *, by_paragraph: bool, by_tokens: bool
) -> None:
    document = load_sample(sample)
    random = np.random.default_rng(5)
    for _ in range(8):
        cuts = random.integers(0, 500, random.integers(0, 60))
        planned, split = both_ways(document, maximum, cuts, by_tokens=by_tokens, by_paragraph=by_paragraph)
        assert planned == split


@given(
    text=st.lists(
        st.sampled_from(["A b c.", " ", "\n\n", "# H\n", "word", "日本語。", "😀", "e\u0301", "- x\n"]), max_size=40
    ),
    maximum=st.integers(3, 40),
    cuts=st.lists(st.integers(0, 30), max_size=6),
)
def test_whatever_the_text_no_piece_of_the_plan_is_too_large(text: list[str], maximum: int, cuts: list[int]) -> None:
    document = cv.Document("".join(text), language="en")
    planned, split = both_ways(document, maximum, np.array(cuts, np.int64), by_tokens=False, by_paragraph=False)
    assert planned == split


@pytest.mark.parametrize("sample", ["essay", "inventory", "matsuri"])
def test_counts_of_runs_are_sums_and_exact(sample: str) -> None:
    document = load_sample(sample)
    tokens = TokenMap.of(document, TOKENIZER)
    segments = semantic_segments(document)
    plan = split_plan(document, segments, tokens, 24, KIND, tokens)
    counts = run_counts(plan.starts, segments.ends, tokens)
    assert counts.exact
    random = np.random.default_rng(7)
    for place in random.integers(0, len(plan.starts), 150).tolist():
        first = int(segments.ends.searchsorted(plan.starts[place], side="right"))
        last = int(random.integers(first, len(segments)))
        assert counts.count(place, last) == tokens.count(int(plan.starts[place]), int(segments.ends[last]))


@given(st.lists(st.sampled_from(["aa", "b ", "1", ". ", "\n", "語", "。", "😀", "'s"]), min_size=1, max_size=30))
def test_counts_of_runs_are_exact_for_any_text(parts: list[str]) -> None:
    document = cv.Document("".join(parts), language="en")
    tokens = TokenMap.of(document, TOKENIZER)
    segments = semantic_segments(document)
    counts = run_counts(segments.starts, segments.ends, tokens)
    for first in range(len(segments)):
        for last in range(first, len(segments)):
            assert counts.count(first, last) == tokens.count(int(segments.starts[first]), int(segments.ends[last]))
