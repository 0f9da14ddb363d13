"""Text from outside, made safe for the places where Streamlit reads Markdown."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def as_plain(text: str) -> str:
    """Return ``text`` so that Markdown shows exactly its characters, on one line."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
