"""The laws every chunking obeys, as assertions with their names."""

from __future__ import annotations

from itertools import pairwise

import regex

from chunkviz import Chunking
from chunkviz.tokens import Tokenizer


def whole_places(text: str) -> set[int]:
    """Return the offsets between grapheme clusters, the slow and certain way; surrogate pairs count as one."""
    places = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    return {
        place
        for place in places
        if not (
            0 < place < len(text) and "\ud800" <= text[place - 1] <= "\udbff" and "\udc00" <= text[place] <= "\udfff"
        )
    }


def blank(text: str, whole: set[int], start: int, end: int) -> bool:
    """Whether every character is white space on its own, carrying no mark."""
    return all(text[at].isspace() and at + 1 in whole for at in range(start, end))


def assert_laws(chunking: Chunking, *, size: int, overlap: int, unit: str, tokenizer: Tokenizer) -> None:
    text = chunking.document.text
    whole = whole_places(text)

    def measure(piece: str) -> int:
        return len(piece) if unit == "characters" else tokenizer.count(piece)

    assert len(chunking.boundary_reasons) == len(chunking.chunks)
    covered = bytearray(len(text))
    for index, chunk in enumerate(chunking):
        assert chunk.index == index
        assert 0 <= chunk.start < chunk.end <= len(text)
        assert chunk.text == text[chunk.start : chunk.end], "faithful"
        assert chunk.text.strip(), "non-blank"
        assert chunk.token_count == tokenizer.count(chunk.text), "exact counts"
        assert chunk.start in whole, "whole characters"
        assert chunk.end in whole, "whole characters"
        if measure(chunk.text) > size:
            assert sum(place in whole for place in range(chunk.start + 1, chunk.end)) == 0, "bounded"
            assert "above the size limit" in chunking.boundary_reasons[index] or index == len(chunking) - 1
        covered[chunk.start : chunk.end] = b"\1" * (chunk.end - chunk.start)
    missing = [at for at, character in enumerate(text) if not covered[at] and not character.isspace()]
    assert not missing, f"covering: {missing[:5]}"
    for before, after in pairwise(chunking):
        assert before.start < after.start, "ordered"
        assert before.end < after.end, "ordered: no chunk lies inside its neighbour"
        shared = text[after.start : max(after.start, before.end)]
        assert not shared or measure(shared) <= overlap, "overlap"
    assert len({chunk.id for chunk in chunking}) == len(chunking), "ids differ"
    if chunking.chunks:
        assert chunking.boundary_reasons[-1] == "end of document"
    for chunk in (*chunking, *chunking.parents):
        if chunk.parent is not None:
            assert chunk.span in chunk.parent.span, "nested"
            assert chunk.level < chunk.parent.level, "nested"
    children = [chunk.parent.index for chunk in chunking if chunk.parent]
    assert children == sorted(children), "children of one parent are contiguous"
    if chunking.parents:
        assert {parent.index for parent in chunking.parents if parent.level == 1} == set(children), "no empty parent"
        assert len({parent.id for parent in chunking.parents}) == len(chunking.parents), "ids of parents differ"
