"""The text being chunked, and what is known about it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal, TypeVar

from chunkviz.errors import DocumentError
from chunkviz.span import Span

Made = TypeVar("Made")
Format = Literal["markdown", "text", "code"]

_SURROGATES = re.compile("[\ud800-\udfff]")
_CODE_SUFFIXES = frozenset(
    f".{ending}"
    for line in (
        "bash bat c cc cfg cpp cs css csv go h hpp ini ipynb java jl js json jsonl jsx kt lua m",
        "php pl ps1 py pyi r rb rs scala sh sql swift toml ts tsv tsx vue xml yaml yml zsh",
    )
    for ending in line.split()
)


@dataclass(frozen=True)
class Document:
    """A text with its name and what its loader knows; the only place chunk text is sliced from.

    Parameters
    ----------
    text
        The document, exactly as it will be shown. Offsets everywhere count its code points.
    name
        A file name for people, and for choosing a format by its ending; may be empty.
    pages
        The span of each page in order, or empty when the format has no pages.
    title
        The document's own title, if it has one.
    language
        ISO 639-1 code ("en", "ja"), or None when nobody has said; see ``detected_language``.
    changes
        What the loader changed on the way from bytes to text, one sentence each.
    sha256
        Hex digest of the loaded bytes; of the UTF-8 text when it did not come from bytes.
    format
        "markdown" (headings count), "text" (plain, headings count too) or "code" (``#`` is no
        heading); taken from the ending of ``name`` when not given.

    Raises
    ------
    DocumentError
        When ``text`` is not a string, or pages lie outside it or out of order.

    """

    text: str = field(repr=False)
    name: str = ""
    pages: tuple[Span, ...] = field(default=(), repr=False)
    title: str | None = None
    language: str | None = None
    changes: tuple[str, ...] = field(default=(), repr=False)
    sha256: str = field(default="", repr=False)
    format: Format | None = None
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the pages, and fill in what follows from text and name."""
        if not isinstance(self.text, str):
            message = (
                f"a document's text must be a string, not {type(self.text).__name__}; give bytes to cv.load_bytes."
            )
            raise DocumentError(message)
        object.__setattr__(self, "pages", tuple(self.pages))
        object.__setattr__(self, "changes", tuple(self.changes))
        last = 0
        for number, page in enumerate(self.pages, start=1):
            if page.start < last or page.end > len(self.text):
                message = f"page {number} of {self.name or 'the document'} must follow the one before, inside the text."
                raise DocumentError(message)
            last = page.end
        if not self.sha256:
            object.__setattr__(self, "sha256", hashlib.sha256(_utf8(self.text)).hexdigest())
        if self.format is None:
            suffix = PurePath(self.name).suffix.lower()
            object.__setattr__(
                self, "format", "code" if suffix in _CODE_SUFFIXES else "text" if suffix == ".txt" else "markdown"
            )

    def __len__(self) -> int:
        """Return the number of characters (code points)."""
        return len(self.text)

    def __getstate__(self) -> dict[str, Any]:
        """Leave derived facts out of pickles; they are made again where they are needed."""
        return {**self.__dict__, "_made": {}}

    @cached_property
    def id(self) -> str:
        """Sixteen hex digits that name this text under this name; equal on every run and machine."""
        return hashlib.sha256(_utf8(f"{self.name}\0{self.text}")).hexdigest()[:16]

    def derive(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return ``make()``, computed once per document and key.

        This is how a token map or a list of headings survives a slider step without any
        module-level cache: it lives exactly as long as its document.
        """
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made


def without_surrogates(text: str) -> str:
    """Return ``text`` with each surrogate code point as U+FFFD, for what accepts UTF-8 only; offsets stay."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def _utf8(text: str) -> bytes:
    """Bytes for hashing; lone surrogates, which UTF-8 refuses, pass as they are."""
    return text.encode("utf-8", "surrogatepass")
