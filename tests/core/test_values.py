"""Documents, spans, chunks, parameters and errors as values."""

from __future__ import annotations

import asyncio
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from inspect import signature

import pytest
import tiktoken

import chunkviz as cv
from chunkviz.errors import DocumentError, ParameterError, ServiceError, UnknownNameError, VocabularyError
from chunkviz.params import Control, Slider, parameters_of
from chunkviz.strategies import STRATEGIES
from chunkviz.vocabulary import CL100K_SHA256, ENCODINGS, load_tokenizer
from tests.core.toys import Words

# Documents and spans ---------------------------------------------------------------------------


def test_a_span_is_half_open() -> None:
    span = cv.Span(2, 5)
    assert len(span) == 3
    assert 2 in span
    assert 5 not in span
    assert cv.Span(3, 5) in span
    assert span.overlap(cv.Span(4, 9)) == 1
    assert span.overlap(cv.Span(7, 9)) == 0
    with pytest.raises(ValueError, match="0 <= start <= end"):
        cv.Span(3, 2)


def test_a_document_refuses_bytes_and_says_where_to_go() -> None:
    with pytest.raises(DocumentError, match=r"must be a string, not bytes.*load_bytes"):
        cv.Document(b"abc")  # type: ignore[arg-type]


def test_pages_lie_in_order_inside_the_text() -> None:
    cv.Document("abcdef", pages=(cv.Span(0, 3), cv.Span(3, 6)))
    for pages in ((cv.Span(0, 3), cv.Span(2, 6)), (cv.Span(0, 9),)):
        with pytest.raises(DocumentError, match="page"):
            cv.Document("abcdef", pages=pages)


def test_ids_and_digests_are_those_of_text_and_name() -> None:
    document = cv.Document("abc", name="a.txt")
    assert document.id == cv.Document("abc", name="a.txt").id != cv.Document("abc", name="b.txt").id
    assert document.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert cv.Document("\ud83d").sha256


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.py", "code"), ("a.MD", "markdown"), ("a.txt", "text"), ("", "markdown"), ("a.json", "code")],
)
def test_the_format_follows_the_name(name: str, expected: str) -> None:
    assert cv.Document("x", name).format == expected


def test_a_chunk_knows_its_page_and_headings() -> None:
    text = "# A\n\none\n\n# B\n\ntwo"
    document = cv.Document(text, pages=(cv.Span(0, 8), cv.Span(10, len(text))))
    first, second = cv.Recursive(chunk_size=10, unit="characters").chunk(document)
    assert (first.page, first.headings) == (1, ("A",))
    assert (second.page, second.headings) == (2, ("B",))
    assert cv.Recursive().chunk("plain")[0].page is None


def test_context_is_put_before_the_text_for_embedding_only() -> None:
    chunk = cv.Recursive().chunk("the text")[0]
    with_context = dataclasses.replace(chunk, context="About the text.")
    assert with_context.embedding_text == "About the text.\n\nthe text"
    assert with_context.text == chunk.text == chunk.embedding_text == "the text"


def test_a_parent_and_a_child_of_one_span_have_different_ids() -> None:
    chunk = cv.Recursive().chunk("the text")[0]
    assert dataclasses.replace(chunk, level=1).id != chunk.id


# Strategies as values -----------------------------------------------------------------------------


def test_three_ways_to_name_a_strategy_give_the_same_value() -> None:
    strategy = cv.Recursive(chunk_size=100, separators=["\n", " "])
    assert strategy == cv.get_strategy("recursive", chunk_size=100, separators=("\n", " "))
    assert strategy == cv.strategy_from_config(strategy.config())
    assert hash(strategy) == hash(cv.strategy_from_config(strategy.config()))
    assert strategy == eval(f"cv.{strategy!r}")  # noqa: S307  the law under test
    assert cv.list_strategies()[:2] == ("fixed_size", "recursive")


def test_a_default_that_must_stay_below_a_small_size_is_a_quarter_of_it() -> None:
    assert cv.FixedSize(chunk_size=20).chunk_overlap == 5
    assert cv.FixedSize(chunk_size=51).chunk_overlap == 50
    assert cv.FixedSize(chunk_size=1).chunk_overlap == 0
    assert cv.Hierarchical(parent_chunk_size=100) == cv.Hierarchical(
        parent_chunk_size=100, chunk_size=25, chunk_overlap=6
    )
    assert cv.FixedSize(chunk_size=20) == eval(f"cv.{cv.FixedSize(chunk_size=20)!r}")  # noqa: S307  the law under test


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"chunk_size": 10, "chunk_overlap": 10}, "chunk_overlap must be below chunk_size, which is 10, not 10."),
        ({"chunk_size": 0}, "chunk_size must be greater than or equal to 1, not 0."),
        ({"chunk_size": "big"}, "chunk_size must be a whole number, not 'big'."),
        ({"chunk_size": True}, "chunk_size must be a whole number, not True."),
        ({"chunk_size": 1.5}, "chunk_size must be a whole number, not 1.5."),
        ({"chunk_size": None}, "chunk_size must be a whole number, not None."),
        ({"unit": "words"}, "unit must be 'tokens' or 'characters', not 'words'."),
        (
            {"chunk_sise": 3},
            (
                "parameter 'chunk_sise' is not known (did you mean 'chunk_size'?); choose one of: "
                "chunk_size, chunk_overlap, unit, separators, is_regex."
            ),
        ),
    ],
)
def test_a_wrong_parameter_is_one_sentence_that_names_it(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        cv.get_strategy("recursive", **parameters)
    assert str(caught.value) == message


def test_a_parameter_without_its_name_is_told_which_it_would_be() -> None:
    with pytest.raises(ParameterError) as caught:
        cv.Recursive(512)
    assert str(caught.value) == "Recursive takes its parameters by name: Recursive(chunk_size=512)."
    with pytest.raises(ParameterError, match=r"FixedSize\(chunk_size=512, chunk_overlap=64\)"):
        cv.FixedSize(512, 64)
    assert next(iter(signature(cv.Recursive).parameters)) == "chunk_size"


def test_a_strategy_cannot_be_changed_and_says_how_to_make_another() -> None:
    strategy = cv.Recursive()
    with pytest.raises(FrozenInstanceError, match=r"make another one: Recursive\(chunk_size=3\)"):
        strategy.chunk_size = 3  # type: ignore[misc]
    assert strategy == cv.Recursive()
    assert pickle.loads(pickle.dumps(strategy)) == strategy  # noqa: S301  our own bytes


def test_a_number_written_as_text_or_with_an_empty_fraction_is_that_number() -> None:
    assert cv.FixedSize(chunk_size="512") == cv.FixedSize(chunk_size=512.0) == cv.FixedSize(chunk_size=512)


def test_an_unknown_strategy_answers_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'recursiv' is not known \(did you mean 'recursive'\?\).*fixed_size"):
        cv.get_strategy("recursiv")
    with pytest.raises(ParameterError, match="must name its"):
        cv.strategy_from_config({"chunk_size": 3})


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_every_parameter_is_declared_with_a_control_a_help_and_a_default_it_accepts(
    strategy: type[cv.Strategy],
) -> None:
    strategy()
    for parameter in parameters_of(strategy):
        assert parameter.help
        assert isinstance(parameter.control, Control)
        if isinstance(parameter.control, Slider):
            assert parameter.control.low <= parameter.default <= parameter.control.high
            assert parameter.control.low >= (parameter.minimum or 0)
    assert strategy.about.summary
    assert strategy.about.source


def test_chunking_a_thing_that_is_no_document_is_said() -> None:
    with pytest.raises(DocumentError, match="must be a string, not NoneType"):
        cv.Recursive().chunk(None)  # type: ignore[arg-type]


# Tokens ---------------------------------------------------------------------------------------------


def test_the_packaged_vocabulary_is_the_official_one_under_its_own_name() -> None:
    tokenizer = cv.get_tokenizer()
    assert tokenizer.name == "cl100k_base"
    assert CL100K_SHA256 == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    assert tokenizer.count("hello world") == 2
    assert tokenizer.token_starts("tiktoken is great!").tolist() == [0, 1, 3, 8, 11, 17]


def test_text_that_spells_a_special_token_is_ordinary_text() -> None:
    assert cv.get_tokenizer().count("<|endoftext|>") == 7


def test_a_token_that_starts_inside_a_character_has_its_offset() -> None:
    starts = cv.get_tokenizer().token_starts("a🕺b").tolist()
    assert starts == [0, 1, 1, 1, 2]


def test_an_unknown_encoding_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'o200k_base'"):
        cv.get_tokenizer("o200k_bas")


def test_a_vocabulary_that_cannot_be_fetched_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ConnectionError(name)

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    with pytest.raises(VocabularyError, match=r"'o200k_base' is not on this machine.*TIKTOKEN_CACHE_DIR.*cl100k_base"):
        load_tokenizer("o200k_base")
    assert "o200k_base" in ENCODINGS


def test_a_tokenizer_that_breaks_its_protocol_is_named() -> None:
    class Backwards(Words):
        def token_starts(self, text: str, /):  # type: ignore[no-untyped-def]  # noqa: ANN202
            return super().token_starts(text)[::-1]

    with pytest.raises(ServiceError, match="token_starts of tokenizer 'ws-words'"):
        cv.FixedSize(chunk_size=2, chunk_overlap=0).chunk("one two three", cv.Services(tokenizer=Backwards()))


def test_plain_words_can_be_the_tokens() -> None:
    chunking = cv.FixedSize(chunk_size=2, chunk_overlap=1).chunk("a bb ccc dddd", cv.Services(tokenizer=Words()))
    assert [chunk.text for chunk in chunking] == ["a bb", "bb ccc", "ccc dddd"]
    assert chunking.token_counts.tolist() == [2, 2, 2]


# The package ----------------------------------------------------------------------------------------


def test_importing_the_core_loads_no_screen_no_charts_no_client() -> None:
    script = (
        "import sys, chunkviz;"
        "heavy = {'streamlit', 'plotly', 'openai', 'pandas', 'pyarrow', 'kreuzberg', 'pypdfium2'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert result.stdout.strip() == "[]"


async def _chunk_twice() -> bool:
    return await cv.Recursive().achunk("some text") == cv.Recursive().chunk("some text")


def test_chunking_in_an_event_loop_gives_the_same() -> None:
    assert asyncio.run(_chunk_twice())
