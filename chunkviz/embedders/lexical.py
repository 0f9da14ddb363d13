"""The default embedder: no model, any language, the same vectors on every machine.

A text's vector counts its character 2-, 3- and 4-grams, as TF-IDF with the IDF of the document itself, hashed to a
fixed number of dimensions. Two texts are similar when they share the words, stems and names that few other texts of
the document have. N-grams reach over a word's edge to the white space beside it and no further, as in scikit-learn's
``char_wb``; Chinese, Japanese and other writing without spaces is one long word.

What all texts of a document have in common says nothing about any two of them, and long texts have more of it: the
mean of the document's vectors is subtracted from each. A cosine of 0 is then what two texts of the document have on
average, and a negative one is less than that.

The choices below were measured on texts of development in two dozen languages; ``benchmarks/README.md`` says which, and
what they reach on others. N-grams within words are better than across them; with the mean subtracted, BM25's IDF to the
power of 0.75 is better than the IDF itself; an n-gram that only one text has can make no two texts similar and, hashed,
adds noise to all of them, so it counts for little; punctuation counts as white space.

Hashing with signs: Weinberger and others, "Feature Hashing for Large Scale Multitask Learning", 2009. IDF: Robertson
and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. Mean: Mu and Viswanath, "All-but-the-Top:
Simple and Effective Postprocessing for Word Representations", 2018.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from chunkviz.errors import ParameterError

SIZES = (2, 3, 4)
"""Characters in an n-gram."""
_BITS = 18
"""An n-gram's hash has this many bits; that many n-grams have an IDF of their own."""
_HASHES = 1 << _BITS
_DIMENSIONS = tuple(1 << bits for bits in range(1, 17))
_TEXTS = 1 << (32 - _BITS)
"""Texts in one block: number of the text and hash of the n-gram share 32 bits."""
_CHARACTERS = 1 << 16
"""Characters in one block, about: what is sorted at once fits a processor's cache."""
_SPACE = 32
_LAST_PUNCTUATION = 0x20000
"""No punctuation lies behind it: ideographs begin there."""
_SPREAD, _MIX, _LAST = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77), np.uint32(0xC2B2AE3D)
"""Large odd numbers (the primes of xxHash), for hashes modulo 2 ** 32."""
_POWER = 0.75
"""The IDF is raised to it."""
_ALONE = 0.1
"""Share of its IDF that an n-gram keeps which at most one text has."""
_TINY = 1e-9
"""Below this, a squared length is nothing but rounding."""
_SAMPLE = 256
"""Texts whose mean is taken, at most, evenly from the document: their number does not grow with it."""
_DOUBT = 32
"""As many texts with a mean of nothing are added to those: of few texts, the mean says more about them than about what
they have in common."""


@dataclass(frozen=True)
class Lexical:
    """Character n-gram TF-IDF of the document itself, hashed to ``dimensions``.

    ``embed`` takes IDF and mean from the texts it is given. To embed a document in batches, or a query afterwards,
    take them from all its texts first: ``Lexical().fitted(texts).embed(batch)``.

    Parameters
    ----------
    dimensions
        A power of two. Hashing blurs each cosine by about one over its square root: 0.02 at 2,048.

    Raises
    ------
    ParameterError
        When ``dimensions`` is not a power of two from 2 to 65,536.

    """

    dimensions: int = 2048
    fit: str = ""
    """Sixteen hex digits that name the frozen IDF and mean; empty until fitted."""
    weights: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)
    """The frozen IDF with each hash's sign, float32 (262,144,); None until fitted."""
    mean: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)
    """What is subtracted from each text's vector of unit length, float32 (dimensions,); None subtracts nothing."""

    name = "lexical"
    max_tokens = None
    price = None
    batch = 1024

    def __post_init__(self) -> None:
        """Refuse dimensions that a hash cannot be cut to."""
        if self.dimensions not in _DIMENSIONS:
            message = f"dimensions must be a power of two from 2 to 65,536, not {self.dimensions!r}."
            raise ParameterError(message)

    def fitted(self, texts: Sequence[str], /) -> Lexical:
        """Return this embedder with the IDF and mean of ``texts``, for batches of them and for queries."""
        holders = np.zeros(_HASHES, np.int32)
        for _, found, _ in _blocks(texts):
            holders += np.bincount(found & np.uint32(_HASHES - 1), minlength=_HASHES)
        idf = np.log1p((len(texts) - holders + 0.5) / (holders + 0.5)) ** _POWER
        idf[holders <= 1] *= _ALONE
        idf[1::2] *= -1  # the sign is the hash's lowest bit; its column is made of the highest ones
        weights = idf.astype(np.float32)
        sample = texts[:: max(1, -(-len(texts) // _SAMPLE))]
        vectors = Lexical(self.dimensions, weights=weights).embed(sample)
        mean = (vectors.sum(0, np.float64) / (len(sample) + _DOUBT)).astype(np.float32)
        fit = hashlib.sha256(weights.tobytes() + mean.tobytes()).hexdigest()[:16]
        return Lexical(self.dimensions, fit, weights, mean)

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions): unit length, or zero where a text is blank or nothing but punctuation."""
        if self.weights is None:
            return self.fitted(texts).embed(texts)
        bits = self.dimensions.bit_length() - 1
        mean = self.mean if self.mean is not None else np.zeros(self.dimensions, np.float32)
        square = float(np.sum(np.square(mean, dtype=np.float64)))
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        for rows, found, counts in _blocks(texts):
            values = self.weights.take(found & np.uint32(_HASHES - 1))
            values *= (1 + np.log(np.arange(1, counts.max(initial=0) + 1, dtype=np.float32))).take(counts - 1)
            # In the order of their hashes the n-grams of a text are in that of their columns too.
            cells = found >> np.uint32(_BITS - bits)
            first = _changes(cells)
            cells = cells[first]
            sums = np.add.reduceat(values, first) if len(first) else values
            owners = cells >> np.uint32(bits)
            lengths = np.sqrt(np.bincount(owners, sums * sums, rows.stop - rows.start))
            blank = lengths == 0
            lengths[blank] = 1
            sums /= lengths.astype(np.float32).take(owners)
            # The square of the length that is left when the mean is subtracted, without a pass over all dimensions.
            shared = np.bincount(owners, sums * mean.take(cells & np.uint32(self.dimensions - 1)), len(blank))
            scales = (1 / np.sqrt(np.maximum(1 - 2 * shared + square, _TINY))).astype(np.float32)
            scales[blank] = 0
            np.multiply.outer(-scales, mean, out=vectors[rows])
            vectors[rows].reshape(-1)[cells] += sums * scales.take(owners)
        return vectors


def fold(text: str) -> str:
    """Return ``text`` as its n-grams see it: without case, white space collapsed, one space at either end."""
    return f" {' '.join(text.casefold().split())} "


def _blocks(texts: Sequence[str]) -> Iterator[tuple[slice, NDArray[np.uint32], NDArray[np.int64]]]:
    """Yield some texts at a time: which, the n-grams each of them has, and how often.

    An n-gram is its hash behind the number of its text within the block, in 32 bits; sorted, each once.
    """
    start = 0
    while start < len(texts):
        folded, length = [], 0
        for text in texts[start : start + _TEXTS]:
            folded.append(fold(text)[1:])  # the space before is the one that ends the text before
            length += len(folded[-1])
            if length >= _CHARACTERS:
                break
        rows = slice(start, start + len(folded))
        start = rows.stop
        keys = _keys(folded)
        keys.sort()
        first = _changes(keys)
        yield rows, keys[first], np.diff(first, append=len(keys))


def _changes(sorted_numbers: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Return where each number stands for the first time."""
    new = np.ones(len(sorted_numbers), np.bool_)
    np.not_equal(sorted_numbers[1:], sorted_numbers[:-1], out=new[1:])
    return np.flatnonzero(new)


def _keys(folded: Sequence[str]) -> NDArray[np.uint32]:
    """Return every n-gram of every text: its hash behind the number of its text."""
    codes = np.frombuffer((" " + "".join(folded)).encode("utf-32-le", "surrogatepass"), np.uint32)
    characters = _without_punctuation().take(codes)
    lengths = np.fromiter(map(len, folded), np.int64, len(folded))
    texts = np.repeat(np.arange(len(folded), dtype=np.uint32) << np.uint32(_BITS), lengths)
    spaces = characters == _SPACE
    keys = []
    hashes = characters * _SPREAD
    inside = ~(spaces[:-1] & spaces[1:])  # two spaces meet where a text is blank
    for size in SIZES:
        if size > SIZES[0]:
            inside = inside[:-1] & ~spaces[size - 2 : -1]
        hashes = (hashes[:-1] ^ hashes[:-1] >> np.uint32(15)) * _MIX + characters[size - 1 :] * _SPREAD
        keys.append(texts[: len(hashes)][inside] | _finished(hashes[inside]))
    return np.concatenate(keys)


@cache
def _without_punctuation() -> NDArray[np.uint32]:
    """Return what stands for each code point: a space for punctuation, which says nothing of a subject."""
    table = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    table[[code for code in range(_LAST_PUNCTUATION) if unicodedata.category(chr(code))[0] == "P"]] = _SPACE
    return table


def _finished(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return 18 bits of each hash, each of which depends on all of it."""
    hashes = hashes * _LAST
    hashes ^= hashes >> np.uint32(16)
    hashes *= _MIX
    hashes ^= hashes >> np.uint32(13)
    return hashes >> np.uint32(32 - _BITS)
