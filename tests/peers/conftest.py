"""LangChain and LlamaIndex are an extra: without it these tests are left out, but where it must be there they fail."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec

import pytest

MODULES = ("langchain_text_splitters", "langchain_experimental", "llama_index.core", "tiktoken")
REQUIRED = os.environ.get("CI") == "true" and os.environ.get("CHUNKVIZ_TEST_PEERS") == "required"
"""Whether what is missing is a failure."""


def _missing() -> list[str]:
    missing = []
    for name in MODULES:
        try:
            found = find_spec(name)
        except ModuleNotFoundError:  # the package around it
            found = None
        if found is None:
            missing.append(name)
    return missing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = _missing()
    here = [item for item in items if "peers" in item.path.parts]
    if missing and here:
        if REQUIRED:
            message = (
                f"These tests must run here, and {', '.join(missing)} cannot be imported; install chunkviz[peers]."
            )
            raise pytest.UsageError(message)
        for item in here:
            item.add_marker(pytest.mark.skip(reason=f"{', '.join(missing)} not installed: it is the extra 'peers'"))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection: exported code needs none."""

    def refuse(*_: object) -> None:
        message = "exported code must not need the network"
        raise AssertionError(message)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
