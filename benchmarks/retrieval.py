"""Search beside brute force, and a sweep beside single runs with another library's splitter, in one run.

    python benchmarks/retrieval.py [--chunks N] [--kilobytes N] [--settings N] [--splitter langchain|chonkie|naive]

Search: every chunk scored by numpy and the best taken by partition, against a loop over the chunks that sorts them
all. Sweep: the settings on one document with a warm cache of vectors, against as many single runs that split the text
with the other splitter, embed through the same cache and rank all chunks for every question. "ranked" is the same work
here: chunk, embed, rank; "sweep" is what the app and the command do, with exact token counts and every measure besides,
which the other side does not compute. "naive" cuts every so many characters, for where neither library is installed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from corpora import gather
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.embedders.cache import CachedEmbedder, VectorCache
from chunkviz.embedders.lexical import Lexical
from chunkviz.evaluation import Question, Reference, grid, sweep
from chunkviz.retrieval import Index
from chunkviz.retrieval.rankings import best_first


class Fixed:
    """The lexical embedder fitted once, so that it has the same vectors for a text wherever it comes from."""

    name = "fixed lexical"
    max_tokens = None

    def __init__(self, texts: Sequence[str]) -> None:
        self._inner = Lexical(512).fitted(texts)

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, 512)."""
        return self._inner.embed(texts)


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def search_ratio(count: int) -> dict[str, float]:
    random = np.random.default_rng(0)
    rows = random.standard_normal((count, 512)).astype(np.float32)
    question = random.standard_normal(512).astype(np.float32)
    found = np.ones(count, np.bool_)
    clever = min(timed(lambda: best_first(rows @ question, found, 10)) for _ in range(5))
    naive = timed(lambda: sorted(range(count), key=lambda place: (-float(rows[place] @ question), place))[:10])
    return {"chunks": count, "search seconds": clever, "naive seconds": naive, "ratio": clever / naive}


def splitter_of(name: str, size: int) -> Callable[[str], list[str]]:
    if name == "langchain":
        from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415

        made: Callable[[str], list[str]] = RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=0, length_function=len
        ).split_text
        return made
    if name == "chonkie":
        from chonkie import RecursiveChunker  # noqa: PLC0415

        chunker = RecursiveChunker(tokenizer="character", chunk_size=size)
        return lambda text: [chunk.text for chunk in chunker.chunk(text)]
    return lambda text: [text[start : start + size] for start in range(0, len(text), size)]


def sweep_ratio(kilobytes: int, settings: int, splitter: str) -> dict[str, Any]:
    text = gather("prose", kilobytes * 1000).text
    document = cv.Document(text, name="corpus.txt")
    places = np.linspace(0, len(text) - 200, 20).astype(int).tolist()
    questions = [
        Question(text[at : at + 80].strip() or "the", (Reference(document.id, cv.Span(at, at + 150)),)) for at in places
    ]
    sizes = np.linspace(200, 2000, settings).astype(int).tolist()
    with tempfile.TemporaryDirectory() as folder:
        embedder = CachedEmbedder(Fixed([text]), VectorCache(folder))
        services = cv.Services(embedder=embedder)
        strategies = grid(cv.Recursive(unit="characters", chunk_overlap=0), chunk_size=sizes).strategies

        asked = [each.question for each in questions]

        def measured() -> None:
            fresh = cv.Document(text, name="corpus.txt")
            sweep(fresh, strategies, questions, ranking="dense", services=services)

        def ranked() -> None:
            fresh = cv.Document(text, name="corpus.txt")
            for strategy in strategies:
                for _ in Index(strategy.chunk(fresh, services), "dense", services).orders(asked):
                    pass

        def theirs() -> None:
            for size in sizes:
                rows = embedder.embed(splitter_of(splitter, size)(text))
                for row in embedder.embed(asked):
                    np.argsort(-(rows @ row))

        measured()
        theirs()  # both have now warmed the cache
        # One after the other, twice, since other work on the machine comes and goes.
        rounds = [(timed(measured), timed(ranked), timed(theirs)) for _ in range(2)]
    sweeping, ranking, other = (min(each) for each in zip(*rounds, strict=True))
    return {
        "kilobytes": kilobytes, "settings": settings, "splitter": splitter,
        "sweep seconds": sweeping, "ranked seconds": ranking, "single runs seconds": other,
        "sweep ratio": sweeping / other, "ranked ratio": ranking / other,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--kilobytes", type=int, default=1000)
    parser.add_argument("--settings", type=int, default=50)
    parser.add_argument("--splitter", choices=("langchain", "chonkie", "naive"), default="langchain")
    chosen = parser.parse_args()
    print(json.dumps({"search": search_ratio(chosen.chunks)}))
    print(json.dumps({"sweep": sweep_ratio(chosen.kilobytes, chosen.settings, chosen.splitter)}))


if __name__ == "__main__":
    main()
