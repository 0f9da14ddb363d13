"""A small server that speaks OpenAI's protocol on 127.0.0.1, and misbehaves as it is told."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789abcdefghij"


@dataclass(frozen=True)
class Reply:
    """What one request is answered: a status with a body, or a way to misbehave."""

    status: int = 200
    body: Any = None
    """JSON, or text as it is; None answers as the service would."""
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    delay: float = 0.0
    cut: str | None = None
    """"before" closes the connection without an answer, "within" in the middle of the body."""
    echo: bool = False
    """Put the request's Authorization header into the error's text."""


ORDINARY = Reply()
TOO_MANY = Reply(429, {"error": {"message": "Rate limit reached", "code": "rate_limit"}}, {"retry-after-ms": "5"})
BROKEN = Reply(500, {"error": {"message": "The server had an error"}}, {"retry-after-ms": "5"})
WRONG_KEY = Reply(401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}})
BAD_REQUEST = Reply(400, {"error": {"message": "Invalid 'input'"}})
HTML = Reply(200, "<!doctype html><title>Hello</title>", kind="text/html; charset=utf-8")
SLOW = Reply(delay=0.6)
CUT = Reply(cut="before")
CUT_WITHIN = Reply(cut="within")


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    path: str
    key: str
    body: dict[str, Any]
    at: float


class Server:
    """The server's address, its script and what it received."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.script: list[Reply] = []
        """Replies to the next requests, in order; ``always`` where it is empty."""
        self.always = ORDINARY
        self.dimensions = 8
        self.floats = False
        """Answer lists of numbers, as servers do that know no base64."""
        self.spoil: Any = None
        """Changes an embeddings answer (a dict) before it is sent, and returns it."""
        self.chat: Any = lambda body: f"About {body['messages'][-1]['content'][:40]!r}."
        """Makes the text, or the whole choice (a dict), of a chat answer from the request's body."""
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()
        self.url = ""

    def next_reply(self) -> Reply:
        with self.lock:
            return self.script.pop(0) if self.script else self.always

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of each embeddings request."""
        return [each.body["input"] for each in self.received]


def vector(text: str, dimensions: int) -> list[float]:
    """Return the one vector this server gives a text: numbers from its hash, to unit length."""
    seed = hashlib.sha256(text.encode()).digest()
    row = [seed[number % 32] - 127.5 for number in range(dimensions)]
    length = sum(value * value for value in row) ** 0.5
    return [struct.unpack("<f", struct.pack("<f", value / length))[0] for value in row]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Stay quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service = self.service
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with service.lock:
            service.received.append(Received(self.path, key, body, time.monotonic()))
            service.at_once += 1
            service.most_at_once = max(service.most_at_once, service.at_once)
        try:
            self.answer(service.next_reply(), body)
        finally:
            with service.lock:
                service.at_once -= 1

    def answer(self, reply: Reply, body: dict[str, Any]) -> None:
        if reply.delay:
            time.sleep(reply.delay)
        if reply.cut == "before":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        content = reply.body
        if reply.echo:
            content = {"error": {"message": f"Who sent 'Authorization: {self.headers['Authorization']}'?"}}
        if content is None:
            content = self.embeddings(body) if self.path.endswith("/embeddings") else self.chat(body)
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        try:
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.kind)
            self.send_header("Content-Length", str(len(data)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data if reply.cut is None else data[: len(data) // 2])
            self.wfile.flush()
        except OSError:
            return  # whoever asked has gone, as slow answers make them
        if reply.cut is not None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def embeddings(self, body: dict[str, Any]) -> Any:
        width = body.get("dimensions", self.service.dimensions)
        data = []
        for index, text in enumerate(body["input"]):
            row: Any = vector(text, width)
            if body.get("encoding_format") == "base64" and not self.service.floats:
                row = base64.b64encode(struct.pack(f"<{width}f", *row)).decode()
            data.append({"object": "embedding", "index": index, "embedding": row})
        tokens = sum(len(text.split()) for text in body["input"])
        answer = {
            "object": "list",
            "data": data,
            "model": body["model"],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }
        return answer if self.service.spoil is None else self.service.spoil(answer)

    def chat(self, body: dict[str, Any]) -> Any:
        text = self.service.chat(body)
        choice = text if isinstance(text, dict) else {"message": {"role": "assistant", "content": text}}
        return {
            "id": "1",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", **choice}],
            "model": body["model"],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }


@contextmanager
def running() -> Iterator[Server]:
    """Run a server of its own for the length of a ``with`` block."""
    service = Server()
    handler = type("Handler", (_Handler,), {"service": service})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    service.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
