"""Small-to-big: search small chunks, return the large ones around them.

The idea is LangChain's ParentDocumentRetriever; returning a parent only when enough of its children were
found is LlamaIndex's AutoMergingRetriever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chunkviz.chunk import Chunk, Chunking
from chunkviz.errors import ParameterError
from chunkviz.model_input import write_model_input

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Passage:
    """One thing that is returned: a parent, or a chunk for itself, with the chunks found in it."""

    returned: Chunk
    found: tuple[Chunk, ...]
    children: int
    """How many chunks stand in it; 1 for a chunk."""

    @property
    def merged(self) -> bool:
        """True where a parent is returned."""
        return self.returned.level > 0


@dataclass(frozen=True, slots=True)
class Collected:
    """What a model would be given for the chunks found."""

    passages: tuple[Passage, ...]
    """In document order, each once."""
    found: tuple[Chunk, ...]
    """The chunks found, in document order, each once."""

    @property
    def text(self) -> str:
        """What a model would be given, one block a chunk found, in the form of ``chunkviz.model_input``."""
        return write_model_input(
            (chunk, passage.returned if passage.merged else None)
            for passage in self.passages
            for chunk in passage.found
        )

    @property
    def token_count(self) -> int:
        """Tokens of what is returned, each passage counted alone."""
        return sum(each.returned.token_count for each in self.passages)

    @property
    def found_token_count(self) -> int:
        """Tokens of the chunks found alone."""
        return sum(each.token_count for each in self.found)

    @property
    def repeated(self) -> int:
        """Characters returned more than once, where passages overlap."""
        twice, reached = 0, 0
        for each in self.passages:
            start, end = each.returned.start, each.returned.end
            twice += max(0, min(end, reached) - start)
            reached = max(reached, end)
        return twice


def collect(chunking: Chunking, hits: Iterable[int], *, merge_at: int = 1, up_to: int = 1) -> Collected:
    """Return what small-to-big gives for the chunks found: parents where enough children were found.

    Parameters
    ----------
    chunking
        With parents, or without: then each chunk is returned for itself.
    hits
        Numbers of the chunks found, from 0; order and repeats do not matter.
    merge_at
        Children that bring their parent: it is returned in their place as soon as so many of its direct
        children would be returned, or all of them where it has fewer.
    up_to
        The highest level that may be returned, from 1; each level is merged after the one below it.

    Raises
    ------
    ParameterError
        When ``merge_at`` or ``up_to`` is below 1, or a hit is not the number of a chunk.

    """
    found = tuple(chunking[place] for place in _checked(chunking, hits, merge_at, up_to))
    returned = _merged(chunking, found, merge_at, up_to)
    inside: dict[str, list[Chunk]] = {}
    for each in found:
        inside.setdefault(_outermost(each, returned).id, []).append(each)
    kept = sorted((returned[name] for name in inside), key=lambda each: (each.start, each.end))
    below = _chunks_below(chunking)
    return Collected(
        tuple(Passage(each, tuple(inside[each.id]), 1 if each.level == 0 else int(below[each.index])) for each in kept),
        found,
    )


def _checked(chunking: Chunking, hits: Iterable[int], merge_at: int, up_to: int) -> list[int]:
    """Return the hits in order, each once, or raise."""
    for name, value in (("merge_at", merge_at), ("up_to", up_to)):
        if value < 1:
            message = f"{name} must be at least 1, not {value}."
            raise ParameterError(message)
    places = sorted(set(hits))
    for place in places[:1] + places[-1:]:
        if not 0 <= place < len(chunking):
            message = f"hits must be numbers of chunks from 0 to {len(chunking) - 1}, not {place}."
            raise ParameterError(message)
    return places


def _merged(chunking: Chunking, found: Sequence[Chunk], merge_at: int, up_to: int) -> dict[str, Chunk]:
    """Return what stands for the chunks found when each level has been merged into the one above it, by id."""
    sizes = Counter(each.parent.index for each in (*chunking.parents, *chunking) if each.parent is not None)
    returned = {each.id: each for each in found}
    for level in range(1, up_to + 1):
        reached: dict[int, list[Chunk]] = {}
        for each in returned.values():
            if each.parent is not None and each.parent.level == level:
                reached.setdefault(each.parent.index, []).append(each)
        for place, children in reached.items():
            if len(children) >= min(merge_at, sizes[place]):
                for child in children:
                    del returned[child.id]
                returned[chunking.parents[place].id] = chunking.parents[place]
    return returned


def _outermost(chunk: Chunk, returned: dict[str, Chunk]) -> Chunk:
    """Return the largest of what is returned around a chunk: a smaller one would only repeat it."""
    outermost, above = chunk, chunk.parent
    while above is not None:
        outermost = above if above.id in returned else outermost
        above = above.parent
    return outermost


def _chunks_below(chunking: Chunking) -> NDArray[np.int64]:
    """Return how many chunks stand in each parent, at any depth; int64 (parents,)."""
    counts = np.bincount(chunking.parent_places[chunking.parent_places >= 0], minlength=len(chunking.parents))
    for parent in reversed(chunking.parents):
        if parent.parent is not None:
            counts[parent.parent.index] += counts[parent.index]
    return counts.astype(np.int64)
