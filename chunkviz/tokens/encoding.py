"""The tokens of a long text, made in blocks that end at settled places, on several cores."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.errors import ServiceError
from chunkviz.tokens.tokenizer import BlockTokenizer, SettledTokenizer, Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 16
"""Characters encoded at a time, at most: small enough for several cores, large enough to cost nothing."""


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
    begin at once, and the caller may do something else until it needs the result, or as much of it
    as there is: what lies in front is there first. On one core there are none: a thread would gain
    nothing, and tiktoken is slower in any but the one that used it first.
    """

    def __init__(self, tokenizer: SettledTokenizer, text: str) -> None:
        """Begin."""
        size, cores = _block_size(tokenizer, text), _usable_cores()
        rounds = math.ceil(len(text) / size / cores)
        self._tokenizer, self._text = tokenizer, text
        self._blocks = list(blocks_of(text, tokenizer.settled, math.ceil(len(text) / rounds / cores)))
        self._parts: list[Future[NDArray[np.int64]]] = [Future() for _ in self._blocks]
        if cores > 1:
            pool = ThreadPoolExecutor(cores - 1)
            self._parts = [pool.submit(self._encode, *block) for block in self._blocks]
            pool.shutdown(wait=False)  # its threads end when this is done
        self._room = np.empty(1024, np.int64)
        self._known = self._room[:0]
        self._taken, self._covered = 0, 0
        self._one_at_a_time = threading.Lock()

    def _encode(self, start: int, end: int) -> NDArray[np.int64]:
        starts = checked_starts(self._tokenizer, self._text[start:end])
        return starts + start if start else starts

    def starts_to(self, offset: int, report: Callable[[float], None] | None = None) -> NDArray[np.int64]:
        """Return the token starts of at least ``text[:offset]``, int64 (n,): those of some blocks from the front on.

        What is not there yet is waited for, or made by the caller where nobody has begun it.
        ``report`` is told the share of the blocks done, 0 to 1, after each one that the caller had to wait for.
        """
        if offset > self._covered:
            with self._one_at_a_time:
                while offset > self._covered:
                    while not self._parts[self._taken].done() and self._make_another():
                        if report is not None:
                            report(self._share())
                    self._take()
                    if report is not None:
                        report(self._share())
        return self._known

    def _take(self) -> None:
        """Add the next block to what is known."""
        part, (start, end) = self._parts[self._taken], self._blocks[self._taken]
        # Another caller may have given up what this one still wants.
        starts = self._encode(start, end) if part.cancelled() else part.result()
        before = len(self._known)
        if before + len(starts) > len(self._room):
            # Twice as large, so that all copies together are no more than the whole once more.
            room = np.empty(max(2 * len(self._room), before + len(starts)), np.int64)
            room[:before] = self._known
            self._room = room
        self._room[before : before + len(starts)] = starts
        self._parts[self._taken] = Future()  # what is known need not be kept twice
        self._taken += 1
        # First what is known and then how far: another thread reads them in the other order.
        self._known = self._room[: before + len(starts)]
        self._covered = end

    def _share(self) -> float:
        """Return the share of the blocks that are done."""
        ahead = sum(part.done() and not part.cancelled() for part in self._parts[self._taken :])
        return (self._taken + ahead) / len(self._parts)

    def _make_another(self) -> bool:
        """Make the first block that nobody has begun; return whether there was one."""
        for place in range(self._taken, len(self._parts)):
            if self._parts[place].cancel():
                own: Future[NDArray[np.int64]] = Future()
                try:
                    own.set_result(self._encode(*self._blocks[place]))
                except Exception as error:  # noqa: BLE001  it is raised where the block is reached, as a thread's is
                    own.set_exception(error)
                self._parts[place] = own
                return True
        return False

    def starts(self, report: Callable[[float], None] | None = None) -> NDArray[np.int64]:
        """Return ``tokenizer.token_starts(text)``, int64 (n,).

        ``report`` is told the share done, 0 to 1, after each block; what it raises ends the work.
        """
        try:
            self.starts_to(len(self._text), report)
        except BaseException:
            self.cancel()
            raise
        return self._known.copy()  # without the room behind it

    def cancel(self) -> None:
        """Begin no further block."""
        for part in self._parts:
            part.cancel()


def checked_starts(tokenizer: Tokenizer, text: str) -> NDArray[np.int64]:
    """Return ``tokenizer.token_starts(text)`` as int64 (n,).

    Raises
    ------
    ServiceError
        When that is no row of offsets inside the text, or one that decreases.

    """
    starts = np.asarray(tokenizer.token_starts(text))
    usable = starts.ndim == 1 and starts.dtype.kind in "iu"
    if usable and len(starts):
        usable = bool(starts[0] >= 0 and starts[-1] <= len(text) and (starts[1:] >= starts[:-1]).all())
    if not usable:
        message = (
            f"token_starts of tokenizer {tokenizer.name!r} must give one non-decreasing row of offsets "
            f"inside the text, not {starts.dtype} {starts.shape}."
        )
        raise ServiceError(message)
    return starts.astype(np.int64, copy=False)


def _block_size(tokenizer: Tokenizer, text: str) -> int:
    """Return how many characters of ``text`` the tokenizer is given at a time."""
    return tokenizer.block_size(text) if isinstance(tokenizer, BlockTokenizer) else BLOCK


def encode_in_blocks(
    tokenizer: SettledTokenizer, text: str, report: Callable[[float], None] | None = None
) -> NDArray[np.int64]:
    """Return ``tokenizer.token_starts(text)``, made in blocks on all cores where it is long; see :class:`Encoding`."""
    if len(text) <= _block_size(tokenizer, text):
        return checked_starts(tokenizer, text)
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
