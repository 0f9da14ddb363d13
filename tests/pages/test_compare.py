"""The Compare page: settings side by side, one that fails, own chunks."""

from __future__ import annotations

import csv
import io
import json
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
import tiktoken
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz import vocabulary
from chunkviz.agreement import agreement, window_errors
from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled
from chunkviz.export import to_csv, to_jsonl
from chunkviz.lint import Lint, Rules, lint
from chunkviz.metrics import numbers
from chunkviz.models import EMBEDDING_MODELS
from chunkviz.prices import PRICES
from chunkviz.samples import load_sample
from chunkviz.tokens import get_tokenizer
from chunkviz.ui import own_chunks
from chunkviz.ui.compare import measured, table
from chunkviz.ui.compare.measured import Pair
from chunkviz.ui.compare.settings import Compared
from chunkviz.ui.outcomes import Failed

APP = str(Path(__file__).resolve().parents[2] / "app.py")
FIXED = {"name": "fixed", "strategy": "fixed_size", "chunk_size": 128, "chunk_overlap": 16}
RECURSIVE = {"name": "cuts", "strategy": "recursive", "chunk_size": 128}
BROKEN = {"name": "no model", "strategy": "semantic", "@embedder": "openai:text-embedding-3-small"}
Start = Callable[..., AppTest]


@pytest.fixture
def app() -> Start:
    def start(*pinned: dict[str, Any], text: str | None = None, **query: str) -> AppTest:
        at = AppTest.from_file(APP, default_timeout=120)
        if pinned:
            at.query_params["pins"] = json.dumps(pinned)
        for name, value in query.items():
            at.query_params[name.replace("__", ".")] = value
        at = well(at.run())
        for name in {"reference", "tolerance", "windows"} & query.keys():
            at.query_params[name] = query[name]  # of the page's own widgets, which are not drawn on the first one
        at = well(at.switch_page("pages/compare.py").run())
        if text is not None:
            well(at.segmented_control(key="source").set_value("Paste").run())
            well(at.text_area(key="pasted").set_value(text).run())
        return at

    return start


def well(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def rows(at: AppTest) -> dict[str, dict[str, Any]]:
    return at.dataframe[0].value.set_index("Name").to_dict("index")


def metric(at: AppTest, label: str) -> str:
    return next(each.value for each in at.metric if each.label == label)


def said(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.caption, *at.info, *at.error, *at.markdown])


def fixed(document: cv.Document) -> Chunking:
    return cv.FixedSize(chunk_size=128, chunk_overlap=16).chunk(document)


def cuts(document: cv.Document) -> Chunking:
    return cv.Recursive(chunk_size=128).chunk(document)


# Settings -------------------------------------------------------------------------------------------


def test_with_one_setting_the_page_says_how_to_pin_and_offers_pairs(app: Start) -> None:
    at = app()
    assert "Press **Pin this setting** in the sidebar" in at.info[0].value
    assert not at.dataframe
    well(at.button(key="pair 0").click().run())
    value = at.query_params["pins"]
    held = json.loads(value[0] if isinstance(value, list) else value)
    assert [each["strategy"] for each in held] == ["fixed_size", "recursive"]
    assert list(rows(at)) == ["fixed_size 512/50 tokens", "recursive 512 tokens"]


@pytest.mark.parametrize("place", [1, 2])
def test_every_pair_stands_side_by_side_in_one_click(app: Start, place: int) -> None:
    at = app()
    well(at.button(key=f"pair {place}").click().run())
    assert "State" not in at.dataframe[0].value
    assert len(rows(at)) == 2


def test_the_row_of_a_setting_is_what_the_library_measures(app: Start) -> None:
    at = app(FIXED, RECURSIVE, sample="manual")
    document = load_sample("manual")
    chunking = fixed(document)
    found, objections = numbers(chunking), lint(chunking)
    row = rows(at)["fixed"]
    assert row["Chunks"] == len(chunking)
    assert (row["Median tokens"], row["Smallest"], row["Largest"]) == (found.median, found.smallest, found.largest)
    assert row["Mean overlap"] == pytest.approx(found.overlap_tokens)
    assert row["Mid-sentence"] == round(found.mid_sentence, 2)
    assert row["Mid-table"] == objections.counts["table"]
    assert row["Lint"] == len(objections.findings)
    assert row["Tokens to embed"] == int(chunking.token_counts.sum())
    assert row["Calls"] == 0
    assert row["Seconds"] > 0
    assert list(rows(at)) == ["fixed", "cuts", "this setting"]


def test_what_the_table_counted_is_not_looked_for_again(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Rules] = []

    def look(chunking: Chunking, rules: Rules, report: Callable[[float], None]) -> Lint:
        looked.append(rules)
        return lint(chunking, rules, report)

    monkeypatch.setattr("chunkviz.ui.lint_panel.lint", look)
    at = app(FIXED, RECURSIVE, sample="manual")
    at.session_state["compare lint open"] = True
    well(at.run())
    count = len(lint(fixed(load_sample("manual"))).findings)
    assert at.button_group(key="compare lint kind").label.startswith(f"{count} findings")
    assert looked == []
    well(at.number_input(key="compare lint oversize").set_value(100).run())
    assert looked == [Rules(oversize=100)]


def test_on_a_telephone_the_table_is_turned_and_says_the_same(app: Start) -> None:
    at = app(FIXED, {**RECURSIVE, "name": "*cuts* | <b>"}, sample="manual")
    plain, wide = at.table[0].value, at.dataframe[0].value
    assert list(plain.columns) == [" ", "A fixed", r"B \*cuts\* \| \<b\>", "C this setting"]
    lines = dict(plain[[" ", "A fixed"]].replace(r"\\", "", regex=True).itertuples(index=False))
    row = wide.iloc[0]
    assert lines["Chunks"] == str(row["Chunks"])
    assert lines["Median"] == f"{row['Median tokens']:.0f}"
    assert lines["Duplication"] == f"×{row['Duplication']:.2f}"
    assert lines["Mid-sentence"] == f"{row['Mid-sentence']:.0%}"
    assert lines["Money (estimate)"] == row["Money (estimate)"]
    assert lines["Strategy"] == row["Strategy"]
    assert at.table[1].value.iloc[:, 0].tolist()[:3] == ["F1", "Precision", "Recall"]


def test_agreement_is_that_of_the_core(app: Start) -> None:
    at = app(FIXED, RECURSIVE, strategy="recursive", recursive__chunk_size="128", tolerance="40", windows="tokens")
    document = load_sample("essay")
    assert list(rows(at)) == ["fixed", "cuts"], "the setting of the sidebar is pinned already"
    one, two = fixed(document), cuts(document)
    found, windows = agreement(one, two, tolerance=40), window_errors(one, two, unit="tokens")
    assert windows is not None
    assert found.f1
    assert metric(at, "Boundary F1") == f"{found.f1:.2f}"
    assert metric(at, "Pk") == f"{windows.pk:.2f}"
    assert metric(at, "Shared") == str(len(found.shared))
    assert (metric(at, "A only"), metric(at, "B only")) == (str(len(found.only_a)), str(len(found.only_b)))
    assert "boundaries at most 40 characters apart" in said(at)


def test_the_reference_can_be_chosen_and_comes_with_the_link(app: Start) -> None:
    at = app(FIXED, RECURSIVE, reference="cuts")
    assert not at.warning
    assert "against **B cuts**" in said(at)
    assert at.dataframe[1].value["Name"].tolist() == ["fixed", "this setting"]


def test_the_reference_stays_the_reference_under_another_name(app: Start) -> None:
    at = app(FIXED, RECURSIVE, reference="cuts")
    well(at.text_input(key="pin name cuts").set_value("one").run())
    assert at.selectbox(key="reference").value == "one"
    well(at.text_input(key="pin name one").set_value("two").run())
    assert at.selectbox(key="reference").value == "two"
    assert "against **B two**" in said(at)
    assert "any more" not in said(at)


def test_a_name_taken_over_by_another_setting_is_not_followed(app: Start) -> None:
    at = app(FIXED, RECURSIVE, reference="cuts")
    well(at.text_input(key="pin name cuts").set_value("mine").run())
    well(at.text_input(key="pin name fixed").set_value("cuts").run())
    assert at.selectbox(key="reference").value == "mine"
    assert "against **B mine**" in said(at)


def test_a_reference_that_is_removed_gives_way_to_the_first_and_that_is_said(app: Start) -> None:
    at = app(FIXED, RECURSIVE, reference="cuts")
    well(at.button(key="remove cuts").click().run())
    assert at.selectbox(key="reference").value == "fixed"
    words = "**cuts**, which was the reference, is not here any more; **fixed** is the reference now."
    assert words in said(at)
    well(at.number_input(key="tolerance").set_value(10).run())
    assert words in said(at), "it stays until another is chosen"
    well(at.selectbox(key="reference").select("this setting").run())
    assert "any more" not in said(at)


def test_the_setting_shown_stays_shown_under_another_name(app: Start) -> None:
    at = app(FIXED, RECURSIVE)
    well(at.selectbox(key="compare shown").select("cuts").run())
    well(at.text_input(key="pin name cuts").set_value("mine").run())
    assert at.selectbox(key="compare shown").value == "mine"


def test_the_search_of_one_setting_can_be_stopped_before_it_is_done() -> None:
    shares: list[float] = []

    class Stopping:
        def report(self, share: float) -> None:
            shares.append(share)
            if share > 0.3:
                raise Cancelled

    kept: OrderedDict[Any, Any] = OrderedDict()
    tasks = [measured.lint_of(fixed(load_sample("manual"))), measured.lint_of(cuts(load_sample("manual")))]
    with pytest.raises(Cancelled):
        measured._work(cast("Any", Stopping()), tasks, kept)
    assert not kept
    assert 0.3 < shares[-1] < 0.5, "inside the first of two"


def test_a_setting_that_fails_is_a_row_with_its_reason_and_the_others_stay(app: Start) -> None:
    at = app(FIXED, BROKEN, RECURSIVE)
    found = rows(at)
    assert "is not set up in this session" in found["no model"]["State"]
    assert found["fixed"]["State"] == found["cuts"]["State"] == "ready"
    assert found["cuts"]["Chunks"] > 1
    assert len(at.error) == 1
    assert at.button(key="try no model")
    assert len(at.get("plotly_chart")) == 3


def test_a_reference_that_fails_leaves_the_rest_of_the_page(app: Start) -> None:
    at = app(BROKEN, FIXED, RECURSIVE)
    assert "is the reference and has no chunks" in said(at)
    assert rows(at)["fixed"]["Chunks"] > 1


def test_a_setting_that_cannot_be_is_a_row_too(app: Start) -> None:
    at = app(FIXED, RECURSIVE)
    well(at.text_area(key="recursive.separators").set_value("(").run())
    well(at.toggle(key="recursive.is_regex").set_value(True).run())
    assert "valid regular expressions" in rows(at)["this setting"]["State"]
    assert rows(at)["cuts"]["State"] == "ready"


def test_another_setting_is_shown_and_its_numbers_stand_above(app: Start) -> None:
    at = app(FIXED, RECURSIVE)
    assert "**B cuts** against **A fixed**" in said(at)
    well(at.selectbox(key="compare shown").select("this setting").run())
    assert "**C this setting** against **A fixed**" in said(at)


def test_six_at_most_and_the_one_left_out_is_said(app: Start) -> None:
    pinned = [{**RECURSIVE, "name": f"size {size}", "chunk_size": size} for size in (60, 70, 80, 90, 100, 110)]
    at = app(*pinned)
    assert list(rows(at)) == [f"size {size}" for size in (60, 70, 80, 90, 100, 110)]
    assert "Left out: **this setting**." in said(at)
    assert "Remove one to bring own chunks" in said(at)


def test_own_chunks_that_have_no_place_since_more_was_pinned_are_left_out_and_said(app: Start) -> None:
    at = app(RECURSIVE)
    upload(at, "mine.jsonl", to_jsonl(cuts(load_sample("essay"))))
    for size in ("60", "70", "80", "90", "100"):
        well(at.number_input(key="recursive.chunk_size").set_value(int(size)).run())
        well(at.button(key="pin").click().run())
    assert len(rows(at)) == 6
    assert "mine" not in rows(at)
    assert "Left out: **mine**." in said(at)
    well(at.button(key="remove own mine").click().run())
    assert "Left out" not in said(at)


@pytest.mark.parametrize(
    "text",
    ["One sentence.", "潮は夜のあいだに満ちる。" * 60, "وصل القارب إلى الميناء قبل الفجر. " * 60, "a\u0301🎉" * 400],
)
def test_any_text_is_compared(app: Start, text: str) -> None:
    at = app(FIXED, RECURSIVE, text=text)
    document = cv.load_bytes(text.encode(), "pasted.md")
    assert rows(at)["fixed"]["Chunks"] == len(fixed(document))


def test_of_one_chunk_each_nothing_is_defined_and_the_page_says_why(app: Start) -> None:
    at = app(FIXED, RECURSIVE, text="Two words.")
    assert metric(at, "Boundary F1") == "–"
    assert "– is not defined: fixed and cuts have no boundary, being one chunk each" in said(at)


def test_without_a_document_it_asks_for_one(app: Start) -> None:
    at = app(FIXED, RECURSIVE)
    well(at.segmented_control(key="source").set_value("Paste").run())
    assert "Open a document in the sidebar" in said(at)


def test_names_of_a_link_are_shown_and_not_obeyed(app: Start) -> None:
    at = app({**FIXED, "name": "<b>*x*</b> $y$"}, RECURSIVE)
    assert "<b>*x*</b> $y$" in rows(at)
    assert "\\<b\\>\\*x\\*\\</b\\> \\$y\\$" in said(at)
    spec = at.get("plotly_chart")[0].proto.spec
    assert "&lt;b&gt;*x*" in spec
    assert "<b>*x*" not in spec


# The table ------------------------------------------------------------------------------------------


TERMS = table.Terms(0, "characters", EMBEDDING_MODELS[0], PRICES)


def test_why_agreement_is_not_defined() -> None:
    document = cv.Document("One two. " * 40)
    one, many = cv.Recursive().chunk(document), cv.FixedSize(chunk_size=20, chunk_overlap=0).chunk(document)

    def why(a: Chunking, b: Chunking) -> str:
        return table.why_undefined(Pair(agreement(a, b), window_errors(a, b)), "a", "b")

    assert why(many, many) == ""
    assert why(one, many) == "a has no boundary, being one chunk"
    assert why(one, one) == "a and b have no boundary, being one chunk each"
    short = cv.Recursive().chunk(cv.Document("x"))
    assert why(short, short).endswith("; the document is too short for windows")


def test_a_csv_cell_is_no_formula() -> None:
    found = Compared("=1+1", "pinned", "recursive", Failed("It is\nbroken."), "slot")
    read = list(csv.DictReader(io.StringIO(table.to_csv([found], found, TERMS).decode("utf-8-sig"))))
    assert read[0]["Name"] == "'=1+1"
    assert read[0]["State"] == "It is broken."
    assert read[0]["Letter"] == ""
    assert read[0]["Windows in"] == "characters"


def test_the_csv_holds_the_agreement_with_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "known_numbers", numbers)
    monkeypatch.setattr(table, "known_lint", lint)
    monkeypatch.setattr(table, "known_pair", lambda a, b, **_: Pair(agreement(a, b, tolerance=40), None))
    document = load_sample("essay")
    one, two = fixed(document), cuts(document)
    found = [
        Compared("one", "pinned", "fixed_size", one, "1", letter="A"),
        Compared("two", "pinned", "recursive", two, "2", letter="B"),
    ]
    first, second = csv.DictReader(io.StringIO(table.to_csv(found, found[0], TERMS).decode("utf-8-sig")))
    assert (first["Letter"], first["Name"], first["Chunks"]) == ("A", "one", str(len(one)))
    assert (second["Reference"], second["Strategy"]) == ("one", "recursive 128 tokens")
    assert (first["F1"], second["F1"]) == ("", f"{agreement(one, two, tolerance=40).f1:.6g}")
    assert (second["Lint (findings)"], second["Pk"], second["Counted in"]) == (
        str(len(lint(two).findings)),
        "",
        "cl100k_base",
    )


def test_cells_of_agreement_are_those_of_the_core() -> None:
    document = cv.Document("One two. " * 40)
    one, two = (cv.FixedSize(chunk_size=size, chunk_overlap=0).chunk(document) for size in (30, 60))
    assert table.agreement_cells(Pair(agreement(one, two), None)) == {
        "F1": 0.5, "Precision": 1.0, "Recall": 1 / 3, "Pk": None, "WindowDiff": None, "Shared": 1,
        "Only reference": 2, "Only this": 0,
    }  # fmt: skip


# Own chunks -----------------------------------------------------------------------------------------


def upload(at: AppTest, name: str, data: bytes) -> AppTest:
    serial = at.session_state.get("own serial", 0)
    return well(at.file_uploader(key=f"own file {serial}").set_value((name, data, "text/plain")).run())


def test_own_chunks_stand_beside_the_others_and_not_in_the_link(app: Start) -> None:
    at = app(RECURSIVE, strategy="recursive", recursive__chunk_size="128")
    chunking = cuts(load_sample("essay"))
    upload(at, "mine.jsonl", to_jsonl(chunking))
    assert list(rows(at)) == ["cuts", "mine"]
    assert rows(at)["mine"]["Chunks"] == len(chunking)
    assert metric(at, "Boundary F1") == "1.00"
    assert f"{len(chunking)} of {len(chunking)} chunks placed: {len(chunking)} by their own offsets" in said(at)
    assert "mine" not in json.dumps(dict(at.query_params))


def test_what_cannot_be_placed_is_listed_with_why(app: Start) -> None:
    at = app(RECURSIVE, text="# Whales\n\nThe whale is grey and very large.\n\nIt sings for hours at night.\n")
    lines = ["The whale is grey and very large.", "A camel walks by.", "It  sings for hours\nat night."]
    upload(at, "mine.csv", b"content\n" + "\n".join(f'"{line}"' for line in lines).encode())
    assert "2 of 3 chunks placed: 1 exactly, 1 but for white space" in said(at)
    lost = next(each.value for each in at.dataframe if "Why" in each.value)
    assert lost.to_dict("records")[0]["Chunk"] == 2
    assert lost.to_dict("records")[0]["First words"] == "A camel walks by."
    assert "neither this text nor one nearly the same" in lost.to_dict("records")[0]["Why"]


def test_a_file_whose_column_is_not_known_asks_for_it(app: Start) -> None:
    at = app(RECURSIVE, text="The whale is grey.\n\nIt sings for hours.\n")
    upload(at, "mine.csv", b"id,passage\n1,The whale is grey.\n2,It sings for hours.\n")
    chosen = next(each for each in at.selectbox if each.label == "Column with the text of a chunk")
    assert chosen.options == ["id", "passage"]
    well(chosen.select("passage").run())
    well(at.button(key="place").click().run())
    assert rows(at)["mine"]["Chunks"] == 2


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("bad.jsonl", b'{"text": "a"', "bad\\.jsonl, line 1"),
        ("bad.csv", b"\xff\xfe", "it must be UTF\\-8"),
        ("other.csv", b"text\nNothing of this stands in the essay\n", "none of the 1 chunks of other"),
    ],
)
def test_a_bad_file_is_one_sentence_and_loses_nothing(app: Start, name: str, data: bytes, words: str) -> None:
    at = app(RECURSIVE, FIXED)
    upload(at, name, data)
    assert len(at.error) == 1
    assert words in at.error[0].value
    assert list(rows(at)) == ["cuts", "fixed", "this setting"]


def test_own_chunks_are_renamed_and_removed(app: Start) -> None:
    at = app(RECURSIVE)
    upload(at, "mine.csv", to_csv(fixed(load_sample("essay"))))
    well(at.text_input(key="own name mine").set_value("cuts").run())
    assert list(rows(at)) == ["cuts", "cuts (2)", "this setting"]
    well(at.button(key="remove own cuts (2)").click().run())
    assert list(rows(at)) == ["cuts", "this setting"]


def test_own_chunks_of_another_document_are_kept_and_named(app: Start) -> None:
    at = app(RECURSIVE)
    upload(at, "mine.csv", to_csv(fixed(load_sample("essay"))))
    well(at.button_group(key="sample").set_value("manual").run())
    assert "mine" not in rows(at)
    assert "1 file of own chunks belong" in said(at).replace("belongs", "belong")
    well(at.button_group(key="sample").set_value("essay").run())
    assert "mine" in rows(at)


def test_own_chunks_are_counted_in_the_tokens_of_the_sidebar(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    at = app(RECURSIVE)
    chunking = fixed(load_sample("essay"))
    upload(at, "mine.csv", to_csv(chunking))
    assert rows(at)["mine"]["Largest"] == 128
    own = tiktoken.get_encoding

    def get_encoding(name: str) -> tiktoken.Encoding:
        ranks = {bytes([value]): value for value in range(256)}
        plain = tiktoken.Encoding(name, pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={})
        return own(name) if name.startswith("cl100k") else plain

    monkeypatch.setattr(vocabulary.tiktoken, "get_encoding", get_encoding)
    get_tokenizer.cache_clear()
    well(at.selectbox(key="encoding").select("o200k_base").run())
    assert rows(at)["mine"]["Largest"] == max(len(chunk.text.encode()) for chunk in chunking)
    assert "counted in different tokens: cl100k_base, o200k_base" in said(at)
    get_tokenizer.cache_clear()


def test_reading_own_chunks_can_be_stopped() -> None:
    document = load_sample("essay")

    def stop(share: float) -> None:
        if share > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        own_chunks.read(
            to_jsonl(fixed(document)), "mine.jsonl", document, get_tokenizer("cl100k_base"), column=None,
            most=1_000_000, report=stop,
        )  # fmt: skip


def test_a_file_above_the_limit_is_refused(app: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKVIZ_MAX_UPLOAD_MEGABYTES", "1")
    from chunkviz.ui import session  # noqa: PLC0415  for this test alone

    session.settings.clear()
    try:
        at = app(RECURSIVE)
        upload(at, "large.csv", b"text\n" + b"x" * 1_000_001)
        assert "chunks are taken from files of at most 1,000,000" in at.error[0].value
    finally:
        monkeypatch.undo()
        session.settings.clear()
