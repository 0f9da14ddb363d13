"""Small tokenizers with rules a reader can check in the head."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.tokens import Tokenizer, get_tokenizer


@dataclass(frozen=True)
class Words:
    """One token per word; white space is free."""

    name: str = "ws-words"
    pattern: str = r"\S+"
    markers: int = 0
    """Tokens added to every call, as models with begin and end markers do."""

    def count(self, text: str, /) -> int:
        return len(re.findall(self.pattern, text)) + self.markers

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        return np.array([match.start() for match in re.finditer(self.pattern, text)], np.int64)


@dataclass(frozen=True)
class Utf8Bytes:
    """One token per byte of UTF-8."""

    name: str = "utf8-bytes"

    def count(self, text: str, /) -> int:
        return len(text.encode("utf-8", "surrogatepass"))

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        widths = [len(character.encode("utf-8", "surrogatepass")) for character in text]
        return np.repeat(np.arange(len(text), dtype=np.int64), widths)


@dataclass(frozen=True)
class Lower(Words):
    """Words, decoded in lower case without accents; offsets must not come from decoding."""

    name: str = "lower"

    def decode(self, text: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))


@dataclass
class Counting:
    """A tokenizer that keeps count of how much text it was given."""

    inner: Tokenizer = field(default_factory=get_tokenizer)
    characters: int = 0
    calls: int = 0

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def settled(self) -> re.Pattern[str]:
        return self.inner.settled  # type: ignore[attr-defined,no-any-return]

    def __hash__(self) -> int:
        return id(self)

    def count(self, text: str, /) -> int:
        self.characters += len(text)
        self.calls += 1
        return self.inner.count(text)

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        self.characters += len(text)
        self.calls += 1
        return self.inner.token_starts(text)


def toy(name: str) -> Tokenizer:
    """Return the toy, or the encoding, of that name."""
    toys: dict[str, Tokenizer] = {
        "utf8-bytes": Utf8Bytes(),
        "ws-words": Words(),
        "words+ws": Words("words+ws", r"\S+|\s"),
        "cls-sep": Words("cls-sep", markers=2),
        "lower": Lower(),
    }
    return toys[name] if name in toys else get_tokenizer(name)


@dataclass
class Topic:
    """(1, 0) for bread, dough and loaf, (0, 1) for quark and gluon, else (.7, .7); it keeps what it was given."""

    name: str = "topic"
    zero_for_no_letters: bool = False
    max_tokens: int | None = None
    given: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        self.given += texts
        return np.array([self._row(text) for text in texts], np.float32).reshape(len(texts), 2)

    def _row(self, text: str) -> tuple[float, float]:
        if self.zero_for_no_letters and not re.search(r"[^\W\d_]", text):
            return 0.0, 0.0
        if re.search("bread|dough|loaf", text, re.IGNORECASE):
            return 1.0, 0.0
        return (0.0, 1.0) if re.search("quark|gluon", text, re.IGNORECASE) else (0.7, 0.7)


class Const:
    """The same vector for every text."""

    name = "const"

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        return np.ones((len(texts), 3), np.float32)


class OneShort:
    """One vector fewer than texts."""

    name = "one-vector-short"

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        return np.ones((len(texts) - 1, 3), np.float32)


class Hashed:
    """Vectors that depend on the words alone; enough to have similarities of all sizes."""

    name = "hashed"

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), 31), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[zlib.crc32(word.encode("utf-8", "replace")) % 31] += 1
        return rows


SIZES = ("chunk_size", "max_chunk_size", "max_child_size")
"""The names under which a strategy may declare what bounds its chunks."""


def size_name(strategy: type[cv.Strategy]) -> str:
    """Return the parameter that bounds the chunks of a strategy."""
    return next((name for name in SIZES if name in strategy.model_fields), "")


def small(name: str, size: int, overlap: int = 0, unit: str = "tokens") -> cv.Strategy:
    """Return a strategy with chunks of at most ``size``, and of the overlap and unit if it knows them."""
    strategy = cv.strategies.strategy_class(name)
    given = {size_name(strategy): size, "chunk_overlap": overlap, "unit": unit}
    return strategy(**{key: value for key, value in given.items() if key in strategy.model_fields})
