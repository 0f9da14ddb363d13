"""Embeddings of OpenAI, or of any server that speaks its protocol (Ollama, vLLM, LM Studio, …)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from chunkviz.document import without_surrogates
from chunkviz.embedders.parts import TOKENS_PER_TEXT, Part, packed, rows_of, split_at_tokens, whole_texts
from chunkviz.errors import IncompleteError, ParameterError, ServiceError
from chunkviz.openai_client import OpenAICompatibleService, require_whole
from chunkviz.prices import Estimate, estimate_cost, price_of
from chunkviz.tokens import get_tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from chunkviz.chunk import Usage

MODEL_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
"""Length of the vectors of the models whose vectors are known."""


class OpenAICompatibleEmbedder:
    """Vectors from an OpenAI-compatible service, by the true ``openai`` client.

    Requests hold up to 2,048 texts and 300,000 tokens, and texts up to 8,191 tokens, counted with
    ``cl100k_base``. Safe to use from several threads.

    Parameters
    ----------
    model
        The model's name at the service.
    base_url
        Address of the API; None takes ``OPENAI_BASE_URL`` from the environment, or else OpenAI's own.
    api_key
        None reads ``OPENAI_API_KEY`` from the environment at first use; "" sends no key of yours.
    dimensions
        Length of vectors to ask for, of models that offer several; None leaves it to the model.
    long_texts
        A text of more than 8,191 tokens is split there and its parts' vectors averaged, weighted by
        their tokens, to unit length ("average"), or it is an error ("refuse").
    concurrency
        Requests under way at a time.
    timeout
        Seconds to wait for the connection, and for each part of the answer.
    max_retries
        How often a request is tried again, with growing waits, after 429, 5xx, time-outs and lost connections.

    Raises
    ------
    ParameterError
        At construction, for a value that its description rules out.

    """

    batch = 8192
    """Texts worth giving to one ``embed`` by who wants to report progress between the calls."""

    divides_long_texts = True

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimensions: int | None = None,
        long_texts: Literal["average", "refuse"] = "average",
        concurrency: int = 4,
        timeout: float = 60.0,
        max_retries: int = 5,
    ) -> None:
        require_whole("concurrency", concurrency, 1)
        if dimensions is not None:
            require_whole("dimensions", dimensions, 1)
        if long_texts not in {"average", "refuse"}:
            message = f"long_texts must be 'average' or 'refuse', not {long_texts!r}."
            raise ParameterError(message)
        self._service = OpenAICompatibleService(
            model, base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries
        )
        self._asked_dimensions = dimensions
        self._seen_dimensions: int | None = None
        self.long_texts = long_texts
        self.concurrency = concurrency

    @property
    def name(self) -> str:
        """Model, dimensions where they were asked for, and host where it is not OpenAI's own."""
        asked = "" if self._asked_dimensions is None else f" ({self._asked_dimensions} dimensions)"
        return f"{self._service.model}{asked}{self._service.label.removeprefix(self._service.model)}"

    @property
    def dimensions(self) -> int | None:
        """Length of the vectors as asked for or published, or None: only the first answer tells."""
        return self._asked_dimensions or MODEL_DIMENSIONS.get(self._service.model)

    @property
    def max_tokens(self) -> int | None:
        """Longest text the model reads, in tokens, or None where that is not known."""
        return TOKENS_PER_TEXT if self._service.model in MODEL_DIMENSIONS else None

    @property
    def price(self) -> float | None:
        """US dollars per million tokens, or None where the price is not known."""
        price = price_of(self._service.model)
        return None if price is None else price.tokens_in

    @property
    def usage(self) -> Usage:
        """Requests answered and tokens they took since this embedder was made; seconds stay 0."""
        return self._service.usage

    def __repr__(self) -> str:
        """Name the model and the host; never the key."""
        return f"{type(self).__name__}({self.name!r})"

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return float32 (n, dimensions): one row per text, in their order; a blank text's row is zeros.

        Blank texts are never sent. Where all are blank and nobody knows the dimensions yet, one
        request with a single word asks for them, so that the shape is always the true one.

        Raises
        ------
        ServiceError
            When a request fails for good, a text is too long and ``long_texts`` is "refuse", or the
            vectors are not one finite row of equal length per text; IncompleteError, with the vectors
            there are, when other requests were answered.

        """
        requests = list(packed(self._parts(texts)))
        if not requests:
            return np.zeros((len(texts), self._width() if len(texts) else self._known_width() or 0), np.float32)
        parts = [part for request in requests for part in request]
        answers = self._send_all(requests, texts)
        widths = sorted({answer.shape[1] for answer in answers})
        if len(widths) > 1:
            # First answers that came side by side, before anybody knew the length.
            self._break_off(f"gave vectors of {widths[0]:,} and of {widths[-1]:,} dimensions")
        return rows_of(len(texts), parts, np.concatenate(answers))

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Return what ``embed(texts)`` would cost, without any call.

        Raises
        ------
        ServiceError
            When a text is too long and ``long_texts`` is "refuse".

        """
        requests = list(packed(self._parts(texts)))
        tokens = sum(part.tokens for request in requests for part in request)
        return estimate_cost(self._service.model, len(requests), tokens)

    def _parts(self, texts: Sequence[str]) -> Iterator[Part]:
        """Yield what there is to send, in order: all but blank texts, long ones in parts."""
        tokenizer = get_tokenizer("cl100k_base")
        for row, text in enumerate(texts):
            if not text.strip():
                continue
            clean = without_surrogates(text)
            tokens = tokenizer.count(clean)
            if tokens <= TOKENS_PER_TEXT:
                yield Part(row, clean, tokens)
            elif self.long_texts == "refuse":
                self._service.fail(
                    f"reads up to {TOKENS_PER_TEXT:,} tokens a text, and text {row + 1} of {len(texts)} has {tokens:,}",
                    "make the chunks smaller, or choose long_texts='average'",
                )
            else:
                for part, count in split_at_tokens(clean, tokenizer, TOKENS_PER_TEXT):
                    if part.strip():
                        yield Part(row, part, count)

    def _send_all(self, requests: list[list[Part]], texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the vectors of each request, float32 (parts, dimensions), sent ``concurrency`` at a time.

        After the first failure no other request is begun; those under way are waited for, since they
        are paid for.
        """
        if len(requests) == 1:
            return [self._send(requests[0])]
        with ThreadPoolExecutor(min(self.concurrency, len(requests))) as pool:
            sent = [pool.submit(self._send, request) for request in requests]
            wait(sent, return_when=FIRST_EXCEPTION)
            pool.shutdown(cancel_futures=True)
        ended = [each for each in sent if not each.cancelled()]
        problem = next((error for each in ended if (error := each.exception()) is not None), None)
        if problem is None:
            return [each.result() for each in sent]
        answered = [
            (request, each.result())
            for request, each in zip(requests, sent, strict=True)
            if not each.cancelled() and each.exception() is None
        ]
        kept = whole_texts(texts, requests, answered)
        if kept and isinstance(problem, ServiceError):
            raise IncompleteError(str(problem), kept)
        raise problem

    def _send(self, request: list[Part]) -> NDArray[np.float32]:
        answer = self._service.embeddings([part.text for part in request], self._asked_dimensions)
        self._service.record(answer, sum(part.tokens for part in request))
        return self._vectors(answer, len(request))

    def _vectors(self, answer: dict[str, Any], count: int) -> NDArray[np.float32]:
        """Return the vectors of an answer, float32 (count, dimensions), in the order of the texts."""
        data = answer.get("data")
        if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
            self._break_off("gave an answer without a list of vectors")
        if len(data) != count:
            self._break_off(f"gave {len(data):,} vectors for {count:,} texts")
        by_index = {item.get("index"): item.get("embedding") for item in data}
        numbered = sum(index in by_index for index in range(count))
        if numbered != count:
            self._break_off(f"numbered its vectors for {numbered:,} of {count:,} texts")
        rows = [_decode(by_index[index]) for index in range(count)]
        if not all(row is not None and np.isfinite(row).all() for row in rows):
            self._break_off("gave vectors with values that are not finite numbers")
        return self._checked([row for row in rows if row is not None])

    def _checked(self, rows: list[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the rows as one array, all of the length that was asked for, published or seen before."""
        expected = self._known_width() or len(rows[0])
        for row in rows:
            if len(row) != expected or not expected:
                self._break_off(f"gave a vector of {len(row):,} dimensions where {expected:,} were due")
        self._seen_dimensions = expected
        return np.stack(rows)

    def _break_off(self, what: str) -> NoReturn:
        self._service.fail(
            f"broke the protocol of embedder {self.name!r}: it {what}", "check the model and that it makes embeddings"
        )

    def _known_width(self) -> int | None:
        return self.dimensions or self._seen_dimensions

    def _width(self) -> int:
        """Return the length of the vectors, asking for the vector of one word where nobody knows it."""
        width = self._known_width()
        return width or self._send([Part(0, "text", 1)]).shape[1]


def _decode(value: object) -> NDArray[np.float32] | None:
    """Return one vector, float32 (dimensions,), from base64 or a list of numbers; None where it is neither."""
    try:
        if isinstance(value, str):
            return np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float32)
        row = np.asarray(value, np.float32) if isinstance(value, list) else None
    except (ValueError, TypeError, OverflowError, binascii.Error):
        return None
    return row if row is not None and row.ndim == 1 else None
