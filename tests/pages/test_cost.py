"""The Tokens & cost page."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def test_the_page_opens_with_a_limit_and_a_ledger() -> None:
    at = AppTest.from_file(APP, default_timeout=60).run().switch_page("pages/cost.py").run()
    assert not at.exception, at.exception[0].message
    at.selectbox(key="cost model").select("all-MiniLM-L6-v2 (Sentence Transformers)").run()
    assert not at.exception, at.exception[0].message
    assert any("never seen by the model" in each.value for each in at.caption)
    assert at.dataframe[0].value.iloc[0]["This setting"] == "8"
