"""Chunks on their way out, a document at a time: to standard output, or to a file that is whole or not there."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from chunkviz import export
from chunkviz.chunk import Chunking
from chunkviz.errors import ChunkvizError, ParameterError, UnknownNameError


class Sheet(ABC):
    """Writes the chunks of one document after another to a binary stream."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.parts = 0

    def add(self, part: Any) -> None:
        """Write what the format's ``encode`` made of one document."""
        self.parts += 1
        self._write(part)

    @abstractmethod
    def _write(self, part: Any) -> None: ...

    def finish(self) -> None:
        """Write what comes behind the last document, where that is anything."""
        return


class _Lines(Sheet):
    def _write(self, part: bytes) -> None:
        self.stream.write(part)


class _Csv(_Lines):
    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self.stream.write(",".join(export.COLUMNS).encode() + b"\r\n")


class _Parquet(Sheet):
    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(stream)
        self._writer: Any = None

    def _write(self, part: Any) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415  heavy, and only needed here

        if self._writer is None:
            self._writer = pq.ParquetWriter(self.stream, part.schema)
        self._writer.write_table(part)

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.close()


class Format(NamedTuple):
    """How chunks are written."""

    encode: Callable[[Chunking], Any]
    """What a worker makes of one document."""
    sheet: type[Sheet]
    binary: bool


FORMATS = {
    "jsonl": Format(export.to_jsonl, _Lines, binary=False),
    "csv": Format(lambda chunking: export.to_csv(chunking, header=False), _Csv, binary=False),
    "parquet": Format(export.to_table, _Parquet, binary=True),
}
"""Each under the name that is also its ending."""


def format_of(name: str | None, out: Path | None) -> str:
    """Return the name of the format: as named, or by the ending of the file, or else JSONL.

    Raises
    ------
    ParameterError
        For an ending that says nothing or another format than the name, and where a terminal would be
        shown what is no text.

    """
    ending = "" if out is None else out.suffix.lower().removeprefix(".")
    if name is not None and ending in FORMATS and ending != name:
        message = f"--format {name} and the ending of --out {out} name two formats; leave one of them out."
        raise ParameterError(message)
    if name is None and out is not None:
        name = ending
        if name not in FORMATS:
            what = "ending of --out:"
            raise UnknownNameError(what, out.suffix, [f".{each}" for each in FORMATS])
    name = name or next(iter(FORMATS))
    if out is None and FORMATS[name].binary and sys.stdout.isatty():
        message = f"{name} is no text for a terminal; give a file with --out."
        raise ParameterError(message)
    return name


@contextmanager
def opened(out: Path | None, form: Format) -> Iterator[Sheet]:
    """Give a sheet to write to.

    A file is written beside its place under another name, and takes its place only when all is done: an error, or
    Ctrl-C, leaves what was there before, as does a run that adds nothing.

    Raises
    ------
    ChunkvizError
        When the file cannot be written.

    """
    if out is None:
        sheet = form.sheet(sys.stdout.buffer)
        yield sheet
        sheet.finish()
        sys.stdout.buffer.flush()
        return
    place = Path(os.path.realpath(out))
    if place.exists() and not place.is_file():
        message = f"--out must name a file, and {out} is none."
        raise ParameterError(message)
    beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as stream:
            sheet = form.sheet(stream)
            yield sheet
            sheet.finish()
            stream.flush()
            os.fsync(stream.fileno())
        if sheet.parts:
            if place.exists():
                shutil.copymode(place, beside)
            beside.replace(place)
    except OSError as error:
        message = f"{out} could not be written ({error.strerror or error}); check the folder and the space left."
        raise ChunkvizError(message) from error
    finally:
        beside.unlink(missing_ok=True)
