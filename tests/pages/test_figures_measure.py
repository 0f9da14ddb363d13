"""The pictures of sweeps, against numbers worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkviz.strategies import Recursive, Semantic
from chunkviz.ui.figures_measure import Point, front, pareto, sweep_line, sweep_map
from chunkviz.ui.measure_sweep import offered, spread, swept_parameters


def point(*values: float, mean: float = 0.5, recall: float = 0.5, tokens: float = 100) -> Point:
    return Point(values, mean, mean - 0.1, mean + 0.2, recall, tokens)


def test_the_front_holds_what_nothing_beats() -> None:
    points = [point(1, recall=r, tokens=t) for r, t in [(0.5, 300), (0.4, 100), (0.5, 200), (0.9, 400), (0.3, 150)]]
    assert front(points) == [1, 2, 3]


def test_of_equal_points_the_first_is_on_the_front() -> None:
    assert front([point(1, recall=0.5, tokens=100), point(2, recall=0.5, tokens=100)]) == [0]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_the_front_is_the_naive_one(pairs: list[tuple[int, int]]) -> None:
    points = [point(1, recall=recall / 4, tokens=tokens) for recall, tokens in pairs]

    def beaten(recall: int, tokens: int) -> bool:
        return any(r >= recall and t <= tokens and (r, t) != (recall, tokens) for r, t in pairs)

    best = {pair for pair in pairs if not beaten(*pair)}
    assert {pairs[place] for place in front(points)} == best
    assert len(front(points)) == len(best)


def test_a_line_has_its_intervals_and_marks_the_current_setting() -> None:
    figure = sweep_line([point(128, mean=0.4), point(256, mean=0.6)], "Chunk size", "Recall at k", current=1)
    (line,) = figure.data
    assert list(line.x) == [128, 256]
    assert list(line.y) == [0.4, 0.6]
    assert list(line.error_y.array) == pytest.approx([0.2, 0.2])
    assert list(line.error_y.arrayminus) == pytest.approx([0.1, 0.1])
    assert line.hovertext[1] == "Chunk size 256<br>Recall at k 0.60 [0.50, 0.80]<br>100 tokens a question"
    assert list(line.marker.color) == ["#5b84e6", "#e08a1e"]
    assert [list(each) for each in line.customdata] == [[0], [1]]


def test_a_map_leaves_empty_what_was_not_measured() -> None:
    points = [point(128, 0, mean=0.1), point(256, 0, mean=0.2), point(256, 64, mean=0.3)]
    heat, marks = sweep_map(points, ("Chunk size", "Chunk overlap"), "IoU at k").data
    assert list(heat.y) == ["128", "256"]
    assert list(heat.x) == ["0", "64"]
    assert [list(row) for row in heat.z] == [[0.1, None], [0.2, 0.3]]
    assert list(marks.text) == ["0.10", "0.20", "0.30"]
    assert list(marks.x) == ["0", "0", "64"]


def test_a_map_has_the_places_of_all_that_is_swept_before_they_are_measured() -> None:
    heat, _ = sweep_map([point(256, 0, mean=0.2)], ("Size", "Overlap"), "IoU", axes=([128, 256], [0, 64, 96])).data
    assert list(heat.y) == ["128", "256"]
    assert list(heat.x) == ["0", "64", "96"]
    assert [list(row) for row in heat.z] == [[None, None, None], [0.2, None, None]]


def test_numbers_of_a_map_can_be_read_on_light_and_dark() -> None:
    def colours(*, dark: bool) -> list[str]:
        points = [point(128, 0, mean=0.1), point(256, 0, mean=0.9)]
        return list(sweep_map(points, ("Chunk size", "Chunk overlap"), "IoU at k", dark=dark).data[1].textfont.color)

    assert colours(dark=False) == ["#1d2230", "#ffffff"]
    assert colours(dark=True) == ["#ffffff", "#ffffff"]


def test_recall_stands_against_tokens_with_the_front_filled() -> None:
    points = [point(1, recall=0.9, tokens=50), point(2, recall=0.5, tokens=80)]
    line, marks = pareto(points, ["Chunk size"]).data
    assert list(line.x) == [50]
    assert list(marks.symbol if hasattr(marks, "symbol") else marks.marker.symbol) == ["circle", "circle-open"]
    assert list(marks.y) == [0.9, 0.5]


def test_values_are_spread_over_steps_and_keep_their_ends() -> None:
    assert spread(32, 2048, 32, 5, whole=True) == [32, 544, 1056, 1536, 2048]
    assert spread(0.0, 1.0, 0.05, 3, whole=False) == [0.0, 0.5, 1.0]
    assert spread(1, 3, 1, 12, whole=True) == [1, 2, 3]


def test_what_is_swept_is_what_has_a_slider() -> None:
    assert [each.name for each in swept_parameters(Recursive())] == ["chunk_size", "chunk_overlap"]


def test_the_range_is_that_of_the_unit_and_of_the_mode() -> None:
    (size, _) = swept_parameters(Recursive())
    tokens, characters = offered(Recursive(), size), offered(Recursive(unit="characters"), size)
    assert tokens[:2] == (32, 2048)
    assert characters != tokens
    threshold = next(each for each in swept_parameters(Semantic()) if each.name == "threshold")
    percent = offered(Semantic(threshold_mode="percentile", threshold=90), threshold)
    assert percent[1] > 1 >= offered(Semantic(threshold_mode="absolute", threshold=0.5), threshold)[1]
