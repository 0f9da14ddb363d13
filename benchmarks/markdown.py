"""How long chunking markdown takes (2,000 characters), as ratios to one tiktoken pass in the same run; prints markdown.

    python benchmarks/markdown.py [--quick]

The text is real markdown, and once more tables and lists without end. The time is the least of two, taken in turns, on
fresh documents. ``--quick`` leaves out the texts of 10 MB. Libraries that are not installed are left out with a line.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from typing import Any

from corpora import gather
from semantic import least, machine

import chunkviz as cv
from chunkviz.vocabulary import load_tokenizer

SIZE = 2000
Task = Callable[[], object]


def dense(size: int) -> str:
    """Return about ``size`` characters of headings, tables, lists and fences, no two rows alike."""
    parts: list[str] = []
    length = number = 0
    while length < size:
        number += 1
        rows = "".join(f"| {number}.{row} | item {number * row} | {number % 97} units |\n" for row in range(9))
        items = "".join(f"- point {number}.{item} of {number * 7}\n" for item in range(5))
        part = f"## Part {number}\n\nWords about {number}.\n\n| no | name | stock |\n|---|---|---|\n{rows}\n{items}\n"
        parts.append(f"{part}```\nrun --part {number}\n```\n\n")
        length += len(parts[-1])
    return "".join(parts)


def of_langchain(text: str) -> tuple[str, Task]:
    from langchain_text_splitters import (  # noqa: PLC0415  optional
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    headers = MarkdownHeaderTextSplitter([("#" * level, f"h{level}") for level in range(1, 7)], strip_headers=False)
    recursive = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=0)
    return "langchain header + recursive", lambda: recursive.split_documents(headers.split_text(text))


def of_llama_index(text: str) -> tuple[str, Task]:
    from llama_index.core import Document  # noqa: PLC0415  optional
    from llama_index.core.node_parser import MarkdownNodeParser  # noqa: PLC0415  optional

    parser = MarkdownNodeParser()
    return "llama-index MarkdownNodeParser", lambda: parser.get_nodes_from_documents([Document(text=text)])


def of_semantic_text_splitter(text: str) -> tuple[str, Task]:
    from semantic_text_splitter import MarkdownSplitter  # noqa: PLC0415  optional

    splitter = MarkdownSplitter(SIZE)
    return "semantic-text-splitter MarkdownSplitter", lambda: splitter.chunks(text)


PEERS: dict[str, Callable[[str], tuple[str, Task]]] = {
    "langchain_text_splitters": of_langchain,
    "llama_index": of_llama_index,
    "semantic_text_splitter": of_semantic_text_splitter,
}


def measure(text: str) -> dict[str, float]:
    """Return each splitter's time over a tiktoken pass."""
    encoding: Any = load_tokenizer("cl100k_base", fast=False)
    tasks: dict[str, Task] = {
        "tiktoken": lambda: encoding.encoding.encode_ordinary(text),
        "chunkviz markdown": lambda: cv.Markdown(chunk_size=SIZE, unit="characters").chunk(
            cv.Document(text, name="text.md", language="en")
        ),
    }
    for package, make in PEERS.items():
        if importlib.util.find_spec(package) is not None:
            name, task = make(text)
            tasks[name] = task
    # Two of the others take minutes for ten megabytes of dense text: their time grows with its square.
    found = least(tasks, turns=2 if len(text) < 2_000_000 else 1)
    return {name: seconds / found["tiktoken"] for name, seconds in found.items() if name != "tiktoken"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="leave out the texts of 10 MB")
    sizes = [1_000_000] if parser.parse_args().quick else [1_000_000, 10_000_000]
    texts = {f"real, {size // 10**6} MB": gather("markdown", size).text for size in sizes}
    texts |= {f"dense, {size // 10**6} MB": dense(size) for size in sizes}
    columns = {label: measure(text) for label, text in texts.items()}
    print(machine(), "\n")
    print(f"| splitter | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in next(iter(columns.values())):
        print(f"| {name} | {' | '.join(f'{column[name]:.2f}' for column in columns.values())} |")
    for package in PEERS:
        if importlib.util.find_spec(package) is None:
            print(f"\n{package} is not installed.")


if __name__ == "__main__":
    main()
