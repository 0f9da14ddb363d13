"""What the command line says beside its output: sentences and a bar of progress, on standard error."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

_WIDTH = 30
_SECONDS_BETWEEN = 0.1
_CLEAR = "\r\x1b[K"


def say(sentence: str) -> None:
    """Write one sentence to standard error, in one line and without what a terminal would obey."""
    line = " ".join(sentence.split())
    plain = "".join(character if character.isprintable() else "\ufffd" for character in line)
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr.write(f"chunkviz: {plain.encode(encoding, 'replace').decode(encoding)}\n")
    sys.stderr.flush()


def write_text(text: str) -> None:
    """Write lines to standard output, a character that its encoding does not have as a question mark."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


@contextmanager
def warnings_said() -> Iterator[None]:
    """Show warnings as sentences, and not with the line of the code that gave them."""

    def show(message: Warning | str, *_: Any) -> None:
        say(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show  # type: ignore[assignment]  # the rest of what it is given is not shown
        yield


class Progress:
    """A bar on standard error while work is under way; nothing where that is no terminal.

    ``shown`` is false where the output goes to the same terminal.
    """

    def __init__(self, label: str, *, shown: bool = True) -> None:
        self.label = label
        self._shown = shown and sys.stderr.isatty()
        self._drawn = False
        self._next = 0.0

    def report(self, share: float) -> None:
        """Draw the share done, 0 to 1, ten times a second at most."""
        now = time.monotonic()
        if not self._shown or now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN
        done = round(min(1.0, max(0.0, share)) * _WIDTH)
        sys.stderr.write(f"{_CLEAR}{self.label} [{'#' * done}{'.' * (_WIDTH - done)}] {share:4.0%}")
        sys.stderr.flush()
        self._drawn = True

    def part(self, place: int, parts: int) -> Callable[[float], None]:
        """Return what reports the progress of one of several parts of equal weight."""
        return lambda share: self.report((place + share) / parts)

    def say(self, sentence: str) -> None:
        """Say something in place of the bar, which is drawn again below."""
        self.clear()
        say(sentence)

    def clear(self) -> None:
        """Take the bar away."""
        if self._drawn:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
            self._drawn, self._next = False, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
