"""Chunks of other pipelines, kept in the session by document; the link never holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from chunkviz.alignment import align
from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import DocumentError, ParameterError
from chunkviz.placing import Unplaced
from chunkviz.records import TEXT_COLUMNS, column_names, longest_column, read_records
from chunkviz.services import Services
from chunkviz.tokens import Tokenizer, TokenMap
from chunkviz.ui import pins, session
from chunkviz.ui.names import unique

MOST = pins.MOST
"""Settings that stand side by side, pinned ones and own chunks together."""
_KEPT = "own chunks of documents"


@dataclass(frozen=True)
class OwnSetting:
    """The chunks of one file, as a setting with a name."""

    name: str
    """No other own chunks of the document have it."""
    chunking: Chunking = field(repr=False)
    """Its strategy is ``alignment.OwnChunks``; sizes in the tokens that the sidebar counts."""
    file: str
    methods: dict[str, int]
    """How many chunks were placed in which way."""
    unplaced: tuple[Unplaced, ...] = field(repr=False)
    """What was not found in the document, and why."""
    in_order: bool = True
    """Whether the file had them in the order in which they stand in the document."""


@dataclass(frozen=True, slots=True)
class ColumnNeeded:
    """A file whose text stands in a column that somebody has to name."""

    columns: tuple[str, ...]
    longest: str
    """The column with the longest texts, which is likely the one."""


def all(document: Document) -> tuple[OwnSetting, ...]:  # noqa: A001  read as own_chunks.all(document)
    """Return the own chunks of a document, oldest first, counted in the tokens and cut by the language of the sidebar.

    The same objects each time, as long as document and encoding stay.
    """
    kept = _kept().get(document.id, (document, ()))[1]
    tokenizer = _tokenizer()
    return tuple(_as_seen(each, document, tokenizer or each.chunking.tokens.tokenizer) for each in kept)


def shortfalls(document: Document) -> tuple[str, ...]:
    """Return a sentence for each file of own chunks that were not all found in the document."""
    return tuple(
        f"{each.name}: only {len(each.chunking):,} of its {len(each.chunking) + len(each.unplaced):,} chunks were "
        "found in the document; the others count as not there."
        for each in all(document)
        if each.unplaced
    )


def elsewhere(document: Document | None) -> list[tuple[str, tuple[OwnSetting, ...]]]:
    """Return name and own chunks of every other document that has some."""
    own = None if document is None else document.id
    return [(other.name, kept) for identity, (other, kept) in _kept().items() if identity != own and kept]


def add(document: Document, setting: OwnSetting) -> None:
    """Keep own chunks of a document, under a name that no other setting has.

    Raises
    ------
    ParameterError
        When six settings stand side by side already.

    """
    held = _kept().get(document.id, (document, ()))[1]
    if len(held) + len(pins.all()) >= MOST:
        message = f"At most {MOST} settings stand side by side; remove a pin or own chunks first."
        raise ParameterError(message)
    name = unique(setting.name, [each.name for each in held] + [pin.name for pin in pins.all()])
    _hold(document, (*held, replace(setting, name=name)))


def remove(document: Document, name: str) -> None:
    """Remove the own chunks of this name, if there are some."""
    held = _kept().get(document.id, (document, ()))[1]
    _hold(document, tuple(each for each in held if each.name != name))


def rename(document: Document, name: str, wanted: str) -> None:
    """Give own chunks another name; a number is added where another setting has it, a blank one changes nothing."""
    wanted = " ".join(wanted.split())[: pins.LONGEST_NAME]
    held = _kept().get(document.id, (document, ()))[1]
    others = [each.name for each in held if each.name != name] + [pin.name for pin in pins.all()]
    if wanted:
        renamed = unique(wanted, others)
        _hold(document, tuple(replace(each, name=renamed) if each.name == name else each for each in held))
        pins.follow(name, renamed)


def read(
    data: bytes, file: str, document: Document, tokenizer: Tokenizer, *, column: str | None, most: int,
    report: Callable[[float], None],
) -> OwnSetting | ColumnNeeded:  # fmt: skip
    """Read a file of at most ``most`` bytes and find its chunks in the document; the work of a job.

    Raises
    ------
    DocumentError, ParameterError
        For a file that cannot be read, is too large, or of which nothing is in the document.
    Cancelled
        When ``report``, which is told the share done (0 to 1), says that nobody wants the result.

    """
    if len(data) > most:
        message = f"{file} has {len(data):,} bytes; chunks are taken from files of at most {most:,}."
        raise DocumentError(message)
    columns = column_names(data, file)
    if not columns:
        message = f"{file} holds no chunks; give a file with a row for each chunk."
        raise DocumentError(message)
    if column is None and not set(columns) & set(TEXT_COLUMNS):
        return ColumnNeeded(columns, longest_column(data, file))
    records = read_records(data, file, column=column)
    report(0.05)
    TokenMap.of(document, tokenizer).prepare(lambda share: report(0.05 + 0.25 * share))
    services = Services(tokenizer, report=lambda share: report(0.3 + 0.7 * share))
    found = align(document, records, file=file, services=services)
    stem = " ".join(file.rsplit(".", 1)[0].split()) or "own chunks"
    return OwnSetting(stem[: pins.LONGEST_NAME], found.chunking, file, found.methods, found.unplaced, found.in_order)


def _as_seen(setting: OwnSetting, document: Document, tokenizer: Tokenizer) -> OwnSetting:
    """Return own chunks with the same spans, of this document object and counted by this tokenizer."""
    chunking = setting.chunking
    if chunking.document is document and chunking.tokens.tokenizer.name == tokenizer.name:
        return setting

    def make() -> Chunking:
        tokens = TokenMap.of(document, tokenizer)
        chunks = tuple(replace(chunk, document=document, tokens=tokens) for chunk in chunking)
        return replace(chunking, document=document, tokens=tokens, chunks=chunks)

    return replace(
        setting, chunking=document.derive(("own chunks", id(chunking), tokenizer.name), lambda: (chunking, make()))[1]
    )


def _tokenizer() -> Tokenizer | None:
    """Return the tokenizer that the sidebar counts with."""
    setting = session.get("setting")
    return None if setting is None or setting.services is None else setting.services.tokenizer


def _kept() -> dict[str, tuple[Document, tuple[OwnSetting, ...]]]:
    kept: dict[str, tuple[Document, tuple[OwnSetting, ...]]] = session.keep(_KEPT, dict)
    return kept


def _hold(document: Document, settings: tuple[OwnSetting, ...]) -> None:
    _kept()[document.id] = (document, settings)
