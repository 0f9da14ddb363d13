"""The process that parses one file: request on stdin, JSON on stdout, nothing else touched.

Started by ``process.parse``. The request is one line of JSON (``name``, ``limits``) and then the bytes
of the file. The answer is ``{"text", "pages", "title", "changes"}``, ``{"error": sentence}`` or ``{"memory": true}``.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import sys
from contextlib import suppress

from chunkviz.errors import DocumentError
from chunkviz.loaders.decoding import decode
from chunkviz.loaders.kinds import kind_of
from chunkviz.loaders.limits import Limits

_CLONE_NEWUSER_AND_NEWNET = 0x10000000 | 0x40000000
_GRACE_SECONDS = 5.0  # the parent ends the child first; this is for a parent that has died


def main() -> None:
    """Read the request, parse, write the answer."""
    answer_to = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a parser's own prints must not reach the answer
    header, _, data = sys.stdin.buffer.read().partition(b"\n")
    request = json.loads(header)
    limits = Limits(**request["limits"])
    _leave_network()  # before there is a second thread, which would forbid it
    faulthandler.dump_traceback_later(limits.seconds + _GRACE_SECONDS, exit=True)
    _bound(limits)
    answer_to.write(json.dumps(_answer(data, request["name"], limits)).encode())
    answer_to.flush()
    os._exit(0)  # no parser's threads or destructors are waited for


def _answer(data: bytes, name: str, limits: Limits) -> dict[str, object]:
    """Parse, with every failure turned into data."""
    try:
        if kind_of(data, name) is None:
            text, changes = decode(data, name)
            return {"text": text, "pages": [], "title": None, "changes": changes}
        from chunkviz.loaders.extract import extract  # noqa: PLC0415 - the parsers, once the limits are in force

        return extract(data, name, limits)
    except DocumentError as error:
        return {"error": str(error)}
    except (MemoryError, RecursionError):
        return {"memory": True}


def _leave_network() -> None:
    """Move to a network without interfaces, where the platform allows."""
    if sys.platform.startswith("linux"):
        # Some containers forbid it; the parsers fetch nothing by themselves.
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).unshare(_CLONE_NEWUSER_AND_NEWNET)


def _bound(limits: Limits) -> None:
    """Give up writing files and boundless memory, where the platform allows."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for which, bound in ((resource.RLIMIT_AS, limits.max_memory_bytes), (resource.RLIMIT_FSIZE, 0)):
        with suppress(OSError, ValueError):
            hard = resource.getrlimit(which)[1]
            soft = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            resource.setrlimit(which, (soft, hard))
