"""Markdown: worked examples with literal spans, and what holds for any document."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.commonmark import blocks, markdown_headings
from chunkviz.segments import headings
from tests.core.test_laws import texts

SAMPLES = Path(__file__).parents[2] / "sample_docs"


def chunked(text: str, size: int, **parameters: object) -> cv.Chunking:
    strategy = cv.get_strategy("markdown", chunk_size=size, unit="characters", **parameters)
    return strategy.chunk(cv.Document(text, language="en"))


def shown(chunking: cv.Chunking) -> list[str]:
    return [chunk.text for chunk in chunking]


def test_a_chapter_starts_a_chunk_and_deeper_sections_share_one() -> None:
    text = "# A\n\none\n\n### B\n\ntwo\n\n### C\n\nthree\n\n## D\n\nfour\n"
    chunking = chunked(text, 100)
    assert [(chunk.start, chunk.end) for chunk in chunking] == [(0, 34), (36, 46)]
    assert chunking.boundary_reasons == ("header", "end of document")
    assert [chunk.metadata["headings"] for chunk in chunking] == [("A",), ("A", "D")]
    assert shown(chunked(text, 24)) == ["# A\n\none\n\n### B\n\ntwo", "### C\n\nthree", "## D\n\nfour"]


def test_the_deepest_level_that_starts_a_chunk_is_chosen() -> None:
    text = "# A\n\none\n\n## B\n\ntwo\n\n### C\n\nthree\n"
    assert shown(chunked(text, 100, max_heading_level=0)) == [text.strip()]
    assert shown(chunked(text, 100, max_heading_level=1)) == [text.strip()]
    assert shown(chunked(text, 100, max_heading_level=2)) == ["# A\n\none", "## B\n\ntwo\n\n### C\n\nthree"]
    assert shown(chunked(text, 100, max_heading_level=6)) == ["# A\n\none", "## B\n\ntwo", "### C\n\nthree"]


def test_a_heading_goes_with_what_it_announces() -> None:
    text = "Some words here.\n\n# A\n\n## B\n\n- one\n- two\n"
    assert shown(chunked(text, 21, max_heading_level=0)) == ["Some words here.", "# A\n\n## B\n\n- one", "- two"]
    assert shown(chunked("## Title\n\nA first. A second.\n", 20)) == ["## Title\n\nA first.", "A second."]


def test_a_table_is_cut_between_rows_and_its_header_is_remembered() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n\nthe very end\n"
    chunking = chunked(text, 30)
    assert [(chunk.start, chunk.end) for chunk in chunking] == [(0, 29), (30, 49), (51, 63)]
    assert chunking.boundary_reasons == ("table row", "table", "end of document")
    assert [chunk.metadata.get("table_header") for chunk in chunking] == [None, "| a | b |", None]


def test_a_table_below_a_heading_leaves_it_before_its_own_header_row_is_cut_off() -> None:
    text = "## A long heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    assert shown(chunked(text, 30)) == ["## A long heading", "| a | b |\n|---|---|\n| 1 | 2 |", "| 3 | 4 |"]


def test_an_overlap_repeats_whole_rows_or_nothing() -> None:
    text = "| a | b |\n|---|---|\n" + "".join(f"| {n} | {n} |\n" for n in range(6))
    assert all(chunk.text.startswith("| ") for chunk in chunked(text, 30, chunk_overlap=8))
    assert chunked(text, 30, chunk_overlap=8).overlaps.sum() == 0
    assert chunked(text, 30, chunk_overlap=9).overlaps.tolist()[1:] == [9] * (
        len(chunked(text, 30, chunk_overlap=9)) - 1
    )


def test_a_fence_that_fits_is_whole_and_a_longer_one_is_cut_at_lines_that_keep_their_indentation() -> None:
    text = "Words before it.\n\n```py\nif x:\n    y = 1\n    z = 2\n```\n"
    assert shown(chunked(text, 40)) == ["Words before it.", "```py\nif x:\n    y = 1\n    z = 2\n```"]
    assert shown(chunked(text, 24)) == ["Words before it.", "```py\nif x:\n    y = 1", "    z = 2\n```"]
    assert chunked(text, 24).boundary_reasons == ("paragraph", "line", "end of document")
    assert shown(chunked("## Title\n\n" + text[18:], 36)) == ["## Title", text[18:].strip()]


def test_lists_are_cut_between_outer_items_first() -> None:
    text = "- one\n  - inner a\n  - inner b\n- two\n  - inner c\n"
    assert shown(chunked(text, 38)) == ["- one\n  - inner a\n  - inner b", "- two\n  - inner c"]
    assert chunked(text, 38).boundary_reasons == ("list item", "end of document")
    assert shown(chunked(text, 20)) == ["- one\n  - inner a", "  - inner b", "- two\n  - inner c"]


def test_a_quote_is_cut_at_its_own_paragraphs_and_keeps_its_signs() -> None:
    text = "> First part.\n>\n> Second part.\n>\n> - item\n"
    assert shown(chunked(text, 34)) == ["> First part.\n>\n> Second part.\n>", "> - item"]


def test_sentences_of_a_hard_wrapped_paragraph_end_inside_lines() -> None:
    text = "One sentence that is\nwrapped. Another one\nends here.\n"
    assert shown(chunked(text, 36)) == ["One sentence that is\nwrapped.", "Another one\nends here."]


def test_front_matter_is_a_block_of_its_own_and_a_rule_is_not_front_matter() -> None:
    document = cv.Document("---\na: b\n# c\n---\n\n# T\n")
    assert [(block.kind, block.start, block.end) for block in blocks(document)] == [
        ("block", 0, 17),
        ("header", 18, 22),
    ]
    assert [heading.title for heading in markdown_headings(cv.Document("---\n\n# T\n\n---\n"))] == ["T"]


def test_the_heading_path_is_context_where_it_is_wanted_and_fits() -> None:
    text = "# Guide\n\none\n\n## Setup\n\ntwo\n"
    assert [chunk.context for chunk in chunked(text, 60)] == [None, None]
    assert [chunk.context for chunk in chunked(text, 60, heading_context=True)] == ["Guide", "Guide > Setup"]
    assert [chunk.context for chunk in chunked(text, 14, heading_context=True)] == ["Guide", "Guide > Setup"]
    assert [chunk.context for chunk in chunked(text, 13, heading_context=True)] == ["Guide", "Guide > Setup"]
    assert {chunk.context for chunk in chunked(text, 12, heading_context=True)} == {"Guide", "Setup"}
    assert {chunk.context for chunk in chunked("# " + "Long " * 30 + "\n\nbody\n", 100, heading_context=True)} == {None}


def test_headings_in_quotes_and_lists_divide_nothing() -> None:
    assert chunked("# A\n\n> # B\n>\n> words\n\n- # C\n", 100).chunks[0].metadata["headings"] == ("A",)
    assert len(chunked("# A\n\n> # B\n>\n> words\n\n- # C\n", 100)) == 1


@pytest.mark.parametrize(
    "name", ["manual.md", "contract.txt", "essay.txt", "transcript.txt", "report.pdf", "handbook.docx"]
)
def test_both_readers_of_headings_agree_on_what_people_write(name: str) -> None:
    document = cv.load(SAMPLES / name)
    assert markdown_headings(document) == headings(document)


written = st.lists(
    st.sampled_from(
        [
            *(
                "# A\n",
                "## B ##\n",
                "### C\n",
                "  ## D\n",
                "#no\n",
                "####### no\n",
                "Title\n===\n",
                "Sub\ntitle\n---\n",
            ),
            *("\n", "\nwords\n", "\n```\n# x\n```\n", "\n~~~\n\n# y\n~~~\n", "\n    # code\n", "***\n", "\n---\n"),
        ]
    ),
    max_size=12,
).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(written)
def test_both_readers_of_headings_agree_on_text_without_containers(text: str) -> None:
    document = cv.Document(text)
    assert markdown_headings(document) == headings(document)


tables = st.lists(st.integers(1, 99999), min_size=1, max_size=20).map(
    lambda rows: "| id | name |\n|---|---|\n" + "".join(f"| {n} | item {n} |\n" for n in rows)
)
fences = st.lists(st.sampled_from(["x = 1", "    y", "", "# z", "| a |"]), max_size=8).map(
    lambda lines: "```\n" + "".join(f"{line}\n" for line in lines) + "```\n"
)
paragraphs = st.lists(st.sampled_from(["Some words.", "More. Of them.", "- item", "> quote"]), max_size=4).map(
    "\n".join
)
titles = st.sampled_from(["# A", "## B", "### C", "#### D"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(tables, fences, paragraphs, titles), max_size=12), st.integers(44, 300), st.integers(0, 40))
def test_tables_are_cut_at_rows_and_fences_that_fit_not_at_all(parts: list[str], size: int, overlap: int) -> None:
    text, starts = "", []
    for part in parts:
        starts.append((len(text), part.rstrip()))
        text += part + "\n\n"
    chunking = chunked(text, size, chunk_overlap=overlap)
    for start, part in starts:
        if part.startswith("|"):
            rows = {start + at + 1 for at, character in enumerate(part) if character == "\n"}
            places = {chunk.start for chunk in chunking if start < chunk.start < start + len(part)}
            assert places <= rows - {start + part.index("\n") + 1}
        if part.startswith("```") and len(part) <= size:
            assert any(chunk.start <= start and start + len(part) <= chunk.end for chunk in chunking), part


@settings(max_examples=200, deadline=None)
@given(texts)
def test_blocks_of_any_text_lie_in_order_inside_it(text: str) -> None:
    found = blocks(cv.Document(text))
    for block in found:
        assert 0 <= block.start < block.end <= len(text)
        assert block.place < block.end
        assert not text[block.place].isspace()
        assert block.place in (0, *range(block.start)) or block.place >= block.start
    assert all(one.start <= other.start and one.place <= other.place for one, other in pairwise(found))
