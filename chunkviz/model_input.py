"""The text that a model is given for what was found: one form, whoever has found it."""

from __future__ import annotations

from collections.abc import Iterable

from chunkviz.chunk import Chunk


def write_model_input(found: Iterable[tuple[Chunk, Chunk | None]]) -> str:
    """Return chunks and what is returned around them as one text, a block each, in the given order.

    Parameters
    ----------
    found
        A chunk with the parent that is returned for it, at whatever level; None where the chunk stands alone.

    Returns
    -------
    str
        A block is a line with number, document, headings and page, the text of the chunk, and behind it
        ``[Parent context: …]``. A parent is written out at the first of its chunks and named at the others, and
        left out where it is no more than the chunk.

    """
    written: dict[str, int] = {}
    blocks = []
    for number, (chunk, parent) in enumerate(found, start=1):
        lines = [f"[{number}] {_where(chunk)}", chunk.text]
        if parent is not None and parent.text != chunk.text:
            first = written.setdefault(parent.id, number)
            lines += ["", f"[Parent context: {parent.text if first == number else f'see [{first}]'}]"]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _where(chunk: Chunk) -> str:
    page = "" if chunk.page is None else f"page {chunk.page}"
    facts = (chunk.document.name or "unnamed document", " > ".join(chunk.headings), page)
    return " · ".join(" ".join(fact.split()) for fact in facts if fact)
