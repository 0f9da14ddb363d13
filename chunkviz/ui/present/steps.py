"""The six steps of presenter mode: what each shows, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chunkviz.chunk import Chunking
from chunkviz.metrics import numbers
from chunkviz.strategies import FixedSize, Hierarchical, Recursive, Semantic, Strategy

Figures = tuple[tuple[str, str], ...]
"""Names and values, measured on the chunking of the step."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: a document, a strategy, a place to look at, and figures measured on it."""

    name: str
    title: str
    words: str
    sample: str
    strategy: Strategy
    numbers: Callable[[Chunking], Figures]
    look: Callable[[Chunking], int | None]


def _first_cut_inside_a_sentence(chunking: Chunking) -> int | None:
    """Return the first chunk that ends without the end of a sentence."""
    return next((chunk.index for chunk in chunking if chunk.text[-1] not in ".!?”’"), 0)


def _sizes(chunking: Chunking) -> Figures:
    measured = numbers(chunking)
    cut = "–" if measured.mid_sentence is None else f"{measured.mid_sentence:.0%}"
    return (
        ("Chunks", f"{measured.chunks:,}"),
        ("Cut mid-sentence", cut),
        ("Median tokens", f"{measured.median:,.10g}"),
        ("Tokens to embed", f"×{measured.duplication:.2f}"),
    )


def _none(_: Chunking) -> Figures:
    return ()


def _threshold(chunking: Chunking) -> Figures:
    curve = chunking.evidence.curve
    if curve is None or curve.threshold is None:
        return _sizes(chunking)
    return (
        ("Chunks", f"{len(chunking):,}"),
        ("Segments compared", f"{len(curve):,}"),
        ("Threshold", f"{curve.threshold:.2f}"),
        ("Cut mid-sentence", _sizes(chunking)[1][1]),
    )


def _family(chunking: Chunking) -> Figures:
    child = chunking[_child_to_find(chunking) or 0]
    parent = child.parent
    return (
        ("Children, searched", f"{len(chunking):,}"),
        ("Parents, returned", f"{len(chunking.parents):,}"),
        ("Tokens of this child", f"{child.token_count:,}"),
        ("Tokens of its parent", "–" if parent is None else f"{parent.token_count:,}"),
    )


def _child_to_find(chunking: Chunking) -> int | None:
    return min(5, len(chunking) - 1) if len(chunking) else None


def _at_the_start(chunking: Chunking) -> int | None:
    return 0 if len(chunking) else None


def _second(chunking: Chunking) -> int | None:
    return 1 if len(chunking) > 1 else None


_SIZE = 128
_FIXED = FixedSize(chunk_size=_SIZE, chunk_overlap=0)
_OVERLAPPING = FixedSize(chunk_size=_SIZE, chunk_overlap=32)
_RECURSIVE = Recursive(chunk_size=_SIZE, chunk_overlap=0)
_SEMANTIC = Semantic(threshold_mode="percentile", threshold=20)
_HIERARCHICAL = Hierarchical(parent_chunk_size=1500, chunk_size=400, chunk_overlap=0)

STEPS = (
    Step(
        "fixed", "A fixed cut does not read.",
        f"Every {_SIZE} tokens, a cut. The selected chunk breaks off in the middle of a sentence; so do nearly all.",
        "essay", _FIXED, _sizes, _first_cut_inside_a_sentence,
    ),
    Step(
        "overlap", "Overlap softens the cut, and you pay for it.",
        "Now each chunk repeats the last 32 tokens of the one before. Most cuts still fall inside a sentence, "
        "and a third more text is embedded, stored and searched.",
        "essay", _OVERLAPPING, _sizes, _second,
    ),
    Step(
        "recursive", "Cut where the text itself has a joint.",
        "The same size limit, but a chunk ends with a paragraph, else a line, else a sentence. No sentence is cut.",
        "essay", _RECURSIVE, _sizes, _at_the_start,
    ),
    Step(
        "curve", "Or where the subject changes.",
        "Each point compares two neighbouring sentences. Where they have least in common, a chunk may end. "
        "The line is the threshold: drag it, and the chunks below follow.",
        "essay", _SEMANTIC, _threshold, _second,
    ),
    Step(
        "family", "Search small, return large.",
        "A small child matches a question precisely; its parent gives the model enough to answer with. "
        "The child that was found is selected, and the bracket beside it is what is returned.",
        "contract", _HIERARCHICAL, _family, _child_to_find,
    ),
    Step(
        "cost", "Every choice has its price.",
        "The same essay under each setting you have seen. What is embedded is paid for, stored and searched.",
        "essay", _RECURSIVE, _none, _at_the_start,
    ),
)  # fmt: skip

PRICED = (
    ("Fixed", _FIXED),
    ("Fixed with overlap", _OVERLAPPING),
    ("Recursive", _RECURSIVE),
    ("Semantic", _SEMANTIC),
    ("Hierarchical, children", _HIERARCHICAL),
)
"""The settings of the last step."""
