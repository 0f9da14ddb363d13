"""``chunkviz app``: the app, in a browser."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from chunkviz.errors import ChunkvizError
from chunkviz.samples import app_folder
from chunkviz.settings import ENV_FILE, Settings

if TYPE_CHECKING:
    from chunkviz.cli.arguments import Commands

_LAST_PORT = 65_535


def declare(commands: Commands) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("app", help="start the app in a browser")
    parser.add_argument("--port", type=_port, default=8501, help="port to listen on (default: 8501)")
    parser.add_argument("--address", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Serve the app; return the server's exit code."""
    return start_app(chosen.port, chosen.address, open_browser=not chosen.no_browser)


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _LAST_PORT:
        message = f"a port is a whole number from 1 to {_LAST_PORT}, not {text!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def start_app(port: int, address: str, *, open_browser: bool) -> int:
    """Serve the app until it is stopped; return the server's exit code.

    Raises
    ------
    ChunkvizError
        When this machine has no such address, or the port is taken.

    """
    folder = app_folder()
    try:
        with socket.create_server((address, port)):
            pass
    except OSError as error:
        message = f"cannot listen on {address}:{port} ({error.strerror or error}); choose another --address or --port."
        raise ChunkvizError(message) from error
    command = [
        sys.executable, "-m", "streamlit", "run", str(folder / "app.py"),
        "--server.port", str(port),
        "--server.address", address,
        "--server.headless", "true",
        "--server.maxUploadSize", str(Settings().max_upload_megabytes),
    ]  # fmt: skip
    # From the app's folder, so that its .streamlit/config.toml is the one that is read.
    # The settings are those of the folder that it was started in.
    environment = {**os.environ, ENV_FILE: str(Path(os.environ.get(ENV_FILE, ".env")).absolute())}
    server = subprocess.Popen(command, cwd=folder, env=environment)  # noqa: S603  our own interpreter and file
    # Whoever ends this process means the server.
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    if open_browser:
        threading.Thread(target=_open_when_ready, args=(port, address, server), daemon=True).start()
    while True:
        try:
            return server.wait()
        except KeyboardInterrupt:
            server.terminate()


def _open_when_ready(port: int, address: str, server: subprocess.Popen[bytes]) -> None:
    host = "127.0.0.1" if address in {"0.0.0.0", "::", ""} else address  # noqa: S104  only asked about
    while server.poll() is None:
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            webbrowser.open(f"http://{host}:{port}")
            return
