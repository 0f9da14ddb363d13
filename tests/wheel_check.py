"""Start the installed app, away from any checkout, and ask it for its page; run by .ci/run."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import chunkviz
from chunkviz.samples import app_folder, list_samples, load_sample, questions_file


def main() -> None:
    """Exit with an error where the installed package lacks something."""
    assert app_folder() == Path(chunkviz.__file__).parent / "_app", app_folder()
    assert all(len(load_sample(sample.id)) > 1000 for sample in list_samples())
    assert questions_file().is_file()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).parent / "chunkviz"
    server = subprocess.Popen([program, "app", "--no-browser", "--port", str(port)])  # noqa: S603  our own program
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
                    assert answer.read() == b"ok"
                    sys.stdout.write("the installed app answers\n")
                    return
            except (urllib.error.URLError, TimeoutError):
                assert server.poll() is None, "the app stopped by itself"
                time.sleep(0.2)
        message = "the app did not answer"
        raise SystemExit(message)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
