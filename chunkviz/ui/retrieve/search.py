"""Indexes and searches, made once per chunking, ranking and question, and remembered."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.chunk import Chunking
from chunkviz.retrieval import Hit, Index, Matches, Ranking, find_matches
from chunkviz.services import Services
from chunkviz.ui import jobs, session
from chunkviz.ui.consent import AskFirst

_KEPT = 8
"""Indexes remembered per visitor, so that going back to a setting costs nothing."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a question found in one chunking."""

    chunking: Chunking
    index: Index
    question: str
    hits: tuple[Hit, ...]
    scores: NDArray[np.float64]
    """Score of every chunk, float64 (n,)."""
    matches: Matches
    """Where the question's words stand in the hits."""


def find(chunking: Chunking, question: str, k: int, ranking: Ranking, services: Services, *, slot: str) -> Found | None:
    """Return what the question finds, or None while long work shows its progress.

    Raises
    ------
    Cancelled
        When somebody pressed Stop.
    ConsentNeeded
        Before a paid embedder is sent the chunks, and before it is sent a question.
    ChunkvizError
        As ``Index`` and its ``search``.

    """
    index = index_of(chunking, ranking, services, slot=slot)
    if index is None:
        return None
    if ranking != "lexical" and isinstance(services.embedder, AskFirst):
        services.embedder.fitted([question])  # of the chunks it was asked; each question is a request of its own

    def work(job: jobs.Job[Found]) -> Found:
        hits = index.search(question, k)
        matches = find_matches(index.chunks, question, within=[hit.chunk.span for hit in hits])
        found = Found(chunking, index, question, hits, index.scores(question), matches)
        job.report(1.0)
        return found

    job = jobs.run((index, question, k), "Searching", work, slot=f"{slot} search")
    return job.outcome() if job.done else None


def forget(slot: str) -> None:
    """Forget the work of one place, so that what failed or was stopped is tried again."""
    jobs.forget(slot)
    jobs.forget(f"{slot} search")


def index_of(chunking: Chunking, ranking: Ranking, services: Services, *, slot: str) -> Index | None:
    """Return the index over a chunking, from memory where it was made before, or None while its making is drawn.

    Raises ``Cancelled``, ``ConsentNeeded`` and ``ChunkvizError`` as ``find``.
    """
    memory: OrderedDict[Any, tuple[Chunking, Index]] = session.keep("indexes", OrderedDict)
    # The chunking stands in the memory, too, so that its id stays its own.
    key = (id(chunking), ranking, None if ranking == "lexical" else id(services.embedder))
    if key in memory:
        memory.move_to_end(key)
        return memory[key][1]

    def work(job: jobs.Job[Index]) -> Index:
        # The index keeps what it reports to: later searches must not end with this job.
        building = [True]
        index = Index(
            chunking, ranking, replace(services, report=lambda share: job.report(share) if building else None)
        )
        building.clear()
        return index

    job = jobs.run((*key, len(chunking)), f"Indexing {len(chunking):,} chunks", work, slot=slot)
    if not job.done:
        return None
    index = job.outcome()
    memory[key] = (chunking, index)
    while len(memory) > _KEPT:
        memory.popitem(last=False)
    return index
