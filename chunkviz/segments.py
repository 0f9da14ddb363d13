"""Where a document may be cut: headings, paragraphs, lines, sentences.

Every function gives places of the document's own text; nothing is copied, joined or normalised.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from chunkviz.document import without_surrogates
from chunkviz.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document

_SIGN = re.compile(
    r"(?:(?P<hashes>#{1,6})(?![^ \t\r\n])[^\r\n]*|(?P<fence>`{3,}|~{3,})(?P<info>[^\r\n]*)"
    r"|(?P<rule>=+|-+)[ \t]*(?![^\r\n]))"
)
_HEADING_SIGN = re.compile(rf"[ ]{{0,3}}{_SIGN.pattern}")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?![ \t]*\r?\n)(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_NOT_A_TITLE = re.compile(
    r"(?:#{1,6}(?:[ \t]|$)|>|\||[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|`{3}|~{3}|([-*_])[ \t]*(?:\1[ \t]*){2,}$)"
)
_ATX = re.compile(r"#{1,6}(?!\S)")
_MARKED_LINE = re.compile(r"\n[ \t]*(?=[-*+•][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|>])")


@dataclass(frozen=True, slots=True)
class Heading:
    """A markdown heading: its level from 1, its title, and the span of its line or lines."""

    level: int
    title: str
    start: int
    end: int


def headings(document: Document) -> tuple[Heading, ...]:
    """Return the document's ATX and setext headings in order; none for source code.

    Follows CommonMark for what people write at the left margin: fences hide their content, a line
    indented by four spaces is code, front matter is no heading. Lists, quotes and HTML blocks are
    not looked into.
    """
    return document.derive("headings", lambda: _find_headings(document))


def _find_headings(document: Document) -> tuple[Heading, ...]:
    text = document.text
    if document.format == "code":
        return ()
    found: list[Heading] = []
    position = body = front_matter_end(text)
    fence: str | None = None
    for match in _heading_signs(document, position):
        mark = match["fence"]
        if fence is not None:
            if mark and mark[0] == fence[0] and len(mark) >= len(fence) and not match["info"].strip():
                fence = None
                body = match.end()
        elif mark:
            if not (mark[0] == "`" and "`" in match["info"]):
                fence = mark
        elif match["hashes"]:
            title = heading_title(match.group())
            found.append(Heading(len(match["hashes"]), title, match.start("hashes"), match.end()))
            body = match.end()
        else:
            setext = _setext_heading(text, match.start(), match.end(), 1 if match["rule"][0] == "=" else 2, body)
            if setext is not None:
                found.append(setext)
                body = match.end()
    return tuple(found)


def front_matter_end(text: str) -> int:
    """Return where the text behind YAML front matter begins; 0 where there is none."""
    front = _FRONT_MATTER.match(text)
    return front.end() if front else 0


def heading_title(source: str) -> str:
    """Return the title in the source of a heading, ATX or setext, as it is written there."""
    source = source.strip()
    sign = _ATX.match(source)
    if sign is not None:
        return _CLOSING_HASHES.sub("", source[sign.end() :].strip()).strip()
    return " ".join(line.strip() for line in re.split(r"[\r\n]+", source)[:-1])


def _heading_signs(document: Document, position: int) -> Iterator[re.Match[str]]:
    """Yield what looks like a heading, an underline or a fence at the start of each line from ``position`` on."""
    text = document.text
    first, lines = skip_blank(text), _line_places(document).marked
    for place in lines if lines[:1] == [first] else (first, *lines):
        # Most lines that begin so are items of a list: looked at from their sign on, they take one step.
        if place >= position and _SIGN.match(text, place):
            line = place - len(text[max(0, place - 3) : place]) + len(text[max(0, place - 3) : place].rstrip(" "))
            match = _HEADING_SIGN.match(text, line) if line == 0 or text[line - 1] in "\r\n" else None
            if match is not None:
                yield match


def _setext_heading(text: str, rule: int, end: int, level: int, body: int) -> Heading | None:
    """Return the heading whose underline is at ``rule``, if a paragraph stands right above it."""
    first = rule
    while first > body and rule - first <= 400:  # noqa: PLR2004  no title is that long
        previous = max(body, text.rfind("\n", body, first - 1) + 1)
        line = text[previous : first - 1] if previous < first else ""
        stripped = line.lstrip(" ")
        if not line.strip() or _NOT_A_TITLE.match(stripped):
            break
        first = previous
    if first >= rule or text[first:rule].expandtabs(4).startswith("    "):  # indented code
        return None
    # A long paragraph over a line of dashes is prose and a rule far more often than a title.
    title = " ".join(text[first:rule].split())
    if len(title) > 200:  # noqa: PLR2004
        return None
    start = first + len(text[first:rule]) - len(text[first:rule].lstrip())
    return Heading(level, title, start, end) if title else None


def heading_path(document: Document, offset: int) -> tuple[str, ...]:
    """Return the titles of the headings in force at ``offset``, outermost first."""
    starts, paths = document.derive("heading paths", lambda: heading_paths(headings(document)))
    at = bisect_right(starts, offset)
    return paths[at - 1] if at else ()


def heading_paths(found: Sequence[Heading]) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return where each heading starts, and the titles in force from there on, outermost first."""
    stack: list[Heading] = []
    paths: list[tuple[str, ...]] = []
    for heading in found:
        while stack and stack[-1].level >= heading.level:
            stack.pop()
        stack.append(heading)
        paths.append(tuple(each.title for each in stack))
    return [heading.start for heading in found], paths


@dataclass(frozen=True, slots=True)
class StructureCuts:
    """Sorted offsets where the text itself offers a boundary.

    Each is the first character after white space, so what stands before keeps its punctuation and
    what follows begins with its heading. No place between a heading and the text it announces is
    offered: a heading stays with the beginning of its section.
    """

    headers: tuple[Sequence[int], ...]
    """One row per heading level that occurs, highest first."""
    paragraphs: Sequence[int]
    lines: Sequence[int]
    glued: frozenset[int] = frozenset()
    """Line starts left out because a heading holds on to them."""


def structure_cuts(document: Document) -> StructureCuts:
    """Return where headers, paragraphs and lines begin; computed once per document."""
    return document.derive("structure cuts", lambda: _find_structure_cuts(document))


def _find_structure_cuts(document: Document) -> StructureCuts:
    text = document.text
    lines, paragraphs, _ = _line_places(document)
    found = headings(document)
    if not found:
        return StructureCuts((), paragraphs, lines)
    firsts = [found[0], *(heading for before, heading in pairwise(found) if not _announces(text, before, heading))]
    headers = tuple(
        starts
        for level in range(1, 7)
        if (starts := [heading.start for heading in firsts if heading.level == level and heading.start > 0])
    )
    glued = _glued(found, lines) - {start for starts in headers for start in starts}
    return StructureCuts(
        headers,
        [place for place in paragraphs if place not in glued],
        [place for place in lines if place not in glued],
        frozenset(glued),
    )


def line_starts(document: Document) -> list[int]:
    """Return the first character that is not white space of each line but the first; computed once per document."""
    return _line_places(document).lines


class _LinePlaces(NamedTuple):
    """The first character that is not white space of each line but the first."""

    lines: list[int]
    paragraphs: list[int]
    """The lines behind a blank one."""
    marked: list[int]
    """The lines that begin as a heading, a fence or an underline does."""


def _line_places(document: Document) -> _LinePlaces:
    return document.derive("line starts", lambda: _find_line_places(document.text))


def _find_line_places(text: str) -> _LinePlaces:
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
    marked = lines[_BEGINS_HEADING[codes[lines]]]
    return _LinePlaces(lines.tolist(), paragraphs.tolist(), marked.tolist())


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


def _announces(text: str, before: Heading, heading: Heading) -> bool:
    """Whether ``heading`` is the first thing in the section of ``before``, a level deeper."""
    return heading.level > before.level and not text[before.end : heading.start].strip()


def _glued(found: tuple[Heading, ...], lines: list[int]) -> set[int]:
    """Return the line starts that would part a heading's lines, or a heading from what follows it."""
    glued: set[int] = set()
    for heading in found:
        first, behind = bisect_right(lines, heading.start), bisect_right(lines, heading.end)
        glued.update(lines[first : behind + 1])
    return glued


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
            # White space between paragraphs is sometimes left out of the pieces.
            position = skip_blank(clean, position)
        if not clean.startswith(piece, position):
            found = sentencex.get_sentence_boundaries(language or "en", clean)
            starts.update(each["start_index"] for each in found if not each["text"].isspace())
            break
        if not piece.isspace():
            starts.add(position)
        position += len(piece)
    return [base + place for place in sorted(starts) if 0 < place < len(text) and not _splits_line_end(text, place)]


_BLANK = re.compile(r"\s*")


def skip_blank(text: str, position: int = 0) -> int:
    """Return the first offset from ``position`` on that is not white space."""
    match = _BLANK.match(text, position)
    return match.end() if match else position


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
