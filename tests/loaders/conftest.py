"""Files of every kind, made on the spot."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import docx
import fpdf
import openpyxl
import pptx
import pytest

BODY = (
    "The committee reviewed the annual budget and noted that operating costs had risen by four percent. "
    "Several members asked whether the increase followed from energy prices or from new hires."
)
Zipper = Callable[[Mapping[str, str | bytes]], bytes]


@pytest.fixture(scope="session")
def zipped() -> Zipper:
    """Make a zip of files, in order; the first is stored, as EPUB wants it."""

    def make(files: Mapping[str, str | bytes]) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, (name, content) in enumerate(files.items()):
                archive.writestr(name, content, zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED)
        return buffer.getvalue()

    return make


@pytest.fixture(scope="session")
def report_pdf() -> bytes:
    """Two pages: running header, headings in larger type, wrapped paragraphs, a list."""

    class Report(fpdf.FPDF):
        def header(self) -> None:
            self.set_font("Helvetica", size=8)
            self.cell(0, 8, "Annual Report", new_x="LMARGIN", new_y="NEXT")

    pdf = Report()
    pdf.set_title("Report of the Year")
    for number in (1, 2):
        pdf.add_page()
        pdf.set_font("Helvetica", "B", 20)
        pdf.cell(0, 12, f"Chapter {number}", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=11)
        for text in (BODY, f"Page {number} ends here."):
            pdf.multi_cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
            pdf.ln(4)
        for text in ("- first item", "- second item"):
            pdf.cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


@pytest.fixture(scope="session")
def columns_pdf() -> bytes:
    """Two columns of five numbered paragraphs each."""
    pdf = fpdf.FPDF()
    pdf.add_page()
    pdf.set_font("Times", size=10)
    with pdf.text_columns(ncols=2, gutter=8) as columns:
        for number in range(24):
            columns.write(f"Paragraph {number} begins. {BODY}\n\n")
    return bytes(pdf.output())


@pytest.fixture(scope="session")
def hyphenated_pdf() -> bytes:
    """A word broken at a line's end."""
    pdf = fpdf.FPDF()
    pdf.add_page()
    pdf.set_font("Times", size=12)
    for text in ("The intro-", "duction is short."):
        pdf.cell(0, 6, text, new_x="LMARGIN", new_y="NEXT")
    return bytes(pdf.output())


@pytest.fixture(scope="session")
def scanned_pdf() -> bytes:
    """Two pages with a drawing and no text."""
    pdf = fpdf.FPDF()
    for _ in range(2):
        pdf.add_page()
        pdf.rect(10, 10, 100, 100)
    return bytes(pdf.output())


@pytest.fixture(scope="session")
def locked_pdf() -> bytes:
    """A PDF that opens with a password only."""
    pdf = fpdf.FPDF()
    pdf.set_encryption(owner_password="owner", user_password="user")  # noqa: S106 - the point of the file
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    pdf.cell(0, 6, "Secret")
    return bytes(pdf.output())


@pytest.fixture(scope="session")
def many_pages_pdf() -> bytes:
    """10,000 empty pages in 750 KB, written object by object."""
    count = 10_000
    kids = " ".join(f"{number} 0 R" for number in range(3, count + 3))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {count}/MediaBox[0 0 9 9]/Kids[{kids}]>>"]
    objects += ["<</Type/Page/Parent 2 0 R>>"] * count
    parts, offsets, at = ["%PDF-1.4\n"], [], 9
    for number, content in enumerate(objects, start=1):
        part = f"{number} 0 obj{content}endobj\n"
        offsets.append(at)
        parts.append(part)
        at += len(part)
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    parts.append(f"xref\n0 {size}\n0000000000 65535 f \n{table}")
    parts.append(f"trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{at}\n%%EOF")
    return "".join(parts).encode()


@pytest.fixture(scope="session")
def handbook_docx() -> bytes:
    """Title, headings, a list made by its style, a table, and signs that careless parsers drop."""
    document = docx.Document()
    document.core_properties.title = "Staff Handbook"
    document.add_heading("Handbook", 0)
    document.add_heading("Leave", 1)
    paragraph = document.add_paragraph("R&D uses List<String>, 5 * 3 and ")
    paragraph.add_run("bold").bold = True
    document.add_paragraph("first", style="List Bullet")
    document.add_paragraph("second", style="List Bullet")
    document.add_heading("Sick leave", 2)
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        (*table.rows[0].cells, *table.rows[1].cells), ("Item", "Days", "Rest", "25 | 30"), strict=True
    ):
        cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def slides_pptx() -> bytes:
    """Two slides with a title and two points each, and an empty one."""
    presentation = pptx.Presentation()
    for number in (1, 2):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = f"Point A{number}\nR&D <{number}>"
    presentation.slides.add_slide(presentation.slide_layouts[6])
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def costs_xlsx() -> bytes:
    """Two sheets."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "Costs"
    for row in (["Item", "Q1"], ["R&D", 100], ["Staff", 1.5]):
        sheet.append(row)
    workbook.create_sheet("More").append(["a", "b"])
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def book_epub(zipped: Zipper) -> bytes:
    """Two chapters."""
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Chapter {0}</h1><p>Text {0} of R&amp;D.</p></body></html>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i"><metadata'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>My Book</dc:title>'
        '<dc:identifier id="i">x</dc:identifier>'
        '</metadata><manifest><item id="a" href="1.xhtml" media-type="application/xhtml+xml"/><item id="b"'
        ' href="2.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/>'
        "</spine></package>"
    )
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile'
        ' full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "c.opf": package,
            "1.xhtml": page.format(1),
            "2.xhtml": page.format(2),
        }
    )


@pytest.fixture(scope="session")
def letter_odt(zipped: Zipper) -> bytes:
    """A heading, a paragraph and a table."""
    names = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
    )
    row = "<table:table-row>" + "<table:table-cell><text:p>{}</text:p></table:table-cell>" * 2 + "</table:table-row>"
    content = (
        f'<office:document-content{names}><office:body><office:text><text:h text:outline-level="1">Letter</text:h>'
        "<text:p>R&amp;D wrote a_b.</text:p><table:table>"
        f"{row.format('A', 'B')}{row.format('1', '2')}</table:table></office:text></office:body>"
        "</office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


@pytest.fixture
def requests_seen() -> Iterator[tuple[str, list[str]]]:
    """Address of a loopback web server and the paths it was asked for."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"FETCHED")

        def log_message(self, *_arguments: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()
    thread.join()
