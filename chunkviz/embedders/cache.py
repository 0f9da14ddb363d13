"""Vectors on disk, so that no text is embedded twice."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from chunkviz.chunk import Usage
from chunkviz.disk_cache import FolderCache, key_of
from chunkviz.errors import IncompleteError, ServiceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.prices import Estimate
    from chunkviz.services import Embedder


class VectorCache(FolderCache):
    """Vectors of texts by model and dimensions, in one SQLite file of a folder.

    The texts themselves are not stored, only their SHA-256. Safe with several threads and processes.

    Parameters
    ----------
    folder
        Where the file ``vectors.sqlite3`` lives; made when missing, for its owner only.
    size_limit
        Bytes the file may take; the longest unused vectors leave first.

    """

    file = "vectors.sqlite3"

    def find(self, model: str, dimensions: int | None, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors, float32 (dimensions,), of those of ``texts`` that are known.

        Raises
        ------
        ServiceError
            When the file is damaged or cannot be used; it names the folder.

        """
        keys = {text: _key(model, dimensions, text) for text in texts}
        values = self._disk.get(list(keys.values()))
        found = {text: _vector(values[key]) for text, key in keys.items() if key in values}
        lengths = {len(vector) for vector in found.values()} - {0}
        if len(lengths) > 1 or any(not len(vector) or not np.isfinite(vector).all() for vector in found.values()):
            message = (
                f"The cache in {self.folder} holds damaged vectors, or vectors of different lengths, "
                f"for {model!r}; clear it, or turn it off."
            )
            raise ServiceError(message)
        return found

    def keep(self, model: str, dimensions: int | None, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Store the vectors, float32 (dimensions,), by their texts.

        Raises
        ------
        ServiceError
            When the file is damaged or cannot be written; it names the folder.

        """
        self._disk.put(
            {_key(model, dimensions, text): vector.astype("<f4").tobytes() for text, vector in vectors.items()}
        )


class CachedEmbedder:
    """An embedder that asks ``inner`` only for texts whose vectors are not in ``cache`` yet.

    Name, dimensions, price and usage are those of ``inner``. A cache that cannot be used is an error
    before anything is paid for. If it fails afterwards, the new vectors are returned all the same,
    with a warning: what was paid for is not lost to a full disk.
    """

    def __init__(self, inner: Embedder, cache: VectorCache) -> None:
        self.inner = inner
        self.cache = cache

    @property
    def name(self) -> str:
        """Name of the inner embedder."""
        return self.inner.name

    @property
    def dimensions(self) -> int | None:
        """Length of the vectors, or None where the inner embedder does not say."""
        return cast("int | None", getattr(self.inner, "dimensions", None))

    @property
    def max_tokens(self) -> int | None:
        """Longest text in tokens, or None where the inner embedder does not say."""
        return cast("int | None", getattr(self.inner, "max_tokens", None))

    @property
    def divides_long_texts(self) -> bool:
        """Whether the inner embedder divides what is too long for it."""
        return bool(getattr(self.inner, "divides_long_texts", False))

    @property
    def price(self) -> float | None:
        """US dollars per million tokens, or None where the inner embedder does not say."""
        return cast("float | None", getattr(self.inner, "price", None))

    @property
    def batch(self) -> int:
        """Texts worth giving to one ``embed``."""
        return cast("int", getattr(self.inner, "batch", 8192))

    @property
    def usage(self) -> Usage:
        """What the inner embedder used; texts found in the cache cost nothing."""
        return cast("Usage", getattr(self.inner, "usage", Usage()))

    def __repr__(self) -> str:
        """Show both parts."""
        return f"{type(self).__name__}({self.inner!r}, {self.cache!r})"

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions): one row per text, in their order.

        The inner embedder is called at most once, with each missing text once.

        Raises
        ------
        ServiceError
            When the cache cannot be used or holds vectors of another length, and what ``inner``
            raises; also when ``inner`` gives a wrong number or shape of vectors.

        """
        distinct = list(dict.fromkeys(texts))
        known = self.cache.find(self.name, self.dimensions, distinct)
        missing = [text for text in distinct if text not in known]
        if not missing and distinct:
            return np.stack([known[text] for text in texts])
        try:
            vectors = self._embed(missing)
        except IncompleteError as error:
            self._keep(error.vectors)  # paid for: another try asks only for the rest
            raise
        fresh = dict(zip(missing, vectors, strict=True))
        self._keep(fresh)
        widths = {len(vector) for vector in known.values()} | {vectors.shape[1]}
        if len(widths) > 1:
            message = (
                f"The cache in {self.cache.folder} holds vectors of {len(next(iter(known.values()))):,} dimensions for "
                f"{self.name!r}, which now gives {vectors.shape[1]:,}; clear it, or turn it off."
            )
            raise ServiceError(message)
        known.update(fresh)
        return np.stack([known[text] for text in texts]) if len(texts) else vectors

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Return what ``embed(texts)`` would cost, which is nothing for texts in the cache.

        Raises
        ------
        ServiceError
            When the cache cannot be used.
        AttributeError
            When the inner embedder makes no estimates.

        """
        distinct = list(dict.fromkeys(texts))
        known = self.cache.find(self.name, self.dimensions, distinct)
        missing = [text for text in distinct if text not in known]
        return cast("Estimate", self.inner.estimate(missing))  # type: ignore[attr-defined]

    def _keep(self, fresh: Mapping[str, NDArray[np.float32]]) -> None:
        try:
            self.cache.keep(self.name, self.dimensions, fresh)
        except ServiceError as error:
            warnings.warn(f"{error} The new vectors were not kept.", RuntimeWarning, stacklevel=3)

    def _embed(self, missing: list[str]) -> NDArray[np.float32]:
        vectors = np.asarray(self.inner.embed(missing), np.float32)
        if vectors.ndim != 2 or len(vectors) != len(missing) or not np.isfinite(vectors).all():  # noqa: PLR2004
            message = (
                f"Embedder {self.name!r} must give one row of finite numbers for each of {len(missing):,} texts, "
                f"not shape {vectors.shape}."
            )
            raise ServiceError(message)
        return vectors


def _key(model: str, dimensions: int | None, text: str) -> bytes:
    return key_of(model, dimensions, text)


def _vector(value: object) -> NDArray[np.float32]:
    """Return what was stored, float32 (dimensions,), or an empty row where it is damaged."""
    if not isinstance(value, bytes) or len(value) % 4:
        return np.empty(0, np.float32)
    return np.frombuffer(value, "<f4").astype(np.float32, copy=False)
