"""Figures of the tuning panels as values."""

from __future__ import annotations

import numpy as np
import pytest

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.tuning import Tuning
from chunkviz.ui.figures_tuning import (
    clickable,
    colour_range,
    self_similarity_map,
    similarity_histogram,
    stretch_of,
    sweep_figure,
    wide_plateaus,
)
from chunkviz.vectors import SelfSimilarity, self_similarity, unit_rows
from tests.core.toys import Hashed, Topic, Words

LADDER = "Bread one. Bread two. The lamp. A quark three. A quark four here. Bread five."


def tuning(mode: str = "absolute") -> Tuning:
    strategy = cv.Semantic(min_chunk_size=1, threshold_mode=mode)  # type: ignore[arg-type]
    return Tuning(strategy.chunk(LADDER, cv.Services(tokenizer=Words(), embedder=Topic())))


def overview(count: int, most: int = 300) -> SelfSimilarity:
    rows = np.random.default_rng(3).normal(size=(count, 6)).astype(np.float32)
    return self_similarity(unit_rows(rows), most)


def test_the_sweep_draws_what_was_measured_and_a_click_names_its_row() -> None:
    made = tuning()
    found = made.sweep()
    figure = sweep_figure(found, made.at(0.5), limit=5, suggested={"1": found.outcomes[1]})
    chunks, p95, median, share, marks = figure.data
    assert chunks.x == p95.x == median.x == (0.0, 0.35, 0.85)
    assert chunks.y == (1, 2, 4)
    assert median.y == (15.0, 7.5, 3.0)
    assert p95.y == (15.0, pytest.approx(12.45), pytest.approx(6.55))
    assert share.y == (1.0, 0.5, 0.25)
    assert [point[0] for point in chunks.customdata] == [0, 1, 2]
    assert (marks.x, marks.y, marks.text) == ((0.35,), (2,), ("1",))
    lines = [shape.x0 for shape in figure.layout.shapes if shape.type == "line"]
    assert lines == [0.5, 0.5, 0.5]
    shaded = {(round(shape.x0, 3), round(shape.x1, 3)) for shape in figure.layout.shapes if shape.type == "rect"}
    assert shaded == {(0.0, 0.707)}
    assert figure.layout.xaxis3.title.text == "threshold of similarity"


def test_without_a_limit_there_is_no_panel_for_it() -> None:
    made = tuning()
    figure = sweep_figure(made.sweep(), made.at(0.5))
    assert [len(trace.x) for trace in figure.data] == [3, 3, 3, 0]
    assert [title.text for title in figure.layout.annotations] == ["chunks", "tokens of chunks: <b>median</b> and p95"]


def test_the_current_threshold_is_on_the_picture_wherever_it_is() -> None:
    made = tuning()
    for threshold in (-1.0, 0.3, 1.0):
        low, high = sweep_figure(made.sweep(), made.at(threshold)).layout.xaxis.range
        assert low < threshold < high


def test_a_gradient_is_called_one() -> None:
    made = tuning("gradient")
    figure = sweep_figure(made.sweep(), made.at(0.0))
    assert figure.layout.xaxis2.title.text == "threshold of the gradient of similarity"
    histogram = similarity_histogram(np.array([-0.5, 0.5], np.float32), 0.0, "gradient")
    assert histogram.layout.xaxis.title.text == "the gradient of similarity of neighbouring segments"


@pytest.mark.parametrize("text", ["", "One.", "One. Two.", "Same. " * 8])
def test_a_document_with_nothing_to_sweep_is_still_a_picture(text: str) -> None:
    made = Tuning(cv.Semantic().chunk(text, cv.Services(embedder=Topic())))
    found = made.sweep()
    assert wide_plateaus(found) == []
    assert len(sweep_figure(found, made.at(0.5), limit=10).data[0].x) == len(found)


def test_the_histogram_counts_every_neighbour_once_on_its_side_of_the_threshold() -> None:
    values = np.array([0.1, 0.2, 0.2, 0.3, 0.9], np.float32)
    below, others = similarity_histogram(values, 0.25).data
    assert (sum(below.y), sum(others.y)) == (3, 2)
    below, others = similarity_histogram(values).data
    assert (sum(below.y), sum(others.y)) == (0, 5)
    assert sum(similarity_histogram(np.zeros(0, np.float32), 0.5).data[0].y) == 0


def test_the_map_draws_chunks_as_squares_in_one_line_and_stays_small() -> None:
    found = overview(10)
    figure = self_similarity_map(found, np.array([0, 4], np.int64), np.array([3, 9], np.int64), selected=1, pair=(2, 7))
    heat, squares, selected, cross, places = figure.data
    assert np.asarray(heat.z).shape == (10, 10)
    assert [round(x, 1) for x in squares.x[:5]] == [0.5, 4.5, 4.5, 0.5, 0.5]
    assert np.isnan(squares.x[5])
    assert (selected.x[0], selected.y[2]) == (4.5, 10.5)
    assert (cross.x, cross.y) == ((8,), (3,))
    assert len(places.x) == 100
    large = overview(900)
    many = np.arange(900, dtype=np.int64)
    figure = self_similarity_map(large, many, many)
    assert np.asarray(figure.data[0].z).shape == (300, 300)
    assert len(figure.data[1].x) <= 4000
    assert len(figure.data[-1].x) == 3600


def test_a_click_finds_the_most_similar_pair_under_it_and_never_a_segment_with_itself() -> None:
    found = overview(120)
    places = clickable(found)
    assert len(places) == 3600
    for one, other, y, x in (places[0], places[61], places[7], places[1800]):
        rows, columns = (int(y - 0.5) // 2 * 2, int(x - 0.5) // 2 * 2)
        block = [(i, j) for i in (rows, rows + 1) for j in (columns, columns + 1) if i != j]
        best = max(block, key=lambda pair: found.similarities[pair])
        assert found.similarities[one, other] == found.similarities[best]
        assert one != other


def test_colours_spread_over_the_pairs_of_different_segments() -> None:
    low, high = colour_range(overview(50))
    assert -1 <= low < high < 1
    same = SelfSimilarity(np.arange(3), np.ones((2, 2), np.float32))
    assert colour_range(same) == (0.5, 1.5)
    assert colour_range(overview(1)) == (0.0, 1.0)
    assert colour_range(overview(0)) == (0.0, 1.0)


def test_a_segment_knows_its_stretch() -> None:
    found = overview(10, most=3)
    assert found.edges.tolist() == [0, 3, 6, 10]
    assert [stretch_of(found, segment) for segment in (0, 2, 3, 9)] == [0, 0, 1, 2]


def test_no_text_of_the_document_is_in_a_picture() -> None:
    document = load_sample("essay")
    chunking = cv.Semantic().chunk(document, cv.Services(embedder=Hashed()))
    curve = chunking.evidence.curve
    assert curve is not None
    assert curve.overview is not None
    drawn = self_similarity_map(curve.overview, np.zeros(1, np.int64), np.ones(1, np.int64)).to_json()
    assert document.text[:20] not in drawn
