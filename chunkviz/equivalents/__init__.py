"""The nearest LangChain and LlamaIndex code for a strategy, how near it is, and how far the results were seen to agree.

No two libraries cut alike: "near" code follows the same idea, and cuts elsewhere. How much elsewhere was
measured by running this code on the bundled samples (``benchmarks/equivalents.py``), and is kept beside this
file with date and versions; ``tests/peers`` runs it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from chunkviz.equivalents import langchain, llamaindex
from chunkviz.equivalents.answer import Answer, Question, language_in

if TYPE_CHECKING:
    from chunkviz.chunk import Chunking

Library: TypeAlias = Literal["langchain", "llamaindex"]
LIBRARIES: tuple[Library, ...] = ("langchain", "llamaindex")
_MEASURED = Path(__file__).with_name("measured.json")


class Measured(NamedTuple):
    """How far boundaries of the exported code agreed with ours on one bundled sample."""

    library: Library
    strategy: str
    parameters: dict[str, Any]
    sample: str
    f1: float | None
    """Boundary F1 without tolerance, white space aside."""
    pk: float | None
    """Pk over characters, ours as the reference."""
    unplaced: int
    """Chunks of the library whose text is not in the document."""

    @property
    def package(self) -> str:
        """The package that was run; one of the names in ``Measurements.versions``."""
        if self.library == "llamaindex":
            return "llama-index-core"
        return "langchain-experimental" if self.strategy == "semantic" else "langchain-text-splitters"

    @property
    def in_place(self) -> str:
        """What stood in the place of a service that the code asks, for people; "" where it asks none."""
        return "the lexical embedder in place of the service" if self.strategy == "semantic" else ""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Code for another library, or the reason why there is none."""

    library: Library
    equivalence: Literal["near", "none"]
    why: str
    """What differs, or why there is none; one sentence."""
    code: str | None
    """Python that leaves the texts of the chunks in ``chunks``; None where there is none."""
    measured: tuple[Measured, ...]
    """What was measured of the strategy with the parameters named there; empty where nothing was."""


def to_langchain_code(chunking: Chunking) -> Equivalent:
    """Return the nearest LangChain code for the chunking's strategy and document."""
    return _equivalent("langchain", chunking, langchain.answer)


def to_llamaindex_code(chunking: Chunking) -> Equivalent:
    """Return the nearest LlamaIndex code for the chunking's strategy and document."""
    return _equivalent("llamaindex", chunking, llamaindex.answer)


def _equivalent(library: Library, chunking: Chunking, find: Callable[[Question], Answer]) -> Equivalent:
    name = chunking.document.name or "document.txt"
    suffix = PurePath(name).suffix.lower()
    answer = find(Question(chunking.strategy, chunking.tokens.tokenizer.name, suffix, language_in(chunking)))
    if not answer.lines:
        return Equivalent(library, "none", answer.why, None, ())
    code = "\n".join(_with_text(f"text = Path({name!r}).read_text(encoding='utf-8')", answer.lines)) + "\n"
    found = tuple(
        each for each in measurements().entries if (each.library, each.strategy) == (library, chunking.strategy.name)
    )
    return Equivalent(library, "near", answer.why, code, found)


def _with_text(read: str, lines: Sequence[str]) -> list[str]:
    """Return the lines with one that reads the document behind the imports."""
    behind = lines.index("")
    ours = ["import re"] if "import re" in lines[:behind] else []
    theirs = [each for each in lines[:behind] if each not in ours]
    apart = ["", ""] if lines[behind + 1].startswith("def ") else []
    return [*ours, "from pathlib import Path", "", *theirs, "", read, *apart, *lines[behind + 1 :]]


class Measurements(NamedTuple):
    """All that was measured, when and with which versions."""

    date: str
    versions: dict[str, str]
    entries: tuple[Measured, ...]


@lru_cache(maxsize=1)
def measurements() -> Measurements:
    """Return what ``benchmarks/equivalents.py`` measured when it was last run."""
    data = json.loads(_MEASURED.read_text(encoding="utf-8"))
    return Measurements(data["date"], data["versions"], tuple(Measured(**each) for each in data["entries"]))
