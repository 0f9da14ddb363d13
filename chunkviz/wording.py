"""Numbers in sentences."""

from __future__ import annotations


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Return "1 line" or "2,000 lines"; ``plural`` is for nouns that do not take an s at their end."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
