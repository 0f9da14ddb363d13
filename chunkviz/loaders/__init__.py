"""Bytes -> Document, for every kind of file the app takes.

Files are read in a process of its own that cannot reach the network, cannot write files, and is ended when it takes
too long or is no longer wanted. A plain text that is small is decoded here: that takes less time than a process.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from chunkviz.document import Document
from chunkviz.errors import Cancelled, DocumentError
from chunkviz.language import detect_language
from chunkviz.loaders.decoding import decode
from chunkviz.loaders.kinds import SUFFIX_KINDS, SUFFIXES, kind_of, not_what_it_says, suffix_of
from chunkviz.loaders.limits import Limits
from chunkviz.loaders.process import parse
from chunkviz.span import Span

__all__ = ["SUFFIXES", "Limits", "load", "load_bytes"]

_DEFAULT = Limits()
_SMALL = 262_144
"""Bytes of plain text whose decoding takes 40 ms at most; a process takes 200 to start."""


def load(path: str | os.PathLike[str], *, limits: Limits = _DEFAULT) -> Document:
    """Return the document in a file.

    Raises
    ------
    DocumentError
        When the file cannot be opened, or for any reason that ``load_bytes`` has.

    """
    file = Path(path)
    name = _shown(file.name)
    try:
        with file.open("rb") as stream:
            data = stream.read(limits.max_bytes + 1)  # one more than allowed tells "too large" without reading it all
    except OSError as error:
        message = f"{name} could not be opened ({error.strerror or error}); check the path and its permissions."
        raise DocumentError(message) from error
    return load_bytes(data, name, limits=limits)


def load_bytes(
    data: bytes,
    name: str,
    *,
    limits: Limits = _DEFAULT,
    cancelled: Callable[[], bool] | None = None,
) -> Document:
    r"""Return the document in ``data``; its kind is told by the content first, by the ending of ``name`` second.

    Parameters
    ----------
    data
        The file, whole.
    name
        Its name; folders in front of it are dropped.
    limits
        What may be used up before the file is refused.
    cancelled
        Asked about twenty times a second while a file is read; once it says True its reader is ended.

    Returns
    -------
    Document
        Text has ``\n`` as its only line end and no NUL; ``changes`` tells everything that was changed. PDF and
        PowerPoint files have the span of each page or slide.

    Raises
    ------
    DocumentError
        One sentence that names the file and says what to do: empty, blank, too large, damaged, protected, a scan,
        a zip bomb, not a supported kind, too slow, or out of memory.
    Cancelled
        When ``cancelled`` said so.

    """
    shown = _shown(name)
    if not isinstance(data, bytes | bytearray | memoryview):
        message = f"{shown} must be given as bytes, not {type(data).__name__}; make a text a cv.Document(text)."
        raise DocumentError(message)
    data = bytes(data)
    if not data:
        message = f"{shown} is empty; give a file with text in it."
        raise DocumentError(message)
    if len(data) > limits.max_bytes:
        message = f"{shown} has more than {limits.max_bytes:,} bytes, the limit; split it, or raise max_bytes."
        raise DocumentError(message)
    if cancelled is not None and cancelled():
        message = f"Loading {shown} was cancelled; load it again when it is wanted."
        raise Cancelled(message)
    parsed = kind_of(data, shown) is not None
    if parsed or len(data) > _SMALL:
        answer = parse(data, shown, limits, cancelled)
        text, changes, title = answer["text"], answer["changes"], answer["title"]
        pages = tuple(Span(start, end) for start, end in answer["pages"])
    else:
        text, changes = decode(data, shown)
        pages, title = (), None
    if not parsed:
        _check_ending(shown)
    if not text.strip():
        message = f"{shown} holds no text; give a file with text in it."
        raise DocumentError(message)
    if len(text) > limits.max_characters:
        message = f"{shown} has {len(text):,} characters, over the limit of {limits.max_characters:,}; split it."
        raise DocumentError(message)
    document = Document(
        text,
        name=_base_name(name),
        pages=pages,
        title=title,
        changes=tuple(changes),
        sha256=hashlib.sha256(data).hexdigest(),
        format="markdown" if parsed else None,
    )
    return document if document.format == "code" else _described(document)


def _described(document: Document) -> Document:
    """Add what prose tells about itself: language, and the title of a Markdown text."""
    # numpy, which it loads, starts threads; in the child process, they would forbid leaving the network.
    from chunkviz.segments import headings  # noqa: PLC0415

    found = headings(document) if document.format == "markdown" else ()
    title = document.title or next((heading.title for heading in found if heading.title), None)
    return Document(
        document.text,
        name=document.name,
        pages=document.pages,
        title=title,
        language=detect_language(document.text),
        changes=document.changes,
        sha256=document.sha256,
        format=document.format,
    )


def _check_ending(name: str) -> None:
    """Refuse text that calls itself a PDF or an office file: half of one would be shown as gibberish."""
    named = SUFFIX_KINDS.get(suffix_of(name))
    if named is not None:
        raise DocumentError(not_what_it_says(name, named))


def _base_name(name: str) -> str:
    """Last part of a path of any platform, without characters that cannot be shown."""
    return "".join(character for character in re.split(r"[/\\]", name)[-1] if character.isprintable())


def _shown(name: str) -> str:
    """Name for messages."""
    return _base_name(name) or "The file"
