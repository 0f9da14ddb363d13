"""What each threshold would give, on the Tune page: the sweep, what it suggests, and a target to come near to."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, assert_never

import numpy as np
import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.evidence import SimilarityCurve
from chunkviz.models import EMBEDDING_LIMITS
from chunkviz.services import Services
from chunkviz.thresholds import ThresholdMode
from chunkviz.tuning import Aim, Outcome, Suggestion, Sweep, Target, Tuning, Withheld, knee, widest_plateau
from chunkviz.ui import jobs, session
from chunkviz.ui.charts import draw_chart
from chunkviz.ui.controls import put_threshold
from chunkviz.ui.figures_tuning import sweep_figure
from chunkviz.ui.messages import draw_stopped

_KEPT = 4
"""Sweeps remembered per visitor."""
_TITLES = {"knee": "Knee", "plateau": "Widest plateau", "target": "Target"}
_AIMS: dict[Aim, str] = {"count": "Number", "median": "Median", "largest": "Largest"}
_WISHES: dict[Aim, str] = {
    "count": "About so many {noun}",
    "median": "A median of so many tokens",
    "largest": "Nothing above so many tokens",
}
_STARTS: dict[Aim, int] = {"count": 20, "median": 256, "largest": 512}


def draw_sweep(chunking: Chunking, curve: SimilarityCurve, services: Services) -> None:
    """Draw target, suggestions and the figures at each threshold, or the progress of measuring them."""
    known = _sweep_of(chunking, services)
    if known is None:
        return
    tuning, found = known
    name = chunking.strategy.name
    if found.mode == "gradient":
        st.caption(
            "In gradient mode the threshold is held against how steeply the similarity falls, so the axis below shows "
            "the gradient. It is set as a percentage of all places."
        )
    with st.container(horizontal=True, vertical_alignment="top", gap="medium", key="sweep setting"):
        target = _choose_target(found)
        limit = _choose_limit()
    marked = _marked(tuning, found, curve.threshold or 0.0, target)
    if marked is None:
        return
    current, solved = marked
    suggestions = (knee(found), widest_plateau(found), solved)
    for number, (column, suggestion) in enumerate(zip(st.columns(3), suggestions, strict=True), start=1):
        # Text above, button below: the buttons of the three stand in one line however long the texts are.
        with column.container(
            border=True, height="stretch", vertical_alignment="distribute", gap="small",
            key=f"suggestion {suggestion.kind}",
        ):  # fmt: skip
            with st.container(gap="small"):
                st.markdown(f"**{number} · {_TITLES[suggestion.kind]}**")
                _draw_suggestion(suggestion, found, current)
            if isinstance(suggestion, Suggestion):
                _draw_apply(suggestion, found, current, name)
    marks = {str(number): each for number, each in enumerate(suggestions, start=1)}
    figure = sweep_figure(
        found, current, limit=limit,
        suggested={number: each.outcome for number, each in marks.items() if isinstance(each, Suggestion)},
    )  # fmt: skip
    key = f"sweep {name} {current.place} {limit}"
    draw_chart(
        figure, key=key, on_select=lambda: _take_point(key, found, name),
        alt=f"Number of {found.noun} and their tokens at each threshold",
    )  # fmt: skip
    measured = (
        f"all {found.places:,} thresholds that make a difference were measured"
        if found.complete
        else f"{len(found):,} of {found.places:,} thresholds that make a difference were measured: the widest gaps, "
        "and the others evenly"
    )
    st.caption(
        f"Click a point to apply its threshold. Where it is shaded nothing changes, and a line steps half-way between "
        f"two points; {measured}."
    )
    if limit:
        over = round(current.share_over(limit) * current.chunks)
        st.caption(f"Now {over:,} of {current.chunks:,} {found.noun} are above {limit:,} tokens.")


def _sweep_of(chunking: Chunking, services: Services) -> tuple[Tuning, Sweep] | None:
    """Return the sweep, from memory where the threshold alone has changed, or None while it is being measured."""
    memory: OrderedDict[Any, tuple[Tuning, Sweep]] = session.keep("sweeps", OrderedDict)
    key = _key(chunking, services)
    if key in memory:
        memory.move_to_end(key)
        return memory[key]

    def work(job: jobs.Job[tuple[Tuning, Sweep]]) -> tuple[Tuning, Sweep]:
        tuning = Tuning(chunking)
        return tuning, tuning.sweep(report=job.report)

    job = jobs.run(key, "Measuring what each threshold gives", work, slot="sweep")
    if not job.done:
        return None
    try:
        memory[key] = job.outcome()
    except Cancelled:
        draw_stopped("Measuring was stopped.", "Measure again", "sweep")
        return None
    while len(memory) > _KEPT:
        memory.popitem(last=False)
    return memory[key]


def _key(chunking: Chunking, services: Services) -> tuple[Any, ...]:
    """Name everything a sweep depends on, which the threshold is not part of."""
    curve = chunking.evidence.curve
    parameters = chunking.strategy.model_dump(exclude={"threshold", "threshold_mode"})
    gradient = curve is not None and curve.mode == "gradient"
    document = (chunking.document.id, chunking.document.language)
    made = (chunking.strategy.name, tuple(parameters.items()), gradient)
    return (*document, *made, services.tokenizer.name, id(services.embedder))


def _marked(
    tuning: Tuning, found: Sweep, threshold: float, target: Target
) -> tuple[Outcome, Suggestion | Withheld] | None:
    """Return what the threshold gives and what comes nearest to the target, or None while they are measured."""

    def work(job: jobs.Job[tuple[Outcome, Suggestion | Withheld]]) -> tuple[Outcome, Suggestion | Withheld]:
        return tuning.at(threshold), tuning.solve(target, job.report)

    # The job holds the tuning, so that as long as it stands no other can have its identity.
    key = (id(tuning), id(found), threshold, target)
    job = jobs.run(key, "Looking for the target", work, slot="target")
    if not job.done:
        return None
    try:
        return job.outcome()
    except Cancelled:
        draw_stopped("The search for the target was stopped.", "Search again", "target")
        return None


def _choose_target(found: Sweep) -> Target:
    aim = st.segmented_control(
        "Target", list(_AIMS), format_func=lambda each: _AIMS[each], default="count", required=True,
        key="tuning aim", persist_state="session",
    )  # fmt: skip
    chosen: Aim = aim if aim in _AIMS else "count"
    number = st.number_input(
        _WISHES[chosen].format(noun=found.noun), min_value=1, max_value=10_000_000,
        value=_STARTS[chosen], key=f"tuning {chosen}", persist_state="session", width=220,
    )  # fmt: skip
    return Target(chosen, int(number))


def _draw_suggestion(suggestion: Suggestion | Withheld, found: Sweep, current: Outcome) -> None:
    match suggestion:
        case Withheld(reason=reason):
            st.caption(reason)
        case Suggestion(outcome=outcome, reason=reason):
            # Without an anchor, which would be one more stop of the Tab key.
            st.subheader(_shown(outcome.setting, found.mode), anchor=False)
            st.markdown(_sentence(outcome, found))
            st.caption(reason)
            if outcome.boundaries == current.boundaries and not _is_in_force(outcome, current):
                st.caption(f"It makes the chunks on the screen, as {current.threshold:.3f} in force does.")
        case _:
            assert_never(suggestion)


def _draw_apply(suggestion: Suggestion, found: Sweep, current: Outcome, strategy: str) -> None:
    in_force = _is_in_force(suggestion.outcome, current)
    st.button(
        "In force" if in_force else "Apply", key=f"apply {suggestion.kind}", on_click=put_threshold, width="stretch",
        args=(strategy, found.mode, suggestion.outcome.setting), disabled=in_force, type="secondary",
        icon=":material/check:" if in_force else ":material/input:",
    )  # fmt: skip


def _is_in_force(outcome: Outcome, current: Outcome) -> bool:
    same = outcome.boundaries == current.boundaries
    return same and bool(np.float32(outcome.threshold) == np.float32(current.threshold))


def _sentence(outcome: Outcome, found: Sweep) -> str:
    noun = found.noun[:-1] if outcome.chunks == 1 else found.noun
    return (
        f"{outcome.chunks:,} {noun} · median {outcome.median:,.10g}, p95 {outcome.p95:,.0f}, "
        f"largest {outcome.largest:,} tokens"
    )


def _shown(value: float, mode: ThresholdMode) -> str:
    """Return a threshold with the digits it has, and as many at least as the curve shows; a share as percent."""
    least, unit = (2, " %") if mode == "gradient" else (3, "")
    text = f"{value:.7f}".rstrip("0")
    return f"{text if len(text.partition('.')[2]) >= least else f'{value:.{least}f}'}{unit}"


def _choose_limit() -> int | None:
    model = st.selectbox(
        "Limit of the embedding model", ["none", *EMBEDDING_LIMITS], key="model", bind="query-params", width=270,
        help="The longest text the model reads, in its own tokens; those counted here differ by some percent.",
    )  # fmt: skip
    own = st.number_input(
        "or a number of tokens", min_value=1, max_value=10_000_000, value=None, key="tuning limit", width=170,
        persist_state="session", placeholder="the model's",
    )  # fmt: skip
    return int(own) if own else EMBEDDING_LIMITS.get(model or "")


def _take_point(key: str, found: Sweep, strategy: str) -> None:
    """Apply the threshold of the point that was clicked."""
    points = (session.get(key) or {}).get("selection", {}).get("points", [])
    chosen = [point["customdata"] for point in points if "customdata" in point]
    if not chosen:
        return
    index = int(chosen[0][0] if isinstance(chosen[0], list | tuple) else chosen[0])
    put_threshold(strategy, found.mode, found.outcomes[index].setting)
