"""Pinned settings: in the sidebar, in the link, and as chunkings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import chunkviz as cv
from chunkviz.ui import pins, services

APP = str(Path(__file__).resolve().parents[2] / "app.py")


def start(**query: str) -> AppTest:
    at = AppTest.from_file(APP, default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    return well(at.run())


def well(at: AppTest) -> AppTest:
    while at.get("progress"):
        at.run()
    assert not at.exception, at.exception[0].message
    return at


def names(at: AppTest) -> list[str]:
    held = at.session_state.get("pinned settings", ())
    return [pin.name for pin in held]


def in_link(at: AppTest) -> list[dict[str, object]]:
    value = at.query_params["pins"]
    return json.loads(value[0] if isinstance(value, list) else value)


def test_a_click_pins_the_setting_and_writes_it_into_the_link() -> None:
    at = well(start().button(key="pin").click().run())
    assert names(at) == ["recursive 512 tokens"]
    assert in_link(at) == [{"name": "recursive 512 tokens", "strategy": "recursive"}]
    assert at.button(key="pin").disabled


def test_a_pin_is_renamed_and_removed() -> None:
    at = well(start().button(key="pin").click().run())
    well(at.text_input(key="pin name recursive 512 tokens").set_value("mine").run())
    assert names(at) == ["mine"]
    assert in_link(at)[0]["name"] == "mine"
    well(at.button(key="remove mine").click().run())
    assert names(at) == []
    assert "pins" not in at.query_params


def test_a_link_restores_pins_and_says_which_it_cannot_read() -> None:
    rows = [
        {"name": "a", "strategy": "fixed_size", "chunk_size": 96, "chunk_overlap": 0},
        {"strategy": "nope"},
        {"strategy": "recursive", "chunk_size": -1},
        {"name": "a", "strategy": "markdown"},
    ]
    at = start(pins=json.dumps(rows))
    assert names(at) == ["a", "a (2)"]
    said = "\n".join(each.value for each in at.warning)
    assert "pin 2 is left out" in said
    assert "pin 3 is left out" in said


@pytest.mark.parametrize("value", ["{", "7", "[" * 100_000])
def test_a_link_that_is_no_list_pins_nothing(value: str) -> None:
    assert pins.from_link(value) == ((), ["the pinned settings are not a JSON list, so none is pinned"])


def test_six_at_most() -> None:
    rows = [{"strategy": "fixed_size", "chunk_size": 60 + number, "chunk_overlap": 0} for number in range(7)]
    held, wrong = pins.from_link(json.dumps(rows))
    assert len(held) == 6
    assert wrong == ["pin 7 is left out: at most 6 settings can be pinned"]
    at = start(pins=json.dumps(rows[:6]))
    assert at.button(key="pin").disabled


@pytest.mark.parametrize("name", cv.list_strategies())
def test_the_link_gives_back_the_strategy(name: str) -> None:
    pin = pins.pin_of(cv.get_strategy(name), "cl100k_base", "lexical")
    held, wrong = pins.from_link(pins.as_link((pin,)))
    assert (held, wrong) == ((pin,), [])
    assert held[0].strategy() == cv.get_strategy(name)


def test_a_link_that_spells_out_a_default_pins_the_same_setting_as_the_sidebar() -> None:
    ((pin,), _) = pins.from_link('[{"name":"usual","strategy":"recursive","chunk_size":512,"chunk_overlap":0}]')
    assert pin.config == {"strategy": "recursive"}
    assert pin.same_setting(pins.pin_of(cv.Recursive(), "cl100k_base"))
    assert pin.name == "usual"


def test_a_pin_with_an_unknown_encoding_is_refused() -> None:
    held, wrong = pins.from_link('[{"strategy":"recursive","@tokens":"x"}]')
    assert held == ()
    assert wrong == ["pin 1 is left out: no encoding is called 'x'"]


def test_pins_survive_a_change_of_page() -> None:
    at = well(start().button(key="pin").click().run())
    for page in ("pages/cost.py", "pages/guide.py", "pages/explore.py"):
        well(at.switch_page(page).run())
    assert names(at) == ["recursive 512 tokens"]
    assert in_link(at) == [{"name": "recursive 512 tokens", "strategy": "recursive"}]


def test_a_bad_pin_in_the_link_is_named_on_any_page() -> None:
    at = AppTest.from_file(APP, default_timeout=120)
    at.query_params["pins"] = "nonsense"
    at = well(at.run())
    assert "the pinned settings are not a JSON list" in at.warning[0].value
    assert names(at) == []
    well(at.button(key="link understood").click().run())
    well(at.switch_page("pages/cost.py").run())
    assert not at.warning


def draw_pins() -> None:
    """Chunk two pins; the first asks a service that is not set up."""
    import streamlit as st  # noqa: PLC0415  the body is a script of its own

    import chunkviz as cv  # noqa: PLC0415
    from chunkviz.ui import pins  # noqa: PLC0415

    document = st.session_state.setdefault("document", cv.Document("One two three four. " * 40))
    for pin in (
        pins.Pin("no service", {"strategy": "semantic"}, embedder="openai:text-embedding-3-small"),
        pins.Pin("no encoding", {"strategy": "recursive"}, encoding="nope"),
        pins.Pin("no strategy", {"strategy": "nope"}),
        pins.Pin("good", {"strategy": "fixed_size", "chunk_size": 60, "chunk_overlap": 0}),
    ):
        chunking = pins.chunking_of(pin, document)
        st.text(f"{pin.name}: {None if chunking is None else len(chunking)}")


def test_a_pin_that_fails_says_why_and_the_others_are_made() -> None:
    at = well(AppTest.from_function(draw_pins, default_timeout=60).run())
    assert [each.value for each in at.text] == ["no service: None", "no encoding: None", "no strategy: None", "good: 4"]
    assert [each.value.split(":")[0] for each in at.error] == ["no service", "no encoding", "no strategy"]
    assert "is not set up in this session" in at.error[0].value


def test_a_paid_model_is_named_only_where_there_is_one() -> None:
    assert services.paid_model(None, "openai:gpt-4o-mini") == "gpt-4o-mini"
    assert services.paid_model("openai:text-embedding-3-small", None) == "text-embedding-3-small"
    assert services.paid_model("openai:text-embedding-3-small", "openai:gpt-4o") is None
    assert services.paid_model("lexical", "outline") is None


def draw_outcomes() -> None:
    """Ask for two settings, of which the first waits for its embedder, and in between for one that breaks."""
    import threading  # noqa: PLC0415  the body is a script of its own

    import numpy as np  # noqa: PLC0415
    import streamlit as st  # noqa: PLC0415

    import chunkviz as cv  # noqa: PLC0415
    from chunkviz.ui import outcomes  # noqa: PLC0415

    document = st.session_state.setdefault("document", cv.Document("One two three four. " * 40))
    gate = st.session_state.setdefault("gate", threading.Event())

    class Late:
        name = "late"

        def embed(self, texts: object, /) -> object:
            gate.wait(60)
            return np.ones((len(texts), 2), np.float32)  # type: ignore[arg-type]

    late = st.session_state.setdefault("late", Late())

    def broken() -> object:
        message = "it is broken"
        raise KeyError(message)

    first = outcomes.outcome_of(document, lambda: (cv.Semantic(), cv.Services(embedder=late)), slot="first")
    running = isinstance(first, outcomes.Running)
    second = outcomes.outcome_of(document, lambda: (cv.Recursive(), cv.Services()), slot="second", start=not running)
    third = outcomes.outcome_of(document, broken, slot="third")  # type: ignore[arg-type]
    for each in (first, second, third):
        st.text(
            type(each).__name__ if isinstance(each, cv.Chunking) else f"{type(each).__name__}: {outcomes.said(each)}"
        )


def test_one_long_setting_is_made_at_a_time_and_an_unknown_error_is_told() -> None:
    at = AppTest.from_function(draw_outcomes, default_timeout=60).run()
    said = [each.value for each in at.text]
    assert said[0].startswith("Running: chunking, ")
    assert said[1:] == ["Waiting: waits for its turn", "Failed: KeyError: 'it is broken'"]
    at.session_state["gate"].set()
    while at.text[0].value.startswith("Running"):
        at.run()
    assert [each.value for each in at.text][:2] == ["Chunking", "Chunking"]
