"""Settings side by side on the same questions, with the intervals of their differences."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.evaluation import Evaluation, Failure, compare
from chunkviz.services import Services
from chunkviz.strategies import Strategy
from chunkviz.ui import measuring, session
from chunkviz.ui.links import put_setting
from chunkviz.ui.measure_words import name_of, warning_of_sizes
from chunkviz.ui.measuring import Candidate, Request
from chunkviz.ui.text import as_plain

_MOST = 6
_KEPT = "measured settings"
_LONGEST_NAME = 60


def candidates_of(chunking: Chunking, services: Services) -> tuple[Candidate, tuple[Candidate, ...]]:
    """Return the setting of the sidebar, and those that were added to the list."""
    needs = chunking.strategy.services_needed()
    current = Candidate(
        short_name(chunking.strategy),
        chunking.strategy,
        services.embedder if "embedder" in needs else None,
        services.writer if "writer" in needs else None,
    )
    kept: tuple[Candidate, ...] = session.get(_KEPT, ())
    return next((each for each in kept if each == current), current), kept


def short_name(strategy: Strategy) -> str:
    """Return the strategy's name with what its sizes and its threshold are: "recursive 512/64 tokens"."""
    sizes = [getattr(strategy, name, None) for name in ("chunk_size", "chunk_overlap")]
    if sizes[0] is None:
        sizes = [getattr(strategy, "max_chunk_size", None)]
    shown = "/".join(str(size) for size in sizes if size)
    threshold = getattr(strategy, "threshold", None)
    parts = [strategy.name, f"{shown} {getattr(strategy, 'unit', 'tokens')}" if shown else ""]
    if isinstance(threshold, int | float):
        parts.append(f"at {threshold:g}")
    return " ".join(filter(None, parts))


def draw_settings(request: Request, current: Candidate, candidates: Sequence[Candidate]) -> None:
    """Draw the list of settings and what each reaches, the differences to the first, and what to beware of."""
    _draw_list(current)
    known = measuring.known(request)
    found = [(each, known[each]) for each in candidates if each in known]
    for each, outcome in found:
        if isinstance(outcome, Failure):
            st.error(f"{as_plain(each.name)}: {as_plain(outcome.reason)}", icon=":material/error:")
            st.button(
                "Try again",
                icon=":material/refresh:",
                key=f"again {each.name}",
                on_click=known.__delitem__,
                args=(each,),
            )
    measured = [(each.name, outcome) for each, outcome in found if isinstance(outcome, Evaluation)]
    if not measured:
        return
    warning = warning_of_sizes([outcome for _, outcome in measured])
    if warning:
        st.warning(warning, icon=":material/straighten:")
    st.dataframe(table_of(measured), key="settings table", hide_index=True, width="stretch", height="content")
    st.caption(
        f"Mean ± standard deviation over {request_questions(request)}, and in brackets the 95 % interval of the mean."
    )
    if len(measured) > 1:
        st.markdown(f"**Difference to {as_plain(measured[0][0])}**, on the same questions")
        st.dataframe(
            differences_of(measured), key="differences table", hide_index=True, width="stretch", height="content"
        )
        st.caption(
            f"Mean difference with its 95 % interval, paired over {request_questions(request)}. ● the interval "
            "leaves out zero; ○ it does not, so these questions do not tell the settings apart."
        )


def request_questions(request: Request) -> str:
    """Return the number of questions with its noun."""
    return f"{len(request.questions):,} question{'' if len(request.questions) == 1 else 's'}"


def table_of(measured: Sequence[tuple[str, Evaluation]]) -> dict[str, list[str]]:
    """Return a column of text per setting, a row per measure, and below them what they were measured with."""
    first = measured[0][1]
    rows = {"": [*(name_of(each, first.unit) for each in first.measures), *_facts(first)]}
    for name, found in measured:
        cells = []
        for measure in found.measures:
            interval = found.interval(measure)
            spread = f"{interval.mean:.2f} ± {found.deviation(measure):.2f}"
            cells.append(f"{spread}   [{interval.low:.2f}, {interval.high:.2f}]")
        rows[name] = [*cells, *_facts(found).values()]
    return rows


def _facts(found: Evaluation) -> dict[str, str]:
    return {
        "Answers whole / split / lost": " / ".join(f"{found.total(each):,}" for each in ("whole", "split", "lost")),
        "Tokens retrieved a question": f"{found.mean_retrieved_tokens:,.0f}",
        "Chunks": f"{found.chunks:,}",
        "Mean tokens of what is returned": f"{found.mean_returned_tokens:,.0f}",
        "Questions": f"{found.questions:,}",
        "k": f"{found.k:,}",
        "Ranking": found.ranking,
        "Embedder of the ranking": found.embedder or "none",
    }


def differences_of(measured: Sequence[tuple[str, Evaluation]]) -> dict[str, list[str]]:
    """Return a column of text per setting but the first: how much higher it is, with the interval of that."""
    first = measured[0][1]
    rows = {"": [name_of(each, first.unit) for each in first.measures]}
    for name, found in measured[1:]:
        cells = []
        for measure in found.measures:
            difference = compare(found, first, measure)
            sign = "●" if difference.settled else "○"
            cells.append(f"{sign} {difference.mean:+.2f}   [{difference.low:+.2f}, {difference.high:+.2f}]")
        rows[name] = cells
    return rows


def _draw_list(current: Candidate) -> None:
    kept: tuple[Candidate, ...] = session.get(_KEPT, ())
    with st.container(border=True, key="settings list", gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            field = f"setting name {current.name}"
            st.text_input(
                "The setting in the sidebar", short_name(current.strategy), key=field, max_chars=_LONGEST_NAME,
                width="stretch", disabled=current in kept,
            )  # fmt: skip
            st.button(
                "On the list" if current in kept else "Add it to the list",
                icon=":material/check:" if current in kept else ":material/add:", key="add setting",
                disabled=current in kept or len(kept) >= _MOST, on_click=_add, args=(current, field),
                help=f"Up to {_MOST} settings stay here while you change the one in the sidebar.",
            )  # fmt: skip
        if not kept:
            st.caption("Add this setting, then change something in the sidebar: both are measured on one set.")
        for number, each in enumerate(kept):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                mark = " · in the sidebar" if each == current else ""
                st.markdown(f"**{number + 1}.** {as_plain(each.name)}{mark}", width="stretch")
                st.button(
                    "Open", key=f"open {each.name}", icon=":material/input:", on_click=put_setting,
                    args=(each.strategy,), disabled=each == current, type="tertiary",
                )  # fmt: skip
                st.button(
                    "Remove", key=f"remove {each.name}", icon=":material/delete:", on_click=_remove, args=(each,),
                    type="tertiary",
                )  # fmt: skip


def _add(candidate: Candidate, field: str) -> None:
    kept: tuple[Candidate, ...] = session.get(_KEPT, ())
    wanted = " ".join(str(session.get(field) or "").split()) or candidate.name
    taken = {each.name for each in kept}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted} ({number})", number + 1
    session.put(_KEPT, (*kept, Candidate(name, candidate.strategy, candidate.embedder, candidate.writer)))


def _remove(candidate: Candidate) -> None:
    session.put(_KEPT, tuple(each for each in session.get(_KEPT, ()) if each != candidate))
