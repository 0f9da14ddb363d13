"""A chunking as data for elsewhere, and as the Python lines that make it again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from chunkviz.chunk import Chunking
from chunkviz.document import without_surrogates
from chunkviz.strategies import STRATEGIES, Strategy

COLUMNS = (
    "index", "id", "document_id", "document", "start", "end", "text", "token_count", "overlap", "headings", "page",
    "parent_id", "context", "context_error", "metadata", "begins", "ends",
)  # fmt: skip
"""Columns of every export, in order; offsets count Unicode code points."""


def rows(chunking: Chunking) -> Iterator[dict[str, Any]]:
    """Yield one plain dictionary per chunk, with the keys of ``COLUMNS``."""
    begins = "start of document"
    for chunk, count, overlap, ends in zip(
        chunking, chunking.token_counts.tolist(), chunking.overlaps.tolist(), chunking.boundary_reasons, strict=True
    ):
        yield {
            "index": chunk.index,
            "id": chunk.id,
            "document_id": chunk.document_id,
            "document": chunking.document.name,
            "start": chunk.start,
            "end": chunk.end,
            "text": chunk.text,
            "token_count": count,
            "overlap": overlap,
            "headings": list(chunk.headings),
            "page": chunk.page,
            "parent_id": chunk.parent.id if chunk.parent else None,
            "context": chunk.context,
            "context_error": chunk.context_error,
            "metadata": dict(chunk.metadata),
            "begins": begins,
            "ends": ends,
        }
        begins = ends


def to_jsonl(chunking: Chunking) -> bytes:
    """Return one JSON object a line, UTF-8.

    A line with a lone surrogate, or a character that some readers take for a line end, is written
    in escapes.
    """
    lines = []
    for row in rows(chunking):
        line = json.dumps(row, ensure_ascii=False, default=str)
        plain = without_surrogates(line) == line and len(line.splitlines()) == 1
        lines.append(line if plain else json.dumps(row, default=str))
    return "".join(f"{line}\n" for line in lines).encode()


def to_csv(chunking: Chunking, *, header: bool = True) -> bytes:
    """Return CSV, UTF-8, with a header row unless it follows other rows.

    Headings are joined by " > ", metadata is JSON, a lone surrogate becomes U+FFFD.
    """
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    if header:
        writer.writeheader()
    for row in rows(chunking):
        writer.writerow({**row, "headings": " > ".join(row["headings"]), "metadata": _json(row["metadata"])})
    return without_surrogates(buffer.getvalue()).encode()


def to_parquet(chunking: Chunking) -> bytes:
    """Return a Parquet file with typed columns; a lone surrogate becomes U+FFFD."""
    import pyarrow as pa  # noqa: PLC0415  heavy, and only needed here
    import pyarrow.parquet as pq  # noqa: PLC0415

    sink = pa.BufferOutputStream()
    pq.write_table(to_table(chunking), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def to_table(chunking: Chunking) -> Any:
    """Return a ``pyarrow.Table`` with typed columns, the same for every chunking.

    Metadata is JSON; a lone surrogate becomes U+FFFD.
    """
    import pyarrow as pa  # noqa: PLC0415  heavy, and only needed here

    text = pa.string()
    schema = pa.schema(
        [
            ("index", pa.int64()), ("id", text), ("document_id", text), ("document", text), ("start", pa.int64()),
            ("end", pa.int64()), ("text", text), ("token_count", pa.int64()), ("overlap", pa.int64()),
            ("headings", pa.list_(text)), ("page", pa.int32()), ("parent_id", text), ("context", text),
            ("context_error", text), ("metadata", text), ("begins", text), ("ends", text),
        ]
    )  # fmt: skip
    return pa.Table.from_pylist([_utf8(row) for row in rows(chunking)], schema=schema)


def _utf8(row: dict[str, Any]) -> dict[str, Any]:
    row = {**row, "metadata": _json(row["metadata"])}
    clean = {key: without_surrogates(value) if isinstance(value, str) else value for key, value in row.items()}
    return {**clean, "headings": [without_surrogates(title) for title in row["headings"]]}


def _json(metadata: dict[str, Any]) -> str:
    return json.dumps(metadata, ensure_ascii=False, default=str)


def to_python(chunking: Chunking, *, sample: str | None = None, services: Mapping[str, str] | None = None) -> str:
    """Return the lines that make this chunking again from the document's file, or from a bundled ``sample``.

    ``services`` holds the code that makes the embedder and the writer, where they were not the default ones.
    """
    document = chunking.document
    lines = ["import dataclasses"] if document.language else []
    lines += ["import chunkviz as cv"]
    if sample is None:
        lines += ["", f"document = cv.load({document.name or 'document.txt'!r})"]
    else:
        lines += ["from chunkviz.samples import load_sample", "", f"document = load_sample({sample!r})"]
    if document.language:
        lines += [f"document = dataclasses.replace(document, language={document.language!r})"]
    if chunking.strategy.name == "own_chunks":
        at = lines.index("import chunkviz as cv")
        lines.insert(at, "from pathlib import Path")
        lines[at + 2 : at + 2] = [
            "from chunkviz.alignment import OwnChunks",
            "from chunkviz.records import read_records",
        ]
    given = {"tokenizer": f"cv.get_tokenizer({chunking.tokens.tokenizer.name!r})", **(services or {})}
    for name in given.keys() & {"embedder", "writer"}:
        lines.insert(lines.index("import chunkviz as cv") + 1, f"from chunkviz.{name}s import get_{name}")
    lines += [
        f"services = cv.Services({', '.join(f'{name}={code}' for name, code in given.items())})",
        f"chunking = {_code_of(chunking.strategy)}.chunk(document, services)",
        "",
        "for chunk in chunking:",
        "    print(chunk.index, chunk.start, chunk.end, chunk.token_count)",
    ]
    return "\n".join(lines) + "\n"


def _code_of(strategy: Strategy) -> str:
    """Return the code that makes a strategy: its own repr, or its configuration where it is not one of ours alone.

    Own chunks are read from their file again.
    """
    if strategy.name == "own_chunks":
        file = strategy.config()["file"]
        return f"OwnChunks(file={file!r}, records=read_records(Path({file!r}).read_bytes(), {file!r}))"
    values = (getattr(strategy, name) for name in type(strategy).model_fields)
    ours = type(strategy) in STRATEGIES and not any(isinstance(value, Strategy) for value in values)
    return f"cv.{strategy!r}" if ours else f"cv.strategy_from_config({strategy.config()!r})"
