"""The panels below the curve, run without a browser on a page of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.tuning import Suggestion, Target, Tuning, knee, widest_plateau


def page() -> None:
    """Draw sidebar and panels; AppTest runs the source of this function."""
    import streamlit as st  # noqa: PLC0415

    from chunkviz.ui import session, sidebar  # noqa: PLC0415
    from chunkviz.ui.tuning_panels import draw_panels  # noqa: PLC0415

    sidebar.draw()
    chunking = sidebar.chunk()
    if chunking is not None:
        st.metric("Chunks", len(chunking))
        st.code(repr(chunking.strategy))
        draw_panels(chunking, session.get("setting").services, selected=0)


def well(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


@pytest.fixture
def app() -> Callable[..., AppTest]:
    def start(text: str | None = None, **query: str) -> AppTest:
        at = AppTest.from_function(page, default_timeout=120)
        for name, value in {"strategy": "semantic", **query}.items():
            at.query_params[name.replace("__", ".")] = value
        if text is not None:
            at.session_state["source"] = "Paste"
            at.session_state["pasted"] = text
        return well(at.run())

    return start


def words(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.markdown, *at.caption, *at.info])


def essay(**parameters: Any) -> Tuning:
    return Tuning(cv.Semantic(**parameters).chunk(load_sample("essay")))


@pytest.mark.parametrize("kind", ["knee", "plateau"])
def test_a_suggestion_applies_and_gives_what_it_said(app: Callable[..., AppTest], kind: str) -> None:
    at = app(semantic__threshold_mode="percentile", semantic__threshold="90")
    found = essay().sweep()
    suggestion = {"knee": knee, "plateau": widest_plateau}[kind](found)
    assert isinstance(suggestion, Suggestion)
    assert f"{suggestion.outcome.chunks:,} chunks · median {suggestion.outcome.median:,.10g}" in words(at)
    well(at.button(key=f"apply {kind}").click().run())
    assert at.selectbox(key="semantic.threshold_mode").value == "absolute"
    assert at.number_input(key="semantic.threshold").value == suggestion.outcome.threshold
    assert at.metric[0].value == str(suggestion.outcome.chunks)
    assert at.button(key=f"apply {kind}").label == "In force"


@pytest.mark.parametrize(("aim", "number"), [("count", 12), ("median", 140), ("largest", 400)])
def test_a_target_applies_and_gives_what_it_said(app: Callable[..., AppTest], aim: Any, number: int) -> None:
    at = app()
    well(at.button_group(key="tuning aim").set_value(aim).run())
    well(at.number_input(key=f"tuning {aim}").set_value(number).run())
    tuning = essay()
    tuning.sweep()
    solved = tuning.solve(Target(aim, number))
    assert isinstance(solved, Suggestion)
    well(at.button(key="apply target").click().run())
    assert at.metric[0].value == str(solved.outcome.chunks)
    assert at.number_input(key="semantic.threshold").value == solved.outcome.setting


def test_a_target_out_of_reach_says_so_and_offers_nothing(app: Callable[..., AppTest]) -> None:
    at = app()
    well(at.button_group(key="tuning aim").set_value("largest").run())
    well(at.number_input(key="tuning largest").set_value(1).run())
    assert "No threshold keeps all chunks within 1 tokens" in words(at)
    assert not [button for button in at.button if button.key == "apply target"]


def test_in_gradient_mode_it_is_said_and_a_percentage_applies(app: Callable[..., AppTest]) -> None:
    at = app(semantic__threshold_mode="gradient")
    assert "In gradient mode the threshold is held against how steeply the similarity falls" in words(at)
    well(at.number_input(key="tuning count").set_value(9).run())
    solved = essay(threshold_mode="gradient").solve(Target("count", 9))
    assert isinstance(solved, Suggestion)
    well(at.button(key="apply target").click().run())
    assert at.selectbox(key="semantic.threshold_mode").value == "gradient"
    assert at.metric[0].value == str(solved.outcome.chunks)


def test_the_share_over_a_limit_follows_the_model_or_the_number(app: Callable[..., AppTest]) -> None:
    at = app(model="all-MiniLM-L6-v2 (Sentence Transformers)")
    counts = cv.Semantic().chunk(load_sample("essay")).token_counts
    assert f"Now {(counts > 256).sum():,} of {len(counts):,} chunks are above 256 tokens." in words(at)
    well(at.number_input(key="tuning limit").set_value(100).run())
    assert f"Now {(counts > 100).sum():,} of {len(counts):,} chunks are above 100 tokens." in words(at)


def test_another_threshold_measures_nothing_again(app: Callable[..., AppTest]) -> None:
    at = app()
    known = dict(at.session_state["sweeps"])
    well(at.number_input(key="semantic.threshold").set_value(0.02).run())
    assert dict(at.session_state["sweeps"]) == known
    well(at.number_input(key="semantic.min_chunk_size").set_value(2).run())
    assert len(at.session_state["sweeps"]) == 2


def test_a_parent_child_strategy_speaks_of_parents(app: Callable[..., AppTest]) -> None:
    at = app(strategy="semantic_parent_child", sample="manual")
    assert "parents · median" in words(at)
    well(at.button(key="apply target").click().run())
    assert at.number_input(key="semantic_parent_child.threshold").value != 0.5


def test_a_strategy_without_a_threshold_has_histogram_and_map(app: Callable[..., AppTest]) -> None:
    at = app(strategy="cluster_semantic")
    assert "This strategy has no threshold" in words(at)
    assert "pairs of neighbours" in words(at)
    well(at.button_group(key="tuning view").set_value("Self-similarity").run())
    assert "Squares are chunks" in words(at)


def test_two_segments_are_shown_with_their_similarity(app: Callable[..., AppTest]) -> None:
    at = app(sample="essay")
    well(at.button_group(key="tuning view").set_value("Self-similarity").run())
    curve = cv.Semantic().chunk(load_sample("essay")).evidence.curve
    assert curve is not None
    assert curve.overview is not None
    assert f"Similarity of these neighbours: **{curve.similarities.min():.3f}**" in words(at)
    well(at.number_input(key="pair one").set_value(3).run())
    well(at.number_input(key="pair other").set_value(40).run())
    assert f"Similarity: **{curve.overview.similarities[2, 39]:.3f}**" in words(at)
    text = load_sample("essay").text
    assert [each.value for each in at.text] == [text[curve.starts[k] : curve.ends[k]] for k in (2, 39)]
    well(at.number_input(key="pair other").set_value(3).run())
    assert "One segment" in words(at)
    well(at.button_group(key="sample").set_value("inventory").run())
    assert "Similarity of these neighbours" in words(at)


@pytest.mark.parametrize("strategy", ["semantic", "semantic_parent_child", "cluster_semantic"])
@pytest.mark.parametrize(
    "text",
    [
        "One sentence.",
        "One paragraph. Of two sentences.",
        "駅前の店は朝七時に開く。パンは毎朝焼く。\n\n量子の話はまた別だ。観測が状態を変える。",
        "يفتح المتجر في السابعة. الخبز طازج كل صباح.\n\nأما الفيزياء فموضوع آخر. القياس يغير الحالة.",
    ],
    ids=["sentence", "paragraph", "japanese", "arabic"],
)
def test_small_documents_of_any_script_open_every_panel(app: Callable[..., AppTest], text: str, strategy: str) -> None:
    at = app(text, strategy=strategy)
    assert at.metric
    curve = cv.get_strategy(strategy).chunk(text).evidence.curve
    assert curve is not None
    if not len(curve.similarities):  # there is nothing to look at
        assert "tuning view" not in {each.key for each in at.button_group}
        return
    for view in at.button_group(key="tuning view").options:
        name = getattr(view, "content", view)
        well(at.button_group(key="tuning view").set_value(name).run())


def test_an_empty_document_has_no_panels() -> None:
    def blank() -> None:
        import chunkviz as cv  # noqa: PLC0415
        from chunkviz.ui.tuning_panels import draw_panels  # noqa: PLC0415

        draw_panels(cv.Semantic().chunk(""), cv.Services(), selected=None)
        draw_panels(cv.ClusterSemantic().chunk(""), cv.Services(), selected=None)

    at = AppTest.from_function(blank, default_timeout=60).run()
    assert not at.exception
    assert [*at.info, *at.caption, *at.button_group] == []


def test_a_suggestion_with_the_same_chunks_at_another_threshold_is_not_said_to_be_in_force(
    app: Callable[..., AppTest],
) -> None:
    suggestion = knee(essay().sweep())
    assert isinstance(suggestion, Suggestion)
    outcome = suggestion.outcome
    near = outcome.threshold + (outcome.high - outcome.threshold) / 2
    at = app(semantic__threshold=f"{near:.7f}")
    said = "It makes the chunks on the screen, as"
    assert at.button(key="apply knee").label == "Apply"
    assert not at.button(key="apply knee").disabled
    assert f"{said} {near:.3f} in force does." in words(at)
    well(at.button(key="apply knee").click().run())
    assert at.button(key="apply knee").label == "In force"
    assert at.button(key="apply knee").disabled
    assert said not in words(at)
