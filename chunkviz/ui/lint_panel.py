"""The lint panel: counts of findings by kind, what was not checked, and a list to go through them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.lint import EDGE_KINDS, Finding, FindingKind, Lint, Rules, lint
from chunkviz.span import Span
from chunkviz.ui import jobs, session
from chunkviz.ui.messages import draw_stopped
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer.payload import fingerprint

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

    chunking: object
    span: Span
    serial: int


def draw(chunking: Chunking, *, key: str, known: Lint | None = None) -> LintView:
    """Draw the panel, closed at first, and return what the viewer should show.

    Nothing is looked for while it is closed. Long documents are looked through in a job, with progress
    and a button that stops it. ``key`` names the panel on the page; two panels need two keys. ``known`` is what
    was found with the usual limits, where the page has it already; it is looked for again only with other limits.
    """
    panel = st.expander(
        "Lint: what a reader would object to", icon=":material/rule:", key=f"{key} open", on_change="rerun"
    )
    if not panel.open or not len(chunking):
        return LintView()
    # Outside the panel: what runs by itself is not renewed inside an expander that tells when it is opened.
    rules = _rules(key)
    found = known if known is not None and rules == Rules() else _look(chunking, rules, slot=f"lint {key}")
    with panel:
        if found is None:
            st.caption("The findings come here once the document has been looked through.")
            return LintView()
        counts, places = st.columns([2, 3], gap="medium") if found.findings else (st.container(), st.container())
        with counts:
            kind = _draw_counts(chunking, found, key)
        findings = tuple(each for each in found.findings if kind in (None, each.kind))
        with places:
            _draw_list(chunking, findings, kind, key)
    visit: _Visit | None = session.get(_visited(key))
    if visit is None or visit.chunking != _name(chunking):
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

    job = jobs.run((_name(chunking), rules), "Looking for findings", work, slot=slot)
    if not job.done:
        return None
    try:
        return job.outcome()
    except Cancelled:
        draw_stopped("The search was stopped.", "Look again", slot)
        return None


def _name(chunking: Chunking) -> Hashable:
    """Return what the findings follow from, so that they are looked for once, though a page makes the same anew."""
    document = chunking.document
    written = sum(len(chunk.context) for chunk in chunking if chunk.context)
    boundaries = fingerprint(chunking.starts, chunking.ends)
    return (document.id, document.language, chunking.tokens.tokenizer.name, boundaries, written)


def _draw_counts(chunking: Chunking, found: Lint, key: str) -> FindingKind | None:
    """Draw the counts, and return the kind that alone is wanted."""
    counts = {each: count for each, count in found.counts.items() if count}
    none = [each for each, count in found.counts.items() if not count]
    name = f"{key} kind"
    if session.get(name) not in counts:
        session.put(name, None)
    if counts:
        st.pills(
            f"{_counted(len(found.findings))}; click a kind to see it alone", list(counts), key=name,
            format_func=lambda each: f"{named(each)} · {counts[each]:,}",
            on_change=_go_to_first, args=(chunking, found, key), persist_state="session", wrap=True,
        )  # fmt: skip
    else:
        st.badge("Nothing found", icon=":material/check_circle:", color="green")
    notes = [f"None: {', '.join(none)}."] if none else []
    reasons: dict[str, list[str]] = {}
    for unchecked, reason in found.not_checked.items():
        reasons.setdefault(reason, []).append(unchecked)
    notes += [f"Not checked: {', '.join(kinds)}, because {as_plain(reason)}." for reason, kinds in reasons.items()]
    st.caption(" ".join((*notes, "Counts only, no score: whether a finding matters is for you to say.")))
    with st.popover("Limits", icon=":material/tune:"):
        _draw_limits(key)
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
    table = f"{key} list {kind} {hash(_name(chunking))} {len(findings)}"
    rows = {
        "Chunk": [each.index + 1 for each in shown],
        "Kind": [named(each.kind) for each in shown],
        "Finding": [each.message for each in shown],  # last: the longest, and the one that may be cut off
    }
    st.dataframe(
        rows, key=table, hide_index=True, height=_HEAD + _ROW * min(len(shown), _ROWS_SEEN),
        on_select=lambda: _go_to_row(chunking, shown, table, key), selection_mode="single-row",
        column_config={"Chunk": st.column_config.NumberColumn(width=66, format="localized"),
                       "Kind": st.column_config.TextColumn(width=130)},
    )  # fmt: skip
    if len(findings) > len(shown):
        st.caption(f"The first {len(shown):,} of {len(findings):,}; f in the text walks through all of them.")


def named(kind: FindingKind) -> str:
    """Return a kind as a title: those of edges say what is cut."""
    return f"In a {kind}" if kind in EDGE_KINDS else kind.capitalize()


def _counted(count: int) -> str:
    return "1 finding" if count == 1 else f"{count:,} findings"


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
    session.put(_visited(key), _Visit(_name(chunking), finding.span, serial))


def _visited(key: str) -> str:
    return f"{key} visited"
