"""The command line."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import chunkviz as cv
from chunkviz import cli, export, samples
from chunkviz.cli.arguments import named_strategy, read_parameters, starting_values
from chunkviz.cli.sources import Source
from chunkviz.cli.speech import Progress
from chunkviz.cli.tables import table
from chunkviz.cli.work import Done, Order
from chunkviz.errors import ChunkvizError, ParameterError, UnknownNameError
from chunkviz.params import parameters_of, unescaped
from chunkviz.settings import PREFIX, Settings
from chunkviz.strategies import all_strategies, strategy_class
from tests.services.server import KEY, WRONG_KEY, Server, running

TEXT = "# Kettle\n\nFill it. Switch it on.\n\n## Care\n\nDescale it monthly. Do not scratch it."
OURS = str(Path(cv.__file__).parents[1])

# The app -------------------------------------------------------------------------------------------


def test_app_starts_the_apps_own_file_on_this_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    class Server:
        def __init__(self, command: list[str], cwd: Path, env: dict[str, str]) -> None:
            seen.update(command=command, cwd=cwd, env=env)

        def wait(self) -> int:
            return 7

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    monkeypatch.setattr("subprocess.Popen", Server)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert cli.main(["app", "--port", port, "--no-browser"]) == 7
    command = seen["command"]
    assert isinstance(command, list)
    assert command[1:5] == ["-m", "streamlit", "run", str(samples.app_folder() / "app.py")]
    assert dict(zip(command[5::2], command[6::2], strict=True)) == {
        "--server.port": port,
        "--server.address": "127.0.0.1",
        "--server.headless": "true",
        "--server.maxUploadSize": "50",
    }
    assert seen["cwd"] == samples.app_folder()
    environment = seen["env"]
    assert isinstance(environment, dict)
    assert environment["CHUNKVIZ_ENV_FILE"] == str(Path(".env").absolute())


def test_a_port_that_is_taken_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert cli.main(["app", "--port", str(port)]) == 1
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["99999", "0", "http"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["app", "--port", port])
    assert "from 1 to 65535" in capsys.readouterr().err


def test_an_app_that_is_not_there_is_one_sentence_and_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost() -> Path:
        message = "chunkviz was installed without its app; install it again."
        raise ChunkvizError(message)

    monkeypatch.setattr("chunkviz.cli.app.app_folder", lost)
    assert cli.main(["app"]) == 1
    assert capsys.readouterr().err == "chunkviz: chunkviz was installed without its app; install it again.\n"


def test_an_unknown_command_is_refused() -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["dance"])
    assert caught.value.code == 2


# What is typed --------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _settings_of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*Settings.model_fields, "env_file"):
        monkeypatch.delenv(f"{PREFIX}{name.upper()}", raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", str(tmp_path / "kept"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


@pytest.fixture
def kettle() -> Path:
    path = Path("kettle.md")
    path.write_text(TEXT)
    return path


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("kind", all_strategies(), ids=lambda kind: kind.name)
def test_every_parameter_can_be_typed_as_it_is_declared(kind: type[cv.Strategy]) -> None:
    default = kind()
    typed = []
    for parameter in parameters_of(kind):
        value = getattr(default, parameter.name)
        typed += [(parameter.name, str(each)) for each in (value if isinstance(value, tuple) else (value,))]
    assert kind(**read_parameters(kind, typed)) == default


def test_lists_take_one_value_each_time_with_escapes() -> None:
    typed = [("separators", r"\n\n"), ("separators", r"\t"), ("separators", ". "), ("separators", "")]
    assert read_parameters(cv.Recursive, typed) == {"separators": ("\n\n", "\t", ". ")}
    assert read_parameters(cv.Recursive, [("separators", r"\s+"), ("is_regex", "yes")]) == {
        "separators": (r"\s+",),
        "is_regex": True,
    }
    assert [unescaped(each) for each in (r"\\n", r"a\sb", "\\", r"\d", r"\r")] == [r"\n", "a b", "\\", r"\d", "\r"]


@pytest.mark.parametrize(
    ("strategy", "typed", "message"),
    [
        ("semantic", ("treshold", "1"), "parameter of semantic: 'treshold' is not known (did you mean 'threshold'?)"),
        ("semantic", ("threshold", "high"), "threshold must be a number, not 'high'."),
        ("semantic", ("threshold", "nan"), "threshold must be a number, not 'nan'."),
        ("semantic", ("threshold", "7"), "threshold must be"),
        ("semantic", ("threshold_mode", "percentil"), "(did you mean 'percentile'?); choose one of: absolute,"),
        ("fixed_size", ("chunk_size", "1.5"), "chunk_size must be a whole number, not '1.5'."),
        ("fixed_size", ("chunk_size", "0"), "chunk_size must be greater than or equal to 1, not 0."),
        ("recursive", ("is_regex", "maybe"), "is_regex must be true or false, not 'maybe'."),
        ("contextual_retrieval", ("base", "recursiv"), "value of base: 'recursiv' is not known"),
    ],
)
def test_a_wrong_value_is_one_sentence_and_exit_code_2(
    strategy: str, typed: tuple[str, str], message: str, kettle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["chunk", str(kettle), "--strategy", strategy, "--set", "=".join(typed)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("chunkviz: ")
    assert said.count("\n") == 1


def test_settings_start_what_is_not_typed_and_give_way_to_what_is() -> None:
    settings = Settings(chunk_size=100, chunk_overlap=20, semantic_threshold=0.7)
    notes: list[str] = []
    assert starting_values(cv.FixedSize, {}, settings) == {"chunk_size": 100, "chunk_overlap": 20}
    assert starting_values(cv.FixedSize, {"chunk_size": 16}, settings, notes.append) == {"chunk_overlap": 4}
    assert notes == ["chunk_overlap is 4, since 20 would not be below chunk_size, which is 16."]
    assert starting_values(cv.Semantic, {}, settings) == {"threshold": 0.7}
    assert starting_values(cv.Semantic, {"threshold_mode": "percentile"}, settings) == {}
    smaller = starting_values(cv.Hierarchical, {"parent_chunk_size": 40}, settings)
    assert cv.Hierarchical(parent_chunk_size=40, **smaller).chunk_size == 10


def test_a_strategy_and_its_parameters_in_one_word() -> None:
    assert named_strategy("recursive") == ("recursive", [])
    assert named_strategy(r"recursive:chunk_size=9,separators=\,,separators=;") == (
        "recursive", [("chunk_size", "9"), ("separators", ","), ("separators", ";")]
    )  # fmt: skip
    with pytest.raises(ParameterError, match="a parameter in 'recursive:9' must be NAME=VALUE, not '9'"):
        named_strategy("recursive:9")


# strategies, compare, cache -------------------------------------------------------------------------


def test_strategies_lists_all_of_them_and_the_parameters_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["strategies"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["strategy", *cv.list_strategies()]
    for name in cv.list_strategies():
        assert cli.main(["strategies", name]) == 0
        out = capsys.readouterr().out
        for parameter in parameters_of(strategy_class(name)):
            assert any(line.startswith(f"{parameter.name} ") and parameter.help in line for line in out.splitlines())
    assert cli.main(["strategies", "semantc"]) == 2
    assert "did you mean 'semantic'?" in capsys.readouterr().err


def test_compare_shows_measured_numbers_of_every_strategy(kettle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compare", str(kettle)]) == 0
    header, *rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert [row.split()[0] for row in rows] == list(cv.list_strategies())
    chunks = {row.split()[0]: int(row.split()[header.split().index("chunks")]) for row in rows}
    assert chunks["sentence_window"] == len(cv.SentenceWindow().chunk(cv.load(kettle)))


def test_one_that_fails_is_a_row_of_its_own(
    kettle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        message = "nothing\nworks"
        raise RuntimeError(message)

    monkeypatch.setattr(cv.Semantic, "cut", fail)
    assert cli.main(["compare", str(kettle), "--strategy", "semantic", "--strategy", "recursive:chunk_size=9"]) == 1
    _, failed, other = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert failed == "semantic                RuntimeError: nothing works"
    assert other.split()[:2] == ["recursive:chunk_size=9", "4"]
    assert cli.main(["compare", str(kettle), "--strategy", "semantic:thresold=1"]) == 2


def test_a_table_keeps_its_columns_under_wide_letters() -> None:
    made = table(("a", "n"), [("東京", "1"), ("x", "22"), ("e\u0301", "3")], right=frozenset({1}))
    assert made == "a      n\n東京   1\nx     22\ne\u0301      3\n"


def test_the_cache_is_shown_and_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["cache"]) == 0
    assert "Vectors:  0 (0.0 MB)" in capsys.readouterr().out
    assert not (tmp_path / "kept").exists()
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "vectors.sqlite3").write_bytes(b"damaged" * 1000)
    assert cli.main(["cache"]) == 1
    assert "cannot be used" in capsys.readouterr().err
    assert cli.main(["cache", "clear"]) == 0
    assert cli.main(["cache"]) == 0
    monkeypatch.setenv("CHUNKVIZ_CACHE_FOLDER", "off")
    assert cli.main(["cache", "clear"]) == 0
    assert "CHUNKVIZ_CACHE_FOLDER is off" in capsys.readouterr().out


# chunk: one document --------------------------------------------------------------------------------


def test_chunks_are_those_of_the_library_in_every_format(kettle: Path, capsysbinary: Any) -> None:
    chunking = cv.Recursive(chunk_size=9).chunk(cv.load(kettle))
    expected = {"jsonl": export.to_jsonl(chunking), "csv": export.to_csv(chunking)}
    for form, data in expected.items():
        assert cli.main(["chunk", str(kettle), "--set", "chunk_size=9", "--format", form]) == 0
        assert capsysbinary.readouterr().out == data
        assert cli.main(["chunk", str(kettle), "--set", "chunk_size=9", "--out", f"out.{form}"]) == 0
        assert Path(f"out.{form}").read_bytes() == data
    assert cli.main(["chunk", str(kettle), "--set", "chunk_size=9", "--out", "OUT.PARQUET"]) == 0
    rows = [{**row, "metadata": "{}"} for row in export.rows(chunking)]
    assert pq.read_table("OUT.PARQUET").to_pylist() == rows
    assert cli.main(["chunk", str(kettle), "--set", "chunk_size=9", "--format", "parquet"]) == 0
    out = capsysbinary.readouterr().out
    assert pq.read_table(io.BytesIO(out)).to_pylist() == rows
    assert sorted(path.name for path in Path().iterdir()) == ["OUT.PARQUET", "kettle.md", "out.csv", "out.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kettle.md", "--out", "out.txt"], "ending of --out: '.txt' is not known; choose one of: .jsonl, .csv,"),
        (["kettle.md", "--out", "x.csv", "--format", "jsonl"], "--format jsonl and the ending of --out x.csv name two"),
        (["kettle.md", "--strategy", "recursiv"], "did you mean 'recursive'?"),
        (["kettle.md", "--tokenizer", "cl100k"], "encoding 'cl100k' is not known (did you mean 'cl100k_base'?)"),
        (["kettle.md", "--language", "english"], "language 'english' is not known"),
        (["kettle.md", "--name", "a.md"], "--name is for standard input; give - as the file."),
        (["kettle.md", "--embedder", "lexicl"], "embedder 'lexicl' is not known (did you mean 'lexical'?)"),
        (["kettle.md", "--embedder-set", "model=a"], "--embedder-set needs --embedder, which it belongs to."),
        (["kettle.md", "--embedder", "lexical", "--embedder-set", "dimension=2"], "did you mean 'dimensions'?"),
        (["kettle.md", "--embedder", "lexical", "--embedder-set", "dimensions=3"], "a power of two"),
        (["kettle.md", "--embedder", "openai", "--embedder-set", "api_key=sk"], "A key is no option"),
        (["kettle.md", "--writer", "poet"], "writer 'poet' is not known"),
        (["kettle.md", "--out", "."], "ending of --out"),
        (["kettle.md", "--out", ".", "--format", "csv"], "--out must name a file, and . is none."),
    ],
)
def test_what_cannot_be_carried_out_is_one_sentence_and_exit_code_2(
    arguments: list[str], message: str, kettle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kettle.exists()
    assert cli.main(["chunk", *arguments]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize(
    "arguments", [["chunk"], ["chunk", "a", "--set", "x"], ["chunk", "a", "--jobs", "0"], ["cache", "burn"]]
)
def test_what_is_no_command_is_one_sentence_and_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"see chunkviz {arguments[0]} --help." in said


def test_a_wrong_setting_is_one_sentence(
    kettle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHUNKVIZ_CHUNK_SIZE", "big")
    assert cli.main(["chunk", str(kettle)]) == 2
    said = capsys.readouterr().err
    assert said == "chunkviz: The setting CHUNKVIZ_CHUNK_SIZE must be a whole number, not 'big'.\n"


def test_the_language_is_that_of_the_sentences(kettle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kettle.write_text("Das ist z. B. ein Satz. Und noch einer.")
    assert cli.main(["chunk", str(kettle), "--strategy", "sentence_window", "--language", "de"]) == 0
    assert [line["text"] for line in lines(capsys.readouterr().out)] == ["Das ist z. B. ein Satz.", "Und noch einer."]


def test_a_service_that_nobody_asks_is_said(kettle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["chunk", str(kettle), "--embedder", "lexical"]) == 0
    assert capsys.readouterr().err == "chunkviz: recursive asks no embedder, so --embedder changes nothing.\n"


def test_notes_about_the_chunks_are_said(kettle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["chunk", str(kettle), "--strategy", "page"]) == 0
    assert capsys.readouterr().err == f"chunkviz: {kettle}: This has no pages, so it is packed as one.\n"


def test_what_is_no_file_in_a_folder_is_said_and_left_out(kettle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path("folder")
    folder.mkdir()
    kettle.rename(folder / "kettle.md")
    os.mkfifo(folder / "never.md")
    (folder / "noise").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "s"))
        assert cli.main(["chunk", "folder"]) == 0
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "chunkviz: folder/never.md is a pipe and no file; it is left out.",
        "chunkviz: folder/noise is a device and no file; it is left out.",
        "chunkviz: folder/s is a socket and no file; it is left out.",
    ]
    assert {line["document"] for line in lines(said.out)} == {"kettle.md"}


def test_limits_of_the_settings_hold(
    kettle: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHUNKVIZ_MAX_CHARACTERS", "10")
    assert cli.main(["chunk", str(kettle)]) == 1
    assert "over the limit of 10" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_one_sentence(kettle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["chunk", str(kettle), "--out", "nowhere/out.csv"]) == 1
    assert capsys.readouterr().err.startswith("chunkviz: nowhere/out.csv could not be written (No such file")


def test_a_run_without_any_chunks_leaves_what_was_there(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.jsonl").write_text("before")
    assert cli.main(["chunk", "missing.md", "--out", "out.jsonl"]) == 1
    assert Path("out.jsonl").read_text() == "before"
    assert capsys.readouterr().err.startswith("chunkviz: missing.md could not be opened")
    assert [path.name for path in Path().iterdir()] == ["out.jsonl"]


# chunk: folders and processes ---------------------------------------------------------------------------


@pytest.fixture
def folder() -> Path:
    files = {
        "b.md": "Second.", "a/z.md": "First of a.", "a.md": "First.", "c/broken.pdf": "%PDF-1.7 nothing",
        "c/empty.md": "", "d.txt": "Last.", ".hidden.md": "Hidden.", ".git/config": "Hidden.",
    }  # fmt: skip
    for name, text in files.items():
        path = Path("docs", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Path("docs")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder_is_chunked_in_the_order_of_its_paths_and_what_cannot_be_read_is_said(
    jobs: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = folder / "chunks.jsonl"
    for _ in range(2):  # the output of the first run is no document of the second
        assert cli.main(["chunk", str(folder), "--jobs", jobs, "--out", str(out)]) == 1
        written = lines(out.read_text())
        assert [line["document"] for line in written] == ["a/z.md", "a.md", "b.md", "d.txt"]
        assert [line["text"] for line in written] == ["First of a.", "First.", "Second.", "Last."]
        first, second = capfd.readouterr().err.splitlines()
        assert "broken.pdf" in first
        assert "empty.md is empty" in second
    assert not list(folder.glob(".*.part"))


def test_files_keep_their_order_and_count_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(folder / "b.md"), str(folder / "a.md"), str(folder / "b.md")]
    assert cli.main(["chunk", *given, "--format", "csv", "--jobs", "1"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["document"] for row in rows] == ["b.md", "a.md"]


def test_what_takes_long_is_handed_to_processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handed: list[tuple[list[str], int]] = []

    def side_by_side(sources: list[Source], _order: Order, jobs: int) -> Iterator[Done]:
        handed.append(([source.name for source in sources], jobs))
        return iter([Done(source, export.to_jsonl(cv.Recursive().chunk(source.name))) for source in sources])

    monkeypatch.setattr("chunkviz.cli.work.side_by_side", side_by_side)
    monkeypatch.setattr("chunkviz.cli.chunk.processors", lambda: 3)
    assert cli.main(["chunk", str(folder)]) == 1
    assert handed == []
    capsys.readouterr()
    monkeypatch.setattr("chunkviz.cli.work._PATIENCE", -1)
    assert cli.main(["chunk", str(folder)]) == 0
    assert handed == [(["a/z.md", "a.md", "b.md", "c/broken.pdf", "c/empty.md", "d.txt"], 3)]
    assert len(lines(capsys.readouterr().out)) == 6


def test_a_terminal_shows_a_bar_which_makes_way_for_sentences(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress("Chunking") as progress:
        progress.report(0.5)
        progress.report(0.6)  # too soon after the other
        progress.say("One\nsentence\x1b[31m.")
    assert capsys.readouterr().err == (
        f"\r\x1b[KChunking [{'#' * 15}{'.' * 15}]  50%\r\x1b[Kchunkviz: One sentence\ufffd[31m.\n"
    )
    with Progress("Chunking", shown=False) as progress:
        progress.report(0.5)
    assert capsys.readouterr().err == ""


def test_a_folder_without_files_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("nothing").mkdir()
    assert cli.main(["chunk", "nothing"]) == 1
    assert capsys.readouterr().err == "chunkviz: nothing holds no files; give a folder with documents in it.\n"
    assert cli.main(["compare", "nothing"]) == 1


# chunk: paid services -----------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with running() as service:
        service.dimensions = 1536  # those of the model that is asked by default
        monkeypatch.setenv("CHUNKVIZ_OPENAI_BASE_URL", service.url)
        yield service


SEMANTIC = ["--strategy", "semantic", "--set", "min_chunk_size=1", "--embedder", "openai"]
CONTEXT = [
    "--strategy",
    "contextual_retrieval",
    "--set",
    "chunk_size=9",
    "--set",
    "chunk_overlap=0",
    "--writer",
    "openai",
]


@pytest.mark.parametrize("arguments", [SEMANTIC, CONTEXT], ids=["embedder", "writer"])
def test_nothing_is_sent_without_a_yes(
    arguments: list[str], server: Server, kettle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["chunk", str(kettle), *arguments, "--out", "out.jsonl"]) == 2
    said = capsys.readouterr().err
    assert "Estimate: " in said
    assert said.endswith("chunkviz: Nothing was sent; give --yes to send it.\n")
    assert cli.main(["compare", str(kettle), "--strategy", arguments[1], *arguments[-2:]]) == 2
    assert server.received == []
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_on_a_terminal_somebody_is_asked(
    answer: str, code: int, server: Server, kettle: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal(answer))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert cli.main(["chunk", str(kettle), *SEMANTIC]) == code
    assert len(server.received) == (code == 0)
    assert "Send it? [y/N] " in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [SEMANTIC, CONTEXT], ids=["embedder", "writer"])
def test_with_a_warm_cache_nothing_is_sent_and_nobody_asked(
    arguments: list[str], server: Server, kettle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["chunk", str(kettle), *arguments, "--yes"]) == 0
    first = capsys.readouterr()
    sent = len(server.received)
    assert sent
    assert {request.key for request in server.received} == {KEY}
    assert KEY not in first.out + first.err
    assert cli.main(["chunk", str(kettle), *arguments]) == 0
    second = capsys.readouterr()
    assert len(server.received) == sent
    assert (second.out, second.err) == (first.out, "")
    assert cli.main(["chunk", str(kettle), *arguments, "--yes", "--no-cache"]) == 0
    assert len(server.received) == 2 * sent


def test_the_estimate_is_that_of_all_documents_and_comes_before_the_first_call(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["chunk", str(folder), *SEMANTIC, "--yes", "--out", "out.jsonl"]) == 1
    first, *others = capsys.readouterr().err.splitlines()
    assert "Estimate: 4 calls, 10 tokens in" in first
    assert len(others) == 2
    assert len(server.received) == 4


def test_a_key_goes_to_the_address_of_the_settings_only(
    server: Server, kettle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CHUNKVIZ_OPENAI_BASE_URL")
    assert cli.main(["chunk", str(kettle), *SEMANTIC, "--yes", "--embedder-set", f"base_url={server.url}"]) == 0
    assert {request.key for request in server.received} == {"no-key"}


def test_a_service_that_refuses_is_one_sentence_for_each_document(
    server: Server, kettle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.always = WRONG_KEY
    assert cli.main(["chunk", str(kettle), *SEMANTIC, "--yes", "--out", "out.jsonl"]) == 1
    assert "did not accept the API key" in capsys.readouterr().err
    assert not Path("out.jsonl").exists()


def test_a_context_that_failed_is_said_and_the_chunks_are_written(
    server: Server, kettle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.chat = lambda _: {"message": {"role": "assistant", "content": ""}}
    assert cli.main(["chunk", str(kettle), *CONTEXT, "--yes"]) == 1
    said = capsys.readouterr()
    assert "kettle.md: 3 of 3 chunks have no context: " in said.err
    assert [line["context"] for line in lines(said.out)] == [None, None, None]


# Real processes -----------------------------------------------------------------------------------------


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "chunkviz", *arguments]


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": OURS, "PYTHONDONTWRITEBYTECODE": "1"}


def test_standard_input_to_standard_output(environment: dict[str, str]) -> None:
    done = subprocess.run(  # noqa: S603  our own interpreter
        command("chunk", "-", "--name", "kettle.md", "--set", "chunk_size=9"),
        env=environment, input=TEXT.encode(), capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == export.to_jsonl(cv.Recursive(chunk_size=9).chunk(cv.load_bytes(TEXT.encode(), "kettle.md")))
    assert done.stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of Unix")
def test_a_reader_that_has_enough_is_no_error(environment: dict[str, str]) -> None:
    Path("long.md").write_text(TEXT * 20_000)
    line = f"{sys.executable} -m chunkviz chunk long.md --set chunk_size=9 | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(  # noqa: S603  our own line
        ["bash", "-c", line], env=environment, capture_output=True, text=True, check=True, timeout=120  # noqa: S607
    )  # fmt: skip
    first, code = done.stdout.splitlines()
    assert json.loads(first)["index"] == 0
    assert (code, done.stderr) == ("0", "")


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
@pytest.mark.parametrize(
    ("jobs", "sent", "code"), [("1", signal.SIGINT, 130), ("2", signal.SIGINT, 130), ("1", signal.SIGTERM, 143)]
)
def test_a_run_that_is_stopped_leaves_no_half_file(
    jobs: str, sent: signal.Signals, code: int, environment: dict[str, str], kettle: Path
) -> None:
    Path("out.jsonl").write_text("before")
    os.mkfifo("never.md")  # nobody writes to it, so its reader waits
    running = subprocess.Popen(  # noqa: S603  our own interpreter
        command("chunk", str(kettle), "never.md", "--jobs", jobs, "--out", "out.jsonl"),
        env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    waited = 0
    while not list(Path().glob(".*.part")) and waited < 600:
        time.sleep(0.1)
        waited += 1
    time.sleep(0.5)
    os.killpg(running.pid, sent)  # as a terminal does: to all of its processes
    _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (code, "chunkviz: Stopped.\n" if sent == signal.SIGINT else "")
    assert Path("out.jsonl").read_text() == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["kettle.md", "never.md", "out.jsonl"]


def test_an_unknown_sample_answers_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'manuel' is not known \(did you mean 'manual'"):
        samples.load_sample("manuel")
    assert len(samples.list_samples()) == 8
