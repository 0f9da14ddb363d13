"""What a reader would object to in a chunking, each with its place; counts and no score.

A place is an edge of a chunk: its end, and its beginning where the chunk before did not end there.
Each kind is looked for on its own: an edge inside a word is inside its sentence, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from chunkviz.agreement import visible_before
from chunkviz.commonmark import Block, blocks
from chunkviz.duplicates import near_duplicates
from chunkviz.errors import ParameterError
from chunkviz.language import LANGUAGE_NAMES
from chunkviz.metrics import inside_sentences, inside_words
from chunkviz.packing import skip_space, trimmed_end
from chunkviz.pronouns import PRONOUN_LANGUAGES, opening_pronoun
from chunkviz.segments import headings, language_of
from chunkviz.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.chunk import Chunking
    from chunkviz.document import Document

FindingKind: TypeAlias = Literal[
    "word", "sentence", "table row", "table", "list item", "list", "code fence",
    "stranded heading", "opening pronoun", "tiny", "oversize", "near-duplicate",
]  # fmt: skip
KINDS: tuple[FindingKind, ...] = get_args(FindingKind)
"""All kinds: seven of edges, two of what stands there, three of whole chunks."""
EDGE_KINDS: tuple[FindingKind, ...] = KINDS[:7]
"""Kinds that say what an edge lies inside of."""


_VISIBLE = re.compile(r"\S")
"""Looks no further than it must, where cutting out the text up to a heading far off would copy all of it."""


_SENTENCES, _STRUCTURES, _DUPLICATES = 0.4, 0.5, 0.55
"""About the shares of the time up to which sentences, blocks and all but near-duplicates are looked for."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The limits that findings are held against."""

    tiny: int = 16
    """A chunk of fewer tokens is tiny, unless it is the only one; 0 finds none."""
    oversize: int = 8191
    """A chunk whose text to embed, context included, has more tokens is oversize.

    8,191 is what embedding models of OpenAI take; many local ones take 512."""
    similarity: float = 0.9
    """Jaccard similarity of three-word runs from which a chunk is a near-duplicate of one before it."""

    def __post_init__(self) -> None:
        """Refuse limits that mean nothing."""
        for name in ("tiny", "oversize"):
            if getattr(self, name) < 0:
                message = f"{name} must be 0 tokens or more, not {getattr(self, name)}."
                raise ParameterError(message)
        if not 0 < self.similarity <= 1:
            message = f"similarity must be above 0 and at most 1, not {self.similarity}."
            raise ParameterError(message)


@dataclass(frozen=True, slots=True)
class Finding:
    """One objection, and where it is."""

    kind: FindingKind
    index: int
    """Number of the chunk from 0."""
    span: Span
    """What is meant: the heading, the pronoun, the whole chunk; at an edge, no character."""
    message: str
    """One sentence; it holds text of the document where it quotes a heading or a word."""


@dataclass(frozen=True, slots=True)
class Lint:
    """All findings in the order of their places."""

    findings: tuple[Finding, ...]
    not_checked: Mapping[FindingKind, str]
    """Kinds that were not looked for, each with the reason."""

    @property
    def counts(self) -> dict[FindingKind, int]:
        """How many there are of each kind that was looked for, in the order of ``KINDS``."""
        found = Counter(finding.kind for finding in self.findings)
        return {kind: found[kind] for kind in KINDS if kind not in self.not_checked}


class _Edge(NamedTuple):
    chunk: int
    offset: int
    verb: str


def lint(chunking: Chunking, rules: Rules | None = None, report: Callable[[float], None] | None = None) -> Lint:
    """Look for everything there is to object to; takes time by the length of the document.

    ``report`` is told the share done, 0 to 1, before each kind of finding and within the long ones; what it
    raises ends the search.
    """
    rules = rules or Rules()
    report = report or _tell_nobody
    not_checked = _not_checked(chunking.document)
    # Each with the share of the time, about, that is over when it begins.
    checks: tuple[tuple[float, FindingKind, Callable[[], Iterable[Finding]]], ...] = (
        (0.0, "word", lambda: _inside(chunking, report)),
        (_STRUCTURES, "stranded heading", lambda: _stranded(chunking)),
        (_STRUCTURES, "opening pronoun", lambda: _pronouns(chunking)),
        (_STRUCTURES, "tiny", lambda: _sizes(chunking, rules)),
        (_DUPLICATES, "near-duplicate", lambda: _duplicates(chunking, rules, report)),
    )
    found: list[Finding] = []
    for share, kind, check in checks:
        report(share)
        if kind not in not_checked:
            found += (finding for finding in check() if finding.kind not in not_checked)
    found.sort(key=lambda finding: (finding.span.start, finding.index, KINDS.index(finding.kind)))
    return Lint(tuple(found), not_checked)


def _tell_nobody(_share: float) -> None:
    """Report to nobody."""


def _not_checked(document: Document) -> dict[FindingKind, str]:
    reasons: dict[FindingKind, str] = {}
    if document.format == "code":
        reason = "the document is source code, which has no such thing"
        for kind in KINDS[1:9]:
            reasons[kind] = reason
        return reasons
    language = language_of(document)
    if language not in PRONOUN_LANGUAGES:
        named = LANGUAGE_NAMES.get(language or "", language)
        reasons["opening pronoun"] = (
            f"there is no list of pronouns for {named}" if named else "the document's language is not known"
        )
    return reasons


def _edges(chunking: Chunking) -> list[_Edge]:
    """Return the ends of all chunks, and the beginnings that lie elsewhere than the end before."""
    places = visible_before(chunking.document, chunking.starts), visible_before(chunking.document, chunking.ends)
    edges: list[_Edge] = []
    reached = -1
    for index, (start, end) in enumerate(zip(chunking.starts.tolist(), chunking.ends.tolist(), strict=True)):
        if int(places[0][index]) != reached:
            edges.append(_Edge(index, skip_space(chunking.document.text, start), "begins"))
        edges.append(_Edge(index, trimmed_end(chunking.document.text, start, end), "ends"))
        reached = int(places[1][index])
    return edges


def _inside(chunking: Chunking, report: Callable[[float], None]) -> Iterator[Finding]:
    """Yield a finding for each edge and each thing that it lies strictly inside of."""
    document = chunking.document
    edges = _edges(chunking)
    offsets = np.array([edge.offset for edge in edges], np.int64)
    found: dict[FindingKind, NDArray[np.bool_]] = {"word": inside_words(document.text, offsets)}
    if document.format != "code":
        found["sentence"] = inside_sentences(chunking, offsets)
        report(_SENTENCES)
        for kind, spans in _structures(document).items():
            found[kind] = _strictly_inside(spans, offsets)
    for kind, inside in found.items():
        for at in np.flatnonzero(inside).tolist():
            edge = edges[at]
            message = f"Chunk {edge.chunk + 1} {edge.verb} inside a {kind}."
            yield Finding(kind, edge.chunk, Span(edge.offset, edge.offset), message)


def _structures(document: Document) -> dict[FindingKind, list[tuple[int, int]]]:
    """Return the spans of tables, their rows, lists, their outermost items, and fences; computed once per document."""

    def find() -> dict[FindingKind, list[tuple[int, int]]]:
        spans: dict[FindingKind, list[tuple[int, int]]] = {kind: [] for kind in EDGE_KINDS[2:]}
        is_list: dict[int, bool] = {}
        for block in blocks(document):
            end = trimmed_end(document.text, block.start, block.end)
            if block.kind == "list item":
                # A list holds nothing but items, and an item never holds one directly.
                is_list[block.depth] = not is_list.get(block.depth - 1, False)
                spans["list" if is_list[block.depth] else "list item"].append((block.start, end))
            else:
                is_list[block.depth] = False
            if block.kind == "table":
                spans["table"].append((block.start, end))
                spans["table row"] += _lines(document.text, block.start, end)
            elif block.kind == "code fence" and _is_fenced(document.text, block):
                spans["code fence"].append((block.start, end))
        return spans

    return document.derive("structures to lint", find)


def _is_fenced(text: str, block: Block) -> bool:
    """Whether a code block has fences, and is not merely indented."""
    return text.startswith(("```", "~~~"), skip_space(text, block.start))


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for line in text[start:end].splitlines(keepends=True):
        begin = skip_space(text, at)
        at += len(line)
        if begin < at:
            yield begin, trimmed_end(text, begin, at)


def _strictly_inside(spans: list[tuple[int, int]], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each offset lies behind the start and before the end of a span, bool (n,).

    Spans come by their start, and one that begins in another ends in it.
    """
    if not spans:
        return np.zeros(len(offsets), np.bool_)
    starts = np.array([start for start, _ in spans], np.int64)
    reached = np.maximum.accumulate(np.array([end for _, end in spans], np.int64))
    at = np.searchsorted(starts, offsets, "left") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (offsets < reached[at])
    return inside


def _stranded(chunking: Chunking) -> Iterator[Finding]:
    """Yield a finding where a heading, or a part of one, is the last thing in a chunk, and its text is in the next."""
    document = chunking.document
    text, found = document.text, headings(document)
    if not found:
        return
    begins = np.array([heading.start for heading in found], np.int64)
    lasts = np.searchsorted(begins, chunking.ends, "left") - 1
    starts = [*chunking.starts.tolist()[1:], len(text)]
    for index, (last, following) in enumerate(zip(lasts.tolist(), starts, strict=True)):
        chunk = chunking[index]
        if last < 0 or _VISIBLE.search(text, found[last].end, chunk.end):
            continue
        heading = found[last]
        behind = found[last + 1] if last + 1 < len(found) else None
        rest = _VISIBLE.search(text, min(heading.end, chunk.end), behind.start if behind else len(text))
        announces = rest is not None or (behind is not None and behind.level > heading.level)
        if announces and following > heading.start and heading.end > chunk.start:
            message = f"Chunk {index + 1} ends with the heading “{heading.title}”, whose text is not in it."
            yield Finding("stranded heading", index, Span(heading.start, heading.end), message)


def _pronouns(chunking: Chunking) -> Iterator[Finding]:
    """Yield a finding for each chunk but the first whose first word points back."""
    text, language = chunking.document.text, language_of(chunking.document) or ""
    for chunk in chunking.chunks[1:]:
        place = opening_pronoun(text, chunk.start, chunk.end, language)
        if place is not None:
            word = text[place[0] : place[1]]
            message = f"Chunk {chunk.index + 1} opens with “{word}”, which may mean something in the chunk before."
            yield Finding("opening pronoun", chunk.index, Span(*place), message)


def _sizes(chunking: Chunking, rules: Rules) -> Iterator[Finding]:
    """Yield a finding for each chunk that is smaller or larger than the rules allow."""
    count_text = chunking.tokens.tokenizer.count
    for chunk, count in zip(chunking, chunking.token_counts.tolist(), strict=True):
        if count < rules.tiny and len(chunking) > 1:
            message = f"Chunk {chunk.index + 1} has {count:,} tokens, fewer than {rules.tiny:,}."
            yield Finding("tiny", chunk.index, chunk.span, message)
        embedded = count_text(chunk.embedding_text) if chunk.context else count
        if embedded > rules.oversize:
            what = "with its context " if chunk.context else ""
            message = f"Chunk {chunk.index + 1} has {what}{embedded:,} tokens, more than {rules.oversize:,}."
            yield Finding("oversize", chunk.index, chunk.span, message)


def _duplicates(chunking: Chunking, rules: Rules, report: Callable[[float], None]) -> Iterator[Finding]:
    """Yield a finding for each chunk that nearly repeats one before it."""

    def further(share: float) -> None:
        report(_DUPLICATES + (1 - _DUPLICATES) * share)

    for index, like, similarity in near_duplicates(chunking, rules.similarity, further):
        message = f"Chunk {index + 1} repeats chunk {like + 1}: {similarity:.0%} of their three-word runs are the same."
        yield Finding("near-duplicate", index, chunking[index].span, message)
