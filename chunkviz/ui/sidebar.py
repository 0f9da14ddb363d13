"""What stands on every page: the document card, the tokens it is counted in, and the strategy."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunkviz.chunk import Chunking
from chunkviz.document import Document
from chunkviz.errors import Cancelled, ChunkvizError, ServiceError, VocabularyError
from chunkviz.language import LANGUAGE_NAMES
from chunkviz.segments import sentences
from chunkviz.services import Services
from chunkviz.strategies import Strategy, installed, list_strategies, strategy_class
from chunkviz.tokens import DEFAULT_ENCODING, Tokenizer, TokenMap, get_tokenizer
from chunkviz.ui import compute, frame, jobs, pins, session, sources
from chunkviz.ui.consent import ConsentNeeded, ask
from chunkviz.ui.controls import draw_parameters
from chunkviz.ui.messages import draw_error
from chunkviz.ui.services import NOT_INSTALLED, choose_services
from chunkviz.ui.text import as_plain
from chunkviz.vocabulary import ENCODINGS
from chunkviz.wording import count_of

_LONGEST_NAME = 48
"""Characters of a file name that fit two lines of the card."""
_LARGE = 1_000_000
"""Characters above which figures that need the whole document are left until they are asked for."""


_WRONG = "wrong in link"
_OF_PAGES = {
    "model", "cost model", "sizes view", "step", "tree", "question", "ranking", "k", "reference", "tolerance",
    "windows", pins.PARAMETER,
}  # fmt: skip
"""What the address holds for a page; the page itself says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the sidebar has open: a document, the tokens it is counted in, and a strategy."""

    document: Document | None
    strategy: Strategy | None
    services: Services | None


def draw() -> None:
    """Draw the sidebar, and remember what it has open for the page."""
    asked = session.link()
    session.keep_link()
    wrong_pins = pins.restore()
    try:
        document, tokenizer = pick_document()
    except VocabularyError as error:
        # In the page and not only in the sidebar, which is closed on a telephone.
        draw_error(error)
        st.button(f"Count {DEFAULT_ENCODING} instead", on_click=session.put, args=("encoding", DEFAULT_ENCODING))
        st.stop()
    strategy, asked_services = choose_strategy(document)
    with asked_services:
        services = choose_services(strategy, document, tokenizer)
    with st.sidebar:
        pins.draw(strategy, tokenizer.name)
    session.put("setting", Setting(document, strategy, services))
    session.hold_link()
    if str(session.get("pasted") or "").strip():
        with st.sidebar:
            frame.ask_before_leaving()
    with st.container():  # a place of its own, so that what goes away does not push the page down
        _say_what_the_link_got_wrong(_wrong_in_link(asked, wrong_pins), strategy)


def _say_what_the_link_got_wrong(wrong: list[str], strategy: Strategy | None) -> None:
    """Draw what the link got wrong until it is read, or the strategy is set anew: pages run again by themselves."""
    if wrong:
        session.put(_WRONG, (wrong, strategy))
    wrong, then = session.get(_WRONG, ([], None))
    if not wrong:
        return
    if strategy != then:
        session.drop(_WRONG)
        return
    listed = f" {wrong[0]}." if len(wrong) == 1 else "".join(f"\n- {each}" for each in wrong)
    st.warning(f"Not everything in the link could be followed:{listed}", icon=":material/link_off:")
    st.button("Understood", key="link understood", on_click=session.drop, args=(_WRONG,))


def _wrong_in_link(asked: dict[str, str], wrong_pins: list[str]) -> list[str]:
    """Return each setting of the link that cannot be, with what stands in its place."""
    wrong = [as_plain(each) for each in wrong_pins]
    for name, value in asked.items():
        held = session.get(name)
        own = name.split(".")[0]
        if held is None and own in list_strategies() and own != session.get("strategy"):
            continue  # a setting of a strategy that is not the one on the screen
        if name in _OF_PAGES or _is_same(held, value):
            continue
        if name == "embedder" and held is None and "ranking" in asked:
            continue  # a search asks it, and draws it later
        instead = "no setting has this name" if held is None else f"{as_plain(str(held))} is used instead"
        wrong.append(f"**{as_plain(f'{name}={value}')}**: {instead}")
    return wrong


def _is_same(held: Any, asked: str) -> bool:
    """Whether a value of the address is the one in force: 35, 35.0 and 35.00 are one number."""
    if isinstance(held, int | float) and not isinstance(held, bool):
        try:
            return float(asked) == held
        except ValueError:
            return False
    return str(held).lower() == asked.removesuffix(NOT_INSTALLED).lower()


def pick_document() -> tuple[Document | None, Tokenizer]:
    """Draw the document card; return the open document, or None when there is none yet, and its tokenizer."""
    with st.sidebar:
        st.subheader("Document", anchor=False)
        source = st.segmented_control(
            "Where the document comes from", ["Sample", "Upload", "Paste"], default="Sample", required=True,
            key="source", bind="query-params", label_visibility="collapsed", width="stretch",
        )  # fmt: skip
        match source:
            case "Upload":
                document = sources.pick_upload()
            case "Paste":
                document = sources.pick_pasted()
            case _:
                document = sources.pick_sample()
        with st.container(border=True, gap="small", key="card"):
            card = st.container(gap="xxsmall")
            with st.expander("Language, tokens, loading", icon=":material/tune:"):
                language = _choose_language()
                encoding = _choose_encoding()
                for change in document.changes if document is not None else ():
                    st.caption(f":material/build: {as_plain(change)}")
            tokenizer = get_tokenizer(encoding)
            if document is not None:
                document = session.in_language(document, language or document.language)
            with card:
                _draw_card(document, tokenizer)
        return document, tokenizer


def _draw_card(document: Document | None, tokenizer: Tokenizer) -> None:
    """Say what the document is."""
    if document is None:
        st.caption("The document is being read." if sources.is_reading() else "No document is open yet.")
        return
    whole = f"{document.title}\n{document.name}" if document.title else document.name
    st.html(f'<div class="name" title="{escape(whole)}">{escape(document.title or _short(document.name))}</div>')
    figures = [count_of(len(document), "character")]
    tokens = TokenMap.of(document, tokenizer)
    if len(document) <= _LARGE or tokens.made:
        figures.append(count_of(len(tokens), "token"))
        figures.append(count_of(len(sentences(document)), "sentence"))
    if document.pages:
        figures.append(count_of(len(document.pages), "page"))
    name = [as_plain(_short(document.name))] if document.title else []
    st.caption(" · ".join([*name, *figures, _language(document)]))


def _short(name: str) -> str:
    """Leave out the middle of a long file name; its beginning and its ending tell files apart."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 21]}…{name[-20:]}"


def _language(document: Document) -> str:
    if document.language is not None:
        return LANGUAGE_NAMES[document.language]
    return "source code" if document.format == "code" else "language mixed or unknown"


def _choose_language() -> str | None:
    codes = {name: code for code, name in LANGUAGE_NAMES.items()}
    chosen = st.selectbox(
        "Sentence rules of", [session.DETECTED, *sorted(codes)], key="language", bind="query-params",
        help="Where sentences end depends on the language. Choose it where the detection is wrong.",
    )  # fmt: skip
    return codes.get(chosen or "")


def _choose_encoding() -> str:
    models = "; ".join(f"{name}: {used_by}" for name, used_by in ENCODINGS.items())
    name = st.selectbox(
        "Tokens of", list(ENCODINGS), key="encoding", bind="query-params",
        help="The vocabulary that tokens are counted in. cl100k_base comes with chunkviz; the others are "
        f"fetched once by tiktoken, and need the internet for that. {models}.",
    )  # fmt: skip
    return name or DEFAULT_ENCODING


def choose_strategy(document: Document | None) -> tuple[Strategy | None, DeltaGenerator]:
    """Draw the strategy and its parameters; return it as chosen, or None, and a place for the services it asks."""
    with st.sidebar:
        st.subheader("Strategy", anchor=False)
        name = st.selectbox(
            "Strategy", list_strategies(), index=list_strategies().index("recursive"), key="strategy",
            bind="query-params", label_visibility="collapsed",
        )  # fmt: skip
        about = strategy_class(name).about
        st.caption(
            about.summary,
            help=f"**Best for:** {about.best_for}. **Splits at:** {about.split_unit}. **Calls:** {about.calls}. "
            f"**Cost:** {about.relative_cost}. **Source:** {about.source}.",
        )
        for problem in installed().problems:
            st.warning(as_plain(problem), icon=":material/extension_off:")
        asked = st.container()
        strategy = draw_parameters(name, document or Document(""))
    return strategy, asked


def _say_what_is_open() -> None:
    if sources.is_reading():
        st.info("The document is being read; its progress stands in the sidebar.", icon=":material/hourglass_top:")
        return
    st.info("Open a document in the sidebar: a sample, a file of yours, or a pasted text.", icon=":material/west:")


def chunk() -> Chunking | None:
    """Return the chunking of what the sidebar has open, or None with the reason on the screen."""
    setting: Setting = session.get("setting")
    document, strategy, services = setting.document, setting.strategy, setting.services
    if document is None:
        _say_what_is_open()
        return None
    if strategy is None or services is None:
        # In the page, too: on a telephone the sidebar is closed.
        draw_error(str(session.get("refused")))
        return _last_of(document)
    try:
        chunking = compute.chunking_of(document, strategy, services)
    except Cancelled:
        again: Any = st.button("Chunk again", icon=":material/refresh:")
        st.info("Chunking was stopped. Change a setting, or start again.", icon=":material/info:")
        if again:
            jobs.forget("chunking")
            st.rerun()
    except ConsentNeeded as question:
        ask(question)
    except ChunkvizError as error:
        jobs.forget("chunking")
        draw_error(error)
        if isinstance(error, ServiceError):
            st.button("Try again", icon=":material/refresh:", key="try again")
        return _last_of(document)
    else:
        if chunking is not None:
            session.put("last chunking", chunking)
        return chunking
    return None


def _last_of(document: Document) -> Chunking | None:
    """Return what was last on the screen for this document, and say that it is not what was asked for."""
    last: Chunking | None = session.get("last chunking")
    if last is None or last.document is not document:
        return None
    st.caption(f"The last valid setting is shown: **{as_plain(last.strategy.about.title)}**.")
    return last


def chunk_again() -> None:
    """Forget the chunking of what is open, so that what failed in it is tried again."""
    setting: Setting = session.get("setting")
    if setting.document is not None and setting.strategy is not None and setting.services is not None:
        compute.forget(setting.document, setting.strategy, setting.services)
