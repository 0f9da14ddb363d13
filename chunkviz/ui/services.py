"""Which embedder and which writer a strategy asks: chosen in the sidebar, kept in the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from chunkviz.answers import Answerer
from chunkviz.document import Document
from chunkviz.embedders import EMBEDDERS, get_embedder, is_available
from chunkviz.embedding import default_embedder
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation.proposer import DEFAULT_SYSTEM_PROMPT as PROPOSAL_SYSTEM_PROMPT
from chunkviz.evaluation.proposer import DEFAULT_USER_PROMPT as PROPOSAL_USER_PROMPT
from chunkviz.evaluation.proposer import PROMPT_FIELDS as PROPOSAL_FIELDS
from chunkviz.evaluation.proposer import OpenAICompatibleProposer
from chunkviz.segments import language_of
from chunkviz.services import Embedder, Services, Writer
from chunkviz.strategies import Strategy
from chunkviz.tokens import Tokenizer
from chunkviz.ui import service_notes, session
from chunkviz.ui.consent import AskFirst
from chunkviz.ui.kept_services import cached, draw_cache, is_caching, kept, packaged, text_cache
from chunkviz.ui.messages import draw_error
from chunkviz.writers import default_writer, get_writer
from chunkviz.writers.openai_compatible import DEFAULT_SYSTEM_PROMPT, DEFAULT_USER_PROMPT, PROMPT_FIELDS

Made = TypeVar("Made")
_OPENAI = "openai"
NOT_INSTALLED = " (not installed)"
"""Mark of an embedder in the choice, and so in the address."""
_WRITERS = {"outline": "Outline context: title, headings and key terms. No model, nothing is sent.",
            _OPENAI: "A language model of an OpenAI-compatible service."}  # fmt: skip


def choose_services(strategy: Strategy | None, document: Document | None, tokenizer: Tokenizer) -> Services | None:
    """Draw what the strategy needs to be asked; return the services, or None with the error on the screen."""
    session.put("service drawn", False)
    service_notes.begin()
    needs = strategy.services_needed() if strategy is not None else ()
    if not needs:
        return Services(tokenizer=tokenizer)
    try:
        embedder = _choose_embedder(document) if "embedder" in needs else None
        writer = _choose_writer() if "writer" in needs else None
    except ChunkvizError as error:
        session.put("refused", str(error))
        draw_error(error)
        return None
    return Services(tokenizer=tokenizer, embedder=embedder, writer=writer)


def choose_embedder(document: Document | None) -> Embedder | None:
    """Draw the embedder of a search where the sidebar has none; return it, or None with the error on the screen."""
    return _or_said(lambda: _choose_embedder(document, titled=False))


def choose_answerer() -> Answerer | None:
    """Draw the language model that answers from passages; return it, or None with the error on the screen."""
    settings = session.settings()
    model = st.text_input("Language model", settings.llm_model, key="answer model", persist_state="session")
    base_url, key = _address_and_key()

    def make() -> Answerer:
        return Answerer(model, base_url=base_url, api_key=key)

    return _or_said(lambda: kept("answerer object", (model, base_url, key), make))


def choose_proposer() -> OpenAICompatibleProposer | None:
    """Draw the language model that proposes questions, with its prompts; return it, or None with the error drawn."""
    settings = session.settings()
    model = st.text_input("Language model", settings.llm_model, key="proposal model", persist_state="session")
    base_url, key = _address_and_key()
    system, user = PROPOSAL_SYSTEM_PROMPT, PROPOSAL_USER_PROMPT
    if st.toggle("Show the prompts", key="proposal prompts", persist_state="session"):
        system = st.text_area("System prompt", system, key="proposal system prompt", persist_state="session")
        user = st.text_area(
            "User prompt", user, key="proposal user prompt", persist_state="session", height=300,
            help="Filled in for each passage: " + ", ".join(f"{{{field}}}" for field in PROPOSAL_FIELDS) + ".",
        )  # fmt: skip
    else:
        system = session.get("proposal system prompt") or system
        user = session.get("proposal user prompt") or user

    def make() -> OpenAICompatibleProposer:
        return OpenAICompatibleProposer(model, base_url=base_url, api_key=key, system_prompt=system, user_prompt=user)

    return _or_said(lambda: kept("proposer object", (model, base_url, key, system, user), make))


def _or_said(make: Callable[[], Made]) -> Made | None:
    """Return what is made, or None with the reason on the screen."""
    try:
        return make()
    except ChunkvizError as error:
        draw_error(error)
        return None


def names_in_use(strategy: Strategy) -> tuple[str | None, str | None]:
    """Return the names of the embedder and the writer that a strategy asks now, with ``:model`` where one is chosen."""
    needs = strategy.services_needed()
    embedder = str(session.get("embedder") or EMBEDDERS[0].name) if "embedder" in needs else None
    writer = str(session.get("writer") or "outline") if "writer" in needs else None
    model_of = {_OPENAI: "embedding model", "transformers": "transformers model"}
    if embedder in model_of:
        embedder = f"{embedder}:{session.get(model_of[embedder]) or ''}"
    if writer == _OPENAI:
        writer = f"{writer}:{session.get('llm model') or ''}"
    return embedder, writer


def paid_model(embedder: str | None, writer: str | None) -> str | None:
    """Return the one model of a paid service among names as ``names_in_use`` gives them; None for none or two."""
    models = [name.partition(":")[2] for name in (embedder, writer) if name and name.startswith(f"{_OPENAI}:")]
    return models[0] if len(models) == 1 else None


def of_names(embedder: str | None, writer: str | None) -> tuple[Embedder | None, Writer | None]:
    """Return the services that ``names_in_use`` named; those with a model are the ones the sidebar made last.

    Raises
    ------
    ChunkvizError
        When a service needs an address or a key and the sidebar has not made it.

    """
    return _named_embedder(embedder), _named_writer(writer)


def _named_embedder(name: str | None) -> Embedder | None:
    if name is None or name == EMBEDDERS[0].name:
        return None if name is None else default_embedder()
    kind, _, model = name.partition(":")
    if kind not in {_OPENAI, "transformers"}:
        return packaged(kind)
    made: tuple[Any, Embedder] | None = session.get("embedder object")
    if made is None or made[0][:2] != (kind, model):
        message = f"The embedder {name!r} is not set up in this session; choose it and its model in the sidebar first."
        raise ChunkvizError(message)
    return made[1]


def _named_writer(name: str | None) -> Writer | None:
    if name is None:
        return None
    kind, _, model = name.partition(":")
    if kind == "outline":
        return default_writer()
    made: tuple[Any, Writer] | None = session.get("writer object")
    if kind != _OPENAI or made is None or made[0][0] != model:
        message = f"The writer {name!r} is not set up in this session; choose it and its model in the sidebar first."
        raise ChunkvizError(message)
    return made[1]


def _agreed() -> set[str]:
    """Return digests of the requests that somebody has agreed to in this session."""
    return session.keep("agreed", set)


def _choose_embedder(document: Document | None, *, titled: bool = True) -> Embedder:
    if titled:
        st.subheader("Embedder", anchor=False)
    declared = {each.name: each for each in EMBEDDERS}
    missing = {each.name for each in EMBEDDERS if not is_available(each.name)}
    if session.get("embedder") is None and session.stored("embedder", "") in missing:
        session.put("embedder", session.stored("embedder", ""))  # a link names it without the mark
    name = st.selectbox(
        "Embedder", list(declared), key="embedder", bind="query-params",
        label_visibility="collapsed" if titled else "visible",
        format_func=lambda name: f"{name}{NOT_INSTALLED}" if name in missing else name,
        help="What turns segments into vectors. The lexical one needs no model.",
    )  # fmt: skip
    chosen = declared[name]
    st.caption(chosen.summary)
    language = language_of(document) if document is not None else None
    if chosen.languages and language and language not in chosen.languages:
        st.warning(
            f"This model knows {', '.join(chosen.languages)} only; in “{language}” its similarities mean little.",
            icon=":material/translate:",
        )
    if name == _OPENAI:
        return _openai_embedder()
    if name == "transformers":
        model = st.text_input(
            "Model", key="transformers model", persist_state="session", placeholder="a folder, or a name on the hub"
        )
        if not model:
            message = "Give the folder of a model, or its name on the hub."
            raise ChunkvizError(message)
        service_notes.note("embedder", name, model=model)
        return kept("embedder object", (name, model), lambda: cached(get_embedder(name, model=model)))
    if name == EMBEDDERS[0].name:
        return default_embedder()
    service_notes.note("embedder", name)
    return packaged(name)


def _openai_embedder() -> Embedder:
    settings = session.settings()
    model = st.text_input("Model", settings.embedding_model, key="embedding model", persist_state="session")
    base_url, key = _address_and_key()
    with st.expander("More", icon=":material/tune:"):
        dimensions = st.number_input(
            "Dimensions", min_value=1, value=None, step=1, key="embedding dimensions", persist_state="session",
            placeholder="the model's own",
        )  # fmt: skip
        long_texts = st.segmented_control(
            "Texts longer than the model reads", ["average", "refuse"], default="average", required=True,
            key="long texts", persist_state="session", width="stretch",
            help="average: embed the parts and average their vectors. refuse: stop with an error.",
        )  # fmt: skip
        draw_cache()

    service_notes.note("embedder", _OPENAI, model=model, base_url=base_url, dimensions=dimensions)

    def make() -> Embedder:
        return AskFirst(
            cached(
                get_embedder(
                    _OPENAI, model=model, base_url=base_url, api_key=key, dimensions=dimensions, long_texts=long_texts
                )
            ),
            _agreed(),
        )

    return kept("embedder object", (_OPENAI, model, base_url, key, dimensions, long_texts, is_caching()), make)


def _choose_writer() -> Writer:
    st.subheader("Context writer", anchor=False)
    name = st.segmented_control(
        "Context writer", list(_WRITERS), default="outline", required=True, key="writer", bind="query-params",
        label_visibility="collapsed", width="stretch",
    )  # fmt: skip
    st.caption(_WRITERS[name])
    if name != _OPENAI:
        return default_writer()
    settings = session.settings()
    model = st.text_input("Language model", settings.llm_model, key="llm model", persist_state="session")
    base_url, key = _address_and_key()
    with st.expander("Prompts", icon=":material/edit_note:"):
        system = st.text_area("System prompt", DEFAULT_SYSTEM_PROMPT, key="system prompt", persist_state="session")
        user = st.text_area(
            "User prompt", DEFAULT_USER_PROMPT, key="user prompt", persist_state="session", height=280,
            help="Filled in for each chunk: " + ", ".join(f"{{{field}}}" for field in PROMPT_FIELDS) + ".",
        )  # fmt: skip
        draw_cache()

    own = {"system_prompt": system, "user_prompt": user}
    edited = {key: text for key, text in own.items() if text not in {DEFAULT_SYSTEM_PROMPT, DEFAULT_USER_PROMPT}}
    service_notes.note("writer", _OPENAI, model=model, base_url=base_url, **edited)

    def make() -> Writer:
        return AskFirst(
            get_writer(
                _OPENAI, model=model, base_url=base_url, api_key=key, system_prompt=system, user_prompt=user,
                cache=text_cache(),
            ),
            _agreed(),
        )  # fmt: skip

    return kept("writer object", (model, base_url, key, system, user, is_caching()), make)


def _address_and_key() -> tuple[str | None, str]:
    """Draw address and key of the service once, however many of its models are asked."""
    settings = session.settings()
    if session.get("service drawn"):
        return session.get("base url") or None, session.get("api key") or _own_key(session.get("base url"))
    session.put("service drawn", True)
    base_url = st.text_input(
        "Address", settings.openai_base_url or "", key="base url", persist_state="session",
        placeholder="https://api.openai.com/v1",
        help="Of any service that speaks OpenAI's protocol; local servers such as Ollama, vLLM or LM Studio, too.",
    )  # fmt: skip
    own = _own_key(base_url)
    key = st.text_input(
        "Key", key="api key", type="password", persist_state="session", autocomplete="off",
        placeholder="from the settings" if own else "none",
        help="Stays in this session, and goes nowhere but to the address above.",
    )  # fmt: skip
    return base_url or None, key or own


def _own_key(base_url: str | None) -> str:
    """Return this installation's own key, for its own address only: a visitor may not send it elsewhere."""
    settings = session.settings()
    secret = settings.openai_api_key
    if secret is None or (base_url or None) != settings.openai_base_url:
        return ""
    return secret.get_secret_value()
