"""What the Compare page draws, in order: terms, table, agreement, bar code, document, sizes, own chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from chunkviz.agreement import AgreementUnit
from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.models import EMBEDDING_MODELS
from chunkviz.span import Span
from chunkviz.tokens import get_tokenizer
from chunkviz.ui import jobs, lint_panel, outcomes, prices, session, sidebar
from chunkviz.ui.compare import measured, own, pictures, start, table
from chunkviz.ui.compare.settings import MOST, Compared, compared
from chunkviz.ui.compare.table import Terms, lettered
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer
from chunkviz.ui.viewer.lanes import LANE_LETTERS, lanes_of

_LARGE = 1_000_000
"""Characters above which lint waits until it is asked for: it looks at every word of every setting."""
_MOST_TOLERANCE = 1_000
_SHOWN = "compare shown"
Ready = Sequence[tuple[int, str, Chunking]]
"""Place among all settings, name and chunking of each that has one."""


def draw() -> None:
    """Draw the page for what the sidebar has open."""
    setting: sidebar.Setting = session.get("setting")
    document = setting.document
    if document is None:
        sidebar.chunk()  # says how to open one
        return
    if not document.text.strip():
        st.info("This document has no text, so there is nothing to compare.", icon=":material/info:")
        return
    found, left_out = compared(document, setting)
    if len(found) < 2:  # noqa: PLR2004  comparing needs two
        start.draw(len(found))
        for each in found:
            if each.pending is not None:
                outcomes.draw(each.pending, each.name, slot=each.slot)
    else:
        _draw_comparison(document, found)
    if left_out:
        st.caption(f"The setting in the sidebar is left out: {MOST} stand side by side already, which is the most.")
    tokenizer = setting.services.tokenizer if setting.services else get_tokenizer(session.get("encoding"))
    own.draw(document, tokenizer)


def _draw_comparison(document: Document, found: Sequence[Compared]) -> None:
    reference, terms = _choose_terms(found)
    ready: Ready = [(place, each.name, each.chunking) for place, each in enumerate(found) if each.chunking is not None]
    place_of_table = st.container()
    _measure(document, ready, found[reference].chunking, terms)
    with place_of_table:
        _draw_table(found, found[reference], terms)
        _draw_pending(found)
    if not ready:
        return
    shown = _choose_shown(ready)
    if found[reference].chunking is None:
        name = as_plain(found[reference].name)
        st.info(
            f"**{name}** is the reference and has no chunks; choose another to compare with.", icon=":material/flag:"
        )
    elif len(ready) > 1:
        _draw_agreement(found, reference, shown, terms)
    _draw_document(document, ready, reference, shown, terms)
    if len(ready) > 1:
        _draw_more(ready, found, reference, terms)


def _choose_terms(found: Sequence[Compared]) -> tuple[int, Terms]:
    """Let the reference and the measures be chosen; return the place of the reference, and the terms."""
    names = [each.name for each in found]
    if session.stored("reference", names[0]) not in names:
        session.put("reference", names[0])
    models = {model.label: model for model in EMBEDDING_MODELS}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="terms"):
        chosen = st.selectbox(
            "Reference", names, key="reference", bind="query-params", width=250,
            format_func=lambda name: lettered(names.index(name), name) if name in names else name,
            help="The setting that the others are held against.",
        )  # fmt: skip
        tolerance = st.number_input(
            "Tolerance", 0, _MOST_TOLERANCE, 0, key="tolerance", bind="query-params", width=150,
            help="Characters, white space not counted, that two boundaries may lie apart and still be one.",
        )  # fmt: skip
        unit = st.segmented_control(
            "Windows in", list(get_args(AgreementUnit)), default="characters", required=True, key="windows",
            bind="query-params",
            help="Of Pk and WindowDiff: what a window slides over. It is half as long as the mean chunk of the "
            "reference.",
        )  # fmt: skip
        label = st.selectbox(
            "Price of", list(models), key="cost model", bind="query-params", width=290,
            help="The embedding model whose price is reckoned with; nothing is sent.",
        )  # fmt: skip
    model = models[label or EMBEDDING_MODELS[0].label]
    windows: AgreementUnit = "tokens" if unit == "tokens" else "characters"
    place = names.index(chosen) if chosen in names else 0
    return place, Terms(int(tolerance), windows, model, prices.in_force())


def _measure(document: Document, ready: Ready, reference: Chunking | None, terms: Terms) -> None:
    """Work out what is not known yet, the quick things first."""
    chunkings = [chunking for _, _, chunking in ready]
    tasks = [measured.numbers_of(each) for each in chunkings]
    if reference is not None:
        tasks += [
            measured.pair_of(reference, each, tolerance=terms.tolerance, unit=terms.unit)
            for each in chunkings
            if each is not reference
        ]
    tasks += [
        measured.f1_of(one, other, tolerance=terms.tolerance)
        for place, one in enumerate(chunkings)
        for other in chunkings[place:]
    ]
    if not measured.work_out(tasks, slot="compare numbers", label="Measuring sizes and agreement"):
        return
    objections = [measured.lint_of(each) for each in chunkings]
    if len(document) <= _LARGE or session.get("lint asked for") == document.id:
        measured.work_out(objections, slot="compare lint", label="Counting what lint objects to")
    elif not all(measured.is_known(task) for task in objections):
        st.button(
            "Count lint and cuts in tables, too", icon=":material/rule:", key="count lint", type="tertiary",
            on_click=session.put, args=("lint asked for", document.id),
            help="It takes about half a minute a setting for ten million characters.",
        )  # fmt: skip


def _draw_table(found: Sequence[Compared], reference: Compared, terms: Terms) -> None:
    rows = [table.row_of(place, each, terms) for place, each in enumerate(found)]
    names = [each.name for each in found]
    key = "comparison " + " ".join(names)

    def follow() -> None:
        chosen = (session.get(key) or {}).get("selection", {}).get("rows", [])
        if chosen and chosen[0] < len(names):
            session.put(_SHOWN, names[chosen[0]])

    st.dataframe(
        table.shown(rows), key=key, hide_index=True, on_select=follow, selection_mode="single-row", width="stretch",
        height="content", column_config=table.columns(rows, terms), placeholder="–",
        alt="Settings side by side",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            "Table (CSV)", lambda: table.to_csv(found, reference, terms), "comparison.csv", "text/csv",
            on_click="ignore", icon=":material/download:", key="download comparison", type="tertiary",
        )  # fmt: skip
        counted = sorted({each.chunking.tokens.tokenizer.name for each in found if each.chunking is not None})
        st.caption(
            f"Sizes in tokens of {' and '.join(counted) or 'nothing yet'}; seconds as measured in the run that made "
            "the chunks; money is an estimate. Select a row to see its chunks in the document."
        )


def _draw_pending(found: Sequence[Compared]) -> None:
    """Draw what becomes of each setting that has no chunks, with what can be done about it."""
    for each in found:
        if each.pending is None or isinstance(each.pending, outcomes.Waiting):
            continue
        if not isinstance(each.pending, outcomes.Failed):
            outcomes.draw(each.pending, each.name, slot=each.slot)
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            outcomes.draw(each.pending, each.name, slot=each.slot)
            st.button(
                "Try again", icon=":material/refresh:", key=f"try {each.name}", on_click=jobs.forget, args=(each.slot,)
            )


def _choose_shown(ready: Ready) -> int:
    """Return the place among ``ready`` of the setting that the document shows."""
    names = [name for _, name, _ in ready]
    held = session.get(_SHOWN)
    return names.index(held) if held in names else 0


def _draw_agreement(found: Sequence[Compared], reference: int, shown: int, terms: Terms) -> None:
    """Draw the numbers of the one setting that matters most: the one in the document, or else the first other."""
    ready = [place for place, each in enumerate(found) if each.chunking is not None]
    other = ready[shown] if ready[shown] != reference else next(each for each in ready if each != reference)
    a, b = found[reference], found[other]
    if a.chunking is None or b.chunking is None:
        return
    pair = measured.known_pair(a.chunking, b.chunking, tolerance=terms.tolerance, unit=terms.unit)
    if pair is None:
        return
    cells = table.agreement_cells(pair)
    one, two = LANE_LETTERS[reference], LANE_LETTERS[other]
    unit = terms.unit
    window = "" if pair.windows is None else f" Window: {pair.windows.window:,} of {pair.windows.length:,} {unit}."
    helps = {
        "F1": "Boundaries of both: the harmonic mean of precision and recall. 1 is the same.",
        "Precision": f"Share of the boundaries of {two} that {one} has, too.",
        "Recall": f"Share of the boundaries of {one} that {two} has, too.",
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
        st.metric(f"{one} only", f"{cells['Only reference']:,}", help="Boundaries that only the reference has.")
        st.metric(f"{two} only", f"{cells['Only this']:,}", help="Boundaries that the reference does not have.")
    apart = f"at most {terms.tolerance:,} characters apart" if terms.tolerance else "at the same place"
    undefined = table.why_undefined(pair, a.name, b.name)
    st.caption(
        f"**{two} {as_plain(b.name)}** against **{one} {as_plain(a.name)}**: boundaries {apart}, white space not "
        f"counted; windows in {unit}.{f' – is not defined: {as_plain(undefined)}.' if undefined else ''}"
    )


def _draw_document(document: Document, ready: Ready, reference: int, shown: int, terms: Terms) -> None:
    """Draw the bar code, the lint of the setting shown, and the document with a lane for each setting."""
    places = [place for place, _, _ in ready]
    held_against = places.index(reference) if reference in places else 0
    _, name, chunking = ready[shown]
    lanes = session.remembered(
        chunking, "compare lanes",
        lambda: lanes_of([(each, made) for _, each, made in ready], reference=held_against, tolerance=terms.tolerance),
        *((each, id(made)) for _, each, made in ready), held_against, terms.tolerance,
    )  # fmt: skip
    clicked = pictures.draw_bar_code(lanes, places, held_against, document)
    st.markdown(f"**In the document: {LANE_LETTERS[places[shown]]} {as_plain(name)}**")
    view = lint_panel.draw(chunking, key="compare lint")
    if clicked is not None:
        _focus(clicked)
    elif session.get("compare lint serial", 0) != view.serial:
        session.put("compare lint serial", view.serial)
        _focus(view.focus)
    kept: tuple[str, Span] | None = session.get("compare focus")
    draw_viewer(
        chunking, key="compare viewer", height=520, lanes=lanes if len(lanes) > 1 else (), findings=view.findings,
        focus=kept[1] if kept is not None and kept[0] == document.id else None,
        focus_serial=session.get("compare serial", 0),
    )  # fmt: skip


def _focus(span: Span | None) -> None:
    setting: sidebar.Setting = session.get("setting")
    document = setting.document
    session.put("compare focus", None if span is None or document is None else (document.id, span))
    session.put("compare serial", session.get("compare serial", 0) + 1)


def _draw_more(ready: Ready, found: Sequence[Compared], reference: int, terms: Terms) -> None:
    """Draw the sizes, and the agreement of more than two."""
    st.subheader("Sizes", anchor=False)
    pictures.draw_sizes(ready)
    if len(ready) < 3:  # noqa: PLR2004  the numbers above say it all of two
        return
    st.subheader("Agreement", anchor=False)
    rows = [
        row
        for place, each in enumerate(found)
        if place != reference and (row := table.agreement_row(place, each, found[reference], terms)) is not None
    ]
    if rows:
        three = st.column_config.NumberColumn(format="%.2f")
        st.dataframe(
            rows, hide_index=True, key="agreement table", width="stretch", height="content",
            column_config={"": st.column_config.TextColumn(width=40, pinned=True),
                           "Name": st.column_config.TextColumn(width="medium"),
                           **dict.fromkeys(("F1", "Precision", "Recall", "Pk", "WindowDiff"), three)},
            placeholder="–", alt="Agreement with the reference",
        )  # fmt: skip
        st.caption(
            f"Against **{LANE_LETTERS[reference]} {as_plain(found[reference].name)}**. – where it is not "
            "defined, as for a setting of one chunk, which has no boundary."
        )
    pictures.draw_map(ready, terms)
