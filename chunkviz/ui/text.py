"""Text from outside, made fit for the page: safe where Streamlit reads Markdown, short where there is little room."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def as_plain(text: str) -> str:
    """Return ``text`` so that Markdown shows exactly its characters, on one line."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))


def shortened(words: str, most: int) -> str:
    """Return ``words`` in at most ``most`` characters, the last of which says that there are more."""
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"
