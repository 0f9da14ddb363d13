"""The lint panel: counts of findings by kind, what was not checked, and a list to go through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.lint import EDGE_KINDS, Finding, FindingKind, Lint, Rules, lint
from chunkviz.span import Span
from chunkviz.ui import jobs, session
from chunkviz.ui.text import as_plain

_MOST_ROWS = 500
"""Findings listed; the keys of the viewer walk through all of them."""
_ROW, _HEAD, _ROWS_SEEN = 35, 38, 5
"""Pixels of a row and of the head, and rows that are seen without scrolling."""
SERIAL = "focus serial"
"""Where the session counts how often a place was to be gone to, whoever asked for it."""


@dataclass(frozen=True, slots=True)
class LintView:
    """What the panel asks of the viewer; hand the fields to ``draw_viewer``."""

    findings: tuple[Finding, ...] = ()
    """Those of the kind chosen; none while the panel is closed or they are being looked for."""
    focus: Span | None = None
    """Place of the finding that was gone to, or None."""
    serial: int = 0
    """Grows when a place is to be gone to, the same one again included; the viewer's ``focus_serial``."""


@dataclass(frozen=True, slots=True)
class _Visit:
    """A finding that was gone to, and in which chunking; of another one it means nothing."""

    chunking: int
    span: Span
    serial: int


def draw(chunking: Chunking, *, key: str) -> LintView:
    """Draw the panel, closed at first, and return what the viewer should show.

    Nothing is looked for while it is closed. Long documents are looked through in a job, with progress
    and a button that stops it. ``key`` names the panel on the page; two panels need two keys.
    """
    panel = st.expander("Lint", icon=":material/rule:", key=f"{key} open", on_change="rerun")
    if not panel.open or not len(chunking):
        return LintView()
    with panel:
        found = _look(chunking, _rules(key), slot=f"lint {key}")
        if found is None:
            return LintView()
        kind = _draw_counts(chunking, found, key)
        findings = tuple(each for each in found.findings if kind in (None, each.kind))
        _draw_list(chunking, findings, kind, key)
    visit: _Visit | None = session.get(_visited(key))
    if visit is None or visit.chunking != id(chunking):
        return LintView(findings)
    return LintView(findings, visit.span, visit.serial)


def _rules(key: str) -> Rules:
    """Return the limits in force; their fields stand in a popover drawn further down."""
    usual = Rules()
    return Rules(
        int(session.get(f"{key} tiny", usual.tiny)),
        int(session.get(f"{key} oversize", usual.oversize)),
        float(session.get(f"{key} similarity", usual.similarity)),
    )


def _look(chunking: Chunking, rules: Rules, *, slot: str) -> Lint | None:
    """Return the findings, or None while they are looked for or when that was stopped."""

    def work(job: jobs.Job[Lint]) -> Lint:
        return lint(chunking, rules, job.report)

    job = jobs.run(("lint", id(chunking), rules), "Looking for findings", work, slot=slot)
    if not job.done:
        return None
    try:
        return job.outcome()
    except Cancelled:
        st.info("The search was stopped.", icon=":material/info:")
        st.button("Look again", icon=":material/refresh:", key=f"{slot} again", on_click=jobs.forget, args=(slot,))
        return None


def _draw_counts(chunking: Chunking, found: Lint, key: str) -> FindingKind | None:
    """Draw the counts, and return the kind that alone is wanted."""
    counts = {kind: count for kind, count in found.counts.items() if count}
    none = [kind for kind, count in found.counts.items() if not count]
    name = f"{key} kind"
    if session.get(name) not in counts:
        session.put(name, None)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        with st.container():
            if counts:
                st.pills(
                    f"{len(found.findings):,} findings; click a kind to see it alone", list(counts), key=name,
                    format_func=lambda kind: f"{named(kind)} {counts[kind]:,}",
                    on_change=_go_to_first, args=(chunking, found, key), persist_state="session",
                )  # fmt: skip
            else:
                st.badge("Nothing found", icon=":material/check_circle:", color="green")
        with st.popover("Limits", icon=":material/tune:"):
            _draw_limits(key)
    notes = [f"None: {', '.join(none)}."] if none else []
    reasons: dict[str, list[str]] = {}
    for kind, reason in found.not_checked.items():
        reasons.setdefault(reason, []).append(kind)
    notes += [f"Not checked: {', '.join(kinds)}, because {as_plain(reason)}." for reason, kinds in reasons.items()]
    st.caption(" ".join((*notes, "Counts only, no score: whether a finding matters is for you to say.")))
    kind: FindingKind | None = session.get(name)
    return kind


def _draw_limits(key: str) -> None:
    usual = Rules()
    st.number_input(
        "Tiny: fewer tokens than", 0, None, usual.tiny, key=f"{key} tiny", persist_state="session",
        help="A chunk of fewer tokens is a finding; 0 finds none.",
    )  # fmt: skip
    st.number_input(
        "Oversize: more tokens than", 0, None, usual.oversize, key=f"{key} oversize", persist_state="session",
        help="Context included. Many local embedding models read 512 tokens, those of OpenAI 8,191.",
    )  # fmt: skip
    st.number_input(
        "Near-duplicate: similarity from", 0.05, 1.0, usual.similarity, 0.05, key=f"{key} similarity",
        persist_state="session",
        help="Share of runs of three words that two chunks have in common (Jaccard similarity).",
    )  # fmt: skip


def _draw_list(chunking: Chunking, findings: tuple[Finding, ...], kind: FindingKind | None, key: str) -> None:
    if not findings:
        return
    shown = findings[:_MOST_ROWS]
    table = f"{key} list {kind} {id(chunking)} {len(findings)}"
    rows = {
        "Chunk": [each.index + 1 for each in shown],
        "Kind": [named(each.kind) for each in shown],
        "Finding": [each.message for each in shown],
    }
    st.dataframe(
        rows, key=table, hide_index=True, height=_HEAD + _ROW * min(len(shown), _ROWS_SEEN),
        on_select=lambda: _go_to_row(chunking, shown, table, key), selection_mode="single-row",
        column_config={"Chunk": st.column_config.NumberColumn(width=70, format="localized"),
                       "Kind": st.column_config.TextColumn(width=140),
                       "Finding": st.column_config.TextColumn(width="large")},
    )  # fmt: skip
    if len(findings) > len(shown):
        st.caption(
            f"The first {len(shown):,} of {len(findings):,}; f and Shift+f in the text walk through all of them."
        )


def named(kind: FindingKind) -> str:
    """Return a kind as a title: those of edges say what is cut."""
    return f"In a {kind}" if kind in EDGE_KINDS else kind.capitalize()


def _go_to_first(chunking: Chunking, found: Lint, key: str) -> None:
    kind = session.get(f"{key} kind")
    first = next((each for each in found.findings if each.kind == kind), None)
    if first is not None:
        _visit(chunking, first, key)


def _go_to_row(chunking: Chunking, shown: tuple[Finding, ...], table: str, key: str) -> None:
    chosen: dict[str, Any] = session.get(table) or {}
    for row in chosen.get("selection", {}).get("rows", [])[:1]:
        _visit(chunking, shown[row], key)


def _visit(chunking: Chunking, finding: Finding, key: str) -> None:
    serial = session.get(SERIAL, 0) + 1
    session.put(SERIAL, serial)
    session.put(_visited(key), _Visit(id(chunking), finding.span, serial))


def _visited(key: str) -> str:
    return f"{key} visited"
