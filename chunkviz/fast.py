"""cl100k_base several times faster, through the optional package quicktok (``pip install chunkviz[fast]``).

quicktok holds a vocabulary of its own, which is checked against the digest of the official file, and
gives the same tokens as tiktoken wherever both know the same characters. They follow different
versions of Unicode, though: a letter that only one of them knows is a word to it and a symbol to the
other. A text that holds a character of that kind is given to tiktoken.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkviz.document import without_surrogates
from chunkviz.errors import VocabularyError
from chunkviz.tokens import SETTLED_AT_LINES
from chunkviz.vocabulary import CL100K_SHA256, TiktokenTokenizer, character_tables, packaged_cl100k, starts_of

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

The two packages may differ on these and on no others: no such property has been taken back or given
to an older character since, and both know all of version 14.
"""


@dataclass(frozen=True)
class QuicktokTokenizer:
    """cl100k_base by quicktok; the same counts and starts as :class:`chunkviz.vocabulary.TiktokenTokenizer`."""

    name: str
    encoder: Any = field(repr=False, compare=False)
    pieces: Sequence[bytes] = field(repr=False, compare=False)
    """The bytes of each token, by id."""

    def __reduce__(self) -> tuple[Callable[[], QuicktokTokenizer], tuple[()]]:
        """Load again on the other side: the encoder itself cannot be pickled."""
        return load_fast, ()

    @property
    def settled(self) -> re.Pattern[str]:
        """Where a piece ends whatever came before."""
        return SETTLED_AT_LINES

    def count(self, text: str, /) -> int:
        """Return the number of tokens."""
        text = without_surrogates(text)
        if self._recent_in(text):
            return self._tiktoken.count(text)
        return int(self.encoder.count(text))

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        """Return the character offset at which each token starts, int64 (n,)."""
        return starts_of(self.encode(text), *self._characters)

    def encode(self, text: str) -> NDArray[np.uint32]:
        """Return the token ids, uint32 (n,)."""
        text = without_surrogates(text)
        if self._recent_in(text):
            return self._tiktoken.encode(text)
        # Of quicktok's ways to encode, this one returns an array and lets other threads run meanwhile.
        tokens: NDArray[np.uint32] = self.encoder.encode_batch([text], 1)[0]
        return tokens

    def _recent_in(self, text: str) -> bool:
        if text.isascii():
            return False
        if len(text) < 500:  # noqa: PLR2004  the edges of chunks; numpy takes longer to start
            return not self._recent_characters.isdisjoint(text)
        return bool(self._recent[np.frombuffer(text.encode("utf-32-le"), np.uint32)].any())

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
    def _characters(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each token id: how many characters begin in it, and the way back to its start."""
        return character_tables(self.pieces)


def load_fast() -> QuicktokTokenizer:
    """Return cl100k_base by quicktok, after checking its vocabulary.

    Raises
    ------
    VocabularyError
        When quicktok is installed but broken, or its vocabulary is not the official one.

    """
    try:
        import quicktok  # noqa: PLC0415  an optional package

        encoder = quicktok.get_encoding("cl100k_base")
        pieces = [encoder.decode_single_token_bytes(rank) for rank in range(_RANKS)]
    except Exception as error:
        message = (
            f"The package quicktok is installed but cannot be used ({type(error).__name__}: {error}); "
            "install quicktok-v1 again, or uninstall it to count with tiktoken."
        )
        raise VocabularyError(message) from error
    digest = hashlib.sha256(b"".join(b"%b %d\n" % (base64.b64encode(p), rank) for rank, p in enumerate(pieces)))
    if digest.hexdigest() != CL100K_SHA256:
        message = (
            f"The cl100k_base vocabulary of quicktok is not the official one: its SHA-256 must be {CL100K_SHA256}, "
            f"not {digest.hexdigest()}; install quicktok-v1 again, or uninstall it to count with tiktoken."
        )
        raise VocabularyError(message)
    return QuicktokTokenizer("cl100k_base", encoder, pieces)
