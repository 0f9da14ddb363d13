"""Context from a language model of OpenAI, or of any server that speaks its protocol."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chunkviz.chat import ChatModel, check_fields, filled
from chunkviz.errors import ParameterError, ServiceError
from chunkviz.openai_client import require_whole
from chunkviz.prices import Estimate, Price

if TYPE_CHECKING:
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


class OpenAICompatibleWriter(ChatModel):
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
        if not user_prompt.strip():
            message = "user_prompt must hold some text, such as {chunk}, not be blank."
            raise ParameterError(message)
        for name, prompt in (("system_prompt", system_prompt), ("user_prompt", user_prompt)):
            check_fields(name, prompt, PROMPT_FIELDS)
        super().__init__(
            model,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            max_retries=max_retries,
            max_output_tokens=max_output_tokens,
        )
        self.system_prompt = system_prompt
        self.user_prompt = user_prompt
        self.concurrency = concurrency
        self.cache = cache

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
        context = self._ask(
            system,
            user,
            task="write about this chunk",
            if_refused="change the prompt or the model",
            if_filtered=(
                "stopped this answer by its content filter",
                "change the prompt or leave this chunk without context",
            ),
            if_silent="try again, or change the prompt or the model",
        )
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
        return filled(self.system_prompt, fields), filled(self.user_prompt, fields)

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
        tokens_out = len(prompts) * min(ASSUMED_TOKENS_OUT, self.max_output_tokens)
        return self._estimate(prompts, tokens_out, prices)

    def _question(self, system: str, user: str) -> tuple[object, ...]:
        """Return all that the answer depends on; the filled prompts hold templates and request."""
        return (self.name, self.max_output_tokens, system, user)
