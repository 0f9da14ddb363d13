"""Everything chunkviz raises on purpose, as one small tree.

    ChunkvizError
    ├── ParameterError (also a ValueError)    a strategy or setting was given a wrong value
    │   └── UnknownNameError                  no strategy, encoding or parameter has that name
    ├── DocumentError (also a ValueError)     a file or text cannot become a Document
    ├── ServiceError (also a RuntimeError)    a tokenizer, embedder or writer did not do its part
    │   ├── UnusableServiceError              no request can succeed until a setting is put right
    │   ├── IncompleteError                   an embedder failed for some texts, and has vectors of others
    │   └── VocabularyError                   a token vocabulary is not on this machine and cannot be fetched
    └── Cancelled                             somebody no longer wants the result

Every message is one sentence that names the parameter or file, says what must hold and what was
given, and, where there is one, the next step.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ChunkvizError(Exception):
    """Root of the tree; catching it catches what a user can put right, and no programming error."""


class ParameterError(ChunkvizError, ValueError):
    """A parameter has a value that its declaration does not allow."""


class UnknownNameError(ParameterError):
    """A name that is not in a closed list; the message holds the list and the nearest match."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        """``what`` is the noun for the message ("strategy"), ``known`` the names that exist."""
        names = tuple(known)
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        super().__init__(f"{what} {name!r} is not known{hint}; choose one of: {', '.join(names)}.")
        self.what, self.name, self.known = what, name, names

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, tuple[str, ...]]]:
        """Rebuild from the three arguments, so that it crosses process boundaries."""
        return (type(self), (self.what, self.name, self.known))


class DocumentError(ChunkvizError, ValueError):
    """Bytes or text that cannot become a document; the message says what to do about it."""


class ServiceError(ChunkvizError, RuntimeError):
    """A service (tokenizer, embedder, writer) failed or broke its protocol."""


class UnusableServiceError(ServiceError):
    """No request can succeed until a setting is put right: the key, the permission, the model, the address."""


class IncompleteError(ServiceError):
    """An embedder failed for some texts; what it has of the others is here, so that it need not be paid again."""

    def __init__(self, message: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """``vectors``: float32 (dimensions,) by text, of the texts that were answered."""
        super().__init__(message)
        self.vectors = vectors

    def __reduce__(self) -> tuple[type[IncompleteError], tuple[str, Mapping[str, NDArray[np.float32]]]]:
        """Rebuild from both arguments, so that it crosses process boundaries."""
        return (type(self), (str(self), self.vectors))


class VocabularyError(ServiceError):
    """The vocabulary of a token encoding is not here and could not be fetched."""


class Cancelled(ChunkvizError):  # noqa: N818  it is a wish, not a fault
    """Long work was stopped because somebody asked for it; nothing of it was kept."""
