"""Long work tells how far it is, and Stop is heard in the middle of it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.errors import Cancelled
from chunkviz.progress import EVERY, Told, part, silent, told

SENTENCES = "\n\n".join(
    f"# Part {part}\n\n" + " ".join(f"Sentence {part}-{each} tells of thing {part * each % 97}." for each in range(30))
    for part in range(40)
)
"""1,200 sentences under 40 headings: several times what lies between two reports."""


def test_a_part_of_the_work_is_told_as_a_part_of_the_whole() -> None:
    heard: list[float] = []
    tell = part(heard.append, 0.5, 0.75)
    tell(0.0)
    tell(0.5)
    tell(1.0)
    assert heard == [0.5, 0.625, 0.75]
    assert part(silent, 0.5, 0.75) is silent


@given(st.integers(0, 3 * EVERY + 1))
def test_items_are_told_in_order_and_reported_in_between(count: int) -> None:
    heard: list[float] = []
    assert list(told(range(count), heard.append)) == list(range(count))
    assert heard == [first / count for first in range(0, count, EVERY)]


@given(st.lists(st.integers(), max_size=50), st.integers(0, 60), st.integers(0, 60))
def test_a_told_sequence_reads_as_the_one_it_holds(items: list[int], start: int, stop: int) -> None:
    heard: list[float] = []
    watched = Told(items, heard.append)
    assert list(watched) == items
    assert watched[start:stop] == items[start:stop]
    assert len(watched) == len(items)
    assert all(0.0 <= share <= 1.0 for share in heard)


@pytest.mark.parametrize("name", cv.list_strategies())
def test_every_strategy_tells_how_far_it_is_and_never_less_than_before(name: str) -> None:
    heard: list[float] = []
    cv.get_strategy(name).chunk(cv.Document(SENTENCES, name="parts.md"), cv.Services(report=heard.append))
    assert heard == sorted(heard)
    assert heard[0] < 0.1
    assert heard[-1] <= 1.0
    assert len(heard) >= 2


@pytest.mark.parametrize("name", cv.list_strategies())
def test_work_that_was_stopped_anywhere_gives_the_same_chunks_when_it_is_done_again(name: str) -> None:
    strategy, document = cv.get_strategy(name), cv.Document(SENTENCES, name="parts.md")
    heard: list[float] = []
    expected = strategy.chunk(cv.Document(SENTENCES, name="parts.md"), cv.Services(report=heard.append))
    for last in sorted({0, 1, len(heard) // 2, len(heard) - 1}):
        left = [last]

        def stop(_: float, left: list[int] = left) -> None:
            if not left[0]:
                message = "stopped"
                raise Cancelled(message)
            left[0] -= 1

        with pytest.raises(Cancelled):
            strategy.chunk(cv.Document(SENTENCES, name="parts.md"), cv.Services(report=stop))
        left[0] = last
        with suppress(Cancelled):
            strategy.chunk(document, cv.Services(report=stop))
    again = strategy.chunk(document)
    assert [(each.start, each.end, each.context) for each in again] == [
        (each.start, each.end, each.context) for each in expected
    ]
    assert again.evidence.reasons == expected.evidence.reasons


def test_cluster_semantic_hears_stop_while_it_looks_for_the_best_partition() -> None:
    heard: list[float] = []
    cv.get_strategy("cluster_semantic", piece_size=8).chunk(
        cv.Document(SENTENCES, name="parts.md"), cv.Services(report=heard.append)
    )
    searching = [share for share in heard if 0.7 * 0.9 < share < 0.9 * 0.9]
    assert len(searching) >= 4
