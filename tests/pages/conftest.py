"""What every test of a page leaves as it found it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def main_module_as_before() -> Iterator[None]:
    """Put back ``__main__``: Streamlit sets a page there, and a process started later would run that page again."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before
