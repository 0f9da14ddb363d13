"""The command line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from chunkviz import cli, samples
from chunkviz.errors import ChunkvizError, UnknownNameError


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


def test_an_unknown_sample_answers_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'manuel' is not known \(did you mean 'manual'"):
        samples.load_sample("manuel")
    assert len(samples.list_samples()) == 8
