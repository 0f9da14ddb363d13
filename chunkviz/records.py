"""Chunks that another pipeline made, read from JSON Lines, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chunkviz.errors import DocumentError, UnknownNameError

TEXT_COLUMNS = ("text", "page_content", "content", "chunk")
"""Where the text of a chunk is looked for, in this order."""
START_COLUMNS = ("start", "start_index", "start_char_idx", "start_offset")
END_COLUMNS = ("end", "end_index", "end_char_idx", "end_offset")
MAX_BYTES = 100_000_000
MAX_RECORDS = 200_000
_DELIMITERS = ",;\t|"


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
    text = _decoded(data, name)
    records: list[Record] = []
    noun = "entry" if text.lstrip()[:1] == "[" else "line"
    for line, row in _rows(text, name):
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
    first = next(_rows(_decoded(data, name), name), None)
    return () if first is None else tuple(str(each) for each in first[1] if each is not None)


def _decoded(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        message = f"{name} has {len(data):,} bytes; chunks are read from files of at most {MAX_BYTES:,}."
        raise DocumentError(message)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}, line {line}: it must be UTF-8, and byte {error.start:,} is not; save it as UTF-8."
        raise DocumentError(message) from None


def _rows(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    match text.lstrip()[:1]:
        case "[":
            return _array(text, name)
        case "{":
            return _lines(text, name)
        case _:
            return _table(text, name)


def _lines(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line, source in enumerate(text.split("\n"), start=1):
        if source.strip():
            yield line, _object(_json(source, name, line), name, line)


def _array(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, each in enumerate(_json(text, name, 1), start=1):
        if not isinstance(each, dict):
            message = f"{name}, entry {number}: each must be a JSON object, not {_shown(each)}."
            raise DocumentError(message)
        yield number, each


def _json(source: str, name: str, line: int) -> Any:
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        message = f"{name}, {place}: it must be JSON ({error.msg}); give one whole object a line."
        raise DocumentError(message) from None
    except (RecursionError, ValueError):  # nested too deep, or a number of too many digits
        message = f"{name}, line {line}: it is nested too deep, or holds a number too long, to be read."
        raise DocumentError(message) from None


def _object(value: Any, name: str, line: int) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        message = f"{name}, line {line}: each line must be a JSON object, not {_shown(value)}."
        raise DocumentError(message)
    return value


def _table(text: str, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    header = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    before = csv.field_size_limit(MAX_BYTES)  # the default refuses a chunk of 131,072 characters
    line = 1
    try:
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for row in rows:
            if None in row:
                message = (
                    f"{name}, line {line + 1}: it has more columns than the header's {len(rows.fieldnames or ())}."
                )
                raise DocumentError(message)
            yield line + 1, row
            line = rows.line_num
    except csv.Error as error:
        message = f"{name}, line {line + 1}: it must be CSV ({error}); quote texts that hold quotes or line ends."
        raise DocumentError(message) from None
    finally:
        csv.field_size_limit(before)


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
        message = f"{place}, column {key}: it must be a text, not {_shown(text)}."
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
                message = f"{place}, column {key}: it must be a whole number from 0 on, not {_shown(value)}."
                raise DocumentError(message)
            return offset
    return None


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004  a sentence stays readable
