"""Where attention is: the selected chunk from run to run, and the text that was marked in the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkviz.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document


@dataclass(frozen=True, slots=True)
class Pointer:
    """Which chunk is selected, and what both sides know of it.

    The selection is kept as a character offset, so that it survives a slider step: the selected
    chunk is the last one that starts at or before it.
    """

    document: str = ""
    anchor: int | None = None
    """Start of the chunk that was chosen, in the chunking it was chosen in."""
    selected: int | None = None
    """Its index in the chunking drawn last."""
    seen: int = 0
    """Serial of the newest choice made in the browser that Python knows of."""
    request: int = 0
    """Counts the choices made in Python; the browser obeys each once."""


def move_pointer(
    pointer: Pointer,
    *,
    document: str,
    starts: NDArray[np.int64],
    chosen: Mapping[str, Any] | None,
    asked: int | None,
) -> Pointer:
    """Return the pointer after one run of the page.

    A new choice in the browser wins. Else an index asked for by the page wins, unless it only
    repeats what the last run returned, which may be an index of another chunking. Else the place
    in the text is kept.
    """
    if pointer.document != document:
        # The index stays: a page that hands it back means the document before.
        pointer = Pointer(document=document, selected=pointer.selected, seen=pointer.seen, request=pointer.request)
    anchor, seen, request = pointer.anchor, pointer.seen, pointer.request
    if chosen and chosen.get("document") == document and int(chosen.get("serial") or 0) > seen:
        seen = int(chosen["serial"])
        place = chosen.get("anchor")
        anchor = None if place is None else int(place)
    elif asked is not None and asked != pointer.selected and 0 <= asked < len(starts):
        anchor = int(starts[asked])
        request += 1
    return Pointer(document=document, anchor=anchor, selected=chunk_at(starts, anchor), seen=seen, request=request)


def chunk_at(starts: NDArray[np.int64], anchor: int | None) -> int | None:
    """Return the index of the last chunk that starts at or before ``anchor``; the first if none does."""
    if anchor is None or not len(starts):
        return None
    return max(0, int(np.searchsorted(starts, np.int64(anchor), "right")) - 1)


def marked_span(told: object, document: Document) -> Span | None:
    """Return the text that was selected in this document, without white space at its ends, or None."""
    if not isinstance(told, Mapping) or told.get("document") != document.id:
        return None
    start, end = told.get("start"), told.get("end")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(document.text):
        return None
    text = document.text[start:end]
    begin = start + len(text) - len(text.lstrip())
    return Span(begin, begin + len(text.strip())) if text.strip() else None
