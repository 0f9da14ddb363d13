"""What of a file is not in its text is said."""

from __future__ import annotations

import io

import pptx
from docx import Document as Word

from chunkviz.loaders import load_bytes


def test_speaker_notes_that_are_left_out_are_listed() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Seen by all"
    slide.notes_slide.notes_text_frame.text = "Heard by few"
    buffer = io.BytesIO()
    deck.save(buffer)
    document = load_bytes(buffer.getvalue(), "deck.pptx")
    assert "Seen by all" in document.text
    assert "Left out the speaker notes." in document.changes


def test_page_headers_that_are_left_out_are_listed() -> None:
    word = Word()
    word.add_paragraph("The text itself.")
    word.sections[0].header.paragraphs[0].text = "On every page"
    buffer = io.BytesIO()
    word.save(buffer)
    document = load_bytes(buffer.getvalue(), "letter.docx")
    assert "The text itself." in document.text
    assert "Left out the headers and footers of pages." in document.changes
