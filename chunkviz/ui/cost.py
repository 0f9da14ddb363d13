"""What the Tokens & cost page draws: numbers, the text a model never reads, sizes, and the cost ledger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from chunkviz.chunk import Chunk, Chunking
from chunkviz.cost import embedded_counts, ledger, never_read
from chunkviz.errors import Cancelled
from chunkviz.models import EMBEDDING_MODELS, EmbeddingModel
from chunkviz.span import Span
from chunkviz.ui import encodings, jobs, ledgers, prices, services, session
from chunkviz.ui.amounts import written
from chunkviz.ui.messages import draw_stopped
from chunkviz.ui.size_charts import VIEWS, chosen_in_charts, draw_size_chart, name_of
from chunkviz.ui.text import as_plain
from chunkviz.ui.viewer import draw_viewer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHILDREN = "Texts to embed"


def draw(chunking: Chunking) -> None:
    """Draw the page for one chunking."""
    # All of it in one place: were the viewer behind it to move up or down, the browser would build it anew.
    with st.container():
        model = _choose_model()
        service = services.paid_model(*services.names_in_use(chunking.strategy))
        table = prices.in_force()
        found = session.remembered(
            chunking,
            "ledger",
            lambda: ledger(chunking, model.name, dimensions=model.dimensions, prices=table, service=service),
            *(model, tuple(table.items()), service),
        )
        counts = session.remembered(chunking, "embedded counts", lambda: embedded_counts(chunking))
        lost = _never_read(chunking, model)
        unseen = "…" if lost is None else _share(sum(len(span) for span in lost), len(chunking.document))
        with st.container(horizontal=True, gap="small", key="numbers"):
            st.metric("Texts", f"{found.texts:,}", help="Texts to embed, one a chunk; each becomes one vector.")
            st.metric("Tokens to embed", f"{found.tokens:,}", help="Overlap and contexts included.")
            st.metric("Duplication", f"×{found.duplication:.2f}", help="Tokens to embed over tokens of the document.")
            st.metric(
                "Vectors (estimate)", written(found.bytes, "bytes"),
                help=f"{found.texts:,} vectors of {model.dimensions:,} numbers, four bytes each, without an index.",
            )  # fmt: skip
            st.metric("Money (estimate)", written(found.dollars, "dollars"), help=prices.source_of(model.name))
            st.metric(
                "Never seen", unseen,
                help="Share of the document's characters that lie beyond the limit of the model in every text they "
                "are in.",
            )  # fmt: skip
        focus = None if lost is None else _draw_what_is_lost(chunking, model, counts, lost)
    of = _measured(chunking, counts)
    bars, point = chosen_in_charts(of.name, of.counts)
    state = draw_viewer(
        chunking, key="cost viewer", selected=of.first_chunk(point), marked=of.chunks_of(bars), focus=focus,
        focus_serial=session.get("lost serial", 0), height=460, unseen=lost or (),
    )  # fmt: skip
    _draw_sizes(chunking, model, of, state.selected)
    ledgers.draw(chunking, found, table)
    prices.draw()
    encodings.draw(chunking)


def _never_read(chunking: Chunking, model: EmbeddingModel) -> tuple[Span, ...] | None:
    """Return what the model never reads, or None while long work shows its progress or was stopped."""

    def work(job: jobs.Job[tuple[Span, ...]]) -> tuple[Span, ...]:
        return never_read(chunking, model.limit, report=job.report)

    # The job holds the chunking, so that as long as it stands no other can have its identity.
    key = (id(chunking), model.limit)
    job = jobs.run(key, f"Looking for what {as_plain(model.name)} never reads", work, slot="never read")
    if not job.done:
        return None
    try:
        return job.outcome()
    except Cancelled:
        draw_stopped("The search for text beyond the limit was stopped.", "Search again", "never read")
        return None


def _choose_model() -> EmbeddingModel:
    models = {model.label: model for model in EMBEDDING_MODELS}
    label = st.selectbox(
        "Embedding model", list(models), key="cost model", bind="query-params", width=420,
        help="Its limit, the numbers in its vectors and its price are what the page reckons with; nothing is sent.",
    )  # fmt: skip
    return models[label or EMBEDDING_MODELS[0].label]


def _share(part: int, whole: int) -> str:
    if not part:
        return "0%"
    return "<0.1%" if part / whole < 0.001 else f"{part / whole:.1%}"  # noqa: PLR2004  what one decimal can show


def _draw_what_is_lost(
    chunking: Chunking, model: EmbeddingModel, counts: NDArray[np.int64], lost: tuple[Span, ...]
) -> Span | None:
    """Say which texts are too long and what becomes of them; return a lost place that somebody wants to see."""
    over = int((counts > model.limit).sum())
    longest = int(counts.max(initial=0))
    counted = chunking.tokens.tokenizer.name
    guide = "" if model.encoding == counted else f" An estimate: counted in {counted}, not in the model's own tokens."
    asked = session.get("lost serial", 0)
    at = session.get("lost place", 0) % max(1, len(lost))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="lost"):
        if not over:
            st.badge("Every text fits", icon=":material/check_circle:", color="green")
            st.caption(f"The longest has {longest:,} tokens; {model.name} reads {model.limit:,}.{guide}")
            return None
        st.badge(f"{over:,} of {len(counts):,} texts too long", icon=":material/content_cut:", color="orange")
        if lost:
            st.button(
                f"Next place ({at + 1:,} of {len(lost):,})" if asked else "Go to the first place", key="next lost",
                icon=":material/arrow_downward:", type="tertiary", on_click=_next_place, args=(len(lost),),
            )  # fmt: skip
    characters = sum(len(span) for span in lost)
    what = (
        f"**{characters:,} characters in {_places(len(lost))} are never seen by the model**, struck through below. "
        if lost
        else "What lies beyond the limit is read as part of another text. "
    )
    how = "and refuses longer texts" if model.refuses else "of a text and drops the rest"
    st.caption(f"{what}{model.name} reads {model.limit:,} tokens {how}.{guide}")
    return lost[at] if lost and asked else None


def _places(number: int) -> str:
    return f"{number:,} place{'' if number == 1 else 's'}"


def _next_place(places: int) -> None:
    asked = session.get("lost serial", 0)
    session.put("lost place", (session.get("lost place", 0) + 1) % places if asked else 0)
    session.put("lost serial", asked + 1)


@dataclass(frozen=True, slots=True)
class _Measured:
    """What the charts show: the texts to embed, or the parents of one level."""

    level: str
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    owners: NDArray[np.int64]
    """Place in the charts that each chunk belongs to, -1 where there is none; int64 (chunks,)."""

    @property
    def name(self) -> str:
        """Name of the charts in widget keys."""
        return f"{self.level} {name_of(self.starts, self.ends)}"

    def chunks_of(self, places: NDArray[np.int64]) -> list[int]:
        """Return the chunks that belong to any of these places."""
        chunks: list[int] = np.flatnonzero(np.isin(self.owners, places)).tolist()
        return chunks

    def place_of(self, chunk: int | None) -> int | None:
        """Return the place a chunk belongs to, or None."""
        place = -1 if chunk is None else int(self.owners[chunk])
        return None if place < 0 else place

    def first_chunk(self, place: int | None) -> int | None:
        """Return the first chunk of a place, or None."""
        found = [] if place is None else self.chunks_of(np.array([place], np.int64))
        return found[0] if found else None


def _measured(chunking: Chunking, counts: NDArray[np.int64]) -> _Measured:
    """Return what the charts show at the level that is chosen below them; ``counts`` are those of the texts."""
    levels = _levels(chunking)
    if session.get("cost level") not in {_CHILDREN, *levels}:
        session.put("cost level", _CHILDREN)
    level: str = session.get("cost level")
    parents = levels.get(level)
    if parents is None:
        return _Measured(level, chunking.starts, chunking.ends, counts, np.arange(len(chunking)))
    places = {parent.id: place for place, parent in enumerate(parents)}
    return _Measured(
        level,
        np.fromiter((parent.start for parent in parents), np.int64, len(parents)),
        np.fromiter((parent.end for parent in parents), np.int64, len(parents)),
        np.fromiter((parent.token_count for parent in parents), np.int64, len(parents)),
        np.fromiter((_owner(chunk, places) for chunk in chunking), np.int64, len(chunking)),
    )


def _owner(chunk: Chunk, places: dict[str, int]) -> int:
    above = chunk.parent
    while above is not None and above.id not in places:
        above = above.parent
    return -1 if above is None else places[above.id]


def _draw_sizes(chunking: Chunking, model: EmbeddingModel, of: _Measured, selected: int | None) -> None:
    levels = _levels(chunking)
    with st.container(horizontal=True, vertical_alignment="bottom", key="sizes"):
        view = st.segmented_control(
            "Sizes", VIEWS, default=VIEWS[0], required=True, key="cost sizes view", persist_state="session",
        )  # fmt: skip
        if levels:
            st.segmented_control("Of", [_CHILDREN, *levels], required=True, key="cost level", persist_state="session")
    limit = model.limit if of.level == _CHILDREN else None
    hint = draw_size_chart(
        view or VIEWS[0], of.name, of.starts, of.ends, of.counts, limit=limit, limit_name=model.name,
        selected=of.place_of(selected),
        noun="text" if limit is not None else "parent",
    )  # fmt: skip
    if limit is None:
        hint += " Parents are returned and not embedded, so the limit of the embedding model does not concern them."
    elif limit > int(of.counts.max(initial=0)) * 1.5:
        where = "to the right of" if view == "Histogram" else "above"
        hint += f" The limit of {as_plain(model.name)}, {limit:,} tokens, lies far {where} what is shown."
    st.caption(hint)


def _levels(chunking: Chunking) -> dict[str, tuple[Chunk, ...]]:
    """Return the parents by level, outermost first."""
    numbers = sorted({parent.level for parent in chunking.parents})
    return {
        "Parents" if len(numbers) == 1 else f"Parents, level {place}": tuple(
            parent for parent in chunking.parents if parent.level == number
        )
        for place, number in enumerate(numbers, 1)
    }
