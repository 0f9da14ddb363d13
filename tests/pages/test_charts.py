"""Charts: how their files are called, and that every page draws them in the one place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunkviz.ui import charts
from chunkviz.ui.charts import file_name


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Tokens of each chunk along the document", "tokens-of-each-chunk-along-the-document"),
        ("Recall in 2,000 tokens: <b>each</b>/..\\ setting", "recall-in-2-000-tokens-b-each-b-setting"),
        ("図", "figure"),
        ("a" * 59 + " b", "a" * 59),
    ],
)
def test_what_a_figure_shows_is_the_name_of_its_file(words: str, name: str) -> None:
    assert file_name(words) == name


def test_every_chart_can_be_saved() -> None:
    folder = Path(charts.__file__).parents[1]
    drawing = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if "st.plotly_chart(" in path.read_text(encoding="utf-8")
    ]
    assert drawing == ["charts/__init__.py"]


@pytest.mark.parametrize("page", ["explore", "tune", "hierarchy", "compare.page", "measure_page"])
def test_pandas_is_whole_before_the_first_figure(page: str) -> None:
    """Else plotly fails while the page of somebody else loads it for a table."""
    code = f"import sys, chunkviz.ui.{page}; print('Series' in vars(sys.modules['pandas']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "True\n"
