"""What makes the services in use again: noted while they are chosen, for what is taken away; never a key."""

from __future__ import annotations

from typing import Any

from chunkviz.ui import session

_NOTED = "services noted"


def begin() -> None:
    """Forget what was noted: the services are chosen anew."""
    session.put(_NOTED, {})


def note(service: str, name: str, **options: Any) -> None:
    """Remember what makes a service again, for what is taken away."""
    session.get(_NOTED)[service] = (name, {key: value for key, value in options.items() if value})


def code() -> dict[str, str]:
    """Return the code that makes the services in use, where they are not the default ones; never a key."""
    return {
        service: f"get_{service}({name!r}{''.join(f', {key}={value!r}' for key, value in options.items())})"
        for service, (name, options) in _noted().items()
    }


def fields() -> dict[str, Any]:
    """Return the fields of a recipe that name the services in use, where they are not the default ones; never a key."""
    named: dict[str, Any] = {}
    for service, (name, options) in _noted().items():
        named |= {service: name, f"{service}_options": options}
    return named


def _noted() -> dict[str, tuple[str, dict[str, Any]]]:
    found: dict[str, tuple[str, dict[str, Any]]] = session.get(_NOTED) or {}
    return found
