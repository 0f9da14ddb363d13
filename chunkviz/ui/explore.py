"""What the Explore page draws: numbers, fidelity, the document, its sizes, and ways to take it away."""

from __future__ import annotations

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.evidence import SizeLimit
from chunkviz.metrics import Numbers, fidelity, numbers
from chunkviz.models import EMBEDDING_LIMITS
from chunkviz.span import Span
from chunkviz.ui import lint_panel, session, sidebar, take_away
from chunkviz.ui.size_charts import VIEWS, chosen_in_charts, draw_size_chart, name_of
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer
from chunkviz.wording import count_of


def draw(chunking: Chunking) -> None:
    """Draw the page for one chunking."""
    measured = session.remembered(chunking, "numbers", lambda: numbers(chunking))
    # All of it in one place: were the viewer behind it to move up or down, the browser would build it anew.
    with st.container():
        _draw_numbers(measured, getattr(chunking.strategy, "unit", "tokens"))
        _draw_what_was_found(chunking)
        gap, asked = _draw_fidelity(chunking), session.get("gap serial", 0)
        checked = lint_panel.draw(chunking, key="lint")
    # Of a gap and a finding the one asked for last is shown.
    by_lint = checked.focus is not None and (gap is None or checked.serial > asked)
    focus, serial = (checked.focus, checked.serial) if by_lint else (gap, asked)
    name = name_of(chunking.starts, chunking.ends)
    marked, chosen = chosen_in_charts(name, chunking.token_counts)
    state = draw_viewer(
        chunking, key="viewer", selected=chosen, marked=marked.tolist(), focus=focus, focus_serial=serial,
        findings=checked.findings,
    )  # fmt: skip
    _draw_parent(chunking, state.selected)
    _draw_sizes(chunking, state.selected)
    take_away.draw(chunking)


def _draw_numbers(measured: Numbers, unit: str) -> None:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    overlap, short = (measured.overlap_tokens, "tok") if unit == "tokens" else (measured.overlap, "ch")
    few = 0 < overlap < 10  # noqa: PLR2004  where a fraction is worth its place

    with st.container(horizontal=True, gap="small", key="numbers"):
        st.metric("Chunks", f"{measured.chunks:,}")
        st.metric("Median tokens", f"{measured.median:,.10g}")
        st.metric("p95 tokens", f"{measured.p95:,.0f}", help="95 of 100 chunks have at most this many tokens.")
        st.metric("Smallest – largest", f"{measured.smallest:,} – {measured.largest:,}", help="Tokens.")
        st.metric(
            "Mean overlap", f"{overlap:,.{int(few)}f} {short}",
            help=f"{unit.capitalize()} a chunk shares with the one before, measured. Where nothing may be shared, as "
            "across a heading, it is 0, so the mean stays below the setting.",
        )  # fmt: skip
        st.metric(
            "Tokens to embed", f"×{measured.duplication:.2f}",
            help="Tokens of all chunks, contexts included, over tokens of the document: what overlap and context cost.",
        )  # fmt: skip
        st.metric(
            "Cut mid-sentence",
            share(measured.mid_sentence),
            help="Share of chunks that end inside a sentence; where a repeated part begins is not counted.",
        )
        st.metric(
            "Cut mid-word", share(measured.mid_word),
            help="Share of boundaries between two letters or digits of one word.",
        )  # fmt: skip


def _draw_what_was_found(chunking: Chunking) -> None:
    """Say what the strategy knew beyond the boundaries: threshold, notes, usage, and contexts that failed."""
    curve = chunking.evidence.curve
    draw_notes(chunking)
    facts = []
    if curve is not None and curve.threshold is not None and len(curve) > 1:
        below = int((curve.signal[curve.allowed] < curve.threshold).sum())
        of = f"{below:,} of {int(curve.allowed.sum()):,}"
        facts.append(
            f"Gradient threshold **{curve.threshold:.3f}**: similarity falls off more steeply at {of} places"
            if curve.mode == "gradient"
            else f"Similarity threshold **{curve.threshold:.3f}**: {of} neighbours lie below it"
        )
    if curve is not None:
        facts.append(f"{len(curve):,} segments by {as_plain(curve.embedder)}")
    if chunking.parents:
        facts.append(f"{len(chunking.parents):,} parents")
    written = sum(chunk.context is not None for chunk in chunking)
    if written:
        facts.append(f"{written:,} of {len(chunking):,} chunks have context")
        largest = session.remembered(chunking, "numbers", lambda: numbers(chunking)).largest_embedded
        facts.append(f"with it up to {largest:,} tokens")
    if chunking.usage.calls:
        facts.append(f"{count_of(chunking.usage.calls, 'call')}, {count_of(chunking.usage.tokens, 'token')} sent")
    if facts:
        st.caption(" · ".join(facts))
    _draw_failures(chunking)


def draw_notes(chunking: Chunking) -> None:
    """Say what the strategy wants to be known, and offer a way out where the threshold chooses nothing."""
    curve = chunking.evidence.curve
    for note in chunking.evidence.notes:
        if curve is None or note != curve.note:  # the hint says it, with a button
            st.info(as_plain(note), icon=":material/info:")
    _draw_hint(chunking)


def _draw_hint(chunking: Chunking) -> None:
    """Offer another mode where an absolute threshold lies above nearly everything, as it does for some embedders."""
    curve = chunking.evidence.curve
    if curve is None or curve.note is None or curve.threshold is None:
        return
    share = float((curve.signal[curve.allowed] < curve.threshold).mean())
    with st.container(border=True, key="hint"):
        words, offer = st.columns([3, 1], vertical_alignment="center")
        words.markdown(
            f":material/lightbulb: {share:.0%} of the neighbours are less similar than {curve.threshold:.2f} with this "
            "embedder: here the threshold chooses nothing."
        )
        offer.button(
            "Cut the least similar 20%", key="use percentile", on_click=session.put, width="stretch",
            args=(f"{chunking.strategy.name}.threshold_mode", "percentile"),
        )  # fmt: skip


def _draw_failures(chunking: Chunking) -> None:
    errors = dict.fromkeys(chunk.context_error for chunk in chunking if chunk.context_error)
    if not errors:
        return
    failed = sum(chunk.context_error is not None for chunk in chunking)
    reason = as_plain(next(iter(errors)) or "")
    st.warning(f"{failed:,} of {len(chunking):,} chunks have no context: {reason}", icon=":material/warning:")
    if st.button("Retry the failed ones", icon=":material/refresh:", key="retry"):
        sidebar.chunk_again()
        st.rerun()


def _draw_parent(chunking: Chunking, selected: int | None) -> None:
    """Offer the text of the parent that would be returned for the selected chunk."""
    chunk = chunking[selected] if selected is not None and selected < len(chunking) else None
    if chunk is None or chunk.parent is None:
        return
    children = sum(each.parent is chunk.parent for each in chunking)
    with st.expander(
        f"Parent of chunk {chunk.index + 1}: {count_of(chunk.parent.token_count, 'token')}, "
        f"{children:,} {'child' if children == 1 else 'children'}",
        icon=":material/account_tree:",
    ):
        st.text(chunk.parent.text)


def _draw_fidelity(chunking: Chunking) -> Span | None:
    """Say whether the spans account for the document; return a gap somebody wants to see."""
    found = session.remembered(chunking, "fidelity", lambda: fidelity(chunking))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="fidelity"):
        if found.complete:
            st.badge("All text accounted for", icon=":material/check_circle:", color="green")
        else:
            st.badge(f"{count_of(len(found.gaps), 'place')} left out", icon=":material/warning:", color="orange")
        st.caption(
            f"{found.covered:,} of {found.characters:,} characters covered · {found.left_out:,} left out · "
            f"{found.blank:,} white space between chunks · {found.doubled:,} doubled"
        )
        above = sum(isinstance(reason, SizeLimit) and reason.exceeded for reason in chunking.evidence.reasons)
        if above:
            st.badge(f"{above:,} single characters above the size", icon=":material/info:", color="gray")
    if not found.gaps:
        return None
    shown = found.gaps[:50]
    number = st.pills(
        "Show a place that is in no chunk", range(len(shown)), key="gap", on_change=_next_focus,
        format_func=lambda index: f"{shown[index].start:,}–{shown[index].end:,}",
    )  # fmt: skip
    return None if number is None or number >= len(shown) else shown[number]


def _next_focus() -> None:
    serial = session.get(lint_panel.SERIAL, 0) + 1
    session.put(lint_panel.SERIAL, serial)
    session.put("gap serial", serial)


def _draw_sizes(chunking: Chunking, selected: int | None) -> None:
    with st.container(horizontal=True, vertical_alignment="top", key="sizes"):
        view = st.segmented_control(
            "Sizes", VIEWS, default=VIEWS[0], required=True, key="sizes view",
            persist_state="session",
        )  # fmt: skip
        model = st.selectbox(
            "Limit of the embedding model", ["none", *EMBEDDING_LIMITS], key="model", bind="query-params", width=340,
            help="The longest text the model reads, in its own tokens; those counted here differ by some percent.",
        )  # fmt: skip
    limit = EMBEDDING_LIMITS.get(model or "")
    name = (model or "").split(" (")[0]
    hint = draw_size_chart(
        view or VIEWS[0], name_of(chunking.starts, chunking.ends), chunking.starts, chunking.ends,
        chunking.token_counts, limit=limit, limit_name=name, selected=selected,
    )  # fmt: skip
    over = int((chunking.token_counts > limit).sum()) if limit else 0
    st.caption(f"**{over:,} of {len(chunking):,} chunks exceed the limit.** {hint}" if over else hint)
