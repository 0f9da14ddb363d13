"""One parser per kind of file; runs only in the child process."""

from __future__ import annotations

import html
import io
import re
import zipfile
from typing import Any

from chunkviz.errors import DocumentError
from chunkviz.loaders import mail, pdf
from chunkviz.loaders.archive import DAMAGED, kind_of_ole, open_safely
from chunkviz.loaders.decoding import decode
from chunkviz.loaders.kinds import SUFFIX_KINDS, Kind, kind_of, suffix_of
from chunkviz.loaders.limits import Limits
from chunkviz.loaders.tidy import plain_markdown, tidy, without_inline_images
from chunkviz.wording import count_of

_MIMETYPES = {
    Kind.RTF: "application/rtf",
    Kind.PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    Kind.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Kind.ODT: "application/vnd.oasis.opendocument.text",
    Kind.ODS: "application/vnd.oasis.opendocument.spreadsheet",
    Kind.EPUB: "application/epub+zip",
    Kind.XLS: "application/vnd.ms-excel",
}
_PAGE_MARK = "CHUNKVIZPAGE{page_num}BEGINS"
_PAGE_MARKS = re.compile(r"\s*CHUNKVIZPAGE\d+BEGINS\s*")
_ROW_MARK = re.compile(r"\n\[TABLE_ROW\]\n")  # the RTF parser leaves one behind each table
_HEAD = re.compile(r"<head\b.*?</head\s*>|<title\b.*?</title\s*>|<meta\b[^>]*>", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title\s*>", re.IGNORECASE | re.DOTALL)
_WORD_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"


def extract(data: bytes, name: str, limits: Limits) -> dict[str, Any]:
    """Return ``text``, ``pages`` (pairs of offsets), ``title`` and ``changes`` of a file that needs a parser.

    Raises
    ------
    DocumentError
        When the file is damaged, protected, too large once unpacked, or without text.

    """
    kind = kind_of(data, name)
    if kind is Kind.ZIP:
        kind = open_safely(data, name, limits)
    elif kind is Kind.OLE:
        kind = kind_of_ole(data, name)
    if kind is None:
        message = f"{name} {DAMAGED}."
        raise DocumentError(message)
    changes = []
    suffix = suffix_of(name)
    if SUFFIX_KINDS.get(suffix) is not kind:
        changes.append(
            f"Named {suffix or 'without an ending'}, but is a file of the kind {kind.value}; loaded as that."
        )
    parts, title, made = _parse(data, name, kind, limits)
    changes += _left_out(data, kind)
    return _joined(parts, title, changes + made, paged=kind in {Kind.PDF, Kind.PPTX})


_NOT_READ = {
    Kind.PPTX: (("ppt/notesSlides/",), "Left out the speaker notes."),
    Kind.DOCX: (("word/header", "word/footer"), "Left out the headers and footers of pages."),
}
"""Parts of office files that no reader here takes along, and how that is said."""


def _left_out(data: bytes, kind: Kind) -> list[str]:
    """Return what of the file is not in the text, where a part of it tells."""
    if kind not in _NOT_READ:
        return []
    starts, sentence = _NOT_READ[kind]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [sentence] if any(name.startswith(starts) for name in archive.namelist()) else []


def _parse(data: bytes, name: str, kind: Kind, limits: Limits) -> tuple[list[str], str | None, list[str]]:
    """Return the text of each page (or of the whole, as one), the title and what was changed."""
    match kind:
        case Kind.PDF:
            return pdf.read(data, name, limits)
        case Kind.HTML:
            source, changes = decode(data, name)
            return [_html(source, name)], _html_title(source), changes
        case Kind.EMAIL:
            text, title, changes = mail.message_text(data, lambda source: _html(source, name))
            return [text], title, changes
        case Kind.DOCX:
            return _docx(data, name)
        case _:
            text, title = _kreuzberg(data, _MIMETYPES[kind], name, marks=kind is Kind.PPTX)
            text = _ROW_MARK.sub("\n", text) if kind is Kind.RTF else text
            text = text if kind is Kind.EPUB else plain_markdown(text)
            return (_PAGE_MARKS.split(text)[1:] if kind is Kind.PPTX else [text]), title, []


def _joined(parts: list[str], title: str | None, changes: list[str], *, paged: bool) -> dict[str, Any]:
    """Join pages by a blank line, so that their spans are exact by construction."""
    images = 0
    texts = []
    for part in parts:
        text, left_out = without_inline_images(tidy(part)[0].strip())
        images += left_out
        texts.append(text)
    if images:
        changes = [*changes, f"Left out {count_of(images, 'embedded image')}."]
    pages, at = [], 0
    for text in texts:
        pages.append((at, at + len(text)))
        at += len(text) + 2
    text = "\n\n".join(texts)
    title = " ".join("".join(sign if sign.isprintable() else " " for sign in title).split()) if title else None
    return {
        "text": text,
        "pages": pages if paged else [],
        "title": title,
        "changes": changes,
    }


def _docx(data: bytes, name: str) -> tuple[list[str], str | None, list[str]]:
    """Word goes by way of HTML: unlike the direct way it keeps ``&``, ``<``, tabs and lists made by a style."""
    import zipfile  # noqa: PLC0415 - beside the parser it serves

    import mammoth  # noqa: PLC0415

    try:
        result = mammoth.convert_to_html(
            io.BytesIO(data),
            style_map=_WORD_STYLES,
            convert_image=mammoth.images.img_element(lambda _image: {"src": "data:,"}),
        )
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            core = archive.read("docProps/core.xml").decode("utf-8", "replace") if _has_core(archive) else ""
    except MemoryError:
        raise
    except Exception as error:
        message = f"{name} {DAMAGED}."
        raise DocumentError(message) from error
    found = re.search(r"<dc:title[^>]*>([^<]*)</dc:title>", core)
    return [_html(result.value, name)], html.unescape(found[1]) if found else None, []


def _has_core(archive: Any) -> bool:
    return "docProps/core.xml" in archive.namelist()


def _html(source: str, name: str) -> str:
    """Return Markdown of a page's body; scripts and styles are dropped, nothing is fetched."""
    body = f"<html><body>{_HEAD.sub('', source)}</body></html>" if "<body" not in source else _HEAD.sub("", source)
    return _kreuzberg(body.encode("utf-8", "replace"), "text/html", name, marks=False)[0]


def _html_title(source: str) -> str | None:
    found = _TITLE.search(source)
    return html.unescape(found[1]) if found else None


def _kreuzberg(data: bytes, mimetype: str, name: str, *, marks: bool) -> tuple[str, str | None]:
    """Return Markdown and title; no OCR, no cache, no clean-up that would drop text."""
    import kreuzberg  # noqa: PLC0415 - large; only for the kinds that need it

    config = kreuzberg.ExtractionConfig(
        use_cache=False,
        enable_quality_processing=False,
        output_format="markdown",
        html_options={"extract_metadata": False, "preprocessing": {"enabled": False}},
        pages=kreuzberg.PageConfig(
            extract_pages=marks, insert_page_markers=marks, marker_format=f"\n\n{_PAGE_MARK}\n\n"
        ),
        content_filter=kreuzberg.ContentFilterConfig(
            include_headers=True, include_footers=True, strip_repeating_text=False, include_watermarks=True
        ),
        concurrency=kreuzberg.ConcurrencyConfig(max_threads=1),
    )
    try:
        result = kreuzberg.extract_bytes_sync(data, mimetype, config=config)
    except MemoryError:
        raise
    except Exception as error:
        words = str(error).lower()
        if "password" in words or "encrypted" in words:
            message = f"{name} is protected by a password; save it without one and load it again."
        else:
            message = f"{name} {DAMAGED}."
        raise DocumentError(message) from error
    title = result.metadata.get("title")
    return result.content, title if isinstance(title, str) else None
