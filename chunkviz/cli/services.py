"""Which tokenizer, embedder and writer a command asks; the same for every command that chunks."""

from __future__ import annotations

import argparse
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chunkviz.cli.arguments import Pair, pair, read_options
from chunkviz.embedders import embedder_declaration, get_embedder, list_embedders
from chunkviz.embedders.cache import CachedEmbedder, VectorCache
from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.language import LANGUAGE_NAMES
from chunkviz.openai_client import DEFAULT_BASE_URL
from chunkviz.services import Embedder, Services, Writer
from chunkviz.settings import Settings
from chunkviz.tokens import DEFAULT_ENCODING, get_tokenizer
from chunkviz.vocabulary import ENCODINGS
from chunkviz.writers import WRITERS, TextCache, get_writer, list_writers

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The services as they were asked for: plain values, which other processes can be given."""

    tokenizer: str
    embedder: str | None
    embedder_options: tuple[Pair, ...]
    writer: str | None
    writer_options: tuple[Pair, ...]
    caching: bool

    def make(self, settings: Settings) -> Services:
        """Return the services; what a service made before is found in the cache, unless that is off.

        Raises
        ------
        ParameterError
            For a name or an option that there is not.
        ServiceError
            When what a service needs is not installed.

        """
        return Services(
            tokenizer=get_tokenizer(self.tokenizer),
            embedder=self._embedder(settings),
            writer=self._writer(settings),
        )

    def _embedder(self, settings: Settings) -> Embedder | None:
        if self.embedder is None:
            return None
        make = embedder_declaration(self.embedder).make
        options = read_options(f"embedder {self.embedder!r}", make, self.embedder_options)
        made = get_embedder(self.embedder, **_of_the_settings(make, options, settings, settings.embedding_model))
        # What is fitted to a document gives other vectors in the next one.
        if hasattr(made, "fitted") or not self.caching or settings.cache_folder is None:
            return made
        return CachedEmbedder(made, VectorCache(settings.cache_folder, settings.cache_megabytes * _MEGABYTE))

    def _writer(self, settings: Settings) -> Writer | None:
        if self.writer is None:
            return None
        make = dict(WRITERS).get(self.writer)
        if make is None:
            what = "writer"
            raise UnknownNameError(what, self.writer, list_writers())
        options = read_options(f"writer {self.writer!r}", make, self.writer_options)
        options = _of_the_settings(make, options, settings, settings.llm_model)
        if "cache" in inspect.signature(make).parameters and self.caching and settings.cache_folder is not None:
            options["cache"] = TextCache(settings.cache_folder, settings.cache_megabytes * _MEGABYTE)
        return get_writer(self.writer, **options)


def _of_the_settings(
    make: Callable[..., Any], options: dict[str, Any], settings: Settings, model: str
) -> dict[str, Any]:
    """Add model, address and key of the settings for a service that takes a key.

    The key goes to the address of the settings, and to no other that a command names.
    """
    if "api_key" not in inspect.signature(make).parameters:
        return options
    own = _address(settings.openai_base_url)
    options = {"model": model, "base_url": settings.openai_base_url, **options}
    secret = settings.openai_api_key
    usable = secret is not None and _address(options["base_url"]) == own
    return {**options, "api_key": secret.get_secret_value() if secret is not None and usable else ""}


def _address(given: str | None) -> str:
    return (given or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")


def paid(services: Services) -> bool:
    """Whether something would be sent to a service that tells beforehand what it would cost."""
    return costs(services.embedder) or costs(services.writer)


def costs(service: object) -> bool:
    """Whether the service can estimate what work would cost, which is how paid ones are told."""
    return hasattr(service.inner if isinstance(service, CachedEmbedder) else service, "estimate")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose services."""
    group = parser.add_argument_group("services")
    group.add_argument(
        "--tokenizer", metavar="NAME", default=DEFAULT_ENCODING,
        help=f"what counts tokens: {', '.join(ENCODINGS)} (default: {DEFAULT_ENCODING})",
    )  # fmt: skip
    group.add_argument(
        "--embedder", metavar="NAME",
        help=f"what makes vectors: {', '.join(list_embedders())} (default: {list_embedders()[0]})",
    )  # fmt: skip
    group.add_argument(
        "--embedder-set", metavar="NAME=VALUE", type=pair, action="append", default=[],
        help="an option of the embedder, such as model=NAME",
    )  # fmt: skip
    group.add_argument(
        "--writer", metavar="NAME",
        help=f"what writes context: {', '.join(list_writers())} (default: {list_writers()[0]})",
    )  # fmt: skip
    group.add_argument(
        "--writer-set", metavar="NAME=VALUE", type=pair, action="append", default=[],
        help="an option of the writer, such as model=NAME",
    )  # fmt: skip
    group.add_argument("--no-cache", action="store_true", help="neither read nor keep vectors and contexts on disk")
    group.add_argument("--yes", action="store_true", help="ask a paid service without asking you first")
    parser.add_argument(
        "--language", metavar="CODE", help="language of the documents, such as en (default: detected in each)"
    )


def asked(chosen: argparse.Namespace) -> Asked:
    """Return the services that the options name.

    Raises
    ------
    ParameterError
        For options of a service that is not named, and for a language there are no rules of.

    """
    for what in ("embedder", "writer"):
        if getattr(chosen, f"{what}_set") and getattr(chosen, what) is None:
            message = f"--{what}-set needs --{what}, which it belongs to."
            raise ParameterError(message)
    if chosen.language is not None and chosen.language not in LANGUAGE_NAMES:
        what = "language"
        raise UnknownNameError(what, chosen.language, LANGUAGE_NAMES)
    return Asked(
        tokenizer=chosen.tokenizer,
        embedder=chosen.embedder,
        embedder_options=tuple(chosen.embedder_set),
        writer=chosen.writer,
        writer_options=tuple(chosen.writer_set),
        caching=not chosen.no_cache,
    )
