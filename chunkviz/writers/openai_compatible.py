"""Context from a language model of OpenAI, or of any server that speaks its protocol."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunkviz.document import without_surrogates
from chunkviz.errors import ParameterError, ServiceError
from chunkviz.openai_client import OpenAICompatibleService, require_whole
from chunkviz.prices import Estimate, Price, estimate_cost
from chunkviz.tokens import get_tokenizer

if TYPE_CHECKING:
    from chunkviz.chunk import Usage
    from chunkviz.services import WriteRequest
    from chunkviz.writers.cache import TextCache

PROMPT_FIELDS = ("title", "headings", "preceding", "chunk", "following")
"""What a prompt may hold in braces."""

DEFAULT_SYSTEM_PROMPT = (
    "You place passages in their documents, so that a search finds them. Answer with one or two plain sentences "
    "in the language of the passage and nothing else. Say only what the text in front of you says."
)
DEFAULT_USER_PROMPT = """\
Document: {title}
Section: {headings}

Text before the passage:
<before>
{preceding}
</before>

The passage:
<passage>
{chunk}
</passage>

Text after the passage:
<after>
{following}
</after>

What is this passage about, and where does it stand in the document? Name the subjects that the passage \
leaves to its surroundings."""

ASSUMED_TOKENS_OUT = 60
"""Tokens of one or two sentences, for estimates."""

_FIELD = re.compile(r"\{([A-Za-z_][^{}\s]*)\}")


class OpenAICompatibleWriter:
    """One or two sentences about a chunk from an OpenAI-compatible service, by the true ``openai`` client.

    The prompts are templates: ``{title}``, ``{headings}`` (joined by " > "), ``{preceding}``,
    ``{chunk}`` and ``{following}`` are filled in once; braces in the document's text, and braces
    around anything but a name, stay as they are. Safe to use from several threads.

    Parameters
    ----------
    model
        The model's name at the service.
    base_url
        Address of the API; None takes ``OPENAI_BASE_URL`` from the environment, or else OpenAI's own.
    api_key
        None reads ``OPENAI_API_KEY`` from the environment at first use; "" sends no key of yours.
    system_prompt, user_prompt
        What the model is told; a blank system prompt is not sent.
    concurrency
        Requests that ``write_all`` keeps under way at a time.
    timeout
        Seconds to wait for the connection, and for each part of the answer.
    max_retries
        How often a request is tried again, with growing waits, after 429, 5xx, time-outs and lost connections.
    max_output_tokens
        Where the service cuts the answer; models that think first need more.
    cache
        Keeps answers by model, prompts and request; None keeps nothing.

    Raises
    ------
    ParameterError
        At construction, for an unknown name in a prompt or a number out of range.

    """

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        system_prompt: str = DEFAULT_SYSTEM_PROMPT,
        user_prompt: str = DEFAULT_USER_PROMPT,
        concurrency: int = 4,
        timeout: float = 60.0,
        max_retries: int = 5,
        max_output_tokens: int = 200,
        cache: TextCache | None = None,
    ) -> None:
        require_whole("concurrency", concurrency, 1)
        require_whole("max_output_tokens", max_output_tokens, 1)
        if not user_prompt.strip():
            message = "user_prompt must hold some text, such as {chunk}, not be blank."
            raise ParameterError(message)
        for name, prompt in (("system_prompt", system_prompt), ("user_prompt", user_prompt)):
            _check_fields(name, prompt)
        self._service = OpenAICompatibleService(
            model, base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries
        )
        self.system_prompt = system_prompt
        self.user_prompt = user_prompt
        self.concurrency = concurrency
        self.max_output_tokens = max_output_tokens
        self.cache = cache

    @property
    def name(self) -> str:
        """The model, and the host where it is not OpenAI's own."""
        return self._service.label

    @property
    def usage(self) -> Usage:
        """Requests answered and tokens they took, in and out, since this writer was made; seconds stay 0."""
        return self._service.usage

    def __repr__(self) -> str:
        """Name the model and the host; never the key."""
        return f"{type(self).__name__}({self.name!r})"

    def write(self, request: WriteRequest, /) -> str:
        """Return what the model says about the chunk, trimmed; never blank.

        An answer that could not be kept in the cache is returned all the same, with a warning.

        Raises
        ------
        ServiceError
            When the request fails for good, the model refuses or gives no text, or the cache cannot
            be used; UnusableServiceError when every other request would fail alike.

        """
        system, user = self.prompts(request)
        if self.cache is not None:
            known = self.cache.find(*self._question(system, user))
            if known is not None:
                return known
        answer = self._service.chat(system, user, self.max_output_tokens)
        self._service.record(answer, self._count(system, user))
        context = self._text(answer)
        if self.cache is not None:
            try:
                self.cache.keep(context, *self._question(system, user))
            except ServiceError as error:
                warnings.warn(f"{error} The new answer was not kept.", RuntimeWarning, stacklevel=2)
        return context

    def prompts(self, request: WriteRequest) -> tuple[str, str]:
        """Return the system and the user prompt as they are sent for ``request``."""
        fields = {
            "title": request.title or request.document.name,
            "headings": " > ".join(request.headings),
            "preceding": request.preceding,
            "chunk": request.text,
            "following": request.following,
        }
        return _filled(self.system_prompt, fields), _filled(self.user_prompt, fields)

    def estimate(self, requests: Sequence[WriteRequest], prices: Mapping[str, Price] | None = None) -> Estimate:
        """Return what writing for ``requests`` would cost, without any call; answers in the cache cost nothing.

        The length of the answers is assumed. ``prices`` takes the place of ``chunkviz.prices.PRICES``.

        Raises
        ------
        ServiceError
            When the cache cannot be used.

        """
        prompts = [self.prompts(request) for request in requests]
        if self.cache is not None:
            known = self.cache.find_all([self._question(system, user) for system, user in prompts])
            prompts = [each for each, answer in zip(prompts, known, strict=True) if answer is None]
        calls, tokens = len(prompts), sum(self._count(system, user) for system, user in prompts)
        tokens_out = calls * min(ASSUMED_TOKENS_OUT, self.max_output_tokens)
        return estimate_cost(self._service.model, calls, tokens, tokens_out, prices)

    def _question(self, system: str, user: str) -> tuple[object, ...]:
        """Return all that the answer depends on; the filled prompts hold templates and request."""
        return (self.name, self.max_output_tokens, system, user)

    def _count(self, system: str, user: str) -> int:
        tokenizer = get_tokenizer("cl100k_base")
        return tokenizer.count(system) + tokenizer.count(user)

    def _text(self, answer: dict[str, Any]) -> str:
        """Return the text of an answer, or raise the reason why there is none."""
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            self._service.fail("gave an answer without a message", "check that the model can chat")
        if message.get("refusal"):
            self._service.fail("refused to write about this chunk", "change the prompt or the model")
        if choice.get("finish_reason") == "content_filter":
            self._service.fail(
                "stopped this answer by its content filter", "change the prompt or leave this chunk without context"
            )
        content = message.get("content")
        text = content.strip() if isinstance(content, str) else ""
        if not text and choice.get("finish_reason") == "length":
            self._service.fail(
                f"used up {self.max_output_tokens:,} output tokens before it gave any text", "raise max_output_tokens"
            )
        if not text:
            self._service.fail("gave no text", "try again, or change the prompt or the model")
        return without_surrogates(text)


def _check_fields(name: str, prompt: str) -> None:
    for field in _FIELD.findall(prompt):
        if field not in PROMPT_FIELDS:
            known = ", ".join(f"{{{each}}}" for each in PROMPT_FIELDS)
            message = f"{name} must use only the fields {known}, not {{{field}}}."
            raise ParameterError(message)


def _filled(template: str, fields: Mapping[str, str]) -> str:
    """Return the template with its fields filled in one pass, so that what is filled in is not read again."""
    return without_surrogates(_FIELD.sub(lambda match: fields[match[1]], template))
