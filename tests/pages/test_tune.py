"""The Tune page, without a browser: modes, strategies, and documents with little or nothing to compare."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.thresholds import resolve_threshold, setting_for
from chunkviz.ui.curve.payload import curve_message, movable, state_message
from chunkviz.ui.tune import setting_in_mode

APP = str(Path(__file__).resolve().parents[2] / "app.py")
MODES = (
    "absolute", "percentile", "standard_deviation", "interquartile", "gradient", "target_count", "target_size",
)  # fmt: skip
SMALL = (
    "One sentence.",
    "First here. Second there. Third.",
    "مرحبا بالعالم. كيف حالك اليوم؟ أنا بخير.",
    "今日は雨。明日は晴れ。",
)
Tune = Callable[..., AppTest]


@pytest.fixture
def tune() -> Tune:
    def start(**query: str) -> AppTest:
        named = {name.replace("__", "."): value for name, value in query.items()}
        at = AppTest.from_file(APP, default_timeout=120)
        at.query_params.update(named)
        at.run()
        at.switch_page("pages/tune.py")
        at.query_params.update(named)
        return settled(at.run())

    return start


def settled(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in at.metric}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("strategy", ["semantic", "semantic_parent_child"])
def test_the_resolved_threshold_of_each_mode_is_shown(tune: Tune, strategy: str, mode: str) -> None:
    at = tune(strategy=strategy, **{f"{strategy}__threshold_mode": mode})
    chunking = cv.get_strategy(strategy, threshold_mode=mode).chunk(load_sample("essay"))
    shown = metrics(at)
    label = "Gradient threshold" if mode == "gradient" else "Threshold"
    assert shown[label] == f"{chunking.evidence.curve.threshold:.3f}"
    assert shown["Chunks"] == f"{len(chunking):,}"
    assert at.get("bidi_component")


def test_a_strategy_without_a_threshold_says_so(tune: Tune) -> None:
    at = tune(strategy="cluster_semantic")
    assert "Threshold" not in metrics(at)
    assert any("uses no threshold" in caption.value for caption in at.caption)


def test_a_strategy_without_a_curve_offers_those_that_have_one(tune: Tune) -> None:
    at = tune(strategy="recursive")
    assert "compares nothing" in at.info[0].value
    settled(at.button(key="use semantic").click().run())
    assert at.session_state["strategy"] == "semantic"
    assert "Threshold" in metrics(at)


@pytest.mark.parametrize("strategy", ["semantic", "semantic_parent_child", "cluster_semantic"])
@pytest.mark.parametrize("text", SMALL)
def test_small_documents_in_any_script(tune: Tune, strategy: str, text: str) -> None:
    at = tune(strategy=strategy)
    at.session_state["source"] = "Paste"
    at.session_state["pasted"] = text
    settled(at.run())
    assert metrics(at)["Chunks"] == str(len(cv.get_strategy(strategy).chunk(text)))


@pytest.mark.parametrize("mode", MODES)
def test_one_sentence_has_one_notice_and_no_threshold(tune: Tune, mode: str) -> None:
    at = tune(strategy="semantic", semantic__threshold_mode=mode)
    at.session_state["source"] = "Paste"
    at.session_state["pasted"] = "One sentence."
    settled(at.run())
    assert [each.value for each in at.info] == ["The document has one segment, so there are no neighbours to compare."]
    assert metrics(at)["Gradient threshold" if mode == "gradient" else "Threshold"] == "–"


@pytest.mark.parametrize("strategy", [cv.Semantic(), cv.SemanticParentChild()])
@pytest.mark.parametrize("text", ["", " \n", "One."])
def test_messages_of_documents_without_a_pair(strategy: cv.Strategy, text: str) -> None:
    chunking = strategy.chunk(text)
    curve = chunking.evidence.curve
    assert curve is not None
    given = movable(chunking, cv.Services())
    assert curve_message(curve, given, viewer="c", document=chunking.document.id, target="v")
    assert state_message(chunking, viewer="c", setting="", selected=0)


@pytest.mark.parametrize("mode", ["percentile", "standard_deviation", "interquartile", "gradient", "absolute"])
@pytest.mark.parametrize("sample", ["essay", "matsuri"])
def test_a_dragged_value_is_put_in_the_terms_of_its_mode_and_cuts_at_the_same_places(sample: str, mode: str) -> None:
    document = load_sample(sample)
    curve = cv.Semantic(threshold_mode=mode).chunk(document).evidence.curve
    assert curve is not None
    signal = curve.signal[curve.allowed]
    for value in np.linspace(float(signal.min()) + 1e-4, float(signal.max()) - 1e-4, 23).tolist():
        kept, setting = setting_in_mode(curve, value)
        assert kept == mode
        found = cv.Semantic(threshold_mode=kept, threshold=setting, min_chunk_size=1).chunk(document).evidence.curve
        assert found is not None
        assert found.cuts_for(found.threshold).tolist() == curve.cuts_for(value).tolist() or curve.min_chunk_size != 1
        assert (signal < np.float32(found.threshold)).sum() == (signal < np.float32(value)).sum()


def test_a_target_that_is_dragged_becomes_absolute() -> None:
    curve = cv.Semantic(threshold_mode="target_count").chunk(load_sample("essay")).evidence.curve
    assert curve is not None
    assert setting_in_mode(curve, 0.07) == ("absolute", 0.07)


def test_the_way_back_by_hand() -> None:
    signal = np.array([0.0, 0.2, 0.4, 0.6, 0.8], np.float32)
    assert setting_for("percentile", 0.3, signal) == pytest.approx(37.5)
    assert setting_for("standard_deviation", 0.4 - 0.2828427, signal) == pytest.approx(1.0, abs=1e-5)
    assert setting_for("interquartile", 0.2, signal) == pytest.approx(0.5)
    assert setting_for("percentile", 0.9, signal) is None
    assert setting_for("target_size", 0.3, signal) is None
    assert setting_for("standard_deviation", 0.3, np.full(4, 0.5, np.float32)) is None
    for mode in ("percentile", "standard_deviation", "interquartile"):
        setting = setting_for(mode, 0.33, signal)
        assert setting is not None
        assert resolve_threshold(mode, setting, signal, lambda _: 0.0) == pytest.approx(0.33)


def test_the_share_below_is_kept_when_the_embedder_changes(tune: Tune) -> None:
    pytest.importorskip("wordllama")
    at = tune(strategy="semantic", semantic__threshold="0.05")
    before = cv.Semantic(threshold=0.05).chunk(load_sample("essay")).evidence.curve
    assert before is not None
    share = float((before.signal[before.allowed] < np.float32(0.05)).mean())
    settled(at.toggle(key="keep share").set_value(True).run())
    settled(at.selectbox(key="embedder").set_value("static").run())
    from chunkviz.embedders import get_embedder  # noqa: PLC0415

    services = cv.Services(embedder=get_embedder("static"))
    threshold = at.session_state["semantic.threshold"]
    after = cv.Semantic(threshold=threshold).chunk(load_sample("essay"), services).evidence.curve
    assert after is not None
    assert threshold != 0.05
    assert float((after.signal[after.allowed] < np.float32(threshold)).mean()) == pytest.approx(share, abs=0.02)


def test_with_parents_it_says_what_the_text_shows_while_the_line_moves(tune: Tune) -> None:
    at = tune(strategy="semantic_parent_child")
    assert any("the text shows the parents it makes; let go" in each.value for each in at.caption)
    assert not any("the text shows the parents" in each.value for each in tune(strategy="semantic").caption)
