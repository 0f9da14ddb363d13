"""The Hierarchy page, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.samples import load_sample
from chunkviz.small_to_big import collect
from chunkviz.tree import family, tree_of
from chunkviz.ui.figures_tree import MOST_BOXES, boxes_of, chunk_clicked, label_of, tree_figure

APP = str(Path(__file__).resolve().parents[2] / "app.py")
ARABIC = "# الفصل الأول\n\nهذه جملة أولى. وهذه جملة ثانية.\n\n# الفصل الثاني\n\nوهذه جملة ثالثة."


def hierarchy(text: str | None = None, **query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params.update({name.replace("__", "."): value for name, value in query.items()})
    if text is not None:
        at.session_state["source"] = "Paste"
        at.session_state["pasted"] = text
    at.run()
    at.switch_page("pages/hierarchy.py")
    at.query_params.update({name.replace("__", "."): value for name, value in query.items()})
    return settled(at.run())


def settled(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in at.metric}


def captions(at: AppTest) -> str:
    return "\n".join(caption.value for caption in at.caption)


def search(at: AppTest, words: str) -> AppTest:
    settled(at.text_input(key="child search").set_value(words).run())
    return settled(at.button(key="add found").click().run())


@pytest.mark.parametrize("sample", ["essay", "matsuri"])
@pytest.mark.parametrize("name", cv.list_strategies())
def test_each_strategy_has_its_numbers(name: str, sample: str) -> None:
    at = hierarchy(strategy=name, sample=sample)
    chunking = cv.get_strategy(name).chunk(load_sample(sample))
    measured, shown = family(chunking), metrics(at)
    if chunking.parents:
        assert shown["Parents"] == f"{measured.parents:,}"
        assert shown["Children"] == f"{len(chunking):,}"
        assert shown["Returned per found"] == f"×{measured.ratio:.1f}"
        assert "0 orphans · 0 crossing" in captions(at)
    else:
        assert shown["Parents"] == "none"
        assert shown["Sections"] == f"{tree_of(chunking).inner:,}"
        assert {"use hierarchical", "use sentence_window"} <= {button.key for button in at.button}
    assert len(at.get("plotly_chart")) == 1


@pytest.mark.parametrize("view", ["Icicle", "Treemap", "Sunburst", "Indented"])
def test_each_view_is_drawn(view: str) -> None:
    at = hierarchy(strategy="hierarchical", sample="contract", tree=view)
    chunking = cv.Hierarchical().chunk(load_sample("contract"))
    assert len(at.get("plotly_chart")) == (0 if view == "Indented" else 1)
    if view == "Indented":
        table = at.dataframe[0].value
        assert len(table) == len(tree_of(chunking))
        assert table["Tree"].tolist()[:3] == ["contract.txt", "\u2003P1", "\u2003\u20031"]
        assert table["Chunks"].tolist()[0] == len(chunking)


@pytest.mark.parametrize("name", ["hierarchical", "sentence_window", "semantic_parent_child", "markdown", "recursive"])
@pytest.mark.parametrize("text", ["One sentence.", ARABIC])
def test_short_and_arabic_texts_are_drawn(name: str, text: str) -> None:
    at = hierarchy(text, strategy=name)
    assert "characters covered · 0 left out" in captions(at)
    settled(at.text_input(key="child search").set_value("جملة" if text is ARABIC else "SENTENCE").run())
    settled(at.button(key="add found").click().run())
    assert metrics(at)["Chunks found"] != "0"


def test_without_a_document_it_says_so() -> None:
    at = hierarchy("  \n ")
    assert "Open a document" in at.info[0].value


def test_a_button_switches_to_a_strategy_with_parents() -> None:
    at = hierarchy(strategy="markdown", sample="manual")
    settled(at.button(key="use sentence_window").click().run())
    assert at.session_state["strategy"] == "sentence_window"
    assert metrics(at)["Parents"] != "none"


def test_the_simulator_shows_what_the_library_collects() -> None:
    at = search(hierarchy(strategy="hierarchical", sample="contract"), "cRATE")
    chunking = cv.Hierarchical().chunk(load_sample("contract"))
    hits = [chunk.index for chunk in chunking if "crate" in chunk.text.lower()]
    for merge_at in (1, 2):
        if merge_at > 1:
            settled(at.slider(key="merge at").set_value(merge_at).run())
        collected, shown = collect(chunking, hits, merge_at=merge_at), metrics(at)
        assert shown["Chunks found"] == f"{len(hits)}"
        assert shown["Passages returned"] == f"{len(collected.passages)}"
        assert shown["Tokens returned"] == f"{collected.token_count:,}"
        assert shown["Their tokens"] == f"{collected.found_token_count:,}"
        assert at.code[0].value == collected.text


def test_a_chunk_found_can_be_taken_away_and_all_cleared() -> None:
    at = search(hierarchy(strategy="hierarchical", sample="contract"), "crate")
    found = at.multiselect(key="children found").value
    settled(at.multiselect(key="children found").set_value(found[1:]).run())
    assert metrics(at)["Chunks found"] == f"{len(found) - 1}"
    settled(at.button(key="clear found").click().run())
    assert "Chunks found" not in metrics(at)


def test_what_was_found_stays_in_its_place_when_the_sizes_change() -> None:
    at = search(hierarchy(strategy="hierarchical", sample="contract"), "Chevron")
    at.session_state["hierarchical.chunk_size"] = 300
    settled(at.run())
    chunking = cv.Hierarchical(chunk_size=300).chunk(load_sample("contract"))
    before = next(chunk for chunk in cv.Hierarchical().chunk(load_sample("contract")) if "Chevron" in chunk.text)
    at_place = max(chunk.index for chunk in chunking if chunk.start <= before.start)
    assert at.multiselect(key="children found").value == [at_place]


def test_the_slider_never_stands_above_what_there_is() -> None:
    at = search(hierarchy(strategy="hierarchical", sample="contract"), "crate")
    most = at.slider(key="merge at").max
    settled(at.slider(key="merge at").set_value(most).run())
    at.session_state["hierarchical.chunk_size"] = 1400
    settled(at.run())
    assert not at.slider or at.slider(key="merge at").value <= at.slider(key="merge at").max


def test_more_levels_may_be_returned() -> None:
    at = search(hierarchy(strategy="hierarchical", sample="contract", hierarchical__max_levels="3"), "crate")
    settled(at.button_group(key="merge to").set_value(2).run())
    chunking = cv.Hierarchical(max_levels=3).chunk(load_sample("contract"))
    hits = [chunk.index for chunk in chunking if "crate" in chunk.text.lower()]
    assert at.code[0].value == collect(chunking, hits, up_to=2).text


def test_labels_of_the_picture_are_escaped() -> None:
    document = cv.Document("# <b>loud</b> & $x$\n\n<script>alert(1)</script>", name="<i>.md", format="markdown")
    chunking = cv.Markdown().chunk(document)
    tree = tree_of(chunking)
    figure = tree_figure(tree, boxes_of(tree), document.text, selected=0)
    said = [*figure.data[0].labels, *figure.data[0].customdata]
    assert "▸ &lt;b&gt;loud&lt;/b&gt; &amp; $x$" in said
    assert not any("<script" in each or "<i>" in each or "<b>loud" in each for each in said)


@pytest.mark.parametrize("view", ["Icicle", "Treemap", "Sunburst"])
def test_areas_add_up(view: str) -> None:
    chunking = cv.SentenceWindow().chunk(load_sample("manual"))
    tree = tree_of(chunking)
    trace = tree_figure(tree, boxes_of(tree), chunking.document.text, view=view).data[0]
    assert len(set(trace.ids)) == len(trace.ids)
    for name, value in zip(trace.ids, trace.values, strict=True):
        below = [each for each, above in zip(trace.values, trace.parents, strict=True) if above == name]
        assert not below or sum(below) == value
    assert trace.values[0] == chunking.token_counts.sum()


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3_000), st.integers(0, 3_000), st.sampled_from(["windows", "hierarchy", "flat"]))
def test_a_picture_of_many_chunks_keeps_its_bound_and_the_selected_chunk(count: int, at: int, shape: str) -> None:
    text = "".join(f"Sentence number {number} ends here. " for number in range(count))
    strategy = {
        "windows": cv.SentenceWindow(window=1),
        "hierarchy": cv.Hierarchical(parent_chunk_size=300, chunk_size=40, chunk_overlap=0),
        "flat": cv.FixedSize(chunk_size=8, chunk_overlap=0),
    }[shape]
    tree = tree_of(strategy.chunk(cv.Document(text, language="en")))
    selected = min(at, tree.leaves[0] - 1)
    boxes = boxes_of(tree, selected=int(selected), most=400)
    assert len(boxes) <= 400 + 3 * 150
    assert any(box.nodes == (tree.node_of(int(selected)),) for box in boxes)
    names = [box.id for box in boxes]
    assert len(set(names)) == len(names)
    assert all(box.above in names for box in boxes[1:])
    weights = {box.id: sum(int(tree.weights[node]) for node in box.nodes) for box in boxes}
    for box in boxes:
        below = [weights[each.id] for each in boxes if each.above == box.id]
        assert not below or sum(below) == weights[box.id]
        assert box.closed == (not below and (len(box.nodes) > 1 or bool(tree.children_of(box.nodes[0]))))


def test_ten_thousand_chunks_make_a_small_picture() -> None:
    text = "".join(f"Sentence number {number} ends here. " for number in range(10_000))
    tree = tree_of(cv.SentenceWindow(window=2).chunk(cv.Document(text, language="en")))
    boxes = boxes_of(tree, selected=7_777)
    assert len(tree) > 19_000
    assert len(boxes) < MOST_BOXES
    run = next(box for box in boxes if len(box.nodes) > 1)
    assert run.closed
    assert label_of(tree, run.nodes) == f"P1–{len(run.nodes)}"
    assert chunk_clicked(tree, boxes, run.id) == 0
    assert chunk_clicked(tree, boxes, "of another tree") is None
