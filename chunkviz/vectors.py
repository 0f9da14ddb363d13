"""Small arithmetic on vectors: unit length, cosines of neighbours, means of parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows of length 1, float32 (n, dimensions); zeros and rows with NaN or infinity become zeros."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    usable = np.isfinite(lengths) & (lengths > 0)
    if usable.all() and np.allclose(lengths, 1.0, atol=1e-6):
        return rows
    scaled = np.zeros_like(rows)
    np.divide(rows, lengths[:, None], out=scaled, where=usable[:, None], casting="unsafe")
    return scaled


def neighbour_similarities(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of each unit row with the next, float32 (n - 1,); 0 where either is a row of zeros."""
    if len(rows) < 2:  # noqa: PLR2004  a pair
        return np.zeros(0, np.float32)
    found: NDArray[np.float32] = np.einsum("ij,ij->i", rows[:-1], rows[1:], dtype=np.float32)
    return found.clip(-1.0, 1.0)


@dataclass(frozen=True, eq=False)
class SelfSimilarity:
    """How similar every stretch of a document is to every other: the matrix of all pairs, made small."""

    edges: NDArray[np.int64] = field(repr=False)
    """First segment of each stretch, and behind the last one the number of segments; int64 (k + 1,)."""
    similarities: NDArray[np.float32] = field(repr=False)
    """Mean cosine of the pairs of two stretches, float32 (k, k), symmetric.

    On the diagonal a segment is not paired with itself, unless its stretch has no other.
    """

    def __len__(self) -> int:
        """Return the number of stretches."""
        return len(self.similarities)

    @property
    def pooled(self) -> bool:
        """Whether a stretch has more than one segment, so that what is shown is a mean."""
        return len(self) < int(self.edges[-1])


def self_similarity(rows: NDArray[np.float32], most: int = 300) -> SelfSimilarity:
    """Compare all unit rows with each other, as means over at most ``most`` equal stretches.

    The mean cosine of two stretches is the product of their mean vectors, so it is exact without the
    matrix of all pairs: time and memory grow with the rows, never with their square.
    """
    count = len(rows)
    stretches = min(count, most)
    edges = np.linspace(0, count, stretches + 1).astype(np.int64)
    if not stretches:
        return SelfSimilarity(np.zeros(1, np.int64), np.zeros((0, 0), np.float32))
    lengths = np.diff(edges)
    # One call of reduceat for all of them would take several times as long, one number at a time.
    sums = np.stack([rows[first:behind].sum(axis=0, dtype=np.float64) for first, behind in pairwise(edges)])
    own = np.add.reduceat(np.einsum("ij,ij->i", rows, rows, dtype=np.float64), edges[:-1])
    found = sums @ sums.T
    pairs = np.outer(lengths, lengths).astype(np.float64)
    many = np.flatnonzero(lengths > 1)
    found[many, many] -= own[many]
    pairs[many, many] -= lengths[many]
    return SelfSimilarity(edges, (found / pairs).clip(-1.0, 1.0).astype(np.float32))


def averaged(
    vectors: NDArray[np.float32], owners: Sequence[int] | NDArray[np.int64], count: int
) -> NDArray[np.float32]:
    """Return the mean of the rows of each owner at length one, float32 (count, dimensions); zero where it has none."""
    sums = np.zeros((count, vectors.shape[1]), np.float32)
    np.add.at(sums, np.asarray(owners, np.intp), vectors)
    return unit_rows(sums)


def parts(text: str, starts_of: Callable[[str], Sequence[int]], limit: int) -> list[str]:
    """Cut ``text`` where a model's own tokens start, so that no part has more than ``limit`` of them.

    Parameters
    ----------
    starts_of
        Returns the character at which each token of a text starts.
    limit
        The largest number of tokens in a part.

    """
    starts = starts_of(text)
    if len(starts) <= limit or len(text) <= 1:
        return [text]
    cuts = sorted({0, *starts[limit::limit], len(text)})
    if len(cuts) == 2:  # noqa: PLR2004  one character of more tokens than the model reads, and little else
        cuts.insert(1, len(text) // 2)
    # A part may have a token more than it had within the text, so each is looked at again.
    return [piece for start, end in pairwise(cuts) for piece in parts(text[start:end], starts_of, limit)]
