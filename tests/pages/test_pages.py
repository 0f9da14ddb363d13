"""The pages, run without a browser."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import NumberInput

import chunkviz as cv
from chunkviz.metrics import numbers
from chunkviz.samples import list_samples, load_sample
from chunkviz.tokens import get_tokenizer
from chunkviz.ui.controls import parse_separators, shown_separator
from chunkviz.ui.text import as_plain

APP = str(Path(__file__).resolve().parents[2] / "app.py")


@pytest.fixture
def app() -> Callable[..., AppTest]:
    def start(**query: str) -> AppTest:
        at = AppTest.from_file(APP, default_timeout=120)
        for name, value in query.items():
            at.query_params[name.replace("__", ".")] = value
        return well(at.run())

    return start


def well(at: AppTest) -> AppTest:
    """Return the app when no job is under way any more, which must not have raised.

    Each run waits for the job, so that this does not spin.
    """
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in at.metric}


def captions(at: AppTest) -> str:
    return "\n".join(caption.value for caption in at.caption)


def test_it_opens_on_a_sample_already_chunked(app: Callable[..., AppTest]) -> None:
    at = app()
    chunking = cv.Recursive().chunk(load_sample("essay"))
    assert metrics(at)["Chunks"] == f"{len(chunking)}"
    assert "0 left out" in captions(at)
    assert at.button_group(key="sample").value == "essay"


@pytest.mark.parametrize(
    ("strategy", "sample"),
    [("recursive", sample.id) for sample in list_samples()]
    + [(name, sample) for name in cv.list_strategies() for sample in ("report", "inventory")],
)
def test_what_is_shown_is_what_the_library_makes(app: Callable[..., AppTest], sample: str, strategy: str) -> None:
    at = app(sample=sample, strategy=strategy)
    chunking = cv.get_strategy(strategy).chunk(load_sample(sample))
    shown = metrics(at)
    assert shown["Chunks"] == f"{len(chunking):,}"
    assert shown["Smallest – largest"] == f"{chunking.token_counts.min():,} – {chunking.token_counts.max():,}"
    assert f"{chunking.strategy!r}" in at.code[0].value


def test_a_link_restores_every_parameter(app: Callable[..., AppTest]) -> None:
    at = app(
        sample="manual",
        strategy="fixed_size",
        fixed_size__chunk_size="96",
        fixed_size__chunk_overlap="24",
        fixed_size__unit="characters",
    )
    assert "FixedSize(chunk_size=96, chunk_overlap=24, unit='characters')" in at.code[0].value
    assert at.slider(key="fixed_size.chunk_size slider").value == 96


@pytest.mark.parametrize(
    "query",
    [
        {"sample": "nonsense"},
        {"strategy": "nonsense"},
        {"recursive__chunk_size": "-5"},
        {"recursive__chunk_size": "many"},
        {"recursive__chunk_overlap": "99999999999999"},
        {"recursive__unit": "parsecs"},
        {"recursive__separators": "(", "recursive__is_regex": "true"},
        {"encoding": "nonsense", "language": "Klingon", "model": "nonsense"},
    ],
    ids=str,
)
def test_a_wrong_link_opens_with_an_answer(app: Callable[..., AppTest], query: dict[str, str]) -> None:
    at = app(**query)
    assert at.metric or at.error


def test_overlap_follows_a_chunk_size_that_sinks_below_it(app: Callable[..., AppTest]) -> None:
    at = app(strategy="recursive", recursive__unit="characters")
    well(at.number_input(key="recursive.chunk_size").set_value(500).run())
    well(at.number_input(key="recursive.chunk_overlap").set_value(400).run())
    well(at.number_input(key="recursive.chunk_size").set_value(100).run())
    assert at.number_input(key="recursive.chunk_overlap").value == 25
    assert "Lowered from 400 to 25, a quarter of the chunk size" in captions(at)
    well(at.number_input(key="recursive.chunk_size").set_value(1).run())
    assert at.number_input(key="recursive.chunk_overlap").value == 0
    assert "Recursive(chunk_size=1, chunk_overlap=0, unit='characters'" in at.code[0].value


def test_what_a_bound_lowered_comes_back_with_the_bound(app: Callable[..., AppTest]) -> None:
    at = app(strategy="hierarchical")
    parent, child, overlap = (
        at.number_input(key=f"hierarchical.{name}") for name in ("parent_chunk_size", "chunk_size", "chunk_overlap")
    )
    well(parent.set_value(120).run())
    assert (value_of(at, child), value_of(at, overlap)) == (30, 7)
    assert "Lowered from 400 to 30, a quarter of the parent chunk size" in captions(at)
    well(at.run())
    assert "Lowered from 400 to 30, a quarter of the parent chunk size" in captions(at), "as long as it is so"
    well(at.number_input(key="hierarchical.parent_chunk_size").set_value(1500).run())
    assert (value_of(at, child), value_of(at, overlap)) == (400, 100)
    assert "Lowered" not in captions(at)
    # A number of the visitor's own comes back as well; one that was set while it was lowered stays.
    well(at.number_input(key="hierarchical.chunk_size").set_value(300).run())
    well(at.number_input(key="hierarchical.parent_chunk_size").set_value(120).run())
    assert value_of(at, child) == 30
    well(at.number_input(key="hierarchical.parent_chunk_size").set_value(1500).run())
    assert value_of(at, child) == 300
    well(at.number_input(key="hierarchical.parent_chunk_size").set_value(120).run())
    well(at.number_input(key="hierarchical.chunk_size").set_value(50).run())
    well(at.number_input(key="hierarchical.parent_chunk_size").set_value(1500).run())
    assert value_of(at, child) == 50


def value_of(at: AppTest, field: NumberInput) -> int:
    return int(at.number_input(key=field.key).value)


def test_slider_and_field_are_one_value(app: Callable[..., AppTest]) -> None:
    at = app()
    well(at.slider(key="recursive.chunk_size slider").set_value(256).run())
    assert at.number_input(key="recursive.chunk_size").value == 256
    well(at.number_input(key="recursive.chunk_size").set_value(5000).run())
    assert at.slider(key="recursive.chunk_size slider").value == 5000
    assert at.number_input(key="recursive.chunk_size").label == "Chunk size (tokens)"
    well(at.button_group(key="recursive.unit").set_value("characters").run())
    assert at.number_input(key="recursive.chunk_size").label == "Chunk size (characters)"


def test_overlap_is_shown_in_the_unit_it_is_set_in(app: Callable[..., AppTest]) -> None:
    at = app(sample="essay", recursive__chunk_overlap="64")
    measured = numbers(cv.Recursive(chunk_overlap=64).chunk(load_sample("essay")))
    assert metrics(at)["Mean overlap"] == f"{measured.overlap_tokens:.0f} tok"
    well(at.button_group(key="recursive.unit").set_value("characters").run())
    measured = numbers(cv.Recursive(chunk_overlap=64, unit="characters").chunk(load_sample("essay")))
    assert metrics(at)["Mean overlap"] == f"{measured.overlap:.0f} ch"
    well(at.number_input(key="recursive.chunk_overlap").set_value(0).run())
    assert metrics(at)["Mean overlap"] == "0 ch"


def test_typed_separators_mean_characters_and_show_how_often_they_occur(app: Callable[..., AppTest]) -> None:
    at = app(sample="essay")
    well(at.text_area(key="recursive.separators").set_value("\\n\\n\n, ").run())
    text = load_sample("essay").text
    assert f"`\\n\\n` {text.count(chr(10) * 2)}×" in captions(at)
    assert f"`,␣` {text.count(', ')}×" in captions(at)
    assert "separators=('\\n\\n', ', ')" in at.code[0].value


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("\\n\\n---\\n\\n", ("\n\n---\n\n",)),
        ("\\n\n\\t\n \n\n\\s\n\\\\n", ("\n", "\t", " ", "\\n")),
        ("a\\d\\", ("a\\d\\",)),
        ("", ()),
    ],
)
def test_separators_are_read_as_typed(typed: str, expected: tuple[str, ...]) -> None:
    assert parse_separators(typed) == expected


def test_a_separator_is_shown_as_it_would_be_typed() -> None:
    assert shown_separator("\n\t `\\") == "\\n\\t␣'\\\\"


def test_a_wrong_pattern_is_an_error_beside_the_field(app: Callable[..., AppTest]) -> None:
    at = app(recursive__separators="(", recursive__is_regex="true")
    assert any("valid regular expressions" in error.value.replace("\\", "") for error in at.error)


def test_a_pasted_text_that_was_cut_off_is_said_to_be(app: Callable[..., AppTest]) -> None:
    at = app()
    well(at.button_group(key="source").set_value("Paste").run())
    assert "Paste a text of up to 100,000 characters" in captions(at)
    assert at.text_area(key="pasted").max_chars == 100_000
    well(at.text_area(key="pasted").set_value("word " * 20_000).run())
    assert "cut off what came behind them" in at.warning[0].value


def test_pasted_text_is_chunked_and_stays_when_the_page_changes(app: Callable[..., AppTest]) -> None:
    at = app()
    well(at.button_group(key="source").set_value("Paste").run())
    assert not at.metric
    assert any("Open a document" in info.value for info in at.info)
    well(at.text_area(key="pasted").set_value("<script>alert(1)</script> one. Two <b>bold</b>.").run())
    assert metrics(at)["Chunks"] == "1"
    well(at.switch_page("pages/guide.py").run())
    assert any("Guide" in header.value for header in at.header)
    well(at.switch_page("pages/explore.py").run())
    assert metrics(at)["Chunks"] == "1"
    assert at.text_area(key="pasted").value.startswith("<script>")


def test_a_reload_without_the_document_of_ones_own_shows_no_other(app: Callable[..., AppTest]) -> None:
    at = app(source="Upload", recursive__chunk_size="128")
    assert not at.metric
    assert any("Open a document" in info.value for info in at.info)
    assert "a link carries the settings, never a document of yours" in captions(at)
    assert not at.warning


def test_settings_stay_when_the_page_changes(app: Callable[..., AppTest]) -> None:
    at = app(sample="contract")
    well(at.number_input(key="recursive.chunk_size").set_value(200).run())
    before = metrics(at)
    well(at.switch_page("pages/guide.py").run())
    well(at.switch_page("pages/explore.py").run())
    assert metrics(at) == before


def test_a_blank_text_gives_no_chunks_and_no_error(app: Callable[..., AppTest]) -> None:
    at = app()
    well(at.button_group(key="source").set_value("Paste").run())
    well(at.text_area(key="pasted").set_value("   \n\t ").run())
    assert not at.error


def test_the_language_can_be_corrected(app: Callable[..., AppTest]) -> None:
    at = app(sample="matsuri")
    assert "Japanese" in captions(at)
    well(at.selectbox(key="language").set_value("English").run())
    assert "language='en'" in at.code[0].value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sé an leabharlann is sine sa tír í, agus osclaítear gach maidin í ag a naoi a chlog.", "Irish"),
        ("The library opens at nine every morning. " * 9 + "図書館は毎朝九時に開きます。" * 9, "mixed or unknown"),
    ],
)
def test_the_language_is_named_in_words(app: Callable[..., AppTest], text: str, said: str) -> None:
    at = app()
    well(at.button_group(key="source").set_value("Paste").run())
    well(at.text_area(key="pasted").set_value(text).run())
    assert said in captions(at)


def test_source_code_is_called_that(app: Callable[..., AppTest]) -> None:
    assert "source code" in captions(app(sample="inventory"))


def test_a_vocabulary_that_is_not_here_is_an_error_that_says_what_to_do(
    app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise ConnectionError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    get_tokenizer.cache_clear()
    try:
        at = app(encoding="o200k_base")
        assert "not on this machine" in at.error[0].value
        assert not at.metric
    finally:
        get_tokenizer.cache_clear()


def test_an_upload_that_cannot_be_read_leaves_the_open_document_alone(app: Callable[..., AppTest]) -> None:
    at = app()
    well(at.button_group(key="source").set_value("Upload").run())
    well(at.file_uploader(key="upload").set_value(("good.md", b"# Good\n\nOne. Two.", "text/markdown")).run())
    assert metrics(at)["Chunks"] == "1"
    well(at.file_uploader(key="upload").set_value(("bad.pdf", b"%PDF-1.7 broken", "application/pdf")).run())
    assert "bad" in at.error[0].value.replace("\\", "")
    assert metrics(at)["Chunks"] == "1"
    assert "good" in captions(at)


def test_the_limit_of_a_model_counts_the_chunks_above_it(app: Callable[..., AppTest]) -> None:
    at = app(sample="essay", model="all-MiniLM-L6-v2 (Sentence Transformers)")
    chunking = cv.Recursive().chunk(load_sample("essay"))
    over = int((chunking.token_counts > 256).sum())
    assert f"{over} of {len(chunking)} chunks exceed the limit" in captions(at)
    well(at.button_group(key="sizes view").set_value("Along the document").run())


def test_text_from_outside_is_shown_as_it_is() -> None:
    assert as_plain("a *b* <c>\n[d](e) $x$ :red[f]") == (r"a \*b\* \<c\> \[d\]\(e\) \$x\$ \:red\[f\]")


def test_no_combination_of_widgets_raises(app: Callable[..., AppTest]) -> None:
    at = app(sample="matsuri")
    dice = random.Random(20261129)  # noqa: S311  it only has to be the same every time
    for name in dice.sample(2 * cv.list_strategies(), 2 * len(cv.list_strategies())):
        well(at.selectbox(key="strategy").set_value(name).run())
        for _ in range(3):
            numbers_of = [each for each in at.number_input if str(each.key).startswith(f"{name}.")]
            lists_of = [each for each in at.selectbox if str(each.key).startswith(f"{name}.")]
            chosen = dice.choice([*numbers_of, *lists_of])
            if chosen in lists_of:
                chosen.set_value(dice.choice(chosen.options))
            else:
                low, high = chosen.min, chosen.max
                values = [low, high, min(high, low + 1), min(high, max(low, 17)), min(high, max(low, 512))]
                chosen.set_value(dice.choice(values))
            well(at.run())
        if name == "recursive":
            typed = at.text_area(key="recursive.separators")
            well(typed.set_value(dice.choice(["", "。", "(", "\\n\n、", "[", ".*"])).run())
            well(at.toggle(key="recursive.is_regex").set_value(dice.random() < 0.5).run())
        assert at.metric or at.error


def test_a_link_that_asks_for_what_cannot_be_says_so_until_it_is_read(app: Callable[..., AppTest]) -> None:
    at = app(sample="nope", recursive__chunk_size="abc", chunk_size="77")
    (warning,) = at.warning
    assert warning.value.replace("\\", "").split("\n") == [
        "Not everything in the link could be followed:",
        "- **sample=nope**: essay is used instead",
        "- **recursive.chunk_size=abc**: 512 is used instead",
        "- **chunk_size=77**: no setting has this name",
    ]
    assert well(at.run()).warning, "pages run again by themselves, as when a job is done"
    well(at.button(key="link understood").click().run())
    assert not at.warning


def test_what_a_link_got_wrong_is_past_once_the_strategy_is_set_anew(app: Callable[..., AppTest]) -> None:
    at = app(sample="nope")
    assert at.warning
    well(at.number_input(key="recursive.chunk_size").set_value(300).run())
    assert not at.warning
    assert not [button for button in at.button if button.key == "link understood"]


def test_a_good_link_is_followed_without_a_word(app: Callable[..., AppTest]) -> None:
    at = app(
        sample="manual", strategy="fixed_size", fixed_size__chunk_size="96", recursive__chunk_size="64",
        recursive__is_regex="true", language="English", encoding="cl100k_base",
    )  # fmt: skip
    assert not at.warning


def test_an_overlap_that_no_longer_fits_becomes_a_quarter_of_the_size(app: Callable[..., AppTest]) -> None:
    at = app(strategy="fixed_size", fixed_size__chunk_size="32")
    assert "FixedSize(chunk_size=32, chunk_overlap=8, unit='tokens')" in at.code[0].value
