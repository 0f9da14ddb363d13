"""Small arithmetic on vectors: unit length, cosines of neighbours, means of parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
