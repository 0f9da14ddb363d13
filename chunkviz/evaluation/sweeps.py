"""Many settings, one after another: told how far it is, stopped at any time, and taken up where it was left."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.embedding import default_embedder
from chunkviz.errors import Cancelled, ChunkvizError, DocumentError, ParameterError, UnknownNameError
from chunkviz.evaluation.questions import Question
from chunkviz.evaluation.remembering import RememberingEmbedder, remembering
from chunkviz.evaluation.results import Evaluation
from chunkviz.evaluation.run import BUDGETS, check_request, evaluate
from chunkviz.progress import part
from chunkviz.retrieval import RANKINGS, Ranking
from chunkviz.services import Embedder, Services
from chunkviz.strategies import Strategy, strategy_from_config

_VERSION = 1
"""Of what is measured; numbers of another version are measured again."""
_CHUNKING = 0.4
"""Share of a setting's progress until its chunks are there and counted."""
_PLACED = 0.8
"""Share of that until they are there."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A setting that could not be evaluated; the others are all the same."""

    strategy: str
    reason: str


@dataclass(frozen=True, slots=True)
class Grid:
    """The settings of a sweep, and the combinations that no strategy can have."""

    strategies: tuple[Strategy, ...]
    left_out: tuple[tuple[dict[str, Any], str], ...] = ()


def grid(strategy: Strategy, **values: Sequence[Any]) -> Grid:
    """Return ``strategy`` with every combination of the values of one or two parameters, the last turning fastest.

    Raises
    ------
    ParameterError
        Without values, or for more than two parameters.

    """
    if not 1 <= len(values) <= 2 or not all(values.values()):  # noqa: PLR2004  what a picture can show
        message = f"a sweep must have values for one or two parameters, not for {', '.join(values) or 'none'}."
        raise ParameterError(message)
    made: list[Strategy] = []
    left_out: list[tuple[dict[str, Any], str]] = []
    for combination in itertools.product(*values.values()):
        chosen = dict(zip(values, combination, strict=True))
        try:
            made.append(strategy_from_config({**strategy.config(), **chosen}))
        except ParameterError as error:
            left_out.append((chosen, str(error)))
    return Grid(tuple(made), tuple(left_out))


class ResultsFile(MutableMapping[str, dict[str, Any]]):
    """Results kept in a file, a line of JSON each, so that what was measured survives whatever ends the sweep.

    A last line that was not written whole is measured again.

    Raises
    ------
    DocumentError
        When the file cannot be read or written, or holds something else.

    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._rows: dict[str, dict[str, Any]] = {}
        try:
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        except OSError as error:
            raise self._error(error.strerror or str(error)) from error
        for number, line in enumerate(lines, start=1):
            try:
                if line:
                    row = json.loads(line)
                    self._rows[row["key"]] = row["result"]
            except (ValueError, KeyError, TypeError) as error:
                if number < len(lines):
                    message = f"line {number} is no result of a sweep"
                    raise self._error(message) from error
        if lines and lines[-1]:
            self._write(b"\n".join(lines[:-1]) + (b"\n" if lines[:-1] else b""), "wb")

    def _error(self, reason: str) -> DocumentError:
        return DocumentError(f"The results in {self.path} cannot be used ({reason}); name another file.")

    def _write(self, data: bytes, mode: str) -> None:
        try:
            with self.path.open(mode) as stream:
                stream.write(data)
        except OSError as error:
            raise self._error(error.strerror or str(error)) from error

    def __getitem__(self, key: str) -> dict[str, Any]:
        """Return the row of a setting."""
        return self._rows[key]

    def __setitem__(self, key: str, row: dict[str, Any]) -> None:
        """Keep a row, in the file before all else."""
        self._write(json.dumps({"key": key, "result": row}).encode() + b"\n", "ab")
        self._rows[key] = row

    def __delitem__(self, key: str) -> None:
        """Refuse: what was measured is kept."""
        message = f"results are kept; remove {self.path} to measure all anew."
        raise ParameterError(message)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys."""
        return iter(self._rows)

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self._rows)


def sweep(
    documents: Document | Sequence[Document],
    strategies: Sequence[Strategy],
    questions: Sequence[Question],
    *,
    k: int = 5,
    ranking: Ranking = "lexical",
    services: Services | None = None,
    budgets: Sequence[int] = BUDGETS,
    unit: str = "tokens",
    embedder: Embedder | None = None,
    done: MutableMapping[str, dict[str, Any]] | None = None,
    report: Callable[[float], None] = lambda _: None,
) -> tuple[Evaluation | Failure, ...]:
    """Return what each strategy reaches on the same documents and questions, in their order.

    Parameters
    ----------
    embedder
        What a dense or hybrid ranking asks, so that all settings are searched with the same; None takes that of
        ``services``, which strategies ask.
    done
        What was measured before, and where what is measured now is kept: a dict, or a ``ResultsFile``. A setting
        that is there, with the same documents, questions and services, is not measured again.
    report
        Told the share done, 0 to 1; raises ``Cancelled`` to stop. What was measured until then is in ``done``.

    Raises
    ------
    Cancelled
        When ``report`` or ``services.report`` does.
    ParameterError, UnknownNameError
        As of ``evaluate``, for what concerns every setting.

    """
    known = (documents,) if isinstance(documents, Document) else tuple(documents)
    check_request(known, questions, k, budgets, unit)
    if ranking not in RANKINGS:
        what = "ranking"
        raise UnknownNameError(what, str(ranking), RANKINGS)
    services = services or Services()
    kept: MutableMapping[str, dict[str, Any]] = {} if done is None else done
    found: list[Evaluation | Failure] = []
    searching = services if embedder is None else replace(services, embedder=embedder)
    ranked_by = remembering(searching.embedder or default_embedder(), [each.question for each in questions])
    for number, strategy in enumerate(strategies):

        def told(share: float, number: int = number) -> None:
            services.report((number + share) / len(strategies))
            report((number + share) / len(strategies))

        key = _key(known, strategy, questions, (k, ranking, list(budgets), unit), services, searching)
        if key not in kept:
            try:
                chunkings = _chunked(known, strategy, services, told)
                indexing = replace(searching, embedder=ranked_by, report=_behind(told))
                made = evaluate(
                    chunkings, questions, k=k, ranking=ranking, services=indexing, budgets=budgets, unit=unit
                )
            except Cancelled:
                raise
            except ChunkvizError as error:
                found.append(Failure(repr(strategy), str(error)))
                continue
            finally:
                if isinstance(ranked_by, RememberingEmbedder):
                    ranked_by.next_setting()
            kept[key] = made.to_row()
        found.append(Evaluation.from_row(kept[key]))
        told(1.0)
    return tuple(found)


def _chunked(
    documents: Sequence[Document], strategy: Strategy, services: Services, told: Callable[[float], None]
) -> list[Chunking]:
    chunkings = []
    for place, document in enumerate(documents):

        def chunked(share: float, place: int = place) -> None:
            told(_CHUNKING * (place + share) / len(documents))

        chunking = strategy.chunk(document, replace(services, report=part(chunked, 0.0, _PLACED)))
        chunking.prepare(part(chunked, _PLACED, 1.0))
        chunkings.append(chunking)
    return chunkings


def _behind(told: Callable[[float], None]) -> Callable[[float], None]:
    """Return what the index reports to: its work comes behind the chunking."""
    return lambda share: told(_CHUNKING + (1 - _CHUNKING) * share)


def _key(
    documents: Sequence[Document],
    strategy: Strategy,
    questions: Sequence[Question],
    asked: tuple[Any, ...],
    services: Services,
    searching: Services,
) -> str:
    """Return a digest of all that the numbers depend on."""
    facts = {
        "version": _VERSION,
        "documents": [(each.id, each.language, each.format) for each in documents],
        "strategy": repr(strategy),
        "questions": [
            [each.question, [(one.document_id, one.span.start, one.span.end) for one in each.references]]
            for each in questions
        ],
        "asked": asked,
        "tokenizer": services.tokenizer.name,
        "embedder": repr(_named(services.embedder or default_embedder())),
        "searched": repr(_named(searching.embedder or default_embedder())),
        "writer": None if services.writer is None else services.writer.name,
    }
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _named(embedder: Any) -> tuple[Any, ...]:
    return (embedder.name, getattr(embedder, "dimensions", None))
