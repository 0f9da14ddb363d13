"""Where two chunkings agree: hand-worked values, and naive twins of everything clever."""

from __future__ import annotations

import sys
from itertools import pairwise, product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.agreement import agreement, blank_places, boundaries_of, window_errors
from chunkviz.errors import ParameterError
from tests.core.test_laws import texts
from tests.core.test_results import partial
from tests.core.toys import Words

TEXT = "abcd efgh ijkl mnop"
"""Sixteen letters in four words."""


def cut(text: str, *offsets: int) -> cv.Chunking:
    """Return a chunking of ``text`` with boundaries at just these offsets."""
    edges = [0, *offsets, len(text)]
    return partial(text, *pairwise(edges))


@st.composite
def two(draw: st.DrawFn) -> tuple[cv.Chunking, cv.Chunking]:
    """Two chunkings of one text: any spans in order, gaps and overlaps among them."""
    text = draw(st.text("ab \n", min_size=1, max_size=24))
    spans = st.lists(st.tuples(st.integers(0, len(text)), st.integers(1, 6)), max_size=6, unique_by=lambda at: at[0])
    made = [
        partial(
            text, *((start, min(start + size, len(text))) for start, size in sorted(draw(spans)) if start < len(text))
        )
        for _ in range(2)
    ]
    return made[0], made[1]


def naive_boundaries(chunking: cv.Chunking) -> list[int]:
    """Walk the text: a boundary is where a chunk ends, or where one begins behind text that no chunk holds."""
    text = chunking.document.text

    def place(offset: int) -> int:
        return sum(not character.isspace() for character in text[:offset])

    found = {place(chunk.end) for chunk in chunking}
    for index, chunk in enumerate(chunking):
        if all(place(before.end) < place(chunk.start) for before in chunking.chunks[:index]):
            found.add(place(chunk.start))
    return sorted(at for at in found if 0 < at < place(len(text)))


def naive_errors(a: list[int], b: list[int], length: int, window: int) -> tuple[float, float]:
    """Slide the window one unit at a time, as the papers tell it."""
    wrong = different = 0
    for first in range(length - window):
        in_a = sum(first < gap <= first + window for gap in a)
        in_b = sum(first < gap <= first + window for gap in b)
        wrong += (in_a == 0) != (in_b == 0)
        different += in_a != in_b
    return wrong / (length - window), different / (length - window)


def test_white_space_between_chunks_does_not_count() -> None:
    trimmed, touching = partial("ab \n\n cd", (0, 2), (6, 8)), partial("ab \n\n cd", (0, 4), (4, 8))
    found = agreement(trimmed, touching)
    assert found.shared.tolist() == [[2, 4]]
    assert (found.precision, found.recall, found.f1) == (1.0, 1.0, 1.0)
    assert found.disagreements.tolist() == []


def test_a_worked_example_of_shared_and_single_boundaries() -> None:
    found = agreement(cut(TEXT, 4, 9, 14), cut(TEXT, 4, 12))
    assert found.shared.tolist() == [[4, 4]]
    assert (found.only_a.tolist(), found.only_b.tolist()) == ([9, 14], [12])
    assert (found.precision, found.recall, found.f1) == (1 / 2, 1 / 3, 2 / 5)
    assert [found.next_disagreement(at) for at in (-1, 9, 12, 14)] == [9, 12, 14, None]
    assert [found.previous_disagreement(at) for at in (20, 14, 12, 9)] == [14, 12, 9, None]


def test_boundaries_within_the_tolerance_are_one() -> None:
    a, b = cut(TEXT, 4, 9, 14), cut(TEXT, 5, 7, 16)
    assert agreement(a, b, tolerance=0).shared.tolist() == [[4, 5]]  # only white space lies between
    assert agreement(a, b, tolerance=2).shared.tolist() == [[4, 5], [9, 7], [14, 16]]
    with pytest.raises(ParameterError, match="tolerance must be 0 characters or more, not -1"):
        agreement(a, b, tolerance=-1)


def test_overlap_moves_no_boundary_and_text_in_no_chunk_is_a_stretch_of_its_own() -> None:
    assert boundaries_of(partial(TEXT, (0, 9), (5, 19))).offsets.tolist() == [9]
    assert boundaries_of(partial(TEXT, (5, 9), (15, 19))).offsets.tolist() == [5, 9, 15]
    assert boundaries_of(partial(TEXT)).offsets.tolist() == []


def test_chunkings_without_boundaries_have_nothing_to_agree_on() -> None:
    found = agreement(cut(TEXT), cut(TEXT))
    assert (found.precision, found.recall, found.f1) == (None, None, None)
    one = agreement(cut(TEXT, 4), cut(TEXT))
    assert (one.precision, one.recall, one.f1) == (None, 0.0, 0.0)


def test_chunkings_of_two_texts_are_refused() -> None:
    with pytest.raises(ParameterError, match="only chunkings of one text can be compared"):
        agreement(cut(TEXT, 4), cut(TEXT + ".", 4))
    with pytest.raises(ParameterError, match="only chunkings of one text"):
        window_errors(cut(TEXT, 4), cut(TEXT + ".", 4))
    with pytest.raises(ParameterError, match="unit must be characters or tokens, not 'words'"):
        window_errors(cut(TEXT, 4), cut(TEXT, 4), unit="words")  # type: ignore[arg-type]


def test_pk_and_window_diff_of_a_worked_example() -> None:
    # Eight units, boundaries behind 4 (a), behind 3 and 4 (b): two segments in a, so a window of 8 / 2 / 2 = 2.
    # Probes 0-2 1-3 2-4 3-5 4-6 5-7 have 0 0 1 1 0 0 boundaries in a, and 0 1 2 1 0 0 in b.
    found = window_errors(cut("abcdefgh", 4), cut("abcdefgh", 3, 4))
    assert found is not None
    assert (found.window, found.length, found.unit) == (2, 8, "characters")
    assert (found.pk, found.window_diff) == (1 / 6, 2 / 6)


def test_pk_does_not_see_what_window_diff_does() -> None:
    # A false boundary next to a true one is hidden from Pk by the true one (Pevzner and Hearst's complaint).
    text = "x" * 24
    found = window_errors(cut(text, 12), cut(text, 11, 12, 13))
    assert found is not None
    assert found.window == 6
    assert found.pk == 2 / 18
    assert found.window_diff == 8 / 18


def test_windows_can_slide_over_tokens() -> None:
    words = cv.Services(tokenizer=Words())
    a = cv.FixedSize(chunk_size=2, chunk_overlap=0).chunk("one two three four", words)
    b = cv.FixedSize(chunk_size=3, chunk_overlap=0).chunk(a.document, words)
    found = window_errors(a, b, unit="tokens")
    assert found is not None
    assert (found.length, found.window) == (4, 1)
    assert (found.pk, found.window_diff) == (2 / 3, 2 / 3)


def test_a_document_without_two_units_has_no_windows() -> None:
    for text in ("", "a", " \n"):
        assert window_errors(cut(text), cut(text)) is None


@settings(max_examples=300, deadline=None)
@given(two(), st.integers(0, 3))
@example((cut("aaaa", 1, 3), cut("aaaa", 2)), 1)
def test_pairs_are_as_many_as_can_be(chunkings: tuple[cv.Chunking, cv.Chunking], tolerance: int) -> None:
    a, b = chunkings
    found, other = agreement(a, b, tolerance=tolerance), agreement(b, a, tolerance=tolerance)
    assert found.a.places.tolist() == naive_boundaries(a)
    assert len(found.shared) + len(found.only_a) == len(found.a)
    assert len(found.shared) + len(found.only_b) == len(found.b)
    assert len(found.shared) == len(other.shared)
    assert found.f1 == other.f1

    def most(left: tuple[int, ...], right: tuple[int, ...]) -> int:
        if not left:
            return 0
        rest = [
            1 + most(left[1:], right[:j] + right[j + 1 :])
            for j, at in enumerate(right)
            if abs(at - left[0]) <= tolerance
        ]
        return max([most(left[1:], right), *rest])

    assert len(found.shared) == most(tuple(found.a.places.tolist()), tuple(found.b.places.tolist()))


@settings(max_examples=300, deadline=None)
@given(two())
def test_window_errors_are_those_of_a_window_slid_by_hand(chunkings: tuple[cv.Chunking, cv.Chunking]) -> None:
    a, b = chunkings
    found = window_errors(a, b)
    if found is None:
        assert len(a.document.text.split()) <= 1
        return
    assert found.window == max(1, int(found.length / (len(naive_boundaries(a)) + 1) / 2 + 0.5))
    assert (found.pk, found.window_diff) == naive_errors(
        naive_boundaries(a), naive_boundaries(b), found.length, found.window
    )
    same = window_errors(a, a)
    assert same is not None
    assert same.pk == same.window_diff == 0
    assert 0 <= found.pk <= found.window_diff <= 1


@settings(max_examples=80, deadline=None)
@given(texts, st.integers(1, 20), st.integers(1, 20))
def test_any_text_can_be_compared_in_either_unit(text: str, one: int, other: int) -> None:
    a = cv.FixedSize(chunk_size=one, chunk_overlap=0).chunk(text)
    b = cv.Recursive(chunk_size=other).chunk(a.document)
    agreement(a, b, tolerance=1)
    for unit in ("characters", "tokens"):
        found = window_errors(a, b, unit=unit)  # type: ignore[arg-type]
        assert found is None or 0 <= found.pk <= found.window_diff <= 1


def test_the_table_of_white_space_knows_every_code_point() -> None:
    every = "".join(chr(code) for code in range(sys.maxunicode + 1))
    assert blank_places(cv.Document(every)).tolist() == [
        code for code in range(sys.maxunicode + 1) if chr(code).isspace()
    ]


def test_a_window_shorter_than_every_segment_sees_all_single_boundaries() -> None:
    for first, second in product((4, 9), (12, 14)):
        found = window_errors(cut(TEXT, first), cut(TEXT, second))
        assert found is not None
        assert found.pk == found.window_diff > 0
