"""Source code by its syntax tree: functions, classes, statements."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import Field

from chunkviz.document import Document
from chunkviz.evidence import Structure, Syntax
from chunkviz.grammars import GRAMMARS, CodeLanguage, code_language
from chunkviz.packing import Level, Packer, SortedCuts, WordCuts, skip_space
from chunkviz.params import Choice, Slider, Unit
from chunkviz.segments import structure_cuts
from chunkviz.services import Services
from chunkviz.strategies.fixed_size import UNIT_LABELS
from chunkviz.strategies.strategy import About, Cutting, Strategy, measure_of
from chunkviz.syntax import ProgramCuts, parse, program_cuts

LANGUAGE_LABELS: Final[dict[str, str]] = {"detected": "Detected"} | {
    name: grammar.title for name, grammar in GRAMMARS.items()
}
_CLOSERS = frozenset("})]")
"""What a line begins with that closes something, and stays with it."""


class Code(Strategy):
    """Functions, classes and statements, packed up to ``chunk_size``.

    Small neighbours share a chunk; what is too big is cut at what it consists of, then at lines.
    Comments and decorators stay with what they stand before, a body with its head. A chunk that
    begins a line keeps the line's indentation. The metadata of a chunk hold ``language`` and
    ``scope``, the names of what its start stands in, outermost first.
    """

    name: ClassVar[str] = "code"
    about: ClassVar[About] = About(
        title="Code",
        summary="Whole functions, classes and statements of a program, with their comments and decorators.",
        split_unit="function, class, method, statement",
        boundary_logic="at the outermost end of a node of the syntax tree in reach; what is too big is looked into",
        best_for="source code and configuration in the languages listed",
        calls="none",
        relative_cost="low",
        source="the syntax-tree chunking of Sweep and of cAST (Zhang et al. 2025), on tree-sitter",
    )

    chunk_size: Annotated[int, Field(ge=1), Slider(32, 2048, 16, "{unit}", characters=(100, 8000, 50))] = 512
    """The most a chunk may hold."""
    unit: Annotated[Unit, Choice(UNIT_LABELS)] = "tokens"
    """What sizes are counted in."""
    language: Annotated[CodeLanguage | Literal["detected"], Choice(LANGUAGE_LABELS)] = "detected"
    """What the text is written in: detected by the file name or else by its lines, or one of the list."""

    def cut(self, document: Document, services: Services) -> Cutting:
        """Pack the program along its syntax tree, or along its lines where there is none."""
        text, language = document.text, code_language(document) if self.language == "detected" else self.language
        tree = parse(document, language) if language else None
        cuts = program_cuts(document, tree, self.chunk_size) if tree else ProgramCuts()
        measure = measure_of(self.unit, document, services)
        levels = _levels(document, cuts)
        packer = Packer(text, measure, self.chunk_size, 0, levels, keep_indentation=True, report=services.report)
        pieces = packer.pack()
        paths = cuts.scope_paths([skip_space(text, piece.start) for piece in pieces])
        extra: tuple[tuple[str, Any], ...] = (("language", language),)
        if language is None:
            notes: tuple[str, ...] = (
                "It is not known what language this is written in, so it is cut at blank lines and lines.",
            )
        elif tree is None:
            notes = (
                f"Parsing this as {GRAMMARS[language].title} took too long, so it is cut at blank lines and lines.",
            )
        elif tree.root_node.has_error:
            notes = (
                f"Parts of this do not parse as {GRAMMARS[language].title}; they are cut at blank lines and lines.",
            )
        else:
            notes = ()
        described = [replace(piece, extra=(*extra, ("scope", path))) for piece, path in zip(pieces, paths, strict=True)]
        return Cutting(described, notes=notes)


def _levels(document: Document, cuts: ProgramCuts) -> tuple[Level, ...]:
    text, blank = document.text, structure_cuts(document)
    statement = Syntax("statement")
    return (
        *(Level(SortedCuts(places), statement, reasons=cuts.ended) for places in cuts.lines if places),
        Level(SortedCuts(cuts.held), statement, reasons=cuts.ended),
        Level(SortedCuts(blank.paragraphs), Structure("paragraph")),
        Level(SortedCuts([place for place in blank.lines if text[place] not in _CLOSERS]), Structure("line")),
        Level(SortedCuts(blank.lines), Structure("line")),
        *(Level(SortedCuts(places), statement, reasons=cuts.ended) for places in cuts.inside if places),
        Level(WordCuts(text), Structure("word")),
    )
