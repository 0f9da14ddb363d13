"""Rows of a small file that somebody made elsewhere: JSON Lines, JSON or CSV, each with the line it begins on."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from chunkviz.errors import DocumentError

MAX_BYTES = 100_000_000
Row: TypeAlias = Mapping[str, Any]
_DELIMITERS = ",;\t|"
_SHOWN = 40
"""Characters of a value that a sentence quotes."""


def decoded(data: bytes, name: str, *, what: str) -> str:
    """Return the text of a file of ``what``, a noun for the messages.

    Raises
    ------
    DocumentError
        Naming the file, for more than ``MAX_BYTES``, and naming the line for what is not UTF-8.

    """
    if len(data) > MAX_BYTES:
        message = f"{name} has {len(data):,} bytes; {what} are read from files of at most {MAX_BYTES:,}."
        raise DocumentError(message)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}, line {line}: it must be UTF-8, and byte {error.start:,} is not; save it as UTF-8."
        raise DocumentError(message) from None


def noun_of(text: str) -> str:
    """Return what the numbers of ``read_rows`` count: "entry" of a JSON array, else "line"."""
    return "entry" if text.lstrip()[:1] == "[" else "line"


def read_rows(text: str, name: str) -> Iterator[tuple[int, Row]]:
    """Yield number and row of a JSON array, of one JSON object a line, or of CSV with a header.

    The number is the line a row begins on, from 1; in a JSON array, which entry it is. The ending of ``name`` does
    not matter: files often hold something else than it says.

    Raises
    ------
    DocumentError
        Naming file and line, for what cannot be read.

    """
    match text.lstrip()[:1]:
        case "[":
            return entries(parsed(text, name), name)
        case "{":
            return _lines(text, name)
        case _:
            return _table(text, name)


def entries(values: list[Any], name: str) -> Iterator[tuple[int, Row]]:
    """Yield number and row of the entries of a JSON array; raises ``DocumentError`` for one that is no object."""
    for number, each in enumerate(values, start=1):
        if not isinstance(each, dict):
            message = f"{name}, entry {number}: each must be a JSON object, not {shown(each)}."
            raise DocumentError(message)
        yield number, each


def parsed(source: str, name: str, line: int = 1) -> Any:
    """Return the value of JSON that begins on a line; raises ``DocumentError`` naming the line and the place in it."""
    try:
        return json.loads(source)
    except json.JSONDecodeError as error:
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        message = f"{name}, {place}: it must be JSON ({error.msg}); give one whole object a line."
        raise DocumentError(message) from None
    except (RecursionError, ValueError):  # nested too deep, or a number of too many digits
        message = f"{name}, line {line}: it is nested too deep, or holds a number too long, to be read."
        raise DocumentError(message) from None


def shown(value: Any) -> str:
    """Return a value as a sentence quotes it: JSON, cut short."""
    text = json.dumps(value, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _lines(text: str, name: str) -> Iterator[tuple[int, Row]]:
    for line, source in enumerate(text.split("\n"), start=1):
        if source.strip():
            value = parsed(source, name, line)
            if not isinstance(value, dict):
                message = f"{name}, line {line}: each line must be a JSON object, not {shown(value)}."
                raise DocumentError(message)
            yield line, value


def _table(text: str, name: str) -> Iterator[tuple[int, Row]]:
    header = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    before = csv.field_size_limit(MAX_BYTES)  # the default refuses a cell of 131,072 characters
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
