"""``chunkviz …`` on the command line: one module a command, each with its options and what it does.

Exit codes: 0 all done; 1 something failed, and the rest is done all the same; 2 the command cannot be
carried out as it was given; 130 stopped by Ctrl-C. Errors are one sentence each on standard error.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from chunkviz import __version__
from chunkviz.cli import app, cache, check, chunk, compare, evaluate, strategies
from chunkviz.cli.speech import say, warnings_said
from chunkviz.errors import ChunkvizError, ParameterError

COMMANDS = (app, strategies, chunk, compare, evaluate, check, cache)
_STOPPED, _TERMINATED = 130, 143
"""What shells report of a program that Ctrl-C or ``kill`` ended."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence; how it would be right is a ``--help`` away."""

    def error(self, message: str) -> NoReturn:
        say(f"{message.rstrip('.')}; see {self.prog} --help.")
        sys.exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    parser = _Parser(prog="chunkviz", description="See how a document is chunked for retrieval, and why.")
    parser.add_argument("--version", action="version", version=f"chunkviz {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.declare(commands)
    chosen = parser.parse_args(arguments)
    with warnings_said(), _ended_in_order():
        try:
            code: int = chosen.run(chosen)
            sys.stdout.flush()
        except BrokenPipeError:  # whoever read has read enough
            # What is left cannot be written, and Python would complain about it when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            say(f"The output could not be written ({error.strerror or error}).")
            return 1
        except KeyboardInterrupt:
            say("Stopped.")
            return _STOPPED
        except ChunkvizError as error:
            say(str(error))
            return 2 if isinstance(error, ParameterError) else 1
    return code


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let ``kill`` end the command as an error does, so that nothing half done stays behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> NoReturn:
        sys.exit(_TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
