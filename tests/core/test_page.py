"""Pages: worked examples with literal spans."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.span import Span
from tests.core.laws import assert_laws
from tests.core.test_laws import texts

SAMPLES = Path(__file__).parents[2] / "sample_docs"


def chunked(text: str, size: int, min_size: int = 0, pages: tuple[Span, ...] = ()) -> cv.Chunking:
    strategy = cv.Page(chunk_size=size, min_size=min_size, unit="characters")
    return strategy.chunk(cv.Document(text, pages=pages, language="en"))


def test_each_page_is_a_chunk_and_a_long_one_is_split() -> None:
    chunking = chunked("First page.\fSecond page. It is longer.\fThird.", 14)
    assert [(chunk.start, chunk.end) for chunk in chunking] == [(0, 11), (12, 24), (25, 38), (39, 45)]
    assert chunking.boundary_reasons == ("page", "sentence", "page", "end of document")
    assert [chunk.metadata["pages"] for chunk in chunking] == [(1, 1), (2, 2), (2, 2), (3, 3)]
    assert chunking.evidence.notes == ()


def test_the_pages_of_the_loader_come_first_and_blank_ones_are_counted() -> None:
    chunking = chunked("One.\fStill.    Three.", 20, pages=(Span(0, 11), Span(11, 13), Span(13, 21)))
    assert [chunk.text for chunk in chunking] == ["One.\fStill.", "Three."]
    assert [(chunk.page, chunk.metadata["pages"]) for chunk in chunking] == [(1, (1, 1)), (3, (3, 3))]


def test_a_very_short_page_joins_the_next_and_a_short_last_one_the_one_before() -> None:
    text = "Title\fA page of words.\fAnother page.\fEnd"
    assert [chunk.metadata["pages"] for chunk in chunked(text, 40, 8)] == [(1, 2), (3, 4)]
    assert [chunk.metadata["pages"] for chunk in chunked(text, 18, 8)] == [(1, 1), (2, 2), (3, 4)]
    assert [chunk.metadata["pages"] for chunk in chunked(text, 40, 0)] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_document_without_pages_is_one_page_and_a_note_says_so() -> None:
    chunking = chunked("Some words.\n\nOthers.", 100)
    assert [chunk.text for chunk in chunking] == ["Some words.\n\nOthers."]
    assert chunking.evidence.notes == ("This has no pages, so it is packed as one.",)


def test_every_page_of_a_report_begins_a_chunk() -> None:
    document = cv.load(SAMPLES / "report.pdf")
    chunking = cv.Page(chunk_size=2000, min_size=0).chunk(document)
    assert [chunk.page for chunk in chunking] == list(range(1, len(document.pages) + 1))


@settings(max_examples=200, deadline=None)
@given(texts, st.lists(st.integers(0, 200), max_size=8), st.integers(1, 40), st.integers(0, 60))
def test_pages_that_end_anywhere_keep_the_laws(text: str, ends: list[int], size: int, min_size: int) -> None:
    bounds = [0, *sorted(min(end, len(text)) for end in ends), len(text)]
    pages = tuple(Span(start, end) for start, end in pairwise(bounds) if start < end)
    chunking = chunked(text, size, min_size, pages)
    assert_laws(chunking, size=size, overlap=0, unit="characters", tokenizer=cv.get_tokenizer())


def test_many_blank_pages_cost_little() -> None:
    chunking = chunked("a" + "\f" * 200_000 + "b", 10)
    assert [chunk.metadata["pages"] for chunk in chunking] == [(1, 1), (200_001, 200_001)]
