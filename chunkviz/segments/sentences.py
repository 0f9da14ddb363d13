"""Sentences, by the rules of a language."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from chunkviz.document import without_surrogates
from chunkviz.segments.lines import skip_blank
from chunkviz.span import Span

if TYPE_CHECKING:
    from chunkviz.document import Document

_MARKED_LINE = re.compile(r"\n[ \t]*(?=[-*+•][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|>])")


def split_sentences(text: str, language: str | None = "en") -> tuple[Span, ...]:
    """Return the sentences of ``text`` as spans trimmed of white space, in order.

    ``language`` is an ISO 639-1 code; None detects it, and takes English rules where that is
    impossible. CJK full stops are known in every language. A blank line, and the start of a list
    item, heading, table row or quote, ends a sentence whatever its punctuation. Sentence rules:
    the package ``sentencex`` (Wikimedia).
    """
    if language is None:
        from chunkviz.language import detect_language  # noqa: PLC0415  its model is loaded when first needed

        language = detect_language(text)
    spans: list[Span] = []
    for start, end in pairwise([0, *sentence_starts(text, language), len(text)]):
        piece = text[start:end].rstrip()
        if piece:
            right = start + len(piece)
            spans.append(Span(right - len(piece.lstrip()), right))
    return tuple(spans)


def sentence_starts(text: str, language: str | None, base: int = 0) -> list[int]:
    """Return the sorted offsets inside ``text`` where a new sentence starts, moved by ``base``; 0 is left out."""
    import sentencex  # noqa: PLC0415  compiled; loaded when first needed

    starts = {match.end() for match in _MARKED_LINE.finditer(text)}
    clean = without_surrogates(text)
    position = 0
    for piece in sentencex.segment(language or "en", clean):
        if not clean.startswith(piece, position):
            # White space between paragraphs is sometimes left out, but never what the piece itself begins with.
            position = max(position, skip_blank(clean, position) - skip_blank(piece))
        if not clean.startswith(piece, position):
            found = sentencex.get_sentence_boundaries(language or "en", clean)
            starts.update(each["start_index"] for each in found if not each["text"].isspace())
            break
        if not piece.isspace():
            starts.add(position)
        position += len(piece)
    return [base + place for place in sorted(starts) if 0 < place < len(text) and not _splits_line_end(text, place)]


def _splits_line_end(text: str, place: int) -> bool:
    return text[place] == "\n" and text[place - 1] == "\r"


def language_of(document: Document) -> str | None:
    """Return the document's language as somebody gave it, or else as detected, or None."""
    if document.language is not None:
        return document.language

    def detect() -> str | None:
        from chunkviz.language import detect_language  # noqa: PLC0415  its model is loaded when first needed

        return detect_language(document.text)

    return document.derive("language", detect)


def sentences(document: Document) -> tuple[Span, ...]:
    """Return the document's sentences by the rules of its language; computed once per document."""
    return document.derive("sentences", lambda: split_sentences(document.text, language_of(document) or "en"))
