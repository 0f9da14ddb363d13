"""What a tokenizer is, and the ones that come with tiktoken by their names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_ENCODING = "cl100k_base"

_SETTLING = (
    r"\s!-&(-/:-@\[-^`{-~\u2010-\u2015\u201c\u201d\u3001-\u3003\u3008-\u3011\uff01-\uff06\uff08-\uff0f\uff1a-\uff20"
)
"""Characters before which, behind a letter or digit, every known pattern has ended its piece.

Combining marks are missing: words of o200k hold them.
"""
_NO_CONTRACTION = r"'[^sdmtlvrSDMTLVR\u017f]"
"""An apostrophe that closes a quotation: words of o200k hold one before these letters, the long s among them."""

SETTLED = re.compile(rf"[^\W_](?=[{_SETTLING}]|{_NO_CONTRACTION})")
"""Matches the one character before a settled place, in every known vocabulary."""

SETTLED_AT_LINES = re.compile(rf"{SETTLED.pattern}|[\r\n](?=[^\s/])")
"""The same with the ends of lines, for cl100k and o200k.

The slash is missing because o200k adds slashes to line ends. Older vocabularies cut white space
otherwise where a text ends behind it.
"""


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


@runtime_checkable
class CopiedTokenizer(SettledTokenizer, Protocol):
    """A settled tokenizer that threads cannot share without waiting for each other, so that each takes a copy."""

    def copy(self) -> SettledTokenizer:
        """Return another with the same tokens that shares nothing that is waited for."""
        ...


@lru_cache(maxsize=8)
def get_tokenizer(name: str = DEFAULT_ENCODING) -> Tokenizer:
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
