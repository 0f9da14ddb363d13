"""The README tells the truth."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import chunkviz as cv

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_python_blocks_run(block: str) -> None:
    exec(block, {})  # noqa: S102  the law under test


def test_the_tables_are_those_of_the_declarations() -> None:
    tools = runpy.run_path(str(ROOT / "tools" / "readme_tables.py"))
    assert tools["renewed"](README) == README
    assert all(f"| `{name}` |" in README for name in cv.list_strategies())


def test_what_it_links_to_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert all((ROOT / link).exists() for link in links)
