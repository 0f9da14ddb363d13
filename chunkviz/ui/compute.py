"""Chunkings, made once per setting and remembered."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.segments import sentences
from chunkviz.services import Services
from chunkviz.strategies import Strategy
from chunkviz.tokens import Tokenizer, TokenMap
from chunkviz.ui import jobs, session
from chunkviz.ui.text import as_plain

_KEPT = 12
"""Chunkings remembered per visitor, so that going back to a setting costs nothing."""


def chunking_of(document: Document, strategy: Strategy, tokenizer: Tokenizer) -> Chunking | None:
    """Return the chunking, from memory where it was made before, or None while long work shows its progress."""
    memory: OrderedDict[Any, Chunking] = session.keep("chunkings", OrderedDict)
    key = (document.id, document.language, strategy, tokenizer.name)
    if key in memory:
        memory.move_to_end(key)
        return memory[key]

    def work(job: jobs.Job[Chunking]) -> Chunking:
        TokenMap.of(document, tokenizer).prepare(job.report)
        chunking = strategy.chunk(document, Services(tokenizer=tokenizer))
        sentences(document)  # the numbers need them; here their making shows as work
        job.report(1.0)
        return chunking

    job = jobs.run(key, f"Chunking {as_plain(document.name) or 'the text'}", work, slot="chunking")
    if not job.done:
        return None
    chunking = job.outcome()
    memory[key] = chunking
    while len(memory) > _KEPT:
        memory.popitem(last=False)
    return chunking
