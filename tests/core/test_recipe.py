"""Recipes: written and read back, refused where they are wrong, and held against documents."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz import cli
from chunkviz.alignment import OwnChunks
from chunkviz.assertions import assertions, commented_check, coverage
from chunkviz.errors import ParameterError
from chunkviz.recipe import FINDING_NAMES, Check, Recipe, read_recipe, recipe_of, write_recipe
from chunkviz.records import Record
from chunkviz.samples import load_sample
from tests.core.test_results import partial

CHECK = 'strategy = "recursive"\n[check]\n'
TEXT = "# Kettle\n\nFill it. Switch it on.\n\n## Care\n\nDescale it monthly. Do not scratch it."


def test_a_recipe_is_written_as_people_would() -> None:
    recipe = recipe_of(
        cv.Recursive(chunk_size=256, separators=("\n\n", 'a "b"')),
        embedder="openai",
        embedder_options={"model": "small"},
        check=Check(max_chunks=9, max_findings={"stranded_heading": 0}),
    )
    assert write_recipe(recipe) == (
        'strategy = "recursive"\ntokenizer = "cl100k_base"\nembedder = "openai"\n\n'
        '[parameters]\nchunk_size = 256\nchunk_overlap = 0\nunit = "tokens"\n'
        'separators = ["\\n\\n", "a \\"b\\""]\nis_regex = false\n\n'
        '[embedder_options]\nmodel = "small"\n\n'
        "[check]\nmax_chunks = 9\n\n[check.max_findings]\nstranded_heading = 0\n"
    )


@pytest.mark.parametrize("name", cv.list_strategies())
def test_the_recipe_of_every_strategy_reads_back(name: str) -> None:
    strategy = cv.get_strategy(name)
    recipe = recipe_of(strategy, language="en", check=Check(min_chunks=1, min_coverage=0.5, tiny_tokens=3))
    again = read_recipe(write_recipe(recipe))
    assert again.make_strategy() == strategy
    assert again.check == recipe.check
    assert again == read_recipe(write_recipe(again))


values = st.one_of(
    st.booleans(),
    st.integers(-(2**62), 2**62),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
names = st.text(st.characters(exclude_categories=["Cs"]), max_size=10).filter(lambda name: "t" not in name.lower())


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(names, st.one_of(values, st.lists(values, max_size=3)), max_size=5))
def test_any_values_are_written_as_toml_reads_them(table: dict[str, Any]) -> None:
    recipe = Recipe(strategy="recursive", parameters=table)
    assert tomllib.loads(write_recipe(recipe)).get("parameters", {}) == table


def test_what_toml_cannot_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="half a surrogate pair"):
        write_recipe(recipe_of(cv.Recursive(separators=("\ud800",))))
    with pytest.raises(ParameterError, match=r"own chunks of a\.csv were made elsewhere"):
        recipe_of(OwnChunks(file="a.csv", records=(Record(1, 1, "a"),)))


@pytest.mark.parametrize(
    "line",
    [
        'embedder_options = {api_key = ["hush"]}',
        'writer_options = {own = {api_key = "hush"}}',
        'embedder_options = "hush"',
        'embedder = ["hush"]',
        'api_key = "hush"',
    ],
)
def test_a_key_in_the_wrong_place_is_not_repeated(line: str) -> None:
    with pytest.raises(ParameterError, match=r"^r\.toml, ") as caught:
        read_recipe(f'strategy = "recursive"\n{line}', "r.toml")
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strategy =", "r.toml must be TOML"),
        ("", "r.toml, strategy must be given."),
        ('strategy = "recursiv"', "r.toml: strategy 'recursiv' is not known (did you mean 'recursive'?)"),
        ('strategy = "recursive"\n[parameters]\nchunk_size = 0', "r.toml: chunk_size must be"),
        ('strategy = "recursive"\n[parameters]\nsize = 3', "r.toml: "),
        ('strategy = "recursive"\nsize = 3', "r.toml, its field 'size' is not known; choose one of: strategy, "),
        (CHECK + "max_chunks = -1", "r.toml, check.max_chunks must be greater than or equal to 0, not -1."),
        (CHECK + "max_chunks = true", "r.toml, check.max_chunks must be a whole number, not True."),
        (CHECK + "min_coverage = 2.0", "r.toml, check.min_coverage must be less than or equal to 1, not 2.0."),
        (CHECK + "max_p95 = 64", "r.toml, check field 'max_p95' is not known (did you mean 'max_p95_tokens'?); "),
        ('strategy = "recursive"\n[check.max_findings]\nwords = 1', "r.toml, check: max_findings has no kind 'words'"),
        (
            'strategy = "recursive"\n[check]\nmin_recall = 0.5',
            "r.toml, check: min_recall and questions need each other",
        ),
        ("a = " + "[" * 5000, "r.toml must be TOML"),
        ("#" * 1_000_001, "r.toml has 1,000,001 characters"),
    ],
)
def test_a_wrong_recipe_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        read_recipe(text, "r.toml")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("options", ['api_key = "sk-1234567"', 'base_url = "https://me:sk-1234567@host/v1"'])
def test_a_key_is_refused_and_not_repeated(options: str) -> None:
    with pytest.raises(ParameterError, match="embedder_options must hold no key") as caught:
        read_recipe(f'strategy = "semantic"\nembedder = "openai"\n[embedder_options]\n{options}', "r.toml")
    assert "sk-1234567" not in str(caught.value)


def test_assertions_are_measured() -> None:
    chunking = partial("# A\n\nIt is on. He left.", (0, 3), (5, 14))
    check = Check(
        min_chunks=2,
        max_chunks=1,
        max_p95_tokens=4,
        min_coverage=1.0,
        max_findings={"stranded_heading": 0, "word": 0},
        min_recall=0.5,
        questions="q.csv",
    )
    found = {each.name: (each.expected, each.measured, each.holds) for each in assertions(check, chunking)}
    assert found == {
        "min_chunks": (2, 2, True),
        "max_chunks": (1, 2, False),
        "max_p95_tokens": (4, 3.9, True),
        "min_coverage": (1.0, 9 / 16, False),
        "max_findings.stranded_heading": (0, 1, False),
        "max_findings.word": (0, 0, True),
        "min_recall": (0.5, None, False),
    }
    assert {each.name: each.holds for each in assertions(check, chunking, recall=(0.5, ""))}["min_recall"]
    assert coverage(partial("  ")) == 1.0


def test_the_check_in_a_comment_holds_once_its_signs_are_taken_away() -> None:
    chunking = cv.FixedSize(chunk_size=64, chunk_overlap=0).chunk(load_sample("essay"))
    comment = commented_check(chunking)
    plain = write_recipe(recipe_of(chunking.strategy))
    assert read_recipe(plain + comment).check is None
    lines = [line.removeprefix("# ") for line in comment.splitlines()[2:]]
    check = read_recipe("\n".join([plain, *lines])).check
    assert check is not None
    assert check.max_chunks == len(chunking)
    assert check.min_coverage == 1
    assert all(each.holds for each in assertions(check, chunking))
    assert not all(each.holds for each in assertions(check, cv.FixedSize(chunk_size=32).chunk(chunking.document)))


def test_what_was_not_looked_for_does_not_hold() -> None:
    chunking = cv.Recursive().chunk(cv.Document("x = 1", "a.py"))
    (found,) = assertions(Check(max_findings={"table": 0}), chunking)
    assert (found.measured, found.holds) == (None, False)
    assert found.why == "the document is source code, which has no such thing"
    assert set(FINDING_NAMES) >= {"table_row", "near_duplicate"}


def test_check_prints_what_was_expected_and_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'strategy = "recursive"\n[parameters]\nchunk_size = 12\n[check]\nmin_chunks = 2\nmin_coverage = 1\n'
    )
    file = tmp_path / "a.md"
    file.write_text(TEXT)
    assert cli.main(["check", str(recipe), str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [str(file), "min_chunks", ">=", "2", "3", "holds"]
    assert lines[2].split() == [str(file), "min_coverage", ">=", "1.0000", "1.0000", "holds"]
    assert len(lines) == 3


def test_check_ends_with_1_where_something_fails_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text('strategy = "fixed_size"\n[check]\nmax_chunks = 0\n[check.max_findings]\nword = 0\n')
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(TEXT)
    (tmp_path / "docs" / "b.pdf").write_bytes(b"%PDF-nonsense")
    assert cli.main(["check", str(recipe), str(tmp_path / "docs")]) == 1
    said = capsys.readouterr()
    rows = [line.split(maxsplit=4) for line in said.out.splitlines()[1:]]
    assert [row[1:] for row in rows[:2]] == [
        ["max_chunks", "<=", "0", "1  FAILS"],
        ["max_findings.word", "<=", "0", "0  holds"],
    ]
    assert rows[2][1:3] == ["–", "FAILS"]
    assert "b.pdf" in said.out.splitlines()[3]
    assert said.err.splitlines()[-1] == "chunkviz: 1 of 2 assertions does not hold; 1 file could not be checked."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('strategy = "recursive"\n', "asks for nothing; give it a [check] table"),
        ('strategy = "recursiv"\n[check]\nmax_chunks = 1\n', "'recursiv' is not known"),
        ('strategy = "recursive"\ntokenizer = "none"\n[check]\nmax_chunks = 1\n', "'none' is not known"),
    ],
)
def test_check_ends_with_2_without_a_usable_recipe(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(text)
    assert cli.main(["check", str(recipe), str(recipe)]) == 2
    assert message in capsys.readouterr().err
    assert cli.main(["check", str(tmp_path / "none.toml"), str(recipe)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_check_measures_the_recall_of_the_recipes_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe = tmp_path / "r.toml"
    recipe.write_text(
        'strategy = "recursive"\n[parameters]\nchunk_size = 12\n'
        '[check]\nmin_recall = 1.0\nquestions = "q.jsonl"\nk = 1\n'
    )
    (tmp_path / "q.jsonl").write_text('{"question": "descale monthly", "references": ["Descale it monthly."]}\n')
    file = tmp_path / "a.md"
    file.write_text(TEXT)
    assert cli.main(["check", str(recipe), str(file)]) == 0
    assert "1.0000  holds  1 question, k = 1, lexical\n" in capsys.readouterr().out
    file.write_text("Something else.")
    assert cli.main(["check", str(recipe), str(file)]) == 1
    said = capsys.readouterr()
    assert "–  FAILS  not measured: none of the questions in q.jsonl is about it\n" in said.out
    assert said.err == "chunkviz: 1 of 1 assertions does not hold.\n"
    (tmp_path / "q.jsonl").unlink()
    assert cli.main(["check", str(recipe), str(file)]) == 2
    assert f"there must be a file {tmp_path / 'q.jsonl'}, beside the recipe" in capsys.readouterr().err
