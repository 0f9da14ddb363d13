"""Chunks that say nearly the same, found exactly and without holding each against each.

The measure is the Jaccard similarity of the sets of three-word runs: runs in both over runs in either.
Words are runs of letters and digits without regard to case; a character of a script without spaces
between words is a word of its own. Candidates share one of each set's rarest runs, which no two sets
as similar as asked can avoid (the prefix filter of Chaudhuri, Ganti and Kaushik, 2006). Most runs of a
text stand in one chunk alone: they are counted, and nothing more.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import count
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
_READING = 0.4
_SORTING = 0.9
"""About the shares of the time up to which words are read, and then runs are sorted; what is left is comparing."""
_WORDS_A_REPORT = 50_000
_CHUNKS_A_REPORT = 500
_MOST = int(np.iinfo(np.int64).max)
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_IS_UNSPACED = regex.compile(f"[{_UNSPACED}]")
_IS_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]")
_NOT, _SPACED, _ALONE = range(3)
"""What a character is: none of a word, one of a word, a word of its own."""


class NearDuplicate(NamedTuple):
    """A chunk, and the first one before it that is like it."""

    chunk: int
    """Number of the chunk from 0."""
    like: int
    """Number of the one before."""
    similarity: float
    """Jaccard similarity, 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Sets:
    """The distinct runs of each chunk."""

    sizes: list[int]
    """How many a chunk has."""
    shared: list[NDArray[np.int64]]
    """Those of a chunk that another has, too, numbered from the rarest on, ascending."""


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
    for index, (size, runs) in enumerate(zip(sets.sizes, sets.shared, strict=True)):
        if index % _CHUNKS_A_REPORT == 0:
            report(_SORTING + (1 - _SORTING) * index / len(sets.sizes))
        if not len(runs):
            continue
        alone = size - len(runs)
        first = index if alone else same.setdefault(runs.tobytes(), index)
        # The rarest runs are those of this chunk alone, which lead nowhere.
        prefix = runs[: max(0, size - _at_least(threshold * size) + 1 - alone)].tolist()
        candidates = {like for run in prefix for like in holders.get(run, ())}
        near = _first_like(index, sets, sorted(candidates), threshold)
        if first < index and (near is None or first <= near[0]):
            near = first, 1.0
        if near is not None:
            found.append(NearDuplicate(index, *near))
        if first == index:
            for run in prefix:
                if len(holders[run]) < CANDIDATES:
                    holders[run].append(index)
    return found


def _first_like(index: int, sets: _Sets, candidates: list[int], threshold: float) -> tuple[int, float] | None:
    size, runs = sets.sizes[index], sets.shared[index]
    for like in candidates[:CANDIDATES]:
        small, large = sorted((size, sets.sizes[like]))
        if small < threshold * large:
            continue
        both = len(np.intersect1d(runs, sets.shared[like], assume_unique=True))
        similarity = both / (small + large - both)
        if similarity >= threshold:
            return like, similarity
    return None


def _at_least(number: float) -> int:
    """Round up, but for what floating point puts above a whole number."""
    return math.ceil(number - 1e-9)


def _tell_nobody(_share: float) -> None:
    """Report to nobody."""


def _sets(chunking: Chunking, report: Callable[[float], None]) -> _Sets:
    """Return the distinct runs of each chunk; all chunks at once, by sorting."""
    chunks = len(chunking)
    words, begins, ends = _words(chunking.document.text, report)
    runs = _numbered(words)
    first = begins.searchsorted(chunking.starts, "left")
    behind = ends.searchsorted(chunking.ends, "right") - RUN + 1
    lengths = np.maximum(behind - first, 0)  # of fewer words there is no run
    offsets = np.cumsum(lengths) - lengths
    owners = np.repeat(np.arange(chunks), lengths)
    held = runs[np.arange(len(owners)) + np.repeat(first - offsets, lengths)]
    report(_READING + (_SORTING - _READING) / 3)
    # By run, and of one run by chunk: those of a chunk that holds a run twice are neighbours.
    order = np.argsort(held, kind="stable")
    held, owners = held[order], owners[order]
    report(_READING + (_SORTING - _READING) * 2 / 3)
    fresh = np.ones(len(held), np.bool_)
    fresh[1:] = held[1:] != held[:-1]
    kept = fresh.copy()
    kept[1:] |= owners[1:] != owners[:-1]
    fresh, owners = fresh[kept], owners[kept]
    sizes = np.bincount(owners, minlength=chunks)
    number = np.cumsum(fresh) - 1
    counts = np.bincount(number)
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(counts, kind="stable")] = np.arange(len(counts))
    shared = counts[number] > 1
    owners, ranks = owners[shared], rank[number[shared]]
    order = np.lexsort((ranks, owners))
    parts = np.split(ranks[order], np.searchsorted(owners[order], np.arange(1, chunks))) if chunks else []
    return _Sets(sizes.tolist(), parts)


def _words(
    text: str, report: Callable[[float], None]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return a number for each word, the same for equal ones, and where each begins and ends; int64 (n,) each."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds(codes)
    alone = kinds == _ALONE
    spaced = np.concatenate(([False], kinds == _SPACED, [False]))
    begins = np.flatnonzero((spaced[1:] & ~spaced[:-1])[:-1] | alone)
    ends = np.flatnonzero((spaced[:-1] & ~spaced[1:])[1:] | alone) + 1
    known: defaultdict[str, int] = defaultdict(count().__next__)
    words = np.empty(len(begins), np.int64)
    for at in range(0, len(begins), _WORDS_A_REPORT):
        until = min(at + _WORDS_A_REPORT, len(begins))
        low, high = int(begins[at]), int(ends[until - 1])
        report(_READING * low / len(text))
        # All but words becomes a space, and a word of one character stands between two.
        part = np.where(kinds[low:high] == _NOT, np.uint32(ord(" ")), codes[low:high])
        wide = np.flatnonzero(alone[low:high])
        if len(wide):
            part = np.insert(part, np.concatenate((wide, wide + 1)), ord(" "))
        folded = part.tobytes().decode("utf-32-le").casefold().split()
        words[at:until] = np.fromiter(map(known.__getitem__, folded), np.int64, until - at)
    return words, begins, ends


def _kinds(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return what each character is to a word, uint8 (n,); each distinct one is looked at once."""
    there = np.zeros(sys.maxunicode + 1, np.bool_)
    there[codes] = True
    table = np.zeros(sys.maxunicode + 1, np.uint8)
    for code in np.flatnonzero(there).tolist():
        character = chr(code)
        if _IS_UNSPACED.match(character):
            table[code] = _ALONE
        elif _IS_WORD.match(character):
            table[code] = _SPACED
    return table[codes]


def _numbered(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the run that begins at each word, the same for equal runs; exact, no hashing."""
    if len(words) < RUN:
        return np.zeros(0, np.int64)
    vocabulary = above = int(words.max()) + 1
    runs = words
    for further in range(1, RUN):
        if above * vocabulary > _MOST:
            _, runs = np.unique(runs, return_inverse=True)
            above = len(runs)
        runs = runs[:-1] * vocabulary + words[further:]
        above *= vocabulary
    return runs
