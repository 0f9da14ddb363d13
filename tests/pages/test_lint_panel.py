"""The lint panel on the Explore page, run without a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.errors import Cancelled
from chunkviz.lint import Rules, lint
from chunkviz.samples import load_sample
from chunkviz.ui.lint_panel import LintView, named

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def settled(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


@pytest.fixture
def opened() -> Callable[..., AppTest]:
    """Open Explore with the panel open."""

    def start(**query: str) -> AppTest:
        at = AppTest.from_file(APP, default_timeout=120)
        for name, value in query.items():
            at.query_params[name.replace("__", ".")] = value
        at.session_state["lint open"] = True
        return settled(at.run())

    return start


def captions(at: AppTest) -> str:
    return "\n".join(caption.value for caption in at.caption)


def of_manual() -> cv.Chunking:
    return cv.FixedSize(chunk_size=128, chunk_overlap=0).chunk(load_sample("manual"))


MANUAL = {
    "sample": "manual",
    "strategy": "fixed_size",
    "fixed_size__chunk_size": "128",
    "fixed_size__chunk_overlap": "0",
}


def test_nothing_is_looked_for_while_the_panel_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        pytest.fail("a closed panel looks for nothing")

    monkeypatch.setattr("chunkviz.ui.lint_panel.lint", fail)
    at = settled(AppTest.from_file(APP, default_timeout=120).run())
    assert "Lint: what a reader would object to" in [each.label for each in at.expander]


def test_it_counts_each_kind_and_gives_no_score(opened: Callable[..., AppTest]) -> None:
    at = opened(**MANUAL)
    counts = lint(of_manual()).counts
    shown = at.button_group(key="lint kind")
    assert shown.label.startswith(f"{sum(counts.values())} findings")
    assert [option.content for option in shown.proto.options] == [
        f"{named(kind)} · {count}" for kind, count in counts.items() if count
    ]
    assert f"None: {', '.join(kind for kind, count in counts.items() if not count)}." in captions(at)
    assert "Counts only, no score" in captions(at)
    table = next(frame.value for frame in at.dataframe if "Finding" in frame.value)
    assert list(table["Finding"]) == [each.message for each in lint(of_manual()).findings]


def test_what_cannot_be_checked_is_said_with_its_reason(opened: Callable[..., AppTest]) -> None:
    at = opened(sample="inventory")
    assert "Not checked: sentence, table row, table, list item, list, code fence" in captions(at)
    assert "because the document is source code, which has no such thing" in captions(at).replace("\\", "")


def test_a_kind_is_listed_alone(opened: Callable[..., AppTest]) -> None:
    at = opened(**MANUAL)
    settled(at.button_group(key="lint kind").set_value("word").run())
    table = next(frame.value for frame in at.dataframe if "Finding" in frame.value)
    assert set(table["Kind"]) == {"In a word"}
    assert len(table) == lint(of_manual()).counts["word"]
    visit = at.session_state["lint visited"]
    assert visit.span == next(each.span for each in lint(of_manual()).findings if each.kind == "word")


def test_limits_change_what_is_found(opened: Callable[..., AppTest]) -> None:
    at = opened(**MANUAL)
    assert lint(of_manual()).counts["oversize"] == 0
    settled(at.number_input(key="lint oversize").set_value(100).run())
    table = next(frame.value for frame in at.dataframe if "Finding" in frame.value)
    wanted = lint(of_manual(), Rules(oversize=100)).counts["oversize"]
    assert wanted > 10
    assert list(table["Kind"]).count("Oversize") == wanted


def test_another_setting_is_looked_through_anew(opened: Callable[..., AppTest]) -> None:
    at = opened(**MANUAL)
    settled(at.button_group(key="lint kind").set_value("word").run())
    settled(at.number_input(key="fixed_size.chunk_size").set_value(256).run())
    wanted = lint(cv.FixedSize(chunk_size=256, chunk_overlap=0).chunk(load_sample("manual"))).counts["word"]
    table = next(frame.value for frame in at.dataframe if "Finding" in frame.value)
    assert len(table) == wanted


def test_a_report_that_raises_ends_the_search() -> None:
    shares: list[float] = []

    def report(share: float) -> None:
        shares.append(share)
        if share > 0:
            message = "stopped"
            raise Cancelled(message)

    text = " ".join(f"word{number % 977}" for number in range(60_000))
    with pytest.raises(Cancelled):
        lint(cv.FixedSize(chunk_size=64, chunk_overlap=0).chunk(text), report=report)
    assert 0 < shares[-1] < 1


def test_the_share_done_only_grows() -> None:
    shares: list[float] = []
    text = " ".join(f"word{number % 977} {number}" for number in range(60_000))
    lint(cv.FixedSize(chunk_size=64, chunk_overlap=0).chunk(text), report=shares.append)
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] <= 1


def test_an_empty_view_asks_for_nothing() -> None:
    assert LintView() == LintView((), None, 0)
