"""Why each boundary fell where it did: a closed union, so that a picture can be drawn of every kind.

``str(reason)`` is the short label people read ("paragraph", "size limit").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

StructureKind: TypeAlias = Literal["header", "paragraph", "line", "sentence", "word", "character"]


@dataclass(frozen=True, slots=True)
class Structure:
    """The text itself offers a boundary here: a header begins, say, or a paragraph ends."""

    kind: StructureKind

    def __str__(self) -> str:
        """Return the kind as it is shown."""
        return self.kind


@dataclass(frozen=True, slots=True)
class OwnSeparator:
    """One of the separators the user listed was found here."""

    separator: str

    def __str__(self) -> str:
        """Return the separator with line ends made visible."""
        return f"separator {self.separator!r}"


@dataclass(frozen=True, slots=True)
class SizeLimit:
    """The size was used up and nothing better than this place was sought."""

    exceeded: bool = False
    """True where one indivisible character is larger than the whole limit."""

    def __str__(self) -> str:
        """Return the label, which says so when the limit could not be kept."""
        return "one character above the size limit" if self.exceeded else "size limit"


@dataclass(frozen=True, slots=True)
class DocumentEnd:
    """There is no more text."""

    def __str__(self) -> str:
        """Return the label."""
        return "end of document"


Reason: TypeAlias = Structure | OwnSeparator | SizeLimit | DocumentEnd


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a strategy knew when it cut: for each chunk, why it ended where it did."""

    reasons: tuple[Reason, ...] = ()
