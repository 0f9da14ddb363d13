"""Which kind of file some bytes are: by their content first, by the name's ending second."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """Kinds that are read by a parser in a process of its own; everything else is decoded as text.

    The value is what a person calls such a file.
    """

    PDF = "PDF"
    HTML = "HTML page"
    EMAIL = "e-mail message"
    RTF = "RTF document"
    DOCX = "Word document (.docx)"
    PPTX = "PowerPoint presentation (.pptx)"
    XLSX = "Excel workbook (.xlsx)"
    ODT = "OpenDocument text (.odt)"
    ODS = "OpenDocument spreadsheet (.ods)"
    EPUB = "EPUB book"
    XLS = "Excel 97 workbook (.xls)"
    ZIP = "zip archive"
    OLE = "Office 97 file"


SUFFIX_KINDS = {
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".docm": Kind.DOCX,
    ".pptx": Kind.PPTX,
    ".pptm": Kind.PPTX,
    ".ppsx": Kind.PPTX,
    ".xlsx": Kind.XLSX,
    ".xlsm": Kind.XLSX,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".epub": Kind.EPUB,
    ".odt": Kind.ODT,
    ".ods": Kind.ODS,
    ".rtf": Kind.RTF,
    ".eml": Kind.EMAIL,
    ".xls": Kind.XLS,
}
_TEXT = (
    ".txt .md .markdown .rst .adoc .org .tex .log .csv .tsv .json .jsonl .ipynb .yaml .yml .toml .xml .ini .cfg .py"
    " .pyi .js .jsx .ts .tsx .java .kt .scala .c .h .cc .cpp .hpp .cs .go .rs .rb .php .swift .m .r .jl .lua .pl .sh"
    " .bash .zsh .ps1 .bat .sql .css .vue .srt .vtt"
)
SUFFIXES: tuple[str, ...] = (*SUFFIX_KINDS, *_TEXT.split())
SUPPORTED = (
    "PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, HTML, e-mail (.eml), or plain text such as .md or .py"
)

_PDF_HEADER_WITHIN = 1024  # readers accept a PDF whose header comes this late
_MAGIC = (
    (b"PK\x03\x04", Kind.ZIP),
    (b"PK\x05\x06", Kind.ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind.OLE),
    (b"{\\rtf", Kind.RTF),
)
_BINARY = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "an audio, video or image file"),
    (b"ID3", "an audio file"),
    (b"OggS", "an audio file"),
    (b"fLaC", "an audio file"),
    (b"\x1aE\xdf\xa3", "a video file"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\0asm", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_PRINTABLE_MAGIC = frozenset({b"GIF8", b"RIFF", b"ID3", b"OggS", b"fLaC", b"MZ", b"wOFF", b"wOF2"})


def suffix_of(name: str) -> str:
    """Return the ending of a file name with its dot, lower case, or ``""``."""
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def not_what_it_says(name: str, kind: Kind) -> str:
    """Return the sentence about a file whose bytes are not what its ending says."""
    article = "an" if kind.value[0] in "EOHRe" else "a"
    return f"{name} is not {article} {kind.value}, or is damaged; open it in its program and save it again."


def kind_of(data: bytes, name: str) -> Kind | None:
    """Return the kind that needs a parser, or None for what is to be decoded as text.

    ``ZIP`` and ``OLE`` stand for "some file in that container"; which one is found out by the parser.
    """
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN] and (data.startswith(b"%PDF-") or suffix_of(name) == ".pdf"):
        return Kind.PDF
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    named = SUFFIX_KINDS.get(suffix_of(name))
    return named if named in {Kind.HTML, Kind.EMAIL} else None


def binary_name(data: bytes) -> str | None:
    """Return what a well-known binary file is ("a PNG image"), or None."""
    for magic, what in _BINARY:
        # Words such as "MZ" may also begin a text; a file of that kind has a NUL soon after.
        if data.startswith(magic) and (magic not in _PRINTABLE_MAGIC or b"\0" in data[:256]):
            return what
    return "a video file" if data[4:8] == b"ftyp" else None
