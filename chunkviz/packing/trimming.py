"""Spans without white space at their edges, between whole characters."""

from __future__ import annotations

import re

from chunkviz.characters import FIRST_MARK, FIRST_PREPEND, holds_on, snap_back, snap_forward

_SPACE = re.compile(r"\s*")


def skip_space(text: str, offset: int) -> int:
    """Return the first offset from ``offset`` on that is not white space.

    White space that carries a combining mark is a visible character, and stops here too.
    """
    if offset >= len(text) or not text[offset].isspace():
        return offset
    end = _SPACE.match(text, offset).end()  # type: ignore[union-attr]  # it matches nothing, too
    if end == len(text) or text[end] < FIRST_MARK:
        return end
    return snap_back(text, end, offset)


def trimmed_end(text: str, start: int, cut: int) -> int:
    """Return ``cut`` without the white space before it, not below ``start``."""
    if cut > start and not text[cut - 1].isspace():
        return cut
    near = max(start, cut - 64)  # one need not copy the whole chunk to find the white space at its end
    end = near + len(text[near:cut].rstrip())
    if end == near:
        end = start + len(text[start:cut].rstrip())
    if end == start or not holds_on(text[end - 1]):
        return end
    return min(cut, snap_forward(text, end, start))


def is_whole(text: str, offset: int, floor: int) -> bool:
    """Whether ``offset`` lies between grapheme clusters; ``floor`` is such a place before it."""
    if 0 < offset < len(text) and "\n" < text[offset] < FIRST_MARK and text[offset - 1] < FIRST_PREPEND:
        return True
    return snap_back(text, offset, floor) == offset
