"""The comparison as rows: of a table on the screen, and of a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunkviz.agreement import AgreementUnit
from chunkviz.chunk import Chunking
from chunkviz.cost import ledger
from chunkviz.document import without_surrogates
from chunkviz.models import EmbeddingModel
from chunkviz.prices import Price
from chunkviz.ui.amounts import written
from chunkviz.ui.compare.measured import Pair, known_lint, known_numbers, known_pair
from chunkviz.ui.compare.settings import Compared, about
from chunkviz.ui.outcomes import said
from chunkviz.ui.text import shortened

Row = dict[str, Any]
STATE = "State"
"""Column that stands only where a setting has no chunks."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What settings are held against each other by."""

    tolerance: int
    """Characters, white space not counted, that two boundaries may lie apart and still be one."""
    unit: AgreementUnit
    """Of the windows of Pk and WindowDiff."""
    model: EmbeddingModel
    """Whose price is reckoned with."""
    prices: Mapping[str, Price]


def row_of(each: Compared, terms: Terms) -> Row:
    """Return what is known of one setting; None where it is not, or not yet."""
    row: Row = {"": each.letter, "Name": each.name}
    if each.pending is not None:
        row[STATE] = said(each.pending)
    if each.chunking is not None:
        row |= _numbers(each.chunking, each.paid, terms)
    # Last, because the name mostly says it: the numbers shall be in sight.
    return {**row, "Strategy": about(each)}


def _numbers(chunking: Chunking, paid: str | None, terms: Terms) -> Row:
    found, objections = known_numbers(chunking), known_lint(chunking)
    usage = chunking.usage
    row: Row = {"Chunks": len(chunking)}
    if found is not None:
        row |= {
            "Median tokens": found.median,
            "p95 tokens": found.p95,
            "Smallest": found.smallest,
            "Largest": found.largest,
            "Mean overlap": found.overlap_tokens,
            "Duplication": found.duplication,
            "Mid-sentence": found.mid_sentence,
            "Mid-word": found.mid_word,
        }
    if objections is not None:
        row |= {"Mid-table": objections.counts.get("table"), "Lint": len(objections.findings)}
    row |= {"Seconds": usage.seconds, "Calls": usage.calls, "Tokens sent": usage.tokens - usage.tokens_out}
    if found is not None:  # the sum over all texts is counted with the numbers
        cost = ledger(chunking, terms.model.name, prices=terms.prices, service=paid)
        row |= {"Tokens to embed": cost.tokens, "Money (estimate)": cost.dollars}
    return row


def columns(rows: Sequence[Row], terms: Terms) -> dict[str, Any]:
    """Return how the columns are shown."""
    share = "percent"
    fixed: dict[str, Any] = {
        "": st.column_config.TextColumn(width=34, pinned=True, help="The letter of its lane and its strip."),
        # Pinned, and narrow: on a telephone two numbers stand beside it while the rest scrolls.
        "Name": st.column_config.TextColumn(width=176, pinned=True),
        "Strategy": st.column_config.TextColumn(width=165),
        "Chunks": _number(),
        "Median tokens": _number("Median", help="Tokens of a chunk."),
        "p95 tokens": _number("p95", help="95 of 100 chunks have at most this many tokens."),
        "Smallest": _number(help="Tokens of the smallest chunk."),
        "Largest": _number(help="Tokens of the largest chunk."),
        "Mean overlap": _number(
            "Overlap", format="%.1f", help="Tokens a chunk shares with the one before on average, measured."
        ),
        "Duplication": _number(
            format="×%.2f", help="Tokens of all chunks, contexts included, over tokens of the document."
        ),
        "Mid-sentence": _number(format=share, width=112, help="Share of boundaries inside a sentence."),
        "Mid-word": _number(format=share, help="Share of boundaries between two letters or digits of one word."),
        "Mid-table": _number(help="Edges of chunks inside a table; a number. Empty where it is source code."),
        "Lint": _number(help="All that lint objects to; a count and no score."),
        "Seconds": _number(
            format="%.3f",
            help="Measured: the time of the strategy in the run that made these chunks, the tokens of the document "
            "being counted before. Vectors and contexts kept from earlier runs make it short; of own chunks, the "
            "time to find them.",
        ),
        "Calls": _number(help="Requests to paid services in that run; kept answers need none."),
        "Tokens sent": _number(help="With those requests, as the services counted them."),
        "Tokens to embed": _number(help="Sum over the texts, overlap and contexts included."),
        "Money (estimate)": st.column_config.TextColumn(
            alignment="right",
            help=f"Tokens to embed at the price of {terms.model.name}; prices are on Tokens & cost.",
        ),
    }
    if any(STATE in row for row in rows):
        fixed[STATE] = st.column_config.TextColumn(width=230, help="What it says in full stands below the table.")
    return fixed


def _number(label: str | None = None, **options: Any) -> Any:
    return st.column_config.NumberColumn(label, **{"width": 84, "format": "localized", **options})


def shown(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with money as text, and with every column in its place."""
    order = list(dict.fromkeys(name for row in sorted(rows, key=lambda row: STATE not in row) for name in row))
    return [
        {**{name: row.get(name, "ready" if name == STATE else None) for name in order}, **_rounded(row), **_money(row)}
        for row in rows
    ]


def turned(lines: Sequence[Row], labels: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """Return rows as texts, a column for each setting and a line for each number: for narrow windows."""
    names = [name for name in lines[0] if name not in ("", "Name")]
    return {
        "": [(labels or {}).get(name, name) for name in names],
        **{f"{line['']} {line['Name']}": [_written(name, line[name]) for name in names] for line in lines},
    }


def labels(rows: Sequence[Row], terms: Terms) -> dict[str, str]:
    """Return what the columns are called on the screen."""
    return {name: config["label"] or name for name, config in columns(rows, terms).items()}


_FORMATS = {
    "Duplication": "×{:.2f}",
    "Mid-sentence": "{:.0%}",
    "Mid-word": "{:.0%}",
    "Mean overlap": "{:.1f}",
    "Seconds": "{:.3f}",
    **dict.fromkeys(("F1", "Precision", "Recall", "Pk", "WindowDiff"), "{:.2f}"),
}
"""How the wide table shows what is no whole number."""
_SHORT = 48
"""Characters of a cell in a narrow window."""


def _written(name: str, value: object) -> str:
    """Return a cell as the wide table shows it."""
    if value is None:
        return "–"
    if isinstance(value, int | float):
        return _FORMATS.get(name, "{:,.0f}").format(value)
    return shortened(str(value), _SHORT)  # what it says in full stands below the table


def _rounded(row: Row) -> Row:
    """Return sizes as whole tokens and shares as whole per cent, as everywhere else on the screen."""
    digits = {"p95 tokens": 0, "Mid-sentence": 2, "Mid-word": 2}
    return {name: round(row[name], digits[name]) for name in digits if row.get(name) is not None}


def _money(row: Row) -> Row:
    name = "Money (estimate)"
    return {name: written(row[name], "dollars")} if name in row else {}


def agreement_row(each: Compared, reference: Compared, terms: Terms) -> Row | None:
    """Return how far a setting agrees with the reference, or None where that is not known."""
    if each.chunking is None or reference.chunking is None:
        return None
    pair = known_pair(reference.chunking, each.chunking, tolerance=terms.tolerance, unit=terms.unit)
    return None if pair is None else {"": each.letter, "Name": each.name, **agreement_cells(pair)}


def agreement_cells(pair: Pair) -> Row:
    """Return the measures of agreement; None where one is not defined."""
    found, windows = pair.agreement, pair.windows
    return {
        "F1": found.f1,
        "Precision": found.precision,
        "Recall": found.recall,
        "Pk": None if windows is None else windows.pk,
        "WindowDiff": None if windows is None else windows.window_diff,
        "Shared": len(found.shared),
        "Only reference": len(found.only_a),
        "Only this": len(found.only_b),
    }


def why_undefined(pair: Pair, reference: str, other: str) -> str:
    """Return why measures of agreement are not defined, or "" where all are; names are not escaped."""
    without = [name for name, found in ((reference, pair.agreement.a), (other, pair.agreement.b)) if not len(found)]
    reasons = []
    if without:
        have = "has no boundary, being one chunk" if len(without) == 1 else "have no boundary, being one chunk each"
        reasons.append(f"{' and '.join(without)} {have}")
    if pair.windows is None:
        reasons.append("the document is too short for windows")
    return "; ".join(reasons)


def to_csv(found: Sequence[Compared], reference: Compared, terms: Terms) -> bytes:
    """Return the comparison as CSV, UTF-8 with a mark for spreadsheets; cells that are not known are empty."""
    rows = []
    for each in found:
        row = row_of(each, terms)
        against = agreement_row(each, reference, terms) if each is not reference else None
        row["Letter"] = row.pop("")
        row |= {name: value for name, value in (against or {}).items() if name not in {"", "Name"}}
        rows.append(
            {
                **row,
                "Reference": reference.name,
                "Tolerance (characters)": terms.tolerance,
                "Windows in": terms.unit,
                "Counted in": each.chunking.tokens.tokenizer.name if each.chunking is not None else None,
                "Price of": terms.model.name,
            }
        )
    units = {
        "Mid-sentence": "Mid-sentence (share of boundaries)",
        "Mid-word": "Mid-word (share of boundaries)",
        "Mid-table": "Mid-table (edges of chunks)",
        "Lint": "Lint (findings)",
        "Mean overlap": "Mean overlap (tokens)",
        "Seconds": "Seconds (measured)",
    }
    rows = [{units.get(name, name): value for name, value in row.items()} for row in rows]
    names = ["Letter", *dict.fromkeys(name for row in rows for name in row if name != "Letter")]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return buffer.getvalue().encode("utf-8-sig")


def _cell(value: Any) -> Any:
    """Return a value for CSV; text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return without_surrogates(f"'{value}" if value[:1] in "=+-@" and value else value)
    return value
