"""Ways to take a chunking away: data, a report, the lines that make it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunkviz import export
from chunkviz.assertions import commented_check
from chunkviz.chunk import Chunking
from chunkviz.equivalents import Measured, measurements, to_langchain_code, to_llamaindex_code
from chunkviz.errors import Cancelled, ChunkvizError, ParameterError
from chunkviz.export_nodes import to_langchain, to_llamaindex
from chunkviz.recipe import recipe_of, write_recipe
from chunkviz.ui import compute, jobs, own_chunks, pins, service_notes, services, session, sidebar
from chunkviz.ui.messages import draw_error
from chunkviz.ui.report import check_length, to_report
from chunkviz.ui.text import as_plain


def draw(chunking: Chunking) -> None:
    """Draw the downloads, the report and the Python lines."""
    st.subheader("Take it away", anchor=False)
    stem = (chunking.document.name.rsplit(".", 1)[0] or "chunks") + ".chunks"
    fields = _fields()

    def recipe(made: Chunking) -> bytes:
        return recipe_file(made, fields)

    with st.container(horizontal=True, key="downloads"):
        for label, ending, mime, make in (
            ("JSONL", "jsonl", "application/x-ndjson", export.to_jsonl),
            ("CSV", "csv", "text/csv", export.to_csv),
            ("Parquet", "parquet", "application/vnd.apache.parquet", export.to_parquet),
            ("LangChain documents", "langchain.jsonl", "application/x-ndjson", to_langchain),
            ("LlamaIndex nodes", "llamaindex.jsonl", "application/x-ndjson", to_llamaindex),
            ("Recipe", "toml", "application/toml", recipe),
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
        st.code(export.to_python(chunking, sample=sample, services=service_notes.code()), language="python")
    _draw_elsewhere(chunking)


def recipe_file(chunking: Chunking, fields: Mapping[str, Any]) -> bytes:
    """Return the setting as a recipe, with what ``chunkviz check`` could ask of it; ``fields`` are other fields."""
    found = recipe_of(chunking.strategy, tokenizer=chunking.tokens.tokenizer.name, **fields)
    return f"{write_recipe(found)}\n{commented_check(chunking)}".encode()


def _fields() -> dict[str, Any]:
    """Return what a recipe names beside strategy and tokens; for now, since a download cannot ask the session."""
    chosen = session.get("language") not in (None, session.DETECTED)
    setting = session.get("setting")
    language = {"language": setting.document.language} if chosen and setting and setting.document else {}
    return {**service_notes.fields(), **language}


def _draw_elsewhere(chunking: Chunking) -> None:
    """Show the nearest code for other libraries, what differs, and how far it agreed where that was measured."""
    with st.expander("The nearest code for LangChain and LlamaIndex", icon=":material/compare_arrows:"):
        for title, found in (("LangChain", to_langchain_code(chunking)), ("LlamaIndex", to_llamaindex_code(chunking))):
            verdict = "nearest equivalent" if found.equivalence == "near" else "no equivalent"
            st.markdown(f"**{title}: {verdict}.** {as_plain(found.why)}")
            if found.code is not None:
                st.code(found.code, language="python")
            if found.measured:
                st.caption(_agreement(found.measured))


def _agreement(measured: Sequence[Measured]) -> str:
    """Say how far the boundaries agreed, and that it was measured with other parameters than those on the screen."""
    known = measurements()
    scores = [each.f1 for each in measured if each.f1 is not None]
    package, in_place = measured[0].package, measured[0].in_place
    version = f"{package} {known.versions.get(package, '')}".strip()
    given = ", ".join(f"{name}={value!r}" for name, value in measured[0].parameters.items() if value not in ([], False))
    if not scores:
        return "Its boundaries could not be compared."
    low, high, count = min(scores), max(scores), len(scores)
    found = f"{low:.2f} to {high:.2f} on {count} of the samples" if count > 1 else f"{low:.2f} on one of the samples"
    by = ", ".join(filter(None, (f"{as_plain(version)} and {as_plain(given)}", in_place)))
    return (
        f"Boundary agreement (F1, 1 is the same) of {found}, measured on {known.date} with {by}; not with the "
        "parameters chosen here."
    )


def _draw_report(chunking: Chunking, stem: str) -> None:
    """Offer one HTML file for somebody who has no Python; it is made when it is asked for, for it takes a while."""
    with st.expander(
        "Report for somebody without Python: one HTML file that opens offline", icon=":material/contract:"
    ):
        beside = " It compares the pinned settings and your own chunks." if pins.all() else ""
        st.caption(
            "It holds the document with its chunks, the threshold's slider where there is one, and the numbers."
            + beside
        )
        try:
            check_length(chunking.document)  # before pinned settings are chunked, or paid for, in vain
        except ParameterError as refusal:
            st.info(as_plain(str(refusal)), icon=":material/info:")
            return
        wanted = session.get("report of") is chunking
        if not wanted:
            st.button("Make the report", key="make report", on_click=session.put, args=("report of", chunking))
            return
        setting: sidebar.Setting = session.get("setting")
        compared = _compared(chunking)
        if compared is None:
            return
        key = ("report", id(chunking), *((name, id(other)) for name, other in compared.others), *compared.failed)
        job = jobs.run(
            key, "Making the report",
            lambda job: to_report(
                chunking, setting.services, others=compared.others, failed=compared.failed, name=compared.name,
                report=job.report,
            ), slot="report",
        )  # fmt: skip
        if not job.done:
            return
        try:
            data = job.outcome()
        except Cancelled as wish:
            st.info(as_plain(str(wish)), icon=":material/info:")
        except ChunkvizError as error:
            draw_error(error)
        else:
            st.download_button(
                "Report (HTML)", data, f"{stem}.html", "text/html", key="download html", on_click="ignore",
                icon=":material/download:",
            )  # fmt: skip
            return
        session.drop("report of")
        jobs.forget("report")


@dataclass(frozen=True)
class _Compared:
    """What a report compares: pinned settings, made or with the reason why not, own chunks, and this one's name."""

    name: str
    others: tuple[tuple[str, Chunking], ...]
    failed: tuple[tuple[str, str], ...]


def _compared(chunking: Chunking) -> _Compared | None:
    """Return the pinned settings of a report, or None while one of them is made, with its progress on the screen."""
    strategy = chunking.strategy
    own = pins.pin_of(strategy, chunking.tokens.tokenizer.name, *services.names_in_use(strategy))
    name = "This setting"
    others: list[tuple[str, Chunking]] = []
    failed: list[tuple[str, str]] = []
    for pin in pins.all():
        if pin.same_setting(own):
            name = pin.name
            continue
        try:
            made = compute.chunking_of(chunking.document, pin.strategy(), pin.asked(), slot=f"report {pin.name}")
        except ChunkvizError as error:  # a pin that was stopped or needs a yes is told as well
            failed.append((pin.name, str(error)))
        else:
            if made is None:
                return None
            others.append((pin.name, made))
    others += [(each.name, each.chunking) for each in own_chunks.all(chunking.document)]
    return _Compared(name, tuple(others), tuple(failed))


def _later(make: Callable[[Chunking], bytes], chunking: Chunking) -> Callable[[], bytes]:
    return lambda: make(chunking)
