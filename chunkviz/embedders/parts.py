"""Texts as they are sent to a service: long ones in parts, parts packed into requests, and their vectors back again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.tokens import Tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXTS_PER_REQUEST = 2048
TOKENS_PER_REQUEST = 300_000
TOKENS_PER_TEXT = 8191
"""OpenAI's limits; other servers' are not known here, and these are the ones clients are built for."""


@dataclass(frozen=True, slots=True)
class Part:
    """A text, or a part of a long one, as it is sent."""

    row: int
    """Number of the text among those given, from 0."""
    text: str
    tokens: int


def packed(parts: Iterator[Part]) -> Iterator[list[Part]]:
    """Yield the parts in order as requests within the limits."""
    request: list[Part] = []
    tokens = 0
    for part in parts:
        if len(request) == TEXTS_PER_REQUEST or (request and tokens + part.tokens > TOKENS_PER_REQUEST):
            yield request
            request, tokens = [], 0
        request.append(part)
        tokens += part.tokens
    if request:
        yield request


def split_at_tokens(text: str, tokenizer: Tokenizer, limit: int) -> Iterator[tuple[str, int]]:
    """Yield the parts of ``text`` in order, each with its tokens: at most ``limit``, counted on its own.

    One character of more tokens than that stays whole.
    """
    starts = tokenizer.token_starts(text)
    begin = 0
    while begin < len(text):
        index = int(np.searchsorted(starts, begin)) + limit
        while True:
            end = int(starts[index]) if index < len(starts) else len(text)
            end = max(end, begin + 1)
            count = tokenizer.count(text[begin:end])
            if count <= limit or end == begin + 1:
                break
            # A slice has a few tokens more than it spans in the whole text; step back by the excess.
            index = min(index, len(starts)) - (count - limit)
        yield text[begin:end], count
        begin = end


def rows_of(count: int, parts: list[Part], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 (count, dimensions): each text's vector, or the mean of its parts' to unit length."""
    rows = np.zeros((count, vectors.shape[1]), np.float32)
    places = np.fromiter((part.row for part in parts), np.int64, len(parts))
    rows[places] = vectors
    numbers, firsts, sizes = np.unique(places, return_index=True, return_counts=True)
    for row, first, size in zip(numbers[sizes > 1], firsts[sizes > 1], sizes[sizes > 1], strict=True):
        weights = [part.tokens for part in parts[first : first + size]]
        mean = np.average(vectors[first : first + size].astype(np.float64), axis=0, weights=weights)
        length = np.linalg.norm(mean)
        # Parts that cancel out have no direction; their row stays zeros, as a blank text's.
        rows[row] = mean / length if length > 0 else 0
    return rows


def whole_texts(
    texts: Sequence[str], requests: list[list[Part]], answered: list[tuple[list[Part], NDArray[np.float32]]]
) -> dict[str, NDArray[np.float32]]:
    """Return the vectors, float32 (dimensions,), of the texts of which every part was answered; none of two lengths."""
    if len({vectors.shape[1] for _, vectors in answered}) != 1:
        return {}
    parts = [part for request, _ in answered for part in request]
    rows = rows_of(len(texts), parts, np.concatenate([vectors for _, vectors in answered]))
    due = Counter(part.row for request in requests for part in request)
    done = Counter(part.row for part in parts)
    return {texts[row]: rows[row] for row in done if done[row] == due[row]}
