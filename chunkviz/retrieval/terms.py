"""What a lexical search compares: words, and pairs of characters where writing puts no spaces between words.

Case, width and the accents of alphabets do not count. Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and
Tibetan are compared by their characters and pairs of neighbours, as search engines do that have no dictionary (Nie
and others, "On the Use of Words and N-grams for Chinese Information Retrieval", 2000); a question's single
characters count only where they stand alone. Terms have places, so those of a chunk are a slice of its document's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from chunkviz.document import Document

_PACKED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\u30fc\uff70"
_RUNS = regex.compile(
    rf"(?V1)(?P<number>\p{{Nd}}+(?:[.,]\p{{Nd}}+)+)|(?P<packed>(?:[[{_PACKED}]&&[\p{{L}}\p{{N}}]]\p{{M}}*)+)"
    rf"|[[\p{{L}}\p{{N}}\p{{M}}]--[[{_PACKED}]&&[\p{{L}}\p{{N}}]]]+"
)
_ASCII = re.compile(r"[0-9]+(?:[.,][0-9]+)+|[a-z0-9]+")
"""The same for ASCII in lower case."""
_TOLD = 100_000
"""Characters between two reports."""
_LETTERS = regex.compile(r"\P{M}\p{M}*")
"""A character with its marks, as far as searching cares."""
_ACCENTS = regex.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
"""Marks over Latin, Greek and Cyrillic letters, points of Hebrew and Arabic; elsewhere marks are letters."""


@dataclass(frozen=True)
class Terms:
    """The terms of a document in order of their starts, each as the number of its word."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    words: NDArray[np.int64]
    """Places in ``vocabulary``."""
    vocabulary: tuple[str, ...]

    @classmethod
    def of(cls, document: Document, report: Callable[[float], None] = lambda _: None) -> Terms:
        """Return the terms of a document, found once; ``report`` is told the share done and may end the work."""
        return document.derive("search terms", lambda: _find(document.text, report))

    def within(self, start: int, end: int) -> NDArray[np.int64]:
        """Return the words of the terms that lie whole in a span, int64 (m,); one that is cut is in neither part."""
        first, last = np.searchsorted(self.starts, (start, end)).tolist()
        words: NDArray[np.int64] = self.words[first:last][self.ends[first:last] <= end]
        return words


def split_terms(text: str, *, question: bool = False) -> tuple[str, ...]:
    """Return the terms of a text in order; those of a question leave out characters that their pairs stand for."""
    return tuple(term for _, _, term in _terms(text, question=question))


def _find(text: str, report: Callable[[float], None]) -> Terms:
    """Find the terms line by line: none goes over a line's end, and a line of ASCII needs no more than a search."""
    starts: list[int] = []
    ends: list[int] = []
    words: list[int] = []
    vocabulary: dict[str, int] = {}
    at = told = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end]
        if line.isascii():
            for run in _ASCII.finditer(line.lower()):
                start, stop = run.span()
                starts.append(at + start)
                ends.append(at + stop)
                words.append(vocabulary.setdefault(run[0], len(vocabulary)))
        else:
            for start, stop, term in _terms(line, question=False):
                starts.append(at + start)
                ends.append(at + stop)
                words.append(vocabulary.setdefault(term, len(vocabulary)))
        at = end
        if at - told >= _TOLD:
            told = at
            report(at / len(text))
    return Terms(np.array(starts, np.int64), np.array(ends, np.int64), np.array(words, np.int64), tuple(vocabulary))


def _terms(text: str, *, question: bool) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and folded word of each term, by start."""
    for run in _RUNS.finditer(text):
        start = run.start()
        if run["packed"] is None:
            term = _folded(run[0])
            if term:
                yield start, run.end(), term
            continue
        letters = [(start + each.start(), start + each.end()) for each in _LETTERS.finditer(run[0])]
        if not question or len(letters) == 1:
            following = [*letters[1:], None]
            for one, other in zip(letters, following, strict=True):
                yield *one, _folded(text[slice(*one)])
                if other is not None:
                    yield one[0], other[1], _folded(text[one[0] : other[1]])
        else:
            for one, other in pairwise(letters):
                yield one[0], other[1], _folded(text[one[0] : other[1]])


@lru_cache(maxsize=1 << 16)
def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", word)).casefold()
    return unicodedata.normalize("NFKC", plain)
