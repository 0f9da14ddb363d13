"""Faults that users reported against chunkers, as small inputs with the right result (cases.jsonl).

``check`` is an expression over the chunks that must be True; ``raises`` names what must, or may, be
raised instead. Where only eyes or a browser can tell, the browser tests do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import chunkviz as cv
from chunkviz.outline import outline_of
from chunkviz.services import WriteRequest
from tests.core.toys import Const, OneShort, Topic, toy

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]
STRATEGIES = {
    "fixed_char": ("fixed_size",),
    "fixed_token": ("fixed_size",),
    "recursive": ("recursive",),
    "markdown": ("markdown",),
    "code": ("code",),
    "contextual": ("markdown", "contextual_retrieval"),
    "semantic": ("semantic",),
    "semantic_parent_child": ("semantic_parent_child",),
    "hierarchical": ("hierarchical",),
}
NAMES = {
    "overlap": ("chunk_overlap",),
    "chunk_size": ("chunk_size", "max_chunk_size", "max_child_size"),
    "parent_size": ("parent_chunk_size", "max_parent_size"),
    "child_size": ("chunk_size", "max_child_size"),
    "separators": ("separators",),
    "is_regex": ("is_regex",),
    "language": ("language",),
    "threshold": ("threshold",),
}
"""Our names for the neutral ones; the first that a strategy declares."""
EMBEDDERS: dict[str, Callable[[], Any]] = {
    "const": Const,
    "topic": Topic,
    "topic+zero-for-no-letters": lambda: Topic(zero_for_no_letters=True),
    "one-vector-short": OneShort,
    "spy": Topic,
}
CONTEXT_MAKERS: dict[str, Callable[[], Any]] = {
    'raises if "Bad" in chunk': lambda: Writes(refuses="Bad"),
    'fixed "From a test."': lambda: Writes("From a test."),
    'returns "  \\n"': lambda: Writes("  \n"),
}


@dataclass
class Writes:
    """A context writer that always says the same, or refuses chunks that hold a word."""

    answer: str = "From a test."
    refuses: str | None = None
    name: str = "writes"

    def write(self, request: WriteRequest, /) -> str:
        if self.refuses is not None and self.refuses in request.text:
            message = "refused"
            raise RuntimeError(message)
        return self.answer


def source_of(case: dict[str, Any]) -> Any:
    return case["text"] if case["text"] is not None else eval(case["text_expr"])  # noqa: S307  our own file


def runs() -> list[Any]:
    chunked = [case for case in CASES if case["strategy"] in (*STRATEGIES, "any", "ui") and case["check"]]
    chunked += [case for case in CASES if (case["raises"] or "").startswith("required")]
    return [
        pytest.param(case, name, id=f"{case['id']}-{name}")
        for case in chunked
        for name in STRATEGIES.get(case["strategy"], bounded() if case["strategy"] == "any" else ("recursive",))
        if makes_sense(case, name)
    ]


def makes_sense(case: dict[str, Any], name: str) -> bool:
    """Whether the case's settings concern the strategy: its overlap, or its heading context."""
    if case["id"] in {"B14", "B15"}:
        return "chunk_overlap" in cv.strategies.strategy_class(name).model_fields
    return not (case["id"] == "B121" and name == "contextual_retrieval")


def bounded() -> tuple[str, ...]:
    """Return the strategies for which the settings of a general case make sense: those with a size and a unit."""
    return tuple(name for name in cv.list_strategies() if name not in {"sentence_window", "cluster_semantic"})


def parameters_for(case: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the case's settings under the names of a strategy."""
    given = case["params"]
    fields = cv.strategies.strategy_class(name).model_fields
    parameters: dict[str, Any] = {}
    for key, ours in NAMES.items():
        declared = [each for each in ours if each in fields]
        if key in given and declared:
            parameters[declared[0]] = given[key]
    if "unit" in given and "unit" in fields:
        parameters["unit"] = {"chars": "characters", "tokens": "tokens"}[given["unit"]]
    match name:
        case "semantic":
            parameters["min_chunk_size"] = 1
        case "recursive":
            parameters.setdefault("chunk_overlap", 0)
        case "hierarchical":
            parameters.setdefault("parent_chunk_size", 4 * parameters["chunk_size"])
            parameters.setdefault("chunk_overlap", 0)
        case "semantic_parent_child":
            parameters.setdefault("max_parent_size", 4 * parameters["max_child_size"])
        case "contextual_retrieval":
            base = parameters_for(case, "recursive" if case["strategy"] == "contextual" else "fixed_size")
            parameters = {
                "base": {"strategy": "recursive" if case["strategy"] == "contextual" else "fixed_size", **base}
            }
        case "markdown" if case["strategy"] == "contextual":
            parameters["heading_context"] = True
    return parameters


def chunk(case: dict[str, Any], name: str) -> tuple[cv.Chunking, Any]:
    given = case["params"]
    tokenizer = toy(given.get("tokenizer", "cl100k_base"))
    embedder = EMBEDDERS[given["embedder"]]() if "embedder" in given else Const()
    if "embedder_max_tokens" in given:
        embedder.max_tokens = given["embedder_max_tokens"]
    writer = CONTEXT_MAKERS[given["context_maker"]]() if "context_maker" in given else None
    services = cv.Services(tokenizer=tokenizer, embedder=embedder, writer=writer)
    document = cv.Document(source_of(case), language="en")
    chunking = cv.get_strategy(name, **parameters_for(case, name)).chunk(document, services)
    if "embedder_max_tokens" in given:
        assert max(map(tokenizer.count, embedder.given)) <= given["embedder_max_tokens"]
    return chunking, tokenizer


def words_for(chunking: cv.Chunking, unit: str, tokenizer: Any) -> dict[str, Any]:
    """Return the names that a check may use."""
    src, chunks = chunking.document.text, list(chunking)

    def size(text: str) -> int:
        return len(text) if unit == "chars" else tokenizer.count(text)

    def covered() -> bool:
        inside = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
        return all(at in inside or character.isspace() or character == "\ufeff" for at, character in enumerate(src))

    def path_at(place: int) -> list[str]:
        path = cv.segments.heading_path(chunking.document, place)
        if "headings" in chunks[0].metadata:
            assert path == outline_of(chunking.document).path_at(place)
        return list(path)

    return {
        "src": src,
        "C": chunks,
        "n": size,
        "SLICE": lambda: all(0 <= c.start < c.end <= len(src) and c.text == src[c.start : c.end] for c in chunks),
        "INC": lambda: all(a.start < b.start for a, b in pairwise(chunks)),
        "DISJOINT": lambda: all(a.end <= b.start for a, b in pairwise(chunks)),
        "COVER": covered,
        "NOBLANK": lambda: all(c.text.strip() for c in chunks),
        "SIZE": lambda limit: all(size(c.text) <= limit for c in chunks),
        "PAR": list(chunking.parents),
        "NEST": lambda: all(c.parent and c.parent.start <= c.start and c.end <= c.parent.end for c in chunks),
        "path_of": lambda text: path_at(src.index(text)),
        "path_at": path_at,
    }


@pytest.mark.parametrize(("case", "name"), runs())
def test_a_reported_fault_does_not_happen_here(case: dict[str, Any], name: str) -> None:
    if case["id"] == "B112":
        with pytest.raises(RuntimeError, match="each of 4 texts, not 3"):
            chunk(case, name)
        return
    if (case["raises"] or "").startswith("required"):
        with pytest.raises(ValueError, match=str(case["params"]["overlap"])) as caught:
            chunk(case, name)
        assert str(case["params"]["chunk_size"]) in str(caught.value)
        return
    chunking, tokenizer = chunk(case, name)
    names = words_for(chunking, case["params"].get("unit", "chars"), tokenizer)
    assert eval(case["check"], names) is True, case["expect"]  # noqa: S307  our own file


@pytest.mark.parametrize(
    "case", [case for case in CASES if case["strategy"] == "sentence"], ids=lambda case: case["id"]
)
def test_sentences_end_where_a_reader_would_end_them(case: dict[str, Any]) -> None:
    src = source_of(case)
    found = [src[span.start : span.end] for span in cv.split_sentences(src)]
    assert eval(case["check"], {"src": src, "S": found}) is True, case["expect"]  # noqa: S307  our own file


def test_every_case_of_this_file_is_run_somewhere() -> None:
    run = {param.id.split("-")[0] for param in runs() if param.id}
    elsewhere = {
        "B99", "B150", "B152",  # the pages' tests
        "B135", "B149",  # the browser tests
        "B106", "B116",  # below
        "B138", "B140",  # the loaders' tests
        "B130",  # below
    }  # fmt: skip
    sentences = {case["id"] for case in CASES if case["strategy"] == "sentence"}
    assert {case["id"] for case in CASES} == run | elsewhere | sentences


FAR_APART: dict[str, Sequence[Any]] = {
    "chunk_size": (64, 300),
    "chunk_overlap": (0, 40),
    "unit": ("tokens", "characters"),
    "separators": (("\n",), (" = ",)),
    "max_heading_level": (1, 2),
    "heading_context": (False, True),
    "threshold": (0.0, 0.9),
    "threshold_mode": ("absolute", "percentile"),
    "min_chunk_size": (1, 9),
    "max_chunk_size": (60, 300),
    "min_size": (0, 40),
    "window": (0, 3),
    "max_parent_size": (200, 800),
    "max_child_size": (8, 100),
    "parent_chunk_size": (400, 1500),
    "max_levels": (2, 4),
    "piece_size": (10, 50),
    "base": ("fixed_size", "recursive"),
}
SECTIONS = "".join(f"# Part {n}\n\nSome words.\n\n## Detail\n\nMore words.\n\n" for n in range(9))
PARAGRAPHS = "\n\n".join(
    f"Bread number {n} is baked. It rests {n % 5} hours. A quark is small. Gluons {n} bind it. So it goes."
    for n in range(40)
)
TEXTS = {
    **dict.fromkeys(("max_heading_level", "heading_context"), SECTIONS),
    **dict.fromkeys(
        ("threshold", "threshold_mode", "min_chunk_size", "min_size", "window", "max_parent_size"), PARAGRAPHS
    ),
    **dict.fromkeys(
        ("max_child_size", "max_chunk_size", "piece_size", "base", "parent_chunk_size", "max_levels"), PARAGRAPHS
    ),
}
"""Texts on which a parameter can have an effect, where the rows of a plain list give it nothing to do."""


BESIDE: dict[str, dict[str, Any]] = {"max_chunk_size": {"threshold": -1.0}, "max_parent_size": {"threshold": -1.0}}
"""Where sizes are to have an effect, similarity must have none."""


class Looks:
    """A writer that tells how much it was shown."""

    name = "looks"

    def write(self, request: WriteRequest, /) -> str:
        return f"{len(request.preceding)} before, {len(request.following)} after."


START = {"chunk_size": 300, "chunk_overlap": 0, "threshold": 0.2, "min_chunk_size": 1, "max_child_size": 60}


def seen(chunk: cv.Chunk) -> tuple[Any, ...]:
    parents = []
    above = chunk.parent
    while above is not None:
        parents.append(above.span)
        above = above.parent
    return (chunk.span, chunk.context, *parents)


@pytest.mark.parametrize("name", cv.list_strategies())
def test_every_setting_has_an_effect(name: str) -> None:
    rows = source_of(next(case for case in CASES if case["id"] == "B106"))
    fields = cv.strategies.strategy_class(name).model_fields
    looking = cv.Services(writer=Looks())
    for parameter in fields:
        if parameter == "is_regex":  # without separators the screen does not offer it
            found = [
                cv.Recursive(chunk_size=40, unit="characters", separators=(r"\d+",), is_regex=value).chunk(rows)
                for value in (False, True)
            ]
        else:
            base = {key: value for key, value in {**START, **BESIDE.get(parameter, {})}.items() if key in fields}
            found = [
                cv.get_strategy(name, **{**base, parameter: value}).chunk(TEXTS.get(parameter, rows), looking)
                for value in FAR_APART[parameter]
            ]
        one, other = ([seen(chunk) for chunk in chunking] for chunking in found)
        assert one != other, parameter


def test_each_parent_is_listed_once() -> None:
    case = next(case for case in CASES if case["id"] == "B130")
    chunking, _ = chunk(case, "hierarchical")
    assert len(chunking) > len(chunking.parents) > 1
    assert len({parent.id for parent in chunking.parents}) == len(chunking.parents)
    assert {chunk.parent for chunk in chunking} == set(chunking.parents)


def test_a_failed_context_is_marked_and_the_others_keep_theirs() -> None:
    chunking, _ = chunk(next(case for case in CASES if case["id"] == "B118"), "contextual_retrieval")
    assert [(chunk.context, chunk.context_error is not None) for chunk in chunking] == [
        ("From a test.", False),
        (None, True),
        ("From a test.", False),
    ]
    assert "refused" in str(chunking[1].context_error)
    assert [chunk.embedding_text for chunk in chunking][:2] == ["From a test.\n\nAlpha part here.", "Bad part here."]
    blank, _ = chunk(next(case for case in CASES if case["id"] == "B123"), "contextual_retrieval")
    assert [(each.context, each.embedding_text == each.text) for each in blank] == [(None, True)] * len(blank)


def test_ids_do_not_depend_on_the_seed_of_hash() -> None:
    script = (
        "import chunkviz as cv;"
        "print([c.id for n in cv.list_strategies() for c in cv.get_strategy(n)"
        ".chunk('Bread needs dough. A quark needs a gluon. The lamp is on.')])"
    )
    outputs = {
        subprocess.run(  # noqa: S603  our own interpreter and script
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
