"""Many contexts at a time: side by side as far as the writer allows, each failing on its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunkviz.errors import Cancelled, ChunkvizError, ParameterError, UnusableServiceError

if TYPE_CHECKING:
    from chunkviz.services import Writer, WriteRequest


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one request: a context, or the reason why there is none."""

    context: str | None = None
    error: str | None = None

    def __post_init__(self) -> None:
        """Hold exactly one of the two."""
        if (self.context is None) == (self.error is None):
            message = "a Written holds either a context or an error."
            raise ParameterError(message)


def write_all(
    writer: Writer, requests: Sequence[WriteRequest], report: Callable[[float], None] | None = None
) -> list[Written]:
    """Return what came of each request, in their order.

    ``writer.concurrency`` requests are under way at a time, one where it says nothing. What a
    request raises is kept in its entry only, so that the failed ones can be given again, alone. An
    ``UnusableServiceError`` (wrong key, unknown model) would meet all others too: they are not sent,
    and get it as their reason. ``report`` is told the share done, 0 to 1, after each; what it
    raises drops the work that is left.

    Raises
    ------
    Cancelled
        When ``report`` or the writer says that nobody wants the result any more.

    """
    concurrency = max(1, int(getattr(writer, "concurrency", None) or 1))
    work = _Work(writer)
    if concurrency == 1:
        written = []
        for request in requests:
            written.append(work.write(request))
            if report is not None:
                report(len(written) / len(requests))
        return written
    pool = ThreadPoolExecutor(min(concurrency, max(1, len(requests))))
    try:
        futures = [pool.submit(work.write, request) for request in requests]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            if report is not None:
                report(done / len(requests))
        return [future.result() for future in futures]
    finally:
        # What is under way cannot be stopped; nobody waits for it, and nothing else is begun.
        pool.shutdown(wait=False, cancel_futures=True)


class _Work:
    """One run over many requests, which remembers that the service is unusable."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._unusable: str | None = None
        self._lock = threading.Lock()

    def write(self, request: WriteRequest) -> Written:
        with self._lock:
            if self._unusable is not None:
                return Written(error=self._unusable)
        try:
            answer: object = self._writer.write(request)
        except Cancelled:
            raise
        except UnusableServiceError as error:
            with self._lock:
                self._unusable = str(error)
            return Written(error=str(error))
        except ChunkvizError as error:
            return Written(error=str(error))
        except Exception as error:  # noqa: BLE001  writers of others raise anything
            return Written(error=f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
        if not isinstance(answer, str):
            return Written(error=f"the writer gave {type(answer).__name__}, not text")
        context = answer.strip()
        return Written(context=context) if context else Written(error="the writer gave no text")
