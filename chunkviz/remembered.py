"""What a service made for a document, remembered as long as both are there."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TypeVar

from chunkviz.document import Document

Kept = TypeVar("Kept")


def remembered(document: Document, what: str, service: object, make: Callable[[], Kept]) -> Kept:
    """Return what ``make`` made for this very service object; made again where it was not, or cannot be, kept.

    The document holds the service only weakly: one that many people share must not keep their
    services, and the keys in them. So what is made must not hold the service either.
    """
    store: dict[int, tuple[weakref.ref[object], Kept]] = document.derive(("remembered", what), dict)
    place = id(service)
    entry = store.get(place)
    if entry is not None and entry[0]() is service:
        return entry[1]
    value = make()
    try:
        store[place] = (weakref.ref(service, lambda _: store.pop(place, None)), value)
    except TypeError:
        return value  # an object without room for weak references is asked each time
    return value
