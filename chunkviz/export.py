"""A chunking as data for elsewhere, and as the Python lines that make it again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from chunkviz.chunk import Chunking
from chunkviz.document import without_surrogates

COLUMNS = (
    "index", "id", "document_id", "document", "start", "end", "text", "token_count", "overlap", "headings", "page",
    "parent_id", "context", "begins", "ends",
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
        line = json.dumps(row, ensure_ascii=False)
        plain = without_surrogates(line) == line and len(line.splitlines()) == 1
        lines.append(line if plain else json.dumps(row))
    return "".join(f"{line}\n" for line in lines).encode()


def to_csv(chunking: Chunking, *, header: bool = True) -> bytes:
    """Return CSV, UTF-8, with a header row unless it follows other rows.

    Headings are joined by " > ", a lone surrogate becomes U+FFFD.
    """
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    if header:
        writer.writeheader()
    for row in rows(chunking):
        writer.writerow({**row, "headings": " > ".join(row["headings"])})
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
    """Return a ``pyarrow.Table`` with typed columns, the same for every chunking; a lone surrogate becomes U+FFFD."""
    import pyarrow as pa  # noqa: PLC0415  heavy, and only needed here

    text = pa.string()
    schema = pa.schema(
        [
            ("index", pa.int64()), ("id", text), ("document_id", text), ("document", text), ("start", pa.int64()),
            ("end", pa.int64()), ("text", text), ("token_count", pa.int64()), ("overlap", pa.int64()),
            ("headings", pa.list_(text)), ("page", pa.int32()), ("parent_id", text), ("context", text),
            ("begins", text), ("ends", text),
        ]
    )  # fmt: skip
    return pa.Table.from_pylist([_utf8(row) for row in rows(chunking)], schema=schema)


def _utf8(row: dict[str, Any]) -> dict[str, Any]:
    clean = {key: without_surrogates(value) if isinstance(value, str) else value for key, value in row.items()}
    return {**clean, "headings": [without_surrogates(title) for title in row["headings"]]}


def to_python(chunking: Chunking, *, sample: str | None = None) -> str:
    """Return the lines that make this chunking again from the document's file, or from a bundled ``sample``."""
    document = chunking.document
    lines = ["import dataclasses"] if document.language else []
    lines += ["import chunkviz as cv"]
    if sample is None:
        lines += ["", f"document = cv.load({document.name or 'document.txt'!r})"]
    else:
        lines += ["from chunkviz.samples import load_sample", "", f"document = load_sample({sample!r})"]
    if document.language:
        lines += [f"document = dataclasses.replace(document, language={document.language!r})"]
    lines += [
        f"services = cv.Services(tokenizer=cv.get_tokenizer({chunking.tokens.tokenizer.name!r}))",
        f"chunking = cv.{chunking.strategy!r}.chunk(document, services)",
        "",
        "for chunk in chunking:",
        "    print(chunk.index, chunk.start, chunk.end, chunk.token_count)",
    ]
    return "\n".join(lines) + "\n"
