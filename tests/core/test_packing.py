"""Worked examples, and the engine against a slow and obvious twin."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.measure import CharacterMeasure
from chunkviz.packing import Level, Packer, SortedCuts, WordCuts
from chunkviz.segments import structure_cuts
from chunkviz.tokens import TokenMap
from tests.core.test_laws import texts
from tests.core.toys import Counting, small, toy


def spans(chunking: cv.Chunking) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in chunking]


# Fixed size ----------------------------------------------------------------------------------


def test_windows_of_characters_step_back_by_the_overlap() -> None:
    chunking = cv.FixedSize(chunk_size=10, chunk_overlap=6, unit="characters").chunk("ABCDEFGHIJKLMN")
    assert spans(chunking) == [(0, 10), (4, 14)]
    assert chunking.boundary_reasons == ("size limit", "end of document")


def test_windows_of_tokens_are_those_of_the_document() -> None:
    text = "one two three four five six seven"
    chunking = cv.FixedSize(chunk_size=3, chunk_overlap=1).chunk(text)
    assert [chunk.text for chunk in chunking] == ["one two three", "three four five", "five six seven"]
    assert spans(chunking) == [(0, 13), (8, 23), (19, 33)]
    assert chunking.token_counts.tolist() == [3, 3, 3]
    assert chunking.overlaps.tolist() == [0, 5, 4]


def test_last_window_never_lies_inside_the_one_before() -> None:
    chunking = cv.FixedSize(chunk_size=5, chunk_overlap=3, unit="characters").chunk("abcdefg     ")
    assert spans(chunking) == [(0, 5), (2, 7)]


def test_white_space_is_trimmed_and_the_grid_of_windows_kept() -> None:
    chunking = cv.FixedSize(chunk_size=4, chunk_overlap=0, unit="characters").chunk("ab  cd  ef")
    assert spans(chunking) == [(0, 2), (4, 6), (8, 10)]


def test_one_character_larger_than_the_limit_is_flagged() -> None:
    family = "👩‍👩‍👧"
    chunking = cv.FixedSize(chunk_size=2, chunk_overlap=0, unit="characters").chunk(f"ab{family}c")
    assert spans(chunking) == [(0, 2), (2, 7), (7, 8)]
    assert chunking.boundary_reasons == ("size limit", "one character above the size limit", "end of document")


# Recursive -----------------------------------------------------------------------------------

MANUAL = "# Kettle\n\nFill it. Switch it on.\n\n## Care\n\nDescale it monthly.\nWipe it.\n\nStore it dry."


@pytest.mark.parametrize(
    ("size", "expected", "reasons"),
    [
        (200, [(0, 86)], ["end of document"]),
        (60, [(0, 32), (34, 86)], ["header", "end of document"]),
        (40, [(0, 32), (34, 71), (73, 86)], ["header", "paragraph", "end of document"]),
        (30, [(0, 18), (19, 32), (34, 62), (63, 86)], ["sentence", "header", "line", "end of document"]),
        (
            12,
            [(0, 8), (10, 18), (19, 28), (29, 32), (34, 41), (43, 53), (54, 62), (63, 71), (73, 81), (82, 86)],
            ["word", "sentence", "word", "header", "word", "word", "line", "paragraph", "word", "end of document"],
        ),
    ],
)
def test_the_strongest_boundary_in_reach_ends_a_chunk(
    size: int, expected: list[tuple[int, int]], reasons: list[str]
) -> None:
    chunking = cv.Recursive(chunk_size=size, unit="characters").chunk(MANUAL)
    assert spans(chunking) == expected
    assert list(chunking.boundary_reasons) == reasons


def test_a_heading_stays_with_the_beginning_of_its_section() -> None:
    text = "Intro words here.\n\n## Section\n\n" + "Some words follow here. " * 4
    chunking = cv.Recursive(chunk_size=40, unit="characters").chunk(text)
    assert [chunk.text for chunk in chunking][1].startswith("## Section\n\nSome words follow here.")
    assert chunking[1].headings == ("Section",)


def test_small_neighbours_share_a_chunk_up_to_the_size() -> None:
    chunking = cv.Recursive(chunk_size=11, unit="characters").chunk("aa\n\nbb\n\ncc\n\ndd")
    assert [chunk.text for chunk in chunking] == ["aa\n\nbb\n\ncc", "dd"]


def test_overlap_repeats_whole_sentences_where_they_fit() -> None:
    text = "First bit here. Second bit. Third bit. Fourth bit here."
    chunking = cv.Recursive(chunk_size=40, chunk_overlap=14, unit="characters").chunk(text)
    assert [chunk.text for chunk in chunking] == [
        "First bit here. Second bit. Third bit.",
        "Third bit. Fourth bit here.",
    ]
    assert chunking.overlaps.tolist() == [0, 10]


def test_overlap_never_reaches_across_a_heading() -> None:
    text = "# A\n\nOne here. Two here.\n\n# B\n\nThree here. Four here. Five here."
    chunking = cv.Recursive(chunk_size=26, chunk_overlap=12, unit="characters").chunk(text)
    assert [(chunk.text, chunk.headings) for chunk in chunking] == [
        ("# A\n\nOne here. Two here.", ("A",)),
        ("# B\n\nThree here.", ("B",)),
        ("Three here. Four here.", ("B",)),
        ("Four here. Five here.", ("B",)),
    ]


def test_a_separator_that_begins_a_line_stays_with_what_follows() -> None:
    strategy = cv.Recursive(chunk_size=12, unit="characters", separators=("\nclass ",))
    assert [chunk.text for chunk in strategy.chunk("x = 1\nclass A: ..\nclass B: ..")] == [
        "x = 1",
        "class A: ..",
        "class B: ..",
    ]
    assert strategy.chunk("x = 1\nclass A: ..").boundary_reasons == ("separator '\\nclass '", "end of document")


def test_source_code_has_no_headings() -> None:
    text = "# one\nx = 1\n\n# two\ny = 2\n"
    assert (
        cv.Recursive(chunk_size=14, unit="characters").chunk(cv.Document(text, "a.py")).boundary_reasons[0]
        == "paragraph"
    )
    assert (
        cv.Recursive(chunk_size=14, unit="characters").chunk(cv.Document(text, "a.md")).boundary_reasons[0] == "header"
    )


def test_a_pattern_that_runs_wild_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.strategies.recursive.PATTERN_SECONDS", 0.05)
    wild = cv.Recursive(separators=("(a|aa)+$",), is_regex=True)
    with pytest.raises(cv.errors.ParameterError, match=r"\(a\|aa\)\+\$.*simplify"):
        wild.chunk("a" * 60 + "b")


def test_a_wrong_pattern_is_an_error_that_shows_it() -> None:
    with pytest.raises(cv.errors.ParameterError, match=r"valid regular expressions.*'\('"):
        cv.Recursive(separators=("(",), is_regex=True).chunk("abc")


# The engine against its naive twin --------------------------------------------------------------


@dataclass
class Naive:
    """The same rule, by trying every place from the far end: slow, and easy to believe."""

    text: str
    measure: CharacterMeasure | TokenMap
    size: int
    levels: list[list[int]]

    def pack(self) -> list[tuple[int, int]]:
        found, start = [], self.skip(0)
        length = len(self.text.rstrip())
        while start < length:
            if self.measure.count(start, length) <= self.size:
                return [*found, (start, length)]
            cut = self.best(start, length)
            found.append((start, start + len(self.text[start:cut].rstrip())))
            start = self.skip(cut)
        return found

    def best(self, start: int, length: int) -> int:
        for places in self.levels:
            for cut in sorted((place for place in places if start < place <= length), reverse=True):
                if self.measure.count(start, start + len(self.text[start:cut].rstrip())) <= self.size:
                    return cut
        raise AssertionError(start)

    def skip(self, offset: int) -> int:
        return offset + len(self.text[offset:]) - len(self.text[offset:].lstrip())


plain = st.lists(
    st.sampled_from(["ab", "c", "d.", " ", "  ", "\n", "\n\n", "long word", "x" * 9, ", "]), max_size=50
).map("".join)


@settings(max_examples=400, deadline=None)
@given(plain, st.integers(1, 25), st.sampled_from(["characters", "ws-words", "words+ws", "utf8-bytes"]))
def test_packing_equals_its_naive_twin(text: str, size: int, unit: str) -> None:
    document = cv.Document(text, language="en")
    measure = CharacterMeasure(document) if unit == "characters" else TokenMap.of(document, toy(unit))
    cuts = structure_cuts(document)
    words = [at for at in range(1, len(text)) if text[at - 1].isspace() and not text[at].isspace()]
    anywhere = list(range(1, len(text) + 1))
    naive = Naive(text, measure, size, [list(cuts.paragraphs), list(cuts.lines), words, anywhere])
    levels = [
        Level(SortedCuts(cuts.paragraphs), cv.evidence.Structure("paragraph")),
        Level(SortedCuts(cuts.lines), cv.evidence.Structure("line")),
        Level(WordCuts(text), cv.evidence.Structure("word")),
    ]
    pieces = Packer(text, measure, size, 0, levels).pack()
    assert [(piece.start, piece.end) for piece in pieces] == naive.pack()


# Economy, as assertions on what was asked for ------------------------------------------------------


def test_a_slider_step_does_not_tokenize_the_document_again() -> None:
    tokenizer = Counting()
    services = cv.Services(tokenizer=tokenizer)
    document = cv.Document("".join(f"Sentence number {n} says something new. " for n in range(3000)), language="en")
    cv.Recursive(chunk_size=500).chunk(document, services)
    cold = tokenizer.characters
    assert len(document) <= cold < 1.1 * len(document)
    for size in (400, 300, 200):
        cv.Recursive(chunk_size=size).chunk(document, services)
        cv.FixedSize(chunk_size=size).chunk(document, services)
    assert tokenizer.characters - cold < 0.1 * len(document)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "\n" * 200_000 + "x",
        "x" + "\n" * 200_000 + "x",
        "日本語" * 60_000,
        "👩‍👩‍👧" * 30_000,
        "🇩🇪" * 60_000,
        "e" + "\u0301" * 100_000,
        "word " * 40_000,
        "w" * 40 + "\n" + ("w" * 40 + "\n") * 4000 + "\n\nEND",
        "!" * 100_000,
    ],
    ids=["letters", "newlines", "gap", "cjk", "joined emoji", "flags", "marks", "words", "lines", "marks of speech"],
)
@pytest.mark.parametrize("name", cv.list_strategies())
def test_awkward_long_texts_cost_a_bounded_amount_of_tokenizing(name: str, text: str) -> None:
    tokenizer = Counting()
    chunking = small(name, 200, 20).chunk(cv.Document(text, language="en"), cv.Services(tokenizer=tokenizer))
    assert len(chunking) >= 1
    assert tokenizer.characters < 12 * len(text)


@settings(max_examples=100, deadline=None)
@given(texts)
def test_chunking_survives_pickling(text: str) -> None:
    document = cv.Document(text, language="en")
    chunking = cv.Recursive(chunk_size=20).chunk(document)
    assert pickle.loads(pickle.dumps(document)) == document  # noqa: S301  our own bytes
    assert [chunk.span for chunk in pickle.loads(pickle.dumps(chunking))] == [chunk.span for chunk in chunking]  # noqa: S301
