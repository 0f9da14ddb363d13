"""The Retrieve page, run without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.alignment import align
from chunkviz.records import Record
from chunkviz.retrieval import Index, Ranking, collect, format_hits
from chunkviz.samples import load_sample
from chunkviz.span import Span
from chunkviz.ui import session
from chunkviz.ui.own_chunks import OwnSetting
from chunkviz.ui.retrieve.cards import marked_text
from tests.pages.test_pages import APP, captions, metrics, well
from tests.services.server import KEY, Reply, Server, running

TIDE = "How does a stilling well measure the level of the tide?"


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
        service.dimensions = 1536
        yield service


@pytest.fixture
def page() -> Callable[..., AppTest]:
    def start(**query: str) -> AppTest:
        at = AppTest.from_file(APP, default_timeout=120)
        at.switch_page("pages/retrieve.py")
        for name, value in query.items():
            at.query_params[name.replace("__", ".")] = value
        return well(at.run())

    return start


def heads(at: AppTest) -> list[tuple[int, int]]:
    """Rank and number of the chunk of every card."""
    found = (re.match(r"\*\*(\d+)\*\* · \*\*Chunk ([\d,]+)\*\* · ", each.value) for each in at.markdown)
    return [(int(each[1]), int(each[2].replace(",", ""))) for each in found if each]


def said(at: AppTest) -> str:
    parts = [
        each.value for kind in ("markdown", "caption", "error", "warning", "info", "code") for each in at.get(kind)
    ]
    return "\n".join([*map(str, parts), json.dumps(dict(at.query_params), default=str)])


@pytest.mark.parametrize("ranking", ["lexical", "dense", "hybrid"])
def test_what_is_shown_is_what_the_library_finds(page: Callable[..., AppTest], ranking: Ranking) -> None:
    at = page(sample="essay", question=TIDE, ranking=ranking, k="4")
    chunking = cv.Recursive().chunk(load_sample("essay"))
    hits = Index(chunking, ranking).search(TIDE, 4)
    assert heads(at) == [(hit.rank, hit.chunk.index + 1) for hit in hits]
    received = format_hits(hits)
    assert at.code[0].value == received.text
    assert metrics(at)["Model receives"] == f"{received.token_count:,} tok"
    assert not at.warning
    assert not at.error


@pytest.mark.parametrize("strategy", ["hierarchical", "semantic_parent_child", "sentence_window"])
def test_children_bring_their_parents_once(page: Callable[..., AppTest], strategy: str) -> None:
    question = "What closes the vent regardless of the temperature?"
    at = page(sample="manual", strategy=strategy, question=question, k="8")
    hits = Index(cv.get_strategy(strategy).chunk(load_sample("manual"))).search(question, 8)
    assert heads(at) == [(hit.rank, hit.chunk.index + 1) for hit in hits]
    assert at.code[0].value == format_hits(hits).text
    brought = [each.label for each in at.expander if each.label.startswith("Brings parent")]
    parents = [each for each in collect(hits) if each.hits[0].parent is not None]
    assert len(brought) == len(parents) > 0
    assert metrics(at)["Parents returned"] == str(len(collect(hits)))
    assert at.text[0].value == parents[0].returned.text


def test_contextual_chunks_are_searched_with_their_context(page: Callable[..., AppTest]) -> None:
    at = page(sample="manual", strategy="contextual_retrieval", question="What closes the vent?")
    assert "7 of them are searched with their context." in captions(at)


def test_a_blank_question_is_asked_for(page: Callable[..., AppTest]) -> None:
    at = page(sample="essay", question="   ")
    assert "Type a question" in at.info[0].value
    assert not at.metric
    assert not heads(at)


def test_an_example_is_one_click(page: Callable[..., AppTest]) -> None:
    at = page(sample="essay")
    assert TIDE in at.button_group(key="example question").options
    at.button_group(key="example question").set_value(TIDE)
    well(at.run())
    assert at.text_input(key="question").value == TIDE
    assert heads(at)[0] == (1, 2)


def test_a_japanese_question_finds_its_sentence(page: Callable[..., AppTest]) -> None:
    question = "鳥見櫓は何時に町を出ますか"
    at = page(sample="matsuri", question=question, k="3")
    hits = Index(cv.Recursive().chunk(load_sample("matsuri"))).search(question, 3)
    assert heads(at) == [(hit.rank, hit.chunk.index + 1) for hit in hits]
    assert hits


def test_words_that_nobody_wrote_find_nothing_and_that_is_said(page: Callable[..., AppTest]) -> None:
    at = page(sample="essay", question="zzyzx qwrtp")
    assert at.info[0].value == (
        "No chunk shares a word with this question. Ask with other words, or choose the dense ranking."
    )
    assert not at.code


def test_a_link_restores_the_search(page: Callable[..., AppTest]) -> None:
    at = page(sample="essay", question=TIDE, ranking="hybrid", k="7", embedder="lexical")
    assert at.text_input(key="question").value == TIDE
    assert at.button_group(key="ranking").value == "hybrid"
    assert at.slider(key="k").value == 7
    assert at.selectbox(key="embedder").value == "lexical"
    assert not at.warning


def test_going_to_a_hit_selects_its_chunk(page: Callable[..., AppTest]) -> None:
    at = page(sample="essay", question=TIDE)
    at.button(key="go search 2").click()
    well(at.run())
    assert at.session_state["selected hit"] == heads(at)[1][1] - 1


def test_a_paid_embedder_is_sent_nothing_before_somebody_agrees(page: Callable[..., AppTest], server: Server) -> None:
    at = page(sample="essay", question=TIDE, ranking="dense", embedder="openai")
    at.text_input(key="base url").set_value(server.url)
    at.text_input(key="api key").set_value(KEY)
    well(at.run())
    assert server.received == []
    assert metrics(at)["Calls (estimate)"] == "1"
    well(at.button(key="agree search").click().run())
    assert len(server.received) == 1
    assert server.inputs[0] != [TIDE]
    well(at.button(key="agree search").click().run())  # the question is a request of its own
    assert server.inputs[1:] == [[TIDE]]
    assert len(heads(at)) == 5
    well(at.slider(key="k").set_value(3).run())
    assert len(server.received) == 2
    assert KEY not in said(at)


def test_an_answer_is_paid_for_once_and_cites_what_it_was_given(page: Callable[..., AppTest], server: Server) -> None:
    server.chat = lambda _: "The pipe refuses waves [1], and <b>more</b> [2, 9]."
    at = page(sample="essay", question=TIDE, k="3")
    at.text_input(key="base url").set_value(server.url)
    at.text_input(key="api key").set_value(KEY)
    well(at.run())
    assert server.received == []
    assert metrics(at)["Calls (estimate)"] == "1"
    well(at.button(key="agree answer").click().run())
    assert len(server.received) == 1
    assert at.code[0].value in server.received[0].body["messages"][-1]["content"]
    first, second = (chunk for _, chunk in heads(at)[:2])
    assert f"Cites \\[1] chunk {first} · \\[2] chunk {second}." in captions(at)
    assert "passages that it was not given: 9" in at.warning[0].value
    well(at.run())
    assert len(server.received) == 1
    assert KEY not in said(at)


def test_an_answer_that_fails_is_one_sentence_and_the_page_stays(page: Callable[..., AppTest], server: Server) -> None:
    server.always = Reply(401, echo=True)
    at = page(sample="essay", question=TIDE)
    at.text_input(key="base url").set_value(server.url)
    at.text_input(key="api key").set_value(KEY)
    well(at.run())
    well(at.button(key="agree answer").click().run())
    assert "did not accept the API key" in at.error[0].value
    assert len(heads(at)) == 5
    assert KEY not in said(at)


def test_matches_are_marked_and_everything_else_is_escaped() -> None:
    text = "a <b>tide</b> & a well"
    assert marked_text(text, Span(2, 22), (Span(5, 9), Span(18, 22))) == (
        "&lt;b&gt;<mark>tide</mark>&lt;/b&gt; &amp; a <mark>well</mark>"
    )
    far = "word " * 200 + "tide." + " word" * 1_000
    crowded = "far " * 400 + "fox and fox"
    words = (Span(4, 7), *(Span(at, at + 3) for at in (1_600, 1_608)))
    assert "<i>1,444 characters</i> … " in marked_text(crowded, Span(0, len(crowded)), words)
    shown = marked_text(far, Span(0, len(far)), (Span(1_000, 1_004),))
    assert shown.startswith("<i>845 characters</i> … word ")
    assert "word <mark>tide</mark>. word" in shown
    assert shown.endswith(f" … <i>{len(far) - 845 - 4_000:,} more characters</i>")
    assert marked_text(text, Span(7, 13), (Span(5, 9), Span(18, 22))) == "<mark>de</mark>&lt;/b&gt;"


def test_pinned_settings_are_searched_side_by_side(page: Callable[..., AppTest]) -> None:
    pinned = json.dumps([{"name": "small", "strategy": "recursive", "chunk_size": 128}])
    at = page(sample="essay", question=TIDE, k="3", pins=pinned)
    assert len(heads(at)) == 3
    well(at.toggle(key="search pins").set_value(True).run())
    expected = []
    for size in (512, 128):
        hits = Index(cv.Recursive(chunk_size=size).chunk(load_sample("essay"))).search(TIDE, 3)
        expected += [(hit.rank, hit.chunk.index + 1) for hit in hits]
    assert heads(at) == expected
    assert "**small**" in said(at)


def test_own_chunks_are_searched_beside_the_others_and_shown_in_the_document(page: Callable[..., AppTest]) -> None:
    essay = load_sample("essay")
    third = len(essay.text) // 3
    records = [Record(n, n, essay.text[at : at + third]) for n, at in enumerate(range(0, 3 * third, third), 1)]
    found = align(essay, [*records, Record(4, 4, "Of another text.")], file="mine.jsonl")
    pinned = json.dumps([{"name": "as it is", "strategy": "recursive"}])
    at = page(sample="essay", question=TIDE, k="2", pins=pinned)
    at.session_state["own chunks of documents"] = {
        essay.id: (essay, (OwnSetting("mine", found.chunking, "mine.jsonl", found.methods, found.unplaced),))
    }
    well(at.run())
    assert at.toggle(key="search pins").label == "Search pinned settings and your own chunks, too"
    well(at.toggle(key="search pins").set_value(True).run())
    assert "mine: only 3 of its 4 chunks were found" in at.warning[0].value.replace("\\", "")
    sidebar = Index(cv.Recursive().chunk(essay)).search(TIDE, 2)
    own = Index(found.chunking).search(TIDE, 2)
    # The pin is the sidebar's setting, and searched once.
    assert heads(at) == [(hit.rank, hit.chunk.index + 1) for hit in (*sidebar, *own)]
    assert at.code[0].value == format_hits(sidebar).text
    shown = at.selectbox(key="retrieve shown")
    assert shown.options == ["as it is", "mine"]
    well(shown.set_value("mine").run())
    assert at.code[0].value == format_hits(own).text
    assert at.session_state["selected hit"] == own[0].chunk.index
    assert metrics(at)["Hits"] == "2 of 3"
    well(at.button(key="go search mine 2").click().run())
    assert at.session_state["selected hit"] == own[1].chunk.index
    # Removed while it is shown: the sidebar's setting takes its place.
    at.session_state["own chunks of documents"] = {}
    well(at.run())
    assert at.code[0].value == format_hits(sidebar).text


def test_which_words_are_underlined_is_said(page: Callable[..., AppTest]) -> None:
    at = page(sample="essay", question=TIDE, recursive__chunk_size="128")
    marked = "how, does, stilling, well, measure, level, tide"
    assert f"Underlined in the hits: **{marked}**. Not a, the, of, which most chunks hold." in captions(at)
