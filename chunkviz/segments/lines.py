"""Where lines and paragraphs begin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document

_BLANK = re.compile(r"\s*")


def skip_blank(text: str, position: int = 0) -> int:
    """Return the first offset from ``position`` on that is not white space."""
    match = _BLANK.match(text, position)
    return match.end() if match else position


def line_starts(document: Document) -> list[int]:
    """Return the first character that is not white space of each line but the first; computed once per document."""
    return document.derive("line starts", line_places(document).lines.tolist)


class LinePlaces(NamedTuple):
    """The first character that is not white space of each line but the first; sorted, int64."""

    lines: NDArray[np.int64]
    paragraphs: NDArray[np.int64]
    """The lines behind a blank one."""
    marked: NDArray[np.int64]
    """The lines that begin as a heading, a fence or an underline does."""


def line_places(document: Document) -> LinePlaces:
    """Return where the lines and paragraphs begin; computed once per document."""
    return document.derive("line places", lambda: _find_line_places(document.text))


def _find_line_places(text: str) -> LinePlaces:
    # A byte a character: what Latin-1 lacks becomes "?", which is right unless it is white space.
    data = text.encode("latin-1", "replace")
    ends = np.frombuffer(data, np.uint8) == ord("\n")
    if b"\r" in data:
        ends[[match.start() for match in re.finditer(rb"\r(?!\n)", data)]] = True
    white = np.frombuffer(data.translate(_WHITE_SPACE), np.bool_)
    lines, paragraphs = _line_starts_of(white, ends)
    codes = np.frombuffer(data, np.uint8)
    replaced = lines[codes[lines] == _REPLACED]
    if _WIDE_WHITE_SPACE.search("".join(map(text.__getitem__, replaced.tolist()))):
        white = white.copy()
        for match in _WIDE_WHITE_SPACE.finditer(text):
            white[match.start() : match.end()] = True
        lines, paragraphs = _line_starts_of(white, ends)
    return LinePlaces(lines, paragraphs, lines[_BEGINS_HEADING[codes[lines]]])


_WHITE_SPACE = bytes(chr(code).isspace() for code in range(256))
"""For each code point of Latin-1, whether it is white space."""
_BEGINS_HEADING = np.isin(np.arange(256), np.frombuffer(b"#`~=-", np.uint8))
"""For each code point of Latin-1, whether a heading, a fence or an underline may begin with it."""
_REPLACED = ord("?")
_WIDE_WHITE_SPACE = re.compile(r"[^\S\x00-\xff]+")


def _line_starts_of(white: NDArray[np.bool_], ends: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return lines and paragraphs, told which characters are white space and which end a line, bool (n,)."""
    # White space at the end of the text begins nothing: only runs that end at a character count.
    falls = white[:-1] > white[1:]
    # Most runs are one blank between two words, and are left out before they cost more.
    falls[1:] &= white[:-2] | ends[1:-1]
    begins = np.flatnonzero(falls) + 1
    # How many lines end in each run; two of them leave a line blank.
    ended = np.diff(np.flatnonzero(ends).searchsorted(begins), prepend=0)
    return begins[ended > 0], begins[ended > 1]
