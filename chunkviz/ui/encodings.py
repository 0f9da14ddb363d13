"""The same chunks counted under other encodings, on request."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.cost import Recount, embedded_counts, recount
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.tokens import get_tokenizer
from chunkviz.ui import jobs, session
from chunkviz.ui.messages import draw_stopped
from chunkviz.ui.text import as_plain
from chunkviz.vocabulary import ENCODINGS, is_at_hand

_SHARE = 0.10
"""Difference of a chunk's count, as a share of it, above which the chunk is named."""


def draw(chunking: Chunking) -> None:
    """Draw the choice of encodings and a line for each that was counted."""
    st.subheader("Under other encodings", anchor=False)
    own = chunking.tokens.tokenizer.name
    others = [name for name in ENCODINGS if name != own]
    at_hand = {name for name in others if is_at_hand(name)}
    chosen = st.pills(
        "Count the same texts in", others, selection_mode="multi", key=f"encodings beside {own}",
        persist_state="session",
        format_func=lambda name: name if name in at_hand else f"{name} :material/cloud_download:",
        help="Marked ones are not on this machine: tiktoken fetches them once, and needs the internet for that. "
        "Each is counted when you choose it.",
    )  # fmt: skip
    _forget_failures(chosen)
    usual = session.remembered(chunking, "embedded counts", lambda: embedded_counts(chunking))
    rows = [_row(own, int(usual.sum()), None, len(chunking), None)]
    named: list[tuple[str, Recount]] = []
    for name in chosen:
        found = _counted(chunking, name)
        if found is not None:
            rows.append(_row(name, int(found.counts.sum()), int(usual.sum()), len(chunking), len(found.differing)))
            named.append((name, found))
    right = st.column_config.TextColumn(alignment="right")
    st.dataframe(
        rows, hide_index=True, key="encodings", height="content",
        column_config=dict.fromkeys(("Tokens to embed", "Difference", "Texts off by over 10%"), right),
        alt="Tokens under each encoding",
    )  # fmt: skip
    for name, found in named:
        if len(found.differing):
            shown = ", ".join(f"{index + 1:,}" for index in found.differing[:20].tolist())
            more = len(found.differing) - 20
            st.caption(f"Off by over 10% in {name}: chunks {shown}{f' and {more:,} more' if more > 0 else ''}.")


def _row(name: str, tokens: int, usual: int | None, texts: int, differing: int | None) -> dict[str, str]:
    off = "–" if differing is None or not texts else f"{differing:,} of {texts:,} ({differing / texts:.0%})"
    return {
        "Encoding": name if usual is not None else f"{name} (in use)",
        "Tokens to embed": f"{tokens:,}",
        "Difference": "–" if not usual else f"{(tokens - usual) / usual:+.1%}".replace("-", "−"),
        "Texts off by over 10%": off,
        "Used by": ENCODINGS.get(name, "–"),
    }


def _counted(chunking: Chunking, name: str) -> Recount | None:
    """Return the counts, or None while they are made or with the reason on the screen."""
    failed: dict[str, str] = session.keep("encodings that failed", dict)
    if name in failed:  # asking the network again at each step of a slider would hold the page up
        st.error(as_plain(failed[name]), icon=":material/cloud_off:")
        st.button(
            "Try again",
            icon=":material/refresh:",
            key=f"again {name}",
            on_click=_forget_failures,
            args=([each for each in failed if each != name],),
        )
        return None
    slot = f"recount {name}"
    try:
        job = jobs.run((id(chunking), name), f"Counting in {name}", partial(_count, chunking, name), slot=slot)
        return job.outcome() if job.done else None
    except Cancelled:
        draw_stopped(f"Counting in {name} was stopped.", "Count again", slot)
    except ChunkvizError as error:
        jobs.forget(slot)
        failed[name] = str(error)
        st.rerun()
    return None


def _count(chunking: Chunking, name: str, job: jobs.Job[Any]) -> Recount:
    return recount(chunking, get_tokenizer(name), share=_SHARE, report=job.report)


def _forget_failures(chosen: list[str]) -> None:
    """Forget the errors of encodings that are no longer asked for."""
    failed: dict[str, str] = session.keep("encodings that failed", dict)
    for name in [each for each in failed if each not in chosen]:
        del failed[name]
