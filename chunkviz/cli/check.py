"""``chunkviz check``: whether documents, chunked by a recipe, keep what the recipe asks; for a team's own tests."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chunkviz.assertions import NOT_ASKED, Assertion, Recall, assertions
from chunkviz.cli import consent
from chunkviz.cli.arguments import Pair
from chunkviz.cli.services import Asked, paid
from chunkviz.cli.sources import Source, find_sources
from chunkviz.cli.speech import Progress, say, write_text
from chunkviz.cli.tables import table
from chunkviz.cli.work import chunk_document, explain
from chunkviz.errors import ParameterError
from chunkviz.evaluation import evaluate, load_questions
from chunkviz.recipe import Check, Recipe, read_recipe
from chunkviz.settings import Settings
from chunkviz.wording import count_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chunkviz.chunk import Chunking
    from chunkviz.cli.arguments import Commands
    from chunkviz.recipe import Value
    from chunkviz.services import Services

_K = 5
HEADER = ("file", "assertion", "expected", "measured", "", "")


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "check", help="check documents against a recipe, for continuous integration",
        epilog="Exit code: 0 all holds; 1 something does not, or a file could not be chunked; 2 no usable recipe.",
    )  # fmt: skip
    parser.add_argument("recipe", metavar="RECIPE.toml", help="a recipe with a [check] table")
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a file, a folder with all in it, or - (standard input)"
    )
    parser.add_argument("--name", metavar="NAME", help="name of what comes by standard input, such as notes.md")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor keep vectors and contexts on disk")
    parser.add_argument("--yes", action="store_true", help="ask a paid service without asking you first")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print each assertion with what was expected and measured; return 1 where one does not hold."""
    settings = Settings()
    recipe = load_recipe(chosen.recipe)
    check = recipe.check
    if check is None or not any(value for value in check.model_dump(exclude_none=True).values()):
        message = f"{chosen.recipe} asks for nothing; give it a [check] table, such as max_chunks = 400."
        raise ParameterError(message)
    folder = Path(chosen.recipe).parent
    if check.questions is not None and not (folder / check.questions).is_file():
        message = (
            f"{chosen.recipe}, check.questions: there must be a file {folder / check.questions}, beside the recipe."
        )
        raise ParameterError(message)
    made = services_of(recipe, caching=not chosen.no_cache).make(settings)
    sources = find_sources(chosen.files, name=chosen.name, limits=settings.limits, leave_out=None)
    if paid(made):
        consent.ask(_bill(sources, recipe, made, settings), made, agreed=chosen.yes)
    rows: list[list[str]] = []
    asked = failed = unread = 0
    with Progress("Checking") as progress:
        for place, source in enumerate(sources):
            report = progress.part(place, len(sources))
            try:
                document = source.load(settings.limits, recipe.language)
                chunking = chunk_document(document, recipe.make_strategy(), made, report)
                found = assertions(check, chunking, _recall(check, chunking, folder))
            except Exception as error:  # noqa: BLE001  strategies of others raise anything; the rest goes on
                rows.append([source.shown, "–", "", "", "FAILS", " ".join(explain(source, error).split())])
                unread += 1
                continue
            rows += [_row(source, each) for each in found]
            asked += len(found)
            failed += sum(not each.holds for each in found)
    write_text(table(HEADER, rows, right=frozenset((2, 3))))
    say(_summary(asked, failed, unread))
    return 1 if failed or unread else 0


def _summary(asked: int, failed: int, unread: int) -> str:
    """Return what came of all assertions, and how many files could not be checked."""
    if failed:
        said = f"{failed:,} of {asked:,} assertions {'does' if failed == 1 else 'do'} not hold"
    else:
        said = f"{asked:,} assertion{' holds' if asked == 1 else 's hold'}"
    files = f"; {unread:,} file{'' if unread == 1 else 's'} could not be checked" if unread else ""
    return f"{said}{files}."


def load_recipe(path: str) -> Recipe:
    """Return the recipe of a file.

    Raises
    ------
    ParameterError
        When it cannot be read, or is no recipe.

    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror or error}); give the file of a recipe."
        raise ParameterError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} must be UTF-8; save it so."
        raise ParameterError(message) from error
    return read_recipe(text, path)


def services_of(recipe: Recipe, *, caching: bool) -> Asked:
    """Return the services that a recipe names, as if they had been typed."""
    return Asked(
        tokenizer=recipe.tokenizer,
        embedder=recipe.embedder,
        embedder_options=_pairs(recipe.embedder_options),
        writer=recipe.writer,
        writer_options=_pairs(recipe.writer_options),
        caching=caching,
    )


def _pairs(options: Mapping[str, Value]) -> tuple[Pair, ...]:
    return tuple((name, str(value)) for name, value in options.items())


def _recall(check: Check, chunking: Chunking, folder: Path) -> Recall:
    """Return how much of what the recipe's questions ask of this document is retrieved, by lexical search."""
    if check.questions is None:
        return NOT_ASKED
    found = load_questions(folder / check.questions, chunking.document)
    if not found.questions:
        return None, f"none of the questions in {check.questions} is about it"
    evaluation = evaluate(chunking, found.questions, k=check.k or _K)
    asked = f"{count_of(evaluation.questions, 'question')}, k = {evaluation.k}, {evaluation.ranking}"
    return evaluation.mean("recall"), asked


def _row(source: Source, found: Assertion) -> list[str]:
    share = found.name in ("min_coverage", "min_recall")
    measured = "–" if found.measured is None else _number(found.measured, share=share)
    why = f"not measured: {found.why}" if found.measured is None else found.why
    rule = ">=" if found.rule == "at least" else "<="
    verdict = "holds" if found.holds else "FAILS"
    return [source.shown, found.name, f"{rule} {_number(found.expected, share=share)}", measured, verdict, why]


def _number(value: float, *, share: bool) -> str:
    return f"{value:.4f}" if share else f"{value:,.6g}" if value % 1 else f"{value:,.0f}"


def _bill(sources: Sequence[Source], recipe: Recipe, made: Services, settings: Settings) -> consent.Bill:
    """Return what a paid service would take for all documents; one that cannot be read is told later."""
    bill = consent.Bill()
    for source in sources:
        try:
            document = source.load(settings.limits, recipe.language)
            bill += consent.rehearse(document, recipe.make_strategy(), made)
        except Exception:  # noqa: BLE001, S112  met again, and told, when it is chunked
            continue
    return bill
