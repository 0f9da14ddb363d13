"""Work on long documents is done once, and tells how far it has come."""

from __future__ import annotations

from typing import Any

import pytest

import chunkviz as cv
from chunkviz import grouping
from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.samples import load_sample
from chunkviz.tuning import Suggestion, Target, Tuning


def test_a_search_over_thresholds_reads_the_document_for_splitting_once(monkeypatch: pytest.MonkeyPatch) -> None:
    chunking = cv.Semantic(max_chunk_size=24).chunk(load_sample("essay"))
    asked: list[Any] = []
    levels = grouping.split_levels

    def counting(*given: Any) -> Any:
        asked.append(given)
        return levels(*given)

    monkeypatch.setattr(grouping, "split_levels", counting)
    assert isinstance(Tuning(chunking).solve(Target("count", 60)), Suggestion)
    assert len(asked) == 1


def windows() -> Chunking:
    return cv.SentenceWindow(window=1).chunk("".join(f"Boat {number} came in. " for number in range(2_500)))


def test_counting_all_chunks_and_parents_tells_how_far_it_is() -> None:
    chunking, shares = windows(), []
    chunking.prepare(shares.append)
    assert len(chunking) == len(chunking.parents) == 2_500
    assert shares == [0.0, 0.4, 0.5, 0.9, 1.0]
    assert chunking.token_counts.tolist() == [chunk.token_count for chunk in chunking]
    assert chunking.parent_token_counts.tolist() == [parent.token_count for parent in chunking.parents]


def test_counting_that_is_stopped_leaves_the_chunking_as_it_was() -> None:
    chunking = windows()

    def stop(share: float) -> None:
        if share:
            message = "stopped"
            raise Cancelled(message)

    with pytest.raises(Cancelled):
        chunking.prepare(stop)
    assert len(chunking.token_counts) == len(chunking)
