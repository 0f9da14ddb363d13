"""Strategies that other packages publish under the entry point group ``chunkviz.strategies``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from chunkviz.params import parameters_of
from chunkviz.strategies.strategy import About, Strategy

GROUP = "chunkviz.strategies"


class PluginWarning(UserWarning):
    """An installed strategy cannot be used; everything else goes on."""


@dataclass(frozen=True, slots=True)
class Installed:
    """What was found: strategies in the order of their names, and one sentence for each that is broken."""

    strategies: tuple[type[Strategy], ...] = ()
    problems: tuple[str, ...] = ()


def find_plugins(own: Sequence[type[Strategy]]) -> Installed:
    """Load every published strategy; a broken one is warned about and left out.

    ``own`` are the strategies whose names are taken.
    """
    found: list[type[Strategy]] = []
    problems = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        taken = {strategy.name for strategy in (*own, *found)}
        try:
            found.append(_load(entry, taken))
        except Exception as error:  # noqa: BLE001  whatever other people's code raises must not stop us
            reason = f"{type(error).__name__}: {error}".rstrip(".")
            problems.append(f"The installed strategy {entry.name!r} ({entry.value}) cannot be used: {reason}.")
            warnings.warn(problems[-1], PluginWarning, stacklevel=2)
    return Installed(tuple(found), tuple(problems))


def _load(entry: EntryPoint, taken: set[str]) -> type[Strategy]:
    strategy = entry.load()
    if not (isinstance(strategy, type) and issubclass(strategy, Strategy)):
        message = f"it must be a subclass of chunkviz.Strategy, not {strategy!r}"
        raise TypeError(message)
    if not isinstance(getattr(strategy, "name", None), str) or not isinstance(getattr(strategy, "about", None), About):
        message = "it must declare name (a string) and about (an About)"
        raise TypeError(message)
    if strategy.name in taken:
        message = f"the name {strategy.name!r} is taken"
        raise ValueError(message)
    parameters_of(strategy)
    strategy()  # its defaults must be right
    return strategy
