"""``chunkviz compare``: what several strategies make of one document, in numbers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from chunkviz.agreement import agreement, window_errors
from chunkviz.cli import consent, services
from chunkviz.cli.arguments import make_strategy, named_strategy
from chunkviz.cli.sources import find_sources
from chunkviz.cli.speech import Progress, say, write_text
from chunkviz.cli.tables import table
from chunkviz.cli.work import chunk_document
from chunkviz.errors import ChunkvizError, DocumentError
from chunkviz.metrics import fidelity, numbers
from chunkviz.settings import Settings
from chunkviz.strategies import list_strategies

if TYPE_CHECKING:
    from chunkviz.chunk import Chunking
    from chunkviz.cli.arguments import Commands

HEADER = (
    "strategy", "chunks", "tokens", "median", "p95", "smallest", "largest", "overlap", "duplication", "mid-sentence",
    "mid-word", "left out", "calls", "seconds", "F1", "Pk",
)  # fmt: skip
_LEGEND = (
    "Sizes in tokens; overlap: mean tokens shared with the chunk before; duplication: tokens in all chunks over those\n"
    "of the document; mid-sentence, mid-word: share of boundaries; left out: characters of text in no chunk;\n"
    "seconds: of the strategy alone, the tokens of the document being counted before; F1, Pk: of the boundaries,\n"
    "against those of the first row (white space aside, without tolerance; Pk over characters, 0 is agreement).\n"
)


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("compare", help="compare strategies on one document, in numbers")
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument(
        "--strategy", metavar="NAME[:PARAMETER=VALUE,…]", action="append", default=[], dest="strategies",
        help=r"one for each row (default: all of them); a comma inside a value is written \,",
    )  # fmt: skip
    parser.add_argument("--name", metavar="NAME", help="name of what comes by standard input, such as notes.md")
    services.declare(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print the table; return 1 where a strategy failed."""
    settings = Settings()
    named = [named_strategy(typed) for typed in chosen.strategies or list_strategies()]
    strategies = [make_strategy(name, pairs, settings, say) for name, pairs in named]
    made = services.asked(chosen).make(settings)
    sources = find_sources([chosen.file], name=chosen.name, limits=settings.limits, leave_out=None)
    if len(sources) > 1:
        message = f"{chosen.file} is a folder; strategies are compared on one document."
        raise DocumentError(message)
    document = sources[0].load(settings.limits, chosen.language)
    labels = chosen.strategies or list_strategies()
    if services.paid(made):
        bill = consent.Bill()
        for strategy in strategies:
            try:
                bill += consent.rehearse(document, strategy, made)
            except Exception:  # noqa: BLE001, S112  met again, and told, when it chunks
                continue
        consent.ask(bill, made, agreed=chosen.yes)
    rows: list[list[str]] = []
    reference: Chunking | None = None
    code = 0
    with Progress("Comparing") as progress:
        for place, (label, strategy) in enumerate(zip(labels, strategies, strict=True)):
            report = progress.part(place, len(strategies))
            try:
                chunking = chunk_document(document, strategy, made, report)
                reference = chunking if reference is None else reference
                rows.append([label, *_cells(chunking), *_agreement(reference, chunking)])
            except Exception as error:  # noqa: BLE001  strategies of others raise anything; the rest goes on
                own = isinstance(error, ChunkvizError)
                reason = str(error) if own else f"{type(error).__name__}: {error}"
                rows.append([label, " ".join(reason.split())])
                code = 1
    write_text(table(HEADER, rows, right=frozenset(range(1, len(HEADER)))) + "\n" + _LEGEND)
    return code


def _cells(chunking: Chunking) -> list[str]:
    found = numbers(chunking)
    return [
        f"{found.chunks:,}",
        f"{found.tokens:,}",
        f"{found.median:,.0f}",
        f"{found.p95:,.0f}",
        f"{found.smallest:,}",
        f"{found.largest:,}",
        f"{found.overlap_tokens:,.1f}",
        f"{found.duplication:.2f}",
        _share(found.mid_sentence),
        _share(found.mid_word),
        f"{fidelity(chunking).left_out:,}",
        f"{chunking.usage.calls:,}",
        f"{chunking.usage.seconds:.2f}",
    ]


def _agreement(reference: Chunking, chunking: Chunking) -> list[str]:
    f1, windows = agreement(reference, chunking).f1, window_errors(reference, chunking)
    return ["-" if f1 is None else f"{f1:.2f}", "-" if windows is None else f"{windows.pk:.2f}"]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
