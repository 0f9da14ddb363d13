"""The last step's picture: what each setting of the steps before sends, stores and costs."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import streamlit as st

from chunkviz.metrics import numbers
from chunkviz.prices import estimate_cost
from chunkviz.services import Services
from chunkviz.ui import session
from chunkviz.ui.present.steps import PRICED

_MODEL = "text-embedding-3-small"
_DIMENSIONS = 1536
_DOCUMENTS = 100_000
_BYTES = 4


@dataclass(frozen=True, slots=True)
class Priced:
    """One setting: chunks and tokens measured, the bytes of their vectors, money estimated."""

    setting: str
    chunks: int
    tokens: int
    dollars: float | None

    @property
    def stored(self) -> int:
        """Bytes of one float32 vector a chunk."""
        return self.chunks * _DIMENSIONS * _BYTES


def draw_prices(sample: str, services: Services) -> None:
    """Draw the table; made once a session."""
    rows = session.keep("present prices", lambda: priced(sample, services))
    st.html(_table(rows))
    st.caption(
        f"Chunks and tokens are measured. A vector is {_DIMENSIONS:,} numbers of four bytes. Money is an estimate: "
        f"{_DOCUMENTS:,} documents like this one, embedded once by {_MODEL} at its list price."
    )


def priced(sample: str, services: Services) -> tuple[Priced, ...]:
    """Chunk a sample with each setting of the steps, and add up what it costs."""
    rows = []
    for name, strategy in PRICED:
        chunking = strategy.chunk(session.sample_document(sample), services)
        sent = round(numbers(chunking).duplication * len(chunking.tokens))
        rows.append(Priced(name, len(chunking), sent, estimate_cost(_MODEL, 1, sent * _DOCUMENTS).dollars))
    return tuple(rows)


def _table(rows: tuple[Priced, ...]) -> str:
    most = max(row.tokens for row in rows)
    body = "".join(
        f"<tr><th scope=row>{escape(row.setting)}</th><td>{row.chunks:,}</td><td>{row.tokens:,}</td>"
        f'<td class=bar><i style="width:{row.tokens / most:.1%}"></i></td><td>{row.stored / 1024:,.0f}&nbsp;KiB</td>'
        f"<td>{'–' if row.dollars is None else f'${row.dollars:,.2f}'}</td></tr>"
        for row in rows
    )
    return (
        "<table class=present-prices><thead><tr><th scope=col>Setting</th><th scope=col>Chunks</th>"
        "<th scope=col>Tokens to embed</th><td class=bar></td><th scope=col>Vectors</th>"
        f"<th scope=col>{_DOCUMENTS:,} documents (estimate)</th></tr></thead><tbody>{body}</tbody></table>"
    )
