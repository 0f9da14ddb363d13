"""An index over the chunks of one or several documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunk import Chunk, Chunking
from chunkviz.document import Document
from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.retrieval import storage
from chunkviz.retrieval.hits import Hit
from chunkviz.retrieval.rankings import RANKINGS, Dense, Lexical, Ranking, best_first, fuse
from chunkviz.services import Services

_TOGETHER = 32
"""Questions whose cosines are computed in one matrix product."""


class _Ranked(NamedTuple):
    scores: NDArray[Any]
    order: NDArray[np.int64]
    ranks: tuple[dict[int, int], ...]
    """By place, the rank in each of the orders that were fused."""


class Index:
    """What is searched: the chunks of every chunking in order; of parent-child strategies, the children.

    Search is exact: every chunk is scored, in time and memory linear in their number.

    Parameters
    ----------
    chunkings
        One or several, of one document each; a single one may be given as it is.
    ranking
        "lexical" (BM25, needs no model), "dense" (cosines of ``services.embedder``) or "hybrid" (both, fused).
    services
        The embedder, and what counts tokens where a text is longer than it reads. The lexical embedder is
        fitted to the chunks, and questions are weighed by them.

    Raises
    ------
    UnknownNameError
        For a ranking that there is not.
    ParameterError
        When ``chunkings`` holds something else.
    ServiceError
        When the embedder fails or breaks its protocol.
    Cancelled
        When ``services.report`` says so.

    """

    def __init__(
        self, chunkings: Chunking | Iterable[Chunking], ranking: Ranking = "lexical", services: Services | None = None
    ) -> None:
        given = (chunkings,) if isinstance(chunkings, Chunking) else tuple(chunkings)
        for each in given:
            if not isinstance(each, Chunking):
                message = f"chunkings must hold chunkings, not {type(each).__name__}; chunk the document first."
                raise ParameterError(message)
        documents = {each.document.id: each.document for each in given}
        chunks = tuple(chunk for each in given for chunk in each.chunks)
        self._fill(chunks, tuple(documents.values()), ranking, services or Services(), None)

    def _fill(
        self,
        chunks: tuple[Chunk, ...],
        documents: tuple[Document, ...],
        ranking: Ranking,
        services: Services,
        rows: NDArray[np.float32] | None,
    ) -> None:
        if ranking not in RANKINGS:
            what = "ranking"
            raise UnknownNameError(what, str(ranking), RANKINGS)
        self.chunks = chunks
        """All that is searched, in document order."""
        self.ranking: Ranking = ranking
        self.services = services
        self.documents = documents
        lexical, dense = (services.part(0.0, 0.5), services.part(0.5, 1.0)) if ranking == "hybrid" else (services,) * 2
        self._lexical = Lexical(chunks, lexical.report) if ranking != "dense" else None
        self._dense = Dense(chunks, dense, rows) if ranking != "lexical" else None

    def __len__(self) -> int:
        """Return the number of chunks that are searched."""
        return len(self.chunks)

    @property
    def embedder(self) -> str | None:
        """Name of the embedder, or None where none is asked."""
        return None if self._dense is None else self._dense.embedder.name

    @property
    def vectors(self) -> NDArray[np.float32] | None:
        """One unit row per chunk, float32 (n, dimensions), or None where the ranking needs none."""
        return None if self._dense is None else self._dense.rows

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Name of the document of each chunk."""
        return tuple(chunk.document.name or "unnamed document" for chunk in self.chunks)

    def search(self, question: str, k: int = 5) -> tuple[Hit, ...]:
        """Return the ``k`` best chunks, best first; equal scores in document order.

        There are fewer where a lexical search finds fewer that share a term with the question.

        Raises
        ------
        ParameterError
            For a blank question, and a ``k`` below 1.
        ServiceError
            As of the constructor.

        """
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            message = f"k must be a whole number from 1 on, not {k!r}."
            raise ParameterError(message)
        ranked = self._ranked(question, k)
        return tuple(
            Hit(
                self.chunks[place],
                float(ranked.scores[place]),
                self.sources[place],
                rank,
                place,
                *(each.get(place) for each in ranked.ranks),
            )
            for rank, place in enumerate(ranked.order.tolist(), start=1)
        )

    async def asearch(self, question: str, k: int = 5) -> tuple[Hit, ...]:
        """Search in a thread, so that an event loop stays free."""
        return await asyncio.to_thread(self.search, question, k)

    def order(self, question: str) -> NDArray[np.int64]:
        """Return the places of all chunks that the question finds, best first, int64 (m,); raises as ``search``."""
        return self._ranked(question, None).order

    def orders(self, questions: Sequence[str]) -> Iterator[NDArray[np.int64]]:
        """Yield the ``order`` of each question, the embedder asked for all of them at once; raises as ``search``."""
        for question in questions:
            _check_question(question)
        if self._dense is not None:
            self._dense.prepare(questions)
        return self._orders(questions)

    def _orders(self, questions: Sequence[str]) -> Iterator[NDArray[np.int64]]:
        for first in range(0, len(questions), _TOGETHER):
            some = questions[first : first + _TOGETHER]
            cosines = repeat(None) if self._dense is None else self._dense.all_scores(some)
            for question, scores in zip(some, cosines, strict=False):
                yield self._ranked(question, None, scores).order

    def scores(self, question: str) -> NDArray[np.float64]:
        """Return the score of every chunk, float64 (n,), for a picture of the whole document; raises as ``search``."""
        return self._ranked(question, 1).scores.astype(np.float64)

    def _ranked(self, question: str, k: int | None, cosines: NDArray[np.float32] | None = None) -> _Ranked:
        _check_question(question)
        orders = []
        for way in (self._lexical, self._dense):
            if way is None:
                continue
            scores = cosines if way is self._dense and cosines is not None else way.scores(question)
            found = way.found(scores)
            if self.ranking != "hybrid":
                return _Ranked(scores, best_first(scores, found, k), ())
            orders.append(best_first(scores, found))
        fused = fuse(orders, len(self.chunks))
        ranks = tuple(dict(zip(order.tolist(), range(1, len(order) + 1), strict=True)) for order in orders)
        return _Ranked(fused, best_first(fused, fused > 0, k), ranks)

    def save(self, folder: str | Path) -> None:
        """Write the index to a folder, with the documents' text: JSON, text and one array, nothing that is run.

        Raises
        ------
        ParameterError
            When the folder holds something else, or cannot be written.

        """
        storage.save(self, Path(folder))

    @classmethod
    def load(cls, folder: str | Path, services: Services | None = None) -> Index:
        """Return an index that was saved; the tokenizer is taken by name, and so is the lexical embedder.

        Parameters
        ----------
        folder
            What ``save`` wrote.
        services
            Needed where another embedder, or a tokenizer of one's own, was used; they must have the same names.

        Raises
        ------
        ParameterError
            When the folder holds no index, or a damaged one, or needs other services than are given.

        """
        stored = storage.load(Path(folder), services)
        index = cls.__new__(cls)
        index._fill(stored.chunks, stored.documents, stored.ranking, stored.services, stored.rows)  # noqa: SLF001  its own
        return index


def _check_question(question: str) -> None:
    if not isinstance(question, str) or not question.strip():
        message = f"question must be a text that is not blank, not {question!r}; type what you look for."
        raise ParameterError(message)
