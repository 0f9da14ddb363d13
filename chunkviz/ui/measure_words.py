"""Sentences beside the numbers of the Measure page: under which conditions they were measured, and what they hide."""

from __future__ import annotations

from collections.abc import Sequence

from chunkviz.evaluation import FEW_QUESTIONS, Evaluation, Interval

_DIFFERENT = 1.15
"""Largest over smallest mean size from which precision and IoU compare sizes more than boundaries."""

_MOST_PLACES = 5
"""Decimals of a share, at most."""

MEASURES = {
    "recall": "Recall at k",
    "precision": "Precision at k",
    "iou": "IoU at k",
    "precision_omega": "Precision-omega",
}


def name_of(measure: str, unit: str) -> str:
    """Return a measure as people read it: "Recall in 2,000 tokens" of "recall_at_2000"."""
    return MEASURES.get(measure) or f"Recall in {int(measure.rpartition('_')[2]):,} {unit}"


def figure_of(value: float, *, sign: bool = False) -> str:
    """Return a share with two decimals; one that would read as 0.00 with more: little is not nothing."""
    places = 2
    while 0 < abs(value) < 0.5 * 0.1**places and places < _MOST_PLACES:
        places += 1
    return f"{value:{'+' if sign else ''}.{places}f}"


def interval_of(interval: Interval, *, sign: bool = False) -> str:
    """Return an interval in brackets, or "" where one question gives none."""
    if not interval.known:
        return ""
    return f"[{figure_of(interval.low, sign=sign)}, {figure_of(interval.high, sign=sign)}]"


def warning_of_few(questions: int) -> str | None:
    """Return what to say where there are too few questions for an interval, or for a good one; or None."""
    if questions >= FEW_QUESTIONS:
        return None
    if questions == 1:
        return "One question gives no interval: it says nothing about others. Add more of them."
    return (
        f"{questions:,} questions are few: below {FEW_QUESTIONS} the intervals are narrower than they should be. "
        "Add more before you decide by them."
    )


def conditions(found: Evaluation) -> str:
    """Return how many questions, which k, ranking and embedder, and what is retrieved, in one line."""
    ranking = f"{found.ranking} ranking" + (f" by {found.embedder}" if found.embedder else " (BM25, no embedder)")
    return (
        f"{found.questions:,} question{'' if found.questions == 1 else 's'} · k = {found.k:,} · {ranking} · "
        f"mean ± standard deviation · {found.mean_retrieved_tokens:,.0f} tokens retrieved a question"
    )


def warning_of_sizes(found: Sequence[Evaluation]) -> str | None:
    """Return what to say where the settings return chunks of different mean size, or None."""
    sizes = [each.mean_returned_tokens for each in found]
    if len(sizes) < 2 or not min(sizes) or max(sizes) < _DIFFERENT * min(sizes):  # noqa: PLR2004  a comparison
        return None
    return (
        f"These settings return chunks of {min(sizes):,.0f} to {max(sizes):,.0f} tokens on average. At a fixed k, "
        "precision and IoU mostly measure chunk size; recall at a budget is the fairer figure."
    )


def warning_of_tokenizers(found: Sequence[Evaluation]) -> str | None:
    """Return what to say where the settings count in tokens of different vocabularies, or None."""
    names = dict.fromkeys(each.tokenizer for each in found)
    if len(names) < 2:  # noqa: PLR2004  a comparison
        return None
    return (
        f"These settings count in different tokens ({', '.join(names)}), so sizes and budgets in tokens are not the "
        "same amount of text. Take budgets in characters to compare them."
    )
