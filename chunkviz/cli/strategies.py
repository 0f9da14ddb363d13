"""``chunkviz strategies``: what there is to choose from, and the parameters of each."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chunkviz.cli.arguments import starting_values
from chunkviz.cli.speech import write_text
from chunkviz.cli.tables import table
from chunkviz.params import Choice, Parameter, parameters_of
from chunkviz.settings import Settings
from chunkviz.strategies import Strategy, all_strategies, strategy_class

if TYPE_CHECKING:
    from chunkviz.cli.arguments import Commands


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("strategies", help="list the strategies, or the parameters of one")
    parser.add_argument("name", nargs="?", metavar="NAME", help="a strategy, to see what it takes")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print the strategies, or one of them."""
    if chosen.name is None:
        rows = [(each.name, each.about.best_for, each.about.calls) for each in all_strategies()]
        write_text(table(("strategy", "best for", "calls"), rows))
    else:
        write_text(_described(strategy_class(chosen.name), Settings()))
    return 0


def _described(kind: type[Strategy], settings: Settings) -> str:
    about = kind.about
    facts = (
        ("splits at", about.split_unit), ("boundary", about.boundary_logic), ("best for", about.best_for),
        ("calls", about.calls), ("cost", about.relative_cost), ("source", about.source),
    )  # fmt: skip
    lines = [f"{kind.name}: {about.summary}", ""]
    lines += [f"{name + ':':<11}{fact}" for name, fact in facts]
    declared = parameters_of(kind)
    if not declared:
        return "\n".join([*lines, "", "It has no parameters."]) + "\n"
    starts = starting_values(kind, {}, settings)
    rows = [(each.name, _shown(starts.get(each.name, each.default)), _takes(each), each.help) for each in declared]
    described = "\n".join([*lines, "", table(("parameter", "start", "takes", "meaning"), rows).rstrip("\n")]) + "\n"
    for each in declared:
        labels = _explained(each)
        if labels:
            width = max(map(len, labels)) + 2
            described += f"\n{each.name}:\n"
            described += "".join(f"  {name + ':':<{width}}{label}\n" for name, label in labels.items())
    return described


def _explained(parameter: Parameter) -> Mapping[str, str]:
    """Return the values to choose from, where their labels say more than they do."""
    labels = parameter.control.labels if isinstance(parameter.control, Choice) else {}
    return labels if any(name != label.lower() for name, label in labels.items()) else {}


def _shown(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return ",".join(map(str, value)) or "-"
        case _:
            return str(value)


def _takes(parameter: Parameter) -> str:
    """Return the kind of value, with its bounds where they are declared."""
    if _explained(parameter):
        return "one of those below"
    low, high = parameter.minimum, parameter.maximum
    if low is None and high is None:
        return parameter.kind
    if high is None:
        return f"{parameter.kind} from {low:g}"
    return f"{parameter.kind} up to {high:g}" if low is None else f"{parameter.kind}, {low:g} to {high:g}"
