"""The part of the page for chunks of other pipelines: upload, what was placed and what not, names."""

from __future__ import annotations

import csv
import io
from typing import Any

import streamlit as st

from chunkviz.document import Document, without_surrogates
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.placing import Unplaced
from chunkviz.records import TEXT_COLUMNS
from chunkviz.tokens import Tokenizer
from chunkviz.ui import jobs, own_chunks, pins, session
from chunkviz.ui.messages import draw_error, draw_stopped
from chunkviz.ui.own_chunks import ColumnNeeded, OwnSetting
from chunkviz.ui.text import as_plain

_SLOT = "own chunks"
_EXCERPT = 120
_METHODS = {
    "offsets": "by their own offsets",
    "exact": "exactly",
    "white space": "but for white space",
    "approximate": "approximately",
}


def draw(document: Document, tokenizer: Tokenizer) -> None:
    """Draw the upload and the own chunks there are."""
    st.subheader("Bring your own chunks", anchor=False)
    st.caption(
        "Upload what another pipeline made of this document, as JSON Lines, JSON or CSV: each chunk is found in the "
        "document, and then stands beside the other settings, here and on Measure. Own chunks stay in this session and "
        "are **not in the link**."
    )
    held = own_chunks.all(document)
    if len(held) + len(pins.all()) >= own_chunks.MOST:
        st.caption(f"{own_chunks.MOST} settings stand side by side, which is the most. Remove one to bring own chunks.")
    else:
        _draw_upload(document, tokenizer)
    for each in held:
        _draw_setting(document, each)
    for name, others in own_chunks.elsewhere(document):
        one = len(others) == 1
        st.caption(
            f":material/folder: {len(others)} {'file' if one else 'files'} of own chunks "
            f"{'belongs' if one else 'belong'} to **{as_plain(name) or 'a pasted text'}**: "
            f"{'it is kept, and stands' if one else 'they are kept, and stand'} here again when that document is open."
        )


def _draw_upload(document: Document, tokenizer: Tokenizer) -> None:
    serial = session.get("own serial", 0)
    file = st.file_uploader(
        "Chunks of this document", type=["jsonl", "ndjson", "json", "csv", "tsv"], key=f"own file {serial}",
        help=f"The text of a chunk stands in {', '.join(TEXT_COLUMNS)}, or in a column that you choose; its offsets, "
        "where the file has some, in start and end.",
    )  # fmt: skip
    if file is None:
        jobs.forget(_SLOT)
        return
    column: str | None = session.get(f"own column {file.file_id}")
    data, most = file.getvalue(), session.settings().limits.max_bytes

    def work(job: jobs.Job[Any]) -> OwnSetting | ColumnNeeded:
        return own_chunks.read(data, file.name, document, tokenizer, column=column, most=most, report=job.report)

    key = (file.file_id, document.id, document.language, tokenizer.name, column)
    job = jobs.run(key, f"Finding the chunks of {as_plain(file.name)}", work, slot=_SLOT)
    if not job.done:
        return
    try:
        found = job.outcome()
        if isinstance(found, OwnSetting):
            own_chunks.add(document, found)
            session.put("own serial", serial + 1)  # a fresh uploader, for the next file
            jobs.forget(_SLOT)
            st.rerun()
    except Cancelled:
        draw_stopped(f"{as_plain(file.name)} was not placed: it was stopped.", "Place it again", _SLOT)
    except ChunkvizError as error:
        draw_error(error)
    else:
        _ask_for_column(file.file_id, found)


def _ask_for_column(identity: str, needed: ColumnNeeded) -> None:
    field = f"own column chosen {identity}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Column with the text of a chunk", needed.columns, key=field, width=320,
            index=needed.columns.index(needed.longest),
        )  # fmt: skip
        st.button(
            "Place them", key="place", type="primary",
            on_click=lambda: session.put(f"own column {identity}", session.get(field)),
        )  # fmt: skip


def _draw_setting(document: Document, setting: OwnSetting) -> None:
    field = f"own name {setting.name}"
    total = len(setting.chunking) + len(setting.unplaced)
    with st.container(border=True, key=f"own {setting.name}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text_input(
                "Name", setting.name, key=field, max_chars=pins.LONGEST_NAME, label_visibility="collapsed",
                on_change=lambda: own_chunks.rename(document, setting.name, str(session.get(field) or "")),
            )  # fmt: skip
            st.button(
                "", icon=":material/delete:", key=f"remove own {setting.name}", help="Remove these own chunks",
                type="tertiary", on_click=own_chunks.remove, args=(document, setting.name),
            )  # fmt: skip
        ways = ", ".join(
            f"{setting.methods[method]:,} {words}" for method, words in _METHODS.items() if setting.methods.get(method)
        )
        order = "" if setting.in_order else " The file has them in another order than the document."
        st.caption(f"{as_plain(setting.file)}: {len(setting.chunking):,} of {total:,} chunks placed: {ways}.{order}")
        if setting.unplaced:
            _draw_unplaced(setting)


def _draw_unplaced(setting: OwnSetting) -> None:
    number = len(setting.unplaced)
    with st.expander(
        f"{number:,} chunk{' was' if number == 1 else 's were'} not found in the document", icon=":material/search_off:"
    ):
        st.dataframe(
            rows_of(setting.unplaced[:1_000]), hide_index=True, key=f"unplaced {setting.name}", width="stretch",
            height=min(300, 38 + 35 * min(number, 1_000)),
            column_config={
                "Chunk": st.column_config.NumberColumn(width="small", help="Its number in the file, from 1."),
                "Line": st.column_config.NumberColumn(width="small"),
                "Why": st.column_config.TextColumn(width="large"),
                "First words": st.column_config.TextColumn(width="large"),
            },
        )  # fmt: skip
        st.download_button(
            "What was not found (CSV)", lambda: unplaced_csv(setting.unplaced), f"{setting.name}.not-found.csv",
            "text/csv", on_click="ignore", icon=":material/download:", key=f"download unplaced {setting.name}",
        )  # fmt: skip


def rows_of(unplaced: tuple[Unplaced, ...], most: int = _EXCERPT) -> list[dict[str, Any]]:
    """Return a row for each text that was not found; its first words are at most ``most`` characters."""
    return [
        {
            "Chunk": each.record.number,
            "Line": each.record.line,
            "Why": each.reason,
            "First words": without_surrogates(" ".join(each.record.text[: 2 * most].split())[:most]),
        }
        for each in unplaced
    ]


def unplaced_csv(unplaced: tuple[Unplaced, ...]) -> bytes:
    """Return what was not found as CSV, with the whole texts."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(("chunk", "line", "why", "text"))
    for each in unplaced:
        writer.writerow((each.record.number, each.record.line, each.reason, without_surrogates(each.record.text)))
    return buffer.getvalue().encode("utf-8-sig")
