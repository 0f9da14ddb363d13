"""Files that need a parser: what comes out of each kind."""

from __future__ import annotations

from email.message import EmailMessage

import fpdf
import pytest

from chunkviz.document import Document
from chunkviz.errors import DocumentError
from chunkviz.loaders import load_bytes


def pages(document: Document) -> list[str]:
    return [document.text[page.start : page.end] for page in document.pages]


def test_pdf_keeps_headings_paragraphs_lists_and_pages(report_pdf: bytes) -> None:
    document = load_bytes(report_pdf, "report.pdf")
    paragraph = (
        "The committee reviewed the annual budget and noted that operating costs had risen by four percent. "
        "Several members asked whether the increase followed from energy prices or from new hires."
    )
    assert pages(document) == [
        f"Annual Report\n\n# Chapter {number}\n\n{paragraph}\n\nPage {number} ends here.\n\n- first item\n- second item"
        for number in (1, 2)
    ]
    assert document.text == "\n\n".join(pages(document))
    assert (document.title, document.language, document.format) == ("Report of the Year", "en", "markdown")


def test_pdf_columns_are_read_one_after_the_other_and_no_word_is_lost(columns_pdf: bytes) -> None:
    document = load_bytes(columns_pdf, "columns.pdf")
    paragraphs = document.text.split("\n\n")
    assert [paragraph.split(" begins.")[0] for paragraph in paragraphs] == [
        f"Paragraph {number}" for number in range(24)
    ]
    assert all(paragraph.endswith("or from new hires.") for paragraph in paragraphs)


def test_pdf_words_broken_at_a_line_end_are_whole_again(hyphenated_pdf: bytes) -> None:
    document = load_bytes(hyphenated_pdf, "a.pdf")
    assert document.text == "The introduction is short."
    assert document.changes == ("Joined 1 word hyphenated at a line's end.",)


def test_word_keeps_headings_lists_tables_and_every_sign(handbook_docx: bytes) -> None:
    document = load_bytes(handbook_docx, "handbook.docx")
    assert document.text == (
        "# Handbook\n\n# Leave\n\nR&D uses List<String>, 5 * 3 and **bold**\n\n- first\n- second\n\n## Sick leave\n\n"
        "| Item | Days     |\n| ---- | -------- |\n| Rest | 25 \\| 30 |"
    )
    assert document.title == "Staff Handbook"
    assert document.pages == ()


def test_powerpoint_slides_are_pages(slides_pptx: bytes) -> None:
    document = load_bytes(slides_pptx, "slides.pptx")
    assert pages(document) == ["## Slide 1\n\nPoint A1\n\nR&D <1>", "## Slide 2\n\nPoint A2\n\nR&D <2>", ""]
    assert document.title == "Slide 1"


def test_excel_sheets_are_headings_and_tables(costs_xlsx: bytes) -> None:
    assert load_bytes(costs_xlsx, "costs.xlsx").text == (
        "## Costs\n\n| Item | Q1 |\n| --- | --- |\n| R&D | 100 |\n| Staff | 1.5 |\n\n"
        "## More\n\n| a | b |\n| --- | --- |"
    )


def test_epub_chapters_follow_each_other(book_epub: bytes) -> None:
    document = load_bytes(book_epub, "book.epub")
    assert document.text == "# Chapter 1\n\nText 1 of R&D.\n\n# Chapter 2\n\nText 2 of R&D."
    assert document.title == "My Book"


def test_opendocument_keeps_headings_and_tables(letter_odt: bytes) -> None:
    assert load_bytes(letter_odt, "letter.odt").text == (
        "# Letter\n\nR&D wrote a_b.\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"
    )


def test_rtf_is_decoded_and_keeps_bold_and_title() -> None:
    data = rb"{\rtf1\ansi\ansicpg1252{\info{\title A Letter}} R&D \b bold\b0  caf\'e9 \u8211? x < y\par Second.\par}"
    document = load_bytes(data, "a.rtf")
    assert document.text == "R&D **bold** café – x < y\n\nSecond."
    assert document.title == "A Letter"


def test_html_becomes_markdown_without_scripts_and_styles() -> None:
    source = (
        "<!doctype html><html><head><title>A &amp; B</title><style>p{}</style><script>var hidden</script></head>"
        "<body><nav><a href='/x'>Home</a></nav><h1>Main</h1>"
        "<p>caf&eacute; &lt;tag&gt; <b>bold</b><script>hidden</script></p>"
        "<ul><li>one<li>two</ul><table><tr><th>A<th>B<tr><td>1<td>2</table><pre>x = 1\n  y</pre>"
        "<img src='data:image/png;base64,AAAA' alt='a chart'></body></html>"
    )
    document = load_bytes(source.encode(), "page.html")
    assert document.text == (
        "[Home](/x)\n\n# Main\n\ncafé <tag> **bold**\n\n- one\n- two\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n"
        "```\nx = 1\n  y\n```\n\na chart"
    )
    assert document.title == "A & B"
    assert document.changes == ("Left out 1 embedded image.",)


def test_html_in_windows_1252_is_decoded_like_text() -> None:
    document = load_bytes(b"<meta charset=iso-8859-1><p>it\x92s caf\xe9</p>", "a.htm")
    assert document.text == "it’s café"
    assert document.changes == ("Decoded from windows-1252.",)


def test_email_has_its_fields_and_body_and_names_attachments() -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ann <ann@example.org>", "bob@example.org", "Café plans"
    message.set_content("Hello Bob,\n\nlet us meet at 5.\n")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="map.pdf")
    document = load_bytes(message.as_bytes(), "a.eml")
    assert document.text == (
        "# Café plans\n\nFrom: Ann <ann@example.org>\nTo: bob@example.org\n\nHello Bob,\n\nlet us meet at 5."
    )
    assert document.changes == ("Left out 1 attachment: map.pdf.",)


def test_email_with_an_html_body_only_is_turned_into_markdown() -> None:
    message = EmailMessage()
    message["Subject"] = "Hi"
    message.set_content("<h2>News</h2><p>Text</p>", subtype="html")
    assert load_bytes(message.as_bytes(), "a.eml").text == "# Hi\n\n## News\n\nText"


def test_a_wrongly_named_file_is_recognised_by_its_content(report_pdf: bytes, handbook_docx: bytes) -> None:
    document = load_bytes(report_pdf, "report.docx")
    assert document.changes == ("Named .docx, but is a file of the kind PDF; loaded as that.",)
    assert len(document.pages) == 2
    document = load_bytes(handbook_docx, "handbook")
    assert document.changes == (
        "Named without an ending, but is a file of the kind Word document (.docx); loaded as that.",
    )
    assert document.format == "markdown"


def test_loading_twice_gives_equal_documents(slides_pptx: bytes) -> None:
    first, second = (load_bytes(slides_pptx, "a.pptx") for _ in range(2))
    assert first == second
    assert first.id == second.id


def test_large_files_pass_through_the_pipe() -> None:
    body = "".join(f"<p>Paragraph {number}.</p>" for number in range(20_000))
    document = load_bytes(body.encode(), "a.html")
    assert document.text.count("Paragraph") == 20_000


def test_a_scan_is_told_to_go_through_ocr(scanned_pdf: bytes) -> None:
    with pytest.raises(DocumentError) as error:
        load_bytes(scanned_pdf, "scan.pdf")
    assert str(error.value) == (
        "scan.pdf has no text layer (it is a scan or pictures only); run OCR on it first and load the result."
    )


def test_a_paragraph_in_large_type_is_no_heading_and_short_lines_of_a_title_page_stay_apart() -> None:
    pdf = fpdf.FPDF()
    pdf.add_page()
    lead = "For the second summer running, the people of the town have stood in car parks, looking up at the sky. " * 3
    for size, text in (
        (20, "The Report"),
        (14, "Second Year"),
        (14, "Bird Group"),
        (14, lead),
        (10, "Body text here. " * 60),
    ):
        pdf.set_font("Helvetica", size=size)
        pdf.multi_cell(0, size / 2, text.strip(), new_x="LMARGIN", new_y="NEXT")
        pdf.ln(0 if text == "Second Year" else 12)
    text = load_bytes(bytes(pdf.output()), "a.pdf").text
    assert text.startswith(f"# The Report\n\n## Second Year\n\n## Bird Group\n\n{lead.strip()}\n\nBody text here.")
