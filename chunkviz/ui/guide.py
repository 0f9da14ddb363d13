"""What the Guide page draws: strategies from their declarations, the words, the keys."""

from __future__ import annotations

import streamlit as st

from chunkviz.embedders import EMBEDDERS, is_available
from chunkviz.params import parameters_of
from chunkviz.strategies import all_strategies
from chunkviz.ui.text import as_plain

_WORDS = {
    "chunk": "a span of the document, with what follows from it: text, tokens, headings, page",
    "similarity": "cosine of neighbouring segments; a boundary falls where it is below the threshold",
    "parent, child": "the large chunk that is returned, the small one that is searched",
    "context": "text written about a chunk and put before it for embedding; never part of its span",
    "boundary": "the place between neighbouring chunks; the evidence says why it is there",
    "overlap": "what neighbouring chunks share; the setting is an upper bound, the screen shows what was measured",
    "segment": "a sentence, line or paragraph that a strategy groups",
    "separator": "what may end a piece; it stays with the text",
    "unit": "what sizes are counted in: tokens or characters (Unicode code points)",
    "p95 tokens": "95 of 100 chunks have at most this many tokens",
    "mean overlap": "tokens (tok) or characters (ch), as set, that a chunk shares with the one before, on average",
    "tokens to embed": "tokens of all chunks, contexts included, over tokens of the document; ×1.00 adds nothing",
    "cut mid-sentence, mid-word": "share of boundaries that fall inside a sentence, or between letters of one word",
    "boundary F1": "of two settings: the share of boundaries that both have, as the mean of precision and recall",
    "Pk, WindowDiff": "shares of windows along the document that two settings part differently; 0 is agreement",
    "white space": "left out at the edges of chunks; every other character is in some chunk",
}
_KEYS = {
    "n / p": "next and previous chunk (while the document has the focus)",
    "Home / End": "first and last chunk",
    "Enter": "to the details of the selected chunk",
    "Esc": "select nothing",
}


def _draw_services() -> None:
    st.subheader("Embedders", anchor=False)
    st.markdown(
        "What turns text into vectors, for the strategies that compare meanings. Similarities of one are not those of "
        "another: set the threshold anew, or choose a mode that takes it from the document."
    )
    lines = []
    for each in EMBEDDERS:
        languages = ", ".join(each.languages) if each.languages else "any language"
        needs = "" if is_available(each.name) else f" Not installed here: `pip install 'chunkviz[{each.extra}]'`."
        lines.append(
            f"- **{each.title}** · `{each.name}`: {as_plain(each.summary)} Languages: {languages}. Cost: "
            f"{as_plain(each.relative_cost)}. Source: {as_plain(each.source)}.{needs}"
        )
    st.markdown("\n".join(lines))
    st.subheader("Context writers", anchor=False)
    st.markdown(
        "- **Outline context** · `outline`: title, headings and the key terms of each chunk; no model writes it.\n"
        "- **OpenAI-compatible** · `openai`: a language model is shown each chunk with its surroundings and writes one "
        "or two sentences. The prompts can be read and changed.\n\n"
        "A paid service is asked only after you have seen an estimate and agreed. Keys stay in your session."
    )


def draw() -> None:
    """Draw the page."""
    st.header("Guide", anchor=False)
    st.markdown(
        "Open a document in the sidebar, choose a strategy, and move its sliders: on **Explore** every chunk is "
        "coloured in place, with the reason for each boundary. Everything is computed on this server; no key and "
        "no network are needed. The address of the page holds document, strategy and parameters, so it can be sent "
        "to a colleague; your own text and the settings of a service are never part of it."
    )
    st.subheader("Strategies", anchor=False)
    for strategy in all_strategies():
        about = strategy.about
        with st.container(border=True):
            st.markdown(f"**{about.title}** · `{strategy.name}`")
            st.markdown(about.summary)
            st.markdown(
                f"- **Splits at:** {about.split_unit}\n- **Boundary:** {about.boundary_logic}\n"
                f"- **Best for:** {about.best_for}\n- **Calls:** {about.calls}; relative cost {about.relative_cost}\n"
                f"- **Source:** {about.source}"
            )
            with st.expander("Parameters", icon=":material/tune:"):
                # A list, for a table of sentences does not fit a telephone.
                st.markdown(
                    "\n".join(
                        f"- `{each.name} = {each.default!r}` {as_plain(each.help)}" for each in parameters_of(strategy)
                    )
                )
    _draw_services()
    words, keys = st.columns(2)
    with words:
        st.subheader("Words", anchor=False)
        st.markdown("\n".join(f"- **{word}**: {meaning}" for word, meaning in _WORDS.items()))
    with keys:
        st.subheader("Keys", anchor=False)
        st.markdown("\n".join(f"- **{key}**: {meaning}" for key, meaning in _KEYS.items()))
