"""What a recipe's check asks for, measured on a chunking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal, TypeAlias

from chunkviz.agreement import blank_places
from chunkviz.chunk import Chunking
from chunkviz.lint import lint
from chunkviz.metrics import fidelity, numbers
from chunkviz.recipe import FINDING_NAMES, Check


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing that must hold, and what was measured."""

    name: str
    """As the recipe calls it."""
    rule: Literal["at least", "at most"]
    expected: float
    measured: float | None
    """None where it cannot be measured: see ``why``."""
    why: str = ""
    """Why nothing was measured, or of what it was."""

    @property
    def holds(self) -> bool:
        """Whether it holds; what cannot be measured does not."""
        if self.measured is None:
            return False
        return self.measured >= self.expected if self.rule == "at least" else self.measured <= self.expected


Recall: TypeAlias = tuple[float | None, str]
"""Recall, or None, and of what it was measured or why it was not."""
NOT_ASKED: Recall = (None, "no questions were asked")


def assertions(check: Check, chunking: Chunking, recall: Recall = NOT_ASKED) -> Sequence[Assertion]:
    """Measure what a check asks for; ``recall`` is measured elsewhere, where questions and an index are at hand."""
    found = numbers(chunking)
    made: list[Assertion] = []
    if check.min_chunks is not None:
        made.append(Assertion("min_chunks", "at least", check.min_chunks, found.chunks))
    if check.max_chunks is not None:
        made.append(Assertion("max_chunks", "at most", check.max_chunks, found.chunks))
    if check.max_p95_tokens is not None:
        made.append(Assertion("max_p95_tokens", "at most", check.max_p95_tokens, found.p95))
    if check.min_coverage is not None:
        made.append(Assertion("min_coverage", "at least", check.min_coverage, coverage(chunking)))
    if check.max_findings:
        result = lint(chunking, check.rules)
        for name, most in check.max_findings.items():
            kind = FINDING_NAMES[name]
            why = result.not_checked.get(kind, "")
            made.append(Assertion(f"max_findings.{name}", "at most", most, result.counts.get(kind), why))
    if check.min_recall is not None:
        made.append(Assertion("min_recall", "at least", check.min_recall, *recall))
    return made


def coverage(chunking: Chunking) -> float:
    """Return the share (0 to 1) of characters, white space aside, that are in a chunk; 1 where there is no text."""
    visible = len(chunking.document) - len(blank_places(chunking.document))
    return 1 - fidelity(chunking).left_out / visible if visible else 1.0


def commented_check(chunking: Chunking) -> str:
    """Return a ``[check]`` table that holds of a chunking as it is, each line commented out."""
    found = numbers(chunking)
    return (
        "# `chunkviz check RECIPE FILE` holds files against a [check] table. The document this came from passes:\n"
        "#\n"
        "# [check]\n"
        f"# max_chunks = {found.chunks}\n"
        f"# max_p95_tokens = {ceil(found.p95)}\n"
        f"# min_coverage = {floor(coverage(chunking) * 1000) / 1000:g}\n"
    )
