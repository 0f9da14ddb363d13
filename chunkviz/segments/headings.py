"""Headings of markdown and of plain text: their places, titles and levels."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunkviz.segments.lines import line_places, skip_blank

if TYPE_CHECKING:
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
    first, lines = skip_blank(text), line_places(document).marked.tolist()
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
