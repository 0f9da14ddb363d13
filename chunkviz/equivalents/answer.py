"""What is asked about a strategy for another library, and what the answer is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from chunkviz.alignment import OwnChunks

if TYPE_CHECKING:
    from chunkviz.chunk import Chunking
    from chunkviz.strategies import Strategy

SENTENCE_END: Final = r"(?<=[.!?])(?=\s)|(?<=[.!?][\"”’)])(?=\s)|(?<=[。！？])"
"""Pattern of the place behind a sentence, in the code for both libraries; a rough one beside the rules of ours."""
LINE_OF_ITS_OWN: Final = r"\n\s*\n|\n(?=[ \t]*(?:[-*+•][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|>]))"
"""Pattern of line ends that end a sentence whatever stands before them."""


class Answer(NamedTuple):
    """The code, without the line that reads the document, or none."""

    why: str
    """What differs, or why there is none; one sentence."""
    lines: tuple[str, ...] = ()
    """Imports up to the first empty line; what is behind it finds the document in ``text``."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the code is to do."""

    strategy: Strategy
    encoding: str
    """Name of the tokenizer."""
    suffix: str
    """Ending of the document's name, such as ".py"."""
    language: str | None
    """Programming language of the document, as the strategy for code found it."""


def none(strategy: Strategy, library: str) -> Answer:
    """Return the answer that there is nothing like the strategy."""
    if isinstance(strategy, OwnChunks):
        return Answer("These chunks were made elsewhere; nothing here knows how.")
    return Answer(f"{library} has nothing that cuts as {strategy.about.title.lower()} does.")


def language_in(chunking: Chunking) -> str | None:
    """Return the programming language that the strategy for code read the document in, or None."""
    found = chunking[0].metadata.get("language") if len(chunking) else None
    return found if isinstance(found, str) else None


def by_headings(deepest: int) -> tuple[str, ...]:
    """Return code that leaves in ``sections`` what begins at headings down to a level; it knows no fences."""
    if not deepest:
        return ("sections = [text]",)
    sections = f"re.split(r'(?m)^(?=#{{1,{deepest}}} )', text)"
    return (f"sections = [each for each in {sections} if each.strip()]",)
