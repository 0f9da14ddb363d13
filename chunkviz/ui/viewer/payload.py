"""What the viewer sends to the browser: three messages, packed from arrays, made without Streamlit.

A message is the length of its head (uint32, little endian), the head (JSON in UTF-8) and the body
(bytes, deflated when the head says so):

``document``
    The text, once per document. Body: UTF-8. Head: name, format, headings, pages.
``boundaries``
    One chunking, at each slider step. Body: four columns of unsigned LEB128 numbers, one after the
    other, a number per chunk: the gap to the end of the chunk before (zigzag, negative where they
    overlap), the length in characters, the tokens, the place of the reason in the head's list.
    Where there are parents (``parents`` in the head says how many), the place of each chunk's parent
    follows, from 1, 0 for none; then, a number per parent: the distance to the start of the one before
    (zigzag), the length, the tokens, the level, the place of its own parent.
``pointer``
    What is selected, marked, focused or hot. Body: the marked indices, each as the distance to the
    one before, then the heat of every chunk where the head has any. A click moves this message alone.

Offsets are code points throughout; the browser turns them into UTF-16 once.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkviz.segments import headings
from chunkviz.wording import count_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from chunkviz.chunk import Chunking
    from chunkviz.document import Document
    from chunkviz.span import Span
    from chunkviz.ui.viewer.heat import Heat
    from chunkviz.ui.viewer.pointer import Pointer

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SMALL = 1_024
"""Bodies of fewer bytes are not worth deflating."""

_BITS = 7
"""Payload bits of one LEB128 byte; the eighth says whether another follows."""


def document_message(document: Document, *, viewer: str, height: int, highlights: bool, marking: bool = False) -> bytes:
    """Return the message with the text; encoded and deflated once per document."""
    packed, body, facts = document.derive("viewer document", lambda: _document_parts(document))
    head = {
        "kind": "document",
        "viewer": viewer,
        "document": document.id,
        "height": height,
        "highlights": highlights,
        "marking": marking,
        "packed": packed,
        **facts,
    }
    return as_message(head, body)


def _document_parts(document: Document) -> tuple[bool, bytes, dict[str, Any]]:
    # UTF-8 has no lone surrogates and a browser shows U+FFFD for them anyway; it is one code point too.
    text = _LONE_SURROGATE.sub("\ufffd", document.text)
    facts = {
        "name": document.name,
        "format": document.format,
        "length": len(text),
        "headings": [[each.level, each.start, each.title] for each in headings(document)],
        "pages": [page.start for page in document.pages],
    }
    return *pack(text.encode()), facts


def boundaries_message(chunking: Chunking, *, viewer: str) -> bytes:
    """Return the message with every boundary of one chunking."""
    return encode_boundaries(
        chunking.starts,
        chunking.ends,
        chunking.token_counts,
        chunking.boundary_reasons,
        viewer=viewer,
        document=chunking.document.id,
        strategy=repr(chunking.strategy),
        parents=_parent_columns(chunking),
    )


def _parent_columns(chunking: Chunking) -> Sequence[NDArray[np.int64]]:
    """Return what the brackets beside the text are drawn from, or nothing where there are no parents."""
    parents = chunking.parents
    if not parents:
        return ()
    starts = np.fromiter((each.start for each in parents), np.int64, len(parents))
    ends = np.fromiter((each.end for each in parents), np.int64, len(parents))
    above = (0 if each.parent is None else each.parent.index + 1 for each in parents)
    return (
        chunking.parent_places + 1,
        _zigzag(np.diff(starts, prepend=0)),
        ends - starts,
        chunking.parent_token_counts,
        np.fromiter((each.level for each in parents), np.int64, len(parents)),
        np.fromiter(above, np.int64, len(parents)),
    )


def encode_boundaries(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    tokens: NDArray[np.int64],
    reasons: Sequence[str],
    *,
    viewer: str,
    document: str,
    strategy: str = "",
    parents: Sequence[NDArray[np.int64]] = (),
) -> bytes:
    """Pack int64 (n,) columns and one reason per chunk; see the module for the layout.

    ``parents`` are six columns: the first has a number per chunk, the others a number per parent.
    """
    labels = {label: place for place, label in enumerate(dict.fromkeys(reasons))}
    places = np.fromiter((labels[label] for label in reasons), np.int64, len(reasons))
    before = np.zeros_like(starts)
    before[1:] = ends[:-1]
    columns = b"".join(map(leb128, (_zigzag(starts - before), ends - starts, tokens, places, *parents)))
    packed, body = pack(columns)
    head = {
        "kind": "boundaries",
        "viewer": viewer,
        "document": document,
        "strategy": strategy,
        "chunking": fingerprint(starts, ends),
        "count": len(starts),
        "reasons": list(labels),
        "parents": len(parents[1]) if parents else 0,
        "packed": packed,
    }
    return as_message(head, body)


def pointer_message(
    pointer: Pointer,
    *,
    viewer: str,
    chunking: str,
    marked: Collection[int],
    focus: Span | None,
    focus_serial: int,
    facts: Sequence[tuple[str, str]] = (),
    unseen: Sequence[Span] = (),
    heat: Heat | None = None,
) -> bytes:
    """Return the message that moves nothing but attention; ``facts`` are names and values about the selected chunk."""
    indices = np.array(sorted(set(marked)), np.int64)
    levels = b"" if heat is None else leb128(heat.levels)
    packed, body = pack(leb128(np.diff(indices, prepend=0)) + levels)
    head = {
        "kind": "pointer",
        "viewer": viewer,
        "chunking": chunking,
        "selected": pointer.selected,
        "seen": pointer.seen,
        "request": pointer.request,
        "marked": len(indices),
        "focus": None if focus is None else [focus.start, focus.end],
        "focusSerial": focus_serial,
        "facts": list(facts),
        "unseen": [[span.start, span.end] for span in unseen],
        "heat": None if heat is None else heat.head(),
        "packed": packed,
    }
    return as_message(head, body)


def facts_of(chunking: Chunking, selected: int | None) -> list[tuple[str, str]]:
    """Return what is known about the selected chunk beyond its span: its parent, its context, its metadata."""
    if selected is None or not 0 <= selected < len(chunking):
        return []
    chunk = chunking[selected]
    facts = []
    if chunk.parent is not None:
        parent = chunk.parent
        place = f"{parent.index + 1:,} of {len(chunking.parents):,}"
        span = f"{count_of(parent.token_count, 'token')}, [{parent.start:,}, {parent.end:,})"
        facts.append(("Parent, returned when this chunk is found", f"{place}: {span}"))
    if chunk.context:
        facts.append(("Context, put before the text for embedding", chunk.context))
    if chunk.context_error:
        facts.append(("No context", chunk.context_error))
    for name, value in chunk.metadata.items():
        if name != "headings" and value not in (None, (), ""):
            words = " › ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            facts.append((name.replace("_", " ").capitalize(), words))
    return facts


def fingerprint(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> str:
    """Name a set of boundaries, so that a pointer is never applied to another chunking."""
    return f"{zlib.crc32(ends.tobytes(), zlib.crc32(starts.tobytes())):08x}-{len(starts)}"


def leb128(values: NDArray[np.int64]) -> bytes:
    """Encode non-negative numbers, seven bits a byte, low bits first."""
    if not len(values):
        return b""
    widths = np.ones(len(values), np.int64)
    rest = values >> _BITS
    while rest.any():
        widths += rest > 0
        rest >>= _BITS
    firsts = np.cumsum(widths) - widths
    coded = np.empty(int(widths.sum()), np.uint8)
    for place in range(int(widths.max())):
        here = widths > place
        more = (widths[here] > place + 1).astype(np.int64) << _BITS
        coded[firsts[here] + place] = ((values[here] >> (_BITS * place)) & 0x7F) | more
    return coded.tobytes()


def _zigzag(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Turn small numbers of either sign into small ones without: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return (values << 1) ^ (values >> 63)


def pack(body: bytes) -> tuple[bool, bytes]:
    """Deflate what is worth it; tell whether it was done."""
    return (False, body) if len(body) < _SMALL else (True, zlib.compress(body, 1 if len(body) > 1 << 20 else 6))


def as_message(head: Mapping[str, Any], body: bytes) -> bytes:
    """Return a message: the length of the head, the head, the body."""
    coded = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return len(coded).to_bytes(4, "little") + coded + body
