"""Running headers and footers are left out; what only looks like one stays."""

from __future__ import annotations

from itertools import count

import fpdf
import pytest

from chunkviz.loaders import load_bytes
from chunkviz.loaders.layout import Box, Line, Style
from chunkviz.loaders.running import running_lines

STYLE = Style(body=10.0, headings=(16.0,), leading=1.2)
BODY = ["One line of text.", "Another line of it.", "A third one.", "And a fourth, which is long.", "The last."]


def line(text: str, bottom: float, size: float = 10) -> Line:
    return Line(text, Box(50, bottom, 56, bottom + size), Box(200, bottom, 206, bottom + size))


NUMBER = count()


def page(header: str | None = None, footer: str | None = None, *, size: float = 10, at: float = 800) -> list[Line]:
    own = "abcdefghijklmnopqrstuvwxyz"[next(NUMBER) % 26]
    lines = [line(f"{text} {own}", 700 - 14 * row) for row, text in enumerate(BODY)]
    if footer is not None:
        lines.insert(0, line(footer, 20))  # drawn first, as many programs do
    if header is not None:
        lines.append(line(header, at, size))
    return lines


def left_out(pages: list[list[Line]]) -> list[list[str]]:
    found = running_lines(pages, STYLE)
    return [[lines[at].text for at in sorted(indices)] for lines, indices in zip(pages, found, strict=True)]


def test_a_header_and_a_footer_with_the_page_number_are_found_wherever_they_were_drawn() -> None:
    pages = [page("Annual report 2023", f"Page {number} of 3") for number in (1, 2, 3)]
    assert left_out(pages) == [[f"Page {number} of 3", "Annual report 2023"] for number in (1, 2, 3)]


def test_left_and_right_pages_may_differ() -> None:
    pages = [page(("On the left", "On the right")[number % 2]) for number in range(6)]
    assert left_out(pages) == [["On the left"], ["On the right"]] * 3


@pytest.mark.parametrize(
    "pages",
    [
        [page("Twice only"), page("Twice only")],
        [page(f"Row {number}") for number in (3, 1, 4, 1, 5)],
        [page("The chapter", size=16) for _ in range(4)],
        [page("At another height", at=760 + 10 * number) for number in range(4)],
        [page("Now and then" if number in {0, 5, 11} else None) for number in range(12)],
        [page(f"1 2 3 4 {number}") for number in range(4)],
    ],
    ids=["two pages", "figures", "headings", "heights", "far apart", "row of figures"],
)
def test_what_only_looks_like_a_running_line_stays(pages: list[list[Line]]) -> None:
    assert left_out(pages) == [[] for _ in pages]


@pytest.mark.parametrize("height", [672, 693])
def test_the_same_words_stay_where_other_text_is_further_out(height: float) -> None:
    pages = [[*page(), line("A refrain.", height)] for _ in range(4)]
    assert left_out(pages) == [[]] * 4


def test_a_file_says_which_lines_were_left_out() -> None:
    pdf = fpdf.FPDF()
    pdf.set_auto_page_break(auto=False)
    pdf.set_font("Helvetica", size=11)
    for number in (1, 2, 3):
        pdf.add_page()
        pdf.text(20, 15, "A Journey in Winter")
        for row, text in enumerate(BODY):
            pdf.text(20, 60 + 12 * row, f"{text} ({'abc'[number - 1]})")
        pdf.text(20, 285, f"- {number} -")
    document = load_bytes(bytes(pdf.output()), "journey.pdf")
    assert "Journey" not in document.text
    assert [document.text[each.start : each.end].count("(") for each in document.pages] == [5, 5, 5]
    assert document.changes == ("Left out 6 running header or footer lines: “A Journey in Winter”, “- 1 -”.",)
