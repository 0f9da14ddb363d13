"""What a reader would object to: each kind at its place, near-duplicates against holding each to each."""

from __future__ import annotations

import itertools
import re
from typing import cast

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz import duplicates
from chunkviz.duplicates import near_duplicates
from chunkviz.errors import ParameterError
from chunkviz.lint import EDGE_KINDS, KINDS, FindingKind, Lint, Rules, lint
from chunkviz.metrics import numbers
from chunkviz.pronouns import PRONOUN_LANGUAGES, opening_pronoun
from chunkviz.samples import list_samples, load_sample
from chunkviz.segments import headings
from tests.core.test_laws import texts
from tests.core.test_results import partial
from tests.core.toys import Words

LAX = Rules(tiny=0)


def cut_before(text: str, *words: str, name: str = "a.md", language: str | None = "en") -> cv.Chunking:
    """Return chunks of the document that begin at its start and at the first place of each word, trimmed."""
    document = cv.Document(text, name, language=language)
    edges = [0, *(text.index(word) for word in words), len(text)]
    whole = partial(text, *((a, a + len(text[a:b].rstrip())) for a, b in itertools.pairwise(edges)))
    chunks = tuple(cv.Chunk(document, c.start, c.end, c.index, whole.tokens) for c in whole)
    return cv.Chunking(document, whole.strategy, cv.TokenMap.of(document, Words()), chunks, whole.evidence)


def found(result: Lint, *kinds: str) -> list[tuple[str, int, int]]:
    return [(each.kind, each.index, each.span.start) for each in result.findings if each.kind in kinds]


def test_edges_inside_a_word_and_a_sentence() -> None:
    result = lint(cut_before("The kettle boils. It sings.", "tle", "It"), LAX)
    assert found(result, *EDGE_KINDS) == [("word", 0, 7), ("sentence", 0, 7)]
    assert result.findings[0].message == "Chunk 1 ends inside a word."
    assert result.findings[0].span == cv.Span(7, 7)


def test_a_chunk_that_begins_elsewhere_than_the_one_before_ends_has_two_edges() -> None:
    result = lint(partial("The kettle boils all day long.", (0, 16), (6, 30)), LAX)
    assert found(result, "word", "sentence") == [("word", 1, 6), ("sentence", 1, 6), ("sentence", 0, 16)]
    assert result.findings[0].message == "Chunk 2 begins inside a word."


TABLE = "Text.\n\n| Part | Price |\n| --- | --- |\n| Wick | 3 |\n| Lamp | 9 |\n\nEnd."


def test_edges_inside_a_row_and_between_the_rows_of_a_table() -> None:
    kinds = ("table row", "table")
    assert found(lint(cut_before(TABLE, "| Wick"), LAX), *kinds) == [("table", 0, TABLE.index("\n| Wick"))]
    inside = TABLE.index(" 3 |")
    assert found(lint(cut_before(TABLE, "3 |"), LAX), *kinds) == [("table row", 0, inside), ("table", 0, inside)]
    assert found(lint(cut_before(TABLE, "| Part", "End."), LAX), *kinds) == []


LIST = "Do this:\n\n- Fill it.\n  With care.\n- Heat it.\n  - Slowly.\n  - Or fast.\n\nDone."


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("- Fill", []),
        ("With", ["list item", "list"]),
        ("- Heat", ["list"]),
        ("- Or", ["list item", "list"]),  # a nested list belongs to its item
        ("Done", []),
    ],
)
def test_edges_inside_an_item_and_between_the_items_of_a_list(word: str, kinds: list[str]) -> None:
    assert [kind for kind, *_ in found(lint(cut_before(LIST, word), LAX), "list item", "list")] == kinds


def test_edges_inside_a_fence_but_not_beside_it_nor_inside_indented_text() -> None:
    text = "Run:\n\n```sh\nmake\nmake install\n```\n\nThen:\n\n    one\n    two\n\nEnd."
    assert found(lint(cut_before(text, "make install"), LAX), "code fence") == [
        ("code fence", 0, text.index("\nmake install"))
    ]
    assert found(lint(cut_before(text, "```sh", "Then", "two"), LAX), "code fence") == []


@pytest.mark.parametrize(
    ("text", "words", "stranded"),
    [
        ("Intro.\n\n# Care\n\nDescale it.", ["Descale"], [0]),
        ("Intro.\n\n# Care\n\nDescale it.", ["# Care"], []),
        ("Intro.\n\n# Care\n\n## Daily\n\nWipe it.", ["Wipe"], [0]),
        ("Intro.\n\n# Care\n\n## Daily\n\nWipe it.", ["## Daily"], [0]),
        ("Intro.\n\n# Empty\n\n# Care\n\nWipe it.", ["# Care"], []),  # announces nothing
        ("Intro.\n\nLong title\nof two lines\n===\n\nWipe it.", ["of two"], [0]),
        ("Intro.\n\n# The end", [], []),
        ("# Care\n\nWipe it.\n\nDry it.", ["Dry"], []),
    ],
)
def test_headings_at_the_end_of_a_chunk(text: str, words: list[str], stranded: list[int]) -> None:
    assert [index for _, index, _ in found(lint(cut_before(text, *words), LAX), "stranded heading")] == stranded


def naive_stranded(chunking: cv.Chunking) -> list[int]:
    """Cut out what stands behind the last heading of each chunk, and look at it."""
    text, known = chunking.document.text, headings(chunking.document)
    stranded = []
    for index, chunk in enumerate(chunking):
        before = [place for place, heading in enumerate(known) if heading.start < chunk.end]
        following = chunking[index + 1].start if index + 1 < len(chunking) else len(text)
        if not before:
            continue
        heading, behind = known[before[-1]], known[before[-1] + 1 : before[-1] + 2]
        until = behind[0].start if behind else len(text)
        has_text = bool(text[min(heading.end, chunk.end) : until].strip())
        announces = has_text or any(each.level > heading.level for each in behind)
        ends_with_it = not text[heading.end : chunk.end].strip()
        if ends_with_it and announces and following > heading.start and heading.end > chunk.start:
            stranded.append(index)
    return stranded


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["# A", "## B", "c d", "E\n===", "", "\u2003", "\u0301", "- f"]), max_size=12),
    st.integers(2, 9),
    st.integers(0, 3),
)
def test_stranded_headings_are_those_of_cutting_out_what_follows(lines: list[str], size: int, overlap: int) -> None:
    strategy = cv.FixedSize(chunk_size=size, chunk_overlap=min(overlap, size - 1), unit="characters")
    chunking = strategy.chunk(cv.Document("\n\n".join(lines), "a.md", language="en"))
    assert [index for _, index, _ in found(lint(chunking, LAX), "stranded heading")] == naive_stranded(chunking)


def test_a_heading_that_the_next_chunk_repeats_is_not_stranded() -> None:
    text = "Intro.\n\n# Care\n\nWipe it."
    heading = text.index("# Care")
    assert not found(lint(partial(text, (0, heading + 6), (heading, len(text))), LAX), "stranded heading")
    assert found(lint(partial(text, (0, heading + 6), (heading + 8, len(text))), LAX), "stranded heading")


def test_the_message_names_the_heading_and_the_span_holds_it() -> None:
    result = lint(cut_before("Intro.\n\n# Care\n\nDescale.", "Descale"), LAX)
    (finding,) = (each for each in result.findings if each.kind == "stranded heading")
    assert finding.message == "Chunk 1 ends with the heading “Care”, whose text is not in it."
    assert finding.span == cv.Span(8, 14)


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("en", "It sings.", "It"),
        ("en", "“They left.”", "They"),
        ("en", "- These three", "These"),
        ("en", "Item one", None),
        ("en", "IT budget", None),
        ("en", "...", None),
        ("de", "Diese Regel", "Diese"),
        ("de", "Die Regel", None),
        ("fr", "Celui-ci part.", "Celui"),
        ("es", "Ésta no; estas sí", None),
        ("ru", "Они ушли.", "Они"),
        ("ja", "彼女は笑った。", "彼女"),
        ("ja", "それで帰った。", None),
        ("zh", "「他们走了。」", "他们"),
        ("tr", "Bu ev", None),
    ],
)
def test_the_first_word_is_a_pronoun_of_the_language(language: str, text: str, word: str | None) -> None:
    place = opening_pronoun(text, 0, len(text), language)
    assert (place and text[place[0] : place[1]]) == word


def test_the_first_chunk_points_to_nothing_before_it() -> None:
    result = lint(cut_before("It is on. He left. Tea is made.", "He", "Tea"), LAX)
    assert found(result, "opening pronoun") == [("opening pronoun", 1, 10)]


def test_what_is_not_looked_for_is_said_and_not_counted_as_none() -> None:
    turkish = lint(cut_before("Bir. Bu iki.", "Bu", language="tr"))
    assert turkish.not_checked == {"opening pronoun": "there is no list of pronouns for Turkish"}
    assert "opening pronoun" not in turkish.counts
    code = lint(cut_before("x = 1\n# y\nz = 2", "z", name="a.py"))
    assert set(code.counts) == {"word", "tiny", "oversize", "near-duplicate"}
    assert "en" in PRONOUN_LANGUAGES


def test_tiny_and_oversize_chunks_against_the_rules() -> None:
    chunking = cut_before("one two three four five six", "three", "four")
    result = lint(chunking, Rules(tiny=2, oversize=2))
    assert found(result, "tiny", "oversize") == [("tiny", 1, 8), ("oversize", 2, 14)]
    assert [each.message for each in result.findings if each.kind in ("tiny", "oversize")] == [
        "Chunk 2 has 1 tokens, fewer than 2.",
        "Chunk 3 has 3 tokens, more than 2.",
    ]
    assert not lint(cut_before("one"), Rules(tiny=5)).counts["tiny"]  # the only one


def test_what_is_embedded_with_its_context_can_be_oversize() -> None:
    class Says:
        name = "says"

        def write(self, _request: object, /) -> str:
            return "One two three."

    services = cv.Services(tokenizer=Words(), writer=Says())
    chunking = cv.ContextualRetrieval(base="recursive").chunk("Four five six.", services)
    result = lint(chunking, Rules(oversize=5))
    assert [each.message for each in result.findings] == ["Chunk 1 has with its context 6 tokens, more than 5."]


@pytest.mark.parametrize(("name", "value"), [("tiny", -1), ("oversize", -1), ("similarity", 0), ("similarity", 1.5)])
def test_rules_that_mean_nothing_are_refused(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=name):
        Rules(**{name: value})  # type: ignore[arg-type]


# Near-duplicates ------------------------------------------------------------------------------------


def naive_runs(text: str) -> set[tuple[str, ...]]:
    words = [word.casefold() for word in re.findall(r"[a-zA-Z]+|[一-鿿]", text)]
    return set(zip(words, words[1:], words[2:], strict=False))


def test_a_near_duplicate_of_a_worked_example() -> None:
    # Four runs each, of which three are in both: 3 of 5.
    text = "one two three four five six. One TWO three, four five seven. Eight nine ten."
    chunking = cut_before(text, "One TWO", "Eight")
    assert near_duplicates(chunking, 0.6) == [(1, 0, 0.6)]
    assert near_duplicates(chunking, 0.61) == []
    (finding,) = (each for each in lint(chunking, Rules(0, 99, 0.5)).findings if each.kind == "near-duplicate")
    assert finding.message == "Chunk 2 repeats chunk 1: 60% of their three-word runs are the same."
    assert finding.span == cv.Span(29, 60)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["a", "B", "c", "dd", "日", "本"]), min_size=1, max_size=12), max_size=10),
    st.sampled_from([0.3, 0.5, 2 / 3, 0.8, 0.9, 1.0]),
)
def test_near_duplicates_are_those_of_holding_each_to_each(pieces: list[list[str]], threshold: float) -> None:
    text = "\n".join(" ".join(words) for words in pieces)
    edges = [0]
    for words in pieces:
        edges.append(edges[-1] + len(" ".join(words)) + 1)
    chunking = partial(text, *((a, b - 1) for a, b in itertools.pairwise(edges)))
    expected = []
    sets = [naive_runs(chunk.text) for chunk in chunking]
    for index, runs in enumerate(sets):
        for like, others in enumerate(sets[:index]):
            if runs and others and len(runs & others) / len(runs | others) >= threshold:
                expected.append((index, like, len(runs & others) / len(runs | others)))
                break
    assert near_duplicates(chunking, threshold) == expected


NAIVE_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    r"|[\p{L}\p{M}\p{N}--\p{Han}--\p{Hiragana}--\p{Katakana}--\p{Thai}--\p{Lao}--\p{Khmer}--\p{Myanmar}]+",
    regex.VERSION1,
)


def naive_near_duplicates(chunking: cv.Chunking, threshold: float) -> list[tuple[int, int, float]]:
    """Hold each chunk against each before it; a word that a chunk holds in part is none of its own."""
    words = [
        (each.start(), each.end(), each.group().casefold()) for each in NAIVE_WORD.finditer(chunking.document.text)
    ]
    sets = []
    for chunk in chunking:
        held = [word for start, end, word in words if chunk.start <= start and end <= chunk.end]
        sets.append(set(zip(held, held[1:], held[2:], strict=False)))
    expected = []
    for index, runs in enumerate(sets):
        for like, others in enumerate(sets[:index]):
            if runs and others and len(runs & others) / len(runs | others) >= threshold:
                expected.append((index, like, len(runs & others) / len(runs | others)))
                break
    return expected


WORDY = (
    "a", "B", "b", "Straße", "STRASSE", "ΣΑΣ", "σας", "日本", "x日", "ก็", "e\u0301", "é", "İ", "ﬁ", "fi", "9", "٣", "-",
    "\n", "\ud800",
)  # fmt: skip
wordy = st.lists(st.sampled_from(WORDY), max_size=40)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(wordy.map(" ".join), wordy.map("".join), texts), st.integers(3, 12), st.sampled_from([0.3, 0.6, 0.9, 1.0])
)
def test_near_duplicates_of_any_text_with_overlap_are_those_of_holding_each_to_each(
    text: str, size: int, threshold: float
) -> None:
    chunking = cv.FixedSize(chunk_size=size, chunk_overlap=size // 2, unit="characters").chunk(cv.Document(text))
    assert near_duplicates(chunking, threshold) == naive_near_duplicates(chunking, threshold)


def test_numbers_of_runs_are_exact_however_many_words_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.array([0, 1, 2, 1, 2, 0, 1, 2, 3])
    same = [0, 1, 2, 3, 4, 0, 5]

    def alike(runs: list[int]) -> list[list[int]]:
        return [[place for place, other in enumerate(runs) if other == run] for run in runs]

    assert alike(duplicates._numbered(words).tolist()) == alike(same)
    monkeypatch.setattr("chunkviz.duplicates._MOST", 20)
    assert alike(duplicates._numbered(words).tolist()) == alike(same)


def test_text_that_repeats_itself_takes_no_square_of_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    intersect = cv.chunk.np.intersect1d

    def counting(*given: object, **options: object) -> object:
        nonlocal compared
        compared += 1
        return intersect(*given, **options)  # type: ignore[call-overload]

    text = "".join(
        f"Row {number} of the table says what all rows say, which is not much at all. " for number in range(2000)
    )
    chunking = cv.Recursive(chunk_size=20).chunk(cv.Document(text, language="en"))
    monkeypatch.setattr("chunkviz.duplicates.np.intersect1d", counting)
    near_duplicates(chunking, 0.5)
    assert len(chunking) >= 2000
    assert compared <= 64 * len(chunking)


# Any text -------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(1, 20), st.sampled_from(["a.md", "a.txt", "a.py"]), st.sampled_from(["en", "ja", None]))
def test_any_text_can_be_linted_and_every_finding_has_a_place(
    text: str, size: int, name: str, language: str | None
) -> None:
    chunking = cv.FixedSize(chunk_size=size, chunk_overlap=size // 3).chunk(cv.Document(text, name, language=language))
    result = lint(chunking)
    assert sum(result.counts.values()) == len(result.findings)
    assert list(result.counts) == [kind for kind in KINDS if kind not in result.not_checked]
    assert [each.span.start for each in result.findings] == sorted(each.span.start for each in result.findings)
    for each in result.findings:
        assert each.span.end <= len(text)
        assert each.kind not in EDGE_KINDS or len(each.span) == 0
        assert f"Chunk {each.index + 1} " in each.message
    for inner, outer in (("table row", "table"), ("list item", "list")):
        places = {kind: set(found_places(result, cast("FindingKind", kind))) for kind in (inner, outer)}
        assert places[inner] <= places[outer]


def found_places(result: Lint, kind: FindingKind) -> list[tuple[int, int]]:
    return [(each.index, each.span.start) for each in result.findings if each.kind == kind]


@pytest.mark.parametrize("sample", [each.id for each in list_samples() if each.id != "inventory"])
def test_without_overlap_sentence_findings_are_the_boundaries_that_the_numbers_count(sample: str) -> None:
    chunking = cv.FixedSize(chunk_size=90, chunk_overlap=0).chunk(load_sample(sample))
    share = numbers(chunking).mid_sentence
    assert share is not None
    assert lint(chunking).counts["sentence"] == round(share * (len(chunking) - 1))
