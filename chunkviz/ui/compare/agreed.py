"""The part of the page for agreement: the numbers of one setting against the reference, and those of all."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.ui import narrow
from chunkviz.ui.compare import measured, pictures, table
from chunkviz.ui.compare.settings import Compared
from chunkviz.ui.compare.table import Terms
from chunkviz.ui.text import as_plain


def draw_numbers(a: Compared, b: Compared, terms: Terms) -> None:
    """Draw how far b agrees with the reference a, once that is known."""
    if a.chunking is None or b.chunking is None:
        return
    pair = measured.known_pair(a.chunking, b.chunking, tolerance=terms.tolerance, unit=terms.unit)
    if pair is None:
        return
    cells, unit = table.agreement_cells(pair), terms.unit
    window = "" if pair.windows is None else f" Window: {pair.windows.window:,} of {pair.windows.length:,} {unit}."
    helps = {
        "F1": "Boundaries of both: the harmonic mean of precision and recall. 1 is the same.",
        "Precision": f"Share of the boundaries of {b.letter} that {a.letter} has, too.",
        "Recall": f"Share of the boundaries of {a.letter} that {b.letter} has, too.",
        "Pk": "Share of windows whose two ends lie in one chunk for one setting and not for the other; 0 is the same. "
        f"Beeferman et al., 1999.{window}",
        "WindowDiff": "Share of windows in which the numbers of boundaries differ; 0 is the same. Pevzner and "
        f"Hearst, 2002.{window}",
    }
    with st.container(horizontal=True, gap="small", key="measures"):
        for name, meaning in helps.items():
            value = cells[name]
            st.metric(name if name != "F1" else "Boundary F1", "–" if value is None else f"{value:.2f}", help=meaning)
        st.metric("Shared", f"{cells['Shared']:,}", help="Boundaries of both settings.")
        st.metric(f"{a.letter} only", f"{cells['Only reference']:,}", help="Boundaries that only the reference has.")
        st.metric(f"{b.letter} only", f"{cells['Only this']:,}", help="Boundaries that the reference does not have.")
    apart = f"at most {terms.tolerance:,} characters apart" if terms.tolerance else "at the same place"
    undefined = table.why_undefined(pair, a.name, b.name)
    st.caption(
        f"**{as_plain(b.label)}** against **{as_plain(a.label)}**: boundaries {apart}, white space not counted; "
        f"windows in {unit}.{f' – is not defined: {as_plain(undefined)}.' if undefined else ''}"
    )


def draw_all(ready: Sequence[tuple[Compared, Chunking]], reference: Compared, terms: Terms) -> None:
    """Draw every setting against the reference, and every two against each other."""
    st.subheader("Agreement", anchor=False)
    rows = [
        row
        for each, _ in ready
        if each is not reference and (row := table.agreement_row(each, reference, terms)) is not None
    ]
    if rows:
        measure = st.column_config.NumberColumn(format="%.2f")
        with narrow.wide("agreement"):
            st.dataframe(
                rows, hide_index=True, key="agreement table", width="stretch", height="content",
                column_config={"": st.column_config.TextColumn(width=34, pinned=True),
                               "Name": st.column_config.TextColumn(width=176, pinned=True),
                               **dict.fromkeys(("F1", "Precision", "Recall", "Pk", "WindowDiff"), measure)},
                placeholder="–", alt="Agreement with the reference",
            )  # fmt: skip
        narrow.draw_plain("agreement", table.turned(rows), "Agreement with the reference")
        st.caption(
            f"Against **{as_plain(reference.label)}**. – where it is not defined, as for a setting of one chunk, which "
            "has no boundary."
        )
    pictures.draw_map([(each.label, chunking) for each, chunking in ready], terms)
