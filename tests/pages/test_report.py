"""The leave-behind report as a file: what it holds, and what it never holds."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.errors import Cancelled
from chunkviz.samples import load_sample
from chunkviz.ui import report as module
from chunkviz.ui import take_away
from chunkviz.ui.report import to_report
from chunkviz.ui.viewer.payload import boundaries_message

APP = str(Path(__file__).resolve().parents[2] / "app.py")
SEMANTIC = cv.Semantic(threshold_mode="percentile", threshold=20)


def data_of(page: bytes) -> dict[str, object]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page.decode(), re.DOTALL)
    assert found
    data: dict[str, object] = json.loads(found[1])
    return data


def test_each_position_of_the_slider_is_what_the_library_makes() -> None:
    document = load_sample("essay")
    data = data_of(to_report(SEMANTIC.chunk(document)))
    assert len(data["steps"]) > 30
    thresholds = [step["threshold"] for step in data["steps"]]
    assert thresholds == sorted(thresholds)
    for step in data["steps"][:: len(thresholds) // 6]:
        chunking = cv.Semantic(threshold=step["threshold"]).chunk(document)
        own = SEMANTIC.chunk(document)
        same = own if step["threshold"] == own.evidence.curve.threshold else chunking
        assert base64.b64decode(step["boundaries"]) == boundaries_message(same, viewer="viewer")
        assert step["numbers"]["Chunks"] == f"{len(chunking):,}"
        assert step["numbers"]["Median tokens"] == f"{np.median(chunking.token_counts):,.10g}"


def test_what_is_covered_follows_the_slider() -> None:
    steps = data_of(to_report(cv.Semantic(min_chunk_size=1).chunk("One cat. \n\nTwo dogs. \n\nThree owls.")))["steps"]
    facts = {step["numbers"]["Chunks"]: step["fidelity"]["facts"] for step in steps}
    assert facts["1"] == "34 of 34 characters covered · 0 left out · 0 white space between chunks · 0 doubled"
    assert facts["3"] == "28 of 34 characters covered · 0 left out · 6 white space between chunks · 0 doubled"
    assert {step["fidelity"]["verdict"] for step in steps} == {"All text accounted for"}


def test_it_opens_at_the_setting_it_was_made_of() -> None:
    chunking = SEMANTIC.chunk(load_sample("essay"))
    data = data_of(to_report(chunking))
    assert data["steps"][data["at"]]["threshold"] == chunking.evidence.curve.threshold


@pytest.mark.parametrize("strategy", [cv.Recursive(), cv.Hierarchical(), cv.ClusterSemantic()])
def test_without_a_threshold_there_is_no_slider(strategy: cv.Strategy) -> None:
    page = to_report(strategy.chunk(load_sample("matsuri")))
    data = data_of(page)
    assert len(data["steps"]) == 1
    assert data["curve"] is None
    assert b'id="threshold"' not in page


@pytest.mark.parametrize("text", ["", " \n ", "One sentence.", "😀 e\u0301 \ud800 <|endoftext|>"])
def test_any_text_makes_a_report(text: str) -> None:
    for strategy in (cv.Recursive(), SEMANTIC):
        assert to_report(strategy.chunk(cv.Document(text, name="t.txt"))).endswith(b"</html>\n")


def test_what_a_document_holds_cannot_become_a_part_of_the_page() -> None:
    hostile = "</script><script>alert(1)</script> %%code%% <img src=x onerror=alert(2)>"
    document = cv.Document(hostile * 3, name=hostile)
    page = to_report(cv.FixedSize(chunk_size=8, chunk_overlap=0).chunk(document), name=hostile).decode()
    assert "alert(1)</script>" not in page
    assert "<img src=x" not in page
    assert page.count("<script") == 2
    assert "&lt;img src=x onerror=alert(2)&gt;" in page


def test_it_asks_no_host_for_anything() -> None:
    page = to_report(cv.Recursive().chunk(load_sample("essay"))).decode()
    assert "default-src 'none'" in page
    # The names of the drawing language and of its links are addresses that nobody asks.
    names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\s\"'<)]+", page)) <= names


def test_the_comparison_says_what_was_measured() -> None:
    document = load_sample("essay")
    page = to_report(
        cv.Recursive().chunk(document), others=[("fixed & more", cv.FixedSize(chunk_size=128).chunk(document))]
    ).decode()
    title = "FixedSize(chunk_size=128, chunk_overlap=50, unit=&#x27;tokens&#x27;)"
    assert f'<th scope=row title="{title}">fixed &amp; more</th><td>35</td>' in page
    assert page.count("<svg viewBox") == 2


def test_settings_that_could_not_be_made_are_told_beside_those_that_were() -> None:
    chunking = cv.Recursive().chunk(load_sample("essay"))
    page = to_report(chunking, failed=[("<paid>", "It needs a key & more.")]).decode()
    assert "<th scope=row>&lt;paid&gt;</th><td colspan=8>It needs a key &amp; more.</td>" in page
    assert "Counted in different tokens" not in page


def test_the_page_compares_the_pinned_settings_and_names_one_that_cannot_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(take_away, "to_report", lambda *_, **given: made.update(given) or b"")
    rows = [
        {"name": "small", "strategy": "recursive", "chunk_size": 64},
        {"name": "as it is", "strategy": "recursive"},
        {"name": "paid", "strategy": "semantic", "@embedder": "openai:some-model"},
    ]
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params.update({"sample": "essay", "strategy": "recursive", "pins": json.dumps(rows)})
    at.run()
    at.button(key="make report").click().run()
    assert not at.exception
    essay = load_sample("essay")
    assert made["name"] == "as it is"
    assert [(name, each.chunks) for name, each in made["others"]] == [
        ("small", cv.Recursive(chunk_size=64).chunk(essay).chunks)
    ]
    ((name, reason),) = made["failed"]
    assert name == "paid"
    assert "is not set up in this session" in reason


def test_a_document_too_long_for_a_report_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHARACTERS", 10)
    with pytest.raises(cv.ChunkvizError, match="up to 10 characters, and this one has 11; make it from an excerpt"):
        to_report(cv.Recursive().chunk("hello world"))


def test_the_page_refuses_it_before_a_pinned_setting_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHARACTERS", 10)
    monkeypatch.setattr(take_away, "_compared", lambda _: pytest.fail("nothing is made for a report there cannot be"))
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params.update({"sample": "essay", "pins": json.dumps([{"name": "small", "strategy": "fixed_size"}])})
    at.run()
    assert not at.exception
    assert [each.value for each in at.info if "up to 10 characters, and this one has 11,713" in each.value]
    assert "make report" not in [each.key for each in at.button]


def test_it_can_be_stopped() -> None:
    def stop(share: float) -> None:
        raise Cancelled(str(share))

    with pytest.raises(Cancelled):
        to_report(SEMANTIC.chunk(load_sample("essay")), report=stop)


def test_the_nearest_code_says_what_differs_and_what_was_measured() -> None:
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params.update({"sample": "essay", "strategy": "recursive"})
    at.run()
    assert not at.exception
    code = [each.value for each in at.code]
    assert any("RecursiveCharacterTextSplitter" in each for each in code)
    said = " ".join(each.value for each in at.caption)
    assert "Boundary agreement (F1, 1 is the same) of 0.78 to 0.97 on 7 of the samples" in said
    assert "not with the parameters chosen here" in said
    labels = {each.proto.label for each in at.get("download_button")}
    assert {"JSONL", "CSV", "Parquet", "LangChain documents", "LlamaIndex nodes", "Recipe"} <= labels
