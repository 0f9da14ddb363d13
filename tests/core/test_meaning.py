"""Strategies that compare neighbours: hand-worked examples, naive twins, and the rules of their sizes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.blocks import paragraphs, semantic_segments
from chunkviz.errors import Cancelled, ParameterError, ServiceError
from chunkviz.samples import load_sample
from chunkviz.strategies.cluster_semantic import best_partition
from chunkviz.thresholds import MODE_RANGES, solve
from chunkviz.vectors import neighbour_similarities, unit_rows
from tests.core.laws import assert_laws
from tests.core.test_laws import texts
from tests.core.toys import Const, Hashed, OneShort, Topic, toy

BAKERY = "Bread needs dough. Knead the dough well. A quark binds with a gluon. Quark jets spread out."


def services(embedder: Any, **others: Any) -> cv.Services:
    return cv.Services(embedder=embedder, **others)


def spans(chunking: cv.Chunking) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in chunking]


def test_a_change_of_topic_is_a_boundary_and_its_reason_says_how_similar() -> None:
    chunking = cv.Semantic(min_chunk_size=1).chunk(BAKERY, services(Topic()))
    assert spans(chunking) == [(0, 40), (41, 91)]
    assert chunking.boundary_reasons == ("similarity 0.00 < 0.50", "end of document")
    curve = chunking.evidence.curve
    assert curve is not None
    assert curve.similarities.tolist() == [1.0, 0.0, 1.0]
    assert (curve.threshold, curve.mode, curve.setting) == (0.5, "absolute", 0.5)
    assert curve.cuts_for(0.5).tolist() == [1]
    assert curve.cuts_for(1.01).tolist() == [0, 1, 2]
    assert [cuts.tolist() for cuts in curve.cuts_for_many([0.5, 1.01])] == [[1], [0, 1, 2]]


def test_a_chunk_has_at_least_so_many_sentences_before_it_may_end() -> None:
    text = "Bread one. A quark two. Bread three. A quark four. Bread five. A quark six. Bread seven."
    chunking = cv.Semantic(min_chunk_size=3).chunk(text, services(Topic()))
    assert [chunk.text for chunk in chunking] == [
        "Bread one. A quark two. Bread three.",
        "A quark four. Bread five. A quark six.",
        "Bread seven.",
    ]


def test_a_small_group_joins_its_more_similar_neighbour_where_the_limit_allows() -> None:
    text = "Bread one. Bread two. The lamp. A quark three. A quark four."
    plain: dict[str, Any] = {"threshold": 0.9, "min_chunk_size": 1, "unit": "characters"}
    assert [c.text for c in cv.Semantic(**plain).chunk(text, services(Topic()))] == [
        "Bread one. Bread two.",
        "The lamp.",
        "A quark three. A quark four.",
    ]
    # Both neighbours are equally similar: the one before wins, unless it would be too large.
    joined = cv.Semantic(**plain, min_size=15).chunk(text, services(Topic()))
    assert [c.text for c in joined] == ["Bread one. Bread two. The lamp.", "A quark three. A quark four."]
    tight = cv.Semantic(**plain, min_size=15, max_chunk_size=30).chunk(text, services(Topic()))
    assert [c.text for c in tight] == ["Bread one. Bread two.", "The lamp.", "A quark three. A quark four."]


def test_a_group_above_the_limit_is_split_between_sentences() -> None:
    text = "The lamp is on. " * 6
    chunking = cv.Semantic(max_chunk_size=40, unit="characters").chunk(text, services(Const()))
    assert spans(chunking) == [(0, 31), (32, 63), (64, 95)]
    limit = "sentence, size limit 40 characters"
    assert chunking.boundary_reasons == (limit, limit, "end of document")
    assert cv.Semantic(max_chunk_size=4).chunk(text, services(Const())).boundary_reasons[0] == (
        "word, size limit 4 tokens"
    )


def test_a_heading_is_never_parted_from_what_it_announces() -> None:
    text = "Bread is baked.\n\n# Quarks\n\nBread is eaten.\n"
    document = cv.Document(text, name="a.md")
    segments = semantic_segments(document)
    assert [text[a:b] for a, b in zip(segments.starts, segments.ends, strict=True)] == [
        "Bread is baked.",
        "# Quarks",
        "Bread is eaten.",
    ]
    chunking = cv.Semantic(min_chunk_size=1).chunk(document, services(Topic()))
    assert [chunk.text for chunk in chunking] == ["Bread is baked.", "# Quarks\n\nBread is eaten."]


def test_lists_tables_quotes_and_fences_are_whole_segments() -> None:
    blocks = [
        "One sentence.",
        "Two here.",
        "- a. b.\n- c. d.",
        "| x | y |\n|---|---|\n| 1. | 2. |",
        "> Said. Done.",
        "```\nx = 1. y = 2.\n\nz. w.\n```",
        "Last one.",
    ]
    text = f"{blocks[0]} {blocks[1]}\n\n" + "\n\n".join(blocks[2:]) + "\n"
    segments = semantic_segments(cv.Document(text, language="en"))
    assert [text[a:b] for a, b in zip(segments.starts, segments.ends, strict=True)] == blocks


def test_paragraphs_keep_fences_whole_and_headings_with_what_they_announce() -> None:
    text = "# A\n\nFirst. Second.\n\n## B\n\n```\none\n\ntwo\n```\n\nLast.\n"
    segments = paragraphs(cv.Document(text))
    assert [text[a:b] for a, b in zip(segments.starts, segments.ends, strict=True)] == [
        "# A\n\nFirst. Second.",
        "## B\n\n```\none\n\ntwo\n```",
        "Last.",
    ]


@pytest.mark.parametrize("mode", MODE_RANGES)
def test_every_mode_resolves_to_a_threshold_that_gives_the_same_chunks_when_set_outright(mode: str) -> None:
    text = " ".join(f"Bread {i}. The lamp {i}. A quark {i}. Dough {i} rises {i % 7} times." for i in range(30))
    chosen = cv.Semantic(threshold_mode=mode, min_chunk_size=2).chunk(text, services(Hashed()))  # type: ignore[arg-type]
    curve = chosen.evidence.curve
    assert curve is not None
    assert curve.threshold is not None
    assert spans(chosen)[-1][1] == len(text)
    if mode != "gradient":
        outright = cv.Semantic(threshold=curve.threshold, min_chunk_size=2).chunk(text, services(Hashed()))
        assert spans(outright) == spans(chosen)


def test_a_target_of_as_many_chunks_as_segments_cuts_at_every_pair() -> None:
    strategy = cv.Semantic(threshold=3, threshold_mode="target_count", min_chunk_size=1)
    assert len(strategy.chunk("One cat. \n\nTwo dogs. \n\nThree owls.")) == 3


def test_targets_are_met_as_nearly_as_the_text_allows() -> None:
    document = load_sample("essay")
    for count in (1, 7, 25, 60):
        chosen = cv.Semantic(threshold=count, threshold_mode="target_count", min_chunk_size=1, max_chunk_size=10_000)
        assert len(chosen.chunk(document, services(Hashed()))) == pytest.approx(count, abs=1)
    sized = cv.Semantic(threshold=100, threshold_mode="target_size", min_chunk_size=1).chunk(
        document, services(Hashed())
    )
    assert 85 <= np.median(sized.token_counts) <= 115


def test_a_threshold_left_out_starts_from_its_mode_and_a_wrong_one_is_refused_in_its_terms() -> None:
    assert cv.Semantic().threshold == 0.5
    assert cv.Semantic(threshold_mode="percentile").threshold == 20.0
    with pytest.raises(ParameterError, match=r"threshold must be from 0 to 100 when threshold_mode is 'percentile'"):
        cv.Semantic(threshold=120, threshold_mode="percentile")
    with pytest.raises(ParameterError, match=r"threshold must be from -1 to 1 when threshold_mode is 'absolute'"):
        cv.SemanticParentChild(threshold=20)


def naive_cuts(similarities: list[float], threshold: float, minimum: int, allowed: list[bool]) -> list[int]:
    cuts, length = [], 1
    for place, similarity in enumerate(similarities):
        if similarity < threshold and length >= minimum and allowed[place]:
            cuts.append(place)
            length = 0
        length += 1
    return cuts


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans()), max_size=40),
    st.sampled_from([-1.0, 0.0, 0.3, 0.5, 1.0, 2.0]),
    st.integers(1, 6),
)
def test_cuts_are_those_of_the_plain_loop(pairs: list[tuple[float, bool]], threshold: float, minimum: int) -> None:
    values, allowed = [value for value, _ in pairs], [able for _, able in pairs]
    found = cv.cuts_for(values, threshold, minimum, np.array(allowed, np.bool_))
    assert found.tolist() == naive_cuts(values, threshold, minimum, allowed)
    assert cv.cuts_for(values, threshold, minimum).tolist() == naive_cuts(values, threshold, minimum, [True] * 40)


def test_a_threshold_above_nearly_everything_is_a_note() -> None:
    essay = load_sample("essay")
    for strategy in (cv.Semantic(), cv.SemanticParentChild()):
        (note,) = strategy.chunk(essay).evidence.notes
        assert note.endswith(
            "% of the neighbours are less similar than the threshold 0.50 with the embedder 'lexical', so the "
            "threshold chooses nothing; try threshold_mode='percentile'."
        )
    assert cv.Semantic(threshold_mode="percentile").chunk(essay).evidence.notes == ()
    assert cv.Semantic(threshold=0.05).chunk(essay).evidence.notes == ()
    assert cv.Semantic().chunk(BAKERY).evidence.notes == ()  # three neighbours tell nothing


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 900),
    st.sampled_from([1, 2, 3, 5, 7, 8, 9, 12, 13, 16, 17, 63, 64, 65, 1000]),
    st.sampled_from([0.0, 0.05, 0.5]),
)
def test_cuts_at_many_thresholds_are_those_at_each(seed: int, count: int, minimum: int, forbidden: float) -> None:
    random = np.random.default_rng(seed)
    signal = random.normal(size=count).astype(np.float32)
    allowed = random.random(count) >= forbidden
    thresholds = [-9.0, *random.choice(signal, 5).tolist(), 0.0, 0.75, 9.0] if count else [0.0, 1.0]
    found = cv.cuts_for_many(signal, thresholds, minimum, allowed if forbidden else None)
    for threshold, cuts in zip(thresholds, found, strict=True):
        assert cuts.tolist() == naive_cuts(signal.tolist(), threshold, minimum, allowed.tolist())
    assert all(cuts.dtype == np.int64 for cuts in found)


def test_many_thresholds_of_a_long_document_are_taken_some_at_a_time() -> None:
    signal = np.random.default_rng(7).random(300_000).astype(np.float32)
    thresholds = np.linspace(0, 1, 30).tolist()
    found = cv.cuts_for_many(signal, thresholds, 5)
    assert [len(cuts) for cuts in found] == [len(cv.cuts_for(signal, value, 5)) for value in thresholds]
    assert cv.cuts_for_many([0.5, 0.1], []) == []
    assert [cuts.tolist() for cuts in cv.cuts_for_many([0.5, 0.1], [0.2, 1])] == [[1], [0, 1]]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=30), st.integers(1, 30))
def test_the_solver_finds_the_nearest_count_without_a_minimum_size(values: list[float], target: int) -> None:
    array = np.array(values, np.float64)
    found = solve(array, target, lambda value: float((array < value).sum()), rising=True)
    reachable = [int((array < value).sum()) for value in [*values, 2.0]]
    assert abs((array < found).sum() - target) == min(abs(count - target) for count in reachable)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_the_partition_is_the_best_of_all_partitions(count: int, longest: int, seed: int) -> None:
    rows = unit_rows(np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32))
    lows = [max(0, last - longest + 1) for last in range(count)]
    cosines = rows.astype(np.float64) @ rows.astype(np.float64).T
    pairs = list(itertools.combinations(range(count), 2))
    mean = sum(cosines[a, b] for a, b in pairs) / len(pairs) if pairs else 0.0

    def reward(firsts: list[int]) -> float:
        return sum(
            cosines[a, b] - mean
            for first, behind in itertools.pairwise([*firsts, count])
            for a, b in itertools.combinations(range(first, behind), 2)
        )

    every = [
        [0, *cuts]
        for size in range(count)
        for cuts in itertools.combinations(range(1, count), size)
        if all(behind - first <= longest for first, behind in itertools.pairwise([0, *cuts, count]))
    ]
    assert reward(best_partition(rows, lows)) == pytest.approx(max(map(reward, every)), abs=1e-5)


def test_the_best_partition_sees_what_a_look_at_neighbours_does_not() -> None:
    text = "Bread one. Dough two. The lamp three. A quark four. A gluon five."
    chunking = cv.ClusterSemantic(piece_size=5, max_chunk_size=100).chunk(text, services(Topic()))
    assert chunking[0].text.startswith("Bread one. Dough two.")
    assert chunking.boundary_reasons[-1] == "end of document"
    assert set(chunking.boundary_reasons[:-1]) == {"best partition"}


def test_zero_and_broken_vectors_are_similar_to_nothing() -> None:
    rows = unit_rows(np.array([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [6, 8], [3, 4]], np.float32))
    assert rows.tolist() == [[0.6000000238418579, 0.800000011920929], [0, 0], [0, 0], [0, 0]] + [rows[0].tolist()] * 2
    assert neighbour_similarities(rows).tolist() == [0.0, 0.0, 0.0, 0.0, pytest.approx(1.0)]


def test_each_distinct_segment_is_embedded_once_and_a_slider_embeds_nothing() -> None:
    document, embedder = cv.Document("The lamp is on. The lamp is on. Bread."), Topic()
    first = cv.Semantic().chunk(document, services(embedder))
    assert embedder.given == ["The lamp is on.", "Bread."]
    second = cv.Semantic(threshold=0.9, min_chunk_size=1).chunk(document, services(embedder))
    assert len(embedder.given) == 2
    assert (len(first), len(second)) == (1, 2)


def test_no_text_above_the_embedders_limit_reaches_it() -> None:
    embedder = Topic(max_tokens=16)
    text = " ".join(f"w{number}" for number in range(100)) + ". Short one."
    words = toy("ws-words")
    chunking = cv.Semantic(max_chunk_size=40).chunk(text, cv.Services(tokenizer=words, embedder=embedder))
    assert max(words.count(given) for given in embedder.given) == 16
    assert sum(words.count(given) for given in embedder.given) == 102
    assert len(chunking) == 3


def test_a_wrong_number_of_vectors_is_an_error_with_both_numbers() -> None:
    with pytest.raises(ServiceError, match=r"'one-vector-short' must give one vector for each of 4 texts, not 3"):
        cv.Semantic().chunk("One here. Two here. Three here. Four here.", services(OneShort()))


def test_long_embedding_tells_its_progress_and_can_be_stopped() -> None:
    class InTens(Topic):
        batch = 10

    text = " ".join(f"Sentence number {number}." for number in range(40))
    told: list[tuple[float, int]] = []
    embedder = InTens()
    cv.Semantic().chunk(text, services(embedder, report=lambda share: told.append((share, len(embedder.given)))))
    assert told == sorted(told)
    assert {given for _, given in told} == {0, 10, 20, 30, 40}
    after = {given: share for share, given in reversed(told) if given > 0}
    assert after[20] - after[10] == pytest.approx(after[30] - after[20])
    assert after[20] - after[10] > 0.1

    def stop(_share: float) -> None:
        if len(stopped.given) == 20:
            raise Cancelled

    stopped = InTens()
    with pytest.raises(Cancelled):
        cv.Semantic().chunk(cv.Document(text), services(stopped, report=stop))
    assert len(stopped.given) == 20


def test_similar_paragraphs_share_a_parent_and_each_is_a_child() -> None:
    text = "# Kitchen\n\nBread first.\n\nDough next.\n\nA quark.\n\nA gluon.\n"
    chunking = cv.SemanticParentChild().chunk(text, services(Topic()))
    assert [chunk.text for chunk in chunking] == ["# Kitchen\n\nBread first.", "Dough next.", "A quark.", "A gluon."]
    assert [parent.text for parent in chunking.parents] == [
        "# Kitchen\n\nBread first.\n\nDough next.",
        "A quark.\n\nA gluon.",
    ]
    assert [chunk.parent is chunking.parents[place] for chunk, place in zip(chunking, (0, 0, 1, 1), strict=True)]
    assert chunking.boundary_reasons == ("paragraph", "similarity 0.00 < 0.50", "paragraph", "end of document")


def test_hierarchical_children_lie_in_their_parents_at_every_level() -> None:
    text = "\n\n".join(f"Part {i}. " + "Some words repeat here. " * 6 for i in range(6))
    chunking = cv.Hierarchical(parent_chunk_size=320, chunk_size=60, chunk_overlap=0, max_levels=3).chunk(text)
    assert cv.Hierarchical(parent_chunk_size=320, chunk_size=60, chunk_overlap=0, max_levels=3).sizes == (320, 139, 60)
    assert {parent.level for parent in chunking.parents} == {1, 2}
    for chunk in chunking:
        assert chunk.parent is not None
        assert chunk.parent.level == 1
        assert chunk.span in chunk.parent.span
        assert chunk.parent.parent is not None
        assert chunk.parent.span in chunk.parent.parent.span
    assert {len(parent.text) <= {1: 139, 2: 320}[parent.level] for parent in chunking.parents} == {True}


def test_a_short_text_is_one_child_of_one_parent() -> None:
    chunking = cv.Hierarchical().chunk("Short note.")
    assert len(chunking) == len(chunking.parents) == 1
    assert chunking[0].parent is chunking.parents[0]


def test_a_sentence_is_found_alone_and_returned_with_its_neighbours() -> None:
    text = "One here. Two here. Three here. Four here. Five here."
    chunking = cv.SentenceWindow(window=1).chunk(text)
    assert [chunk.text for chunk in chunking] == ["One here.", "Two here.", "Three here.", "Four here.", "Five here."]
    assert [chunk.parent.text for chunk in chunking if chunk.parent] == [
        "One here. Two here.",
        "One here. Two here. Three here.",
        "Two here. Three here. Four here.",
        "Three here. Four here. Five here.",
        "Four here. Five here.",
    ]
    wide = cv.SentenceWindow(window=9).chunk(text)
    assert len(wide.parents) == 1
    assert len({parent.id for parent in chunking.parents}) == 5


@settings(max_examples=250, deadline=None)
@given(texts, st.integers(1, 40), st.integers(0, 12), st.integers(1, 4), st.sampled_from(["tokens", "characters"]))
def test_semantic_chunks_keep_the_laws(text: str, size: int, low: int, minimum: int, unit: str) -> None:
    strategy = cv.Semantic(
        max_chunk_size=size, min_size=min(low, size - 1), min_chunk_size=minimum, unit=unit, window=low % 3
    )  # type: ignore[arg-type]
    chunking = strategy.chunk(cv.Document(text, language="en"), services(Hashed()))
    assert_laws(chunking, size=size, overlap=0, unit=unit, tokenizer=cv.get_tokenizer())
    assert strategy.chunk(cv.Document(text, language="en"), services(Hashed())) == chunking


@settings(max_examples=250, deadline=None)
@given(texts, st.integers(2, 60), st.integers(1, 30), st.sampled_from(["tokens", "characters"]), st.data())
def test_parents_hold_their_children(text: str, parent: int, child: int, unit: str, data: st.DataObject) -> None:
    child = min(child, parent - 1)
    strategy = data.draw(
        st.sampled_from(
            [
                cv.SemanticParentChild(max_parent_size=parent, max_child_size=child, unit=unit),  # type: ignore[arg-type]
                cv.Hierarchical(
                    parent_chunk_size=parent, chunk_size=child, chunk_overlap=child // 3, unit=unit, max_levels=3
                ),  # type: ignore[arg-type]
            ]
        )
    )
    chunking = strategy.chunk(cv.Document(text, language="en"), services(Hashed()))
    assert_laws(chunking, size=child, overlap=child // 3, unit=unit, tokenizer=cv.get_tokenizer())
    measure = len if unit == "characters" else cv.get_tokenizer().count
    for each in chunking.parents:
        assert measure(each.text) <= parent or each.text == chunking.document.text.strip() or len(each.text) < 12


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(2, 40), st.integers(1, 20), st.integers(0, 3))
def test_the_other_two_keep_the_laws(text: str, size: int, piece: int, window: int) -> None:
    document = cv.Document(text, language="en")
    best = cv.ClusterSemantic(max_chunk_size=size, piece_size=min(piece, size - 1)).chunk(document, services(Hashed()))
    assert_laws(best, size=size, overlap=0, unit="tokens", tokenizer=cv.get_tokenizer())
    single = cv.SentenceWindow(window=window).chunk(document)
    assert_laws(single, size=10**9, overlap=0, unit="tokens", tokenizer=cv.get_tokenizer())
