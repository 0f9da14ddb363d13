"""``chunkviz …`` on the command line."""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence

from chunkviz import __version__
from chunkviz.errors import ChunkvizError
from chunkviz.samples import app_folder

_LAST_PORT = 65_535


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code. Errors are one sentence on standard error."""
    parser = argparse.ArgumentParser(
        prog="chunkviz", description="See how a document is chunked for retrieval, and why."
    )
    parser.add_argument("--version", action="version", version=f"chunkviz {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    app = commands.add_parser("app", help="start the app in a browser")
    app.add_argument("--port", type=_port, default=8501, help="port to listen on (default: 8501)")
    app.add_argument("--address", default="127.0.0.1", help="address to listen on (default: this machine only)")
    app.add_argument("--no-browser", action="store_true", help="do not open a browser")
    chosen = parser.parse_args(arguments)
    try:
        return start_app(chosen.port, chosen.address, open_browser=not chosen.no_browser)
    except ChunkvizError as error:
        sys.stderr.write(f"chunkviz: {error}\n")
        return 1


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
    ]  # fmt: skip
    # From the app's folder, so that its .streamlit/config.toml is the one that is read.
    server = subprocess.Popen(command, cwd=folder)  # noqa: S603  our own interpreter and file
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
