"""The text's own structure, coarsest first: header, paragraph, line, sentence, word, character."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

import regex
from pydantic import Field, field_validator, model_validator

from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.evidence import OwnSeparator
from chunkviz.packing import Level, Packer, SortedCuts, skip_space, structure_levels
from chunkviz.params import Choice, Slider, Switch, TextList, Unit
from chunkviz.segments import language_of, structure_cuts
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.strategy import About, Cutting, Strategy, measure_of

PATTERN_SECONDS = 10.0
"""A pattern of the user's own may take this long on a document before it is refused."""


class Recursive(Strategy):
    """Chunks that end at the strongest boundary within reach, filled up to ``chunk_size``."""

    name: ClassVar[str] = "recursive"
    about: ClassVar[About] = About(
        title="Recursive",
        summary="Ends each chunk at the strongest boundary in reach: header, paragraph, line, sentence, word.",
        split_unit="header, paragraph, line, sentence, word",
        boundary_logic="pieces that are too big are cut at the next separator, small neighbours share a chunk",
        best_for="most documents; the usual first choice",
        calls="none",
        relative_cost="lowest",
        source="the recursive character splitting that LangChain made common, on spans and with exact counts",
    )

    chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "{unit}", characters=(100, 8000, 50))] = 512
    """The most a chunk may hold."""
    chunk_overlap: Annotated[int, Field(ge=0), Slider(0, 512, 2, "{unit}", "chunk_size", characters=(0, 2000, 10))] = 0
    """How much of a chunk the next one repeats, at most; whole segments only, and never across a heading."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""
    separators: Annotated[tuple[str, ...], Field(max_length=50), TextList()] = ()
    """Your own separators, strongest first, instead of the built-in order; what none can cut is cut anywhere."""
    is_regex: Annotated[bool, Field(title="Separators are patterns"), Switch(only_with="separators")] = False
    """Read the separators as regular expressions."""

    @field_validator("separators")
    @classmethod
    def _no_empty_separator_but_the_last(cls, separators: tuple[str, ...]) -> tuple[str, ...]:
        if "" in separators[:-1]:
            message = "separators may hold the empty string (cut anywhere) only as the last one; move it to the end."
            raise ParameterError(message)
        return separators

    @model_validator(mode="after")
    def _patterns_are_valid(self) -> Recursive:
        for separator in self.separators if self.is_regex else ():
            _compiled(separator)
        return self

    def cut(self, document: Document, services: Services) -> Cutting:
        """Pack the document along its own structure, or along the user's separators."""
        measure = measure_of(self.unit, document, services)
        levels = self._levels(document)
        packer = Packer(
            document.text, measure, self.chunk_size, self.chunk_overlap, levels, report=services.report
        )  # fmt: skip
        return Cutting(packer.pack())

    def _levels(self, document: Document) -> tuple[Level, ...]:
        if not self.separators:
            return document.derive(
                ("structure levels", document.language),
                lambda: structure_levels(document.text, structure_cuts(document), lambda: language_of(document)),
            )
        return tuple(
            Level(SortedCuts(separator_cuts(document, separator, is_regex=self.is_regex)), OwnSeparator(separator))
            for separator in self.separators
            if separator
        )


def separator_cuts(document: Document, separator: str, *, is_regex: bool = False) -> list[int]:
    r"""Return the sorted offsets at which ``separator`` lets the document be cut.

    A separator stays with the text before it; one that begins a line ("\n# ", "\nclass ") stays
    with the text after it. White space at a cut is trimmed.
    """

    def find() -> list[int]:
        text = document.text
        places: list[int] = []
        for start, end in separator_matches(document, separator, is_regex=is_regex):
            found = text[start:end]
            begins_line = found[:1] in "\r\n" and found.strip() and found[-1] not in "\r\n"
            place = skip_space(text, start if begins_line else end)
            if 0 < place < len(text) and (not places or places[-1] != place):
                places.append(place)
        return places

    return document.derive(("separator cuts", separator, is_regex), find)


def separator_matches(document: Document, separator: str, *, is_regex: bool = False) -> list[tuple[int, int]]:
    """Return ``(start, end)`` of each occurrence of a separator, left to right.

    Raises
    ------
    ParameterError
        When the pattern is no valid regular expression, or takes too long on this document.

    """
    pattern = _compiled(separator) if is_regex else regex.compile(re.escape(separator))
    try:
        matches = pattern.finditer(document.text, timeout=PATTERN_SECONDS)
        return document.derive(
            ("separator matches", separator, is_regex), lambda: [match.span() for match in matches if match.group()]
        )
    except TimeoutError as error:
        message = f"The separator pattern {separator!r} took over {PATTERN_SECONDS:.0f} seconds here; simplify it."
        raise ParameterError(message) from error


def _compiled(pattern: str) -> regex.Pattern[str]:
    try:
        return regex.compile(pattern)
    except regex.error as error:
        message = f"separators must be valid regular expressions when they are patterns, not {pattern!r}: {error}."
        raise ParameterError(message) from error
