"""The leave-behind report: one HTML file that opens offline, for people who have no Python.

It holds the viewer's own script and the same messages the app sends it, so the document, its
boundaries, the drawer and the table work as they do in the app. The threshold slider moves among
chunkings that the core made beforehand: nothing is computed twice, and nothing can disagree.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from chunkviz import __version__
from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import ParameterError
from chunkviz.export import to_python
from chunkviz.metrics import fidelity, numbers
from chunkviz.services import Services
from chunkviz.ui.charts import figure_script, figure_style
from chunkviz.ui.report.settings import bar_code, comparison
from chunkviz.ui.viewer.payload import boundaries_message, document_message
from chunkviz.ui.viewer.source import viewer_script, viewer_style
from chunkviz.wording import count_of

__all__ = ["MOST_CHARACTERS", "check_length", "to_report"]

_HERE = Path(__file__).parent
MOST_CHARACTERS = 5_000_000
"""Longest document a report is made of; a browser opens a file of this size at once, and a mail still takes it."""
_STEPS = 60
"""Thresholds the slider offers at most."""
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""Whatever the document holds, the file asks no host for anything."""


def check_length(document: Document) -> None:
    """Raise ``ParameterError`` for a document longer than ``MOST_CHARACTERS``, before anything is made of it."""
    if len(document) > MOST_CHARACTERS:
        message = (
            f"A report holds documents of up to {MOST_CHARACTERS:,} characters, and this one has {len(document):,}; "
            "make it from an excerpt, or export the chunks as JSONL instead."
        )
        raise ParameterError(message)


def to_report(
    chunking: Chunking,
    services: Services | None = None,
    *,
    others: Sequence[tuple[str, Chunking]] = (),
    failed: Sequence[tuple[str, str]] = (),
    name: str = "This setting",
    report: Callable[[float], None] = lambda _: None,
) -> bytes:
    """Return the report as one HTML file, UTF-8.

    Parameters
    ----------
    chunking
        What the report is about.
    services
        Those the chunking was made with; the thresholds of the slider are chunked with them.
    others
        Settings to compare with: a name and a chunking of the same document each.
    failed
        Settings that could not be made: a name and the reason each, told in the comparison.
    name
        What the chunking is called in the comparison.
    report
        Told the share done (0 to 1); what it raises ends the work.

    Raises
    ------
    ParameterError
        When the document is longer than ``MOST_CHARACTERS``.

    """
    document = chunking.document
    check_length(document)
    data = {
        "document": _coded(document_message(document, viewer="viewer", height=620, highlights=True)),
        **_steps(chunking, services or Services(), report),
    }
    settings = [(name, chunking), *others]
    parts = {
        "title": escape(document.title or document.name or "Untitled"),
        "policy": _POLICY,
        "style": f"{(_HERE / 'report.css').read_text('utf-8')}\n{figure_style()}",
        "setting": escape(repr(chunking.strategy)),
        "tokenizer": escape(chunking.tokens.tokenizer.name),
        "version": escape(__version__),
        "facts": _facts(chunking),
        "curve": "" if data["curve"] is None else (_HERE / "curve.html").read_text("utf-8"),
        "heading": "Settings compared" if others or failed else "Where chunks begin along the document",
        "comparison": comparison(settings, failed) if others or failed else bar_code(settings),
        "code": escape(to_python(chunking)),
        "data": json.dumps(data, separators=(",", ":")),
        "viewer_style": json.dumps(viewer_style()).replace("</", "<\\/"),
        "script": f"{viewer_script()}\n{figure_script()}\n{(_HERE / 'report.js').read_text('utf-8')}",
    }
    template = (_HERE / "report.html").read_text("utf-8")
    # One pass, so that a part which happens to spell the sign of another stays as it is.
    page = re.sub(r"%%(\w+)%%", lambda sign: parts[sign[1]], template)
    report(1.0)
    return page.encode("utf-8", "replace")


def _coded(message: bytes) -> str:
    return base64.b64encode(message).decode("ascii")


def _steps(chunking: Chunking, services: Services, report: Callable[[float], None]) -> dict[str, Any]:
    """Return the boundaries at each threshold of the slider, or those of the chunking alone."""
    curve = chunking.evidence.curve
    made: list[tuple[float | None, Chunking]] = [(None, chunking)]
    at = 0
    if curve is not None and curve.threshold is not None and curve.mode != "gradient" and len(curve) > 1:
        thresholds = _thresholds(curve.signal[curve.allowed], curve.threshold)
        at = thresholds.index(curve.threshold)
        made = []
        for place, threshold in enumerate(thresholds):
            made.append((threshold, chunking if place == at else _at(chunking, threshold, services)))
            report(place / len(thresholds))
    else:
        curve = None
    return {
        "steps": [_step(each, threshold) for threshold, each in made],
        "at": at,
        "curve": None if curve is None else {
            "similarities": [round(float(each), 4) for each in curve.similarities],
            "ends": curve.ends.tolist(),
            "embedder": curve.embedder,
        },
    }  # fmt: skip


def _at(chunking: Chunking, threshold: float, services: Services) -> Chunking:
    config = {**chunking.strategy.config(), "threshold": threshold, "threshold_mode": "absolute"}
    config.pop("strategy")
    return type(chunking.strategy)(**config).chunk(chunking.document, services)


def _thresholds(signal: np.ndarray[Any, np.dtype[np.float32]], own: float) -> list[float]:
    """Return the thresholds of the slider, rising: places where the boundaries change, and the setting's own."""
    distinct = np.unique(signal)
    above = np.nextafter(distinct[-1], np.float32(2))  # among what similarities are held in: a finer step would round
    between = np.concatenate(([distinct[0]], (distinct[:-1] + distinct[1:]) / 2, [above])).astype(np.float64)
    if len(between) > _STEPS:
        between = between[np.unique(np.linspace(0, len(between) - 1, _STEPS).round().astype(np.int64))]
    return sorted({*(float(each) for each in between.clip(-1, 1)), own})


def _step(chunking: Chunking, threshold: float | None) -> dict[str, Any]:
    counts = chunking.token_counts
    some = len(counts) > 0
    return {
        "threshold": threshold,
        "boundaries": _coded(boundaries_message(chunking, viewer="viewer")),
        "numbers": {
            "Chunks": f"{len(counts):,}",
            "Median tokens": f"{np.median(counts) if some else 0:,.10g}",
            "p95 tokens": f"{np.percentile(counts, 95) if some else 0:,.0f}",
            "Smallest – largest": f"{counts.min():,} – {counts.max():,}" if some else "–",
            **({"Parents": f"{len(chunking.parents):,}"} if chunking.parents else {}),
        },
        "fidelity": _fidelity(chunking),
    }


def _fidelity(chunking: Chunking) -> dict[str, Any]:
    """Return whether all text is in some chunk, that in words, and how much is and is not."""
    found = fidelity(chunking)
    return {
        "complete": found.complete,
        "verdict": "All text accounted for" if found.complete else f"{count_of(len(found.gaps), 'place')} left out",
        "facts": f"{found.covered:,} of {found.characters:,} characters covered · {found.left_out:,} left out · "
        f"{found.blank:,} white space between chunks · {found.doubled:,} doubled",
    }


def _facts(chunking: Chunking) -> str:
    """Return what was measured on the setting as it was chosen; the slider does not move these."""
    measured = numbers(chunking)

    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    return (
        f"As set: ×{measured.duplication:.2f} tokens to embed · {share(measured.mid_sentence)} of boundaries cut "
        f"mid-sentence · {share(measured.mid_word)} cut mid-word"
    )
