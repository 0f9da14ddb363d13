"""Parameter declarations -> widgets -> a strategy; one function for all strategies.

Every number has a field (exact, within what is correct) and a slider (quick, within what is
offered); the field is the truth and lives in the address, the slider follows it. Before anything
is drawn the stored values are brought within their bounds, so that no combination raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

import streamlit as st

from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.params import (
    Choice,
    Parameter,
    Range,
    Slider,
    StrategyChoice,
    Switch,
    TextList,
    parameters_of,
    unescaped,
)
from chunkviz.strategies import Strategy, list_strategies, strategy_class
from chunkviz.strategies.recursive import separator_matches
from chunkviz.thresholds import BOUNDS
from chunkviz.ui import session
from chunkviz.ui.messages import draw_error

_LARGEST = 10_000_000
_SIDE_BY_SIDE = 4
"""Values that fit on one line; more of them make a list."""


def draw_parameters(name: str, document: Document) -> Strategy | None:
    """Draw the widgets of one strategy and return it as chosen, or None with the error on the screen."""
    declared = parameters_of(strategy_class(name))
    values: dict[str, Any] = {}
    # The unit is drawn where it is declared, but sizes shown before it need to know it.
    unit = session.stored(widget_key(name, "unit"), next((p.default for p in declared if p.name == "unit"), ""))
    for parameter in _in_drawing_order(declared):
        values[parameter.name] = _draw(name, parameter, values, unit, document)
    try:
        return strategy_class(name)(**values)
    except ParameterError as error:
        session.put("refused", str(error))
        draw_error(error)
        return None


def _in_drawing_order(declared: tuple[Parameter, ...]) -> list[Parameter]:
    """Return the parameters with each mode before the number it gives a meaning to."""
    order: list[Parameter] = []
    for parameter in declared:
        mode = parameter.control.mode if isinstance(parameter.control, Slider) else ""
        order += [each for each in declared if each.name == mode and each not in order]
        if parameter not in order:
            order.append(parameter)
    return order


def widget_key(strategy: str, parameter: str) -> str:
    """Return the widget's key, which is its name in the address too."""
    return f"{strategy}.{parameter}"


def put_parameter(strategy: str, parameter: str, value: Any) -> None:
    """Set a parameter's widget before it is drawn, whatever it held."""
    key = widget_key(strategy, parameter)
    session.drop(_wish_key(key))
    session.put(key, value)


def put_threshold(strategy: str, mode: str, value: float) -> None:
    """Set mode and number together, before the widgets are drawn; the number is meant in this mode."""
    key = widget_key(strategy, "threshold")
    session.put(widget_key(strategy, "threshold_mode"), mode)
    session.put(f"{key} mode", mode)  # so that the number is not taken for one of the mode before
    session.put(key, float(value))


def _draw(name: str, parameter: Parameter, values: dict[str, Any], unit: str, document: Document) -> Any:
    key = widget_key(name, parameter.name)
    match parameter.control:
        case Slider() as slider:
            return _draw_number(key, parameter, slider, values, unit)
        case Choice(labels, explained) if len(labels) > _SIDE_BY_SIDE:
            return _draw_choice(key, parameter, labels, explained=explained)
        case Choice(labels):  # the values themselves are shown: they are what the address holds
            return st.segmented_control(
                parameter.label, list(labels), default=parameter.default, required=True, key=key, bind="query-params",
                help=parameter.help, width="stretch",
            )  # fmt: skip
        case TextList():
            return _draw_list(key, parameter, name, document)
        case Switch(only_with):
            idle = only_with is not None and not values.get(only_with)
            chosen = st.toggle(
                parameter.label, value=parameter.default, key=key, bind="query-params", help=parameter.help,
                disabled=idle,
            )  # fmt: skip
            return bool(chosen) and not idle
        case StrategyChoice(without):
            names = [each for each in list_strategies() if each not in without]
            return st.selectbox(
                parameter.label, names, index=names.index(parameter.default), key=key, bind="query-params",
                help=parameter.help,
            )  # fmt: skip
        case _:
            assert_never(parameter.control)


def _draw_choice(key: str, parameter: Parameter, labels: Mapping[str, str], *, explained: bool) -> str:
    names = list(labels)
    meanings = " " + "; ".join(f"**{name}**: {text}" for name, text in labels.items()) + "." if explained else ""
    named = st.selectbox(
        parameter.label, names, index=names.index(parameter.default), key=key, bind="query-params",
        help=parameter.help + meanings,
    )  # fmt: skip
    if explained:
        st.caption(f"{labels[named][0].upper()}{labels[named][1:]}.")
    return named


def _draw_number(key: str, parameter: Parameter, slider: Slider, values: dict[str, Any], unit: str) -> float:
    mode = str(values.get(slider.mode, ""))
    low, high, step, start, word = _range(parameter, slider, mode, unit)
    kind = int if parameter.annotation is int else float
    minimum, maximum = _bounds(parameter, slider, mode, values)
    # An overlap that no longer fits is brought to a quarter of the size, and not to just below it,
    # where each chunk would repeat nearly all of the one before.
    fitting = maximum if slider.below is None else max(minimum, (maximum + 1) // 4)
    start = (
        session.settings().start_of(key.partition(".")[0], parameter.name, start) if mode in {"", "absolute"} else start
    )
    start = kind(start)
    default = fitting if start > maximum else max(start, minimum)
    wish = _wish(key, _number(kind, session.stored(key, start), start))
    if slider.modes and _mode_changed(key, mode):
        wish = start  # the number had another meaning
        session.put(key, kind(default))
    clamped = fitting if wish > maximum else max(wish, minimum)
    if session.get(key) not in (None, clamped):
        session.put(key, kind(clamped))
    label = f"{parameter.label} ({word})" if word else parameter.label
    whole = kind is int or step >= 1
    given = st.number_input(
        label, min_value=kind(minimum), max_value=kind(maximum), value=kind(default), step=kind(step), key=key,
        format="%d" if kind is int else "%.0f" if whole else "%.3f", bind="query-params", help=parameter.help,
    )  # fmt: skip
    value = kind(clamped if given is None else given)
    # The address leaves out what the field starts with, so that has to stay what it starts with.
    session.put(_wish_key(key), (value, start if value == default and value == wish else wish))
    with st.container(key=f"{key} in force"):  # shown by the style sheet while the browser keeps back what was typed
        st.caption(f":material/error: Not between {minimum:,} and {maximum:,}: {value:,} stays in force.")
    _draw_slider(key, label, (kind(low), kind(high), kind(step)), value, (kind(minimum), kind(maximum)))
    if wish > maximum and slider.below is not None:
        below = slider.below.replace("_", " ")
        st.caption(f":material/info: Lowered from {wish:,} to {value:,}, a quarter of the {below}.")
    return value


def _wish(key: str, stored: float) -> float:
    """Return what was last asked for: where a bound lowered it, the number comes back when the bound does."""
    drawn, wish = session.get(_wish_key(key), (None, stored))
    return wish if stored == drawn else stored


def _wish_key(key: str) -> str:
    return f"{key} wish"


def _range(parameter: Parameter, slider: Slider, mode: str, unit: str) -> Range:
    offered = slider.of_mode(mode)
    if offered is not None:
        return offered._replace(unit=offered.unit.format(unit=unit))
    return Range(*slider.range(unit), float(parameter.default), slider.unit.format(unit=unit))


def _bounds(parameter: Parameter, slider: Slider, mode: str, values: dict[str, Any]) -> tuple[float, float]:
    if slider.modes:
        return BOUNDS[mode]  # type: ignore[index]  # the modes are those of thresholds
    minimum = parameter.minimum or 0
    highest = _LARGEST if parameter.maximum is None else parameter.maximum
    return minimum, highest if slider.below is None else max(minimum, int(values[slider.below]) - 1)


def _mode_changed(key: str, mode: str) -> bool:
    """Whether another mode gives the number another meaning than in the last run; not on the first, for links."""
    before = session.get(f"{key} mode")
    session.put(f"{key} mode", mode)
    return before not in (None, mode)


def _draw_slider(
    key: str, label: str, offered: tuple[float, float, float], value: float, bounds: tuple[float, float]
) -> None:
    step = offered[2]
    low = min(max(offered[0], bounds[0]), value)
    high = max(min(offered[1], bounds[1]), value)
    if low >= high:
        return
    handle = f"{key} slider"
    session.put(handle, value)

    def follow() -> None:
        session.put(key, session.get(handle))

    exact = 1 if isinstance(value, int) and (value - low) % step else step
    st.slider(label, low, high, step=exact, key=handle, on_change=follow, label_visibility="collapsed")


def _draw_list(key: str, parameter: Parameter, strategy: str, document: Document) -> tuple[str, ...]:
    typed = st.text_area(
        f"{parameter.label} (one a line, strongest first)", key=key, bind="query-params", height=96,
        placeholder="built-in order", help=f"{parameter.help} Type \\n for a line end, \\t for a tab, \\s for a space.",
    )  # fmt: skip
    is_regex = session.stored(widget_key(strategy, "is_regex"), default=False) in (True, "true", "True")
    separators = tuple(filter(None, (typed or "").split("\n"))) if is_regex else parse_separators(typed or "")
    if separators:
        try:
            found = [(item, len(separator_matches(document, item, is_regex=is_regex))) for item in separators]
        except ParameterError:
            return separators  # said once, below, by the strategy itself
        lines = (f"`{shown_separator(item)}` {count:,}×" for item, count in found)
        st.caption("Found: " + " · ".join(lines))
    return separators


def parse_separators(typed: str) -> tuple[str, ...]:
    r"""Turn what was typed, one separator a line, into separators; ``\n``, ``\t``, ``\r``, ``\s`` mean characters.

    White space at the ends of a line counts; empty lines do not.
    """
    return tuple(dict.fromkeys(unescaped(line) for line in typed.split("\n") if line))


def typed_separators(separators: Sequence[str], *, is_regex: bool) -> str:
    """Return separators as they would be typed, one a line; what ``parse_separators`` turns back."""
    if is_regex:
        return "\n".join(separators)
    signs = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", " ": "\\s"}
    return "\n".join("".join(signs.get(each, each) for each in separator) for separator in separators)


def shown_separator(separator: str) -> str:
    """Return a separator as it would be typed, safe between backquotes."""
    shown = separator.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return shown.replace(" ", "␣").replace("`", "'")


def _number(kind: type[int | float], value: Any, default: float) -> float:
    try:
        return kind(value)
    except (TypeError, ValueError):
        return default
