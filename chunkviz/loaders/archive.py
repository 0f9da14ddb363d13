"""What a zip container holds, and whether unpacking it is safe; decided from its directory."""

from __future__ import annotations

import io
import zipfile
import zlib

from chunkviz.errors import DocumentError
from chunkviz.loaders.kinds import Kind
from chunkviz.loaders.limits import Limits

_MAX_ENTRIES = 20_000
_MAX_DEPTH = 3
_RATIO_FROM = 1_000_000  # bytes unpacked; below, a high ratio harms nobody
_FOLDERS = (("word/", Kind.DOCX), ("ppt/", Kind.PPTX), ("xl/", Kind.XLSX))
_MIMETYPES = (
    ("application/epub+zip", Kind.EPUB),
    ("application/vnd.oasis.opendocument.text", Kind.ODT),
    ("application/vnd.oasis.opendocument.spreadsheet", Kind.ODS),
)
_ENCRYPTED = 0x1
DAMAGED = "is damaged; open it in its program and save it again"


def open_safely(data: bytes, name: str, limits: Limits) -> Kind:
    """Return the kind of file in a zip container, after checking that it does not unpack to too much.

    Raises
    ------
    DocumentError
        For a zip bomb, an encrypted or damaged container, or one that holds no document.

    """
    try:
        _check(data, name, limits, limits.max_unpacked_bytes, depth=0)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            kind = _kind(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, DocumentError):
            raise
        message = f"{name} {DAMAGED}."
        raise DocumentError(message) from error
    if kind is None:
        message = f"{name} is a zip archive; unpack it and load the files inside."
        raise DocumentError(message)
    return kind


def _check(data: bytes, name: str, limits: Limits, budget: int, depth: int) -> int:
    """Return how much of the budget of unpacked bytes is left."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        unpacked = sum(entry.file_size for entry in entries)
        packed = sum(entry.compress_size for entry in entries)
        # Entries that overlap unpack the same bytes many times: together they claim more than the file has.
        too_much = unpacked > budget or packed > len(data) or len(entries) > _MAX_ENTRIES or depth > _MAX_DEPTH
        if too_much or (unpacked > _RATIO_FROM and unpacked > limits.max_ratio * len(data)):
            message = (
                f"{name} would unpack to {unpacked:,} bytes or more, which its size of {len(data):,} bytes makes"
                " suspicious; it is refused as a zip bomb: save it again from its program, or raise the limits."
            )
            raise DocumentError(message)
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            message = f"{name} is protected by a password; save it without one and load it again."
            raise DocumentError(message)
        budget -= unpacked
        for entry in entries:
            with archive.open(entry) as file:
                inner = file.read() if file.read(4) == b"PK\x03\x04" else b""
            if inner:
                budget = _check(b"PK\x03\x04" + inner, name, limits, budget, depth + 1)
    return budget


def _kind(archive: zipfile.ZipFile) -> Kind | None:
    """Tell the kind by the container's own label or its folders."""
    names = archive.namelist()
    if "mimetype" in names:
        label = archive.read("mimetype").decode("ascii", "replace").strip()
        for mimetype, kind in _MIMETYPES:
            if label.startswith(mimetype):
                return kind
    if "[Content_Types].xml" in names:
        for folder, kind in _FOLDERS:
            if any(entry.startswith(folder) for entry in names):
                return kind
    return None


def kind_of_ole(data: bytes, name: str) -> Kind:
    """Return the kind of an Office 97 container, by the names in its directory (UTF-16).

    Raises
    ------
    DocumentError
        For an encrypted office file, and for what is no document.

    """

    def holds(stream: str) -> bool:
        return stream.encode("utf-16-le") in data

    if holds("EncryptedPackage"):
        message = f"{name} is protected by a password; save it without one and load it again."
        raise DocumentError(message)
    if holds("Workbook"):
        return Kind.XLS
    # Word and PowerPoint 97 would come out without headings and paragraphs.
    message = f"{name} is an Office 97 file; save it as .docx or .pptx in its program and load that."
    raise DocumentError(message)
