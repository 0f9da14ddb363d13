"""Tokens: encode a document once, then count any slice of it exactly.

A vocabulary of tiktoken's kind first cuts text by a left-to-right pattern into pieces and never
merges across them. Where a letter or digit is followed by white space or punctuation a piece ends,
whatever came before, and in newer vocabularies so it does at the end of a line. Call such a place
*settled*. Between two settled places the tokens of a slice are those of the whole document, so a
slice is counted by two binary searches over the token starts plus the few characters at either
edge, which are tokenized again. A slice with no settled place in it is tokenized whole.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from chunkviz.errors import ServiceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document

_SETTLING = (
    r"\s!-&(-/:-@\[-^`{-~\u2010-\u2015\u201c\u201d\u3001-\u3003\u3008-\u3011\uff01-\uff06\uff08-\uff0f\uff1a-\uff20"
)
"""Characters after which, behind a letter or digit, every known pattern has ended its piece.

The apostrophe is missing (contractions), and so are combining marks (words of o200k hold them).
"""

SETTLED = re.compile(rf"[^\W_](?=[{_SETTLING}])")
"""Matches the one character before a settled place, in every known vocabulary."""

SETTLED_AT_LINES = re.compile(rf"{SETTLED.pattern}|[\r\n](?=[^\s/])")
"""The same with the ends of lines, for cl100k and o200k.

The slash is missing because o200k adds slashes to line ends. Older vocabularies cut white space
otherwise where a text ends behind it.
"""

_REMEMBERED = 100_000
"""Counts kept at a time, of slices and of the strings at their edges."""

BLOCK = 1 << 16
"""Characters encoded at a time, at most: small enough for several cores, large enough to cost nothing."""


@runtime_checkable
class Tokenizer(Protocol):
    """What counts tokens; one small object is enough."""

    @property
    def name(self) -> str:
        """Name of the vocabulary, as people know it."""
        ...

    def count(self, text: str, /) -> int:
        """Return the number of tokens of ``text``; text that spells a special token is ordinary text."""
        ...

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        """Return int64 (n,): the character offset at which each token starts, never decreasing.

        A token that starts inside a character has that character's offset.
        """
        ...


@runtime_checkable
class SettledTokenizer(Tokenizer, Protocol):
    """A tokenizer that promises never to merge across a match of ``settled``.

    For any text, cutting it after a match of ``settled`` and counting both parts gives the count of
    the whole; that makes exact counts of slices cheap.
    """

    @property
    def settled(self) -> re.Pattern[str]:
        """Matches the character before a settled place, looking ahead for the rest."""
        ...


@runtime_checkable
class BlockTokenizer(SettledTokenizer, Protocol):
    """A settled tokenizer that says how much to give it at a time."""

    def block_size(self, text: str, /) -> int:
        """Return how many characters of ``text`` to encode at a time, at most."""
        ...


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
    """The tokens of one text, being made in blocks on all cores.

    For tokenizers that release Python's lock while they work, as the compiled ones do. The work
    begins at once, and the caller may do something else until it needs the result.
    """

    def __init__(self, tokenizer: SettledTokenizer, text: str) -> None:
        """Begin."""
        size, cores = _block_size(tokenizer, text), _usable_cores()
        rounds = math.ceil(len(text) / size / cores)
        blocks = blocks_of(text, tokenizer.settled, math.ceil(len(text) / rounds / cores))

        def encode(start: int, end: int) -> NDArray[np.int64]:
            starts = tokenizer.token_starts(text[start:end])
            starts += start
            return starts

        pool = ThreadPoolExecutor(cores)
        self._parts = [pool.submit(encode, *block) for block in blocks]
        pool.shutdown(wait=False)  # its threads end when this is done

    def starts(self, report: Callable[[float], None] | None = None) -> NDArray[np.int64]:
        """Return ``tokenizer.token_starts(text)`` when it is there.

        ``report`` is told the share done, 0 to 1, after each block; what it raises ends the work.
        """
        found = []
        try:
            for done, part in enumerate(self._parts, start=1):
                found.append(part.result())
                if report is not None:
                    report(done / len(self._parts))
        except BaseException:
            for part in self._parts:
                part.cancel()
            raise
        return np.concatenate(found)


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


def _usable_cores() -> int:
    """Return how many cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_NEAR = 4_096
"""Characters from an edge within which a settled place is looked for; text without one is rare."""


@dataclass(frozen=True)
class TokenMap:
    """Where the tokens of one document start, and how many any slice of it has.

    Made on first use and kept with the document (``TokenMap.of``), so that a slider step does not
    tokenize again.
    """

    document: Document = field(repr=False)
    tokenizer: Tokenizer

    unit = "tokens"

    @classmethod
    def of(cls, document: Document, tokenizer: Tokenizer) -> TokenMap:
        """Return the one map of this document and tokenizer."""
        return document.derive((cls, tokenizer), lambda: cls(document, tokenizer))

    def __eq__(self, other: object) -> bool:
        """Two maps are equal when they count the same text with the same tokenizer."""
        if not isinstance(other, TokenMap):
            return NotImplemented
        return self.tokenizer.name == other.tokenizer.name and self.document.id == other.document.id

    def __hash__(self) -> int:
        """Hash what equality compares."""
        return hash((self.tokenizer.name, self.document.id))

    def __getstate__(self) -> dict[str, object]:
        """Leave the arrays and remembered counts out of pickles; they are made again on first use."""
        return {"document": self.document, "tokenizer": self.tokenizer}

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Character offset at which each token starts, int64 (n,), read-only; made when first asked for."""
        return self._encode()

    @property
    def made(self) -> bool:
        """Whether the document has been tokenized already."""
        return "starts" in self.__dict__

    def begin(self) -> None:
        """Begin to tokenize a long document, while the caller finds its structure, say, on a core of its own."""
        text, tokenizer = self.document.text, self.tokenizer
        if (
            not self.made
            and "_begun" not in self.__dict__
            and isinstance(tokenizer, SettledTokenizer)
            and len(text) > _block_size(tokenizer, text)
            and _usable_cores() > 1
        ):
            self.__dict__["_begun"] = Encoding(tokenizer, text)

    def prepare(self, report: Callable[[float], None]) -> None:
        """Tokenize now, if it has not been done, telling ``report`` the share done; what that raises ends it."""
        if not self.made:
            self.__dict__["starts"] = self._encode(report)

    def _encode(self, report: Callable[[float], None] | None = None) -> NDArray[np.int64]:
        text = self.document.text
        tokenizer = self.tokenizer
        begun: Encoding | None = self.__dict__.pop("_begun", None)
        if begun is not None:
            starts = begun.starts(report)
        elif isinstance(tokenizer, SettledTokenizer):
            starts = encode_in_blocks(tokenizer, text, report)
        else:
            starts = np.asarray(tokenizer.token_starts(text))
        usable = starts.ndim == 1 and starts.dtype.kind in "iu"
        if usable and len(starts):
            usable = bool(starts[0] >= 0 and starts[-1] <= len(text) and (starts[1:] >= starts[:-1]).all())
        if not usable:
            message = (
                f"token_starts of tokenizer {self.tokenizer.name!r} must give one non-decreasing row of offsets "
                f"inside the text, not {starts.dtype} {starts.shape}."
            )
            raise ServiceError(message)
        starts = starts.astype(np.int64, copy=False)
        starts.setflags(write=False)
        return starts

    @cached_property
    def _counts(self) -> dict[tuple[int, int], int]:
        """Counts by start and end: what was counted to place a boundary is asked for again as a chunk's count."""
        return {}

    @cached_property
    def _count_piece(self) -> _PieceCounter:
        return _PieceCounter(self.tokenizer)

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
        """Patterns for the first and the last settled place, or None for a tokenizer of unknown rules."""
        if not isinstance(self.tokenizer, SettledTokenizer):
            return None
        settled = self.tokenizer.settled
        return settled, re.compile(f"(?s:.*)(?:{settled.pattern})", settled.flags)

    def __len__(self) -> int:
        """Return the number of tokens of the whole document."""
        return self.count(0, len(self.document.text))

    def count(self, start: int, end: int) -> int:
        """Return exactly how many tokens ``document.text[start:end]`` has when tokenized on its own."""
        count = self._counts.get((start, end))
        if count is None:
            if len(self._counts) >= _REMEMBERED:
                self._counts.clear()
            count = self._counts[start, end] = self._count(start, end)
        return count

    def _count(self, start: int, end: int) -> int:
        text, patterns = self.document.text, self._patterns
        if patterns is None:
            return self.tokenizer.count(text[start:end])
        # The place before the slice may be a settled one, and so may its end.
        first = patterns[0].search(text, max(0, start - 1), end)
        if first is None:
            return self._count_piece(text[start:end])
        head = first.end()
        tail = last_settled(text, patterns[1], head, end)
        inner = 0 if tail == head else int(self.starts.searchsorted(tail) - self.starts.searchsorted(head))
        return self._count_piece(text[start:head]) + inner + self._count_piece(text[tail:end])

    def edges(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> RunEdges | None:
        """Return what makes the count of a slice a sum: see :class:`RunEdges`.

        ``starts`` int64 (m,) and ``ends`` int64 (n,) are offsets where slices begin and end. None for
        a tokenizer of unknown rules, whose counts are no sums.
        """
        patterns, text = self._patterns, self.document.text
        if patterns is None:
            return None
        settled_after, heads = np.full(len(starts), len(text) + 1), np.zeros(len(starts), np.int64)
        for place, start in enumerate(starts.tolist()):
            found = patterns[0].search(text, max(0, start - 1), min(len(text), start + _NEAR))
            # A match that ends with the window may owe itself to the window's end.
            if found is not None and found.end() < min(len(text), start + _NEAR):
                settled_after[place] = found.end()
                heads[place] = self._count_piece(text[start : found.end()])
        settled_before, tails = np.full(len(ends), -1), np.zeros(len(ends), np.int64)
        for place, end in enumerate(ends.tolist()):
            low = max(0, end - _NEAR)
            last = last_settled(text, patterns[1], low, end)
            if last > low:
                settled_before[place] = last
                tails[place] = self._count_piece(text[last:end])
        return RunEdges(
            settled_after,
            heads - self.starts.searchsorted(settled_after),
            settled_before,
            tails + self.starts.searchsorted(settled_before),
        )

    def reach(self, start: int, size: int) -> int:
        """Return the offset where ``size`` tokens after ``start`` end, in the document's own tokens.

        The slice from ``start`` to there can count one or two tokens more or fewer.
        """
        index = int(self.starts.searchsorted(start)) + max(size, 0)
        return int(self.starts[index]) if index < len(self.starts) else len(self.document.text)

    def back(self, end: int, size: int) -> int:
        """Return the offset where the last ``size`` tokens before ``end`` begin, in the document's own tokens."""
        if size <= 0:
            return end
        index = int(self.starts.searchsorted(end)) - size
        return int(self.starts[index]) if index > 0 else 0


@dataclass(frozen=True, slots=True)
class RunEdges:
    """What turns the count of any slice between given starts and ends into a sum of two numbers.

    The slice from start ``i`` to end ``k`` has exactly ``heads[i] + tails[k]`` tokens wherever
    ``settled_after[i] <= settled_before[k]``; elsewhere it is short, or holds no settled place, and
    must be counted. So a table of all slices need not be made, nor sent to a browser.
    """

    settled_after: NDArray[np.int64]
    """First offset at or behind each start from which on the tokens are those of the document, int64 (m,)."""
    heads: NDArray[np.int64]
    """Tokens before that offset, less the document's tokens up to it, int64 (m,)."""
    settled_before: NDArray[np.int64]
    """Last such offset at or before each end, or -1 where none is near, int64 (n,)."""
    tails: NDArray[np.int64]
    """Tokens behind that offset, and the document's tokens up to it, int64 (n,)."""


class _PieceCounter:
    """Counts the short strings at the edges of chunks, and remembers them: they repeat."""

    __slots__ = ("_count", "_known")

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._count = tokenizer.count
        self._known: dict[str, int] = {"": 0}

    def __call__(self, piece: str) -> int:
        count = self._known.get(piece)
        if count is None:
            count = self._count(piece)
            if len(piece) <= 32 and len(self._known) < 100_000:  # noqa: PLR2004  bounds of a cache
                self._known[piece] = count
        return count


def last_settled(text: str, last: re.Pattern[str], low: int, high: int) -> int:
    """Return the last settled place in ``(low, high]``, or ``low`` where there is none.

    ``last`` matches up to the last one in what it is given; whether ``high`` itself is one, the
    character behind it tells. Looks at growing windows from the end, so that it costs what lies
    between the place and ``high``.
    """
    width = 48
    while True:
        window = max(low, high - width)
        match = last.match(text, window, high + 1)
        if match is not None and match.end() > high:  # of a pattern that does not look ahead
            match = last.match(text, window, high)
        if match is not None:
            return match.end()
        if window == low:
            return low
        width *= 8


@lru_cache(maxsize=8)
def get_tokenizer(name: str = "cl100k_base") -> Tokenizer:
    """Return the tokenizer of a tiktoken encoding by its name; equal names give the same object.

    Raises
    ------
    UnknownNameError
        When tiktoken knows no encoding of that name.
    VocabularyError
        When the vocabulary is neither on this machine nor to be fetched.

    """
    from chunkviz.vocabulary import load_tokenizer  # noqa: PLC0415  tiktoken is loaded when first needed

    return load_tokenizer(name)


DEFAULT_ENCODING = "cl100k_base"
