"""Whole characters: places between grapheme clusters (Unicode UAX 29) and surrogate pairs."""

from __future__ import annotations

import re

import numpy as np
import regex
from numpy.typing import NDArray

_CLUSTER = regex.compile(r"\X")
_PLAIN = re.compile(
    "[\t\n -~\u00c0-\u02ff\u0370-\u0482\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u3000-\u3029\u3041-\u3096\u30a1-\u30fa"
    "\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]"
)
"""Characters that never continue a cluster, so that one begins at each unless what stands before says otherwise."""
FIRST_MARK = "\u0300"
"""The first combining mark: no character below it continues a cluster, but for \\n after \\r."""
FIRST_PREPEND = "\u0600"
"""The first character that can hold on to what follows it, but for \\r before \\n."""
_REACHES_ON = regex.compile(r"[\p{Grapheme_Cluster_Break=Prepend}\p{Grapheme_Cluster_Break=L}]")


def snap_back(text: str, offset: int, floor: int = 0) -> int:
    """Return the last place at or before ``offset`` between grapheme clusters (UAX 29) or surrogate pairs.

    ``floor`` is such a place already known; nothing before it is looked at.
    """
    if offset <= floor or offset >= len(text):
        return max(floor, min(offset, len(text)))
    here, before = text[offset], text[offset - 1]
    if _starts_cluster(here, before):
        return offset
    if _is_pair(before, here):
        return snap_back(text, offset - 1, floor)
    start = offset - 1
    while start > floor and not _starts_cluster(text[start], text[start - 1]):
        start -= 1
    # Whether a cluster ends at `offset` depends on nothing behind the next character, and to know how
    # many flags stand before a place the library would look back to the beginning: so give it a slice.
    for match in _CLUSTER.finditer(text[start : offset + 1]):
        if start + match.end() > offset:
            place = start + int(match.start())
            split = place > floor and _is_pair(text[place - 1], text[place])
            return snap_back(text, place - 1, floor) if split else place
        if start + match.end() == offset:
            break
    return offset


def snap_forward(text: str, offset: int, floor: int = 0) -> int:
    """Return the first place at or after ``offset`` between grapheme clusters; see :func:`snap_back`."""
    if offset >= len(text):
        return len(text)
    start = snap_back(text, offset, floor)
    if start == offset:
        return offset
    width = 32
    while True:
        piece = text[start : start + width]
        whole = start + width >= len(text)
        for match in _CLUSTER.finditer(piece):
            end = start + int(match.end())
            # To the library each half of a pair is a cluster of its own; what ends at the edge may go on.
            if (
                end >= offset
                and (end == len(text) or not _is_pair(text[end - 1], text[end]))
                and (whole or match.end() < len(piece))
            ):
                return end
        width *= 4


def _is_pair(before: str, here: str) -> bool:
    return "\ud800" <= before <= "\udbff" and "\udc00" <= here <= "\udfff"


def holds_on(character: str) -> bool:
    """Whether what follows may belong to the cluster of ``character`` although it begins one elsewhere."""
    if character < FIRST_PREPEND or "\u1160" <= character < "\ua960" or "\uac00" <= character <= "\uffff":
        return False
    return _REACHES_ON.match(character) is not None


def _starts_cluster(here: str, before: str) -> bool:
    """Whether a cluster certainly begins at ``here``; False means that one has to look."""
    if here < FIRST_MARK:
        plain = here >= " " or here in "\t\n"
        return plain and not (here == "\n" and before == "\r") and not holds_on(before)
    return ("\u4e00" <= here <= "\u9fff" or _PLAIN.match(here) is not None) and not holds_on(before)


def characters_before(data: bytes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many characters begin before each byte offset of the UTF-8 text ``data``, int64 (n,)."""
    if data.isascii():
        return offsets
    continuing = np.flatnonzero((np.frombuffer(data, np.uint8) & 0xC0) == 0x80)  # noqa: PLR2004  10xxxxxx
    return offsets - np.searchsorted(continuing, offsets)


def line_beginnings(data: bytes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    r"""Return where the line of each offset begins, int64 (n,), in bytes; \n, \r\n and \r end a line."""
    codes = np.frombuffer(data, np.uint8)
    ends = codes == ord("\n")
    if b"\r" in data:
        alone = codes == ord("\r")
        alone[:-1] &= ~ends[1:]
        ends |= alone
    beginnings = np.concatenate((np.zeros(1, np.int64), np.flatnonzero(ends) + 1))
    return beginnings[np.searchsorted(beginnings, offsets, "right") - 1]
