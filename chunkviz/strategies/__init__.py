"""The registry of strategies, simplest first; reading them in this order is the course.

A new strategy is one new file and one line in ``STRATEGIES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.strategies.fixed_size import FixedSize
from chunkviz.strategies.recursive import Recursive
from chunkviz.strategies.strategy import About, Strategy

STRATEGIES: tuple[type[Strategy], ...] = (
    FixedSize,
    Recursive,
)


def list_strategies() -> tuple[str, ...]:
    """Return the names of all strategies, simplest first."""
    return tuple(strategy.name for strategy in STRATEGIES)


def strategy_class(name: str) -> type[Strategy]:
    """Return the class registered under ``name``.

    Raises
    ------
    UnknownNameError
        With the names there are, and the nearest one.

    """
    for strategy in STRATEGIES:
        if strategy.name == name:
            return strategy
    what = "strategy"
    raise UnknownNameError(what, name, list_strategies())


def get_strategy(name: str, **parameters: Any) -> Strategy:
    """Return the strategy ``name`` with the given parameters; the others keep their defaults."""
    return strategy_class(name)(**parameters)


def strategy_from_config(config: Mapping[str, Any]) -> Strategy:
    """Return the strategy that ``{"strategy": name, parameter: value, …}`` describes.

    Raises
    ------
    ParameterError
        When ``"strategy"`` is missing, or a parameter is wrong.

    """
    if "strategy" not in config:
        message = f'a configuration must name its "strategy"; it has only: {", ".join(map(str, config)) or "nothing"}.'
        raise ParameterError(message)
    parameters = {name: value for name, value in config.items() if name != "strategy"}
    return get_strategy(config["strategy"], **parameters)


__all__ = [
    "STRATEGIES",
    "About",
    "FixedSize",
    "Recursive",
    "Strategy",
    "get_strategy",
    "list_strategies",
    "strategy_class",
    "strategy_from_config",
]
