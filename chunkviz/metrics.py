"""Numbers about a chunking; each is measured on the spans, none is a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import regex

from chunkviz.chunk import Chunking
from chunkviz.segments import sentences
from chunkviz.span import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INSIDE_A_WORD = regex.compile(
    r"[\p{L}\p{N}--\p{Han}--\p{Hiragana}--\p{Katakana}--\p{Thai}--\p{Lao}--\p{Khmer}--\p{Myanmar}]\p{M}*"
    r"[\p{L}\p{N}--\p{Han}--\p{Hiragana}--\p{Katakana}--\p{Thai}--\p{Lao}--\p{Khmer}--\p{Myanmar}]",
    regex.VERSION1,
)
"""Two letters or digits of a script that puts spaces between words."""
_UNSPACED = regex.compile(
    r"[\p{L}\p{N}][\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    r"|[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}][\p{L}\p{N}]"
)
"""Two characters between which a word may or may not end: their script does not say."""


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Whether the spans account for the document, in characters."""

    characters: int
    """Length of the document."""
    covered: int
    """Characters in at least one chunk."""
    doubled: int
    """Characters in more than one chunk, counted once for each further chunk."""
    blank: int
    """White space in no chunk, left out on purpose."""
    gaps: tuple[Span, ...]
    """Text in no chunk; there must be none."""

    @property
    def left_out(self) -> int:
        """Characters of text, white space aside, in no chunk."""
        return self.characters - self.covered - self.blank

    @property
    def complete(self) -> bool:
        """True only if every character that is not white space is in some chunk."""
        return not self.gaps


def fidelity(chunking: Chunking) -> Fidelity:
    """Add up what the chunks cover, leave out and repeat."""
    text = chunking.document.text
    covered = blank = total = 0
    gaps: list[Span] = []
    reached = 0
    for start, end in [*zip(chunking.starts.tolist(), chunking.ends.tolist(), strict=True), (len(text), len(text))]:
        if start > reached:
            gap = text[reached:start]
            stripped = gap.strip()
            if stripped:
                left = reached + len(gap) - len(gap.lstrip())
                gaps.append(Span(left, left + len(stripped)))
            blank += sum(map(str.isspace, gap)) if stripped else len(gap)
        covered += max(0, end - max(start, reached))
        total += end - start
        reached = max(reached, end)
    return Fidelity(len(text), covered, total - covered, blank, tuple(gaps))


@dataclass(frozen=True, slots=True)
class Numbers:
    """What there is to say about the sizes and boundaries of a chunking."""

    chunks: int
    tokens: int
    """Sum over the chunks, repeats included."""
    median: float
    p95: float
    smallest: int
    largest: int
    overlap: float
    """Mean characters a chunk shares with the one before, as measured; 0 for one chunk."""
    overlap_tokens: float
    """The same in tokens: those of each shared text, counted on its own."""
    duplication: float
    """Tokens of all texts to embed, contexts included, over tokens of the document; 1 means nothing is added."""
    largest_embedded: int
    """Tokens of the largest text to embed, context included."""
    mid_sentence: float | None
    """Share (0 to 1) of boundaries inside a sentence; None where there is no boundary."""
    mid_word: float | None
    """Share (0 to 1) of boundaries between two letters or digits of one word.

    Those in scripts without spaces between words, where nobody can tell, do not count; None where
    no boundary is left.
    """


def numbers(chunking: Chunking) -> Numbers:
    """Measure sizes, overlap and where boundaries fall; sizes in tokens."""
    counts, count = chunking.token_counts, len(chunking)
    if count == 0:
        return Numbers(0, 0, 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, 0, None, None)
    total = int(counts.sum())
    tokenizer = chunking.tokens.tokenizer
    embedded = [
        tokenizer.count(chunk.embedding_text) if chunk.context else tokens
        for chunk, tokens in zip(chunking, counts.tolist(), strict=True)
    ]
    boundaries = chunking.ends[:-1]
    inner = len(boundaries)
    return Numbers(
        chunks=count,
        tokens=total,
        median=float(np.median(counts)),
        p95=float(np.percentile(counts, 95)),
        smallest=int(counts.min()),
        largest=int(counts.max()),
        overlap=float(chunking.overlaps[1:].mean()) if inner else 0.0,
        overlap_tokens=_shared_tokens(chunking) / inner if inner else 0.0,
        duplication=sum(embedded) / max(1, len(chunking.tokens)),
        largest_embedded=max(embedded),
        mid_sentence=float(inside_sentences(chunking, boundaries).mean()) if inner else None,
        mid_word=_share_inside_words(chunking.document.text, boundaries),
    )


def _shared_tokens(chunking: Chunking) -> int:
    """Return the tokens of all stretches that a chunk shares with the one before."""
    return sum(
        chunking.tokens.count(start, end)
        for start, end in zip(chunking.starts[1:].tolist(), chunking.ends[:-1].tolist(), strict=True)
        if start < end
    )


def inside_sentences(chunking: Chunking, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each offset lies strictly inside a sentence of the document, bool (n,)."""
    found = sentences(chunking.document)
    if not found:
        return np.zeros(len(offsets), np.bool_)
    starts = np.fromiter((sentence.start for sentence in found), np.int64, len(found))
    ends = np.fromiter((sentence.end for sentence in found), np.int64, len(found))
    at = starts.searchsorted(offsets, side="left") - 1
    inside: NDArray[np.bool_] = (at >= 0) & (offsets < ends[at])
    return inside


def inside_words(text: str, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each offset lies between two characters of one word, bool (n,).

    Scripts written without spaces between words have no such places.
    """
    return np.fromiter((_inside_word(text, int(offset)) for offset in offsets), np.bool_, len(offsets))


def _share_inside_words(text: str, offsets: NDArray[np.int64]) -> float | None:
    """Return the share of offsets inside words among those where words can be told."""
    told = np.fromiter((_UNSPACED.fullmatch(text, at - 1, at + 1) is None for at in offsets.tolist()), np.bool_)
    return float(inside_words(text, offsets[told]).mean()) if told.any() else None


def _inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and _INSIDE_A_WORD.fullmatch(text, offset - 1, offset + 1) is not None


def size_bins(counts: NDArray[np.int64], bins: int = 30) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return edges (k + 1,) of round whole-number bins, and the bin (n,) of each count; both int64.

    A chunk of ``c`` tokens is in the bin with ``edges[i] <= c < edges[i + 1]``.
    """
    if len(counts) == 0:
        return np.array([0, 1], np.int64), np.array([], np.int64)
    low, high = int(counts.min()), int(counts.max())
    width = next(each for each in _round_widths() if (high // each) - (low // each) < bins)
    first = low // width
    edges = np.arange(first, high // width + 2, dtype=np.int64) * width
    return edges, counts // width - first


def _round_widths() -> list[int]:
    return [factor * 10**power for power in range(12) for factor in (1, 2, 5)]
