"""Files of questions: what people have, read row by row, and refused in one sentence where it is something else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chunkviz.errors import DocumentError
from chunkviz.rows import Row, decoded, entries, noun_of, parsed, read_rows

_NEEDED = ("question", "references")
_FORMS = "give CSV with the columns question and references, or JSON objects that have both"


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One row as it came: it has a question and references, of whatever kind they are."""

    row: Row
    line: int | None
    """Line of the file it begins on, from 1; None in a JSON array, whose entries are counted instead."""


def question_rows(data: bytes, name: str) -> tuple[QuestionRow, ...]:
    """Return the rows of a CSV, JSON or JSONL file, at least one; whatever its ``name`` ends with.

    JSON is an array, one object a line, or an object that holds the array as ``questions``.

    Raises
    ------
    DocumentError
        Naming file, line and what is missing, for what cannot be read or has no question and references.

    """
    text = decoded(data, name, what="questions")
    if not text.strip():
        message = f"{name} is empty; {_FORMS}."
        raise DocumentError(message)
    of_lines, rows = _rows(text, name)
    table = text.lstrip()[:1] not in {"[", "{"}
    found = []
    for number, row in rows:
        missing = [each for each in _NEEDED if each not in row]
        if missing:
            place = f"{'line' if of_lines else 'entry'} {1 if table else number}"  # in a table it is the header's fault
            raise DocumentError(_missing(name, place, missing, row, table=table))
        found.append(QuestionRow(row, number if of_lines else None))
    if not found:
        message = f"{name} holds no questions; {_FORMS}."
        raise DocumentError(message)
    return tuple(found)


def _missing(name: str, place: str, missing: list[str], row: Row, *, table: bool) -> str:
    has = ", ".join(str(each) for each in row) or "nothing"
    what = ("the header must have the columns", "column") if table else ("it must have the fields", "field")
    which = " and ".join(missing)
    return (
        f"{name}, {place}: {what[0]} {' and '.join(_NEEDED)}, and has {has}; rename or add the {what[1]}"
        f"{'s' if len(missing) > 1 else ''} {which}."
    )


def _rows(text: str, name: str) -> tuple[bool, Iterator[tuple[int, Row]]]:
    """Return whether the numbers are lines, and the numbered rows."""
    if not text.lstrip().startswith("{"):
        return noun_of(text) == "line", read_rows(text, name)
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError):
        if _is_one_object(text):
            parsed(text, name)  # says where it is wrong
        return True, read_rows(text, name)
    if isinstance(whole.get("questions"), list):
        return False, entries(whole["questions"], name)
    return True, iter([(1, whole)])


def _is_one_object(text: str) -> bool:
    """Whether broken JSON is one object over several lines, rather than one a line."""
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        json.loads(lines[0])
    except (ValueError, RecursionError):
        return len(lines) > 1 and not lines[1].lstrip().startswith("{")
    return False
