"""The documents that come with chunkviz, each with what makes it hard."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, UnknownNameError
from chunkviz.loaders import load


@dataclass(frozen=True, slots=True)
class Sample:
    """One bundled document."""

    id: str
    file: str
    title: str
    kind: str
    language: str
    difficulty: str
    look_for: str


@lru_cache(maxsize=1)
def app_folder() -> Path:
    """Return the folder that holds app.py, pages and sample_docs: the checkout, or its copy in the wheel.

    Raises
    ------
    ChunkvizError
        When chunkviz was installed without them.

    """
    package = Path(__file__).resolve().parent
    for folder in (package / "_app", package.parent):
        if (folder / "app.py").is_file() and (folder / "sample_docs").is_dir():
            return folder
    message = "chunkviz was installed without its app; install it again from a wheel or a checkout."
    raise ChunkvizError(message)


@lru_cache(maxsize=1)
def list_samples() -> tuple[Sample, ...]:
    """Return the bundled documents in gallery order."""
    data = tomllib.loads((app_folder() / "sample_docs" / "samples.toml").read_text(encoding="utf-8"))
    entries = next(iter(data.values()))
    return tuple(Sample(**entry) for entry in entries)


def load_sample(identifier: str) -> Document:
    """Return the bundled document ``identifier``.

    Raises
    ------
    UnknownNameError
        With the samples there are.

    """
    for sample in list_samples():
        if sample.id == identifier:
            return load(app_folder() / "sample_docs" / sample.file)
    what = "sample"
    raise UnknownNameError(what, identifier, [sample.id for sample in list_samples()])


def questions_file() -> Path:
    """Return the file of questions about the bundled documents, for ``chunkviz.evaluation.load_questions``."""
    return app_folder() / "sample_docs" / "questions.jsonl"
