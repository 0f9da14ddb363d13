"""The tree of a chunking: document, parents, chunks; or, where there are no parents, document, sections, chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from chunkviz.chunk import Chunk, Chunking
from chunkviz.segments import Heading, headings, skip_blank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.document import Document

Kind: TypeAlias = Literal["document", "parent", "section", "chunk"]


@dataclass(frozen=True, slots=True)
class Section:
    """From a heading to the next that is not below it."""

    id: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes as columns: the document first, then parents or sections, then chunks, each kind in document order.

    A node stands behind the node it hangs from, so one pass from either end visits the tree in order.
    """

    members: tuple[Document | Chunk | Section, ...] = field(repr=False)
    """What each node is."""
    above: NDArray[np.int64] = field(repr=False)
    """Place of the node each hangs from, int64 (m,); -1 for the document."""
    starts: NDArray[np.int64] = field(repr=False)
    """Start of each node, int64 (m,)."""
    ends: NDArray[np.int64] = field(repr=False)
    """End of each node, int64 (m,)."""
    tokens: NDArray[np.int64] = field(repr=False)
    """Exact token count of each node's own text, int64 (m,); a parent's is not the sum of its children's."""
    inner: int
    """How many parents or sections there are; chunk ``i`` is node ``1 + inner + i``."""
    inner_kind: Literal["parent", "section"]
    left_out: int = 0
    """Headings in whose section no chunk starts, because it stands inside a chunk that starts earlier."""

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.above)

    @property
    def first_chunk(self) -> int:
        """Place of the first chunk among the nodes."""
        return 1 + self.inner

    def kind(self, node: int) -> Kind:
        """Return what a node is."""
        return "document" if node == 0 else self.inner_kind if node < self.first_chunk else "chunk"

    def node_of(self, chunk: int) -> int:
        """Return the node of a chunk, by its number from 0."""
        return self.first_chunk + chunk

    def chunk_of(self, node: int) -> int | None:
        """Return the number, from 0, of the first chunk at or below a node, or None."""
        return None if self.leaves[node] == 0 else int(self.first_leaf[node])

    def id_of(self, node: int) -> str:
        """Return the id of a node: unique in the tree, equal on every run."""
        return self.members[node].id

    def title_of(self, node: int) -> str:
        """Return the title of a section or the name of the document; "" for parents and chunks, which have numbers."""
        member = self.members[node]
        if isinstance(member, Chunk):
            return ""
        return member.title if isinstance(member, Section) else member.title or member.name

    def children_of(self, node: int) -> tuple[int, ...]:
        """Return the nodes that hang from a node, in document order."""
        order, bounds = self._by_parent
        return tuple(order[bounds[node] : bounds[node + 1]].tolist())

    @cached_property
    def _by_parent(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All nodes by what they hang from, and where those of each node begin, int64 (m,) and (m + 1,)."""
        # A section's own chunks start before those of its subsections; the numbers of the nodes do not say so.
        order = np.lexsort((self.starts, self.above))
        return order, np.searchsorted(self.above[order], np.arange(len(self) + 1))

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """Steps from the document to each node, int64 (m,)."""
        depths = np.zeros(len(self), np.int64)
        over = self.above
        while (inside := over >= 0).any():
            depths += inside
            over = np.where(inside, self.above[over], -1)
        return depths

    def place_in_level(self, node: int) -> int:
        """Return how many nodes of the same depth and kind stand before a node: neighbours differ by one."""
        return int(self._places[node])

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        places = np.zeros(len(self), np.int64)
        is_chunk = np.arange(len(self)) >= self.first_chunk
        order = np.lexsort((np.arange(len(self)), is_chunk, self.depths))
        level = self.depths[order] * 2 + is_chunk[order]
        begins = np.concatenate([[True], level[1:] != level[:-1]])
        at = np.arange(len(self))
        places[order] = at - np.maximum.accumulate(np.where(begins, at, 0))
        return places

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        """Chunks at or below each node, int64 (m,)."""
        return self._summed(np.ones(len(self) - self.first_chunk, np.int64))

    @cached_property
    def weights(self) -> NDArray[np.int64]:
        """Tokens of the chunks at or below each node, int64 (m,): what a picture's areas add up to."""
        return self._summed(self.tokens[self.first_chunk :])

    @cached_property
    def first_leaf(self) -> NDArray[np.int64]:
        """Number of the first chunk at or below each node, int64 (m,); meaningless where there is none."""
        first = np.full(len(self), len(self), np.int64)
        first[self.first_chunk :] = np.arange(len(self) - self.first_chunk)
        for nodes in self._levels:
            np.minimum.at(first, self.above[nodes], first[nodes])
        return first

    def _summed(self, of_chunks: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = np.zeros(len(self), np.int64)
        sums[self.first_chunk :] = of_chunks
        for nodes in self._levels:
            np.add.at(sums, self.above[nodes], sums[nodes])
        return sums

    @property
    def _levels(self) -> Iterator[NDArray[np.int64]]:
        """The nodes of each depth, from the deepest up to those that hang from the document."""
        return (np.flatnonzero(self.depths == depth) for depth in range(int(self.depths.max()), 0, -1))


def tree_of(chunking: Chunking) -> Tree:
    """Return the tree of a chunking: its parents, or the headings of the document where it has none."""
    document = chunking.document
    if chunking.parents:
        above = [0 if each.parent is None else 1 + each.parent.index for each in chunking.parents]
        inner: Sequence[Chunk | Section] = chunking.parents
        tokens = chunking.parent_token_counts.tolist()
        owners = chunking.parent_places + 1
        left_out = 0
    else:
        sections, above, owners, left_out = _sections(chunking)
        inner = sections
        tokens = [chunking.tokens.count(each.start, each.end) for each in sections]
    whole = len(document.text)
    return Tree(
        members=(document, *inner, *chunking),
        above=np.concatenate(([-1], np.array(above, np.int64), owners)).astype(np.int64),
        starts=np.concatenate(([0], [each.start for each in inner], chunking.starts)).astype(np.int64),
        ends=np.concatenate(([whole], [each.end for each in inner], chunking.ends)).astype(np.int64),
        tokens=np.concatenate(([len(chunking.tokens)], tokens, chunking.token_counts)).astype(np.int64),
        inner=len(inner),
        inner_kind="parent" if chunking.parents else "section",
        left_out=left_out,
    )


def _sections(chunking: Chunking) -> tuple[list[Section], list[int], NDArray[np.int64], int]:
    """Return the sections in which chunks start, the node each hangs from, that of each chunk, and those left out."""
    document = chunking.document
    found = headings(document)
    enclosing, ends = _nested(found, document)
    visible = np.array([skip_blank(document.text, start) for start in chunking.starts.tolist()], np.int64)
    owner = np.searchsorted(np.array([each.start for each in found], np.int64), visible, "right") - 1
    used: set[int] = set()
    for place in set(owner.tolist()):
        while place >= 0 and place not in used:
            used.add(place)
            place = enclosing[place]  # noqa: PLW2901  walks up from each
    kept = sorted(used)
    nodes = {-1: 0, **{place: 1 + at for at, place in enumerate(kept)}}
    sections = [
        Section(f"{document.id}:h:{found[at].start}", found[at].title, found[at].start, ends[at]) for at in kept
    ]
    owners = np.array([nodes[place] for place in owner.tolist()], np.int64)
    return sections, [nodes[enclosing[at]] for at in kept], owners, len(found) - len(kept)


def _nested(found: Sequence[Heading], document: Document) -> tuple[list[int], list[int]]:
    """Return, for each heading, the place of the heading it stands under (or -1), and the end of its section."""
    enclosing: list[int] = []
    ends = [len(document.text)] * len(found)
    stack: list[int] = []
    for at, heading in enumerate(found):
        while stack and found[stack[-1]].level >= heading.level:
            ends[stack.pop()] = heading.start
        enclosing.append(stack[-1] if stack else -1)
        stack.append(at)
    return enclosing, ends


@dataclass(frozen=True, slots=True)
class Sizes:
    """Median, smallest and largest of some counts; all 0 where there are none."""

    median: float
    smallest: int
    largest: int


@dataclass(frozen=True, slots=True)
class Family:
    """What there is to say about parents and children, measured on their spans."""

    parents: int
    """Parents of every level."""
    levels: tuple[int, ...]
    """How many parents there are at each level, from 1, which holds chunks, upwards."""
    children: int
    parent_tokens: Sizes
    """Of the parents that hold chunks."""
    child_tokens: Sizes
    children_per_parent: Sizes
    """Chunks in each parent that holds chunks."""
    ratio: float
    """Median over the children of parent tokens to child tokens: how much more is returned than was found."""
    orphans: tuple[int, ...]
    """Numbers of the chunks without a parent."""
    crossing: tuple[int, ...]
    """Numbers of the chunks that reach beyond a parent, their own or one further up; there must be none."""


def family(chunking: Chunking) -> Family:
    """Measure parents and children; the orphans are all chunks where there are no parents."""
    owners = chunking.parent_places
    owned = owners >= 0
    sizes = chunking.parent_token_counts
    used, counts = np.unique(owners[owned], return_counts=True)
    levels = Counter(parent.level for parent in chunking.parents)
    shares = sizes[owners[owned]] / np.maximum(1, chunking.token_counts[owned])
    return Family(
        parents=len(chunking.parents),
        levels=tuple(levels[level] for level in range(1, max(levels, default=0) + 1)),
        children=len(chunking),
        parent_tokens=_sizes(sizes[used]),
        child_tokens=_sizes(chunking.token_counts),
        children_per_parent=_sizes(counts),
        ratio=float(np.median(shares)) if len(shares) else 0.0,
        orphans=tuple(np.flatnonzero(~owned).tolist()),
        crossing=tuple(chunk.index for chunk in chunking if _crosses(chunk)),
    )


def _crosses(chunk: Chunk) -> bool:
    above = chunk.parent
    while above is not None:
        if chunk.start < above.start or chunk.end > above.end:
            return True
        above = above.parent
    return False


def _sizes(counts: NDArray[np.int64]) -> Sizes:
    if not len(counts):
        return Sizes(0.0, 0, 0)
    return Sizes(float(np.median(counts)), int(counts.min()), int(counts.max()))
