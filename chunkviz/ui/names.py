"""Names that somebody gives to settings, of which no two stand side by side alike."""

from __future__ import annotations

from collections.abc import Collection


def unique(name: str, taken: Collection[str]) -> str:
    """Return ``name``, with the first number in brackets behind it that is free where it is ``taken``."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
