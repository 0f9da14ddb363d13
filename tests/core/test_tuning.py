"""What each threshold would give: hand-worked sweeps, the strategy itself as the naive twin, and suggestions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.errors import Cancelled, ParameterError
from chunkviz.samples import load_sample
from chunkviz.thresholds import shortest_between
from chunkviz.tuning import (
    MOST_PLACES,
    Outcome,
    Suggestion,
    Sweep,
    Target,
    Tuning,
    Withheld,
    plateaus,
    suggest,
    sweep,
    tunable,
)
from chunkviz.vectors import self_similarity, unit_rows
from tests.core.test_laws import texts
from tests.core.toys import Const, Hashed, Topic, Words

WORDS = Words()
LADDER = "Bread one. Bread two. The lamp. A quark three. A quark four here. Bread five."
"""Neighbours' similarities by ``Topic``: 1, 0.7, 0.7, 1, 0."""


def chunked(
    text: str | cv.Document, embedder: Any = None, strategy: str = "semantic", **parameters: Any
) -> cv.Chunking:
    given = {"min_chunk_size": 1, **parameters} if strategy == "semantic" else parameters
    services = cv.Services(tokenizer=WORDS, embedder=embedder or Topic())
    return cv.get_strategy(strategy, **given).chunk(text, services)


def rows(found: Sweep) -> list[tuple[float, int, float, int]]:
    return [(each.threshold, each.chunks, each.median, each.largest) for each in found.outcomes]


def test_a_sweep_has_one_row_for_each_place_between_the_values() -> None:
    found = sweep(chunked(LADDER))
    # Words of the sentences: 2 2 2 3 4 2. Then the 0 parts the last; then both places of 0.7 part as well.
    assert rows(found) == [(0.0, 1, 15.0, 15), (0.35, 2, 7.5, 13), (0.85, 4, 3.0, 7)]
    assert (found.complete, found.mode, found.noun, found.places) == (True, "absolute", "chunks", 3)
    assert [each.share_over(2) for each in found.outcomes] == [1.0, 0.5, 0.5]
    assert [each.p95 for each in found.outcomes] == [15.0, pytest.approx(12.45), pytest.approx(6.55)]


def test_a_minimum_of_sentences_a_joined_group_and_a_maximum_are_kept() -> None:
    assert [row[1] for row in rows(sweep(chunked(LADDER, min_chunk_size=3)))] == [1, 2, 2]
    assert [row[1] for row in rows(sweep(chunked(LADDER, min_size=3)))] == [1, 1, 2]
    assert [row[3] for row in rows(sweep(chunked(LADDER, max_chunk_size=5)))] == [5, 5, 4]


def test_thresholds_asked_for_are_measured_as_they_are() -> None:
    found = sweep(chunked(LADDER), thresholds=(0.9, 0.1, -1.0))
    assert rows(found) == [(-1.0, 1, 15.0, 15), (0.1, 2, 7.5, 13), (0.9, 4, 3.0, 7)]


def test_a_parent_child_strategy_counts_its_parents() -> None:
    text = "Bread one.\n\nBread two.\n\nA quark three.\n\nA gluon four.\n\nDough five."
    found = sweep(chunked(text, strategy="semantic_parent_child"))
    assert found.noun == "parents"
    assert rows(found) == [(0.0, 1, 12.0, 12), (0.5, 3, 4.0, 6)]


def measured(chunking: cv.Chunking) -> tuple[int, float, float, int]:
    made = chunking.parents or chunking.chunks
    counts = [chunk.token_count for chunk in made]
    if not counts:
        return 0, 0.0, 0.0, 0
    return len(made), float(np.median(counts)), float(np.percentile(counts, 95)), max(counts)


def the_strategy_itself(chunking: cv.Chunking, outcome: Outcome, mode: str) -> cv.Chunking:
    """Return what the strategy makes at this setting: the slow way to the same numbers."""
    given = {**chunking.strategy.model_dump(), "threshold": outcome.setting, "threshold_mode": mode}
    services = cv.Services(tokenizer=WORDS, embedder=Hashed())
    return cv.get_strategy(chunking.strategy.name, **given).chunk(chunking.document, services)


@settings(max_examples=60, deadline=None)
@given(
    text=st.one_of(
        texts,
        st.lists(
            st.sampled_from(["Bread a.", "One two three.", "A b c d e.", "# H", "", "x\n\ny z."]), max_size=25
        ).map("\n".join),
    ),
    mode=st.sampled_from(["absolute", "percentile", "gradient"]),
    strategy=st.sampled_from(["semantic", "semantic_parent_child"]),
    minimum=st.integers(1, 4),
    smallest=st.integers(0, 6),
    largest=st.integers(7, 30),
)
def test_every_row_is_what_the_strategy_makes_at_that_setting(
    text: str, mode: str, strategy: str, minimum: int, smallest: int, largest: int
) -> None:
    given: dict[str, Any] = {"threshold_mode": mode}
    if strategy == "semantic":
        given |= {"min_chunk_size": minimum, "min_size": smallest, "max_chunk_size": largest}
    else:
        given |= {"max_parent_size": largest, "max_child_size": 5}
    chunking = chunked(cv.Document(text, name="a.md"), Hashed(), strategy, **given)
    tuning = Tuning(chunking)
    found = tuning.sweep()
    assert found.complete
    thresholds = [each.threshold for each in found.outcomes]
    assert thresholds == sorted(thresholds)
    for each in found.outcomes:
        again = the_strategy_itself(chunking, each, found.mode)
        assert (each.chunks, each.median, each.p95, each.largest) == measured(again)
    now = chunking.evidence.curve
    assert now is not None
    assert now.threshold is not None
    here = tuning.at(now.threshold)
    assert (here.chunks, here.median, here.p95, here.largest) == measured(chunking)


def test_nothing_is_embedded_for_another_threshold() -> None:
    class Once(Topic):
        calls = 0

        def embed(self, texts: Any, /) -> Any:
            type(self).calls += 1
            return super().embed(texts)

    chunking = chunked(LADDER, Once())
    tuning = Tuning(chunking)
    suggest(tuning, tuning.sweep(), Target("median", 5))
    assert Once.calls == 1


def test_a_long_document_is_swept_at_its_ends_and_widest_gaps_and_evenly_between() -> None:
    class Scattered:
        name = "scattered"

        def embed(self, texts: Any, /) -> Any:
            return np.random.default_rng(7).normal(size=(len(texts), 8)).astype(np.float32)

    document = cv.Document(" ".join(f"Sentence number {i}." for i in range(900)), language="en")
    tuning = Tuning(chunked(document, Scattered()))
    found = tuning.sweep()
    assert tuning.places > MOST_PLACES
    assert 100 < len(found) <= MOST_PLACES
    assert not found.complete
    assert (found.outcomes[0].place, found.outcomes[-1].place) == (0, tuning.places - 1)
    widest = int(np.diff(tuning._distinct).argmax()) + 1
    assert widest in {each.place for each in found.outcomes}


def test_a_sweep_can_be_stopped_and_tells_how_far_it_is() -> None:
    told: list[float] = []
    Tuning(chunked(LADDER)).sweep(report=told.append)
    assert told == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3), 1.0]

    def stop(_share: float) -> None:
        message = "stopped"
        raise Cancelled(message)

    with pytest.raises(Cancelled):
        Tuning(chunked(LADDER)).sweep(report=stop)


def test_plateaus_are_the_stretches_that_give_the_same_chunks() -> None:
    found = sweep(chunked(LADDER, min_chunk_size=3))
    # Of three places the upper two cut behind the third sentence; only in the middle one is it another cut.
    assert [(p.low, round(p.high, 3), p.outcome.chunks, p.edge) for p in plateaus(found)] == [
        (-1.0, 0.0, 1, True),
        (0.0, 0.707, 2, False),
        (pytest.approx(0.707, abs=1e-3), 1.0, 2, True),
    ]
    alike = sweep(chunked(LADDER, min_chunk_size=9))
    assert [(p.low, p.high, p.outcome.chunks, p.edge) for p in plateaus(alike)] == [(-1.0, 1.0, 1, True)]


def test_places_that_were_skipped_are_never_said_to_be_alike() -> None:
    tuning = Tuning(chunked(LADDER, min_chunk_size=9))
    assert len(plateaus(tuning.sweep(thresholds=(0.0, 1.0)))) == 2


def test_three_suggestions_with_their_outcomes_and_reasons() -> None:
    document = load_sample("essay")
    tuning = Tuning(chunked(document, Hashed()))
    found = tuning.sweep()
    knee, plateau, target = suggest(tuning, found, Target("count", 12))
    assert isinstance(knee, Suggestion)
    assert isinstance(plateau, Suggestion)
    assert isinstance(target, Suggestion)
    assert target.outcome.chunks == min((each.chunks for each in found.outcomes), key=lambda n: abs(n - 12))
    most = found.outcomes[-1].chunks
    choosing = [p for p in plateaus(found) if not p.edge and p.outcome.chunks - 1 <= (most - 1) / 2]
    assert plateau.outcome == max(choosing, key=lambda p: p.width).outcome
    assert plateau.outcome.low < plateau.outcome.threshold <= plateau.outcome.high
    assert [each.kind for each in (knee, plateau, target)] == ["knee", "plateau", "target"]
    assert all(each.reason.endswith(".") for each in (knee, plateau, target))


@pytest.mark.parametrize("text", ["", "   ", "One sentence.", "One here. And two.", "Same here. " * 9], ids=repr)
@pytest.mark.parametrize("strategy", ["semantic", "semantic_parent_child"])
def test_documents_with_nothing_to_choose_say_so(text: str, strategy: str) -> None:
    tuning = Tuning(chunked(text, Const(), strategy))
    knee, plateau, target = suggest(tuning, tuning.sweep(), Target("median", 5))
    assert isinstance(knee, Withheld)
    assert isinstance(plateau, Withheld)
    assert isinstance(target, Suggestion)
    assert "knee needs a curve" in knee.reason


def test_a_target_is_met_as_nearly_as_any_threshold_can() -> None:
    tuning = Tuning(chunked(LADDER))
    for number, chunks in ((1, 1), (2, 2), (3, 2), (4, 4), (99, 4)):
        found = tuning.solve(Target("count", number))
        assert isinstance(found, Suggestion)
        assert found.outcome.chunks == chunks
    median = tuning.solve(Target("median", 7))
    assert isinstance(median, Suggestion)
    assert (median.outcome.threshold, median.outcome.median) == (0.35, 7.5)


def test_nothing_above_a_number_takes_the_fewest_chunks_or_says_that_it_cannot() -> None:
    tuning = Tuning(chunked(LADDER))
    found = tuning.solve(Target("largest", 13))
    assert isinstance(found, Suggestion)
    assert (found.outcome.threshold, found.outcome.largest, found.outcome.chunks) == (0.35, 13, 2)
    assert tuning.solve(Target("largest", 6)) == Withheld(
        "target",
        "No threshold keeps all chunks within 6 tokens: the largest has at least 7. A smaller maximum size does.",
    )
    with pytest.raises(ParameterError, match="number of a target must be at least 1, not 0"):
        Target("count", 0)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["count", "median", "largest"]), st.integers(1, 400), st.booleans())
def test_after_a_full_sweep_no_measured_threshold_is_nearer(aim: Any, number: int, swept: bool) -> None:  # noqa: FBT001
    tuning = Tuning(chunked(load_sample("essay"), Hashed(), min_chunk_size=2))
    found = tuning.sweep() if swept else None
    solved = tuning.solve(Target(aim, number))
    outcomes = found.outcomes if found else (tuning.at(0.0), tuning.at(1.0))
    if isinstance(solved, Withheld):
        assert min(each.largest for each in outcomes) > number
    elif aim == "largest":
        assert solved.outcome.largest <= number
        assert found is None or solved.outcome.chunks == min(e.chunks for e in outcomes if e.largest <= number)
    else:
        of = "chunks" if aim == "count" else "median"
        gap = abs(getattr(solved.outcome, of) - number)
        assert found is None or gap == min(abs(getattr(each, of) - number) for each in outcomes)


def test_a_gradient_is_set_in_percent_of_places() -> None:
    chunking = chunked(load_sample("essay"), Hashed(), threshold_mode="gradient")
    tuning = Tuning(chunking)
    found = tuning.sweep()
    assert found.mode == "gradient"
    assert all(0 <= each.setting <= 100 for each in found.outcomes)
    few = tuning.solve(Target("count", 9))
    assert isinstance(few, Suggestion)
    again = the_strategy_itself(chunking, few.outcome, "gradient")
    assert len(again) == few.outcome.chunks


def test_only_a_threshold_can_be_tuned() -> None:
    for other in (cv.Recursive(), cv.ClusterSemantic()):
        chunking = other.chunk("One. Two. Three.")
        assert not tunable(chunking)
        with pytest.raises(ParameterError, match="made by a strategy with a threshold"):
            Tuning(chunking)
    assert tunable(chunked(LADDER))


@given(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32))
def test_the_short_number_lies_between_as_float32_too(one: float, other: float) -> None:
    low, high = sorted((one, other))
    if low < high:
        short = shortest_between(low, high)
        assert np.float32(low) < np.float32(short) <= np.float32(high)
    assert shortest_between(0.3, 0.42) == 0.36
    assert str(shortest_between(-0.003, 0.001)) == "0.0"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(1, 12), st.integers(0, 2**31))
def test_the_small_matrix_is_the_mean_of_the_whole_one(count: int, most: int, seed: int) -> None:
    made = np.random.default_rng(seed)
    table = unit_rows(made.normal(size=(count, 5)).astype(np.float32))
    if count > 3:
        table[2] = 0
    small = self_similarity(table, most)
    whole = table @ table.T
    assert len(small) == min(count, most)
    assert small.pooled == (count > most)
    for row in range(len(small)):
        for column in range(len(small)):
            one = range(int(small.edges[row]), int(small.edges[row + 1]))
            other = range(int(small.edges[column]), int(small.edges[column + 1]))
            pairs = [whole[i, j] for i in one for j in other if i != j] or [whole[i, j] for i in one for j in other]
            assert small.similarities[row, column] == pytest.approx(np.mean(pairs), abs=1e-5)


def test_every_curve_carries_its_self_similarity_and_neighbours_agree_with_it() -> None:
    for strategy in (cv.Semantic(), cv.SemanticParentChild(), cv.ClusterSemantic(), cv.Semantic(window=2)):
        curve = strategy.chunk(load_sample("essay"), cv.Services(embedder=Hashed())).evidence.curve
        assert curve is not None
        assert curve.overview is not None
        assert not curve.overview.pooled
        assert np.diag(curve.overview.similarities, 1) == pytest.approx(curve.similarities, abs=1e-5)
