"""Long work: it reports, it can be stopped, and its error reaches whoever waits."""

from __future__ import annotations

import threading

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.errors import Cancelled
from chunkviz.ui.jobs import Job
from tests.core.toys import Counting


def test_a_job_hands_over_its_result() -> None:
    job: Job[int] = Job("key", "Adding", lambda job: job.report(0.5) or 42)
    job.start()
    assert job.wait(10)
    assert job.outcome() == 42
    assert job.share == 0.5


def test_a_stopped_job_ends_at_its_next_report() -> None:
    reached, go_on = threading.Event(), threading.Event()

    def work(job: Job[int]) -> int:
        reached.set()
        go_on.wait(10)
        job.report(0.9)
        return 1

    job = Job("key", "Adding", work)
    job.start()
    reached.wait(10)
    job.cancelled = True
    go_on.set()
    assert job.wait(10)
    with pytest.raises(Cancelled, match="Adding was stopped"):
        job.outcome()


def test_an_error_is_raised_where_the_result_is_asked_for() -> None:
    def work(job: Job[int]) -> int:
        raise ZeroDivisionError(job.label)

    job = Job("key", "Dividing", work)
    job.start()
    assert job.wait(10)
    with pytest.raises(ZeroDivisionError, match="Dividing"):
        job.outcome()


def test_tokenizing_reports_its_share_and_keeps_nothing_when_stopped() -> None:
    text = "Some words to count. " * 40_000
    tokens = cv.TokenMap.of(cv.Document(text), Counting())
    shares: list[float] = []

    def stop_half_way(share: float) -> None:
        shares.append(share)
        if share > 0.5:
            message = "enough"
            raise Cancelled(message)

    with pytest.raises(Cancelled):
        tokens.prepare(stop_half_way)
    assert not tokens.made
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5 < shares[-1] < 1
    tokens.prepare(shares.append)
    assert tokens.made
    assert shares[-1] == 1.0
    assert len(tokens) == cv.get_tokenizer().count(text)


def test_a_job_is_taken_up_by_a_page_that_did_not_begin_it() -> None:
    def page() -> None:
        import streamlit as st  # noqa: PLC0415  an AppTest's script imports for itself

        from chunkviz.ui import jobs  # noqa: PLC0415

        if "begun" not in st.session_state:
            st.session_state["begun"] = True
            jobs.run("a file", "Reading", lambda _job: "read", slot="upload")
        job = jobs.resume("upload")
        st.text(f"{jobs.is_running('upload')} {job.outcome() if job else None}")
        jobs.forget("upload")

    at = AppTest.from_function(page, default_timeout=30).run()
    assert at.text[0].value == "False read"
    assert at.run().text[0].value == "False None"


def test_progress_of_a_job_that_was_forgotten_draws_nothing() -> None:
    def page() -> None:
        from chunkviz.ui import jobs  # noqa: PLC0415  an AppTest's script imports for itself

        jobs._draw_progress("job:upload")  # as the browser asks for by itself, between two runs

    at = AppTest.from_function(page, default_timeout=30).run()
    assert not at.exception
    assert not at.get("progress")


def test_the_run_that_draws_progress_first_is_not_repeated() -> None:
    def page() -> None:
        import streamlit as st  # noqa: PLC0415  an AppTest's script imports for itself

        from chunkviz.ui import jobs  # noqa: PLC0415

        runs = st.session_state.setdefault("runs", [])
        runs.append(1)
        if len(runs) == 1:
            assert jobs.run("a file", "Reading", lambda _job: "read", slot="upload", drawn=False).wait(10)
        if len(runs) < 4:
            jobs.draw_progress("upload")

    at = AppTest.from_function(page, default_timeout=30).run()
    assert len(at.session_state["runs"]) == 1
    assert at.get("progress")
    at.run()
    assert len(at.session_state["runs"]) == 4, "until the page draws it no more"
    assert not at.get("progress")
