"""The README tells the truth."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import chunkviz as cv
from chunkviz.cli import main
from chunkviz.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"<!-- command line, .*? -->\n```bash\n(.*?)```", README, re.DOTALL)[0].splitlines()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_python_blocks_run(block: str) -> None:
    # As a reader would run it: without this file's own __future__ import.
    exec(compile(block, "README.md", "exec", dont_inherit=True), {"__name__": "readme"})  # noqa: S102


def test_the_commands_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", str(tmp_path / "kept"))
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "sample_docs" / "manual.md", tmp_path)
    (tmp_path / "recipe.toml").write_text(re.findall(r"```toml\n(.*?)```", README, re.DOTALL)[0], "utf-8")
    excerpt = "The LM-4 watches one greenhouse and looks after it"
    (tmp_path / "questions.csv").write_text(f"question,references\nWhat does it watch?,{excerpt}\n", "utf-8")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "sample_docs" / "essay.txt", tmp_path / "docs")
    for line in COMMANDS:
        program, *arguments = shlex.split(line, comments=True)
        if program == "chunkviz":
            assert main(arguments) == 0, line
        elif os.name != "nt":
            ours = f"{shlex.quote(sys.executable)} -m chunkviz"
            shell = ["bash", "-o", "pipefail", "-c", line.replace("chunkviz", ours)]
            subprocess.run(shell, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, timeout=120)  # noqa: S603
    assert {"chunks.jsonl", "chunks.csv", "chunks.parquet"} <= {path.name for path in tmp_path.iterdir()}


def test_every_setting_is_in_the_table() -> None:
    assert all(f"`CHUNKVIZ_{name.upper()}`" in README for name in Settings.model_fields)


def test_the_tables_are_those_of_the_declarations() -> None:
    tools = runpy.run_path(str(ROOT / "tools" / "readme_tables.py"))
    assert tools["renewed"](README) == README
    assert all(f"| `{name}` |" in README for name in cv.list_strategies())


def test_what_it_links_to_exists() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert all((ROOT / link).exists() for link in links)
