"""Figures as values."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkviz.metrics import size_bins
from chunkviz.ui.figures import decimate, size_along_document, token_histogram


def test_a_bar_is_as_high_as_its_bin_is_full() -> None:
    counts = np.array([10, 11, 12, 30, 31, 95], np.int64)
    edges, bins = size_bins(counts)
    figure = token_histogram(edges, bins)
    assert sum(figure.data[0].y) == 6
    assert figure.data[0].y[0] == int(((counts >= edges[0]) & (counts < edges[1])).sum())


def test_the_limit_is_drawn_where_it_can_be_seen() -> None:
    edges, bins = size_bins(np.array([100, 400], np.int64))
    assert len(token_histogram(edges, bins, limit=256, limit_name="MiniLM").layout.shapes) == 1
    assert len(token_histogram(edges, bins, limit=8191, limit_name="large").layout.shapes) == 0
    assert len(token_histogram(edges, bins).layout.shapes) == 0


def test_no_chunks_give_an_empty_picture() -> None:
    nothing = np.array([], np.int64)
    assert sum(token_histogram(*size_bins(nothing)).data[0].y) == 0
    assert len(size_along_document(nothing, nothing, nothing, limit=10).data[0].x) == 0


def test_the_selected_chunk_stands_out_along_the_document() -> None:
    starts, ends = np.array([0, 10, 20], np.int64), np.array([10, 20, 30], np.int64)
    figure = size_along_document(starts, ends, np.array([5, 7, 9], np.int64), selected=1)
    assert (figure.data[1].x, figure.data[1].y) == ((15,), (7,))
    assert [point[0] for point in figure.data[0].customdata] == [1, 2, 3]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=400), st.integers(2, 100))
def test_decimation_keeps_order_extremes_and_its_bound(values: list[int], most: int) -> None:
    array = np.array(values, np.int64)
    kept = decimate(array, most)
    assert len(kept) <= most or len(kept) == len(values) <= most
    assert (np.diff(kept) > 0).all()
    assert array[kept].max() == array.max()
    assert array[kept].min() == array.min()
