"""The pictures of settings side by side, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkviz.ui.figures_compare import (
    MOST_POINTS,
    Strip,
    agreement_map,
    bar_code,
    budget,
    lines_of,
    token_histograms,
)


def strip(*offsets: int, shared: tuple[bool, ...] | None = None, name: str = "A one") -> Strip:
    known = np.ones(len(offsets), np.bool_) if shared is None else np.array(shared, np.bool_)
    return Strip(name, np.array(offsets, np.int64), known, "#123456")


def test_a_boundary_that_the_reference_does_not_have_is_half_a_line() -> None:
    places, heights = lines_of(strip(10, 40, 90, shared=(True, False, True)), 100, 50)
    assert places.tolist() == [10, 40, 90]
    assert heights.tolist() == [1.0, 0.5, 1.0]


def test_too_many_boundaries_are_counted_by_stretches_of_equal_length() -> None:
    # Five stretches of 20 characters: 2, 0, 1, 4, 0 boundaries.
    places, heights = lines_of(strip(0, 5, 45, 60, 61, 62, 79), 100, 5)
    assert places.tolist() == [0, 45, 60]
    assert heights.tolist() == [0.5, 0.25, 1.0]


def test_each_strip_is_one_trace_with_gaps_and_lies_below_the_one_before() -> None:
    figure = bar_code([strip(10, 20), strip(15, shared=(False,), name="B <b>two</b>")], 100)
    one, two = figure.data
    assert list(one.x) == [10, 10, None, 20, 20, None]
    assert list(one.y) == pytest.approx([1, 1.56, None, 1, 1.56, None])
    assert list(two.y) == pytest.approx([0, 0.28, None])
    assert [list(each) for each in two.customdata] == [[15], [15], [None]]
    assert two.name == "B &lt;b&gt;two&lt;/b&gt;"
    assert [each.text for each in figure.layout.annotations] == ["A one · 2", "B &lt;b&gt;two&lt;/b&gt; · 1"]


def test_a_setting_without_boundaries_has_an_empty_strip() -> None:
    (trace,) = bar_code([strip()], 1).data
    assert list(trace.x) == []


@settings(deadline=None)
@given(st.lists(st.integers(0, 400_000), max_size=6), st.integers(1, 2_000_000))
def test_a_bar_code_never_has_more_points_than_the_browser_draws_well(sizes: list[int], length: int) -> None:
    most = budget(len(sizes))
    total = 0
    for size in sizes:
        offsets = np.unique(np.linspace(0, length, min(size, 20_000)).astype(np.int64))
        places, heights = lines_of(strip(*offsets.tolist()), length, most)
        assert len(places) == len(heights) <= most + 1  # the last offset may be the length itself
        assert set(places.tolist()) <= set(offsets.tolist())
        assert ((heights > 0) & (heights <= 1)).all()
        total += 3 * len(places)
    assert total <= MOST_POINTS + 3 * len(sizes)


def test_histograms_share_their_bins_and_differ_in_more_than_colour() -> None:
    counts = {"A one": np.array([5, 15, 16]), "B two": np.array([25])}
    one, two = token_histograms(counts, np.array([0, 10, 20, 30]), ["#111111", "#222222"]).data
    assert list(one.x) == list(two.x) == [5, 15, 25]
    assert list(one.y) == pytest.approx([1 / 3, 2 / 3, 0])
    assert list(two.y) == [0, 0, 1]
    assert [list(each) for each in one.customdata] == [[0, 9, 1], [10, 19, 2], [20, 29, 0]]
    assert (one.line.dash, two.line.dash) == ("solid", "dash")
    assert (one.marker.symbol, two.marker.symbol) == ("circle", "square")


def test_a_map_writes_its_numbers_and_a_dash_where_there_is_none() -> None:
    heat, text = agreement_map(["A one", "B two"], [[1.0, 0.25], [0.25, None]], "#111111").data
    assert list(heat.x) == ["A", "B"]
    assert list(heat.y) == ["A one", "B two"]
    assert list(text.text) == ["1.00", "0.25", "0.25", "–"]
    assert list(text.x) == ["A", "B", "A", "B"]
    assert list(text.y) == ["A one", "A one", "B two", "B two"]
