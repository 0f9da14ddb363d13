"""Make the two sample documents that are not plain text: report.pdf and handbook.docx.

Their words are in report.txt and handbook.txt beside this file; only the typesetting is here. The
output depends on nothing but those files and the two libraries (reportlab and python-docx): dates
and ids are fixed and nothing is compressed, so running this twice gives the same bytes.

    python tools/make_samples.py            # into sample_docs/
    python tools/make_samples.py some/dir   # somewhere else
"""

# ruff: noqa: SLF001  (python-docx has no public name for the XML element beneath an object)

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape

import docx
from docx.document import Document as Docx
from docx.enum.section import WD_ORIENT, WD_SECTION
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import nsdecls, qn
from docx.oxml.parser import parse_xml
from docx.shared import Cm, Pt, RGBColor
from docx.text.paragraph import Paragraph as DocxParagraph
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    BalancedColumns,
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    HRFlowable,
    KeepTogether,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

HERE: Final = Path(__file__).resolve().parent
SAMPLES: Final = HERE.parent / "sample_docs"

REPORT_TITLE: Final = "Swifts over Marrowby: Report of the Second Summer, 2023"
HANDBOOK_TITLE: Final = "The Volunteer’s Handbook"


@dataclass
class Block:
    """A paragraph, heading, item, table row or directive, as the text files have it."""

    mark: str
    text: str


_MARKED = re.compile(r"(#{1,3}|--?|\*|>|\||\d+\.|@\w+|\[\^\w+\]:)\s+(.*)")


def blocks(path: Path) -> Iterator[Block]:
    """Read a text file of this folder; a blank line comes out as a block without mark or text."""
    text = path.read_text(encoding="utf-8").replace("'", "\u2019")
    for line in text.splitlines():
        if line.startswith("%"):
            continue
        marked = _MARKED.fullmatch(line)
        yield Block(marked[1], marked[2]) if marked else Block("", line)


def cells(row: str) -> list[str]:
    """Split the text of a table row."""
    return [cell.strip() for cell in row.rstrip("| ").split("|")]


# ------------------------------------------------------------------------------------------------ PDF

INK: Final = HexColor("#1b1f23")
ACCENT: Final = HexColor("#1f5f6b")
FAINT: Final = HexColor("#8a949c")
SHADE: Final = HexColor("#eef3f4")

# Where a long word may be broken at the end of a line. A list, and not a library's dictionary, so
# that a new version of the library cannot move a line end.
_BREAKS: Final = """
    ac-count agree-ment al-low-ance al-to-gether an-noy-ing an-other any-body any-thing any-where ap-par-ently
    ar-gu-ment arith-metic ar-ranged ar-range-ment at-trac-ted au-thors av-er-age be-cause bed-room be-gin-ning
    be-lieve be-neath breath-ing breed-ing build-ing build-ings cam-eras care-fully car-ried cheer-ful
    cir-cum-stance clear-ing col-lect-ing col-lege com-monly com-par-ison com-pleted con-sent con-sequently
    con-sist con-trol coun-cil coun-ted count-ing crit-ical de-clined de-par-ture dif-fer-ence dir-ectly
    dis-ap-pear-ing dis-cov-er-ing dis-trict door-bell door-way dress-ing dwell-ing en-gines en-trance
    es-tim-ate even-ing even-ings every-body ex-plained ex-ter-ior ex-tracts fall-ing fa-mil-iar feath-ers
    fig-ures find-ings flood-lights fol-low-ing fort-night gath-ers gran-ted heav-iest hon-estly hos-pital
    house-hold-ers hun-dred hus-band in-crease in-de-pend-ently in-di-vidu-als in-sects in-struct-ive
    in-su-lated in-ten-ded in-vited join-ery jour-ney land-ing lib-rary lift-ing log-gers look-ing main-ten-ance
    mar-ried match-box ma-ter-ial may-pole mean-while men-tion min-imum morn-ing moul-ded mul-ti-plic-a-tion
    mys-tery neigh-bour-hood neigh-bours nest-ing nest-ling nine-teen noth-ing no-ticed ob-ser-va-tion ob-served
    ob-server oc-cu-pied or-ni-tho-lo-gists par-ents pa-tient pat-tern per-haps plan-ets plat-form play-ers
    pleas-ant ply-wood pop-u-lar prac-tice print-ing prop-erly pub-lish pur-pose quar-rel-ling quar-ters
    rail-way read-ily re-com-mend-a-tions re-cor-ded re-cord-ing re-cover re-main-ing re-quest re-quire
    re-search-ers re-tired re-turned scaf-fold-ing school-teach-ers scream-ing sep-ar-ate sev-en-teen shak-ing
    shal-low show-ing si-lence so-li-citor some-body some-thing some-where spe-cies sta-tion sup-posed sur-geon
    them-selves there-fore thir-teen un-at-tract-ive un-harmed up-stairs usu-ally van-ished vent-il-ated
    vis-ible vis-ited vis-it-ing vo-lun-teers wait-ing ware-house watch-ing win-dows
"""
BREAKS: Final = {word.replace("-", ""): word.replace("-", "\u00ad") for word in _BREAKS.split()}


def hyphenated(text: str) -> str:
    """Put a soft hyphen wherever ``BREAKS`` allows one, and make the text safe for a paragraph."""
    return re.sub(r"[a-z]{7,}", lambda word: BREAKS.get(word[0], word[0]), escape(text))


def report_styles() -> dict[str, ParagraphStyle]:
    """Return the paragraph styles of the report, by the mark of the block they are for."""
    body = ParagraphStyle(
        "body",
        fontName="Times-Roman",
        fontSize=11,
        leading=15.6,
        alignment=TA_JUSTIFY,
        spaceAfter=7,
        textColor=INK,
        embeddedHyphenation=1,
        allowWidows=0,
        allowOrphans=0,
    )
    heading = ParagraphStyle("heading", fontName="Helvetica-Bold", textColor=ACCENT)
    return {
        "": body,
        "narrow": ParagraphStyle("narrow", parent=body, fontSize=10.3, leading=13.4, spaceAfter=4),
        "@lead": ParagraphStyle("lead", parent=body, fontName="Times-Italic", fontSize=12.4, leading=18, spaceAfter=10),
        "*": ParagraphStyle("item", parent=body, leftIndent=14, bulletIndent=2, bulletFontName="Times-Roman"),
        "#": ParagraphStyle("h1", parent=heading, fontSize=15, leading=19, spaceBefore=13, spaceAfter=6),
        "##": ParagraphStyle("h2", parent=heading, fontSize=10.8, leading=14, spaceBefore=7, spaceAfter=3),
        "###": ParagraphStyle("h3", parent=heading, fontSize=8.6, leading=11, spaceBefore=5, spaceAfter=1.5),
        "@caption": ParagraphStyle(
            "caption", fontName="Helvetica", fontSize=8.4, leading=11, textColor=INK, spaceBefore=8, spaceAfter=5
        ),
        "cell": ParagraphStyle("cell", fontName="Helvetica", fontSize=8.6, leading=11, textColor=INK),
        "title": ParagraphStyle(
            "title", fontName="Helvetica-Bold", fontSize=30, leading=36, spaceAfter=7, textColor=ACCENT
        ),
        "subtitle": ParagraphStyle("subtitle", fontName="Helvetica", fontSize=12, leading=17, textColor=FAINT),
    }


def report_table(caption: Flowable, widths: list[float], rows: list[list[str]]) -> Flowable:
    """Set a table with its caption above; its first column is text and the others are numbers."""
    total = [index for index, row in enumerate(rows) if row[0].startswith("= ")]
    plain = [[cell.removeprefix("= ") for cell in row] for row in rows]
    table = Table(plain, colWidths=[width * mm for width in widths], rowHeights=14.6, hAlign="LEFT", repeatRows=1)
    style: list[tuple[Any, ...]] = [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 8.6),
        ("FONT", (0, 0), (-1, 0), "Helvetica-Bold", 8.6),
        ("TEXTCOLOR", (0, 0), (-1, -1), INK),
        ("TEXTCOLOR", (0, 0), (-1, 0), ACCENT),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 1),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ("ROWBACKGROUNDS", (0, 1), (-1, -1), [None, SHADE]),
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, ACCENT),
        ("LINEBELOW", (0, -1), (-1, -1), 0.8, ACCENT),
    ]
    for index in total:
        style += [("FONT", (0, index), (-1, index), "Helvetica-Bold", 8.6)]
        style += [("LINEABOVE", (0, index), (-1, index), 0.5, ACCENT)]
    table.setStyle(TableStyle(style))
    return KeepTogether([Spacer(0, 4), caption, table, Spacer(0, 12)])


class ReportStory:
    """What the page templates are filled with, collected from report.txt."""

    def __init__(self) -> None:
        self.styles = report_styles()
        self.flowables: list[Flowable] = [
            Spacer(0, 4 * mm),
            Paragraph("Swifts over Marrowby", self.styles["title"]),
            Paragraph("Report of the second summer, 2023", self.styles["subtitle"]),
            Paragraph("Marrowby Swift Group &nbsp;·&nbsp; November 2023", self.styles["subtitle"]),
            HRFlowable(width="100%", thickness=1.2, color=ACCENT, spaceBefore=10, spaceAfter=14),
        ]
        self._columns: list[Flowable] | None = None  # those being collected for a page in two columns
        self._widths: list[float] = []
        self._caption: Flowable = Spacer(0, 0)
        for mark, group in groupby(blocks(HERE / "report.txt"), key=lambda block: block.mark):
            texts = [block.text for block in group if block.text]
            if mark == "|":
                rows = [cells(text) for text in texts]
                self.flowables.append(report_table(self._caption, self._widths, rows))
                continue
            for text in texts:
                if mark in {"@page", "@columns", "@table", "@caption"}:
                    self._direct(mark, text)
                else:
                    self._add(mark, text)

    def _direct(self, directive: str, text: str) -> None:
        if directive == "@page":
            self.flowables.append(PageBreak())
        elif directive == "@table":
            self._widths = [float(number) for number in text.split()]
        elif directive == "@caption":
            self._caption = Paragraph(escape(text), self.styles["@caption"])
        elif self._columns is None:
            self._columns = []
        else:
            gap = 8 * mm
            self.flowables.append(BalancedColumns(self._columns, nCols=2, innerPadding=gap, needed=200, spaceAfter=6))
            self._columns = None

    def _add(self, mark: str, text: str) -> None:
        into = self.flowables if self._columns is None else self._columns
        if mark in {"#", "##"}:
            # Not keepWithNext: that keeps the whole of the next paragraph, and leaves holes.
            into.append(CondPageBreak(30 * mm))
        words = escape(text) if mark.startswith("#") else hyphenated(text)
        style = self.styles["narrow" if mark == "" and self._columns is not None else mark]
        into.append(Paragraph(words, style, bulletText="\u2022" if mark == "*" else None))


def make_report() -> bytes:
    """Set the report and return the PDF."""
    margin, top, bottom = 25 * mm, 28 * mm, 26 * mm
    width = A4[0] - 2 * margin

    def furniture(canvas: Any, page: Any) -> None:
        canvas.saveState()
        canvas.setFont("Helvetica", 8)
        canvas.setFillColor(FAINT)
        canvas.setStrokeColor(FAINT)
        canvas.setLineWidth(0.4)
        if page.page > 1:
            canvas.drawString(margin, A4[1] - 17 * mm, "Swifts over Marrowby")
            canvas.drawRightString(A4[0] - margin, A4[1] - 17 * mm, "Report of the second summer, 2023")
            canvas.line(margin, A4[1] - 19.5 * mm, A4[0] - margin, A4[1] - 19.5 * mm)
        canvas.drawString(margin, 14 * mm, "Marrowby Swift Group")
        canvas.drawRightString(A4[0] - margin, 14 * mm, f"Page {page.page}")
        canvas.restoreState()

    out = io.BytesIO()
    document = BaseDocTemplate(
        out,
        pagesize=A4,
        invariant=1,
        pageCompression=0,
        title=REPORT_TITLE,
        author="Marrowby Swift Group",
        subject="Nest boxes, watches and weather",
        creator="make_samples.py",
        lang="en-GB",
    )
    frame = Frame(margin, bottom, width, A4[1] - top - bottom, 0, 0, 0, 0, id="text")
    document.addPageTemplates([PageTemplate(id="page", frames=[frame], onPage=furniture)])
    document.build(ReportStory().flowables)
    return out.getvalue()


# ----------------------------------------------------------------------------------------------- DOCX

FOOTNOTES_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
WRITTEN: Final = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)
TABLE_STYLE: Final = "Light Grid Accent 3"
GREEN: Final = RGBColor(0x1F, 0x4D, 0x3A)


@dataclass
class Footnotes:
    """The footnotes of a document: called in the text first, and given their words later."""

    ids: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def call(self, paragraph: DocxParagraph, name: str) -> None:
        """Add the raised number to a paragraph."""
        run = paragraph.add_run()
        run.style = "Footnote Reference"
        reference = OxmlElement("w:footnoteReference")
        reference.set(qn("w:id"), str(self.ids.setdefault(name, len(self.ids) + 1)))
        run._element.append(reference)

    def attach(self, document: Docx) -> None:
        """Add the part that holds the texts, with the two separators every such part begins with."""
        separators = "".join(
            f'<w:footnote w:type="{kind}" w:id="{number}"><w:p><w:r><w:{tag}/></w:r></w:p></w:footnote>'
            for kind, number, tag in (
                ("separator", -1, "separator"),
                ("continuationSeparator", 0, "continuationSeparator"),
            )
        )
        notes = "".join(
            f'<w:footnote w:id="{number}"><w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr>'
            '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>'
            f'<w:r><w:t xml:space="preserve"> {escape(self.texts[name])}</w:t></w:r></w:p></w:footnote>'
            for name, number in self.ids.items()
        )
        xml = (
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
            f"<w:footnotes {nsdecls('w')}>{separators}{notes}</w:footnotes>"
        )
        part = Part(PackURI("/word/footnotes.xml"), FOOTNOTES_TYPE, xml.encode(), document.part.package)
        document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)


def set_styles(document: Docx) -> None:
    """Dress the template's styles and add the two that footnotes need."""
    styles: Any = document.styles
    normal = styles["Normal"]
    normal.font.name, normal.font.size = "Georgia", Pt(10.5)
    normal.paragraph_format.space_after, normal.paragraph_format.line_spacing = Pt(7), 1.2
    for name, size, before in (
        ("Title", 34, 120),
        ("Heading 1", 20, 18),
        ("Heading 2", 14, 14),
        ("Heading 3", 11.5, 10),
    ):
        style = styles[name]
        style.font.name, style.font.size, style.font.color.rgb = "Georgia", Pt(size), GREEN
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(before), Pt(6)
        fonts = style.element.rPr.rFonts  # the template's theme fonts would otherwise win
        for theme in [key for key in fonts.attrib if key.endswith("Theme")]:
            del fonts.attrib[theme]
    for name in ("Subtitle", "Intense Quote"):
        styles[name].font.name, styles[name].font.color.rgb = "Georgia", GREEN
    for name in ("Title", "Intense Quote"):
        for border in styles[name].element.pPr.find(qn("w:pBdr")):
            border.set(qn("w:color"), str(GREEN))
    for name in ("List Bullet", "List Bullet 2", "List Number"):
        styles[name].paragraph_format.space_after = Pt(3)

    note = styles.add_style("Footnote Text", WD_STYLE_TYPE.PARAGRAPH)
    note.base_style, note.font.size = normal, Pt(8.5)
    styles.add_style("Footnote Reference", WD_STYLE_TYPE.CHARACTER).font.superscript = True


def new_numbering(document: Docx) -> int:
    """Return the id of a numbering like "List Number"'s own that starts again at 1."""
    numbering: Any = document.part.numbering_part.element
    style: Any = document.styles["List Number"]
    own = style.element.pPr.numPr.numId.val
    num = numbering.add_num(numbering.num_having_numId(own).abstractNumId.val)
    num.add_lvlOverride(ilvl=0).add_startOverride(1)
    return int(num.numId)


def add_text(paragraph: DocxParagraph, text: str, footnotes: Footnotes) -> None:
    """Add text to a paragraph, with *italics* and [^footnotes]."""
    for piece in re.split(r"(\*[^*]+\*|\[\^\w+\])", text):
        if piece.startswith("[^"):
            footnotes.call(paragraph, piece[2:-1])
        elif piece.startswith("*"):
            paragraph.add_run(piece.strip("*")).italic = True
        elif piece:
            paragraph.add_run(piece)


def add_field(paragraph: DocxParagraph, code: str) -> None:
    """Add a field such as PAGE, which the word processor fills in."""
    simple = OxmlElement("w:fldSimple")
    simple.set(qn("w:instr"), code)
    simple.append(parse_xml(f"<w:r {nsdecls('w')}><w:t>1</w:t></w:r>"))
    paragraph._element.append(simple)


def add_section(document: Docx, *, landscape: bool) -> None:
    """Begin a section on a new page, with the paper this way up."""
    section = document.add_section(WD_SECTION.NEW_PAGE)
    short, long = sorted((section.page_width or Cm(21), section.page_height or Cm(29.7)))
    section.orientation = WD_ORIENT.LANDSCAPE if landscape else WD_ORIENT.PORTRAIT
    section.page_width, section.page_height = (long, short) if landscape else (short, long)
    section.top_margin = section.bottom_margin = Cm(1.8) if landscape else Cm(2.54)


def add_table(document: Docx, rows: list[list[str]]) -> None:
    """Add a table whose first row is its heading, repeated on every page it reaches."""
    table = document.add_table(0, len(rows[0]), style=TABLE_STYLE)
    for index, row in enumerate(rows):
        added = table.add_row()
        for cell, text in zip(added.cells, row, strict=True):
            paragraph = cell.paragraphs[0]
            paragraph.paragraph_format.space_after, paragraph.paragraph_format.line_spacing = Pt(1), 1.0
            paragraph.add_run(text)
        if index == 0:
            added._element.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    document.add_paragraph()


def slim(document: Docx) -> None:
    """Drop what the template brings along for Word 2007 and the table styles that nothing uses."""
    for key in [key for key, rel in document.part.rels.items() if rel.reltype.endswith("/stylesWithEffects")]:
        document.part.rels.pop(key)
    element: Any = document.styles.element
    for style in element.findall(qn("w:style")):
        name = style.find(qn("w:name")).get(qn("w:val"))
        if style.get(qn("w:type")) == "table" and name not in ("Normal Table", TABLE_STYLE):
            element.remove(style)


def write_handbook(document: Docx) -> None:
    """Fill a document with the handbook: a title page, then handbook.txt."""
    first = document.sections[0]
    first.page_width, first.page_height = Cm(21), Cm(29.7)
    first.left_margin = first.right_margin = Cm(2.6)
    document.add_paragraph(HANDBOOK_TITLE, style="Title")
    document.add_paragraph("Thornabbey Light Railway", style="Subtitle")
    document.add_paragraph("Ninth edition, March 2024. Keep it in your pocket, not in your locker.")

    add_section(document, landscape=False)
    body = document.sections[1]
    body.header.is_linked_to_previous = body.footer.is_linked_to_previous = False
    body.header.paragraphs[0].text = f"Thornabbey Light Railway: {HANDBOOK_TITLE}"
    foot = body.footer.paragraphs[0]
    foot.alignment = WD_ALIGN_PARAGRAPH.CENTER
    foot.add_run("Page ")
    add_field(foot, "PAGE")

    footnotes = Footnotes()
    styles = {"-": "List Bullet", "--": "List Bullet 2", ">": "Intense Quote", "": None}
    number = {"1.": 0}
    rows: list[list[str]] = []
    for block in [*blocks(HERE / "handbook.txt"), Block("", "")]:
        if block.mark == "|":
            rows.append(cells(block.text))
            continue
        if rows:
            add_table(document, rows)
            rows = []
        if not block.text:
            continue
        if block.mark.startswith("#"):
            document.add_heading(block.text, level=len(block.mark))
        elif block.mark == "@section":
            add_section(document, landscape=block.text == "landscape")
        elif block.mark.startswith("[^"):
            footnotes.texts[block.mark[2:-2]] = block.text
        elif block.mark.endswith("."):
            if block.mark == "1.":
                number["1."] = new_numbering(document)
            item = document.add_paragraph(style="List Number")
            numbered: Any = item._element.get_or_add_pPr().get_or_add_numPr()
            numbered.get_or_add_ilvl().val, numbered.get_or_add_numId().val = 0, number["1."]
            add_text(item, block.text, footnotes)
        else:
            add_text(document.add_paragraph(style=styles[block.mark]), block.text, footnotes)
    footnotes.attach(document)


def make_handbook() -> bytes:
    """Set the handbook and return the DOCX."""
    document = docx.Document()
    set_styles(document)
    write_handbook(document)

    about = document.core_properties
    about.title, about.author, about.last_modified_by = HANDBOOK_TITLE, "Thornabbey Light Railway", ""
    about.subject, about.comments, about.keywords = "For volunteers", "", ""
    about.created = about.modified = WRITTEN
    about.language, about.revision = "en-GB", 9

    slim(document)
    package = document.part.package
    for key in [key for key, rel in package.rels.items() if rel.reltype.endswith("/thumbnail")]:
        package.rels.pop(key)  # a picture of the template's own empty page

    saved = io.BytesIO()
    document.save(saved)
    out = io.BytesIO()
    with zipfile.ZipFile(saved) as loose, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as fixed:
        for name in loose.namelist():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            fixed.writestr(entry, loose.read(name))
    return out.getvalue()


def main(arguments: list[str]) -> int:
    """Write both files into a folder and say how large they are."""
    folder = Path(arguments[0]) if arguments else SAMPLES
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("report.pdf", make_report()), ("handbook.docx", make_handbook())):
        (folder / name).write_bytes(content)
        print(f"{folder / name}: {len(content):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
