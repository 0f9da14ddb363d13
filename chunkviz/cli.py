"""``chunkviz …`` on the command line."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence

from chunkviz.errors import ChunkvizError
from chunkviz.samples import app_folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code. Errors are one sentence on standard error."""
    parser = argparse.ArgumentParser(
        prog="chunkviz", description="See how a document is chunked for retrieval, and why."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    app = commands.add_parser("app", help="start the app in a browser")
    app.add_argument("--port", type=int, default=8501, help="port to listen on (default: 8501)")
    app.add_argument("--address", default="127.0.0.1", help="address to listen on (default: this machine only)")
    app.add_argument("--no-browser", action="store_true", help="do not open a browser")
    chosen = parser.parse_args(arguments)
    try:
        return start_app(chosen.port, chosen.address, open_browser=not chosen.no_browser)
    except ChunkvizError as error:
        sys.stderr.write(f"chunkviz: {error}\n")
        return 1


def start_app(port: int, address: str, *, open_browser: bool) -> int:
    """Serve the app until it is stopped; return the server's exit code."""
    folder = app_folder()
    command = [
        sys.executable, "-m", "streamlit", "run", str(folder / "app.py"),
        "--server.port", str(port),
        "--server.address", address,
        "--server.headless", "false" if open_browser else "true",
    ]  # fmt: skip
    try:
        # From the app's folder, so that its .streamlit/config.toml is the one that is read.
        return subprocess.call(command, cwd=folder)  # noqa: S603  our own interpreter and file
    except KeyboardInterrupt:
        return 0
