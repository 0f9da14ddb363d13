"""Chunks that say nearly the same, found exactly and without holding each against each.

The measure is the Jaccard similarity of the sets of three-word runs: runs in both over runs in either.
Words are runs of letters and digits without regard to case; a character of a script without spaces
between words is a word of its own. Candidates share one of each set's rarest runs, which no two sets
as similar as asked can avoid (the prefix filter of Chaudhuri, Ganti and Kaushik, 2006).
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from chunkviz.chunk import Chunking

RUN = 3
"""Words in a run; chunks of fewer are not compared."""
CANDIDATES = 64
"""Chunks at most that one chunk is held against, and that one run leads to, the first of the document first.

Text that repeats itself thousands of times would take time by the square otherwise."""
_READING = 0.5
"""About the share of the time that reading the words takes; the rest goes into holding chunks against each other."""
_WORDS_A_REPORT = 50_000
_CHUNKS_A_REPORT = 500
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    r"|[\p{L}\p{M}\p{N}--\p{Han}--\p{Hiragana}--\p{Katakana}--\p{Thai}--\p{Lao}--\p{Khmer}--\p{Myanmar}]+",
    regex.VERSION1,
)


class NearDuplicate(NamedTuple):
    """A chunk, and the first one before it that is like it."""

    chunk: int
    """Number of the chunk from 0."""
    like: int
    """Number of the one before."""
    similarity: float
    """Jaccard similarity, 0 to 1."""


def near_duplicates(
    chunking: Chunking, threshold: float, report: Callable[[float], None] | None = None
) -> list[NearDuplicate]:
    """Return each chunk to which one before it is similar by ``threshold`` (above 0, up to 1) or more, in order.

    ``report`` is told the share done, 0 to 1, now and then.
    """
    report = report or _tell_nobody
    sets = _sets(chunking, report)
    found: list[NearDuplicate] = []
    same: dict[bytes, int] = {}
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for index, runs in enumerate(sets):
        if index % _CHUNKS_A_REPORT == 0:
            report(_READING + (1 - _READING) * index / len(sets))
        if not len(runs):
            continue
        first = same.setdefault(runs.tobytes(), index)
        prefix = runs[: len(runs) - _at_least(threshold * len(runs)) + 1].tolist()
        candidates = {like for run in prefix for like in holders.get(run, ())}
        near = _first_like(runs, sets, sorted(candidates), threshold)
        if first < index and (near is None or first <= near[0]):
            near = first, 1.0
        if near is not None:
            found.append(NearDuplicate(index, *near))
        if first == index:
            for run in prefix:
                if len(holders[run]) < CANDIDATES:
                    holders[run].append(index)
    return found


def _first_like(
    runs: NDArray[np.int64], sets: list[NDArray[np.int64]], candidates: list[int], threshold: float
) -> tuple[int, float] | None:
    for like in candidates[:CANDIDATES]:
        small, large = sorted((len(runs), len(sets[like])))
        if small < threshold * large:
            continue
        both = len(np.intersect1d(runs, sets[like], assume_unique=True))
        similarity = both / (small + large - both)
        if similarity >= threshold:
            return like, similarity
    return None


def _at_least(number: float) -> int:
    """Round up, but for what floating point puts above a whole number."""
    return math.ceil(number - 1e-9)


def _tell_nobody(_share: float) -> None:
    """Report to nobody."""


def _sets(chunking: Chunking, report: Callable[[float], None]) -> list[NDArray[np.int64]]:
    """Return the distinct runs of each chunk, numbered from the rarest on, ascending."""
    known: dict[str, int] = {}
    words: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    for match in _WORD.finditer(chunking.document.text):
        words.append(known.setdefault(match.group().casefold(), len(known)))
        begins.append(match.start())
        ends.append(match.end())
        if len(words) % _WORDS_A_REPORT == 0:
            report(_READING * match.end() / len(chunking.document.text))
    runs = _numbered(np.array(words, np.int64))
    first = np.searchsorted(np.array(begins, np.int64), chunking.starts, "left")
    behind = np.searchsorted(np.array(ends, np.int64), chunking.ends, "right") - RUN + 1
    behind = np.maximum(behind, first)  # of fewer words there is no run
    sets = [np.unique(runs[at:end]) for at, end in zip(first.tolist(), behind.tolist(), strict=True)]
    if not sets:
        return []
    _, places, counts = np.unique(np.concatenate(sets), return_inverse=True, return_counts=True)
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(counts, kind="stable")] = np.arange(len(counts))
    return [np.sort(part) for part in np.split(rank[places], np.cumsum([len(each) for each in sets])[:-1])]


def _numbered(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the run that begins at each word, the same for equal runs; exact, no hashing."""
    if len(words) < RUN:
        return np.zeros(0, np.int64)
    runs = words
    for further in range(1, RUN):
        runs = runs[:-1] * (int(words.max()) + 1) + words[further:]
        _, runs = np.unique(runs, return_inverse=True)
    return runs.astype(np.int64, copy=False)
