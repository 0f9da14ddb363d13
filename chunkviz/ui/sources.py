"""Where the document in the sidebar comes from: a sample, an upload, or a pasted text."""

from __future__ import annotations

import hashlib

import streamlit as st

from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError
from chunkviz.loaders import SUFFIXES, load_bytes
from chunkviz.samples import list_samples
from chunkviz.ui import jobs, session
from chunkviz.ui.messages import draw_error
from chunkviz.ui.text import as_plain

_LONGEST_PASTE = 100_000
"""Characters that may be pasted: a field with three times as many stops the browser for minutes."""


def pick_sample() -> Document:
    """Draw the samples; return the one that is chosen."""
    samples = {sample.id: sample for sample in list_samples()}
    identifier = st.pills(
        "Sample", list(samples), default=next(iter(samples)), required=True, key="sample", bind="query-params",
        label_visibility="collapsed",
    )  # fmt: skip
    sample = samples[identifier or next(iter(samples))]
    st.caption(f"{sample.difficulty} **Try:** {sample.look_for}")
    return session.sample_document(sample.id)


def pick_upload() -> Document | None:
    """Draw the field for a file; return the document last read from one, or None where there is none yet."""
    file = st.file_uploader(
        "Drop a document here", type=[suffix.lstrip(".") for suffix in SUFFIXES], key="upload",
        on_change=_forget_removed,
        help="PDF, Word, PowerPoint, EPUB, HTML, Markdown, text, source code and more. "
        "It is read on this server, in a process of its own; nothing it refers to is opened.",
    )  # fmt: skip
    if file is not None and session.get("upload taken") != file.file_id:
        _take_upload(file.getvalue(), file.name, file.file_id)
    elif file is None:
        _go_on_reading()
    document: Document | None = session.get("uploaded")
    if document is None and is_reading():
        pass  # its progress says what is to come
    elif document is None:
        st.caption(
            "Nothing uploaded yet. A file stays in this server's memory, and is gone once the page is closed or "
            "reloaded; a link carries the settings, never a document of yours."
        )
    elif file is None and st.button("Remove the uploaded document", icon=":material/delete:", width="stretch"):
        session.drop("uploaded")
        st.rerun()
    return document


def _take_upload(data: bytes, name: str, identity: str) -> None:
    """Read an upload; whatever goes wrong is said, and the document that was open stays open."""

    def work(job: jobs.Job[Document]) -> Document:
        return load_bytes(data, name, limits=session.settings().limits, cancelled=lambda: job.cancelled)

    job = jobs.run(identity, f"Reading {as_plain(name)}", work, slot="upload")
    if job.done:
        _take_read(job)


def _go_on_reading() -> None:
    """Take what is still being read: a change of page empties the browser's field, and must not lose the file."""
    job = jobs.resume("upload")
    if job is not None and job.done:
        _take_read(job)
        jobs.forget("upload")


def _forget_removed() -> None:
    """End the reading of a file that somebody has taken out of the field."""
    if session.get("upload") is None:
        jobs.forget("upload")


def is_reading() -> bool:
    """Return whether an upload is being read."""
    return jobs.is_running("upload")


def _take_read(job: jobs.Job[Document]) -> None:
    """Open what was read, or say why that cannot be."""
    try:
        document = job.outcome()
    except Cancelled as wish:
        st.info(as_plain(str(wish)), icon=":material/info:")
    except ChunkvizError as error:
        draw_error(error)
        open_still: Document | None = session.get("uploaded")
        if open_still is not None:
            st.caption(f"Still open: **{as_plain(open_still.name)}**.")
    else:
        session.put("uploaded", document)
        session.put("upload taken", job.key)
        jobs.forget("upload")


def pick_pasted() -> Document | None:
    """Draw the field for a text; return it as a document, or None where it is blank or cannot be one."""
    text = st.text_area(
        "Text", key="pasted", persist_state="session", height=180, placeholder="Paste or type a text here …",
        label_visibility="collapsed", max_chars=_LONGEST_PASTE,
    )  # fmt: skip
    if not text or not text.strip():
        st.caption(
            f"Paste a text of up to {_LONGEST_PASTE:,} characters, then press Ctrl+Enter (⌘+Enter on a Mac). "
            "Upload a longer one as a file."
        )
        return None
    if len(text) >= _LONGEST_PASTE:
        st.warning(
            f"This field takes {_LONGEST_PASTE:,} characters and cut off what came behind them. Upload the text as a "
            "file to have all of it.",
            icon=":material/content_cut:",
        )
    st.caption("Kept only until this page is closed or reloaded.")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    made: tuple[str, Document] | None = session.get("pasted document")
    if made is None or made[0] != digest:
        try:
            read = load_bytes(text.encode("utf-8", "replace"), "pasted.md", limits=session.settings().limits)
        except ChunkvizError as error:
            draw_error(error)
            return None
        made = (digest, read)
        session.put("pasted document", made)
    return made[1]
