"""Writers: what writes context about a chunk. The first needs no model and is the default."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from chunkviz.errors import ParameterError, UnknownNameError
from chunkviz.services import Writer
from chunkviz.writers.cache import TextCache
from chunkviz.writers.many import Written, write_all
from chunkviz.writers.openai_compatible import OpenAICompatibleWriter
from chunkviz.writers.outline import OutlineWriter

WRITERS: tuple[tuple[str, type[OutlineWriter | OpenAICompatibleWriter]], ...] = (
    ("outline", OutlineWriter),
    ("openai", OpenAICompatibleWriter),
)
"""Every writer by its name, the default first."""


@lru_cache(maxsize=1)
def default_writer() -> Writer:
    """Return the writer that needs no model; always the same object."""
    return OutlineWriter()


def list_writers() -> tuple[str, ...]:
    """Return the names of the writers, the default first."""
    return tuple(name for name, _ in WRITERS)


def get_writer(name: str = WRITERS[0][0], **options: Any) -> Writer:
    """Return the writer of that name, made with ``options``.

    Raises
    ------
    UnknownNameError
        When there is none of that name.
    ParameterError
        When it does not take these options.

    """
    for known, kind in WRITERS:
        if known == name:
            try:
                return kind(**options)
            except TypeError as error:
                message = f"writer {name!r} does not take these options: {str(error).partition('() ')[2]}."
                raise ParameterError(message) from None
    what = "writer"
    raise UnknownNameError(what, name, list_writers())


__all__ = [
    "WRITERS",
    "OpenAICompatibleWriter",
    "OutlineWriter",
    "TextCache",
    "Written",
    "default_writer",
    "get_writer",
    "list_writers",
    "write_all",
]
