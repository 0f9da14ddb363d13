"""The exported LangChain and LlamaIndex code is executed, and agrees as far as the export says."""

from __future__ import annotations

import pytest

import chunkviz as cv
from benchmarks.equivalents import SETTINGS, measure, run_code
from chunkviz.equivalents import Equivalent, Library, Measured, measurements, to_langchain_code, to_llamaindex_code
from chunkviz.samples import load_sample

EXPORT = {"langchain": to_langchain_code, "llamaindex": to_llamaindex_code}
STATED = measurements().entries
VARIANTS: tuple[cv.Strategy, ...] = (
    *(cv.get_strategy(name) for name in cv.list_strategies()),
    *SETTINGS,
    cv.FixedSize(chunk_size=300, chunk_overlap=50, unit="characters"),
    cv.Recursive(chunk_size=300, chunk_overlap=50, unit="characters"),
    cv.Recursive(chunk_size=64, chunk_overlap=16),
    cv.Recursive(chunk_size=64, separators=("\n\n", ". ")),
    cv.Recursive(chunk_size=64, separators=("\n# ", r"\n+"), is_regex=True),
    cv.Markdown(chunk_size=300, unit="characters", max_heading_level=0),
    cv.Markdown(chunk_size=64, chunk_overlap=16, max_heading_level=6),
    cv.Code(chunk_size=300, unit="characters"),
    cv.SentenceWindow(window=0),
    cv.Hierarchical(parent_chunk_size=400, chunk_size=100, chunk_overlap=20, max_levels=3, unit="tokens"),
    cv.Semantic(threshold_mode="gradient"),
    cv.Semantic(threshold_mode="standard_deviation"),
    cv.Semantic(threshold_mode="interquartile"),
    cv.Semantic(threshold_mode="target_count", threshold=12),
)


def export(library: Library, strategy: cv.Strategy, document: cv.Document) -> tuple[cv.Chunking, Equivalent]:
    ours = strategy.chunk(document)
    return ours, EXPORT[library](ours)


@pytest.mark.parametrize("stated", STATED, ids=[f"{each.library}-{each.strategy}-{each.sample}" for each in STATED])
def test_boundaries_agree_as_far_as_the_export_states(stated: Measured) -> None:
    strategy = cv.get_strategy(stated.strategy, **stated.parameters)
    ours, found = export(stated.library, strategy, load_sample(stated.sample))
    assert stated in found.measured
    assert found.code is not None
    result = measure(ours, found.code)
    assert result.unplaced == stated.unplaced
    assert result.f1 == pytest.approx(stated.f1, abs=0.01)
    assert result.pk == pytest.approx(stated.pk, abs=0.01)


@pytest.mark.parametrize("strategy", VARIANTS, ids=repr)
@pytest.mark.parametrize("library", ["langchain", "llamaindex"])
def test_the_code_of_any_setting_runs_and_leaves_nothing_out(library: Library, strategy: cv.Strategy) -> None:
    document = load_sample("inventory" if isinstance(strategy, cv.Code) else "contract")
    _, found = export(library, strategy, document)
    if found.code is None:
        assert found.equivalence == "none"
        return
    chunks = run_code(found.code, document.text, document.name)
    assert len(chunks) > 1
    held = "".join("".join(chunks).split())
    assert set(held) == set("".join(document.text.split()))
    assert len(held) >= len("".join(document.text.split()))


@pytest.mark.parametrize("library", ["langchain", "llamaindex"])
@pytest.mark.parametrize(
    "strategy", [cv.Recursive(chunk_size=16), cv.FixedSize(chunk_size=16, chunk_overlap=0)], ids=repr
)
def test_text_like_a_special_token_is_text(library: Library, strategy: cv.Strategy) -> None:
    document = cv.Document("One two three. <|endoftext|> Four five six. " * 4, "a.txt", language="en")
    _, found = export(library, strategy, document)
    assert found.code is not None
    assert "<|endoftext|>" in " ".join(run_code(found.code, document.text, document.name))


@pytest.mark.parametrize(
    ("library", "strategy", "least"),
    [
        ("langchain", "recursive", 0.75),
        ("langchain", "markdown", 0.75),
        ("langchain", "hierarchical", 0.75),
        ("llamaindex", "sentence_window", 0.85),
        ("llamaindex", "code", 0.6),
    ],
)
def test_what_is_near_stays_near(library: Library, strategy: str, least: float) -> None:
    f1 = [each.f1 for each in STATED if (each.library, each.strategy) == (library, strategy)]
    assert f1
    assert all(each is not None and each >= least for each in f1)
