"""Lanes of several settings, and the messages that carry lanes and findings; without a browser."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.errors import ParameterError
from chunkviz.lint import KINDS, Finding
from chunkviz.ui.viewer.lanes import Lane, disagreements, lanes_of
from chunkviz.ui.viewer.layers import findings_message, lanes_message
from tests.core.test_results import partial

TEXT = "abcd efgh ijkl mnop"
"""Sixteen letters in four words."""


def cut(text: str, *offsets: int) -> cv.Chunking:
    return partial(text, *pairwise([0, *offsets, len(text)]))


def lanes(*chunkings: cv.Chunking, reference: int = 0, tolerance: int = 0) -> tuple[Lane, ...]:
    named = [(f"setting {place}", each) for place, each in enumerate(chunkings)]
    return lanes_of(named, reference=reference, tolerance=tolerance)


def test_a_worked_example_of_three_settings() -> None:
    a, b, c = lanes(cut(TEXT, 4, 9, 14), cut(TEXT, 5, 12), cut(TEXT, 4, 12))
    assert (a.name, b.name, c.name) == ("setting 0", "setting 1", "setting 2")
    # A boundary before a space and one behind it are one place, directly behind the letter.
    assert a.offsets.tolist() == [4, 9, 14]
    assert b.offsets.tolist() == c.offsets.tolist() == [4, 12]
    assert a.shared.tolist() == [True, False, False]
    assert b.shared.tolist() == [True, False]
    assert a.alone.tolist() == [False, True, True]
    assert b.cut_by.tolist() == [[True, True, True], [False, True, True]]
    assert disagreements((a, b, c)).tolist() == [9, 12, 14]


def test_settings_that_agree_have_no_disagreement() -> None:
    both = lanes(cut(TEXT, 4), cut(TEXT, 5))
    assert [each.shared.tolist() for each in both] == [[True], [True]]
    assert disagreements(both).tolist() == []
    assert disagreements(()).tolist() == []


def test_a_tolerance_pairs_each_boundary_with_at_most_one() -> None:
    a, b = lanes(cut(TEXT, 4, 14), cut(TEXT, 3, 6, 13), tolerance=2)
    assert a.shared.tolist() == [True, True]
    assert b.shared.tolist() == [True, False, True]
    assert disagreements((a, b)).tolist() == [6]


def test_what_the_reference_lacks_is_paired_among_the_others() -> None:
    a, b, c = lanes(cut(TEXT), cut(TEXT, 7), cut(TEXT, 8), tolerance=1)
    assert a.offsets.tolist() == []
    assert b.cut_by.tolist() == c.cut_by.tolist() == [[False, True, True]]
    assert disagreements((a, b, c)).tolist() == [7]


@pytest.mark.parametrize(
    ("count", "options", "words"),
    [
        (7, {}, "at most 6 chunkings have room beside a text, not 7"),
        (2, {"reference": 2}, "reference must be the place of a chunking, 0 to 1, not 2"),
        (2, {"tolerance": -1}, "tolerance must be 0 characters or more, not -1"),
    ],
)
def test_what_means_nothing_is_refused(count: int, options: dict[str, int], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        lanes(*[cut(TEXT, 4)] * count, **options)


def test_two_texts_are_refused() -> None:
    with pytest.raises(ParameterError, match="chunkings of one text"):
        lanes(cut(TEXT, 4), cut(TEXT + "!", 4))


@st.composite
def several(draw: st.DrawFn) -> list[cv.Chunking]:
    text = draw(st.text("ab \n", min_size=1, max_size=24))
    spans = st.lists(st.tuples(st.integers(0, len(text)), st.integers(1, 6)), max_size=6, unique_by=lambda at: at[0])
    return [
        partial(text, *((at, min(at + size, len(text))) for at, size in sorted(drawn) if at < len(text)))
        for drawn in draw(st.lists(spans, min_size=1, max_size=6))
    ]


def naive_places(chunking: cv.Chunking) -> set[int]:
    """Letters before each boundary: where a chunk ends, or begins behind text that no chunk holds."""
    text = chunking.document.text

    def place(offset: int) -> int:
        return sum(not letter.isspace() for letter in text[:offset])

    found = {place(chunk.end) for chunk in chunking}
    for index, chunk in enumerate(chunking):
        if all(place(before.end) < place(chunk.start) for before in chunking.chunks[:index]):
            found.add(place(chunk.start))
    return {at for at in found if 0 < at < place(len(text))}


@given(several())
def test_lanes_are_what_sets_of_places_say(chunkings: list[cv.Chunking]) -> None:
    text = chunkings[0].document.text
    letters = [at for at, letter in enumerate(text) if not letter.isspace()]
    places = [naive_places(each) for each in chunkings]
    drawn = lanes(*chunkings)
    for lane, mine in zip(drawn, places, strict=True):
        assert lane.offsets.tolist() == [letters[at - 1] + 1 for at in sorted(mine)]
        assert lane.cut_by.tolist() == [[at in each for each in places] for at in sorted(mine)]
    apart = set().union(*places) - set.intersection(*places)
    assert disagreements(drawn).tolist() == [letters[at - 1] + 1 for at in sorted(apart)]


@given(several(), st.integers(0, 3), st.data())
def test_with_a_tolerance_no_place_is_cut_twice_by_one_setting(
    chunkings: list[cv.Chunking], tolerance: int, data: st.DataObject
) -> None:
    reference = data.draw(st.integers(0, len(chunkings) - 1))
    drawn = lanes(*chunkings, reference=reference, tolerance=tolerance)
    # Each lane tells of the others what they tell of it.
    for one, lane in enumerate(drawn):
        assert lane.cut_by[:, one].all()
        for other, beside in enumerate(drawn):
            assert lane.cut_by[:, other].sum() == beside.cut_by[:, one].sum()


def read(message: bytes) -> tuple[dict[str, Any], bytes]:
    size = int.from_bytes(message[:4], "little")
    head = json.loads(message[4 : 4 + size])
    body = message[4 + size :]
    return head, zlib.decompress(body) if head["packed"] else body


def numbers(body: bytes, count: int) -> tuple[list[int], bytes]:
    """The readable twin of the browser's reader; returns what follows the numbers, too."""
    found, value, shift = [], 0, 0
    for at, byte in enumerate(body):
        if len(found) == count:
            return found, body[at:]
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
    return found, b""


def test_lanes_travel_with_their_names() -> None:
    one, other = cut(TEXT, 4, 9, 14), cut(TEXT, 4, 12)
    head, body = read(lanes_message(lanes(one, other), one.document, viewer="v"))
    assert [(each["name"], each["letter"], each["count"]) for each in head["lanes"]] == [
        ("setting 0", "A", 3),
        ("setting 1", "B", 2),
    ]
    assert head["document"] == one.document.id
    assert numbers(body, 99)[0] == [4, 5, 5, 3, 1, 1, 4, 8, 3, 2]
    assert read(lanes_message((), one.document, viewer="v"))[0]["lanes"] == []


def test_six_lanes_of_five_thousand_boundaries_stay_under_a_hundred_and_fifty_kilobytes() -> None:
    chance = np.random.default_rng(1)
    many = tuple(
        Lane("name", np.sort(chance.choice(10_000_000, 5_000, replace=False)), chance.random((5_000, 6)) < 0.5)
        for _ in range(6)
    )
    assert len(lanes_message(many, cut(TEXT, 4).document, viewer="v")) < 150_000


def test_findings_travel_in_the_order_of_their_places() -> None:
    chunking = cut(TEXT, 4, 9)
    findings = [
        Finding("tiny", 2, cv.Span(9, 19), "Chunk 3 has “é” 2 tokens."),
        Finding("word", 0, cv.Span(4, 4), "Chunk 1 ends inside a word."),
    ]
    head, body = read(findings_message(findings, chunking, viewer="v"))
    columns, rest = numbers(body, 8)
    assert (head["count"], head["kinds"]) == (2, list(KINDS))
    assert columns == [0, KINDS.index("tiny"), 0, 2, 4, 5, 0, 10]
    assert json.loads(rest) == ["Chunk 1 ends inside a word.", "Chunk 3 has “é” 2 tokens."]
    assert read(findings_message([], chunking, viewer="v"))[0]["count"] == 0
