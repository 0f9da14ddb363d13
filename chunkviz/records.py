"""Chunks that another pipeline made, read from JSON Lines, JSON or CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from chunkviz.errors import DocumentError, UnknownNameError
from chunkviz.rows import decoded, noun_of, read_rows, shown

TEXT_COLUMNS = ("text", "page_content", "content", "chunk")
"""Where the text of a chunk is looked for, in this order."""
START_COLUMNS = ("start", "start_index", "start_char_idx", "start_offset")
END_COLUMNS = ("end", "end_index", "end_char_idx", "end_offset")
MAX_RECORDS = 200_000
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Record:
    """One chunk as it came: its text, and where it says it stands."""

    number: int
    """From 1, in the order of the file."""
    line: int
    """Line of the file it begins on, from 1; in a JSON array, which entry it is."""
    text: str
    start: int | None = None
    end: int | None = None


def read_records(data: bytes, name: str, *, column: str | None = None) -> tuple[Record, ...]:
    """Return the chunks of a file: a JSON array, one JSON object a line, or CSV with a header.

    ``column`` names the column of the text; it is one of ``TEXT_COLUMNS`` otherwise. Offsets are read
    from ``START_COLUMNS`` and ``END_COLUMNS``, of the object or of its "metadata", where there are any.

    Raises
    ------
    DocumentError
        Naming file, line and column, for what cannot be read or is too large.
    UnknownNameError
        When there is no column of that name.

    """
    text = decoded(data, name, what="chunks")
    records: list[Record] = []
    noun = noun_of(text)
    for line, row in read_rows(text, name):
        place = f"{name}, {noun} {line}"
        if len(records) == MAX_RECORDS:
            message = f"{place}: a file may hold {MAX_RECORDS:,} chunks, and it has more; split it."
            raise DocumentError(message)
        records.append(_record(len(records) + 1, line, row, place, column))
    if not records:
        message = f"{name} holds no chunks; give one JSON object a line, or CSV with a header and a row for each."
        raise DocumentError(message)
    return tuple(records)


def column_names(data: bytes, name: str) -> tuple[str, ...]:
    """Return the names of the columns of a file's first chunk, so that one can be chosen for the text; () for none.

    Raises
    ------
    DocumentError
        Naming file and line, for what cannot be read or is too large.

    """
    first = next(read_rows(decoded(data, name, what="chunks"), name), None)
    return () if first is None else tuple(str(each) for each in first[1] if each is not None)


def longest_column(data: bytes, name: str) -> str:
    """Return the column whose texts are longest in the first rows of a file that has some: likely the chunks'."""
    sizes: Counter[str] = Counter()
    for _, row in islice(read_rows(decoded(data, name, what="chunks"), name), _LOOKED_AT):
        sizes.update({str(key): len(value) if isinstance(value, str) else 0 for key, value in row.items()})
    return max(sizes, key=sizes.__getitem__)


def _record(number: int, line: int, row: Mapping[str, Any], place: str, column: str | None) -> Record:
    if column is not None and column not in row:
        what = f"{place}: column"
        raise UnknownNameError(what, column, [str(each) for each in row])
    key = column or next((each for each in TEXT_COLUMNS if each in row), None)
    if key is None:
        columns = ", ".join(str(each) for each in row) or "none"
        message = (
            f"{place}: a chunk needs its text in one of the columns {', '.join(TEXT_COLUMNS)}, and there "
            f"are only: {columns}; name the column."
        )
        raise DocumentError(message)
    text = row[key]
    if not isinstance(text, str):
        message = f"{place}, column {key}: it must be a text, not {shown(text)}."
        raise DocumentError(message)
    metadata = row.get("metadata")
    sources = [row, metadata] if isinstance(metadata, dict) else [row]
    start, end = (_offset(sources, names, place) for names in (START_COLUMNS, END_COLUMNS))
    return Record(number, line, text, start, end)


def _offset(sources: Sequence[Mapping[str, Any]], names: Sequence[str], place: str) -> int | None:
    for source in sources:
        for key in names:
            value = source.get(key)
            if value is None or value == "":
                continue
            try:
                offset = int(value) if isinstance(value, str | int) and not isinstance(value, bool) else -1
            except ValueError:
                offset = -1
            if offset < 0:
                message = f"{place}, column {key}: it must be a whole number from 0 on, not {shown(value)}."
                raise DocumentError(message)
            return offset
    return None
