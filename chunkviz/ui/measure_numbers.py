"""What the setting of the sidebar reaches, in numbers, with the conditions they were measured under."""

from __future__ import annotations

import streamlit as st

from chunkviz.evaluation import BUDGETS, Failure
from chunkviz.ui import measuring
from chunkviz.ui.measure_words import conditions, figure_of, interval_of, warning_of_few
from chunkviz.ui.measuring import Candidate, Request
from chunkviz.ui.messages import draw_error
from chunkviz.wording import count_of


def draw_numbers(request: Request, current: Candidate) -> None:
    """Draw what the setting of the sidebar reaches, and under which conditions."""
    found = measuring.known(request).get(current)
    if isinstance(found, Failure):
        draw_error(found.reason)
        return
    if found is None:
        return
    names = {
        "recall": (f"Recall at {request.k}", "Share of the answers' characters that is retrieved."),
        "precision": ("Precision", "Share of what is retrieved that answers."),
        "iou": ("IoU", "What both share over what either has."),
        "precision_omega": ("Precision-omega", "The IoU of a perfect search: it measures the boundaries alone."),
        **{
            f"recall_at_{budget}": (
                f"Recall in {budget:,} {'tok' if request.unit == 'tokens' else 'ch'}",
                f"Share of the answers that is in the first {budget:,} {request.unit} retrieved.",
            )
            for budget in BUDGETS
        },
    }
    with st.container(horizontal=True, gap="small", key="measures"):
        for measure, (label, meaning) in names.items():
            interval = found.interval(measure)
            within = f"; 95 % interval of the mean {interval_of(interval)}" if interval.known else ""
            st.metric(
                label, f"{figure_of(interval.mean)} ± {figure_of(found.deviation(measure))}",
                help=f"{meaning} Mean ± standard deviation over {count_of(found.questions, 'question')}{within}.",
            )  # fmt: skip
        fates = " / ".join(f"{found.total(fate):,}" for fate in ("whole", "split", "lost"))
        st.metric(
            "Whole / split / lost", fates,
            help="Passages that answer: whole in one chunk, split over several, in none. No ranking is involved.",
        )  # fmt: skip
    recall = found.interval("recall")
    within = f" · recall's interval {interval_of(recall)}" if recall.known else ""
    proposed = sum(each.proposed_by is not None for each in request.questions)
    by_models = f" · {proposed:,} of the questions proposed by a model" if proposed else ""
    st.caption(f"{conditions(found)}{within}{by_models}")
    few = warning_of_few(found.questions)
    if few:
        st.caption(f":material/info: {few}")
