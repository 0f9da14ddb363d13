"""Where documents come from: files, folders with all that is in them, and standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chunkviz.cli.speech import say
from chunkviz.document import Document
from chunkviz.errors import DocumentError, ParameterError
from chunkviz.loaders import Limits, load, load_bytes

STANDARD_INPUT = "-"
_SPECIAL = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class Source:
    """One document to be loaded."""

    shown: str
    """For messages: the path as it was given, or found in a folder that was."""
    name: str
    """Of the document: the file's, with the folders below the one that was given."""
    path: Path | None
    data: bytes = b""
    """What came by standard input, where there is no path."""

    def load(self, limits: Limits, language: str | None) -> Document:
        """Return the document, in ``language`` where that is not left to be detected.

        Raises
        ------
        DocumentError
            For any reason that ``chunkviz.load`` has.

        """
        if self.path is None:
            document = load_bytes(self.data, self.name, limits=limits)
        else:
            document = load(self.path, limits=limits)
        if document.name != self.name or language is not None:
            document = replace(document, name=self.name, language=language or document.language)
        return document


def find_sources(given: Sequence[str], *, name: str | None, limits: Limits, leave_out: Path | None) -> list[Source]:
    """Return the sources that the arguments name: in their order, those of a folder by path, each once.

    In a folder, hidden files and folders do not count, and links to folders are not followed; nor does the file
    ``leave_out``, which is about to be written. What is neither a file nor a folder is left out, and said.

    Raises
    ------
    ParameterError
        For a name without standard input to bear it.
    DocumentError
        When a folder holds no file.

    """
    if name is not None and STANDARD_INPUT not in given:
        message = f"--name is for standard input; give {STANDARD_INPUT} as the file."
        raise ParameterError(message)
    found: dict[object, Source] = {}
    for each in given:
        if each == STANDARD_INPUT:
            if each not in found:
                data = sys.stdin.buffer.read(limits.max_bytes + 1)
                found[each] = Source("standard input", name or "standard input", None, data)
        elif Path(each).is_dir():
            files = list(_files(Path(each), leave_out))
            if not files:
                message = f"{each} holds no files; give a folder with documents in it."
                raise DocumentError(message)
            for path in files:
                below = path.relative_to(each).as_posix()
                found.setdefault(path.absolute(), Source(str(path), below, path))
        else:
            found.setdefault(Path(each).absolute(), Source(each, Path(each).name, Path(each)))
    return list(found.values())


def _files(folder: Path, leave_out: Path | None) -> Iterator[Path]:
    paths: list[Path] = []
    for at, folders, names in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        paths += [Path(at, each) for each in names if not each.startswith(".")]
    for path in sorted(paths, key=lambda path: path.parts):
        what = _special(path)
        if what is not None:
            say(f"{path} is {what} and no file; it is left out.")
        elif path.resolve() != leave_out:
            yield path


def _special(path: Path) -> str | None:
    """Return what a path in a folder is where it is no file: reading a pipe or a device may never end."""
    try:
        mode = path.stat().st_mode
    except OSError:  # a link to nothing, which its loader tells
        return None
    known = next((what for is_one, what in _SPECIAL if is_one(mode)), "something else")
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else known
