"""Chunkings, made once per setting and remembered."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import Any

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.segments import sentences
from chunkviz.services import Services
from chunkviz.strategies import ContextualRetrieval, Strategy
from chunkviz.tokens import TokenMap
from chunkviz.ui import jobs, session
from chunkviz.ui.consent import AskFirst
from chunkviz.ui.text import as_plain

_KEPT = 12
"""Chunkings remembered per visitor, so that going back to a setting costs nothing."""


_PREPARING = 0.3
"""Share of the progress bar for counting the document's tokens."""
_CHUNKED = 0.85
"""Share at which the chunks are there; what is left is counting their tokens, which every page shows."""


def chunking_of(
    document: Document, strategy: Strategy, services: Services, *, slot: str = "chunking", drawn: bool = True
) -> Chunking | None:
    """Return the chunking, from memory where it was made before, or None while long work shows its progress.

    A new setting in the same ``slot`` ends the work before it. ``drawn`` is that of ``jobs.run``.
    """
    memory: OrderedDict[Any, Chunking] = session.keep("chunkings", OrderedDict)
    key = _key(document, strategy, services)
    if key in memory:
        memory.move_to_end(key)
        return memory[key]

    def work(job: jobs.Job[Chunking]) -> Chunking:
        TokenMap.of(document, services.tokenizer).prepare(lambda share: job.report(share * _PREPARING))
        reporting = replace(services, report=lambda share: job.report(_PREPARING + share * (_CHUNKED - _PREPARING)))
        if isinstance(services.writer, AskFirst) and isinstance(strategy, ContextualRetrieval):
            services.writer.check(strategy.missing(document, reporting))
        chunking = strategy.chunk(document, reporting)
        sentences(document)  # the numbers need them; here their making shows as work
        chunking.prepare(lambda share: job.report(_CHUNKED + share * (1 - _CHUNKED)))
        return chunking

    job = jobs.run(key, f"Chunking {as_plain(document.name) or 'the text'}", work, slot=slot, drawn=drawn)
    if not job.done:
        return None
    chunking = job.outcome()
    memory[key] = chunking
    while len(memory) > _KEPT:
        memory.popitem(last=False)
    return chunking


def is_begun(document: Document, strategy: Strategy, services: Services, *, slot: str) -> bool:
    """Return whether the chunking is in memory, or the job in ``slot`` makes it or has tried to."""
    memory: OrderedDict[Any, Chunking] = session.keep("chunkings", OrderedDict)
    key = _key(document, strategy, services)
    return key in memory or jobs.holds(key, slot)


def forget(document: Document, strategy: Strategy, services: Services) -> None:
    """Forget one chunking, so that what failed in it is tried again."""
    memory: OrderedDict[Any, Chunking] = session.keep("chunkings", OrderedDict)
    memory.pop(_key(document, strategy, services), None)
    jobs.forget("chunking")


def _key(document: Document, strategy: Strategy, services: Services) -> tuple[Any, ...]:
    # The session holds one object for each setting of a service.
    asked = (id(services.embedder), id(services.writer)) if strategy.services_needed() else ()
    return (document.id, document.language, strategy, services.tokenizer.name, *asked)
