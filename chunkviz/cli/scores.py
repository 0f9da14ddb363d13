"""Evaluations as rows of a table, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chunkviz.document import without_surrogates
from chunkviz.errors import ChunkvizError, UnknownNameError
from chunkviz.evaluation import FEW_QUESTIONS, Evaluation, Failure, compare
from chunkviz.wording import count_of

HEADER = ("strategy", "chunks", "tokens", "recall", "precision", "IoU", "omega", "whole", "split", "lost")
_ENDINGS = (".json", ".csv")
_UNLIKE = 1.25
"""Ratio of mean sizes from which precision and IoU mostly say how large chunks are."""


def row_of(label: str, reached: Evaluation, first: Evaluation) -> list[str]:
    """Return the cells of a strategy; the last is its recall at the first budget against the first strategy's."""
    means = [reached.mean(measure) for measure in ("recall", "precision", "iou", "precision_omega")]
    at = [f"{reached.mean(f'recall_at_{budget}'):.1%}" for budget in reached.budgets]
    difference = compare(reached, first, f"recall_at_{first.budgets[0]}")
    interval = f" [{difference.low:+.1%}, {difference.high:+.1%}]" if difference.known else ""
    against = f"{difference.mean:+.1%}{interval}" if reached is not first else "-"
    return [
        label,
        f"{reached.chunks:,}",
        f"{reached.mean_returned_tokens:,.0f}",
        f"{means[0]:.1%} ± {reached.deviation('recall'):.1%}",
        *(f"{mean:.1%}" for mean in means[1:]),
        *(f"{reached.total(fate):,}" for fate in ("whole", "split", "lost")),
        *at,
        against,
    ]


def legend(reached: Sequence[Evaluation]) -> str:
    """Return what the numbers were measured with, and what they mean."""
    if not reached:
        return "Nothing was measured.\n"
    first = reached[0]
    asked = f"{count_of(first.questions, 'question')}, {count_of(len(first.documents), 'document')}"
    embedder = "" if first.embedder is None else f", embedder {first.embedder}"
    lines = [
        f"{asked}, k = {first.k}, {first.ranking}{embedder}.",
        "tokens: mean of one hit as it is returned; recall ± standard deviation, precision and IoU at k; omega: IoU",
        f"of a perfect search; whole, split, lost: references; at N: recall within N {first.unit} retrieved; against",
        f"the first: difference at {first.budgets[0]:,} with its 95 % paired bootstrap interval.",
    ]
    if first.questions < FEW_QUESTIONS:
        lines.append(
            f"Below {FEW_QUESTIONS} questions an interval is narrower than it should be; a single one has none."
        )
    sizes = [each.mean_returned_tokens for each in reached if each.mean_returned_tokens]
    if sizes and max(sizes) > _UNLIKE * min(sizes):
        lines.append(
            "Mean sizes differ: at fixed k, precision and IoU mostly measure them; compare recall at a budget."
        )
    return "\n".join(lines) + "\n"


def writable(out: Path) -> None:
    """Refuse an ending that says nothing, before there is anything to lose."""
    if out.suffix.lower() not in _ENDINGS:
        what = "ending of --out:"
        raise UnknownNameError(what, out.suffix, _ENDINGS)


def to_file(out: Path, labels: Sequence[str], outcomes: Sequence[Evaluation | Failure]) -> None:
    """Write the evaluations.

    Raises
    ------
    ChunkvizError
        When the file cannot be written.

    """
    rows = [_summary(label, each) for label, each in zip(labels, outcomes, strict=True)]
    if out.suffix.lower() == ".json":
        full = [
            {**row, "results": each.to_row()["results"]} if isinstance(each, Evaluation) else row
            for row, each in zip(rows, outcomes, strict=True)
        ]
        data = json.dumps({"evaluations": full}, indent=1) + "\n"
    else:
        names = list(dict.fromkeys(name for row in rows for name in row if name not in {"config", "documents"}))
        buffer = io.StringIO(newline="")
        writer = csv.DictWriter(buffer, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        data = buffer.getvalue()
    try:
        out.write_bytes(without_surrogates(data).encode())
    except OSError as error:
        message = f"{out} could not be written ({error.strerror or error}); check the folder and the space left."
        raise ChunkvizError(message) from error


def _summary(label: str, outcome: Evaluation | Failure) -> dict[str, Any]:
    if isinstance(outcome, Failure):
        return {"setting": label, "strategy": outcome.strategy, "error": outcome.reason}
    row = outcome.to_row()
    summary = {"setting": label, **{name: row[name] for name in row if name not in {"results", "budgets"}}}
    summary |= {"questions": outcome.questions, "mean_retrieved_tokens": outcome.mean_retrieved_tokens}
    summary |= {fate: outcome.total(fate) for fate in ("whole", "split", "lost")}
    for measure in outcome.measures:
        interval = outcome.interval(measure)
        summary |= {
            measure: interval.mean,
            f"{measure}_deviation": outcome.deviation(measure),
            f"{measure}_low": interval.low if interval.known else None,
            f"{measure}_high": interval.high if interval.known else None,
        }
    return summary
