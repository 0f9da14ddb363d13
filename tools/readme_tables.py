"""Renew the tables of README.md from the declarations in the code.

    python tools/readme_tables.py

A test compares the README with what this makes, so that it cannot rot.
"""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import AliasChoices

from chunkviz.params import parameters_of
from chunkviz.settings import PREFIX, Settings
from chunkviz.strategies import STRATEGIES

README = Path(__file__).resolve().parent.parent / "README.md"
_STRATEGIES = re.compile(r"(<!-- strategies: .*? -->\n).*?(<!-- end -->)", re.DOTALL)
_SETTINGS = re.compile(r"(<!-- settings: .*? -->\n).*?(<!-- end -->)", re.DOTALL)


def strategies_table() -> str:
    """Return the comparison of all strategies and the list of their parameters, as Markdown."""
    lines = ["| strategy | splits at | boundary | best for | calls |", "|---|---|---|---|---|"]
    lines += [
        f"| `{each.name}` | {each.about.split_unit} | {each.about.boundary_logic} | {each.about.best_for} "
        f"| {each.about.calls} |"
        for each in STRATEGIES
    ]
    lines += ["", "| parameter | strategies | takes | default | meaning |", "|---|---|---|---|---|"]
    seen: dict[str, list[str]] = {}
    rows: dict[str, tuple[str, str]] = {}
    for strategy in STRATEGIES:
        for parameter in parameters_of(strategy):
            seen.setdefault(parameter.name, []).append(f"`{strategy.name}` ({parameter.default!r})")
            rows.setdefault(parameter.name, (parameter.kind, parameter.help))
    for name, (kind, meaning) in rows.items():
        owners = [entry.split(" (")[0] for entry in seen[name]]
        defaults = dict.fromkeys(entry.split(" (", 1)[1].removesuffix(")") for entry in seen[name])
        lines.append(
            f"| `{name}` | {', '.join(owners)} | {kind} | {', '.join(f'`{d}`' for d in defaults)} | {meaning} |"
        )
    return "\n".join(lines) + "\n"


def settings_table() -> str:
    """Return all settings with their variables and defaults, as Markdown."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variables = [f"{PREFIX}{name.upper()}"]
        if isinstance(alias, AliasChoices):
            variables = [str(each) for each in alias.choices if str(each).isupper()]
        # What the machine decides is told by the meaning.
        default = "" if field.default_factory or field.default is None else f"`{field.default}`"
        lines.append(f"| {', '.join(f'`{each}`' for each in variables)} | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def renewed(readme: str) -> str:
    """Return the README's text with its tables made anew."""
    readme = _STRATEGIES.sub(lambda match: match[1] + strategies_table() + match[2], readme)
    return _SETTINGS.sub(lambda match: match[1] + settings_table() + match[2], readme)


if __name__ == "__main__":
    README.write_text(renewed(README.read_text("utf-8")), "utf-8")
