"""Strategies of other packages: installed as any package is, found in a fresh interpreter, broken ones named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import chunkviz

MODULE = '''
"""A package of somebody else."""
import os
from typing import Annotated, ClassVar

from pydantic import Field

import chunkviz as cv
from chunkviz.evidence import DocumentEnd, OwnReason
from chunkviz.packing import Piece
from chunkviz.params import Slider
from chunkviz.strategies import About, Cutting, Strategy


def about(title):
    return About(title, f"{title}.", "half", "the middle", "tests", "none", "none", "the tests of chunkviz")


class Halves(Strategy):
    """Implements cut."""
    name: ClassVar[str] = "halves"
    about: ClassVar[About] = about("Halves")
    at: Annotated[int, Field(ge=1), Slider(1, 9)] = 4
    """Where the first half ends."""

    def cut(self, document, services):
        return Cutting([Piece(0, self.at, OwnReason("middle")), Piece(self.at, len(document.text), DocumentEnd())])


class Whole(Strategy):
    """Implements chunk only."""
    name: ClassVar[str] = "whole"
    about: ClassVar[About] = about("Whole")

    def chunk(self, document, services=None):
        document = document if isinstance(document, cv.Document) else cv.Document(document)
        return self.assemble(document, services or cv.Services(), Cutting([Piece(0, len(document), DocumentEnd())]))


class Waits(Whole):
    """Implements achunk only."""
    name: ClassVar[str] = "waits"
    about: ClassVar[About] = about("Waits")
    chunk = Strategy.chunk

    async def achunk(self, document, services=None):
        return Whole.chunk(self, document, services)


class Dies(Whole):
    """Ends its process at one document, and raises at another."""
    name: ClassVar[str] = "dies"
    about: ClassVar[About] = about("Dies")

    def chunk(self, document, services=None):
        if "deadly" in document.text:
            os._exit(9)
        if "wrong" in document.text:
            raise ZeroDivisionError("somebody else's mistake")
        return super().chunk(document, services)


class Taken(Whole):
    name: ClassVar[str] = "recursive"


NO_STRATEGY = 3
'''

ENTRIES = """\
[chunkviz.strategies]
halves = elsewhere:Halves
whole = elsewhere:Whole
waits = elsewhere:Waits
dies = elsewhere:Dies
a_gone = elsewhere_that_is_gone:Strategy
b_number = elsewhere:NO_STRATEGY
c_taken = elsewhere:Taken
"""

QUESTIONS = """
import asyncio, contextlib, io, json, warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    import chunkviz as cv
    names = cv.list_strategies()
from chunkviz.cli import main
from chunkviz.strategies import installed

def spans(chunking):
    return [(chunk.start, chunk.end) for chunk in chunking]

def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(arguments) == 0
    return out.getvalue()

print(json.dumps({
    "names": names,
    "warnings": [f"{each.category.__name__}: {each.message}" for each in seen],
    "problems": installed().problems,
    "chunked": {name: spans(cv.get_strategy(name).chunk("one, two")) for name in ("halves", "whole", "waits")},
    "awaited": {name: spans(asyncio.run(cv.get_strategy(name).achunk("one, two")))
                for name in ("halves", "whole", "waits")},
    "table": printed("strategies"),
    "one": printed("strategies", "halves"),
    "compared": printed("compare", "text.txt", "--strategy", "halves:at=2", "--strategy", "waits"),
}))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("packages")
    (folder / "elsewhere.py").write_text(MODULE)
    information = folder / "elsewhere-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRIES)
    ours = str(Path(chunkviz.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), ours]), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="module")
def answers(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("work")
    (folder / "text.txt").write_text("one, two")
    command = [sys.executable, "-c", QUESTIONS]
    done = subprocess.run(  # noqa: S603  our own interpreter
        command, env=environment, cwd=folder, check=True, capture_output=True, text=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_installed_strategies_come_last_by_name(answers: dict[str, Any]) -> None:
    own = [strategy.name for strategy in chunkviz.strategies.STRATEGIES]
    assert answers["names"] == [*own, "dies", "halves", "waits", "whole"]


def test_one_that_implements_cut_chunk_or_achunk_chunks_either_way(answers: dict[str, Any]) -> None:
    assert answers["chunked"] == {"halves": [[0, 4], [4, 8]], "whole": [[0, 8]], "waits": [[0, 8]]}
    assert answers["awaited"] == answers["chunked"]


def test_the_command_line_shows_them_and_reads_their_parameters(answers: dict[str, Any]) -> None:
    assert {"halves", "waits", "whole"} <= {line.split(" ")[0] for line in answers["table"].splitlines()}
    assert "whole number from 1  Where the first half ends." in answers["one"]
    rows = [line.split() for line in answers["compared"].splitlines()]
    assert rows[1][:2] == ["halves:at=2", "2"]
    assert rows[2][:2] == ["waits", "1"]


def test_broken_ones_are_named_in_a_warning_and_stop_nothing(answers: dict[str, Any]) -> None:
    assert answers["warnings"] == [f"PluginWarning: {problem}" for problem in answers["problems"]]
    gone, number, taken = answers["problems"]
    assert "'a_gone' (elsewhere_that_is_gone:Strategy) cannot be used: ModuleNotFoundError" in gone
    assert "'b_number' (elsewhere:NO_STRATEGY) cannot be used" in number
    assert "must be a subclass of chunkviz.Strategy, not 3." in number
    assert "'c_taken' (elsewhere:Taken) cannot be used" in taken
    assert "the name 'recursive' is taken." in taken


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_that_fails_or_takes_its_process_along_loses_that_document_only(
    jobs: str, environment: dict[str, str], tmp_path: Path
) -> None:
    texts = {"a.txt": "first", "b.txt": "deadly", "c.txt": "second", "d.txt": "wrong", "e.txt": "third"}
    if jobs == "1":
        texts["b.txt"] = "harmless"  # here it would take everything along
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(  # noqa: S603  our own interpreter
        [sys.executable, "-m", "chunkviz", "chunk", str(tmp_path), "--strategy", "dies", "--jobs", jobs],
        env=environment, check=False, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    names = [json.loads(line)["document"] for line in done.stdout.splitlines()]
    assert names == [name for name, text in texts.items() if text not in {"deadly", "wrong"}]
    said = [line for line in done.stderr.splitlines() if "installed strategy" not in line]
    expected = [f"chunkviz: {tmp_path / 'd.txt'}: ZeroDivisionError: somebody else's mistake"]
    if jobs == "2":
        reason = "its process was ended; the machine may be short of memory, or the strategy crashes."
        expected.insert(0, f"chunkviz: {tmp_path / 'b.txt'}: {reason}")
    assert said == expected
    assert sum("installed strategy" in line for line in done.stderr.splitlines()) == 3
