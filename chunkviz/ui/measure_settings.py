"""Settings side by side on the same questions, with the intervals of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from chunkviz.alignment import OwnChunks
from chunkviz.chunk import Chunking
from chunkviz.errors import ChunkvizError
from chunkviz.evaluation import Evaluation, Failure, compare
from chunkviz.services import Services
from chunkviz.ui import measuring, narrow, own_chunks, pins
from chunkviz.ui import services as chosen_services
from chunkviz.ui.links import put_setting
from chunkviz.ui.measure_words import (
    figure_of,
    interval_of,
    name_of,
    warning_of_sizes,
    warning_of_tokenizers,
)
from chunkviz.ui.measuring import Candidate, Outcome, Request
from chunkviz.ui.messages import draw_error
from chunkviz.ui.text import as_plain

_LABELS = {"": st.column_config.TextColumn(pinned=True)}
"""What a row is stays in sight while the settings are scrolled past it, as on a telephone."""


@dataclass(frozen=True)
class Listed:
    """The settings that are measured together."""

    current: Candidate
    """The one in the sidebar, under the name of its pin where it is pinned."""
    candidates: tuple[Candidate, ...]
    """Pinned ones, oldest first, own chunks, and the sidebar's at the end where it is not among them."""
    wrong: tuple[str, ...] = ()
    """One sentence for each pin that cannot be measured here, and for own chunks that are not all in the document."""


def settings_of(chunking: Chunking, services: Services) -> Listed:
    """Return the pinned settings with that of the sidebar."""
    strategy = chunking.strategy
    needs = strategy.services_needed()
    own = pins.pin_of(strategy, services.tokenizer.name, *chosen_services.names_in_use(strategy))
    # What is on the screen may be the last valid setting, counted in other tokens.
    made = chunking if chunking.tokens.tokenizer.name == services.tokenizer.name else None
    current = Candidate(
        own.name,
        strategy,
        services.tokenizer,
        services.embedder if "embedder" in needs else None,
        services.writer if "writer" in needs else None,
        made,
    )
    listed: list[Candidate] = []
    wrong = []
    for pin in pins.all():
        if pin.same_setting(own):
            current = replace(current, name=pin.name)
            listed.append(current)
            continue
        try:
            listed.append(_candidate_of(pin))
        except ChunkvizError as error:
            wrong.append(f"{pin.name}: {error}")
    wrong += own_chunks.shortfalls(chunking.document)
    listed += [
        Candidate(each.name, each.chunking.strategy, each.chunking.tokens.tokenizer, made=each.chunking)
        for each in own_chunks.all(chunking.document)
    ]
    if current not in listed:
        listed.append(current)
    return Listed(current, _named_apart(listed), tuple(wrong))


def _named_apart(listed: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the settings, each with a name that none before it has: names head columns and name buttons."""
    names: list[str] = []
    for each in listed:
        number, name = 1, each.name
        while name in names:
            number += 1
            name = f"{each.name} ({number})"
        names.append(name)
    return tuple(replace(each, name=name) for each, name in zip(listed, names, strict=True))


def _candidate_of(pin: pins.Pin) -> Candidate:
    """Return a pinned setting as one to be measured; raises ``ChunkvizError`` where it cannot be made here."""
    asked = pin.asked()
    return Candidate(pin.name, pin.strategy(), asked.tokenizer, asked.embedder, asked.writer)


def draw_settings(request: Request, listed: Listed) -> None:
    """Draw the list of settings and what each reaches, the differences to the first, and what to beware of."""
    _draw_list(listed)
    known = measuring.known(request)
    found = [(each, known[each]) for each in listed.candidates if each in known]
    for each, outcome in found:
        if isinstance(outcome, Failure):
            st.error(f"{as_plain(each.name)}: {as_plain(outcome.reason)}", icon=":material/error:")
            st.button(
                "Try again",
                icon=":material/refresh:",
                key=f"again {each.name}",
                on_click=_forget,
                args=(known, each),
            )
    measured = [(each.name, outcome) for each, outcome in found if isinstance(outcome, Evaluation)]
    if not measured:
        return
    evaluations = [outcome for _, outcome in measured]
    for warning in (warning_of_sizes(evaluations), warning_of_tokenizers(evaluations)):
        if warning:
            st.warning(warning, icon=":material/straighten:")
    figures = table_of(measured)
    with narrow.wide("settings"):
        st.dataframe(
            figures, key="settings table", hide_index=True, width="stretch", height="content", column_config=_LABELS
        )  # fmt: skip
    narrow.draw_plain("settings", figures, "What each setting reaches")
    st.caption(
        f"Mean ± standard deviation over {request_questions(request)}, and in brackets the 95 % interval of the mean."
    )
    if len(measured) > 1:
        st.markdown(f"**Difference to {as_plain(measured[0][0])}**, on the same questions")
        differences = differences_of(measured)
        with narrow.wide("differences"):
            st.dataframe(
                differences, key="differences table", hide_index=True, width="stretch", height="content",
                column_config=_LABELS,
            )  # fmt: skip
        narrow.draw_plain("differences", differences, "Differences to the first setting")
        st.caption(
            f"Mean difference with its 95 % interval, paired over {request_questions(request)}. ● the interval "
            "leaves out zero; ○ it does not, so these questions do not tell the settings apart."
        )


def _forget(known: dict[Candidate, Outcome], each: Candidate) -> None:
    """Have a setting measured again; it may be gone already."""
    known.pop(each, None)


def request_questions(request: Request) -> str:
    """Return the number of questions with its noun."""
    return f"{len(request.questions):,} question{'' if len(request.questions) == 1 else 's'}"


def table_of(measured: Sequence[tuple[str, Evaluation]]) -> dict[str, list[str]]:
    """Return a column of text per setting, a row per measure, and below them what they were measured with."""
    first = measured[0][1]
    rows = {"": [*(name_of(each, first.unit) for each in first.measures), *_facts(first)]}
    for name, found in measured:
        cells = []
        for measure in found.measures:
            interval = found.interval(measure)
            spread = f"{figure_of(interval.mean)} ± {figure_of(found.deviation(measure))}"
            cells.append(f"{spread}   {interval_of(interval)}".rstrip())
        rows[name] = [*cells, *_facts(found).values()]
    return rows


def _facts(found: Evaluation) -> dict[str, str]:
    return {
        "Answers whole / split / lost": " / ".join(f"{found.total(each):,}" for each in ("whole", "split", "lost")),
        "Tokens retrieved a question": f"{found.mean_retrieved_tokens:,.0f}",
        "Chunks": f"{found.chunks:,}",
        "Mean tokens returned": f"{found.mean_returned_tokens:,.0f}",
        "Questions": f"{found.questions:,}",
        "k": f"{found.k:,}",
        "Ranking": found.ranking,
        "Embedder of the ranking": found.embedder or "none",
        "Tokens of": found.tokenizer,
    }


def differences_of(measured: Sequence[tuple[str, Evaluation]]) -> dict[str, list[str]]:
    """Return a column of text per setting but the first: how much higher it is, with the interval of that."""
    first = measured[0][1]
    rows = {"": [name_of(each, first.unit) for each in first.measures]}
    for name, found in measured[1:]:
        cells = []
        for measure in found.measures:
            difference = compare(found, first, measure)
            sign = "●" if difference.settled else "○"
            cells.append(
                f"{sign} {figure_of(difference.mean, sign=True)}   {interval_of(difference, sign=True)}".rstrip()
            )
        rows[name] = cells
    return rows


def _draw_list(listed: Listed) -> None:
    """Draw the settings that are measured, each with a button that opens it, and one that pins the sidebar's."""
    pinned = {pin.name for pin in pins.all()}
    with st.container(border=True, key="settings list", gap="xxsmall"):
        for number, each in enumerate(listed.candidates):
            here = each == listed.current
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                own = isinstance(each.strategy, OwnChunks)
                here_too = "pinned, in the sidebar" if each.name in pinned else "in the sidebar"
                where = here_too if here else "your own chunks" if own else ""
                st.markdown(f"**{number + 1}.** {as_plain(each.name)}{f' · {where}' if where else ''}", width="stretch")
                if here and each.name not in pinned:
                    _draw_pin_button(each)
                elif not here and not own:
                    st.button(
                        "Open", key=f"open {each.name}", icon=":material/input:", on_click=put_setting,
                        args=(each.strategy,), type="tertiary",
                    )  # fmt: skip
        if len(listed.candidates) == 1:
            st.caption(
                "Pin this setting, then change something in the sidebar: both are measured on the same questions."
            )
    for sentence in listed.wrong:
        draw_error(sentence)


def _draw_pin_button(current: Candidate) -> None:
    asked = chosen_services.names_in_use(current.strategy)
    full = len(pins.all()) >= pins.MOST
    st.button(
        "Pin it", key="pin measured", icon=":material/keep:", type="tertiary", on_click=pins.add, disabled=full,
        args=(pins.pin_of(current.strategy, current.tokenizer.name, *asked),),
        help=f"{pins.MOST} settings are pinned, which is the most." if full else "Keeps it here and on every page.",
    )  # fmt: skip
