"""Ways to take a chunking away: data, a report, the lines that make it again."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunkviz import export
from chunkviz.chunk import Chunking
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.ui import jobs, services, session, sidebar
from chunkviz.ui.report import to_report
from chunkviz.ui.text import as_plain


def draw(chunking: Chunking) -> None:
    """Draw the downloads, the report and the Python lines."""
    st.subheader("Take it away", anchor=False)
    stem = (chunking.document.name.rsplit(".", 1)[0] or "chunks") + ".chunks"
    with st.container(horizontal=True, key="downloads"):
        for label, ending, mime, make in (
            ("JSONL", "jsonl", "application/x-ndjson", export.to_jsonl),
            ("CSV", "csv", "text/csv", export.to_csv),
            ("Parquet", "parquet", "application/vnd.apache.parquet", export.to_parquet),
        ):
            st.download_button(
                label, data=_later(make, chunking), file_name=f"{stem}.{ending}", mime=mime, on_click="ignore",
                icon=":material/download:", key=f"download {ending}",
            )  # fmt: skip
    _draw_report(chunking, stem)
    with st.expander("Python lines that make these chunks again", icon=":material/code:"):
        if session.get("source") == "Paste":
            st.caption("Save your text as pasted.md first.")
        sample = session.get("sample") if session.get("source") == "Sample" else None
        st.code(export.to_python(chunking, sample=sample, services=services.code_of_services()), language="python")


def _draw_report(chunking: Chunking, stem: str) -> None:
    """Offer one HTML file for somebody who has no Python; it is made when it is asked for, for it takes a while."""
    with st.expander(
        "Report for somebody without Python: one HTML file that opens offline", icon=":material/contract:"
    ):
        st.caption("It holds the document with its chunks, the threshold's slider where there is one, and the numbers.")
        wanted = session.get("report of") is chunking
        if not wanted:
            st.button("Make the report", key="make report", on_click=session.put, args=("report of", chunking))
            return
        setting: sidebar.Setting = session.get("setting")
        job = jobs.run(
            ("report", id(chunking)), "Making the report",
            lambda job: to_report(chunking, setting.services, report=job.report), slot="report",
        )  # fmt: skip
        if not job.done:
            return
        try:
            data = job.outcome()
        except Cancelled as wish:
            st.info(as_plain(str(wish)), icon=":material/info:")
        except ChunkvizError as error:
            st.error(as_plain(str(error)), icon=":material/error:")
        else:
            st.download_button(
                "Report (HTML)", data, f"{stem}.html", "text/html", key="download html", on_click="ignore",
                icon=":material/download:",
            )  # fmt: skip
            return
        session.drop("report of")
        jobs.forget("report")


def _later(make: Callable[[Chunking], bytes], chunking: Chunking) -> Callable[[], bytes]:
    return lambda: make(chunking)
