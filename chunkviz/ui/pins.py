"""Pinned settings: up to six strategies with their services, kept in the session and in the address."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError, ParameterError
from chunkviz.services import Services
from chunkviz.strategies import Strategy, strategy_class, strategy_from_config
from chunkviz.tokens import DEFAULT_ENCODING, get_tokenizer
from chunkviz.ui import jobs, outcomes, services, session
from chunkviz.ui.names import unique
from chunkviz.ui.outcomes import Outcome
from chunkviz.vocabulary import ENCODINGS

MOST = 6
"""Settings that may be pinned."""
LONGEST_NAME = 60
"""Characters of a pin's name."""
_RENAMED = "renamed settings"
PARAMETER = "pins"
"""What the address calls them."""


@dataclass(frozen=True)
class Pin:
    """One setting with a name; equal on every machine, and without a key."""

    name: str
    config: dict[str, Any]
    """``{"strategy": name, parameter: value, …}``; parameters left out have their defaults."""
    encoding: str = DEFAULT_ENCODING
    embedder: str | None = None
    """Name of the embedder, with ``:model`` where it needs one; None where none is asked."""
    writer: str | None = None
    """Name of the context writer, with ``:model`` where it needs one; None where none is asked."""

    def strategy(self) -> Strategy:
        """Return the strategy; raises ``ParameterError`` or ``UnknownNameError`` where it cannot be made."""
        return strategy_from_config(self.config)

    def asked(self) -> Services:
        """Return what it asks; raises ``ChunkvizError`` where a service is not set up in this session."""
        embedder, writer = services.of_names(self.embedder, self.writer)
        return Services(get_tokenizer(self.encoding), embedder, writer)

    def same_setting(self, other: Pin) -> bool:
        """Whether both differ in nothing but the name."""
        return replace(self, name=other.name) == other


def all() -> tuple[Pin, ...]:  # noqa: A001  read as pins.all()
    """Return the pinned settings, oldest first."""
    held: tuple[Pin, ...] = session.get("pinned settings", ())
    return held


def add(pin: Pin) -> None:
    """Pin a setting, under a name that no other has.

    Raises
    ------
    ParameterError
        When six are pinned already.

    """
    if len(all()) >= MOST:
        message = f"At most {MOST} settings can be pinned; remove one first."
        raise ParameterError(message)
    _hold((*all(), replace(pin, name=unique(pin.name, [each.name for each in all()]))))


def remove(name: str) -> None:
    """Remove the pin with this name, if there is one."""
    _hold(tuple(pin for pin in all() if pin.name != name))
    jobs.forget(_slot(name))


def rename(name: str, wanted: str) -> None:
    """Give a pin another name; a number is added where another pin has it, and a blank one changes nothing."""
    wanted = " ".join(wanted.split())[:LONGEST_NAME]
    others = [pin.name for pin in all() if pin.name != name]
    if wanted:
        renamed = unique(wanted, others)
        _hold(tuple(replace(pin, name=renamed) if pin.name == name else pin for pin in all()))
        jobs.move(_slot(name), _slot(renamed))
        follow(name, renamed)


def follow(name: str, renamed: str) -> None:
    """Remember what a setting is called now, for who has chosen it by the name it had."""
    if renamed != name:
        earlier: dict[str, str] = session.get(_RENAMED, {})
        now = {old: renamed if new == name else new for old, new in {**earlier, name: name}.items()}
        session.put(_RENAMED, {old: new for old, new in now.items() if old != new})


def name_now(name: str) -> str:
    """Return what the setting that once had this name is called now: the same, if it never got another."""
    renamed: dict[str, str] = session.get(_RENAMED, {})
    return renamed.get(name, name)


def pin_of(strategy: Strategy, encoding: str, embedder: str | None = None, writer: str | None = None) -> Pin:
    """Return the setting as a pin with its automatic name; ``config`` holds what differs from the defaults."""
    plain = json.loads(json.dumps(strategy.config()))  # as it will come back from the address
    usual = json.loads(json.dumps(strategy_class(strategy.name)().config()))
    config = {key: value for key, value in plain.items() if key == "strategy" or value != usual.get(key)}
    return Pin(automatic_name(strategy), config, encoding, embedder, writer)


def automatic_name(strategy: Strategy) -> str:
    """Return a short name, for example "recursive 512/50 tokens"."""
    sizes = [getattr(strategy, name, None) for name in ("chunk_size", "chunk_overlap")]
    if sizes[0] is None:
        sizes = [getattr(strategy, "max_chunk_size", None)]
    shown = "/".join(str(size) for size in sizes if size)
    threshold = getattr(strategy, "threshold", None)
    parts = [strategy.name, f"{shown} {getattr(strategy, 'unit', 'tokens')}" if shown else ""]
    if threshold is not None:
        parts.append(f"at {threshold:g}")
    return " ".join(filter(None, parts))


def outcome_of(pin: Pin, document: Document, *, start: bool = True) -> Outcome:
    """Return the chunking of a pin, or why there is none yet; draws nothing.

    Each pin has a job of its own, so that it ends no other; what fails in one stays with it.
    """

    def make() -> tuple[Strategy, Services]:
        tokenizer = get_tokenizer(pin.encoding)
        strategy = pin.strategy()
        embedder, writer = services.of_names(pin.embedder, pin.writer)
        return strategy, Services(tokenizer, embedder, writer)

    return outcomes.outcome_of(document, make, slot=slot_of(pin), start=start)


def chunking_of(pin: Pin, document: Document) -> Chunking | None:
    """Return the chunking of a pin, or None while it is made or with the reason on the screen."""
    outcome = outcome_of(pin, document)
    if isinstance(outcome, Chunking):
        return outcome
    outcomes.draw(outcome, pin.name, slot=slot_of(pin))
    if isinstance(outcome, outcomes.Failed):
        jobs.forget(slot_of(pin))  # it is tried again when the page runs next
    return None


def slot_of(pin: Pin) -> str:
    """Return the name of the job that chunks for a pin."""
    return _slot(pin.name)


def as_link(pins: tuple[Pin, ...]) -> str:
    """Return pins as the address holds them: a JSON list, what is usual left out; "" for none."""
    rows = []
    for pin in pins:
        row: dict[str, Any] = {"name": pin.name, **pin.config}
        if pin.encoding != DEFAULT_ENCODING:
            row["@tokens"] = pin.encoding
        if pin.embedder:
            row["@embedder"] = pin.embedder
        if pin.writer:
            row["@writer"] = pin.writer
        rows.append(row)
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")) if rows else ""


def from_link(value: str) -> tuple[tuple[Pin, ...], list[str]]:
    """Return the pins an address holds, and one sentence for each that cannot be read."""
    try:
        rows = json.loads(value)
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list):
        return (), ["the pinned settings are not a JSON list, so none is pinned"]
    pins: list[Pin] = []
    wrong = []
    for number, row in enumerate(rows, 1):
        try:
            pin = _from_row(row)
            if len(pins) == MOST:
                message = f"at most {MOST} settings can be pinned"
                raise ParameterError(message)
        except (ChunkvizError, TypeError, ValueError) as error:
            wrong.append(f"pin {number} is left out: {error}")
        else:
            pins.append(replace(pin, name=unique(pin.name, [each.name for each in pins])))
    return tuple(pins), wrong


def restore() -> list[str]:
    """On the first run take the pins from the address; return what was wrong with them."""
    if session.get("pins restored"):
        return []
    session.put("pins restored", value=True)
    value = session.in_address(PARAMETER)
    if not value:
        return []
    pins, wrong = from_link(value)
    session.put("pinned settings", pins)
    return wrong


def draw(strategy: Strategy | None, encoding: str) -> None:
    """Draw the button that pins what the sidebar holds, and the pins there are; for the sidebar."""
    session.put_in_address(PARAMETER, as_link(all()))  # a change of page drops it
    pin = None
    if strategy is not None:
        pin = pin_of(strategy, encoding, *services.names_in_use(strategy))
    already = pin is not None and any(pin.same_setting(each) for each in all())
    full = len(all()) >= MOST
    st.button(
        "Pinned" if already else "Pin this setting", icon=":material/keep:", key="pin", width="stretch",
        disabled=pin is None or already or full, on_click=add, args=(pin,),
        help=f"Keeps this setting to compare others with; up to {MOST}, on every page and in the link. "
        "Keys are never kept with it.",
    )  # fmt: skip
    if full and not already:
        st.caption(f"{MOST} settings are pinned, which is the most. Remove one to pin another.")
    if not all():
        return
    with st.expander(f"Pinned settings ({len(all())})", icon=":material/keep:"):
        for each in all():
            _draw_pin(each)


def _draw_pin(pin: Pin) -> None:
    field = f"pin name {pin.name}"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.text_input(
            "Name", pin.name, key=field, max_chars=LONGEST_NAME, label_visibility="collapsed",
            on_change=lambda: rename(pin.name, str(session.get(field) or "")),
        )  # fmt: skip
        st.button(
            "", icon=":material/delete:", key=f"remove {pin.name}", help="Remove this pin", type="tertiary",
            on_click=remove, args=(pin.name,),
        )  # fmt: skip


def _hold(pins: tuple[Pin, ...]) -> None:
    session.put("pinned settings", pins)


def _slot(name: str) -> str:
    return f"pin {name}"


def _from_row(row: Any) -> Pin:
    if not isinstance(row, dict):
        message = "it must be an object with a strategy"
        raise ParameterError(message)
    config = {key: value for key, value in row.items() if key != "name" and not key.startswith("@")}
    texts = {key: row.get(key) for key in ("name", "@tokens", "@embedder", "@writer")}
    for key, value in texts.items():
        if value is not None and not isinstance(value, str):
            message = f"{key} must be text, not {value!r}"
            raise ParameterError(message)
    encoding = texts["@tokens"] or DEFAULT_ENCODING
    if encoding not in ENCODINGS:
        message = f"no encoding is called {encoding!r}"
        raise ParameterError(message)
    strategy = strategy_from_config(config)
    # Made anew from the strategy: a default that is spelled out is left out, as where the sidebar pins it.
    pin = pin_of(strategy, encoding, texts["@embedder"], texts["@writer"])
    return replace(pin, name=" ".join((texts["name"] or "").split())[:LONGEST_NAME] or pin.name)
