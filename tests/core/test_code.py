"""Code: worked examples with literal texts, every grammar, and texts that are no programs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.grammars import GRAMMARS, CodeLanguage, code_language
from tests.core.laws import assert_laws

PYTHON = '''import os


# What it costs.
@cache
def price(x):
    """Return it."""
    return x


class Big:
    def m1(self):
        return 1

    @property
    def m2(self):
        return 2
'''


def chunked(text: str, size: int, language: str = "python") -> cv.Chunking:
    strategy = cv.get_strategy("code", chunk_size=size, unit="characters", language=language)
    return strategy.chunk(cv.Document(text, language="en"))


def shown(chunking: cv.Chunking) -> list[str]:
    return [chunk.text for chunk in chunking]


def test_functions_and_classes_are_kept_with_their_comments_and_decorators() -> None:
    chunking = chunked(PYTHON, 110)
    assert [(chunk.start, chunk.end) for chunk in chunking] == [(0, 83), (86, 181)]
    assert chunking.boundary_reasons == ("function", "end of document")
    assert [chunk.metadata["scope"] for chunk in chunking] == [(), ("class Big",)]
    assert chunking.evidence.notes == ()
    assert shown(chunked(PYTHON, 75))[:2] == ["import os", PYTHON[12:83]]
    assert chunked(PYTHON, 75)[1].metadata["scope"] == ("price",)


def test_a_class_that_is_too_big_is_cut_between_methods_which_keep_their_indentation() -> None:
    chunking = chunked(PYTHON[86:], 60)
    assert shown(chunking) == [
        "class Big:\n    def m1(self):\n        return 1",
        "    @property\n    def m2(self):\n        return 2",
    ]
    assert chunking.boundary_reasons == ("method", "end of document")
    assert [chunk.metadata["scope"] for chunk in chunking] == [("class Big",), ("class Big", "m2")]


def test_a_string_of_many_lines_that_fits_is_whole() -> None:
    text = 'def f():\n    """One.\n\n    Two and more words.\n    """\n    return 1\n'
    assert shown(chunked(text, 45)) == ["def f():", '    """One.\n\n    Two and more words.\n    """', "    return 1"]


def test_a_program_of_one_line_is_cut_between_statements() -> None:
    assert shown(chunked("first();second(a);third();", 11, "javascript")) == ["first();", "second(a);", "third();"]


def test_what_does_not_parse_is_cut_at_lines_and_a_note_says_so() -> None:
    chunking = chunked("def broken(:\n    x = = 1\n\ndef fine():\n    return 1\n", 30)
    assert chunking.evidence.notes == ("Parts of this do not parse as Python; they are cut at blank lines and lines.",)
    unknown = cv.Code(chunk_size=12, unit="characters").chunk("Some words.\n\nAnd others.")
    assert shown(unknown) == ["Some words.", "And others."]
    assert unknown.evidence.notes == (
        "It is not known what language this is written in, so it is cut at blank lines and lines.",
    )


PROGRAMS: dict[CodeLanguage, tuple[str, str, str]] = {
    "python": ("a.py", "def f(a):\n    return a\n", "def g(b):\n    return b\n"),
    "javascript": ("a.mjs", "function f(a) {\n  return a;\n}\n", "class G {\n  h() {}\n}\n"),
    "typescript": ("a.ts", "interface F {\n  a: number;\n}\n", "function g(b: string): void {\n}\n"),
    "tsx": ("a.tsx", "const f = <b>one</b>;\n", "function g(p: P) {\n  return <i/>;\n}\n"),
    "java": ("A.java", "class F {\n  int a;\n}\n", "class G {\n  void h() {}\n}\n"),
    "go": ("a.go", "package main\n\nfunc f() int {\n\treturn 1\n}\n", "func g() {\n}\n"),
    "rust": ("a.rs", "fn f() -> u8 {\n    1\n}\n", "#[test]\nfn g() {}\n"),
    "c": ("a.h", "int f(int a)\n{\n  return a;\n}\n", "struct g { int b; };\n"),
    "cpp": ("a.cc", "class F {\n  int a;\n};\n", "template <class T> T g(T b) {\n  return b;\n}\n"),
    "csharp": ("a.cs", "class F {\n  int A;\n}\n", "class G {\n  void H() {}\n}\n"),
    "ruby": ("a.rb", "def f(a)\n  a\nend\n", "class G\n  def h; end\nend\n"),
    "php": ("a.php", "<?php\nfunction f($a) {\n  return $a;\n}\n", "class G {\n}\n"),
    "shell": ("a.sh", "f() {\n  echo one\n}\n", "if true; then\n  f\nfi\n"),
    "sql": ("a.sql", "SELECT a, b FROM t;\n", "CREATE TABLE g (id INT);\n"),
    "html": ("a.html", "<p>\n  one é\n</p>\n", "<ul>\n  <li>two</li>\n</ul>\n"),
    "css": ("a.css", ".f {\n  color: red;\n}\n", ".g {\n  margin: 0;\n}\n"),
    "json": ("a.json", '{"f": [1, 2],\n', '"g": {"h": 3}}\n'),
    "yaml": ("a.yml", "f:\n  - one\n  - two\n", "g:\n  h: three\n"),
}


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_language_is_known_by_its_name_and_cut_between_what_it_consists_of(language: CodeLanguage) -> None:
    name, one, other = PROGRAMS[language]
    document = cv.Document(one + other, name)
    assert code_language(document) == language
    size = max(len(one), len(other))
    chunking = cv.Code(chunk_size=size, unit="characters").chunk(document)
    assert chunking.evidence.notes == ()
    assert shown(chunking) == [one.strip(), other.strip()]
    assert {chunk.metadata["language"] for chunk in chunking} == {language}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#!/usr/bin/env python3\nx = 1\n", "python"),
        ("#!/bin/bash\nls\n", "shell"),
        ("<?php echo 1;", "php"),
        ("<!DOCTYPE html>\n<p>x</p>", "html"),
        ("from os import path\n\ndef f(x):\n    return x\n\nclass G:\n    pass\n", "python"),
        ("The quick brown fox.\n\nIt was late.\n", None),
    ],
)
def test_a_text_without_a_name_is_known_by_its_lines(text: str, language: str | None) -> None:
    assert code_language(cv.Document(text)) == language


@pytest.mark.parametrize("language", GRAMMARS)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 3000,
        "- " * 3000,
        "".join(" " * n + "a:\n" for n in range(400)),
        "\0" * 5000,
        "<a>" * 1000,
        "\ud800é(" * 900,
    ],
    ids=["brackets", "dashes", "steps", "nul", "tags", "surrogates"],
)
def test_hostile_text_is_chunked_in_every_language(language: CodeLanguage, text: str) -> None:
    chunking = chunked(text, 200, language)
    assert chunking.chunks[-1].end == len(text.rstrip())


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(PROGRAMS)), st.data())
def test_programs_with_anything_in_their_midst_keep_the_laws(language: CodeLanguage, data: st.DataObject) -> None:
    program = "".join(PROGRAMS[language][1:]) * 2
    at = data.draw(st.integers(0, len(program)))
    noise = data.draw(
        st.sampled_from(["", "é", "日本", "\r\n", "'", "{", "👩‍👩‍👧", "\u0301", "\0", "\ud800", "/*", '"""'])
    )
    size = data.draw(st.integers(1, 60))
    tokenizer = cv.get_tokenizer()
    chunking = chunked(program[:at] + noise + program[at:], size, language)
    assert_laws(chunking, size=size, overlap=0, unit="characters", tokenizer=tokenizer)


def test_no_grammar_is_loaded_before_it_is_needed() -> None:
    script = "import sys, chunkviz; print([name for name in sys.modules if name.startswith('tree_sitter')])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert run.stdout.strip() == "[]"
