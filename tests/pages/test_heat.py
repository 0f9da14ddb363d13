"""How strongly chunks answer a question, in strengths that the viewer paints."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunkviz.ui.viewer.heat import heat_of


def test_the_way_to_the_best_score_is_parted_in_four() -> None:
    scores = np.array([0.0, 1.0, 2.0, 4.0, 6.0, 8.0])
    heat = heat_of(scores, {5: "BM25 8.00"}, from_zero=True, unit="BM25 score")
    assert heat.levels.tolist() == [0, 0, 1, 2, 3, 3]
    assert heat.bounds == (2.0, 4.0, 6.0)
    assert heat.head() == {
        "hits": [[5, "BM25 8.00"]],
        "bounds": ["2", "4", "6"],
        "unit": "BM25 score",
        "come": 0,
        "seek": 0,
    }


def test_cosines_are_measured_from_the_least_one_and_what_has_none_is_cold() -> None:
    heat = heat_of(np.array([0.2, 0.6, np.nan, 0.35]), {}, from_zero=False, unit="Cosine")
    assert heat.levels.tolist() == [0, 3, 0, 1]


def test_a_hit_is_never_invisible() -> None:
    heat = heat_of(np.array([0.1, 8.0]), {0: "", 1: ""}, from_zero=True, unit="")
    assert heat.levels.tolist() == [1, 3]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.booleans())
def test_a_better_score_is_never_colder(scores: list[float], from_zero: bool) -> None:  # noqa: FBT001  generated
    values = np.array(scores)
    levels = heat_of(values, {}, from_zero=from_zero, unit="").levels
    assert np.all(np.diff(levels[np.argsort(values, kind="stable")]) >= 0)
    assert levels.min() >= 0
    assert levels.max() <= 3
