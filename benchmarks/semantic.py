"""How long semantic chunking takes, as ratios to embedding the same sentences once in the same run; prints markdown.

    python benchmarks/semantic.py [--quick]

Each time is the least of three, taken in turns, on fresh documents, with the static English embedder in all rows that
embed. ``--quick`` leaves out the text of 10 MB. Libraries that are not installed are left out with a line.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import importlib.util
import os
import platform
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from corpora import gather
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.blocks import semantic_segments
from chunkviz.embedders import get_embedder
from chunkviz.embedders.cache import CachedEmbedder, VectorCache
from chunkviz.strategies import all_strategies
from chunkviz.vocabulary import load_tokenizer

PACKAGES = "chunkviz tiktoken numpy wordllama chonkie langchain-experimental llama-index-core"
PEERS = ("wordllama", "chonkie", "langchain_experimental", "llama_index")
TURNS = 3
THRESHOLDS = 101
SEGMENTS = 10_000

Task = Callable[[], object]


class Counting:
    """An embedder that keeps count of what it was given."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.texts = 0

    @property
    def name(self) -> str:
        """The inner one's."""
        return str(self.inner.name)

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Count the texts and let the inner one embed them."""
        self.texts += len(texts)
        rows: NDArray[np.float32] = self.inner.embed(texts)
        return rows


def least(tasks: dict[str, Task], turns: int = TURNS) -> dict[str, float]:
    """Return the least time of each task, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(turns):
        for name, task in tasks.items():
            gc.collect()
            gc.disable()
            began = time.perf_counter()
            task()
            times[name].append(time.perf_counter() - began)
            gc.enable()
    return {name: min(each) for name, each in times.items()}


def texts_of(document: cv.Document) -> list[str]:
    segments = semantic_segments(document)
    return [document.text[a:b] for a, b in zip(segments.starts.tolist(), segments.ends.tolist(), strict=True)]


def ours(text: str, label: str, static: Any) -> None:
    """Print ``semantic`` against embedding alone, and how many texts were embedded."""
    document = cv.Document(text, name="text.txt", language="en")
    texts = list(dict.fromkeys(texts_of(document)))
    counting = Counting(static)
    cv.Semantic().chunk(cv.Document(text, name="text.txt", language="en"), cv.Services(embedder=counting))
    tasks: dict[str, Task] = {
        "embedding alone": lambda: static.embed(texts),
        "semantic, static": lambda: cv.Semantic().chunk(
            cv.Document(text, name="text.txt", language="en"), cv.Services(embedder=static)
        ),
        "embedding alone, lexical": lambda: cv.embedders.Lexical().embed(texts),  # type: ignore[attr-defined]
        "semantic, lexical": lambda: cv.Semantic().chunk(cv.Document(text, name="text.txt", language="en")),
    }
    found = least(tasks)
    print(f"| semantic, static, {label} | {found['semantic, static'] / found['embedding alone']:.2f} | 1.50 |")
    print(f"| semantic, lexical, {label} | {found['semantic, lexical'] / found['embedding alone, lexical']:.2f} | |")
    print(f"| texts embedded, over distinct segments, {label} | {counting.texts / len(texts):.2f} | 1.00 |")


def slider(text: str, static: Any) -> None:
    """Print what all thresholds of a long document cost against embedding it once."""
    document = cv.Document(text, name="text.txt", language="en")
    curve = cv.Semantic().chunk(document, cv.Services(embedder=static)).evidence.curve
    if curve is None or len(curve) < SEGMENTS:
        print(f"| cuts_for | not measured: the text has under {SEGMENTS:,} segments | |")
        return
    texts = texts_of(document)[:SEGMENTS]
    signal, allowed = curve.signal[: SEGMENTS - 1], curve.allowed[: SEGMENTS - 1]
    values = np.percentile(signal, np.linspace(0, 100, THRESHOLDS)).tolist()

    def sweep(minimum: int) -> None:
        cv.cuts_for_many(signal, values, minimum, allowed)

    tasks: dict[str, Task] = {
        "static": lambda: static.embed(texts),
        "lexical": lambda: cv.embedders.Lexical().embed(texts),  # type: ignore[attr-defined]
        "one": lambda: cv.cuts_for(signal, values[50], 5, allowed),
        "sweep 1": lambda: sweep(1),
        "sweep 5": lambda: sweep(5),
    }
    sweep(5)  # the tables of a minimum size are made once in a process
    found = least({name: tasks.pop(name) for name in ("static", "lexical")})
    found |= least(tasks, turns=15)  # these take milliseconds, which other work on the machine may double
    fastest = min(found["static"], found["lexical"])
    for name, label in (
        ("one", "cuts_for at one threshold, 5 sentences at least"),
        ("sweep 1", f"cuts_for_many at {THRESHOLDS} thresholds, 1 sentence at least"),
        ("sweep 5", f"cuts_for_many at {THRESHOLDS} thresholds, 5 sentences at least"),
    ):
        print(f"| {label} | {found[name] / fastest:.4f} | 0.0100 |")


def warm(text: str, static: Any) -> None:
    """Print how many texts a second run embeds with a warm cache, in a new process's place: a new embedder."""
    with tempfile.TemporaryDirectory() as folder:
        for run in ("cold", "warm"):
            counting = Counting(static)
            embedder = CachedEmbedder(counting, VectorCache(Path(folder)))
            cv.Semantic().chunk(cv.Document(text, language="en"), cv.Services(embedder=embedder))
            print(f"| texts embedded with a {run} cache | {counting.texts:,} | {'0' if run == 'warm' else ''} |")


def linear(small: str, large: str, static: Any) -> None:
    """Print how time grows for ten times the text, for every strategy."""
    print("\n| strategy | 1 MB, in tokenizer passes | 10 MB over 1 MB | bytes over bytes |\n|---|---|---|---|")
    encoding = load_tokenizer("cl100k_base", fast=False)  # a fast one remembers the words of the pass before
    for strategy in all_strategies():
        name = "text.py" if strategy.name == "code" else "text.md"

        def run(text: str, strategy: type[cv.Strategy] = strategy, name: str = name) -> object:
            return strategy().chunk(cv.Document(text, name=name, language="en"), cv.Services(embedder=static))

        found = least(
            {"pass": lambda: encoding.token_starts(small), "small": lambda: run(small), "large": lambda: run(large)},
            turns=2,
        )
        growth, bytes_ratio = found["large"] / found["small"], len(large.encode()) / len(small.encode())
        print(f"| {strategy.name} | {found['small'] / found['pass']:.2f} | {growth:.1f} | {bytes_ratio:.1f} |")


def peers(text: str, static: Any) -> None:
    """Print other libraries' semantic splitters on the same text with the same embedder, over ours."""
    tasks: dict[str, Task] = {
        "chunkviz semantic": lambda: cv.Semantic().chunk(
            cv.Document(text, name="text.txt", language="en"), cv.Services(embedder=static)
        )
    }
    makers = (of_wordllama, of_chonkie, of_langchain, of_llama_index)
    for package, make in zip(PEERS, makers, strict=True):
        if importlib.util.find_spec(package) is None:
            print(f"| {package} | not installed | |")
        else:
            name, task = make(text, static)
            tasks[name] = task
    found = least(tasks, turns=2)
    for name, seconds in found.items():
        print(f"| {name} | {seconds / found['chunkviz semantic']:.2f} | |")


def of_wordllama(text: str, static: Any) -> tuple[str, Task]:
    import wordllama  # noqa: PLC0415  optional

    # The same model, but with the padding that its own methods count on.
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    return f"wordllama split, where {static.name} is its model", lambda: model.split(text)


def of_chonkie(text: str, static: Any) -> tuple[str, Task]:
    from chonkie import SemanticChunker  # noqa: PLC0415  optional
    from chonkie.embeddings import BaseEmbeddings  # noqa: PLC0415  optional

    class Same(BaseEmbeddings):
        def embed(self, text: str) -> Any:
            return static.embed([text])[0]

        def embed_batch(self, texts: list[str]) -> Any:
            return list(static.embed(texts))

        @property
        def dimension(self) -> int:
            return 256

        def get_tokenizer(self) -> Any:
            return "character"

    chunker = SemanticChunker(embedding_model=Same(), chunk_size=2048)
    return "chonkie SemanticChunker", lambda: chunker.chunk(text)


def of_langchain(text: str, static: Any) -> tuple[str, Task]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_core.embeddings import Embeddings  # noqa: PLC0415  optional
        from langchain_experimental.text_splitter import SemanticChunker  # noqa: PLC0415  optional

    class Same(Embeddings):
        def embed_documents(self, texts: list[str]) -> Any:
            return static.embed(texts).tolist()

        def embed_query(self, text: str) -> Any:
            return static.embed([text])[0].tolist()

    chunker = SemanticChunker(Same())
    return "langchain-experimental SemanticChunker", lambda: chunker.split_text(text)


def of_llama_index(text: str, static: Any) -> tuple[str, Task]:
    from llama_index.core import Document  # noqa: PLC0415  optional
    from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: PLC0415  optional
    from llama_index.core.node_parser import SemanticSplitterNodeParser  # noqa: PLC0415  optional

    class Same(BaseEmbedding):
        def _get_query_embedding(self, query: str) -> Any:
            return static.embed([query])[0].tolist()

        async def _aget_query_embedding(self, query: str) -> Any:
            return self._get_query_embedding(query)

        def _get_text_embedding(self, text: str) -> Any:
            return self._get_query_embedding(text)

        def _get_text_embeddings(self, texts: list[str]) -> Any:
            return static.embed(texts).tolist()

    parser = SemanticSplitterNodeParser(embed_model=Same(embed_batch_size=2048))
    return "llama-index SemanticSplitter", lambda: parser.get_nodes_from_documents([Document(text=text)])


def machine() -> str:
    versions = []
    for name in PACKAGES.split():
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}; {', '.join(versions)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave out the text of 10 MB")
    chosen = parser.parse_args()
    static = get_embedder("static")
    small, large = gather("prose", 1_000_000).text, "" if chosen.quick else gather("prose", 10_000_000).text
    print(machine(), "\n")
    print("| what | ratio | target |\n|---|---|---|")
    ours(small, "1 MB", static)
    if large:
        ours(large, "10 MB", static)
    slider(large or small, static)
    warm(small[:200_000], static)
    print("\n| semantic splitters, 1 MB, the same embedder | times ours | |\n|---|---|---|")
    peers(small, static)
    if large:
        linear(small, large, static)


if __name__ == "__main__":
    main()
