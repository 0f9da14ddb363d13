"""``chunkviz chunk``: files, folders or standard input to chunks, as data."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from chunkviz.cli import consent, services
from chunkviz.cli.arguments import make_strategy, pair, whole_from_one
from chunkviz.cli.output import FORMATS, Sheet, format_of, opened
from chunkviz.cli.sources import Source, find_sources
from chunkviz.cli.speech import Progress, say
from chunkviz.cli.work import Done, Order, in_turn, processors, side_by_side
from chunkviz.settings import Settings
from chunkviz.strategies.strategy import Need

if TYPE_CHECKING:
    from chunkviz.cli.arguments import Commands
    from chunkviz.services import Services

DEFAULT_STRATEGY = "recursive"


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "chunk", help="chunk files, folders or standard input",
        epilog="Parameters and their values: chunkviz strategies NAME.",
    )  # fmt: skip
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, a folder with all in it, or - (standard input)"
    )
    parser.add_argument("--strategy", metavar="NAME", default=DEFAULT_STRATEGY, help=f"default: {DEFAULT_STRATEGY}")
    parser.add_argument(
        "--set", metavar="NAME=VALUE", type=pair, action="append", default=[], dest="pairs",
        help=r"a parameter of the strategy; once for each value of a list, where \n is a line end and \t a tab",
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help=f"file to write: {', '.join(f'.{ending}' for ending in FORMATS)}"
    )
    parser.add_argument("--format", choices=tuple(FORMATS), help="format, where the ending of --out does not say it")
    parser.add_argument("--name", metavar="NAME", help="name of what comes by standard input, such as notes.md")
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=whole_from_one,
        help="processes for several files (default: one a processor, where it takes long)",
    )
    services.declare(parser)
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Chunk what was named; return 1 where some of it could not be chunked."""
    settings = Settings()
    form = format_of(chosen.format, chosen.out)
    strategy = make_strategy(chosen.strategy, chosen.pairs, settings, say)
    order = Order(strategy, services.asked(chosen), chosen.language, form)
    made = order.asked.make(settings)
    for what in get_args(Need):
        if getattr(chosen, what) is not None and what not in strategy.services_needed():
            say(f"{strategy.name} asks no {what}, so --{what} changes nothing.")
    leave_out = None if chosen.out is None else chosen.out.resolve()
    sources = find_sources(chosen.files, name=chosen.name, limits=settings.limits, leave_out=leave_out)
    asks = services.paid(made)
    if asks:
        consent.ask(_bill(sources, order, made, settings), made, agreed=chosen.yes)
    with (
        Progress("Chunking", shown=chosen.out is not None or not sys.stdout.isatty()) as progress,
        opened(chosen.out, FORMATS[form]) as sheet,
        closing(_results(sources, order, made, settings, progress, 1 if asks else chosen.jobs)) as results,
    ):
        return _write(results, sheet, progress, len(sources))


def _results(
    sources: Sequence[Source], order: Order, made: Services, settings: Settings, progress: Progress, jobs: int | None
) -> Generator[Done]:
    """Yield what comes of each source, from as many processes as were asked for, or as are worth it.

    A paid service answers many requests at a time already, so its documents are done in turn.
    """

    def report(place: int, share: float) -> None:
        progress.report((place + share) / len(sources))

    if jobs is not None and jobs > 1 and len(sources) > 1:
        yield from side_by_side(sources, order, min(jobs, len(sources)))
    else:
        yield from in_turn(sources, order, made, settings, report, jobs=processors() if jobs is None else 1)


def _write(results: Iterator[Done], sheet: Sheet, progress: Progress, count: int) -> int:
    code = 0
    for number, done in enumerate(results, start=1):
        if done.part is not None:
            sheet.add(done.part)
        for note in done.notes:
            progress.say(note)
        if done.problem is not None:
            progress.say(done.problem)
            code = 1
        progress.report(number / count)
    return code


def _bill(sources: Sequence[Source], order: Order, made: Services, settings: Settings) -> consent.Bill:
    """Return what a paid service would take for all documents; one that cannot be read is told later."""
    bill = consent.Bill()
    with Progress("Estimating") as progress:
        for number, source in enumerate(sources, start=1):
            try:
                document = source.load(settings.limits, order.language)
                bill += consent.rehearse(document, order.strategy, made)
            except Exception:  # noqa: BLE001, S112  met again, and told, when it is chunked
                continue
            progress.report(number / len(sources))
    return bill
