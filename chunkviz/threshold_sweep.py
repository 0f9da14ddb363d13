"""Boundaries at many thresholds at once: what a picture of all of them, or a search among them, asks for.

A minimum size makes a boundary depend on the one before, so that one threshold is a walk along the
document. Here all thresholds walk together, eight places a step: what a walk has still to pass over
is a state, and a table tells what eight places do to each state. So that there are few steps, the
document is cut into blocks which are walked at once, from every state a walk may enter them in;
which of these walks was the right one is known when the blocks before have been walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from chunkviz.thresholds import cuts_for

_BYTES = 256
_LANES = 48
"""Walks of one threshold that go along together: all states of each block."""
_PLACES = 1 << 22
"""Places of all thresholds together that are looked at in one go; each takes some ten bytes."""
_FEW_STATES, _MANY_STATES = 8, 64
"""States up to which it pays to walk from all of them, and above which the tables would be too large."""


def cuts_for_many(
    similarities: ArrayLike,
    thresholds: Sequence[float],
    min_chunk_size: int = 1,
    allowed: NDArray[np.bool_] | None = None,
) -> list[NDArray[np.int64]]:
    """Return what :func:`chunkviz.cuts_for` gives at each threshold, about ten times as fast.

    Parameters
    ----------
    similarities
        (n - 1,) of n segments: how similar segments k and k + 1 are.
    thresholds
        In any order.
    min_chunk_size
        Segments a chunk must have before a boundary may follow it.
    allowed
        bool (n - 1,): False where no boundary may fall whatever the similarity. None allows all.

    Returns
    -------
    list of int64 (m,)
        One array per threshold, in their order.

    """
    signal = np.asarray(similarities)
    if not len(signal) or not len(thresholds) or min_chunk_size > _MANY_STATES:
        return [cuts_for(signal, threshold, min_chunk_size, allowed) for threshold in thresholds]
    together = max(1, _PLACES // len(signal))
    return [
        cuts
        for first in range(0, len(thresholds), together)
        for cuts in _cuts_of_some(signal, thresholds[first : first + together], min_chunk_size, allowed)
    ]


def _cuts_of_some(
    signal: NDArray[np.floating], thresholds: Sequence[float], size: int, allowed: NDArray[np.bool_] | None
) -> list[NDArray[np.int64]]:
    # As a comparison with one Python float does it: in the type of the signal.
    kind = signal.dtype if np.issubdtype(signal.dtype, np.floating) else np.dtype(np.float64)
    below = signal < np.asarray(thresholds, kind)[:, None]
    if allowed is not None:
        below &= allowed
    if size > 1:
        kept = _walk(np.packbits(below, axis=1), size)
        below = np.unpackbits(kept, axis=1, count=len(signal)).view(np.bool_)
    return [np.flatnonzero(row) for row in below]


def _walk(low: NDArray[np.uint8], size: int) -> NDArray[np.uint8]:
    """Return the places that are cut, of those where it may be: both eight to a byte, uint8 (thresholds, bytes)."""
    following, cut = _tables(size)
    rows, count = low.shape
    blocks = min(_LANES // size, count) if size <= _FEW_STATES else 1
    length = -(-count // blocks)
    padded = np.zeros((rows, blocks * length), np.uint8)
    padded[:, :count] = low
    steps = np.ascontiguousarray(padded.reshape(rows, blocks, length).transpose(2, 1, 0)).astype(np.intp)

    # A state is kept times 256, so that a state plus a byte is a place in the tables.
    first = size - 1
    states = np.arange(size) if blocks > 1 else np.array([first])
    state = np.empty((blocks, len(states), rows), np.intp)
    state[:] = states[:, None] * _BYTES
    place = np.empty((length, *state.shape), np.intp)
    for step, out in zip(steps, place, strict=True):
        np.add(state, step[:, None], out=out)
        following.take(out, out=state, mode="clip")

    entered = np.full(rows, np.flatnonzero(states == first)[0])
    lanes = np.arange(rows)
    kept = np.empty((blocks, length, rows), np.uint8)
    for block in range(blocks):
        kept[block] = cut.take(place[:, block, entered, lanes], mode="clip")
        entered = state[block, entered, lanes] // _BYTES
    return np.ascontiguousarray(kept.reshape(blocks * length, rows).T[:, :count])


@lru_cache(maxsize=8)
def _tables(size: int) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Return, for each state and byte, the state that follows (times 256) and which of the eight places are cut.

    State k: k places are still to be passed over before the next cut. The first place is the highest bit.
    """
    state = np.repeat(np.arange(size), _BYTES).reshape(size, _BYTES)
    cut = np.zeros((size, _BYTES), np.uint8)
    for bit in range(7, -1, -1):
        hit = (state == 0) & ((np.arange(_BYTES) >> bit) & 1 == 1)
        cut |= (hit << bit).astype(np.uint8)
        state = np.where(hit, size - 1, np.maximum(state - 1, 0))
    return (state * _BYTES).astype(np.intp).ravel(), cut.ravel()
