"""Tables of plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_GAP = "  "


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> str:
    """Return lines with their columns under one another; those in ``right`` end at the same place.

    A row may have fewer cells than the header; its last one may then be as wide as it likes.
    """
    lines = [header, *rows]
    whole = [line for line in lines if len(line) == len(header)]
    widths = [max(_width(line[column]) for line in whole) for column in range(len(header))]
    for line in lines:
        for column in range(len(line) - 1):
            widths[column] = max(widths[column], _width(line[column]))
    made = []
    for line in lines:
        cells = [
            _padded(cell, widths[column], right=column in right and len(line) == len(header))
            for column, cell in enumerate(line)
        ]
        made.append(_GAP.join(cells).rstrip())
    return "\n".join(made) + "\n"


def _padded(cell: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Columns of a terminal: two for the wide letters of East Asia, none for marks over others."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
