"""Tune, Hierarchy and Tokens & cost with documents that have little text, much, or another script."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.ui.figures_tree import MOST_BOXES

APP = str(Path(__file__).resolve().parents[2] / "app.py")
DOCUMENTS = {
    "empty": "",
    "blank": " \n\t \n",
    "one sentence": "The tide turned.",
    "one paragraph": "The tide turned. The boats came in. Nobody saw them. The harbour slept until noon. " * 3,
    "japanese": "# 潮\n\n潮は夜のあいだに満ちる。船は朝までに港へ戻る。\n\n# 港\n\n誰もいない港は静かだ。\n\n" * 8,
    "arabic": "# الميناء\n\nوصل القارب قبل الفجر. ثم عاد إلى البحر.\n\n# البحر\n\nكان البحر هادئا.\n\n" * 8,
}
PAGES = {
    "tune": ("semantic", "semantic_parent_child", "cluster_semantic"),
    "hierarchy": ("hierarchical", "semantic_parent_child", "sentence_window", "markdown"),
    "cost": ("recursive", "hierarchical"),
}


def opened(page: str, text: str, **state: str) -> AppTest:
    """Return a page with a document that was uploaded: a text that is pasted cannot be blank."""
    at = AppTest.from_file(APP, default_timeout=240)
    at.session_state["source"] = "Upload"
    at.session_state["uploaded"] = cv.Document(text, name="upload.md", format="markdown")
    at.query_params.update(state)
    at.run()
    at.switch_page(f"pages/{page}.py")
    at.query_params.update(state)
    return settled(at.run())


def settled(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    assert not at.error, at.error[0].value
    return at


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in at.metric}


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=list(DOCUMENTS))
@pytest.mark.parametrize(("page", "strategy"), [(page, each) for page, some in PAGES.items() for each in some])
def test_each_page_draws_any_document(page: str, strategy: str, text: str) -> None:
    at = opened(page, text, strategy=strategy)
    made = cv.get_strategy(strategy).chunk(cv.Document(text, name="upload.md", format="markdown"))
    shown = metrics(at)
    if page == "cost":
        assert shown["Texts"] == f"{len(made):,}"
    elif page == "hierarchy" and made.parents:
        assert (shown["Parents"], shown["Children"]) == (f"{len(made.parents):,}", f"{len(made):,}")
    elif page == "tune" and text.strip():
        assert shown["Chunks"] == f"{len(made):,}"
    else:
        assert shown.get("Parents", "none") == "none"


@pytest.mark.parametrize("view", ["Icicle", "Indented"])
def test_a_tree_of_many_boxes_is_cut_and_says_so(view: str) -> None:
    text = "\n\n".join(f"Paragraph {number} says this. And it says that." for number in range(6_000))
    at = opened("hierarchy", text, strategy="sentence_window", tree=view)
    boxes = int(metrics(at)["Children"].replace(",", "")) * 2 + 1
    assert boxes > 20_000
    assert any(f"of {boxes:,} {'rows' if view == 'Indented' else 'boxes'}" in each.value for each in at.caption)
    if view == "Indented":
        assert len(at.dataframe[0].value) <= MOST_BOXES


def test_ten_megabytes_have_a_tree_of_few_boxes() -> None:
    text = "\n\n".join(f"# Part {number}\n\n{'The tide turned. The boats came in. ' * 8}" for number in range(33_000))
    assert len(text) > 9_900_000
    at = opened("hierarchy", text, strategy="hierarchical", tree="Indented")
    children = int(metrics(at)["Children"].replace(",", ""))
    assert children >= 33_000
    assert len(at.dataframe[0].value) <= MOST_BOXES
    assert any("The table has" in each.value for each in at.caption)


def test_the_first_click_after_a_link_that_names_a_default_is_no_error() -> None:
    at = opened("hierarchy", DOCUMENTS["japanese"], strategy="hierarchical", tree="Icicle")
    # The browser leaves a default out of the address; what the person does next must not put it back.
    if "tree" in at.query_params:
        del at.query_params["tree"]
    settled(at.run())
    assert at.segmented_control(key="tree").value == "Icicle"
