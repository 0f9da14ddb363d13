"""Parameters of strategies, declared once.

A strategy is a frozen pydantic model. Each field carries its ``Field`` bounds (what is correct,
enforced) and one of the controls below (what the screen offers, never enforced). Check, widget,
command line option, README table and test generator all read the same declaration.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from chunkviz.errors import ParameterError, UnknownNameError

Unit: TypeAlias = Literal["tokens", "characters"]
WHOLE_NUMBER = "a whole number"
"""What an integer parameter must be, in messages."""
_RULES = {
    "int_": WHOLE_NUMBER,
    "float_": "a number",
    "finite_": "a number",
    "bool_": "true or false",
    "string_too_short": "some text",
}
"""What must hold, by how pydantic's kinds of not being it begin."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "s": " ", "\\": "\\"}


class Range(NamedTuple):
    """What a slider offers, and the value it starts from, where a mode gives the number its meaning."""

    low: float
    high: float
    step: float
    default: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Slider:
    """A whole number or fraction on a range.

    ``unit`` is a word ("tokens"), or the name of the parameter that holds it in braces ("{unit}").
    ``below`` names a parameter this one must stay below. ``mode`` names the parameter that gives
    the number its meaning; ``modes`` then holds the range of each.
    """

    low: float
    high: float
    step: float = 1
    unit: str = ""
    below: str | None = None
    characters: tuple[float, float, float] | None = None
    """Low, high and step instead, where the unit is characters."""
    mode: str = ""
    modes: Mapping[str, Range] | None = None

    def range(self, unit: str) -> tuple[float, float, float]:
        """Return low, high and step as offered for ``unit``."""
        return self.characters if unit == "characters" and self.characters else (self.low, self.high, self.step)

    def of_mode(self, mode: str) -> Range | None:
        """Return what is offered in ``mode``, or None where no mode gives the number its meaning."""
        return self.modes[mode] if self.modes else None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few named values, with the label of each."""

    labels: Mapping[str, str]
    explained: bool = False
    """Whether the labels say what each value means, rather than only naming it."""


@dataclass(frozen=True, slots=True)
class TextList:
    """An ordered list of strings the user types, one a line; empty means the built-in behaviour."""


@dataclass(frozen=True, slots=True)
class Switch:
    """Yes or no."""

    only_with: str | None = None
    """Name of the parameter without which this one has no effect."""


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """Another strategy, by its name; ``without`` names those that cannot be chosen."""

    without: tuple[str, ...] = ()


Control: TypeAlias = Slider | Choice | TextList | Switch | StrategyChoice


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter of a strategy, ready to be drawn, documented or generated."""

    name: str
    label: str
    help: str
    default: Any
    control: Control
    minimum: float | None
    maximum: float | None
    annotation: Any

    @property
    def kind(self) -> str:
        """What a value looks like, for tables and messages."""
        match self.control:
            case Slider():
                return "whole number" if self.annotation is int else "number"
            case Choice(labels):
                return " or ".join(labels)
            case TextList():
                return "list of strings"
            case Switch():
                return "true or false"
            case StrategyChoice():
                return "a strategy or its name"


def parameters_of(model: type[BaseModel]) -> tuple[Parameter, ...]:
    """Return the declared parameters of a strategy class, in order of declaration."""
    return tuple(_parameter(name, info) for name, info in model.model_fields.items())


def _parameter(name: str, info: FieldInfo) -> Parameter:
    controls = [item for item in info.metadata if isinstance(item, Control)]
    if len(controls) != 1:
        message = f"parameter {name!r} must declare exactly one control, such as Slider or Choice"
        raise TypeError(message)
    return Parameter(
        name=name,
        label=info.title or name.replace("_", " ").capitalize(),
        help=info.description or "",
        default=info.get_default(call_default_factory=True),
        control=controls[0],
        minimum=_bound(info, "ge"),
        maximum=_bound(info, "le"),
        annotation=_bare(info.annotation),
    )


def _bound(info: FieldInfo, kind: Literal["ge", "le"]) -> float | None:
    return next((getattr(item, kind) for item in info.metadata if getattr(item, kind, None) is not None), None)


def _bare(annotation: Any) -> Any:
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return next(arg for arg in get_args(annotation) if arg is not type(None))
    return get_args(annotation)[0] if origin is Annotated else annotation


def fitting_defaults(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return defaults for what was not given and whose own default is not below what was: a quarter of that."""
    fitting: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        for control in info.metadata:
            if isinstance(control, Slider) and control.below and name not in given:
                limit = fitting.get(control.below, given.get(control.below))
                if isinstance(limit, int) and not isinstance(limit, bool) and 1 < limit <= info.default:
                    fitting[name] = max(int(_bound(info, "ge") or 0), limit // 4)
                elif limit == 1 and _bound(info, "ge") == 0:
                    fitting[name] = 0
    return fitting


def check_cross_rules(model: BaseModel) -> None:
    """Enforce the rules between parameters that their sliders declare.

    Raises
    ------
    ParameterError
        Composed from the declaration, so that no message disagrees with its check.

    """
    for name, info in type(model).model_fields.items():
        for control in info.metadata:
            if isinstance(control, Slider) and control.below:
                value, limit = getattr(model, name), getattr(model, control.below)
                if value >= limit:
                    message = f"{name} must be below {control.below}, which is {limit}, not {value}."
                    raise ParameterError(message)


def explain(model: type[BaseModel], error: Mapping[str, Any]) -> ParameterError:
    """Turn one of pydantic's error records into one sentence that names parameter, rule and value."""
    name = str(error["loc"][0]) if error["loc"] else ""
    known = tuple(model.model_fields)
    if error["type"] == "extra_forbidden":
        return UnknownNameError("parameter", name, known)
    place = "".join(f"[{index}]" for index in error["loc"][1:] if isinstance(index, int))
    return ParameterError(f"{name}{place} must be {explain_rule(error)}, not {_shown(error['input'])}.")


def explain_rule(error: Mapping[str, Any]) -> str:
    """Return what must hold, by one of pydantic's error records, as what follows "must be"."""
    for kind, rule in _RULES.items():
        if error["type"].startswith(kind):  # in which way it does not is told by the value that is shown
            return rule
    return str(error["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")


def unescaped(typed: str) -> str:
    r"""Return what was typed with ``\n``, ``\t``, ``\r``, ``\s`` (a space) and ``\\`` as what they stand for."""
    out, rest = [], iter(typed)
    for character in rest:
        if character != "\\":
            out.append(character)
            continue
        following = next(rest, "")
        out.append(_ESCAPES.get(following, f"\\{following}"))
    return "".join(out)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004  a sentence stays readable
