"""What the Compare page draws, in order: terms, table, agreement, bar code, document, sizes, own chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, get_args

import streamlit as st

from chunkviz.agreement import AgreementUnit
from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.models import EMBEDDING_MODELS
from chunkviz.span import Span
from chunkviz.tokens import get_tokenizer
from chunkviz.ui import lint_panel, narrow, pins, prices, session, sidebar
from chunkviz.ui.compare import agreed, measured, own, pictures, start, table
from chunkviz.ui.compare.settings import MOST, Compared, compared, draw_pending
from chunkviz.ui.compare.table import Terms
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer
from chunkviz.ui.viewer.lanes import lanes_of

Ready: TypeAlias = Sequence[tuple[Compared, Chunking]]
"""The settings that have chunks, with them."""
_LARGE = 3_000_000
"""Characters above which lint waits until it is asked for: it looks at every word of every setting."""
_MOST_TOLERANCE = 1_000
_SHOWN = "compare shown"
_GONE = "reference gone"
"""Where the session keeps the reference that is gone, and the setting in its place."""


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
        draw_pending(found)
    else:
        _draw_comparison(document, found)
    if left_out:
        names = " and ".join(f"**{as_plain(name)}**" for name in left_out)
        st.info(f"Left out: {names}. At most {MOST} settings stand side by side; remove one.", icon=":material/info:")
    tokenizer = setting.services.tokenizer if setting.services else get_tokenizer(session.get("encoding"))
    own.draw(document, tokenizer)


def _draw_comparison(document: Document, found: Sequence[Compared]) -> None:
    reference, terms = _choose_terms(found)
    ready: Ready = [(each, each.chunking) for each in found if each.chunking is not None]
    top = st.container()
    _measure(document, [chunking for _, chunking in ready], reference.chunking, terms)
    with top:
        _draw_table(found, reference, terms)
        draw_pending(found)
    if not ready:
        return
    names = [each.name for each, _ in ready]
    if session.get(_SHOWN) not in names:
        now = pins.name_now(str(session.get(_SHOWN)))
        session.put(_SHOWN, now if now in names else names[0])
    shown = names.index(session.get(_SHOWN))
    if reference.chunking is None:
        st.info(
            f"**{as_plain(reference.name)}** is the reference and has no chunks; choose another to compare with.",
            icon=":material/flag:",
        )
    elif len(ready) > 1:
        others = [each for each, _ in ready if each is not reference]
        agreed.draw_numbers(reference, ready[shown][0] if ready[shown][0] in others else others[0], terms)
    _draw_document(document, ready, reference, shown, terms)
    if len(ready) > 1:
        st.subheader("Sizes", anchor=False)
        pictures.draw_sizes([(each.label, chunking) for each, chunking in ready])
    if len(ready) > 2:  # noqa: PLR2004  the numbers above say all of two
        agreed.draw_all(ready, reference, terms)


def _choose_terms(found: Sequence[Compared]) -> tuple[Compared, Terms]:
    """Let the reference and the measures be chosen."""
    named = {each.name: each for each in found}
    gone = _keep_reference(list(named))
    models = {model.label: model for model in EMBEDDING_MODELS}
    with st.container(horizontal=True, vertical_alignment="top", gap="medium", key="terms"):
        chosen = st.selectbox(
            "Reference", list(named), key="reference", bind="query-params", width=250,
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
    if gone is not None:
        st.caption(
            f":material/flag: **{as_plain(gone)}**, which was the reference, is not here any more; "
            f"**{as_plain(chosen or '')}** is the reference now."
        )
    model = models[label or EMBEDDING_MODELS[0].label]
    windows: AgreementUnit = "tokens" if unit == "tokens" else "characters"
    return named.get(chosen or "", found[0]), Terms(int(tolerance), windows, model, prices.in_force())


def _keep_reference(names: Sequence[str]) -> str | None:
    """See to it that the reference is one of the settings; return the one that was chosen and is gone.

    A setting with a new name stays the reference. In the place of one that is gone stands the first, which
    is said until another one is chosen.
    """
    asked = str(session.stored("reference", names[0]))
    chosen = asked if asked in names else pins.name_now(asked)
    if chosen not in names:
        session.put(_GONE, (asked, names[0]))
        chosen = names[0]
    if chosen != asked:
        session.put("reference", chosen)
    gone: tuple[str, str] | None = session.get(_GONE)
    if gone is None or pins.name_now(gone[1]) != chosen or gone[0] in names:
        session.drop(_GONE)
        return None
    return gone[0]


def _measure(document: Document, chunkings: Sequence[Chunking], reference: Chunking | None, terms: Terms) -> None:
    """Work out what is not known yet, the quick things first."""
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
            help="On a document this long it takes a while: about half a second per million characters and setting.",
        )  # fmt: skip


def _draw_table(found: Sequence[Compared], reference: Compared, terms: Terms) -> None:
    rows = [table.row_of(each, terms) for each in found]
    names = [each.name for each in found]
    key = "comparison " + " ".join(names)

    def follow() -> None:
        chosen = (session.get(key) or {}).get("selection", {}).get("rows", [])
        if chosen and chosen[0] < len(names):
            session.put(_SHOWN, names[chosen[0]])

    with narrow.wide("comparison"):
        st.dataframe(
            table.shown(rows), key=key, hide_index=True, on_select=follow, selection_mode="single-row",
            width="stretch", height="content", column_config=table.columns(rows, terms), placeholder="–",
            alt="Settings side by side",
        )  # fmt: skip
    narrow.draw_plain(
        "comparison", table.turned(table.shown(rows), table.labels(rows, terms)), "Settings side by side"
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            "Table (CSV)", table.to_csv(found, reference, terms), "comparison.csv", "text/csv",
            on_click="ignore", icon=":material/download:", key="download comparison", type="tertiary",
        )  # fmt: skip
        counted = sorted({each.chunking.tokens.tokenizer.name for each in found if each.chunking is not None})
        st.caption(
            f"Sizes in tokens of {' and '.join(counted) or 'nothing yet'}; seconds as measured in the run that made "
            "the chunks; money is an estimate. Select a row to see its chunks in the document."
        )


def _draw_document(document: Document, ready: Ready, reference: Compared, shown: int, terms: Terms) -> None:
    """Draw the bar code, the lint of the setting shown, and the document with a lane for each setting."""
    held_against = next((place for place, (each, _) in enumerate(ready) if each is reference), 0)
    chunking = ready[shown][1]
    lanes = session.remembered(
        chunking, "compare lanes",
        lambda: lanes_of([(one.name, made) for one, made in ready], reference=held_against, tolerance=terms.tolerance),
        *((one.name, id(made)) for one, made in ready), held_against, terms.tolerance,
    )  # fmt: skip
    clicked = pictures.draw_bar_code(lanes, held_against, document)
    labels = {one.name: one.label for one, _ in ready}
    st.selectbox(
        "Shown in the document", list(labels), key=_SHOWN, persist_state="session", width=420,
        format_func=lambda name: labels.get(name, name),
    )  # fmt: skip
    view = lint_panel.draw(chunking, key="compare lint", known=measured.known_lint(chunking))
    if clicked is not None:
        _focus(document, clicked)
    elif session.get("compare lint serial", 0) != view.serial:
        session.put("compare lint serial", view.serial)
        _focus(document, view.focus)
    kept: tuple[str, Span] | None = session.get("compare focus")
    draw_viewer(
        chunking, key="compare viewer", height=520, lanes=lanes if len(lanes) > 1 else (), findings=view.findings,
        focus=kept[1] if kept is not None and kept[0] == document.id else None,
        focus_serial=session.get("compare serial", 0),
    )  # fmt: skip


def _focus(document: Document, span: Span | None) -> None:
    session.put("compare focus", None if span is None else (document.id, span))
    session.put("compare serial", session.get("compare serial", 0) + 1)
