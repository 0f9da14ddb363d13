"""``chunkviz evaluate``: which strategies find the text that answers questions, in numbers."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chunkviz.cli import consent, services
from chunkviz.cli.arguments import make_strategy, named_strategy, whole_from_one
from chunkviz.cli.scores import HEADER, legend, row_of, to_file, writable
from chunkviz.cli.sources import find_sources
from chunkviz.cli.speech import Progress, say, write_text
from chunkviz.cli.tables import table
from chunkviz.cli.trials import Trial, trials
from chunkviz.cli.work import explain
from chunkviz.errors import DocumentError
from chunkviz.evaluation import BUDGETS, Evaluation, Failure, Question, ResultsFile, load_questions
from chunkviz.evaluation.run import UNITS
from chunkviz.retrieval import RANKINGS, Index
from chunkviz.settings import Settings
from chunkviz.strategies import list_strategies

if TYPE_CHECKING:
    from chunkviz.cli.arguments import Commands
    from chunkviz.document import Document
    from chunkviz.services import Services
    from chunkviz.strategies import Strategy


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "evaluate", help="measure which strategies find the text that answers questions",
        epilog="Measures as in Smith and Troynikov, Evaluating Chunking Strategies for Retrieval, Chroma, 2024.",
    )  # fmt: skip
    parser.add_argument("corpus", nargs="+", metavar="CORPUS", help="files, or folders with all in them")
    parser.add_argument(
        "questions", metavar="QUESTIONS", help="CSV, JSON or JSONL with question and references (excerpts)"
    )
    parser.add_argument(
        "--strategy", metavar="NAME[:PARAMETER=VALUE,…]", action="append", default=[], dest="strategies",
        help=r"one for each row (default: all of them); a comma inside a value is written \,",
    )  # fmt: skip
    parser.add_argument("--ranking", choices=RANKINGS, default=RANKINGS[0], help=f"default: {RANKINGS[0]} (BM25)")
    parser.add_argument("--k", metavar="N", type=whole_from_one, default=5, help="hits for each question (default: 5)")
    parser.add_argument(
        "--budget", metavar="N", type=whole_from_one, action="append", default=[], dest="budgets",
        help=f"size for recall at a budget; may be repeated (default: {' and '.join(map(str, BUDGETS))})",
    )  # fmt: skip
    parser.add_argument("--unit", choices=UNITS, default=UNITS[0], help=f"what budgets count (default: {UNITS[0]})")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="file to write: .json (all of it) or .csv (a row each)"
    )
    parser.add_argument(
        "--results", metavar="FILE", type=Path, help="keep results here, and measure nothing again that is in it"
    )
    parser.add_argument("--jobs", metavar="N", type=whole_from_one, default=1, help="processes (default: 1)")
    services.declare(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print the table; return 1 where a document, a question or a strategy failed."""
    settings = Settings()
    if chosen.out is not None:
        writable(chosen.out)
    named = [named_strategy(typed) for typed in chosen.strategies or list_strategies()]
    strategies = [make_strategy(name, pairs, settings, say) for name, pairs in named]
    asked = services.asked(chosen)
    made = asked.make(settings)
    documents, unread = _documents(chosen, settings)
    questions, unplaced = _questions(chosen.questions, documents)
    trial = Trial(documents, questions, asked, chosen.ranking, chosen.k, tuple(chosen.budgets) or BUDGETS, chosen.unit)
    paid = services.paid(made)
    if paid:
        consent.ask(_bill(trial, strategies, made), made, agreed=chosen.yes)
    kept = {} if chosen.results is None else ResultsFile(chosen.results)
    with Progress("Evaluating") as progress:
        outcomes = list(trials(trial, strategies, made, kept, progress, 1 if paid else chosen.jobs))
    _show(chosen.strategies or list_strategies(), outcomes)
    if chosen.out is not None:
        to_file(chosen.out, chosen.strategies or list_strategies(), outcomes)
    return int(unread or unplaced or any(isinstance(each, Failure) for each in outcomes))


def _show(labels: Sequence[str], outcomes: Sequence[Evaluation | Failure]) -> None:
    reached = [each for each in outcomes if isinstance(each, Evaluation)]
    budgets = reached[0].budgets if reached else ()
    header = (*HEADER, *(f"at {budget:,}" for budget in budgets), "against the first")
    rows = [
        row_of(label, each, reached[0]) if isinstance(each, Evaluation) else [label, " ".join(each.reason.split())]
        for label, each in zip(labels, outcomes, strict=True)
    ]
    write_text(table(header, rows, right=frozenset(range(1, len(header)))) + "\n" + legend(reached))


def _documents(chosen: argparse.Namespace, settings: Settings) -> tuple[tuple[Document, ...], bool]:
    """Return the documents that can be read, having told of the others, and whether there are any of those."""
    sources = find_sources(chosen.corpus, name=None, limits=settings.limits, leave_out=Path(chosen.questions).resolve())
    documents = []
    for source in sources:
        try:
            documents.append(source.load(settings.limits, chosen.language))
        except DocumentError as error:
            say(explain(source, error))
    if not documents:
        message = "No document could be read, so there is nothing to evaluate."
        raise DocumentError(message)
    return tuple(documents), len(documents) < len(sources)


def _questions(path: str, documents: Sequence[Document]) -> tuple[tuple[Question, ...], bool]:
    """Return the questions that can be asked, having told of the others, and whether there are any of those."""
    loaded = load_questions(path, documents)
    for problem in (*loaded.problems, *loaded.approximate, *loaded.repeated):
        say(str(problem))
    if not loaded.questions:
        message = f"{path} has no question whose references stand in the documents."
        raise DocumentError(message)
    return loaded.questions, bool(loaded.problems)


def _bill(trial: Trial, strategies: Sequence[Strategy], made: Services) -> consent.Bill:
    """Return what a paid service would take: for chunking, and for indexing and asking where vectors are ranked."""
    bill = consent.Bill()
    for strategy in strategies:
        for document in trial.documents:
            try:
                bill += consent.rehearse(document, strategy, made, lambda chunking, stand_ins: _search(
                    Index(chunking, trial.ranking, stand_ins), trial))  # fmt: skip
            except Exception:  # noqa: BLE001, S112  met again, and told, when it is evaluated
                continue
    return bill


def _search(index: Index, trial: Trial) -> None:
    for _ in index.orders([each.question for each in trial.questions]):
        pass
