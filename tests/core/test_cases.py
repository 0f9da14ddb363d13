"""Faults that users reported against chunkers, as small inputs with the right result (cases.jsonl).

``check`` is an expression over the chunks that must be True; ``raises`` names what must, or may, be
raised instead. Where only eyes or a browser can tell, the browser tests do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import chunkviz as cv
from chunkviz.outline import outline_of
from tests.core.toys import toy

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]
STRATEGIES = {
    "fixed_char": ("fixed_size",),
    "fixed_token": ("fixed_size",),
    "recursive": ("recursive",),
    "markdown": ("markdown",),
    "code": ("code",),
    "contextual": ("markdown",),
}
NOT_OURS = {"time_limit_s", "env", "as", "vary_each_parameter", "min_chunk_size", "tokenizer", "sequence"}
NAMES = {
    "overlap": "chunk_overlap",
    "chunk_size": "chunk_size",
    "separators": "separators",
    "is_regex": "is_regex",
    "language": "language",
}


def source_of(case: dict[str, Any]) -> Any:
    return case["text"] if case["text"] is not None else eval(case["text_expr"])  # noqa: S307  our own file


def runs() -> list[Any]:
    chunked = [case for case in CASES if case["strategy"] in (*STRATEGIES, "any", "ui") and case["check"]]
    chunked += [case for case in CASES if (case["raises"] or "").startswith("required")]
    return [
        pytest.param(case, name, id=f"{case['id']}-{name}")
        for case in chunked
        for name in STRATEGIES.get(
            case["strategy"], cv.list_strategies() if case["strategy"] == "any" else ("recursive",)
        )
        if "chunk_overlap" in cv.strategies.strategy_class(name).model_fields or not case["raises"]
    ]


def chunk(case: dict[str, Any], name: str) -> tuple[cv.Chunking, Any]:
    given = case["params"]
    parameters = {NAMES[key]: value for key, value in given.items() if key in NAMES}
    if "unit" in given:
        parameters["unit"] = {"chars": "characters", "tokens": "tokens"}[given["unit"]]
    fields = cv.strategies.strategy_class(name).model_fields
    parameters = {key: value for key, value in parameters.items() if key in fields}
    if case["strategy"] == "contextual":
        parameters["heading_context"] = True
    tokenizer = toy(given.get("tokenizer", "cl100k_base"))
    if name == "recursive":
        parameters.setdefault("chunk_overlap", 0)
    document = cv.Document(source_of(case), language="en")
    return cv.get_strategy(name, **parameters).chunk(document, cv.Services(tokenizer=tokenizer)), tokenizer


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
        "path_of": lambda text: path_at(src.index(text)),
        "path_at": path_at,
    }


@pytest.mark.parametrize(("case", "name"), runs())
def test_a_reported_fault_does_not_happen_here(case: dict[str, Any], name: str) -> None:
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
        "B130",  # needs parents, which no strategy here makes yet
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
    "language": ("python", "yaml"),
    "min_size": (0, 40),
}
SECTIONS = "".join(f"# Part {n}\n\nSome words.\n\n## Detail\n\nMore words.\n\n" for n in range(9))
PROGRAM = "".join(f"def f{n}():\n    return {n}\n\n    # {'word ' * 40}\n\n\n" for n in range(60))
PAGES = "".join(f"Page {n} says no more.\f" for n in range(9))
TEXTS = {"max_heading_level": SECTIONS, "heading_context": SECTIONS, "language": PROGRAM, "min_size": PAGES}
"""Texts on which a parameter can have an effect, where the rows of a plain list give it nothing to do."""


@pytest.mark.parametrize("name", cv.list_strategies())
def test_every_setting_has_an_effect(name: str) -> None:
    rows = source_of(next(case for case in CASES if case["id"] == "B106"))
    fields = cv.strategies.strategy_class(name).model_fields
    for parameter in fields:
        if parameter == "is_regex":  # without separators the screen does not offer it
            found = [
                cv.Recursive(chunk_size=40, unit="characters", separators=(r"\d+",), is_regex=value).chunk(rows)
                for value in (False, True)
            ]
        else:
            base = {key: value for key, value in (("chunk_size", 300), ("chunk_overlap", 0)) if key in fields}
            found = [
                cv.get_strategy(name, **{**base, parameter: value}).chunk(TEXTS.get(parameter, rows))
                for value in FAR_APART[parameter]
            ]
        one, other = ([(chunk.span, chunk.context) for chunk in chunking] for chunking in found)
        assert one != other, parameter


def test_ids_do_not_depend_on_the_seed_of_hash() -> None:
    script = (
        "import chunkviz as cv;"
        "from tests.core.toys import small;"
        "print([c.id for n in cv.list_strategies() for c in small(n, 5)"
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
