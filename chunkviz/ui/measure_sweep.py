"""Sweeps over one or two parameters of the strategy in the sidebar: started, stopped, taken up; each point opens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from chunkviz.evaluation import Evaluation, Failure, Grid, grid
from chunkviz.params import Parameter, Slider, parameters_of
from chunkviz.strategies import Strategy
from chunkviz.ui import jobs, measuring, session
from chunkviz.ui.charts import draw_chart
from chunkviz.ui.figures_measure import Point, pareto, sweep_line, sweep_map
from chunkviz.ui.links import put_setting
from chunkviz.ui.measure_words import MEASURES, conditions, name_of
from chunkviz.ui.measuring import Candidate, Request
from chunkviz.ui.text import as_plain
from chunkviz.wording import count_of

_SLOT = "measure sweep"
_STARTED = "measure sweep started"
_MOST_VALUES = 12


def draw_sweep(request: Request, current: Candidate) -> None:
    """Draw what to sweep, how far it is, and the pictures of what is measured so far."""
    declared = swept_parameters(current.strategy)
    if not declared:
        st.info("This strategy has no number to sweep; choose another in the sidebar.", icon=":material/info:")
        return
    chosen = _choose(current.strategy, declared)
    if not chosen:
        st.caption("Choose one or two parameters.")
        return
    made = grid(current.strategy, **chosen)
    candidates = [current.other(each) for each in made.strategies]
    known = measuring.known(request)
    asked = (request.key, tuple(candidates))
    head = st.container()  # says what is done, which is known only below
    _draw_left_out(made)
    if session.get(_STARTED) == asked:
        measuring.measure(request, candidates, slot=_SLOT, label=f"Measuring {len(candidates):,} settings")
    done = sum(each in known for each in candidates)
    with head.container(horizontal=True, vertical_alignment="center", gap="medium"):
        left = len(candidates) - done
        st.button(
            "Measured" if not left else f"Measure the other {left:,}" if done else f"Measure {left:,} settings",
            icon=":material/play_arrow:" if left else ":material/check:", key="start sweep", type="primary",
            on_click=_start, args=(asked,), disabled=not left or session.get(_STARTED) == asked,
        )  # fmt: skip
        which = "settings is measured; it is" if done == 1 else "settings are measured; they are"
        st.caption(f"{done:,} of {len(candidates):,} {which} kept for this session.")
    failures = [known[each] for each in candidates if isinstance(known.get(each), Failure)]
    if failures:
        reason = failures[0].reason if isinstance(failures[0], Failure) else ""
        st.warning(f"{len(failures):,} could not be measured: {as_plain(reason)}", icon=":material/warning:")
    _draw_pictures(request, current, candidates, tuple(chosen))


def _start(asked: object) -> None:
    session.put(_STARTED, asked)
    session.drop(f"stopped {_SLOT}")
    jobs.forget(_SLOT)


def swept_parameters(strategy: Strategy) -> tuple[Parameter, ...]:
    """Return the parameters that are numbers, which are the ones with a slider."""
    return tuple(each for each in parameters_of(type(strategy)) if isinstance(each.control, Slider))


def offered(strategy: Strategy, parameter: Parameter) -> tuple[float, float, float]:
    """Return low, high and step of a parameter's slider, in the unit and the mode that the strategy has."""
    slider = parameter.control
    if not isinstance(slider, Slider):
        message = f"{parameter.name} has no slider"
        raise TypeError(message)
    of_mode = slider.of_mode(str(getattr(strategy, slider.mode, ""))) if slider.mode else None
    if of_mode is not None:
        return of_mode.low, of_mode.high, of_mode.step
    return slider.range(str(getattr(strategy, "unit", "")))


def spread(low: float, high: float, step: float, count: int, *, whole: bool) -> list[float]:
    """Return at most ``count`` values from low to high, evenly, each a number of steps from low; the ends are kept."""
    steps = round((high - low) / step)
    places = np.unique(np.round(np.linspace(0, steps, min(count, steps + 1))))
    values = [min(high, low + float(place) * step) for place in places]
    return [int(value) if whole else round(value, 6) for value in values]


def _choose(strategy: Strategy, declared: Sequence[Parameter]) -> dict[str, list[float]]:
    """Draw which parameters are swept, between which values; return the values of each."""
    labels = {each.name: each.label for each in declared}
    names = st.pills(
        "Parameters to sweep, one or two", list(labels), selection_mode="multi", default=[declared[0].name],
        format_func=lambda name: labels[name], key=f"sweep of {strategy.name}", persist_state="session",
    )  # fmt: skip
    if len(names) > 2:  # noqa: PLR2004  what a picture can show
        st.caption("A picture shows two at most: the first two are swept.")
    chosen: dict[str, list[float]] = {}
    columns = st.columns(2)
    for column, name in zip(columns, names, strict=False):
        parameter = next(each for each in declared if each.name == name)
        low, high, step = offered(strategy, parameter)
        whole = parameter.annotation is int
        kind = int if whole else float
        key = f"sweep {strategy.name} {name} {low} {high} {step}"
        with column.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            first, last = st.slider(
                f"{parameter.label} from, to", kind(low), kind(high), (kind(low), kind(high)), step=kind(step), key=key,
                persist_state="session", width="stretch",
            )  # fmt: skip
            count = st.number_input(
                "Values", 2, _MOST_VALUES, 6, key=f"{key} count", persist_state="session", width=110
            )
        chosen[name] = spread(first, last, step, int(count), whole=whole) if last > first else [first]
    return chosen


def _draw_left_out(made: Grid) -> None:
    if made.left_out:
        reason = as_plain(made.left_out[0][1])
        count = len(made.left_out)
        which = f"{count_of(count, 'combination')} {'is' if count == 1 else 'are'}"
        st.caption(f"{which} left out, because no such setting can be made; the first: {reason}")


def _draw_pictures(
    request: Request, current: Candidate, candidates: Sequence[Candidate], parameters: tuple[str, ...]
) -> None:
    known = measuring.known(request)
    found = [(each, known.get(each)) for each in candidates]
    measured = [(each, outcome) for each, outcome in found if isinstance(outcome, Evaluation)]
    if not measured:
        return
    first = measured[0][1]
    measure = st.selectbox(
        "Measure", list(first.measures), format_func=lambda each: name_of(each, request.unit), key="sweep measure",
        persist_state="session", width=260, index=len(MEASURES),
    )  # fmt: skip
    points = [point_of(each.strategy, outcome, measure, parameters) for each, outcome in measured]
    here = next((place for place, (each, _) in enumerate(measured) if each == current), None)
    shown = name_of(measure, request.unit)
    labels = tuple(next(p.label for p in swept_parameters(current.strategy) if p.name == each) for each in parameters)
    strategies = [each.strategy for each, _ in measured]
    along, against = st.columns(2, gap="medium")
    with along:
        st.markdown(f"**{shown}**")
        if len(labels) == 1:
            figure = sweep_line(points, labels[0], shown, here)
        else:
            first_axis, second_axis = (
                sorted({float(getattr(each.strategy, name)) for each in candidates}) for name in parameters
            )
            figure = sweep_map(
                points, (labels[0], labels[1]), shown, here, axes=(first_axis, second_axis), dark=session.is_dark()
            )
        _chart(figure, f"sweep picture {parameters} {here} {len(points)}", strategies, f"{shown} of each setting")
    with against:
        st.markdown("**Recall against tokens retrieved**")
        _chart(
            pareto(points, labels, here), f"pareto {parameters} {here} {len(points)}", strategies,
            "Recall at k against tokens retrieved",
        )  # fmt: skip
    own = "" if here is None else "; the one in the sidebar is orange"
    st.caption(
        f"Click a point to open its setting{own}. No other setting beats the filled points "
        f"in both recall and tokens. {conditions(first).rpartition(' · ')[0]}."
    )


def _chart(figure: object, key: str, strategies: Sequence[Strategy], meaning: str) -> None:
    draw_chart(
        figure, key=key, on_select=lambda: open_point(key, strategies),
        alt=meaning,
    )  # fmt: skip


def open_point(key: str, strategies: Sequence[Strategy]) -> None:
    """Open the setting of the point that was clicked."""
    points = (session.get(key) or {}).get("selection", {}).get("points", [])
    chosen = [point["customdata"] for point in points if "customdata" in point]
    if chosen:
        place = chosen[0][0] if isinstance(chosen[0], list | tuple) else chosen[0]
        put_setting(strategies[int(place)])


def point_of(strategy: Strategy, found: Evaluation, measure: str, parameters: Sequence[str]) -> Point:
    """Return one measured setting as a point of the pictures."""
    interval = found.interval(measure)
    values = tuple(float(getattr(strategy, each)) for each in parameters)
    return Point(values, interval.mean, interval.low, interval.high, found.mean("recall"), found.mean_retrieved_tokens)
