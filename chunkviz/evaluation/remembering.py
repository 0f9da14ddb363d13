"""Vectors that neighbouring settings of a sweep have in common are asked for once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.services import Embedder


class RememberingEmbedder:
    """An embedder for the length of a sweep: remembers the questions, and the texts of this setting and the last.

    Settings beside each other share a third of their chunks, and every setting is asked the same questions. More is
    not kept, since the vectors of fifty settings take far more memory than the document.

    Parameters
    ----------
    inner
        What is asked; its vector of a text must not depend on the others, so none that is fitted to them.
    questions
        Texts that are remembered throughout.

    """

    def __init__(self, inner: Embedder, questions: Sequence[str]) -> None:
        self.inner = inner
        self._lasting = frozenset(questions)
        self._questions: dict[str, NDArray[np.float32]] = {}
        self._last: dict[str, NDArray[np.float32]] = {}
        self._now: dict[str, NDArray[np.float32]] = {}

    def __getattr__(self, name: str) -> Any:
        """Pass on limits, usage and whatever else the inner embedder tells about itself."""
        return getattr(self.inner, name)

    @property
    def name(self) -> str:
        """Name of the inner embedder."""
        return self.inner.name

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions), asking the inner embedder for what is not remembered."""
        missing = [each for each in dict.fromkeys(texts) if self._known(each) is None]
        if missing or not texts:
            rows = np.asarray(self.inner.embed(missing), np.float32)
            if rows.shape[:1] != (len(missing),):
                return rows  # whoever asked says what is wrong with it
            self._remember(missing, rows)
            if len(missing) == len(texts):
                return rows
        return np.stack([row for each in texts if (row := self._known(each)) is not None])

    def next_setting(self) -> None:
        """Forget the texts of the last setting but one."""
        self._last, self._now = self._now, {}

    def _known(self, text: str) -> NDArray[np.float32] | None:
        for memory in (self._questions, self._now):
            if text in memory:
                return memory[text]
        if text in self._last:
            self._now[text] = self._last[text]
            return self._last[text]
        return None

    def _remember(self, texts: Sequence[str], rows: NDArray[np.float32]) -> None:
        for text, row in zip(texts, rows, strict=True):
            (self._questions if text in self._lasting else self._now)[text] = row


def remembering(embedder: Embedder, questions: Sequence[str]) -> Embedder:
    """Return the embedder with a memory for one sweep, or as it is where its vectors depend on the other texts."""
    if isinstance(embedder, RememberingEmbedder) or hasattr(embedder, "fitted"):
        return embedder
    return RememberingEmbedder(embedder, questions)
