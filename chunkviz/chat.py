"""A chat model at an OpenAI-compatible service: the shell of everything here that asks one.

Writers, proposers and answerers say what is asked and read what is said; the limit of an answer, the counting
of tokens, the reasons why there may be no text, and the fields of a prompt are the same for all and stand here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunkviz.document import without_surrogates
from chunkviz.errors import ParameterError
from chunkviz.openai_client import OpenAICompatibleService, require_whole
from chunkviz.prices import Estimate, Price, estimate_cost
from chunkviz.tokens import get_tokenizer

if TYPE_CHECKING:
    from chunkviz.chunk import Usage

_FIELD = re.compile(r"\{([A-Za-z_][^{}\s]*)\}")


class ChatModel:
    """A model that is sent a system and a user prompt and answers with text; safe to use from several threads.

    Parameters
    ----------
    model, base_url, api_key, timeout, max_retries
        As of ``chunkviz.openai_client.OpenAICompatibleService``.
    max_output_tokens
        Where the service cuts an answer; models that think first need more.

    Raises
    ------
    ParameterError
        At construction, for a blank model, an address that is none, or numbers out of range.

    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        max_retries: int,
        max_output_tokens: int,
    ) -> None:
        require_whole("max_output_tokens", max_output_tokens, 1)
        self._service = OpenAICompatibleService(
            model, base_url=base_url, api_key=api_key, timeout=timeout, max_retries=max_retries
        )
        self.max_output_tokens = max_output_tokens

    @property
    def name(self) -> str:
        """The model, and the host where it is not OpenAI's own."""
        return self._service.label

    @property
    def usage(self) -> Usage:
        """Requests answered and tokens they took, in and out, since this object was made; seconds stay 0."""
        return self._service.usage

    def __repr__(self) -> str:
        """Name the model and the host; never the key."""
        return f"{type(self).__name__}({self.name!r})"

    def _ask(
        self,
        system: str,
        user: str,
        *,
        task: str,
        if_refused: str,
        if_filtered: tuple[str, str] | None = None,
        if_silent: str = "try again, or choose another model",
    ) -> str:
        """Send one request and return the text of the answer, trimmed and never blank.

        ``task`` says what the model may refuse to do ("answer this question"), and the others what to do then:
        where it refuses, where a content filter stops it (what happened, and the next step; None takes it for a
        refusal), and where it says nothing.

        Raises
        ------
        ServiceError
            When the request fails for good, for a refusal, an answer without a message, and one without text;
            UnusableServiceError when every other request would fail alike.

        """
        answer = self._service.chat(system, user, self.max_output_tokens)
        self._service.record(answer, _count(system, user))
        choice, message = self._first(answer)
        refusal = f"refused to {task}", if_refused
        if message.get("refusal"):
            self._service.fail(*refusal)
        if choice.get("finish_reason") == "content_filter":
            self._service.fail(*(if_filtered or refusal))
        content = message.get("content")
        text = content.strip() if isinstance(content, str) else ""
        if not text and choice.get("finish_reason") == "length":
            self._service.fail(
                f"used up {self.max_output_tokens:,} output tokens before it gave any text", "raise max_output_tokens"
            )
        if not text:
            self._service.fail("gave no text", if_silent)
        return without_surrogates(text)

    def _first(self, answer: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the first choice of an answer, and its message."""
        choices = answer.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(choice, dict) or not isinstance(message, dict):
            self._service.fail("gave an answer without a message", "check that the model can chat")
        return choice, message

    def _estimate(
        self, prompts: Sequence[tuple[str, str]], tokens_out: int, prices: Mapping[str, Price] | None
    ) -> Estimate:
        """Return what one request for each system and user prompt would cost, without any call."""
        tokens_in = sum(_count(system, user) for system, user in prompts)
        return estimate_cost(self._service.model, len(prompts), tokens_in, tokens_out, prices)


def check_fields(name: str, template: str, known: Collection[str]) -> None:
    """Raise a ParameterError where a prompt's template names a field in braces that is not ``known``."""
    for field in _FIELD.findall(template):
        if field not in known:
            fields = ", ".join(f"{{{each}}}" for each in known)
            message = f"{name} must use only the fields {fields}, not {{{field}}}."
            raise ParameterError(message)


def filled(template: str, fields: Mapping[str, str]) -> str:
    """Return the template with its fields filled in one pass, so that what is filled in is not read again."""
    return without_surrogates(_FIELD.sub(lambda match: fields[match[1]], template))


def _count(system: str, user: str) -> int:
    """Return the tokens of both prompts, as OpenAI's older models count them."""
    tokenizer = get_tokenizer("cl100k_base")
    return tokenizer.count(system) + tokenizer.count(user)
