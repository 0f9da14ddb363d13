"""Reads files in a process of its own, which can be ended at any time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from chunkviz.errors import Cancelled, DocumentError
from chunkviz.loaders.limits import Limits

_POLL_SECONDS = 0.05
_PACKAGE = Path(__file__).resolve().parents[1]
# The package's public face would import every strategy, most of a second; the child needs the loaders alone.
_START = """
import sys, types
package = sys.modules["chunkviz"] = types.ModuleType("chunkviz")
package.__path__ = sys.argv[1:]
from chunkviz.loaders.child import main
main()
"""
# Keys, tokens and proxies of the server are none of a parser's business.
_KEPT_ENVIRONMENT = frozenset(
    {"PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT", "WINDIR", "TEMP", "TMP", "TMPDIR"}
)
_MEMORY_WORDS = ("memory", "Cannot allocate", "bad_alloc", "failed to map")


def parse(data: bytes, name: str, limits: Limits, cancelled: Callable[[], bool] | None) -> dict[str, Any]:
    """Return what the child made of the file: ``text``, ``pages``, ``title``, ``changes``.

    The bytes go in by a pipe and the result comes back by one: nothing about the file is in the command line or on
    the disk. However this function is left, the child has ended.

    Raises
    ------
    DocumentError
        With the child's own sentence, or because it took too long, ran out of memory or crashed.
    Cancelled
        When ``cancelled`` said so.

    """
    request = json.dumps({"name": name, "limits": asdict(limits)}).encode() + b"\n" + data
    process = subprocess.Popen(  # noqa: S603 - a fixed command
        [sys.executable, "-c", _START, str(_PACKAGE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=_environment(),
    )
    # A thread feeds it, since communicate(input, timeout) forgets the rest of a large input at its second call.
    pipe, process.stdin = process.stdin, None
    feeder = threading.Thread(target=_feed, args=(pipe, request), daemon=True)
    feeder.start()
    try:
        output, errors = _communicate(process, name, limits, cancelled)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()  # closes the pipes and reaps
        feeder.join()  # its pipe broke when the child ended
    return _result(output, errors, name, limits)


def _feed(pipe: IO[bytes] | None, request: bytes) -> None:
    """Write the request and close the pipe; a child that has ended reads no more."""
    if pipe is not None:
        with suppress(OSError), pipe:
            pipe.write(request)


def _communicate(
    process: subprocess.Popen[bytes],
    name: str,
    limits: Limits,
    cancelled: Callable[[], bool] | None,
) -> tuple[bytes, bytes]:
    """Wait for the child, looking at the clock and at ``cancelled`` twenty times a second."""
    deadline = time.monotonic() + limits.seconds
    while True:
        left = deadline - time.monotonic()
        try:
            return process.communicate(timeout=max(0.0, min(_POLL_SECONDS, left)))
        except subprocess.TimeoutExpired:
            pass
        if cancelled is not None and cancelled():
            message = f"Loading {name} was cancelled; load it again when it is wanted."
            raise Cancelled(message)
        if left <= 0:
            message = f"{name} took longer than {limits.seconds:g} seconds to read; split it, or allow more seconds."
            raise DocumentError(message)


def _result(output: bytes, errors: bytes, name: str, limits: Limits) -> dict[str, Any]:
    """Return the child's answer, or say how it died."""
    try:
        answer: dict[str, Any] = json.loads(output)
    except ValueError:
        last = errors.decode("utf-8", "replace")[-2_000:]
        if any(word in last for word in _MEMORY_WORDS):
            answer = {"memory": True}
        else:
            message = (
                f"{name} made its parser crash; the file may be damaged: open it in its program and save it again."
            )
            raise DocumentError(message) from None
    if answer.get("memory"):
        megabytes = limits.max_memory_bytes // 1_000_000
        message = f"{name} needs more than {megabytes:,} MB of memory to read; split it, or allow more memory."
        raise DocumentError(message)
    if "error" in answer:
        raise DocumentError(answer["error"])
    return answer


def _environment() -> dict[str, str]:
    """Environment of the child: what Python needs to start and to find the parsers."""
    kept = {key: value for key, value in os.environ.items() if key.upper() in _KEPT_ENVIRONMENT}
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "RUST_BACKTRACE": "0",
    }
