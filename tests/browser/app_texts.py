"""The documents of the test page, and how it cuts them; without Streamlit."""

from __future__ import annotations

import chunkviz
from chunkviz.span import Span

TEXTS = {
    "emoji": "🕺🕺🕺 before target after",
    "words": " ".join(f"word{number}" for number in range(400)),
    "markup": "<img src=x onerror=alert(1)> <script>alert(2)</script> a < b && c > d </div> <!-- x",
    "space": "a\n\n    b\n\tc   d\n",
    "arabic": "قال المعلم: version 2.0 جاهزة الآن. ثم خرج.",
    "equal": "same words here. " * 40,
    "blank": " \n \n",
    "headings": "".join(
        f"# Part {part}\n\n"
        + "".join(
            f"## Section {part}.{section}\n\n" + f"Sentence {part}{section} about the sea and its tides. " * 12 + "\n\n"
            for section in range(4)
        )
        for part in range(6)
    ),
    "long": "\n".join(f"Line {number} holds a few ordinary words that differ by number." for number in range(24_000)),
    "unbroken": "x" * 30_000,
}


def document(name: str) -> chunkviz.Document:
    suffix = ".py" if name == "space" else ".md"
    pages = (Span(0, 4_000), Span(4_000, len(TEXTS[name]))) if name == "headings" else ()
    return chunkviz.Document(TEXTS[name], name=f"{name}{suffix}", pages=pages)


def chunking(name: str, size: int, overlap: int = 0, *, of: chunkviz.Document | None = None) -> chunkviz.Chunking:
    strategy = chunkviz.get_strategy(
        "fixed_size", chunk_size=size, chunk_overlap=min(overlap, size - 1), unit="characters"
    )
    return strategy.chunk(of or document(name))
