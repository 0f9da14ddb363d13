"""The comparison of settings in a report: a table, and a bar code of boundaries for each."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from chunkviz.chunk import Chunking
from chunkviz.metrics import numbers

_MOST_LINES = 1200
"""Lines of one bar code; more could not be told apart."""


def bar_code(settings: Sequence[tuple[str, Chunking]]) -> str:
    """Return one strip a setting, with a line where each chunk begins."""
    strips = (f'<div class="strip"><span>{escape(name)}</span>{_strip(chunking)}</div>' for name, chunking in settings)
    return f'<div id="strips">{"".join(strips)}</div>'


_MEASURED = ("Chunks", "Median tokens", "p95 tokens", "Overlap (ch)", "Tokens to embed", "Cut mid-sentence",
             "Cut mid-word", "Seconds")  # fmt: skip


def comparison(settings: Sequence[tuple[str, Chunking]], failed: Sequence[tuple[str, str]] = ()) -> str:
    """Return a table of what was measured on each setting, and the bar codes below it.

    ``failed`` are names of settings that could not be made, with the reason; a row tells each.
    """
    head = "".join(f"<th scope=col>{label}</th>" for label in ("Setting", *_MEASURED))
    rows = [
        f"<tr><th scope=row title={_quoted(repr(each.strategy))}>{escape(name)}</th>{_cells(each)}</tr>"
        for name, each in settings
    ]
    rows += [
        f'<tr class="failed"><th scope=row>{escape(name)}</th><td colspan={len(_MEASURED)}>{escape(reason)}</td></tr>'
        for name, reason in failed
    ]
    table = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    return table + _tokenizers(settings) + bar_code(settings)


def _tokenizers(settings: Sequence[tuple[str, Chunking]]) -> str:
    """Return a note where not all settings count in the same tokens."""
    names = {name: chunking.tokens.tokenizer.name for name, chunking in settings}
    if len(set(names.values())) == 1:
        return ""
    told = ", ".join(f"{escape(name)} {escape(tokenizer)}" for name, tokenizer in names.items())
    return f'<p class="note">Counted in different tokens: {told}.</p>'


def _cells(chunking: Chunking) -> str:
    measured = numbers(chunking)

    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    cells = (
        f"{measured.chunks:,}", f"{measured.median:,.10g}", f"{measured.p95:,.0f}", f"{measured.overlap:,.0f}",
        f"×{measured.duplication:.2f}", share(measured.mid_sentence), share(measured.mid_word),
        f"{chunking.usage.seconds:.2f}",
    )  # fmt: skip
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _strip(chunking: Chunking) -> str:
    length = max(1, len(chunking.document))
    places = np.unique((chunking.starts * _MOST_LINES // length).clip(0, _MOST_LINES - 1)).tolist()
    path = "".join(f"M{place + 0.5} 0V10" for place in places)
    return (
        f'<svg viewBox="0 0 {_MOST_LINES} 10" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(chunking):,} chunk beginnings along the document"><path d="{path}"/></svg>'
    )


def _quoted(text: str) -> str:
    return f'"{escape(text, quote=True)}"'
