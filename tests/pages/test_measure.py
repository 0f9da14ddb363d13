"""The Measure page, run without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.alignment import align
from chunkviz.errors import Cancelled
from chunkviz.evaluation import Evaluation, Question, Reference, evaluate, load_questions
from chunkviz.records import Record
from chunkviz.samples import load_sample, questions_file
from chunkviz.span import Span
from chunkviz.ui import measuring, session
from chunkviz.ui.controls import parse_separators, typed_separators
from chunkviz.ui.measure_questions import excerpt_of
from chunkviz.ui.measure_words import figure_of, warning_of_sizes, warning_of_tokenizers
from chunkviz.ui.own_chunks import OwnSetting
from tests.services.server import KEY, running

APP = str(Path(__file__).resolve().parents[2] / "app.py")

Start = Callable[..., AppTest]


def well(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


@pytest.fixture
def app() -> Start:
    def start(text: str | None = None, **query: str) -> AppTest:
        at = AppTest.from_file(APP, default_timeout=120)
        for name, value in query.items():
            at.query_params[name.replace("__", ".")] = value
        if text is not None:
            at.session_state["source"] = "Paste"
            at.session_state["pasted"] = text
        well(at.run())
        return well(at.switch_page("pages/measure.py").run())

    return start


def view(at: AppTest, name: str) -> AppTest:
    return well(at.button_group(key="measure view").set_value(name).run())


def metrics(at: AppTest) -> dict[str, str]:
    return {each.label: each.value for each in at.metric}


def words(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.success])


def bundled(name: str) -> tuple[Question, ...]:
    return load_questions(questions_file(), load_sample(name)).questions


def of_essay(**parameters: Any) -> Evaluation:
    return evaluate(cv.Recursive(**parameters).chunk(load_sample("essay")), bundled("essay"))


def table(at: AppTest, place: int) -> dict[str, list[str]]:
    frame = at.dataframe[place].value
    return {str(name): frame[name].tolist() for name in frame.columns}


def test_a_sample_comes_with_its_questions_measured(app: Start) -> None:
    at = app(recursive__chunk_size="64")
    expected = of_essay(chunk_size=64)
    shown = metrics(at)
    assert shown["Recall at 5"] == f"{expected.mean('recall'):.2f} ± {expected.deviation('recall'):.2f}"
    assert shown["Whole / split / lost"] == f"{expected.total('whole')} / {expected.total('split')} / 0"
    assert "6 questions · k = 5 · lexical ranking (BM25, no embedder)" in words(at)


def test_every_number_is_that_of_the_evaluation(app: Start) -> None:
    at = view(app(recursive__chunk_size="64"), "Settings")
    expected = of_essay(chunk_size=64)
    (column,) = [cells for name, cells in table(at, 0).items() if name]
    for place, measure in enumerate(expected.measures):
        interval = expected.interval(measure)
        assert column[place] == (
            f"{figure_of(interval.mean)} ± {figure_of(expected.deviation(measure))}   "
            f"[{figure_of(interval.low)}, {figure_of(interval.high)}]"
        )
    assert column[-5:] == ["6", "5", "lexical", "none", "cl100k_base"]


def test_pinned_settings_stand_beside_the_one_in_the_sidebar_with_the_difference(app: Start) -> None:
    at = view(app(), "Settings")
    well(at.button(key="pin measured").click().run())
    well(at.text_input(key="pin name recursive 512 tokens").set_value("as it was").run())
    assert [*table(at, 0)] == ["", "as it was"]
    well(at.number_input(key="recursive.chunk_size").set_value(128).run())
    assert [*table(at, 0)] == ["", "as it was", "recursive 128 tokens"]
    difference = of_essay(chunk_size=128).mean("precision") - of_essay().mean("precision")
    assert f"{difference:+.2f}" in table(at, 1)["recursive 128 tokens"][1]
    assert "At a fixed k, precision and IoU mostly measure chunk size" in words(at)
    well(at.button(key="open as it was").click().run())
    assert at.number_input(key="recursive.chunk_size").value == 512
    assert [*table(at, 0)] == ["", "as it was"]
    well(at.button(key="remove as it was").click().run())
    assert [*table(at, 0)] == ["", "recursive 512 tokens"]


def test_pins_of_a_link_are_measured_and_one_that_cannot_be_made_is_named(app: Start) -> None:
    rows = [
        {"name": "small", "strategy": "recursive", "chunk_size": 64, "chunk_overlap": 0},
        {"name": "paid", "strategy": "semantic", "@embedder": "openai:some-model"},
        {"name": "other tokens", "strategy": "recursive", "chunk_size": 64, "@embedder": "lexical"},
    ]
    at = view(app(pins=json.dumps(rows)), "Settings")
    assert [*table(at, 0)] == ["", "small", "other tokens", "recursive 512 tokens"]
    assert table(at, 0)["small"][0].startswith(f"{of_essay(chunk_size=64, chunk_overlap=0).mean('recall'):.2f} ±")
    assert [each.value.replace("\\", "") for each in at.error] == [
        (
            "paid: The embedder 'openai:some-model' is not set up in this session; choose it and its model in the "
            "sidebar first."
        )
    ]


@given(st.lists(st.text(" \n\t\r\\nab。", min_size=1, max_size=4), unique=True, max_size=4))
def test_separators_are_typed_as_they_are_read(separators: list[str]) -> None:
    assert parse_separators(typed_separators(separators, is_regex=False)) == tuple(separators)


def test_settings_of_one_size_are_not_warned_about() -> None:
    assert warning_of_sizes([of_essay(), of_essay()]) is None


def test_settings_that_count_in_different_tokens_are_warned_about() -> None:
    one = of_essay()
    assert warning_of_tokenizers([one, one]) is None
    said = warning_of_tokenizers([one, replace(one, tokenizer="o200k_base")])
    assert said is not None
    assert "different tokens (cl100k_base, o200k_base)" in said


def test_k_ranking_and_unit_are_asked_of_all(app: Start) -> None:
    at = app(k="2", ranking="dense")
    well(at.button_group(key="budget unit").set_value("characters").run())
    expected = evaluate(
        cv.Recursive().chunk(load_sample("essay")), bundled("essay"), k=2, ranking="dense", unit="characters"
    )
    assert metrics(at)["Recall at 2"].startswith(f"{expected.mean('recall'):.2f}")
    assert metrics(at)["Recall in 2,000 ch"].startswith(f"{expected.mean('recall_at_2000'):.2f}")
    assert f"k = 2 · dense ranking by {expected.embedder}" in words(at)
    assert not at.warning


def test_the_ranking_may_ask_another_embedder_the_same_for_every_setting(app: Start) -> None:
    at = app(ranking="dense")
    assert at.selectbox(key="embedder").value == "lexical"
    assert "dense ranking by lexical" in words(at)
    well(at.selectbox(key="strategy").set_value("semantic").run())
    assert len([each for each in at.selectbox if each.key == "embedder"]) == 1
    assert "Ranked with the embedder of the sidebar, **lexical**" in words(at)


def test_a_paid_ranking_asks_one_yes_for_all_settings_before_anything_is_sent(
    app: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", str(tmp_path))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    session.settings.clear()
    with running() as server:
        server.dimensions = 1536
        pinned = [{"name": "small", "strategy": "recursive", "chunk_size": 64, "chunk_overlap": 0}]
        at = app(ranking="dense", embedder="openai", pins=json.dumps(pinned))
        at.text_input(key="base url").set_value(server.url)
        at.text_input(key="api key").set_value(KEY)
        well(at.run())
        assert server.received == []
        assert not any(each.label.startswith("Recall") for each in at.metric)
        assert "not searched yet" in words(at)
        well(at.button(key="agree measure").click().run())
        sent = [text for each in server.inputs for text in each]
        essay = load_sample("essay")
        chunks = [*cv.Recursive().chunk(essay), *cv.Recursive(chunk_size=64, chunk_overlap=0).chunk(essay)]
        wanted = {*(each.text for each in chunks), *(each.question for each in bundled("essay"))}
        assert sorted(sent) == sorted(wanted)
        assert metrics(at)["Recall at 5"]
        assert "dense ranking by text-embedding-3-small at 127.0.0.1" in words(at)
        well(view(at, "Settings"))
        assert [*table(at, 0)] == ["", "small", "recursive 512 tokens"]
        assert sum(len(each) for each in server.inputs) == len(wanted)
    session.settings.clear()


def test_a_question_is_shown_with_what_answers_it(app: Start) -> None:
    at = app()
    assert "in chunk 1, retrieved" in words(at)
    well(at.selectbox(key="question shown").set_value(2).run())
    assert "Machines of the same family" in words(at)


def test_a_question_is_reworded_and_removed(app: Start) -> None:
    at = app()
    first = bundled("essay")[0].question
    field = next(each for each in at.text_input if each.label == "Reword the question")
    well(field.set_value("How much water?").run())
    assert at.selectbox(key="question shown").options[0] == "1. How much water?"
    well(at.button(key="remove question").click().run())
    assert len(at.selectbox(key="question shown").options) == 5
    assert "5 questions" in words(at)
    well(at.button(key="bundled").click().run())
    assert at.selectbox(key="question shown").options[0] == f"1. {first}"


def test_removing_all_asks_for_new_ones(app: Start) -> None:
    at = app()
    well(at.button(key="remove all").click().run())
    assert "There are no questions about this document yet" in words(at)
    assert not at.metric
    assert "There are no questions yet" in words(view(at, "Sweep"))


def test_the_last_question_can_be_removed_while_it_is_shown(app: Start) -> None:
    at = app()
    well(at.selectbox(key="question shown").set_value(5).run())
    well(at.button(key="remove question").click().run())
    assert at.selectbox(key="question shown").value == 4


def upload(at: AppTest, name: str, data: bytes) -> AppTest:
    at.file_uploader(key="questions upload").upload(name, data, "text/csv")
    return well(at.run())


def test_an_upload_says_what_it_could_not_locate(app: Start) -> None:
    at = app()
    found = "Beneath the pier there is a better instrument"
    rows = [
        {"question": "Where is it?", "references": [found]},
        {"question": "Where is the <b>whale</b>?", "references": ["Nothing of this kind stands in the essay."]},
    ]
    upload(at, "mine.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert "1 question added" in words(at)
    assert "1 reference could not be used" in words(at)
    listed = table(at, -1)
    assert listed["Line"] == [2]
    assert listed["Reason"][0].endswith("is not in essay.txt, neither word for word nor nearly.")
    assert at.selectbox(key="question shown").options == ["1. Where is it?"]
    assert metrics(at)["Whole / split / lost"] == "1 / 0 / 0"


def test_a_file_about_another_document_leaves_the_questions_as_they_are(app: Start) -> None:
    at = upload(app(), "mine.csv", b"question,references\nWhere?,A stretch of some other document.\n")
    assert "0 questions added from mine\\.csv. 1 reference could not be used." in words(at)
    assert len(at.selectbox(key="question shown").options) == 6


def test_a_file_of_another_kind_leaves_the_questions_as_they_are(app: Start) -> None:
    at = upload(app(), "mine.csv", b"name,colour\nwhale,grey\n")
    assert [each.value.replace("\\", "") for each in at.error] == [
        (
            "mine.csv, line 1: the header must have the columns question and references, and has name, colour; rename "
            "or add the columns question and references."
        )
    ]
    assert len(at.selectbox(key="question shown").options) == 6


def test_a_text_of_ones_own_begins_without_questions(app: Start) -> None:
    at = app("The whale is grey. The ship is blue.")
    assert "There are no questions about this document yet" in words(at)
    upload(at, "mine.csv", b"question,references\nWhich colour has the whale?,The whale is grey.\n")
    assert metrics(at)["Recall at 5"] == "1.00 ± 0.00"
    assert "1 question ·" in words(at)


def test_japanese_questions_find_their_answers(app: Start) -> None:
    at = app(sample="matsuri")
    expected = evaluate(cv.Recursive().chunk(load_sample("matsuri")), bundled("matsuri"))
    assert metrics(at)["Recall at 5"].startswith(f"{expected.mean('recall'):.2f}")
    assert at.selectbox(key="question shown").options[0] == f"1. {bundled('matsuri')[0].question}"


def test_no_document_and_no_text(app: Start) -> None:
    at = app()
    well(at.button_group(key="source").set_value("Upload").run())
    assert "Open a document in the sidebar" in words(at)
    assert not at.metric


def numbers(at: AppTest) -> dict[str, float]:
    """Mean recall by strategy, of all that is kept."""
    memory = at.session_state["measured"]
    return {
        repr(candidate.strategy): found.mean("recall")
        for kept in memory.values()
        for candidate, found in kept.items()
        if isinstance(found, Evaluation)
    }


def test_a_sweep_stopped_and_taken_up_gives_the_same_numbers(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = view(app(), "Sweep")
    well(whole.button(key="start sweep").click().run())
    assert "6 of 6 settings are measured" in words(whole)
    at = view(app(), "Sweep")
    real = measuring.sweep
    asked: list[str] = []

    def stop_at_the_third(documents: Any, strategies: Any, *given: Any, **how: Any) -> Any:
        asked.append(repr(strategies[0]))
        if len(asked) == 3:
            message = "stopped"
            raise Cancelled(message)
        return real(documents, strategies, *given, **how)

    monkeypatch.setattr(measuring, "sweep", stop_at_the_third)
    well(at.button(key="start sweep").click().run())
    assert "Measuring was stopped after 2 of 6 settings" in words(at)
    assert "2 of 6 settings are measured" in words(at)
    assert len(at.get("plotly_chart")) == 2
    well(at.button(key="go on measure sweep").click().run())
    assert "6 of 6 settings are measured" in words(at)
    assert numbers(at) == numbers(whole)
    assert len(asked) == 7
    assert asked[2] == asked[3]


def test_one_question_gives_no_interval_and_a_repeated_excerpt_is_told(app: Start) -> None:
    at = app()
    document = load_sample("essay")
    word = "pier"
    assert document.text.count(word) > 1
    rows = [{"question": "Which?", "references": [word]}]
    upload(at, "mine.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert "1 stands at several places, of which the first is taken." in words(at)
    assert "One question gives no interval" in words(at)
    assert "recall's interval" not in words(at)
    upload(at, "again.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert "added from again\\.jsonl. 1 was there already." in words(at)


def test_two_parameters_leave_out_what_cannot_be(app: Start) -> None:
    at = view(app(), "Sweep")
    well(at.button_group(key="sweep of recursive").set_value(["chunk_size", "chunk_overlap"]).run())
    assert "6 combinations are left out" in words(at)
    well(at.button(key="start sweep").click().run())
    assert at.button(key="start sweep").label == "Measured"
    assert len(at.get("plotly_chart")) == 2


def test_a_question_is_added_from_the_text_that_is_marked(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    from chunkviz.ui import measure_page  # noqa: PLC0415
    from chunkviz.ui.viewer import ViewerState  # noqa: PLC0415

    span = Span(725, 929)
    monkeypatch.setattr(measure_page, "draw_viewer", lambda *_, **__: ViewerState(None, None, span))
    at = app()
    well(at.button(key="use selected").click().run())
    well(at.text_input(key="question wording").set_value("  How much   water? ").run())
    well(at.button(key="add question").click().run())
    assert at.selectbox(key="question shown").options[-1] == "7. How much water?"
    assert at.selectbox(key="question shown").value == 6
    # The text is still selected in the browser, and yet not offered for the next question.
    assert at.button(key="use selected").disabled
    assert "Selected:" not in words(at)
    essay = load_sample("essay")
    assert at.session_state["questions"][essay.id][-1] == Question("How much water?", (Reference(essay.id, span),))
    assert "7 questions" in words(at)


def test_proposed_questions_count_only_once_they_are_accepted(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with running() as server:
        rows = [
            {"question": "What is under the pier?", "excerpts": ["Beneath the pier there is a better instrument"]},
            {"question": "Who <b>lies</b>?", "excerpts": ["This is not in the essay."]},
            {"question": "Where else?", "excerpts": ["better instrument"]},
        ]
        server.chat = lambda _: json.dumps(rows)
        at = app()
        at.text_input(key="base url").set_value(server.url)
        at.text_input(key="api key").set_value(KEY)
        at.number_input(key="proposal count").set_value(3)
        well(at.run())
        assert server.received == []
        well(at.button(key="propose").click().run())
        assert server.received == []
        assert metrics(at)["Calls (estimate)"] == "1"
        well(at.button(key="agree proposals").click().run())
        assert len(server.received) == 1
        assert "2 proposed questions wait for your word" in words(at)
        assert "is not word for word in what the model read" in table(at, -1)["Reason"][0]
        assert "6 questions ·" in words(at)
        field = next(each for each in at.text_input if each.value == "What is under the pier?")
        field.set_value("What lies below the pier?")
        well(at.run())
        well(at.button(key=f"accept {field.key}").click().run())
        assert "7 questions ·" in words(at)
        assert "1 of the questions proposed by a model" in words(at)
        assert at.selectbox(key="question shown").options[-1] == "7. What lies below the pier?"
        assert table(at, 0)["Proposed by"][-1].startswith("gpt-4o-mini at 127.0.0.1")
        discard = next(each.key for each in at.button if str(each.key).startswith("discard "))
        well(at.button(key=discard).click().run())
        assert "wait for your word" not in words(at)
        assert len(server.received) == 1
        assert KEY not in words(at)


def test_own_chunks_are_measured_beside_the_others(app: Start) -> None:
    essay = load_sample("essay")
    half = len(essay.text) // 2
    records = (Record(1, 1, essay.text[:half]), Record(2, 2, essay.text[half:]), Record(3, 3, "Of another text."))
    found = align(essay, records, file="mine.jsonl")
    at = app()
    at.session_state["own chunks of documents"] = {
        essay.id: (essay, (OwnSetting("mine", found.chunking, "mine.jsonl", found.methods, found.unplaced),))
    }
    view(well(at.run()), "Settings")
    assert [*table(at, 0)] == ["", "mine", "recursive 512 tokens"]
    expected = evaluate(found.chunking, bundled("essay"))
    assert table(at, 0)["mine"][1].startswith(f"{expected.mean('precision'):.2f} ±")
    assert "your own chunks" in words(at)
    assert "mine: only 2 of its 3 chunks were found in the document" in words(at).replace("\\", "")
    assert "open mine" not in [each.key for each in at.button]


def test_settings_of_one_name_stand_apart(app: Start) -> None:
    essay = load_sample("essay")
    found = align(essay, (Record(1, 1, essay.text),), file="mine.jsonl")
    at = app(pins=json.dumps([{"name": "mine", "strategy": "recursive", "chunk_size": 64, "chunk_overlap": 0}]))
    at.session_state["own chunks of documents"] = {
        essay.id: (essay, (OwnSetting("mine", found.chunking, "mine.jsonl", found.methods, found.unplaced),))
    }
    view(well(at.run()), "Settings")
    assert [*table(at, 0)] == ["", "mine", "mine (2)", "recursive 512 tokens"]


def test_chunks_that_are_there_are_not_made_again(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        message = "chunked again"
        raise AssertionError(message)

    monkeypatch.setattr(measuring, "sweep", refuse)
    at = app()
    expected = of_essay()
    assert metrics(at)["Recall at 5"] == f"{expected.mean('recall'):.2f} ± {expected.deviation('recall'):.2f}"
    (kept,) = at.session_state["measured"].values()
    assert [each.made for each in kept] == [None]


def test_a_pin_that_goes_or_changes_while_a_sweep_runs_raises_nothing(
    app: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = [{"name": "small", "strategy": "recursive", "chunk_size": 64, "chunk_overlap": 0}]
    at = view(app(pins=json.dumps(pinned)), "Sweep")
    real, going, done = measuring.sweep, Event(), Event()

    def wait_at_the_second(documents: Any, strategies: Any, *given: Any, **how: Any) -> Any:
        if len(numbers(at)) > 2:
            going.set()
            done.wait(60)
        return real(documents, strategies, *given, **how)

    monkeypatch.setattr(measuring, "sweep", wait_at_the_second)
    at.button(key="start sweep").click().run()
    assert going.wait(60)
    at.text_input(key="pin name small").set_value("tiny").run()
    assert not at.exception
    at.button(key="remove tiny").click().run()
    assert not at.exception
    done.set()
    well(at.run())
    assert "6 of 6 settings are measured" in words(at)
    assert [*table(view(at, "Settings"), 0)] == ["", "recursive 512 tokens"]


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0.00"), (1.0, "1.00"), (0.523, "0.52"), (0.0031, "0.003"), (0.05, "0.05"), (0.000004, "0.00000")],
)
def test_a_small_figure_is_not_shown_as_nothing(value: float, written: str) -> None:
    assert figure_of(value) == written


def test_a_gold_span_is_quoted_to_its_end_and_no_further() -> None:
    document = cv.Document("One answer. And much that is none.")
    assert excerpt_of(document, Span(0, 11)) == "“One answer\\.” (11 characters, 0–11)"
