"""Static English vectors: one per token, averaged; thousands of sentences a second, no neural network to run.

The model is wordllama's ``l2_supercat``, 256 dimensions, trained from the token embeddings of Llama 2 and of other
models with its vocabulary; the package, which carries it, is under the MIT licence. It knows English; in other
languages its similarities are little better than chance, which is what ``languages`` is there to say.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import without_surrogates
from chunkviz.embedders.requirements import failed, need
from chunkviz.vectors import unit_rows

_AT_ONCE = 256
"""Texts whose tokens' vectors are in memory together."""


@dataclass(frozen=True)
class Static:
    """wordllama's averaged token vectors; English.

    Raises
    ------
    ServiceError
        When the package is missing, or its model does not load.

    """

    name = "static"
    dimensions = 256
    max_tokens = None
    price = None
    batch = 4096
    languages = ("en",)

    def __post_init__(self) -> None:
        """Say at once that the package is missing."""
        need("static", "wordllama")

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, 256): unit length, or zero where a text is blank."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        # Pooled here and not by wordllama, which fills every text of a batch up to the longest.
        for start in range(0, len(texts), _AT_ONCE):
            clean = [without_surrogates(text).strip() for text in texts[start : start + _AT_ONCE]]
            tokens = [each.ids for each in self._model.tokenizer.encode_batch(clean, add_special_tokens=False)]
            for row, ids in enumerate(tokens, start=start):
                if ids:
                    known = np.minimum(np.array(ids), len(self._model.embedding) - 1)
                    vectors[row] = self._model.embedding[known].mean(axis=0)
        return unit_rows(vectors)

    @cached_property
    def _model(self) -> Any:
        root = logging.getLogger()
        handlers, level = root.handlers[:], root.level
        try:
            import wordllama  # noqa: PLC0415  an optional package

            # The model lies in the package; looking for it in its folder first means looking nowhere else.
            model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
        except Exception as error:
            raise failed(self.name, "wordllama", error) from error
        finally:  # importing it sets up logging for the whole process
            root.handlers[:], root.level = handlers, level
        model.tokenizer.no_padding()
        return model
