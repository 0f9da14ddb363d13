"""One OpenAI-compatible service: its address, its model and its key, for embedders and writers alike.

The ``openai`` client does the talking: it keeps connections, waits and tries again on 408, 409, 429,
5xx, timeouts and lost connections (never on 400 and 401), and honours ``Retry-After`` up to two
minutes. What is added here: the client is made when first needed, answers are read as plain JSON,
and whatever goes wrong becomes one sentence that cannot hold the key.
"""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit
from urllib.request import getproxies

from pydantic import SecretStr

from chunkviz.chunk import Usage
from chunkviz.errors import ParameterError, ServiceError
from chunkviz.openai_problems import WRONG_ADDRESS, Problems, is_html, reason_of

if TYPE_CHECKING:
    from openai import OpenAI

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_NO_KEY = "no-key"
"""The client insists on a key; servers that need none ignore this one."""
_KEY = re.compile(r"[!-~]+")


class OpenAICompatibleService:
    """An address, a model and a key; safe to use from several threads.

    The key is in no repr, pickle or error. A copied or pickled service comes back without it, and
    reads ``OPENAI_API_KEY`` where it is used.

    Parameters
    ----------
    model
        The model's name at the service.
    base_url
        Address of the API; None takes ``OPENAI_BASE_URL`` from the environment, or else OpenAI's own.
    api_key
        None reads ``OPENAI_API_KEY`` from the environment at first use; "" sends no key of yours.
        OpenAI's own address needs one, others may not. It is sent to whatever ``base_url`` names.
    timeout
        Seconds to wait for the connection, and for each part of the answer.
    max_retries
        How often a request is tried again after the first time.

    Raises
    ------
    ParameterError
        At construction, for a blank model, an address that is none, or numbers out of range.

    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 5,
    ) -> None:
        if not model.strip():
            message = "model must be the name of a model at the service, not blank."
            raise ParameterError(message)
        if not isinstance(timeout, int | float) or not timeout > 0:
            message = f"timeout must be a number of seconds above 0, not {timeout!r}."
            raise ParameterError(message)
        require_whole("max_retries", max_retries, 0)
        self.model = model
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        self.host = _host_of(self.base_url)
        self.timeout = timeout
        self.max_retries = max_retries
        self._problems = Problems(self.host, model, timeout, max_retries)
        self._given_key = None if api_key is None else SecretStr(api_key.strip())
        self._key = SecretStr("")
        self._client: OpenAI | None = None
        self._usage = Usage()
        self._lock = threading.Lock()

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI's own address (or one of its regions), which needs a key."""
        name = self.host.partition(":")[0]
        return name == "api.openai.com" or name.endswith(".api.openai.com")

    @property
    def label(self) -> str:
        """The model, and the host where it is not OpenAI's own."""
        return self.model if self.host == _host_of(DEFAULT_BASE_URL) else f"{self.model} at {self.host}"

    @property
    def usage(self) -> Usage:
        """Requests answered and tokens they took, since this service was made."""
        with self._lock:
            return self._usage

    def __repr__(self) -> str:
        """Name model and host; never the key."""
        return f"{type(self).__name__}({self.model!r}, host={self.host!r})"

    def __getstate__(self) -> dict[str, Any]:
        """Leave key, client and lock out of pickles."""
        return {
            key: value for key, value in vars(self).items() if key not in {"_given_key", "_key", "_client", "_lock"}
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start without key and client; both are made at first use."""
        vars(self).update(state, _given_key=None, _key=SecretStr(""), _client=None, _lock=threading.Lock())

    def embeddings(self, texts: Sequence[str], dimensions: int | None) -> dict[str, Any]:
        """Return the JSON answer to one embeddings request, vectors as base64 where the server knows that.

        Raises
        ------
        ServiceError
            When the request fails for good; UnusableServiceError when every other would fail alike.

        """
        # Base64 asked for by name, as the client does unasked: then it leaves the decoding to us, who
        # need no Python floats. Servers that do not know it answer lists.
        extra: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}
        return self._ask(
            lambda client: (
                client.embeddings.with_raw_response.create(
                    model=self.model, input=list(texts), encoding_format="base64", **extra
                ).http_response
            )
        )

    def chat(self, system: str, user: str, max_output_tokens: int) -> dict[str, Any]:
        """Return the JSON answer to one chat request.

        Raises
        ------
        ServiceError
            When the request fails for good; UnusableServiceError when every other would fail alike.

        """
        messages: Any = [{"role": "system", "content": system}] if system.strip() else []
        messages.append({"role": "user", "content": user})
        # OpenAI's newer models refuse the old name of the limit; most local servers know only that.
        limit: dict[str, Any] = {"max_completion_tokens" if self.is_openai else "max_tokens": max_output_tokens}
        return self._ask(
            lambda client: (
                client.chat.completions.with_raw_response.create(
                    model=self.model, messages=messages, **limit
                ).http_response
            )
        )

    def record(self, answer: dict[str, Any], counted: int) -> None:
        """Add one answered request to ``usage``: the tokens it reports, or else those ``counted`` here."""
        reported = answer.get("usage")
        tokens = reported.get("total_tokens") if isinstance(reported, dict) else None
        if not isinstance(tokens, int) or tokens <= 0:
            tokens = counted
        out = reported.get("completion_tokens") if isinstance(reported, dict) else None
        out = min(out, tokens) if isinstance(out, int) and out > 0 else 0
        with self._lock:
            before = self._usage
            self._usage = Usage(before.calls + 1, before.tokens + tokens, tokens_out=before.tokens_out + out)

    def fail(self, what: str, next_step: str, *, final: bool = False) -> NoReturn:
        """Raise the ServiceError that says what the service did, and what to do; ``final`` as of ``Problems.error``."""
        raise self._problems.error(what, next_step, final=final)

    def _ask(self, send: Callable[[OpenAI], Any]) -> dict[str, Any]:
        """Send one request and return its JSON object."""
        from openai import OpenAIError  # noqa: PLC0415  loaded when first needed

        # Raised outside of the except clause: as its context, the client's own error would travel
        # along, and with it the request and its headers.
        problem: ServiceError | None = None
        response: Any = None
        try:
            response = send(self._make_client())
        except ServiceError:
            raise
        except OpenAIError as error:
            problem = self._problems.explain(error, self._key)
        except Exception as error:  # noqa: BLE001  whatever it is, its text may hold the request
            problem = self._problems.error(f"could not be asked ({type(error).__name__})", "check base_url and the key")
        if problem is not None:
            raise problem
        try:
            answer = json.loads(response.content)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            found = "HTML" if is_html(response) else "something else"
            self.fail(f"answered {found} instead of JSON", WRONG_ADDRESS, final=True)
        if "error" in answer and not answer.get("data") and not answer.get("choices"):
            # Some servers say so with status 200.
            self.fail(f"answered with an error{reason_of(answer, response, self._key)}", "change what it names")
        return answer

    def _make_client(self) -> OpenAI:
        with self._lock:
            if self._client is None:
                key = self._find_key()
                self._require_somebody()
                from openai import OpenAI  # noqa: PLC0415  loaded when first needed

                self._client = OpenAI(
                    api_key=key.get_secret_value() or _NO_KEY,
                    base_url=self.base_url,
                    timeout=self.timeout,
                    max_retries=self.max_retries,
                )
                self._key = key
            return self._client

    def _require_somebody(self) -> None:
        """Raise at once where nobody listens: trying again, request by request, would take minutes."""
        address = urlsplit(self.base_url)
        if getproxies() or not address.hostname:
            return
        port = address.port or (443 if address.scheme == "https" else 80)
        try:
            socket.create_connection((address.hostname, port), timeout=5).close()
        except ConnectionRefusedError:
            what, next_step = "refused the connection", "start it, or check the address (base_url)"
            raise self._problems.error(what, next_step, final=True) from None
        except OSError:
            return  # the client finds out, and tries again

    def _find_key(self) -> SecretStr:
        key = self._given_key
        if key is None:
            key = SecretStr(os.environ.get("OPENAI_API_KEY", "").strip())
        if not key.get_secret_value():
            if self.is_openai:
                self.fail("needs an API key", "give its key, or set OPENAI_API_KEY in the environment", final=True)
        elif not _KEY.fullmatch(key.get_secret_value()):
            self.fail(
                "was not asked, because the API key holds spaces or characters that no key has",
                "copy the key again, without quotes and spaces",
                final=True,
            )
        return key


def require_whole(name: str, value: int, least: int) -> None:
    """Raise a ParameterError unless ``value`` is a whole number from ``least`` on."""
    if not isinstance(value, int) or value < least:
        message = f"{name} must be a whole number from {least} on, not {value!r}."
        raise ParameterError(message)


def _host_of(base_url: str) -> str:
    """Return host and port; nothing else of an address belongs into names and messages."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = urlsplit(""), None, None
    if parts.scheme not in {"http", "https"} or not host:
        message = "base_url must be an address that begins with http:// or https://, such as http://localhost:11434/v1."
        raise ParameterError(message)
    return host if port is None else f"{host}:{port}"
