"""The registry of strategies, simplest first; reading them in this order is the course.

A new strategy is one new file and one line in ``STRATEGIES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.strategies.cluster_semantic import ClusterSemantic
from chunkviz.strategies.code import Code
from chunkviz.strategies.contextual_retrieval import ContextualRetrieval
from chunkviz.strategies.fixed_size import FixedSize
from chunkviz.strategies.hierarchical import Hierarchical
from chunkviz.strategies.markdown import Markdown
from chunkviz.strategies.page import Page
from chunkviz.strategies.plugins import Installed, find_plugins
from chunkviz.strategies.recursive import Recursive
from chunkviz.strategies.semantic import Semantic
from chunkviz.strategies.semantic_parent_child import SemanticParentChild
from chunkviz.strategies.sentence_window import SentenceWindow
from chunkviz.strategies.strategy import About, Cutting, Parent, Strategy

STRATEGIES: tuple[type[Strategy], ...] = (
    FixedSize,
    Recursive,
    Page,
    Markdown,
    Code,
    SentenceWindow,
    Hierarchical,
    Semantic,
    ClusterSemantic,
    SemanticParentChild,
    ContextualRetrieval,
)


@lru_cache(maxsize=1)
def installed() -> Installed:
    """Return the strategies that installed packages publish, looked for once, and what is wrong with the others."""
    return find_plugins(STRATEGIES)


def list_strategies() -> tuple[str, ...]:
    """Return the names of all strategies, simplest first, installed ones last."""
    return tuple(strategy.name for strategy in all_strategies())


def all_strategies() -> tuple[type[Strategy], ...]:
    """Return the classes of all strategies: ours, then those that other packages publish."""
    return (*STRATEGIES, *installed().strategies)


def strategy_class(name: str) -> type[Strategy]:
    """Return the class registered under ``name``.

    Raises
    ------
    UnknownNameError
        With the names there are, and the nearest one.

    """
    for strategy in all_strategies():
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
    "ClusterSemantic",
    "Code",
    "ContextualRetrieval",
    "Cutting",
    "FixedSize",
    "Hierarchical",
    "Installed",
    "Markdown",
    "Page",
    "Parent",
    "Recursive",
    "Semantic",
    "SemanticParentChild",
    "SentenceWindow",
    "Strategy",
    "all_strategies",
    "get_strategy",
    "installed",
    "list_strategies",
    "strategy_class",
    "strategy_from_config",
]
