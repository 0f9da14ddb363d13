"""Services as the session holds them: made once for the same facts, their answers kept on disk where that is wished."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

import streamlit as st

from chunkviz.embedders import get_embedder
from chunkviz.embedders.cache import CachedEmbedder, VectorCache
from chunkviz.services import Embedder
from chunkviz.ui import session
from chunkviz.writers import TextCache

Kept = TypeVar("Kept")


def kept(place: str, facts: Hashable, make: Callable[[], Kept]) -> Kept:
    """Return one object for the same facts, so that what it made for a document is remembered."""
    held: tuple[Hashable, Kept] | None = session.get(place)
    if held is None or held[0] != facts:
        held = (facts, make())
        session.put(place, held)
    return held[1]


def packaged(name: str) -> Embedder:
    """Return the embedder of a package; the session holds one, whoever asks it."""
    return kept(f"embedder {name}", (name, is_caching()), lambda: cached(get_embedder(name)))


def cached(embedder: Embedder) -> Embedder:
    """Return the embedder, its vectors kept on disk where that is wished and where they can be of use again."""
    if hasattr(embedder, "fitted"):  # its vectors depend on the other texts of the document
        return embedder
    folder = _folder() if is_caching() else None
    return embedder if folder is None else CachedEmbedder(embedder, VectorCache(folder, _size_limit()))


def text_cache() -> TextCache | None:
    """Return where a writer's answers are kept on disk, or None where that is not wished."""
    folder = _folder() if is_caching() else None
    return None if folder is None else TextCache(folder, _size_limit())


def is_caching() -> bool:
    """Whether answers are kept on this disk: the settings name a folder, and nobody has turned it off."""
    return _folder() is not None and bool(session.get("caching", default=True))


def draw_cache() -> None:
    """Draw whether answers are kept on this disk, how much there is, and a button that clears it."""
    folder = _folder()
    if folder is None:
        st.caption("Nothing is kept on disk: the settings say so.")
        return
    st.toggle(
        "Keep answers on this disk", value=True, key="caching", persist_state="session",
        help="So that nothing is paid for twice. Vectors and contexts are kept, never the document or the key.",
    )  # fmt: skip
    vectors, texts = VectorCache(folder, _size_limit()), TextCache(folder, _size_limit())
    if st.button(
        f"Clear what is kept ({(vectors.size() + texts.size()) / 1e6:,.1f} MB)", icon=":material/delete:",
        key="clear cache", width="stretch",
    ):  # fmt: skip
        vectors.clear()
        texts.clear()
        st.rerun()


def _folder() -> Path | None:
    return session.settings().cache_folder


def _size_limit() -> int:
    """Return the bytes that each of the two caches may take."""
    return session.settings().cache_megabytes * 1_000_000
