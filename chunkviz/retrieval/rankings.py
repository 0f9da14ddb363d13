"""Three ways to score every chunk for a question: BM25, cosines, and both fused.

BM25 as Lucene computes it (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009; k1 = 1.5,
b = 0.75) by ``bm25s`` (Lù, "BM25S: Orders of magnitude faster lexical search via eager sparse scoring", 2024).
Fusion by reciprocal ranks with k = 60 (Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet
and individual Rank Learning Methods", 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from chunkviz.chunk import Chunk
from chunkviz.embedding import default_embedder, embed_texts
from chunkviz.errors import ServiceError
from chunkviz.progress import Report, Told, part, silent, told
from chunkviz.retrieval.terms import Terms, split_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.services import Embedder, Services

Ranking: TypeAlias = Literal["lexical", "dense", "hybrid"]
RANKINGS: tuple[Ranking, ...] = get_args(Ranking)

FUSION = 60
"""The constant of reciprocal rank fusion, from the paper."""
_TERMS = 0.8
"""Share of the work at which a document's terms are there; the rest counts them by chunk."""
_FITTED = 0.2
"""Share of the work at which an embedder that is fitted to the chunks is."""
_DIGITS = 6
"""Scores are rounded to so many decimals: what is beyond is noise of float32, and would part equal chunks."""


class Lexical:
    """BM25 over the terms of the chunks, their contexts' among them."""

    def __init__(self, chunks: Sequence[Chunk], report: Report = silent) -> None:
        self.count = len(chunks)
        self._vocabulary: dict[str, int] = {}
        documents = list({chunk.document_id: chunk.document for chunk in chunks}.values())
        for number, document in enumerate(documents):
            Terms.of(document, part(report, _TERMS * number / len(documents), _TERMS * (number + 1) / len(documents)))
        words = self._words(chunks, part(report, _TERMS, 1.0))
        report(1.0)
        self._scorer = _scorer(words, self._vocabulary)

    def _words(self, chunks: Sequence[Chunk], report: Report) -> list[NDArray[np.int64]]:
        """Return the words of each chunk, as places in one vocabulary for all documents."""
        known: dict[str, NDArray[np.int64]] = {}
        words = []
        for chunk in told(chunks, report):
            terms = Terms.of(chunk.document)
            if chunk.document_id not in known:
                known[chunk.document_id] = self._numbers(terms.vocabulary)
            own = known[chunk.document_id][terms.within(chunk.start, chunk.end)]
            if chunk.context:
                own = np.concatenate([self._numbers(split_terms(chunk.context)), own])
            words.append(own)
        return words

    def _numbers(self, terms: Sequence[str]) -> NDArray[np.int64]:
        known = self._vocabulary
        return np.fromiter((known.setdefault(term, len(known)) for term in terms), np.int64, len(terms))

    def scores(self, question: str) -> NDArray[np.float32]:
        """Return the BM25 score of each chunk, float32 (n,); 0 where it shares no term with the question."""
        asked = [self._vocabulary[term] for term in split_terms(question, question=True) if term in self._vocabulary]
        if self._scorer is None or not asked:
            return np.zeros(self.count, np.float32)
        scores: NDArray[np.float32] = self._scorer.get_scores_from_ids(asked)
        return scores.round(_DIGITS)

    def found(self, scores: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return which chunks the question has anything to do with, bool (n,)."""
        return scores > 0


def _scorer(words: list[NDArray[np.int64]], vocabulary: dict[str, int]) -> Any:
    import bm25s  # noqa: PLC0415  only who searches lexically needs it

    class NumpyBM25(bm25s.BM25):  # type: ignore[misc]
        """The library's scorer over an index that is built by sorting, where the library loops over every term."""

        def build_index_from_ids(
            self, unique_token_ids: list[int], corpus_token_ids: list[NDArray[np.int64]], **_: object
        ) -> dict[str, Any]:
            self.nonoccurrence_array = None  # for methods that score what a chunk does not have
            return eager_scores(corpus_token_ids, len(unique_token_ids), k1=self.k1, b=self.b)

    if not any(len(each) for each in words):
        return None
    scorer = NumpyBM25(k1=1.5, b=0.75, method="lucene", backend="numpy", csc_backend="numpy")
    # A copy, since the library adds an entry of its own.
    scorer.index((words, dict(vocabulary)), create_empty_token=False, show_progress=False)
    return scorer


def eager_scores(words: Sequence[NDArray[np.int64]], size: int, *, k1: float, b: float) -> dict[str, Any]:
    """Return what every word adds to the score of every chunk that has it, by word: columns of a sparse matrix.

    Parameters
    ----------
    words
        The words of each chunk, int64 each, places in a vocabulary of ``size``; at least one in all.

    """
    count = len(words)
    lengths = np.fromiter((len(each) for each in words), np.int64, count)
    # By word, and among those of one word by chunk.
    pairs, often = np.unique(np.concatenate(words) * count + np.repeat(np.arange(count), lengths), return_counts=True)
    terms, chunks = np.divmod(pairs, count)
    holding = np.bincount(terms, minlength=size)
    weights = np.log1p((count - holding + 0.5) / (holding + 0.5))
    shares = often / (often + k1 * (1 - b + b * lengths[chunks] / lengths.mean()))
    return {
        "data": (weights[terms] * shares).astype(np.float32),
        "indices": chunks.astype(np.int32),
        "indptr": np.concatenate([[0], np.cumsum(holding)]).astype(np.int64),
        "num_docs": count,
    }


class Dense:
    """Cosines of the question with every chunk; a contextual chunk is embedded with its context."""

    def __init__(self, chunks: Sequence[Chunk], services: Services, rows: NDArray[np.float32] | None = None) -> None:
        texts = [chunk.embedding_text for chunk in chunks]
        # Questions are asked once the index is there: their progress is the end of its own.
        self._services = services.part(1.0, 1.0)
        self.embedder = services.embedder or default_embedder()
        # An embedder that weighs by the texts it is given must weigh the question by the same ones.
        fitted = getattr(self.embedder, "fitted", None)
        if fitted is None:
            self._ready: Embedder = self.embedder
        else:
            self._ready = fitted(Told(list(dict.fromkeys(texts)), part(services.report, 0.0, _FITTED)))
            services = services.part(_FITTED, 1.0)
        if rows is None:
            rows = embed_texts(texts, self._ready, services, fit=False).rows if texts else np.zeros((0, 1), np.float32)
        self.rows = rows
        """float32 (n, dimensions), unit length; zeros where the embedder gave nothing usable."""
        self._usable = self.rows.any(axis=1)
        self._asked: dict[str, NDArray[np.float32]] = {}

    def prepare(self, questions: Sequence[str]) -> None:
        """Embed the questions that were not asked before, together.

        Raises
        ------
        ServiceError
            As of ``chunkviz.embedding.embed_texts``, and for vectors of another length than the chunks'.

        """
        new = [each for each in dict.fromkeys(questions) if each not in self._asked]
        if not new or not len(self.rows):
            return
        rows = embed_texts(new, self._ready, self._services, fit=False).rows
        if rows.shape[1] != self.rows.shape[1]:
            message = (
                f"The embedder {self.embedder.name!r} gave a question {rows.shape[1]} dimensions where the chunks have "
                f"{self.rows.shape[1]}; index them again."
            )
            raise ServiceError(message)
        self._asked.update(zip(new, rows, strict=True))

    def scores(self, question: str) -> NDArray[np.float32]:
        """Return the cosine with each chunk, float32 (n,); NaN where the question has no usable vector."""
        if not len(self.rows):
            return np.zeros(0, np.float32)
        self.prepare([question])
        row = self._asked[question]
        scores: NDArray[np.float32] = (self.rows @ row).round(_DIGITS)
        return scores if row.any() else np.full(len(scores), np.nan, np.float32)

    def all_scores(self, questions: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the ``scores`` of each question, float32 (n,) each, by one matrix product for all of them."""
        if not len(self.rows):
            return [np.zeros(0, np.float32) for _ in questions]
        self.prepare(questions)
        asked = np.stack([self._asked[question] for question in questions])
        scores = (asked @ self.rows.T).round(_DIGITS)
        scores[~asked.any(axis=1)] = np.nan
        return list(scores)

    def found(self, scores: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return which chunks have a vector to compare, bool (n,)."""
        return self._usable & np.isfinite(scores)


def best_first(scores: NDArray[Any], found: NDArray[np.bool_], k: int | None = None) -> NDArray[np.int64]:
    """Return the places of the ``k`` best scores found, the best first, equal ones in their order; int64 (m,)."""
    if k is None and found.all():
        return np.argsort(-scores, kind="stable")
    places: NDArray[np.int64] = np.flatnonzero(found)
    if k is not None and k < len(places):
        least = np.partition(scores[places], len(places) - k)[len(places) - k]
        places = places[scores[places] >= least]
    return places[np.argsort(-scores[places], kind="stable")][:k]


def fuse(orders: Sequence[NDArray[np.int64]], count: int) -> NDArray[np.float64]:
    """Return the sum of 1 / (60 + rank) over several orders, float64 (count,); 0 for what is in none."""
    scores = np.zeros(count)
    for order in orders:
        scores[order] += 1 / (FUSION + np.arange(1, len(order) + 1))
    return scores.round(12)
