"""The tokens of a long text, made in blocks that end at settled places, on several cores."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.tokens.tokenizer import BlockTokenizer, CopiedTokenizer, SettledTokenizer, Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 16
"""Characters encoded at a time, at most: small enough for several cores, large enough to cost nothing."""

_MOST_WORKERS = 7
"""Threads beside the caller's, at most; each may come to hold a copy of the vocabulary, some 20 MB."""
_WORTH_A_COPY = 1 << 19
"""Characters a thread encodes before it makes a copy of its own, which takes as long as about a million of them."""


def blocks_of(text: str, settled: re.Pattern[str], size: int) -> Iterator[tuple[int, int]]:
    """Yield ``(start, end)`` of consecutive blocks of about ``size`` characters that end at settled places."""
    start = 0
    while len(text) - start > size:
        match = settled.search(text, start + size - 1)
        if match is None:
            break
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


class Encoding:
    """The tokens of one text, being made in blocks: by the caller, and by a thread for each other core.

    For tokenizers that release Python's lock while they work, as the compiled ones do. The threads
    begin at once, and the caller may do something else until it needs the result. On one core there
    are none: a thread would gain nothing.
    """

    def __init__(self, tokenizer: SettledTokenizer, text: str) -> None:
        """Begin."""
        size, cores = _block_size(tokenizer, text), _usable_cores()
        rounds = math.ceil(len(text) / size / cores)
        self._tokenizer, self._text = tokenizer, text
        self._blocks = list(blocks_of(text, tokenizer.settled, math.ceil(len(text) / rounds / cores)))
        self._parts: list[Future[NDArray[np.int64]]] = [Future() for _ in self._blocks]
        if cores > 1:
            workers = _workers(os.getpid())
            self._parts = [workers.submit(self._encode_beside, *block) for block in self._blocks]

    def _encode_beside(self, start: int, end: int) -> NDArray[np.int64]:
        return self._encode(start, end, own_tokenizer(self._tokenizer, end - start))

    def _encode(self, start: int, end: int, tokenizer: SettledTokenizer) -> NDArray[np.int64]:
        starts = tokenizer.token_starts(self._text[start:end])
        starts += start
        return starts

    def starts(self, report: Callable[[float], None] | None = None) -> NDArray[np.int64]:
        """Return ``tokenizer.token_starts(text)``, having made what nobody has begun.

        ``report`` is told the share done, 0 to 1, after each block; what it raises ends the work.
        """
        count = len(self._parts)
        found: list[NDArray[np.int64]] = []
        own: list[NDArray[np.int64]] = []
        try:
            while len(found) + len(own) < count:
                # The threads take the blocks from the front, and this one from the end what it can still take back.
                last = count - len(own) - 1
                if not self._parts[len(found)].done() and self._parts[last].cancel():
                    own.append(self._encode(*self._blocks[last], self._tokenizer))
                else:
                    found.append(self._parts[len(found)].result())
                if report is not None:
                    report((len(found) + len(own)) / count)
        except BaseException:
            for part in self._parts:
                part.cancel()
            raise
        return np.concatenate((*found, *reversed(own)))


@lru_cache(maxsize=1)
def _workers(_process: int) -> ThreadPoolExecutor:
    """Return the threads of this process that encode, one for each core but the caller's.

    They are kept, and with them their copies. A process that was forked has none of its parent's threads.
    """
    return ThreadPoolExecutor(min(_usable_cores() - 1, _MOST_WORKERS), thread_name_prefix="chunkviz encoding")


@dataclass
class _Held:
    """What one thread knows of the tokenizer that it used last."""

    tokenizer: SettledTokenizer
    encoded: int = 0
    """Characters given to it so far, in this thread."""
    copy: SettledTokenizer | None = None


_here = threading.local()


def own_tokenizer(tokenizer: SettledTokenizer, characters: int) -> SettledTokenizer:
    """Return ``tokenizer``, or a copy for this thread alone once it has given it many characters.

    A tokenizer that threads share may make each wait for the others: tiktoken's patterns keep their
    memory for the thread that used them first, all others take turns, and the first has to tell them.
    Two threads with one vocabulary are slower than one with it alone; with two they are twice as fast.
    Of several tokenizers a thread keeps the copy of the last.
    """
    if not isinstance(tokenizer, CopiedTokenizer):
        return tokenizer
    held: _Held | None = getattr(_here, "held", None)
    if held is None or held.tokenizer is not tokenizer:
        held = _here.held = _Held(tokenizer)
    held.encoded += characters
    if held.copy is None and held.encoded > _WORTH_A_COPY:
        held.copy = tokenizer.copy()
    return held.copy or tokenizer


def _block_size(tokenizer: Tokenizer, text: str) -> int:
    """Return how many characters of ``text`` the tokenizer is given at a time."""
    return tokenizer.block_size(text) if isinstance(tokenizer, BlockTokenizer) else BLOCK


def encode_in_blocks(
    tokenizer: SettledTokenizer, text: str, report: Callable[[float], None] | None = None
) -> NDArray[np.int64]:
    """Return ``tokenizer.token_starts(text)``, made in blocks on all cores where it is long; see :class:`Encoding`."""
    if len(text) <= _block_size(tokenizer, text):
        return tokenizer.token_starts(text)
    return Encoding(tokenizer, text).starts(report)


def begin_encoding(tokenizer: SettledTokenizer, text: str) -> Encoding | None:
    """Return the encoding of a long text, begun on other cores, or None where there is nothing to gain.

    A tokenizer that takes the whole text at once gains nothing: it and the caller wait for each other.
    """
    several = len(text) > _block_size(tokenizer, text) and _usable_cores() > 1
    return Encoding(tokenizer, text) if several else None


def _usable_cores() -> int:
    """Return how many cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
