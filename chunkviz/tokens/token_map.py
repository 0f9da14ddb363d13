"""How many tokens any slice of a document has, from one encoding of the whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.errors import ServiceError
from chunkviz.tokens.encoding import Encoding, begin_encoding, encode_in_blocks
from chunkviz.tokens.tokenizer import SettledTokenizer, Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document

_REMEMBERED = 100_000
"""Counts kept at a time, of slices and of the strings at their edges."""

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
        if not self.made and "_begun" not in self.__dict__ and isinstance(self.tokenizer, SettledTokenizer):
            self.__dict__["_begun"] = begin_encoding(self.tokenizer, self.document.text)

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
