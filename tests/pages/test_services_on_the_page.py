"""Embedders and writers on the page: what is asked, what is shown before, and what a failure leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.recipe import read_recipe
from chunkviz.samples import load_sample
from chunkviz.ui import session
from tests.pages.test_pages import app, captions, metrics, well
from tests.services.server import KEY, Reply, Server, running

__all__ = ["app"]  # a fixture


@pytest.fixture(autouse=True)
def _nothing_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    session.settings.clear()
    yield
    session.settings.clear()


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as service:
        service.dimensions = 1536  # as the default model has
        yield service


def with_service(at: AppTest, server: Server) -> AppTest:
    at.text_input(key="base url").set_value(server.url)
    at.text_input(key="api key").set_value(KEY)
    return well(at.run())


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return well(at.run())


def everything_said(at: AppTest) -> str:
    parts = [
        each.value for kind in ("markdown", "caption", "error", "warning", "info", "code") for each in at.get(kind)
    ]
    return "\n".join([*map(str, parts), json.dumps(dict(at.query_params), default=str)])


def test_the_threshold_in_force_is_shown_and_one_that_chooses_nothing_is_said(app: Callable[..., AppTest]) -> None:
    at = app(sample="essay", strategy="semantic")
    assert "Similarity threshold **0.500**: 118 of 119 neighbours lie below it · 120 segments by lexical" in captions(
        at
    )
    assert not at.info  # the note of the evidence is the hint with the button
    press(at, "use percentile")
    chunking = cv.Semantic(threshold_mode="percentile").chunk(load_sample("essay"))
    curve = chunking.evidence.curve
    assert curve is not None
    assert f"Similarity threshold **{curve.threshold:.3f}**: 24 of 119" in captions(at)
    assert metrics(at)["Chunks"] == str(len(chunking))
    assert at.number_input(key="semantic.threshold").value == 20.0
    assert "use percentile" not in [button.key for button in at.button]


def test_nothing_is_sent_before_the_estimate_is_agreed_to_and_nothing_twice(
    app: Callable[..., AppTest], server: Server
) -> None:
    at = with_service(app(sample="essay", strategy="semantic", embedder="openai"), server)
    assert server.received == []
    shown = metrics(at)
    assert shown["Calls (estimate)"] == "1"
    assert int(shown["Tokens (estimate)"].replace(",", "")) == pytest.approx(2706, abs=200)
    assert "about $" in shown["Money (estimate)"]
    press(at, "agree")
    assert metrics(at)["Smallest – largest"], everything_said(at)
    assert len(server.received) == 1
    assert server.received[0].key == KEY
    at.number_input(key="semantic.threshold").set_value(0.1)
    well(at.run())
    at.selectbox(key="strategy").set_value("cluster_semantic")
    well(at.run())
    assert len(server.received) == 1
    assert "Calls (estimate)" in metrics(at)
    assert KEY not in everything_said(at)


def test_a_wrong_key_is_one_sentence_and_the_document_stays(app: Callable[..., AppTest], server: Server) -> None:
    server.always = Reply(401, echo=True)
    at = with_service(app(sample="essay", strategy="semantic", embedder="openai"), server)
    press(at, "agree")
    assert len(at.error) == 1
    assert "key" in at.error[0].value.lower()
    assert KEY not in everything_said(at)
    at.selectbox(key="embedder").set_value("lexical")
    well(at.run())
    assert metrics(at)["Chunks"] == "24"


def test_failed_contexts_are_marked_and_retried_alone(app: Callable[..., AppTest], server: Server) -> None:
    answered = server.chat
    server.chat = lambda body: "" if "Less than you think" in str(body) else answered(body)
    at = with_service(app(sample="essay", strategy="contextual_retrieval", writer="openai"), server)
    assert metrics(at)["Calls (estimate)"] == "6"
    press(at, "agree")
    assert len(server.received) == 6
    failed = sum("Less than you think" in str(each.body) for each in server.received)
    assert 0 < failed < 6
    assert f"{failed} of 6 chunks have no context" in at.warning[0].value
    assert f"{6 - failed} of 6 chunks have context" in captions(at)
    server.chat = answered
    press(at, "retry")
    press(at, "agree")
    assert len(server.received) == 6 + failed
    assert not at.warning
    assert "6 of 6 chunks have context" in captions(at)


def test_the_outline_context_needs_nobody(app: Callable[..., AppTest]) -> None:
    at = app(sample="manual", strategy="contextual_retrieval")
    assert "7 of 7 chunks have context" in captions(at)


def test_an_installations_own_key_goes_to_its_own_address_only(
    app: Callable[..., AppTest], server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-owners-own-key")
    session.settings.clear()
    at = app(sample="essay", strategy="semantic", embedder="openai")
    at.text_input(key="base url").set_value(server.url)
    well(at.run())
    press(at, "agree")
    assert server.received
    assert all("owners" not in each.key for each in server.received)


def test_an_embedder_that_is_not_installed_is_marked_in_the_choice_and_says_what_to_install(
    app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("chunkviz.ui.services.is_available", "chunkviz.embedders.requirements.installed"):
        monkeypatch.setattr(module, lambda *names: not {"static", "wordllama"} & set(names))
    at = app(sample="essay", strategy="semantic", embedder="static")
    assert at.selectbox(key="embedder").options[:3] == ["lexical", "static (not installed)", "multilingual"]
    assert at.selectbox(key="embedder").value == "static"
    assert not at.warning
    assert all("pip install 'chunkviz[static]'" in error.value.replace("\\", "") for error in at.error)
    assert len(at.error) == 2  # beside the choice, and in the page
    at.selectbox(key="embedder").set_value("lexical")
    well(at.run())
    assert metrics(at)["Chunks"] == "24"


def test_a_setting_that_is_refused_leaves_the_last_result_on_the_screen(app: Callable[..., AppTest]) -> None:
    at = app(sample="essay", strategy="recursive")
    at.text_area(key="recursive.separators").set_value("(")
    shown = metrics(well(at.run()))
    at.toggle(key="recursive.is_regex").set_value(True)
    well(at.run())
    assert "valid regular expressions" in at.error[0].value.replace("\\", "")
    assert "The last valid setting is shown: **Recursive**." in captions(at)
    assert metrics(at) == shown
    at.button_group(key="sample").set_value("manual")
    well(at.run())
    assert "The last valid setting is shown" not in captions(at)
    assert not at.metric


@pytest.mark.parametrize("typed", ["35", "35.0", "35.00"])
def test_one_number_written_in_several_ways_is_one_link(app: Callable[..., AppTest], typed: str) -> None:
    at = app(
        sample="essay", strategy="semantic", semantic__threshold_mode="percentile", semantic__threshold=typed
    )  # fmt: skip
    assert at.number_input(key="semantic.threshold").value == 35.0
    assert not at.warning


def test_a_setting_that_asks_first_is_a_row_that_says_so(app: Callable[..., AppTest], server: Server) -> None:
    pin = {"name": "dear", "strategy": "semantic", "@embedder": "openai:text-embedding-3-small"}
    other = {"name": "cuts", "strategy": "recursive", "chunk_size": 128}
    at = with_service(
        app(sample="essay", strategy="semantic", embedder="openai", pins=json.dumps([pin, other])), server
    )
    well(at.switch_page("pages/compare.py").run())
    states = at.dataframe[0].value.set_index("Name")["State"].to_dict()
    assert states["dear"].startswith("asks before it sends")
    assert states["cuts"] == "ready"
    assert not server.received
    press(at, "agree pin dear")
    assert server.received
    assert "State" not in at.dataframe[0].value or at.dataframe[0].value["State"].tolist()[0] == "ready"


def test_the_recipe_that_is_taken_away_names_the_services_in_use_and_no_key(server: Server) -> None:
    def page() -> None:
        import streamlit as st  # noqa: PLC0415  an AppTest's script imports for itself

        import chunkviz as cv  # noqa: PLC0415
        from chunkviz.ui import service_notes, services  # noqa: PLC0415
        from chunkviz.ui.take_away import recipe_file  # noqa: PLC0415

        strategy = cv.Semantic()
        services.choose_services(strategy, None, cv.get_tokenizer())
        chunking = strategy.chunk(cv.Document("It rains. The sun shines."))
        st.code(recipe_file(chunking, {**service_notes.fields(), "language": "en"}).decode())

    at = AppTest.from_function(page, default_timeout=60).run()
    assert "embedder" not in at.code[0].value, "the default one needs no name"
    at.selectbox(key="embedder").set_value("openai").run()
    with_service(at, server)
    recipe = read_recipe(at.code[0].value)
    assert recipe.embedder == "openai"
    assert recipe.embedder_options == {"model": "text-embedding-3-small", "base_url": server.url}
    assert (recipe.strategy, recipe.language, recipe.check) == ("semantic", "en", None)
    assert KEY not in at.code[0].value
