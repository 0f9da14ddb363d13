"""The Tokens & cost page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiktoken
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz import vocabulary
from chunkviz.cost import never_read
from chunkviz.models import EMBEDDING_MODELS
from chunkviz.prices import PRICES
from chunkviz.tokens import get_tokenizer
from chunkviz.ui import prices
from chunkviz.ui.amounts import written

APP = str(Path(__file__).resolve().parents[2] / "app.py")
MINILM = "all-MiniLM-L6-v2 (Sentence Transformers)"
WORDS = "The harbour was quiet that night. "


def page(model: str = MINILM, text: str | None = None, **query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        at.query_params[name.replace("__", ".")] = value
    at = well(well(at.run()).switch_page("pages/cost.py").run())
    well(at.selectbox(key="cost model").select(model).run())
    if text is not None:
        well(at.segmented_control(key="source").set_value("Paste").run())
        well(at.text_area(key="pasted").set_value(text).run())
    return at


def well(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def metric(at: AppTest, label: str) -> str:
    return next(each.value for each in at.metric if each.label == label)


def said(at: AppTest) -> str:
    return "\n".join(each.value for each in [*at.caption, *at.info, *at.error])


def line(at: AppTest, name: str, column: str = "This setting") -> str:
    table = at.dataframe[0].value.set_index("Line")
    return str(table.loc[name, column])


def test_what_is_never_seen_is_counted_as_the_core_counts_it() -> None:
    at = page(sample="essay")
    lost = never_read(cv.Recursive().chunk(cv.load_bytes(_essay(), "essay.md")), 256)
    characters = sum(len(span) for span in lost)
    assert f"**{characters:,} characters in {len(lost):,} places are never seen by the model**" in said(at)
    assert "An estimate: counted in cl100k_base" in said(at)
    assert metric(at, "Texts") == line(at, "Texts to embed")
    limits = [shape for each in at.get("plotly_chart") for shape in json.loads(each.proto.spec)["layout"]["shapes"]]
    assert [shape["x0"] for shape in limits] == [256]


def _essay() -> bytes:
    from chunkviz.samples import load_sample  # noqa: PLC0415  for this test alone

    return load_sample("essay").text.encode()


def test_where_every_text_fits_it_says_how_far_the_limit_is() -> None:
    at = page("text-embedding-3-large (OpenAI)", WORDS * 20)
    tokens = int(metric(at, "Tokens to embed"))
    assert f"The longest has {tokens} tokens; text-embedding-3-large reads 8,191." in said(at)
    assert metric(at, "Never seen") == "0%"
    assert "estimate" not in said(at)
    assert "8,191 tokens, lies far to the right" in said(at)


def test_a_service_that_refuses_long_texts_is_said_to() -> None:
    at = page("text-embedding-3-small (OpenAI)", WORDS * 3000, strategy="fixed_size", fixed_size__chunk_size="2000")
    at.session_state["fixed_size.chunk_size"] = 9000
    well(at.run())
    assert "refuses longer texts" in said(at)


def test_the_button_goes_from_one_lost_place_to_the_next() -> None:
    at = page(sample="essay")
    assert at.button(key="next lost").label == "Go to the first place"
    well(at.button(key="next lost").click().run())
    assert at.button(key="next lost").label.startswith("Next place (1 of")
    well(at.button(key="next lost").click().run())
    assert at.button(key="next lost").label.startswith("Next place (2 of")


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("", None),
        ("One sentence.", "1"),
        ("潮は夜のあいだに満ちる。" * 60, None),
        ("وصل القارب إلى الميناء قبل الفجر. " * 60, None),
        (WORDS * 400 + "🎉👩‍🚀" * 200, None),
    ],
)
def test_any_text_is_reckoned(text: str, texts: str | None) -> None:
    at = page(text=text)
    if not text:
        assert any("Open a document" in each.value for each in at.info)
        return
    found = cv.Recursive().chunk(cv.load_bytes(text.encode(), "pasted.md"))
    assert metric(at, "Texts") == (texts or f"{len(found):,}")
    assert line(at, "Tokens to embed") == f"{int(found.token_counts.sum()):,}"


def test_parents_have_sizes_of_their_own_and_no_limit() -> None:
    at = page(sample="manual", strategy="hierarchical")
    options = at.segmented_control(key="cost level").options
    assert options[0] == "Texts to embed"
    assert len(options) > 1
    well(at.segmented_control(key="cost level").set_value(options[1]).run())
    assert "Parents are returned and not embedded" in said(at)
    assert "shapes" not in json.loads(at.get("plotly_chart")[0].proto.spec)["layout"]


def test_sizes_along_the_document() -> None:
    at = page(sample="essay")
    well(at.segmented_control(key="cost sizes view").set_value("Along the document").run())
    spec = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert [shape["y0"] for shape in spec["layout"]["shapes"]] == [256]


def test_a_price_of_ones_own_counts_and_can_be_taken_back() -> None:
    at = page("text-embedding-3-small (OpenAI)", sample="essay")
    tokens = int(metric(at, "Tokens to embed").replace(",", ""))
    assert metric(at, "Money (estimate)") == written(tokens * 0.02 / 1e6, "dollars")
    # The table is a canvas, whose edits no test of pages can make; this is what the browser sends.
    place = prices.NAMES.index("text-embedding-3-small")
    at.session_state["edited"] = {"edited_rows": {place: {"Dollars in": 1000.0}}}
    at.session_state["own prices"] = taken(at)
    well(at.run())
    assert metric(at, "Money (estimate)") == written(tokens * 1000 / 1e6, "dollars")
    table = at.dataframe[1].value.set_index("Model") if "Model" in at.dataframe[1].value else None
    assert table is None or table.loc["text-embedding-3-small", "From"] == "yours"
    well(at.button(key="list prices").click().run())
    assert metric(at, "Money (estimate)") == written(tokens * 0.02 / 1e6, "dollars")


def taken(at: AppTest) -> object:
    return prices.taken({}, at.session_state["edited"]["edited_rows"])


def test_an_edit_equal_to_the_list_price_is_the_lists() -> None:
    place = prices.NAMES.index("gpt-4o")
    own = prices.taken({}, {place: {"Dollars out": 12.0}})
    assert (own["gpt-4o"].tokens_in, own["gpt-4o"].tokens_out) == (2.5, 12.0)
    assert prices.taken(own, {place: {"Dollars out": 10.0}}) == {}
    assert prices.taken(own, {place: {"Dollars in": None}}) == {}


def test_every_embedding_model_has_a_row_for_its_price() -> None:
    assert {model.name for model in EMBEDDING_MODELS} <= set(prices.NAMES)
    assert set(PRICES) <= set(prices.NAMES)
    assert len(set(prices.NAMES)) == len(prices.NAMES)


def test_a_price_that_nobody_knows_is_a_dash() -> None:
    at = page()
    assert metric(at, "Money (estimate)") == "–"
    assert line(at, "Money for embedding (estimate)") == "–"


PIN = {"name": "mine", "strategy": "fixed_size", "chunk_size": 64, "chunk_overlap": 32}


def test_a_difference_against_a_pin() -> None:
    at = page(sample="essay", pins=json.dumps([PIN]))
    well(at.selectbox(key="against").select("mine").run())
    ours, theirs = (int(line(at, "Texts to embed", column)) for column in ("This setting", "mine"))
    assert theirs > ours
    assert line(at, "Texts to embed", "Difference") == f"−{theirs - ours}"
    assert line(at, "Duplication", "Difference").startswith("−")


@pytest.mark.usefixtures("bytes_as_tokens")
def test_a_pin_in_another_encoding_has_no_difference_in_tokens() -> None:
    at = page(sample="essay", pins=json.dumps([{**PIN, "@tokens": "o200k_base"}]))
    well(at.selectbox(key="against").select("mine").run())
    assert line(at, "Tokens to embed", "Difference") == "–"
    assert line(at, "Texts to embed", "Difference") != "–"
    assert "mine is counted in o200k" in said(at).replace("\\", "")


def test_a_pin_that_is_removed_is_no_longer_held_against() -> None:
    at = page(sample="essay", pins=json.dumps([PIN]))
    well(at.selectbox(key="against").select("mine").run())
    well(at.button(key="remove mine").click().run())
    assert "Difference" not in at.dataframe[0].value


@pytest.fixture
def bytes_as_tokens(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every encoding but the packaged one has a token for each byte."""
    own = tiktoken.get_encoding

    def get_encoding(name: str) -> tiktoken.Encoding:
        if name.startswith("cl100k"):
            return own(name)
        ranks = {bytes([value]): value for value in range(256)}
        return tiktoken.Encoding(name, pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={})

    monkeypatch.setattr(vocabulary.tiktoken, "get_encoding", get_encoding)
    get_tokenizer.cache_clear()
    yield
    get_tokenizer.cache_clear()


def encodings_table(at: AppTest) -> dict[str, dict[str, str]]:
    table = next(each.value for each in at.dataframe if "Encoding" in each.value)
    return table.set_index("Encoding").to_dict("index")


@pytest.mark.usefixtures("bytes_as_tokens")
def test_another_encoding_is_counted_when_it_is_asked_for() -> None:
    text = WORDS * 10
    at = page(text=text)
    assert list(encodings_table(at)) == ["cl100k_base (in use)"]
    well(at.pills(key="encodings beside cl100k_base").set_value(["o200k_base"]).run())
    row = encodings_table(at)["o200k_base"]
    assert row["Tokens to embed"] == f"{len(text.strip()):,}"
    assert row["Texts off by over 10%"] == "1 of 1 (100%)"
    assert "Off by over 10% in o200k_base: chunks 1." in said(at)


def test_an_encoding_that_cannot_be_fetched_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    own = tiktoken.get_encoding

    def get_encoding(name: str) -> tiktoken.Encoding:
        if name.startswith("cl100k"):
            return own(name)
        asked.append(name)
        raise OSError

    monkeypatch.setattr(vocabulary.tiktoken, "get_encoding", get_encoding)
    get_tokenizer.cache_clear()
    at = page(text=WORDS)
    well(at.pills(key="encodings beside cl100k_base").set_value(["p50k_base"]).run())
    well(at.run())
    assert "is not on this machine and could not be fetched" in at.error[0].value
    assert asked == ["p50k_base"]
    well(at.button(key="again p50k_base").click().run())
    assert asked == ["p50k_base"] * 2
    well(at.pills(key="encodings beside cl100k_base").set_value([]).run())
    assert not at.error


def test_which_encodings_are_at_hand_is_read_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert [name for name in vocabulary.ENCODINGS if vocabulary.is_at_hand(name)] == ["cl100k_base"]
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").touch()  # tiktoken's name for o200k_base.tiktoken
    assert [name for name in vocabulary.ENCODINGS if vocabulary.is_at_hand(name)] == [
        "cl100k_base", "o200k_base", "o200k_harmony",
    ]  # fmt: skip
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert not vocabulary.is_at_hand("o200k_base")


@pytest.mark.parametrize(
    ("value", "unit", "signed", "expected"),
    [
        (None, "tokens", False, "–"),
        (1234, "count", False, "1,234"),
        (-1234, "tokens", True, "−1,234"),
        (0, "count", True, "0"),
        (1.074, "ratio", False, "×1.07"),
        (-0.5, "ratio", True, "−0.50"),
        (999, "bytes", False, "999 B"),
        (10_752, "bytes", False, "10.8 kB"),
        (3_000_000, "bytes", True, "+3.0 MB"),
        (0.000174, "dollars", False, "$0.000174"),
        (0, "dollars", False, "$0.00"),
        (1234.5, "dollars", True, "+$1,234.50"),
    ],
)
def test_values_are_written_with_their_unit(value: float | None, unit: object, signed: bool, expected: str) -> None:  # noqa: FBT001  a column of the table
    assert written(value, unit, signed=signed) == expected  # type: ignore[arg-type]
