"""The laws of chunking, for every registered strategy and arbitrary text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, assert_never

import pytest
import tiktoken
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st
from tiktoken_ext.openai_public import r50k_pat_str

import chunkviz as cv
from chunkviz.errors import ParameterError
from chunkviz.params import Choice, Parameter, Slider, StrategyChoice, Switch, TextList, parameters_of
from chunkviz.vocabulary import TiktokenTokenizer, packaged_cl100k
from tests.core.laws import assert_laws
from tests.core.toys import SIZES, toy

TOKENIZERS = ("cl100k_base", "ws-words", "utf8-bytes", "words+ws", "cls-sep")

awkward = st.sampled_from(
    [
        *("\r\n", "\r", "\n\n", "\n", " ", "  ", "\t", "\u00a0", "\u200b", "\u2028", "\x85", "\ufeff", "\0", "\f"),
        *("a", "Word", "don't", "don’t", "3.14", "12345", "é", "e\u0301", "\u0301", " \u0301", "x" * 40, "a/b\n/c"),
        *("👩‍👩‍👧", "👍🏽", "❤️", "🇩🇪🇫🇷", "\u200d", "日本語", "。", "、「", "」", "שלום", "مرحبا", "\u0600"),
        *("क्षि", "한국어", "\u1100\u1161", "\ud83d", "\ude00", "<|endoftext|>", "Dr. Osei.", "…", "!?"),
        *("# ", "\n# Title\n", "\n## Sub\n\n", "```\n", "- item\n", "| a | b |\n", "---\n", "===\n"),
        *("> ", "    ", "1. ", "|-|\n", "|-|-|\n", "~~~\n", "<div>\n", "[^1]: ", "[a]: b\n", "- [ ] ", "***\n"),
    ]
)
texts = st.one_of(st.lists(awkward, max_size=60).map("".join), st.text(max_size=200))


def parameter_values(  # noqa: PLR0911  one for each control
    parameter: Parameter, drawn: dict[str, Any]
) -> st.SearchStrategy[Any]:
    """Return what a parameter may be, from its declaration; a slider below another stays below what that is."""
    low = int(parameter.minimum or 0)
    match parameter.control:
        case Slider(mode=mode, modes=modes) if modes:
            offered = modes[drawn[mode]]
            return st.floats(offered.low, offered.high)
        case StrategyChoice(without):
            return st.sampled_from([name for name in cv.list_strategies() if name not in without])
        case Slider(below=str() as other):
            return st.integers(low, drawn[other] - 1)
        case Slider() if parameter.name in SIZES:
            return st.integers(low, 40)
        case Slider(high=high):
            whole = parameter.annotation is int
            return st.integers(low, int(min(high, 40))) if whole else st.floats(low, high)
        case Choice(labels):
            return st.sampled_from(list(labels))
        case Switch():
            return st.booleans()
        case TextList():
            return st.just(())
        case _ as unreachable:
            assert_never(unreachable)


def leans_on(parameter: Parameter) -> set[str]:
    """Names of the parameters that must be drawn before this one."""
    if not isinstance(parameter.control, Slider):
        return set()
    return {name for name in (parameter.control.below, parameter.control.mode) if name}


def bounds_of(strategy: cv.Strategy) -> tuple[int, int, str]:
    """Return the size and the overlap that bind a strategy, and their unit; one without a size is not bound."""
    if isinstance(strategy, cv.ContextualRetrieval):
        return bounds_of(strategy.base_strategy)
    size = next((getattr(strategy, name) for name in SIZES if hasattr(strategy, name)), 10**9)
    return size, getattr(strategy, "chunk_overlap", 0), getattr(strategy, "unit", "tokens")


@st.composite
def runs(draw: st.DrawFn) -> tuple[str, dict[str, Any], str, str]:
    name = draw(st.sampled_from(cv.list_strategies()))
    parameters: dict[str, Any] = {}
    declared = parameters_of(cv.strategies.strategy_class(name))
    waiting = list(declared)
    while waiting:  # those first that others must stay below, or that give others their meaning
        parameter = next(each for each in waiting if leans_on(each) <= parameters.keys())
        waiting.remove(parameter)
        parameters[parameter.name] = draw(parameter_values(parameter, parameters))
    return name, parameters, draw(st.sampled_from(TOKENIZERS)), draw(texts)


@settings(max_examples=400, deadline=None)
@given(runs())
@example(("fixed_size", {"chunk_size": 1, "chunk_overlap": 0, "unit": "tokens"}, "cl100k_base", " \u0301a"))
@example(("recursive", {"chunk_size": 2, "chunk_overlap": 1, "unit": "characters"}, "cl100k_base", "\u0600 \u0600 b"))
def test_every_strategy_keeps_the_laws_on_arbitrary_text(run: tuple[str, dict[str, Any], str, str]) -> None:
    name, parameters, tokenizer_name, text = run
    tokenizer = toy(tokenizer_name)
    services = cv.Services(tokenizer=tokenizer)
    document = cv.Document(text, language="en")
    try:
        strategy = cv.get_strategy(name, **parameters)
    except ParameterError:
        assert name == "contextual_retrieval"  # its base may need a larger size
        reject()
    chunking = strategy.chunk(document, services)
    size, overlap, unit = bounds_of(strategy)
    assert_laws(chunking, size=size, overlap=overlap, unit=unit, tokenizer=tokenizer)
    again = cv.get_strategy(name, **parameters).chunk(cv.Document(text, language="en"), services)
    assert again == chunking
    assert [chunk.id for chunk in again] == [chunk.id for chunk in chunking]


@settings(max_examples=150, deadline=None)
@given(
    texts,
    st.lists(st.sampled_from(["\n\n", "\n", "。", ". ", " ", "\n# ", "a", "|", "\r\n", ""]), max_size=4, unique=True),
)
def test_separators_of_ones_own_keep_the_laws(text: str, separators: list[str]) -> None:
    ordered = tuple(sorted(separators, key=lambda separator: separator == ""))
    strategy = cv.Recursive(chunk_size=12, chunk_overlap=5, unit="characters", separators=ordered)
    chunking = strategy.chunk(text)
    assert_laws(chunking, size=12, overlap=5, unit="characters", tokenizer=cv.get_tokenizer())


@settings(max_examples=200, deadline=None)
@given(st.one_of(texts, st.text(max_size=400)), st.data())
def test_slices_are_counted_exactly(text: str, data: st.DataObject) -> None:
    tokenizer = cv.get_tokenizer()
    tokens = cv.TokenMap.of(cv.Document(text), tokenizer)
    assert len(tokens) == tokenizer.count(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert tokens.count(start, end) == tokenizer.count(text[start:end])


RULES = {
    "cl100k_base": packaged_cl100k()._pat_str,
    "r50k_base": r50k_pat_str,
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
        r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
"""How each family of encodings cuts text into pieces."""


@lru_cache
def with_rules(name: str) -> TiktokenTokenizer:
    """Return the tokenizer that cuts by these rules and merges as cl100k_base does, whose vocabulary is at hand."""
    ranks = packaged_cl100k()._mergeable_ranks
    return TiktokenTokenizer(
        name, tiktoken.Encoding(name, pat_str=RULES[name], mergeable_ranks=ranks, special_tokens={})
    )


@pytest.mark.parametrize("rules", RULES)
@settings(max_examples=200, deadline=None)
@given(st.one_of(texts, st.text(alphabet="aB1 .'/!\n\r\t\x1c\u0301日。、」s\u017fvL_", max_size=30)))
def test_no_encoding_merges_across_a_settled_place(rules: str, text: str) -> None:
    """Every slice, so that every place is seen from every beginning and up to every end."""
    tokenizer = with_rules(rules)
    text = text[:30]
    tokens = cv.TokenMap.of(cv.Document(text), tokenizer)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert tokens.count(start, end) == tokenizer.count(text[start:end])


@pytest.mark.parametrize("name", cv.list_strategies())
@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n ", "\u2028"])
def test_blank_text_gives_no_chunk(name: str, text: str) -> None:
    assert cv.get_strategy(name).chunk(text).chunks == ()
