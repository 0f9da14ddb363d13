"""What goes wrong with an OpenAI-compatible service, each as one sentence that cannot hold the key."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from chunkviz.errors import ServiceError, UnusableServiceError

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAIError
    from pydantic import SecretStr

WRONG_ADDRESS = "base_url must be the address of an OpenAI-compatible API, usually ending in /v1"
_LONGEST_REASON = 200
"""Characters of what a service says of itself."""
_NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_KEY_FROM = "api_key or OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Problems:
    """The sentences about one service: who was asked, what it did, and what to do about it."""

    host: str
    model: str
    timeout: float
    """Seconds."""
    max_retries: int

    def error(self, what: str, next_step: str, *, final: bool = False) -> ServiceError:
        """Return the error that says it; ``final`` where every other request would fail alike."""
        kind = UnusableServiceError if final else ServiceError
        return kind(f"The service at {self.host} (model {self.model!r}) {what}; {next_step}.")

    def explain(self, error: OpenAIError, key: SecretStr) -> ServiceError:
        """Turn what the client raised into one sentence without the key."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError  # noqa: PLC0415  loaded when first needed

        if isinstance(error, APITimeoutError):
            return self.error(
                f"gave no answer within {self.timeout:g} seconds, in {self._tries}", "try again later or raise timeout"
            )
        if isinstance(error, APIConnectionError):
            cause = f" ({type(error.__cause__).__name__})" if error.__cause__ else ""
            return self.error(
                f"could not be reached or cut the connection{cause}, in {self._tries}",
                "check base_url, the network, and that the server runs",
            )
        if isinstance(error, APIStatusError):
            return self._explain_status(error, key)
        return self.error(f"failed ({type(error).__name__})", "check base_url and the key")

    @property
    def _tries(self) -> str:
        return f"{self.max_retries + 1} {'try' if self.max_retries == 0 else 'tries'}"

    def _explain_status(self, error: APIStatusError, key: SecretStr) -> ServiceError:
        status = error.status_code
        said = reason_of(error.body, error.response, key)
        final, what, next_step = False, f"refused the request with status {status}{said}", "change what it names"
        if status == 401:  # noqa: PLR2004
            final = True
            if key.get_secret_value():
                what, next_step = f"did not accept the API key{said}", f"check {_KEY_FROM}"
            else:
                what, next_step = f"needs an API key{said}", f"give {_KEY_FROM}"
        elif status == 403:  # noqa: PLR2004
            final = True
            what, next_step = f"does not permit this with this API key{said}", f"check {_KEY_FROM} and the model"
        elif is_html(error.response):
            final = status < 500  # noqa: PLR2004  a gateway's page about a server that is down may pass
            what = f"answered status {status} with HTML instead of JSON"
            next_step = WRONG_ADDRESS
        elif status == 404:  # noqa: PLR2004
            final = True
            what, next_step = (
                f"does not know this model or address{said}",
                f"check the model, and that {WRONG_ADDRESS}",
            )
        elif status == 429 and error.code in _NO_CREDIT:  # noqa: PLR2004
            final = True
            what, next_step = f"has no credit left for this API key{said}", "look at the account's plan and billing"
        elif status == 429:  # noqa: PLR2004
            what = f"still refuses for too many requests after {self._tries}{said}"
            next_step = "wait, or lower concurrency"
        elif status >= 500:  # noqa: PLR2004
            what, next_step = f"failed with status {status} in {self._tries}{said}", "try again later"
        return self.error(what, next_step, final=final)


def reason_of(body: object, response: Any, key: SecretStr) -> str:
    """Return what the service says of itself, in brackets, short, in one line and without the key; or nothing."""
    for name in ("error", "message", "detail"):
        if isinstance(body, dict) and name in body:
            body = body[name]
    if not isinstance(body, str) or not body.strip() or is_html(response):
        return ""
    text = " ".join(_without_key(body, key.get_secret_value()).split()).rstrip(".;")
    return f" ({text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 3] + '...'})"


def is_html(response: Any) -> bool:
    """Whether an answer is a page: a wrong address, or a gateway before the service."""
    return "html" in response.headers.get("content-type", "") or response.content.lstrip()[:1] == b"<"


def _without_key(text: str, key: str) -> str:
    """Return ``text`` with the key, and any eight characters in a row of it, as "[key]"."""
    width = min(len(key), 8)
    hidden = [False] * len(text)
    for start in range(len(key) - width + 1 if key else 0):
        place = text.find(key[start : start + width])
        while place >= 0:
            hidden[place : place + width] = [True] * width
            place = text.find(key[start : start + width], place + 1)
    runs = groupby(zip(text, hidden, strict=True), key=lambda pair: pair[1])
    return "".join("[key]" if secret else "".join(character for character, _ in run) for secret, run in runs)
