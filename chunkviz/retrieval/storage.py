"""An index in a folder: ``index.json``, ``vectors.npy`` where there are vectors, and a file of text per document.

Everything is read as data: JSON, text, and an array without Python objects. What is loaded is checked before it is
used, so that a damaged or foreign folder gives one sentence.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from chunkviz.chunk import Chunk
from chunkviz.document import Document, Format
from chunkviz.embedding import default_embedder
from chunkviz.errors import ChunkvizError, ParameterError
from chunkviz.retrieval.rankings import RANKINGS, Ranking
from chunkviz.services import Services
from chunkviz.span import Span
from chunkviz.tokens import TokenMap, get_tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.retrieval.index import Index

_FORMAT = "chunkviz index"
_VERSION = 2
_FILE, _VECTORS = "index.json", "vectors.npy"


@dataclass(frozen=True)
class Stored:
    """What an index is made of."""

    chunks: tuple[Chunk, ...]
    documents: tuple[Document, ...]
    ranking: Ranking
    services: Services
    rows: NDArray[np.float32] | None


def save(index: Index, folder: Path) -> None:
    """Write an index; a folder that holds one is written anew. Raises as ``Index.save`` says."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / _FILE).is_file())):
        message = f"folder must be new, empty or an index saved before, and {folder} is not; choose another one."
        raise ParameterError(message)
    places = {document.id: place for place, document in enumerate(index.documents)}
    parents = _parents(index.chunks)
    numbers = {id(parent): number for number, parent in enumerate(parents)}
    made = {
        "format": _FORMAT,
        "version": _VERSION,
        "ranking": index.ranking,
        "embedder": index.embedder,
        "tokenizer": index.chunks[0].tokens.tokenizer.name if index.chunks else index.services.tokenizer.name,
        "documents": [_described(document) for document in index.documents],
        "parents": [_row(each, places, numbers) for each in parents],
        "chunks": [_row(each, places, numbers) for each in index.chunks],
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place, document in enumerate(index.documents):
            (folder / f"document-{place}.txt").write_bytes(document.text.encode("utf-8", "surrogatepass"))
        if index.vectors is not None:
            np.save(folder / _VECTORS, index.vectors, allow_pickle=False)
        # Last, so that what was interrupted is no index.
        (folder / _FILE).write_text(json.dumps(made, default=str), encoding="utf-8")
    except OSError as error:
        message = f"folder must be one that can be written, and {folder} is not ({error.strerror or error})."
        raise ParameterError(message) from error


def load(folder: Path, services: Services | None) -> Stored:
    """Read an index; raises ``ParameterError`` as ``Index.load`` says."""
    try:
        data = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise _DamagedError(_FILE + " is something else")
        if data["version"] != _VERSION:
            message = (
                f"The index in {folder} has version {data['version']}, and this chunkviz reads version {_VERSION}; "
                "make it again."
            )
            raise ParameterError(message)
        return _read(folder, data, services)
    except ChunkvizError:
        raise
    except FileNotFoundError as error:
        message = f"folder must hold an index that chunkviz saved, and {folder} has no {Path(error.filename).name}."
        raise ParameterError(message) from error
    except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        message = f"The index in {folder} is damaged ({reason}); make it again."
        raise ParameterError(message) from error


class _DamagedError(ValueError):
    """Says what is wrong with a file."""


def _require(fine: bool, wrong: str) -> None:  # noqa: FBT001  a condition
    if not fine:
        raise _DamagedError(wrong)


def _described(document: Document) -> dict[str, Any]:
    return {
        "id": document.id,
        "name": document.name,
        "pages": [[page.start, page.end] for page in document.pages],
        "title": document.title,
        "language": document.language,
        "changes": list(document.changes),
        "sha256": document.sha256,
        "format": document.format,
    }


def _parents(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Return all parents, each once and behind its own parent."""
    found: dict[int, Chunk] = {}

    def visit(parent: Chunk | None) -> None:
        if parent is not None and id(parent) not in found:
            visit(parent.parent)
            found[id(parent)] = parent

    for chunk in chunks:
        visit(chunk.parent)
    return list(found.values())


def _row(chunk: Chunk, places: dict[str, int], numbers: dict[int, int]) -> list[Any]:
    above = None if chunk.parent is None else numbers[id(chunk.parent)]
    return [
        places[chunk.document_id], chunk.start, chunk.end, chunk.index, chunk.level, above,
        chunk.context, chunk.context_error, [list(each) for each in chunk.extra],
    ]  # fmt: skip


def _read(folder: Path, data: dict[str, Any], services: Services | None) -> Stored:
    _require(data["ranking"] in RANKINGS, f"there is no ranking {data['ranking']!r}")
    services = _services(folder, data, services)
    documents = tuple(_document(folder, place, each) for place, each in enumerate(data["documents"]))
    maps = [TokenMap.of(document, services.tokenizer) for document in documents]
    parents: list[Chunk] = []
    for row in data["parents"]:
        parents.append(_chunk(row, documents, maps, parents))
    chunks = tuple(_chunk(row, documents, maps, parents) for row in data["chunks"])
    rows = None
    if data["ranking"] != "lexical":
        rows = np.load(folder / _VECTORS, allow_pickle=False)
        fitting = rows.dtype == np.float32 and rows.ndim == 2 and len(rows) == len(chunks)  # noqa: PLR2004
        _require(fitting, f"{_VECTORS} does not hold one vector for each chunk")
    return Stored(chunks, documents, data["ranking"], services, rows)


def _services(folder: Path, data: dict[str, Any], given: Services | None) -> Services:
    """Return services of the names that the index was made with."""
    tokenizer, embedder = data["tokenizer"], data["embedder"]
    if given is None:
        given = Services(tokenizer=get_tokenizer(tokenizer))
    own = (given.embedder or default_embedder()).name
    for what, needed, has in (("tokenizer", tokenizer, given.tokenizer.name), ("embedder", embedder, own)):
        if needed is not None and needed != has:
            message = (
                f"The index in {folder} was made with the {what} {needed!r}, not {has!r}; give it in services to load."
            )
            raise ParameterError(message)
    return given


def _document(folder: Path, place: int, facts: dict[str, Any]) -> Document:
    _require(facts["format"] in get_args(Format), f"there is no format {facts['format']!r}")
    text = (folder / f"document-{place}.txt").read_bytes().decode("utf-8", "surrogatepass")
    document = Document(
        text,
        name=facts["name"],
        pages=tuple(Span(start, end) for start, end in facts["pages"]),
        title=facts["title"],
        language=facts["language"],
        changes=tuple(facts["changes"]),
        sha256=facts["sha256"],
        format=facts["format"],
    )
    _require(document.id == facts["id"], f"document-{place}.txt is not the text that was indexed")
    return document


def _chunk(row: list[Any], documents: tuple[Document, ...], maps: list[TokenMap], parents: list[Chunk]) -> Chunk:
    place, start, end, index, level, above, context, failed, extra = row
    for number, limit in ((place, len(documents)), (above or 0, len(parents) + (above is None))):
        there = isinstance(number, int) and 0 <= number < limit
        _require(there, "a chunk names a document or parent that is not there")
    document = documents[place]
    whole = all(isinstance(each, int) for each in (start, end, index, level))
    _require(whole and 0 <= start < end <= len(document.text), "a chunk lies outside its document")
    texts = all(each is None or isinstance(each, str) for each in (context, failed))
    _require(texts, "the context of a chunk is no text")
    parent = None if above is None else parents[above]
    pairs = tuple((str(name), _frozen(value)) for name, value in extra)
    return Chunk(document, start, end, index, maps[place], parent, context, failed, pairs, level)


def _frozen(value: Any) -> Any:
    """Return lists of JSON as the tuples they were."""
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value
