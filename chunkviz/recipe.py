"""A chunking's settings as a file to keep beside the documents, and what must hold of its results.

    strategy = "recursive"
    tokenizer = "cl100k_base"

    [parameters]
    chunk_size = 256

    [check]
    max_chunks = 400
    max_p95_tokens = 256
    min_coverage = 1.0

    [check.max_findings]
    stranded_heading = 0

Services are named, and their options with them; keys are never part of a recipe.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunkviz.alignment import OwnChunks
from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.lint import KINDS, FindingKind, Rules
from chunkviz.params import explain_rule
from chunkviz.strategies import Strategy, strategy_from_config
from chunkviz.tokens import DEFAULT_ENCODING

Value: TypeAlias = str | int | float | bool
MAX_CHARACTERS = 1_000_000
_SECRETS = re.compile(r"api_?key|secret|password|token$|authorization", re.IGNORECASE)
_CREDENTIALS = re.compile(r"//[^/@\s]+@")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Count: TypeAlias = Annotated[int, Field(ge=0, strict=True)]


class Check(BaseModel):
    """What must hold of each document; what is None is not asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    min_chunks: Count | None = None
    """Fewest chunks."""
    max_chunks: Count | None = None
    """Most chunks."""
    max_p95_tokens: Annotated[float, Field(ge=0)] | None = None
    """Tokens that 95 of 100 chunks do not exceed."""
    min_coverage: Share | None = None
    """Share of the characters, white space aside, that are in a chunk."""
    max_findings: Mapping[str, Count] = Field(default_factory=dict)
    """Most findings of a kind, such as ``stranded_heading``."""
    tiny_tokens: Count | None = None
    """Tokens below which a chunk is tiny, where it is not 16."""
    oversize_tokens: Count | None = None
    """Tokens above which a chunk is oversize, where it is not 8,191."""
    min_recall: Share | None = None
    """Share of the text that the questions ask for which is retrieved."""
    questions: str | None = None
    """File of the questions, beside the recipe; those about a document are asked of it."""
    k: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Passages that are retrieved for each question, where they are not 5."""

    @model_validator(mode="after")
    def _knows_its_kinds(self) -> Self:
        for name in self.max_findings:
            if name not in FINDING_NAMES:
                known = ", ".join(FINDING_NAMES)
                message = f"max_findings has no kind {name!r}; there are: {known}"
                raise ValueError(message)
        if (self.min_recall is None) != (self.questions is None):
            message = "min_recall and questions need each other"
            raise ValueError(message)
        return self

    @property
    def rules(self) -> Rules:
        """The limits that findings are held against."""
        standard = Rules()
        return Rules(
            tiny=standard.tiny if self.tiny_tokens is None else self.tiny_tokens,
            oversize=standard.oversize if self.oversize_tokens is None else self.oversize_tokens,
        )


FINDING_NAMES: dict[str, FindingKind] = {kind.replace(" ", "_").replace("-", "_"): kind for kind in KINDS}
"""Kinds of findings, under the names that a recipe calls them by."""


class Recipe(BaseModel):
    """A strategy with its parameters, the services by name, and what must hold.

    Raises
    ------
    ParameterError
        By ``read_recipe`` and ``write_recipe``, naming what must hold and what was given.

    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    strategy: str
    """Name of the strategy."""
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    """Its parameters; those left out have their defaults."""
    tokenizer: str = DEFAULT_ENCODING
    """Name of what counts tokens."""
    embedder: str | None = None
    """Name of what makes vectors; None for the default one."""
    embedder_options: Mapping[str, Value] = Field(default_factory=dict)
    writer: str | None = None
    """Name of what writes context; None for the default one."""
    writer_options: Mapping[str, Value] = Field(default_factory=dict)
    language: str | None = None
    """Code of the documents' language; None detects it in each."""
    check: Check | None = None

    @model_validator(mode="after")
    def _holds_no_secret(self) -> Self:
        for what, options in (("embedder_options", self.embedder_options), ("writer_options", self.writer_options)):
            for name, value in options.items():
                if _SECRETS.search(name) or (isinstance(value, str) and _CREDENTIALS.search(value)):
                    message = f"{what} must hold no key ({name}), since recipes are kept and seen by others"
                    raise ValueError(message)
        return self

    def make_strategy(self) -> Strategy:
        """Return the strategy with its parameters."""
        return strategy_from_config({"strategy": self.strategy, **self.parameters})


def recipe_of(strategy: Strategy, **services: Any) -> Recipe:
    """Return the recipe of a strategy; ``services`` are the other fields of :class:`Recipe`.

    Raises
    ------
    ParameterError
        For chunks that were made elsewhere, a field that there is not, and an option that holds a key.

    """
    if isinstance(strategy, OwnChunks):
        message = f"{strategy} were made elsewhere, so no recipe makes them again; choose a strategy."
        raise ParameterError(message)
    config = strategy.config()
    return _checked({"strategy": config.pop("strategy"), "parameters": config, **services}, "the recipe")


def read_recipe(text: str, name: str = "the recipe") -> Recipe:
    """Return the recipe that a TOML text holds; ``name`` is what messages call it.

    Raises
    ------
    ParameterError
        When it is no TOML, or has a field, a strategy or a parameter that there is not.

    """
    if len(text) > MAX_CHARACTERS:
        message = f"{name} has {len(text):,} characters; a recipe has at most {MAX_CHARACTERS:,}."
        raise ParameterError(message)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        message = f"{name} must be TOML: {error}."
        raise ParameterError(message) from None
    recipe = _checked(data, name)
    try:
        recipe.make_strategy()
    except ParameterError as error:
        message = f"{name}: {error}"
        raise ParameterError(message) from None
    return recipe


def _checked(data: Mapping[str, Any], name: str) -> Recipe:
    try:
        return Recipe(**data)
    except ValidationError as error:
        message = f"{name}, {_explained(error.errors()[0])}"
        raise ParameterError(message) from None


def _explained(record: Mapping[str, Any]) -> str:
    """Return where in a recipe something is wrong, and what, by one of pydantic's error records.

    Values are repeated from ``check`` alone: any other place may hold a key that was put there by mistake.
    """
    place = ".".join(str(each) for each in record["loc"]) or "recipe"
    if record["type"] == "extra_forbidden":
        *outer, unknown = record["loc"]
        known = Check.model_fields if outer == ["check"] else Recipe.model_fields
        return str(UnknownNameError(f"{'.'.join(map(str, outer)) or 'its'} field", str(unknown), known))
    if record["type"] == "value_error":  # a sentence of ours
        return f"{place}: {explain_rule(record)}."
    if record["type"] == "missing":
        return f"{place} must be given."
    given = repr(record["input"]) if record["loc"][0] == "check" else f"a {type(record['input']).__name__}"
    return f"{place} must be {explain_rule(record)}, not {given}."


def write_recipe(recipe: Recipe) -> str:
    """Return the recipe as TOML, which ``read_recipe`` reads back to an equal one.

    Raises
    ------
    ParameterError
        For text with half a surrogate pair, which TOML cannot hold.

    """
    data = recipe.model_dump(exclude_none=True)
    lines = [f"{_key(name)} = {_value(value)}" for name, value in data.items() if not isinstance(value, dict)]
    for name, table in data.items():
        if isinstance(table, dict) and table:
            lines += _table((name,), table)
    return "\n".join(lines) + "\n"


def _table(path: tuple[str, ...], table: Mapping[str, Any]) -> list[str]:
    plain = {name: value for name, value in table.items() if not isinstance(value, dict)}
    inner = {name: value for name, value in table.items() if isinstance(value, dict) and value}
    lines = ["", f"[{'.'.join(map(_key, path))}]"]
    lines += [f"{_key(name)} = {_value(value)}" for name, value in plain.items() if value is not None]
    for name, value in inner.items():
        lines += _table((*path, name), value)
    return lines


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return f'"{"".join(map(_escaped, value))}"'
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case _:
            message = f"a recipe can hold texts, numbers, true and false, and lists of them, not {value!r}."
            raise ParameterError(message)


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if "\ud800" <= character <= "\udfff":
        message = "a recipe cannot hold half a surrogate pair; leave it out of the parameters."
        raise ParameterError(message)
    return f"\\u{ord(character):04x}" if character < " " or character == "\x7f" else character
