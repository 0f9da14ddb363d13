"""The lint panel: counts of findings by kind, what was not checked, and a list to go through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chunkviz.chunk import Chunking
    from chunkviz.lint import Finding
    from chunkviz.span import Span


@dataclass(frozen=True, slots=True)
class LintView:
    """What the panel asks of the viewer; hand the fields to ``draw_viewer``."""

    findings: tuple[Finding, ...] = ()
    """Those of the kinds chosen; none while the panel is closed or they are being looked for."""
    focus: Span | None = None
    """Place of the finding that was gone to, or None."""
    serial: int = 0
    """Grows when a place is to be gone to, the same one again included; the viewer's ``focus_serial``."""


def draw(chunking: Chunking, *, key: str) -> LintView:
    """Draw the panel, closed at first, and return what the viewer should show.

    Nothing is looked for while it is closed. Long documents are looked through in a job, with progress
    and a button that stops it. ``key`` names the panel on the page; two panels need two keys.
    """
    del chunking, key
    return LintView()
