"""PDF -> Markdown of each page, with PDFium, which loses no text."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator

import pypdfium2
from pypdfium2 import raw

from chunkviz.errors import DocumentError
from chunkviz.loaders.archive import DAMAGED
from chunkviz.loaders.layout import Box, Line, Style, markdown
from chunkviz.loaders.limits import Limits
from chunkviz.loaders.running import running_lines
from chunkviz.wording import count_of

_MAX_LISTED = 10
_MAX_QUOTED = 3
_LONGEST_QUOTE = 60


def read(data: bytes, name: str, limits: Limits) -> tuple[list[str], str | None, list[str]]:
    """Return Markdown of each page, the title in the metadata and what was changed.

    Raises
    ------
    DocumentError
        When the file is damaged, protected, has too many pages, or no text layer.

    """
    document = _opened(data, name)
    count = len(document)
    if count > limits.max_pages:
        message = f"{name} has {count:,} pages, over the limit of {limits.max_pages:,}; split it, or raise max_pages."
        raise DocumentError(message)
    title = document.get_metadata_dict().get("Title") or None
    pages, unreadable = [], []
    size = 0
    for number in range(count):
        try:
            lines = list(_lines(document, number))
        except pypdfium2.PdfiumError:
            lines = []
            unreadable.append(number + 1)
        size += sum(len(line.text) for line in lines)
        if size > limits.max_characters:
            message = f"{name} has over {limits.max_characters:,} characters, the limit; split it."
            raise DocumentError(message)
        pages.append(lines)
    if not size:
        message = f"{name} has no text layer (it is a scan or pictures only); run OCR on it first and load the result."
        raise DocumentError(message)
    style = Style.of(pages)
    changes = []
    if unreadable:
        changes.append(f"Left out {_listed(unreadable)}, which could not be read.")
    blank = [number for number, lines in enumerate(pages, start=1) if not lines and number not in unreadable]
    if blank:
        verb = "has" if len(blank) == 1 else "have"
        changes.append(f"{_listed(blank).capitalize()} {verb} no text; run OCR first if they are scans.")
    running = running_lines(pages, style)
    if any(running):
        changes.append(_left_out(pages, running))
        pages = [
            [line for index, line in enumerate(lines) if index not in left_out]
            for lines, left_out in zip(pages, running, strict=True)
        ]
    joined = sum(line.joined for lines in pages for line in lines)
    if joined:
        changes.append(f"Joined {count_of(joined, 'word')} hyphenated at a line's end.")
    return [markdown(lines, style) for lines in pages], title, changes


def _left_out(pages: list[list[Line]], running: list[set[int]]) -> str:
    """Return the sentence that names the running lines, by the first that differ."""
    texts = [lines[index].text for lines, left_out in zip(pages, running, strict=True) for index in sorted(left_out)]
    examples = list({re.sub(r"\d+", "", text): text for text in reversed(texts)}.values())[::-1]
    quoted = ", ".join(f"“{_shortened(text)}”" for text in examples[:_MAX_QUOTED])
    more = ", …" if len(examples) > _MAX_QUOTED else ""
    return f"Left out {count_of(len(texts), 'running header or footer line')}: {quoted}{more}."


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1].rstrip() + "…"


def _opened(data: bytes, name: str) -> pypdfium2.PdfDocument:
    """Open a PDF, or say why that is impossible."""
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            message = f"{name} is protected by a password; save it without one and load it again."
        else:
            message = f"{name} {DAMAGED}."
        raise DocumentError(message) from error


def _listed(numbers: list[int]) -> str:
    """Return "page 3", or "pages 3, 5, 8"."""
    listed = ", ".join(map(str, numbers[:_MAX_LISTED])) + (", …" if len(numbers) > _MAX_LISTED else "")
    return f"page{'' if len(numbers) == 1 else 's'} {listed}"


def _lines(document: pypdfium2.PdfDocument, number: int) -> Iterator[Line]:
    """Lines of a page in PDFium's reading order, with the boxes of their first and last character."""
    page = document[number]
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range()
        at = 0  # in UTF-16 units, as PDFium counts
        for whole in text.split("\r\n"):
            units = len(whole) if whole.isascii() else len(whole.encode("utf-16-le", "surrogatepass")) // 2
            stripped = whole.strip()
            if stripped:
                lead = len(whole) - len(whole.lstrip())
                tail = len(whole) - len(whole.rstrip())
                first = _box(textpage.raw, at + lead)
                last = _box(textpage.raw, at + units - tail - 1)
                yield Line.of(stripped, first, last)
            at += units + 2
    finally:
        textpage.close()
        page.close()


def _box(textpage: raw.FPDF_TEXTPAGE, unit: int) -> Box:
    """Place of a character in points: from its foot on the base line to the height of its type.

    The character boxes that PDFium offers depend on the letter, so the size of the type is taken from the font size
    and the matrix it is drawn with.
    """
    index = raw.FPDFText_GetCharIndexFromTextIndex(textpage, unit)
    x, y, rectangle, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_RECTF(), raw.FS_MATRIX()
    raw.FPDFText_GetCharOrigin(textpage, index, x, y)
    raw.FPDFText_GetLooseCharBox(textpage, index, rectangle)
    raw.FPDFText_GetMatrix(textpage, index, matrix)
    size = raw.FPDFText_GetFontSize(textpage, index) * math.hypot(matrix.c, matrix.d)
    return Box(x.value, y.value, rectangle.right, y.value + size)
