"""From what was typed to values: parameters by their declaration, options of services by their defaults."""

from __future__ import annotations

import argparse
import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.params import Choice, Parameter, Slider, StrategyChoice, Switch, TextList, parameters_of, unescaped
from chunkviz.settings import Settings
from chunkviz.strategies import Strategy, list_strategies, strategy_class

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001  the only name it has

_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_COMMA = re.compile(r"(?<!\\),")
HIDDEN = frozenset({"api_key", "cache", "weights", "fit"})
"""Options of services that are objects, or secrets, which do not belong into a command."""

Pair: TypeAlias = tuple[str, str]


def pair(typed: str) -> Pair:
    """Return the name and the value of ``NAME=VALUE``, for argparse."""
    name, equals, value = typed.partition("=")
    if not equals or not name.strip():
        message = f"must be NAME=VALUE, not {typed!r}"
        raise argparse.ArgumentTypeError(message)
    return name.strip(), value


def whole_from_one(typed: str) -> int:
    """Return a whole number from 1 on, for argparse."""
    if not typed.isdecimal() or int(typed) < 1:
        message = f"must be a whole number from 1 on, not {typed!r}"
        raise argparse.ArgumentTypeError(message)
    return int(typed)


def named_strategy(typed: str) -> tuple[str, list[Pair]]:
    r"""Return name and pairs of ``NAME[:PARAMETER=VALUE,…]``; a comma inside a value is written ``\,``."""
    name, _, rest = typed.partition(":")
    pairs = []
    for each in _COMMA.split(rest) if rest else ():
        try:
            pairs.append(pair(each.replace("\\,", ",")))
        except argparse.ArgumentTypeError as error:
            message = f"a parameter in {typed!r} {error}."
            raise ParameterError(message) from None
    return name, pairs


def make_strategy(name: str, pairs: Iterable[Pair], settings: Settings, note: Callable[[str], None]) -> Strategy:
    """Return the strategy with what was typed, and all else as the settings start it.

    ``note`` is told of a starting value that had to give way to what was typed.

    Raises
    ------
    ParameterError
        Naming strategy, parameter or value, and what there is instead.

    """
    kind = strategy_class(name)
    given = read_parameters(kind, pairs)
    return kind(**starting_values(kind, given, settings, note), **given)


def read_parameters(kind: type[Strategy], pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the values that ``pairs`` give the parameters of a strategy, each read by its declaration.

    A list takes one value from each pair that names it; of anything else the last one counts.
    """
    declared = {parameter.name: parameter for parameter in parameters_of(kind)}
    typed: dict[str, list[str]] = {}
    for name, value in pairs:
        if not declared:
            message = f"{kind.name} has no parameters, so {name}={value} has no place."
            raise ParameterError(message)
        if name not in declared:
            what = f"parameter of {kind.name}:"
            raise UnknownNameError(what, name, declared)
        typed.setdefault(name, []).append(value)
    # Regular expressions have a meaning of their own for what is an escape elsewhere.
    as_is = "is_regex" in typed and _switch("is_regex", typed["is_regex"][-1])
    return {name: _read(declared[name], values, as_is=as_is) for name, values in typed.items()}


def _read(parameter: Parameter, typed: Sequence[str], *, as_is: bool) -> Any:
    name, last = parameter.name, typed[-1].strip()
    match parameter.control:
        case Slider():
            return _whole(last) if parameter.annotation is int else _number(name, last)
        case Choice(labels):
            if last not in labels:
                what = f"value of {name}:"
                raise UnknownNameError(what, last, labels)
            return last
        case TextList():
            return tuple(text if as_is else unescaped(text) for text in typed if text)
        case Switch():
            return _switch(name, last)
        case StrategyChoice(without):
            names = [each for each in list_strategies() if each not in without]
            if last not in names:
                what = f"value of {name}:"
                raise UnknownNameError(what, last, names)
            return last
        case _:
            assert_never(parameter.control)


def _whole(typed: str) -> int | str:
    """Return the whole number, or what was typed instead of one, which the declaration then refuses."""
    try:
        return int(typed)
    except ValueError:
        return typed


def _number(name: str, typed: str) -> float:
    try:
        number = float(typed)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        message = f"{name} must be a number, not {typed!r}."
        raise ParameterError(message)
    return number


def _switch(name: str, typed: str) -> bool:
    if typed.lower() not in _WORDS:
        message = f"{name} must be true or false, not {typed!r}."
        raise ParameterError(message)
    return _WORDS[typed.lower()]


def starting_values(
    kind: type[Strategy], given: dict[str, Any], settings: Settings, note: Callable[[str], None] = lambda _: None
) -> dict[str, Any]:
    """Return the values of parameters not in ``given`` that start elsewhere than where they are declared.

    One that has to stay below a number that was given, and does not, starts from a quarter of it, as on the screen.
    """
    declared = {parameter.name: parameter for parameter in parameters_of(kind)}
    starts: dict[str, Any] = {}
    for name, parameter in declared.items():
        slider = parameter.control
        if name in given or not isinstance(slider, Slider):
            continue
        mode = declared.get(slider.mode)
        if mode is not None and given.get(mode.name, mode.default) != mode.default:
            continue  # the number has another meaning there
        start = settings.start_of(kind.name, name, parameter.default)
        low = -math.inf if parameter.minimum is None else parameter.minimum
        high = math.inf if parameter.maximum is None else parameter.maximum
        if start != parameter.default and low <= start <= high:
            starts[name] = start
    for name, parameter in declared.items():
        below = parameter.control.below if isinstance(parameter.control, Slider) else None
        if below is None or name in given:
            continue
        limit = {below: declared[below].default, **starts, **given}[below]
        start = starts.get(name, parameter.default)
        if isinstance(limit, int | float) and 0 < limit <= start:
            starts[name] = max(type(start)(limit // 4), parameter.minimum or 0)
            note(f"{name} is {starts[name]}, since {start} would not be below {below}, which is {limit}.")
    return starts


def read_options(what: str, make: Callable[..., Any], pairs: Iterable[Pair]) -> dict[str, Any]:
    """Return the options that ``pairs`` give a service that ``make`` makes, each read as its default is.

    Raises
    ------
    ParameterError
        For an option that there is not, or a key, which would stay in the shell's history.

    """
    declared = {name: each.default for name, each in inspect.signature(make).parameters.items() if name not in HIDDEN}
    read: dict[str, Any] = {}
    for name, typed in pairs:
        if name == "api_key":
            message = "A key is no option, since commands are kept and seen by others; set OPENAI_API_KEY instead."
            raise ParameterError(message)
        if name not in declared:
            noun = f"option of the {what}:"
            raise UnknownNameError(noun, name, declared)
        read[name] = _option(name, typed, declared[name])
    return read


def _option(name: str, typed: str, default: Any) -> Any:
    match default:
        case bool():
            return _switch(name, typed)
        case int() | None:
            return _whole(typed)
        case float():
            return _number(name, typed)
        case _:
            return typed
