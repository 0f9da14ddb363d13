"""Headings, sentences and whole characters."""

from __future__ import annotations

import io

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.characters import snap_back, snap_forward
from chunkviz.segments import Heading, heading_path, headings, structure_cuts
from tests.core.laws import whole_places
from tests.core.test_laws import texts


def titles(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in headings(cv.Document(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\ntext\n\n## B ##\n", [(1, "A"), (2, "B")]),
        ("   ### C\n    # code\n#tag\n####### seven\n", [(3, "C")]),
        ("# Guide\n\n```python\n# comment\n```\n## Next\n", [(1, "Guide"), (2, "Next")]),
        ("````\n```\n# in\n````\n# out\n", [(1, "out")]),
        ("```\n# never closed\n", []),
        ("~~~\n# in\n```\n~~~\n# out\n", [(1, "out")]),
        ("Title\n=====\n\nSub\n---\n\n---\n\nrule\n", [(1, "Title"), (2, "Sub")]),
        ("---\ntitle: Notes\n---\n\n# Real\n", [(1, "Real")]),
        ("- item\n---\n", []),
        ("| a | b |\n|---|---|\n", []),
        ("#\n", [(1, "")]),
        ("text\n\n===\n", []),
    ],
)
def test_headings_follow_commonmark(text: str, expected: list[tuple[int, str]]) -> None:
    assert titles(text) == expected


def test_a_heading_knows_its_place() -> None:
    assert headings(cv.Document("a\n\nTitle\nof two lines\n====\nb")) == (Heading(1, "Title of two lines", 3, 26),)


def test_a_path_is_cut_by_level_and_not_by_depth() -> None:
    document = cv.Document("# A\n### B\nb\n### C\nc\n## D\nd\n# E\ne")
    text = document.text
    assert heading_path(document, text.index("\nb")) == ("A", "B")
    assert heading_path(document, text.index("\nc")) == ("A", "C")
    assert heading_path(document, text.index("\nd")) == ("A", "D")
    assert heading_path(document, text.index("\ne")) == ("E",)
    assert heading_path(cv.Document("text # no\n"), 3) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Osei came. He left.", ["Dr. Osei came.", "He left."]),
        (
            "It cost 3.75 units, i.e. a lot. See https://ex.org/a.b now.",
            ["It cost 3.75 units, i.e. a lot.", "See https://ex.org/a.b now."],
        ),
        ("J. R. R. Tolkien wrote it. So what?", ["J. R. R. Tolkien wrote it.", "So what?"]),
        ("Well... he said. Done!", ["Well... he said.", "Done!"]),
        ("你好吗？我很好！今天下雨。", ["你好吗？", "我很好！", "今天下雨。"]),
        ("これはペンです。「はい。」と言った。", None),
        ("one line\nand its second half. Next.", ["one line\nand its second half.", "Next."]),
        ("- first item\n- second item", ["- first item", "- second item"]),
        ("A para\n\nAnother para", ["A para", "Another para"]),
        ("ab\r\n\r\ncd. Ef.", ["ab", "cd.", "Ef."]),
        ("", []),
        (" \n\t", []),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str] | None) -> None:
    found = [text[span.start : span.end] for span in cv.split_sentences(text)]
    if expected is None:
        assert "".join(found) == text
        assert len(found) >= 2
    else:
        assert found == expected


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_and_paragraphs_begin_behind_any_kind_of_line_end(end: str) -> None:
    cuts = structure_cuts(cv.Document(f"{end} one{end}two{end}{end}  three{end} {end}four{end}{end}"))
    width = len(end)
    assert list(cuts.lines) == [width + 1, 2 * width + 4, 4 * width + 9, 6 * width + 15]
    assert list(cuts.paragraphs) == [4 * width + 9, 6 * width + 15]


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab #?\r\n\t\u2028日", max_size=30))
def test_lines_and_paragraphs_equal_those_of_lines_taken_one_by_one(text: str) -> None:
    lines, paragraphs = [], []
    at, blank = 0, False
    for line in io.StringIO(text, newline=""):
        if at > 0 and line.strip():
            lines.append(at + len(line) - len(line.lstrip()))
            paragraphs += lines[-1:] if blank else []
        at, blank = at + len(line), not line.strip()
    cuts = structure_cuts(cv.Document(text, format="code"))
    assert list(cuts.lines) == lines
    # What stands first is no boundary whether or not it is called a paragraph.
    first = len(text) - len(text.lstrip())
    assert [place for place in cuts.paragraphs if place > first] == [place for place in paragraphs if place > first]


@settings(max_examples=200, deadline=None)
@given(texts, st.sampled_from(["en", "ja", "ar", None]))
def test_sentences_are_ordered_trimmed_and_cover_the_text(text: str, language: str | None) -> None:
    spans = cv.split_sentences(text, language)
    reached = 0
    for span in spans:
        assert span.start >= reached
        assert not text[reached : span.start].strip()
        piece = text[span.start : span.end]
        assert piece == piece.strip() != ""
        reached = span.end
    assert not text[reached:].strip()


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(texts, st.text(alphabet="🇩🇪👩\u200d\u0301ab \r\n\u1100\u1161\u0600\ud83d\ude00", max_size=20)), st.data()
)
def test_snapping_finds_the_neighbouring_whole_places(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    places = whole_places(text)
    assert snap_back(text, offset) == max(place for place in places if place <= offset)
    assert snap_forward(text, offset) == min(place for place in places | {len(text)} if place >= offset)
    assert regex.fullmatch(r"\X*", text) is not None


def test_a_mark_after_a_surrogate_pair_belongs_to_it() -> None:
    assert [snap_forward("\ud83d\ude00\u200d", offset) for offset in range(4)] == [0, 3, 3, 3]
    assert [snap_back("\ud83d\ude00\u200d", offset) for offset in range(4)] == [0, 0, 0, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\n    Indented. Two.", ["One.", "Indented.", "Two."]),
        ("注意。\n\n\n返り値\n次の文。 終わり。", ["注意。", "返り値\n次の文。", "終わり。"]),
        ("One.\n\n \u3000 \n\n\n  Two.", ["One.", "Two."]),
    ],
)
def test_white_space_around_paragraphs_does_not_make_the_whole_text_be_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, text: str, expected: list[str]
) -> None:
    monkeypatch.setattr("sentencex.get_sentence_boundaries", None)
    spans = cv.split_sentences(text, "ja" if "。" in text else "en")
    assert [text[span.start : span.end] for span in spans] == expected
