"""Any sentence-transformers or ONNX model, by folder or hub name.

``SentenceTransformersEmbedder`` loads what the library sentence-transformers loads (Apache License 2.0) and needs
PyTorch. ``OnnxEmbedder`` runs a model exported to ONNX with onnxruntime (MIT) and tokenizers (Apache License 2.0),
which are much smaller. Each model has a licence of its own, in its folder or on its page.

Neither cuts a long text short: it is split by the model's own tokenizer, and the vectors of its parts are averaged.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkviz.document import without_surrogates
from chunkviz.embedders.requirements import need
from chunkviz.errors import ServiceError
from chunkviz.vectors import averaged, parts, unit_rows

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""Small, English, Apache License 2.0; fetched once by the library, unless ``model`` is a folder."""
_UNSAID = 512
"""Tokens read by a model that does not say how many it reads."""
_ABSURD = 1_000_000
"""Some tokenizers say 10 ** 30 where they mean that they do not know."""


class _Transformer(ABC):
    """What both have in common: parts of long texts, blank texts, one row per text."""

    price = None
    batch = 64
    name: str
    dimensions: int
    max_tokens: int
    """Tokens of a text, without those the model adds, that are read together."""

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions): unit length, or zero where a text is blank."""
        pieces: list[str] = []
        owners: list[int] = []
        for owner, text in enumerate(texts):
            clean = without_surrogates(text)
            found = parts(clean, self._starts, self.max_tokens) if clean.strip() else []
            pieces += found
            owners += [owner] * len(found)
        vectors = np.zeros((len(pieces), self.dimensions), np.float32)
        shortest_first = sorted(range(len(pieces)), key=lambda piece: len(pieces[piece]))
        for start in range(0, len(pieces), self.batch):
            batch = shortest_first[start : start + self.batch]
            vectors[batch] = unit_rows(self._run([pieces[piece] for piece in batch]))
        return averaged(vectors, owners, len(texts))

    @abstractmethod
    def _starts(self, text: str) -> list[int]:
        """Return the character at which each token of ``text`` starts, without those the model adds."""

    @abstractmethod
    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        """Return float32 (n, dimensions) for texts that the model can read whole."""


class SentenceTransformersEmbedder(_Transformer):
    """A model of the sentence-transformers library.

    Parameters
    ----------
    model
        A folder, or a name on the hub, which the library fetches and keeps.
    device
        As PyTorch names it; None lets the library choose.

    Raises
    ------
    ServiceError
        When the package is missing or the model does not load; the message says why.

    """

    def __init__(self, model: str | Path = DEFAULT_MODEL, *, device: str | None = None) -> None:
        need("transformers", "sentence_transformers")
        self.name = Path(model).name if Path(model).is_dir() else str(model)
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415  an optional package

            self._model: Any = SentenceTransformer(str(model), device=device)
            self._tokenizer: Any = self._model.tokenizer
            self.dimensions = int(np.asarray(self._model.encode(["load"])).shape[1])
            special = len(self._tokenizer("").input_ids)
        except Exception as error:
            raise _not_loaded(model, error) from error
        self.max_tokens = max(1, (self._model.max_seq_length or _UNSAID) - special)

    def _starts(self, text: str) -> list[int]:
        found = self._tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        return [start for start, _ in found.offset_mapping]

    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        found = self._model.encode(texts, batch_size=self.batch, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(found, np.float32)


class OnnxEmbedder(_Transformer):
    """A model exported to ONNX: a folder with ``tokenizer.json`` and ``model.onnx`` (or ``onnx/model.onnx``).

    An output of one vector a text is taken as it is; of one vector a token, it is pooled as the folder's
    ``1_Pooling/config.json`` says (first token or mean; the mean where it says nothing).

    Parameters
    ----------
    model
        A folder, or a name on the hub, whose files are fetched once and kept.
    threads
        For the arithmetic; 0 lets onnxruntime choose.

    Raises
    ------
    ServiceError
        When a package is missing or the model does not load; the message says why.

    """

    def __init__(self, model: str | Path, *, threads: int = 0) -> None:
        need("onnx", "onnxruntime", "tokenizers", embedder="transformers")
        self.name = Path(model).name if Path(model).is_dir() else str(model)
        try:
            import onnxruntime  # noqa: PLC0415  optional packages
            import tokenizers  # noqa: PLC0415

            folder = _folder(model)
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            self._session: Any = onnxruntime.InferenceSession(
                _onnx_file(folder), options, providers=["CPUExecutionProvider"]
            )
            self._inputs = {each.name for each in self._session.get_inputs()}
            self._tokenizer: Any = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
            self._first_token = bool(_setting(folder, "1_Pooling/config.json", "pooling_mode_cls_token"))
            self.max_tokens = max(1, _limit(folder) - self._tokenizer.num_special_tokens_to_add(is_pair=False))
            self.dimensions = int(self._run(["load"]).shape[1])
        except Exception as error:
            raise _not_loaded(model, error) from error

    def _starts(self, text: str) -> list[int]:
        return [start for start, _ in self._tokenizer.encode(text, add_special_tokens=False).offsets]

    def _run(self, texts: list[str]) -> NDArray[np.float32]:
        found = self._tokenizer.encode_batch(texts)
        longest = max(1, *(len(each.ids) for each in found))
        ids, mask = (np.zeros((len(texts), longest), np.int64) for _ in range(2))
        for row, each in enumerate(found):
            ids[row, : len(each.ids)] = each.ids
            mask[row, : len(each.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run(None, {name: given[name] for name in given if name in self._inputs})[0]
        vectors: NDArray[np.float32] = np.asarray(output, np.float32)
        if vectors.ndim == 2:  # noqa: PLR2004  pooled by the model itself
            return vectors
        if self._first_token:
            return vectors[:, 0]
        weights = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (vectors * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
        return mean


def load_transformer(model: str | Path = DEFAULT_MODEL) -> SentenceTransformersEmbedder | OnnxEmbedder:
    """Return ``model`` by onnxruntime if it is a folder that holds ONNX and no weights of PyTorch, else by PyTorch."""
    folder = Path(model)
    weights = ("model.safetensors", "pytorch_model.bin")
    if folder.is_dir() and _onnx_file(folder) and not any((folder / name).exists() for name in weights):
        return OnnxEmbedder(folder)
    return SentenceTransformersEmbedder(model)


def _not_loaded(model: str | Path, error: Exception) -> ServiceError:
    reason = next(iter(str(error).splitlines()), "")
    return ServiceError(
        f"The model {str(model)!r} could not be loaded ({type(error).__name__}: {reason}); give the folder of a model "
        "on this machine, or the name of one that this machine can fetch."
    )


def _folder(model: str | Path) -> Path:
    if Path(model).is_dir():
        return Path(model)
    import huggingface_hub  # noqa: PLC0415  comes with tokenizers

    wanted = ["*.json", "1_Pooling/*.json", "model.onnx", "onnx/model.onnx", "*.onnx_data"]
    return Path(huggingface_hub.snapshot_download(str(model), allow_patterns=wanted))


def _onnx_file(folder: Path) -> str:
    """Return the path of the model, empty where there is none."""
    return next((str(file) for name in ("model.onnx", "onnx/model.onnx") if (file := folder / name).exists()), "")


def _limit(folder: Path) -> int:
    """Return how many tokens the model reads, by the file that says the least doubtful thing."""
    for file, name in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        limit = _setting(folder, file, name)
        if isinstance(limit, int | float) and 0 < limit < _ABSURD:
            return int(limit)
    return _UNSAID


def _setting(folder: Path, file: str, name: str) -> Any:
    path = folder / file
    return json.loads(path.read_text(encoding="utf-8")).get(name) if path.exists() else None
