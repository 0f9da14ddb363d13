"""The embedder of OpenAI-compatible services: the true client against a server of our own."""

from __future__ import annotations

import copy
import logging
import math
import pickle
import socket
import subprocess
import sys
import traceback
from typing import Any

import numpy as np
import pytest

import chunkviz as cv
from chunkviz.embedders.openai_compatible import OpenAICompatibleEmbedder
from chunkviz.embedders.parts import split_at_tokens
from chunkviz.errors import ParameterError, ServiceError, UnusableServiceError
from chunkviz.services import Embedder
from tests.services import server as script
from tests.services.server import KEY, Reply, Server, vector


def embedder(server: Server, model: str = "toy", **options: Any) -> OpenAICompatibleEmbedder:
    return OpenAICompatibleEmbedder(model, **{"base_url": server.url, "api_key": KEY, "max_retries": 2, **options})


# What comes back -------------------------------------------------------------------------------


@pytest.mark.parametrize("floats", [False, True])
def test_each_text_gets_its_row_in_order_from_base64_and_from_numbers(server: Server, floats: bool) -> None:  # noqa: FBT001
    server.floats = floats
    toy = embedder(server)
    rows = toy.embed(["one", "two words", "three"])
    assert isinstance(toy, Embedder)
    assert rows.dtype == np.float32
    assert rows.tolist() == [vector(text, 8) for text in ("one", "two words", "three")]
    assert server.received[0].path == "/v1/embeddings"
    assert server.received[0].key == KEY
    assert server.received[0].body == {
        "model": "toy",
        "input": ["one", "two words", "three"],
        "encoding_format": "base64",
    }


def test_usage_holds_requests_that_succeeded_and_the_tokens_the_service_reports(server: Server) -> None:
    server.script = [script.TOO_MANY]
    toy = embedder(server)
    toy.embed(["a b", "c"])
    toy.embed(["d"])
    assert (toy.usage.calls, toy.usage.tokens, toy.usage.seconds) == (2, 4, 0.0)


def test_tokens_are_counted_here_where_the_service_reports_none(server: Server) -> None:
    server.spoil = lambda answer: {key: value for key, value in answer.items() if key != "usage"}
    toy = embedder(server)
    toy.embed(["hello world"])
    assert toy.usage.tokens == 2


def test_a_shuffled_order_is_put_right_by_the_index(server: Server) -> None:
    server.spoil = lambda answer: {**answer, "data": answer["data"][::-1]}
    assert embedder(server).embed(["a", "b", "c"]).tolist() == [vector(text, 8) for text in "abc"]


def _with_index(number: int | None) -> Any:
    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        answer["data"][2]["index"] = number
        return answer

    return spoil


def _with_value(value: Any) -> Any:
    def spoil(answer: dict[str, Any]) -> dict[str, Any]:
        answer["data"][1]["embedding"] = value
        return answer

    return spoil


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (lambda answer: {**answer, "data": answer["data"][:2]}, "gave 2 vectors for 3 texts"),
        (lambda answer: {**answer, "data": answer["data"] * 2}, "gave 6 vectors for 3 texts"),
        (_with_index(0), "numbered its vectors for 2 of 3 texts"),
        (_with_index(7), "numbered its vectors for 2 of 3 texts"),
        (_with_index(None), "numbered its vectors for 2 of 3 texts"),
        (_with_value([math.nan] * 8), "values that are not finite numbers"),
        (_with_value([math.inf] * 8), "values that are not finite numbers"),
        (_with_value([None] * 8), "values that are not finite numbers"),
        (_with_value("no base64!"), "values that are not finite numbers"),
        (_with_value(None), "values that are not finite numbers"),
        (_with_value([1.0] * 7), "gave a vector of 7 dimensions where 8 were due"),
        (lambda _: {"data": {}}, "an answer without a list of vectors"),
        (lambda _: {}, "an answer without a list of vectors"),
    ],
)
def test_what_breaks_the_protocol_is_an_error_that_names_the_embedder(
    server: Server, spoil: Any, expected: str
) -> None:
    server.spoil = spoil
    toy = embedder(server)
    with pytest.raises(ServiceError, match=expected) as caught:
        toy.embed(["a", "b", "c"])
    assert repr(toy.name) in str(caught.value)
    assert len(server.received) == 1


def test_vectors_of_other_lengths_than_asked_for_or_seen_before_are_an_error(server: Server) -> None:
    with pytest.raises(ServiceError, match="a vector of 8 dimensions where 1,536 were due"):
        embedder(server, "text-embedding-3-small").embed(["a"])
    toy = embedder(server)
    toy.embed(["a"])
    server.dimensions = 4
    with pytest.raises(ServiceError, match="a vector of 4 dimensions where 8 were due"):
        toy.embed(["a"])


# What is sent ----------------------------------------------------------------------------------


def test_requests_hold_at_most_2048_texts(server: Server) -> None:
    texts = [f"number {number}" for number in range(5000)]
    rows = embedder(server).embed(texts)
    assert sorted(map(len, server.inputs)) == [904, 2048, 2048]
    assert rows.shape == (5000, 8)
    assert rows[4999].tolist() == vector("number 4999", 8)


def test_requests_hold_at_most_300000_tokens_and_texts_8191(server: Server) -> None:
    texts = ["word " * 8000 for _ in range(80)] + ["word " * 20_000]
    embedder(server).embed(texts)
    count = cv.get_tokenizer().count
    sizes = [[count(text) for text in texts] for texts in server.inputs]
    assert max(map(sum, sizes)) <= 300_000
    assert max(map(max, sizes)) <= 8191
    assert len(sizes) == 3
    assert sum(map(sum, sizes)) == 80 * 8001 + 20_001


def test_a_long_text_is_split_and_averaged_by_tokens_to_unit_length(server: Server) -> None:
    text = "alpha " * 8191 + "omega " * 809
    rows = embedder(server).embed(["short", text])
    sent = [part for request in server.inputs for part in request]
    assert sent[0] == "short"
    assert "".join(sent[1:]) == text
    count = cv.get_tokenizer().count
    weights = [count(part) for part in sent[1:]]
    assert weights[0] <= 8191
    mean = np.average([vector(part, 8) for part in sent[1:]], axis=0, weights=weights)
    np.testing.assert_allclose(rows[1], mean / np.linalg.norm(mean), rtol=1e-6)
    assert np.linalg.norm(rows[1]) == pytest.approx(1, abs=1e-6)
    assert rows[0].tolist() == vector("short", 8)


def test_a_long_text_is_refused_by_choice_naming_it_its_tokens_and_the_limit(server: Server) -> None:
    toy = embedder(server, long_texts="refuse")
    with pytest.raises(ServiceError, match=r"up to 8,191 tokens a text, and text 2 of 2 has 9,001"):
        toy.embed(["short", "alpha " * 9000])
    assert server.received == []


@pytest.mark.parametrize("text", ["word " * 100, "🏳️‍🌈" * 30, "日本語" * 40, "a" * 500, " " * 50 + "x" + "\n" * 60, "x"])
def test_parts_of_a_text_are_the_text_and_keep_the_limit(text: str) -> None:
    tokenizer = cv.get_tokenizer()
    parts = list(split_at_tokens(text, tokenizer, 8))
    assert "".join(part for part, _ in parts) == text
    assert all(count <= 8 or len(part) == 1 for part, count in parts)
    assert [count for _, count in parts] == [tokenizer.count(part) for part, _ in parts]


def test_one_character_of_more_tokens_than_the_limit_stays_whole() -> None:
    assert [part for part, _ in split_at_tokens("🏳🏳", cv.get_tokenizer(), 1)] == ["🏳", "🏳"]


def test_blank_texts_are_never_sent_and_get_zeros(server: Server) -> None:
    rows = embedder(server).embed(["", "a", " \n\t", "b"])
    assert server.inputs == [["a", "b"]]
    assert rows.tolist() == [[0.0] * 8, vector("a", 8), [0.0] * 8, vector("b", 8)]


def test_only_blank_texts_need_no_request_where_the_dimensions_are_known(server: Server) -> None:
    assert embedder(server, "text-embedding-3-small").embed(["", " "]).shape == (2, 1536)
    assert embedder(server, dimensions=5).embed([""]).tolist() == [[0.0] * 5]
    assert embedder(server).embed([]).shape == (0, 0)
    assert server.received == []


def test_only_blank_texts_ask_once_for_dimensions_that_nobody_knows(server: Server) -> None:
    toy = embedder(server)
    assert toy.embed(["", " "]).tolist() == [[0.0] * 8] * 2
    assert toy.embed(["\n"]).shape == (1, 8)
    assert toy.embed([]).shape == (0, 8)
    assert server.inputs == [["text"]]


def test_special_tokens_and_lone_surrogates_are_ordinary_text(server: Server) -> None:
    rows = embedder(server).embed(["<|endoftext|>", "a\ud83db", "NUL \0"])
    assert server.inputs == [["<|endoftext|>", "a\ufffdb", "NUL \0"]]
    assert rows.shape == (3, 8)


def test_dimensions_are_asked_for_only_when_given(server: Server) -> None:
    rows = embedder(server, dimensions=4).embed(["a"])
    assert rows.shape == (1, 4)
    assert server.received[0].body["dimensions"] == 4


def test_no_more_requests_are_under_way_than_allowed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.embedders.parts.TEXTS_PER_REQUEST", 1)
    server.always = Reply(delay=0.03)
    texts = [f"t{number}" for number in range(9)]
    rows = embedder(server, concurrency=3).embed(texts)
    assert rows.tolist() == [vector(text, 8) for text in texts]
    assert server.most_at_once == 3


# What goes wrong -------------------------------------------------------------------------------


def test_too_many_requests_and_server_errors_are_tried_again(server: Server) -> None:
    server.script = [script.TOO_MANY, script.BROKEN]
    assert embedder(server).embed(["a"]).tolist() == [vector("a", 8)]
    assert len(server.received) == 3


def test_the_wait_is_the_one_that_retry_after_asks_for(server: Server) -> None:
    server.script = [Reply(429, {}, {"Retry-After": "0.15"})]
    embedder(server).embed(["a"])
    first, second = server.received
    assert 0.15 <= second.at - first.at < 0.35  # the client's own first wait is 0.375 s at least


def test_retry_after_zero_is_no_error(server: Server) -> None:
    server.script = [Reply(429, {}, {"Retry-After": "0"})]
    assert embedder(server).embed(["a"]).shape == (1, 8)


@pytest.mark.parametrize("reply", [script.CUT, script.CUT_WITHIN])
def test_a_cut_connection_is_tried_again(server: Server, reply: Reply) -> None:
    server.script = [reply]
    assert embedder(server).embed(["a"]).shape == (1, 8)
    assert len(server.received) == 2


@pytest.mark.parametrize(
    ("reply", "requests", "expected"),
    [
        (
            script.WRONG_KEY,
            1,
            "did not accept the API key (Incorrect API key provided); check api_key or OPENAI_API_KEY.",
        ),
        (
            Reply(403, {"error": {"message": "No access"}}),
            1,
            "does not permit this with this API key (No access); check api_key or OPENAI_API_KEY and the model.",
        ),
        (
            Reply(404, {"error": {"message": "The model does not exist"}}),
            1,
            (
                "does not know this model or address (The model does not exist); check the model, and that base_url "
                "must be the address of an OpenAI-compatible API, usually ending in /v1."
            ),
        ),
        (script.BAD_REQUEST, 1, "refused the request with status 400 (Invalid 'input'); change what it names."),
        (Reply(422, {"detail": [{"msg": "x"}]}), 1, "refused the request with status 422; change what it names."),
        (
            Reply(200, {"error": {"message": "No model is loaded."}}),
            1,
            "answered with an error (No model is loaded); change what it names.",
        ),
        (script.BROKEN, 3, "failed with status 500 in 3 tries (The server had an error); try again later."),
        (
            script.TOO_MANY,
            3,
            "still refuses for too many requests after 3 tries (Rate limit reached); wait, or lower concurrency.",
        ),
        (
            Reply(429, {"error": {"message": "Quota", "code": "insufficient_quota"}}, {"retry-after-ms": "5"}),
            3,
            "has no credit left for this API key (Quota); look at the account's plan and billing.",
        ),
        (
            script.HTML,
            1,
            (
                "answered HTML instead of JSON; base_url must be the address of an OpenAI-compatible API, usually "
                "ending in /v1."
            ),
        ),
        (
            Reply(404, "<html>Not found</html>", kind="text/html"),
            1,
            (
                "answered status 404 with HTML instead of JSON; base_url must be the address of an OpenAI-compatible "
                "API, usually ending in /v1."
            ),
        ),
        (
            Reply(200, "OK", kind="text/plain"),
            1,
            (
                "answered something else instead of JSON; base_url must be the address of an OpenAI-compatible "
                "API, usually ending in /v1."
            ),
        ),
    ],
)
def test_what_fails_for_good_is_one_sentence_with_the_next_step(
    server: Server, reply: Reply, requests: int, expected: str
) -> None:
    server.always = reply
    with pytest.raises(ServiceError) as caught:
        embedder(server).embed(["a"])
    host = server.url.removeprefix("http://").removesuffix("/v1")
    assert str(caught.value) == f"The service at {host} (model 'toy') {expected}"
    assert len(server.received) == requests


@pytest.mark.parametrize(
    ("reply", "unusable"),
    [
        (script.WRONG_KEY, True),
        (Reply(403, {}), True),
        (Reply(404, {}), True),
        (script.HTML, True),
        (script.BAD_REQUEST, False),
        (Reply(500, {}, {"x-should-retry": "false"}), False),
        (Reply(503, "<html>", {"x-should-retry": "false"}, kind="text/html"), False),
    ],
)
def test_errors_that_meet_every_request_are_told_apart(server: Server, reply: Reply, unusable: bool) -> None:  # noqa: FBT001
    server.always = reply
    with pytest.raises(ServiceError) as caught:
        embedder(server).embed(["a"])
    assert isinstance(caught.value, UnusableServiceError) is unusable


def test_an_answer_that_does_not_come_is_given_up_after_the_retries(server: Server) -> None:
    server.always = script.SLOW
    with pytest.raises(ServiceError, match=r"gave no answer within 0.2 seconds, in 1 try; try again later or raise"):
        embedder(server, timeout=0.2, max_retries=0).embed(["a"])


def test_a_slow_answer_is_asked_for_again(server: Server) -> None:
    server.script = [script.SLOW]
    assert embedder(server, timeout=0.2, max_retries=1).embed(["a"]).shape == (1, 8)


def test_a_connection_that_is_always_cut_or_refused_says_so(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.openai_client.getproxies", dict)
    server.always = script.CUT
    with pytest.raises(ServiceError, match=r"could not be reached or cut the connection \(\w+\), in 1 try; check"):
        embedder(server, max_retries=0).embed(["a"])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(UnusableServiceError, match=r"refused the connection; start it, or check the address"):
        OpenAICompatibleEmbedder("toy", base_url=nobody, max_retries=0).embed(["a"])


def test_after_one_failure_no_other_request_is_begun(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.embedders.parts.TEXTS_PER_REQUEST", 1)
    server.always = script.WRONG_KEY
    with pytest.raises(UnusableServiceError):
        embedder(server, concurrency=2).embed([f"t{number}" for number in range(200)])
    assert len(server.received) < 20


# Keys ------------------------------------------------------------------------------------------


def test_the_key_comes_from_the_environment_unless_given(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " sk-of-the-environment\n")
    embedder(server, api_key=None).embed(["a"])
    embedder(server, api_key="").embed(["a"])
    embedder(server).embed(["a"])
    monkeypatch.delenv("OPENAI_API_KEY")
    embedder(server, api_key=None).embed(["a"])
    assert [each.key for each in server.received] == ["sk-of-the-environment", "no-key", KEY, "no-key"]


def test_openai_itself_needs_a_key_and_the_error_says_where_to_put_it() -> None:
    ours = OpenAICompatibleEmbedder()
    with pytest.raises(UnusableServiceError) as caught:
        ours.embed(["a"])
    assert str(caught.value) == (
        "The service at api.openai.com (model 'text-embedding-3-small') needs an API key; "
        "give its key, or set OPENAI_API_KEY in the environment."
    )


def test_a_server_that_wants_a_key_where_none_was_given_says_so(server: Server) -> None:
    server.always = script.WRONG_KEY
    with pytest.raises(UnusableServiceError, match=r"needs an API key .*; give api_key or OPENAI_API_KEY\."):
        embedder(server, api_key="").embed(["a"])


def test_a_client_that_cannot_be_made_is_one_sentence_too(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "ftp://nowhere")
    with pytest.raises(ServiceError, match=r"could not be asked \(ValueError\); check base_url and the key\."):
        embedder(server).embed(["a"])


@pytest.mark.parametrize("key", ["sk two words 123456", "“sk-0123456789abcdef”", "sk-\n0123456789abcdef"])
def test_a_key_that_cannot_be_one_is_refused_without_showing_it(server: Server, key: str) -> None:
    with pytest.raises(UnusableServiceError, match="copy the key again") as caught:
        embedder(server, api_key=key).embed(["a"])
    assert "0123456789" not in str(caught.value)
    assert server.received == []


def _all_that_is_said(error: BaseException) -> str:
    seen: list[str] = []
    current: BaseException | None = error
    while current is not None:
        seen += [str(current), repr(current), *map(repr, vars(current).values())]
        current = current.__cause__ or current.__context__
    return "\n".join([*seen, *traceback.format_exception(error), repr(pickle.dumps(error))])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418, 429, 500])
def test_a_key_that_the_server_echoes_is_in_no_error(
    server: Server, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.always = Reply(status, echo=True, headers={"retry-after-ms": "5"})
    with pytest.raises(ServiceError, match=r"\[key\]") as caught:
        embedder(server, max_retries=1).embed(["a"])
    assert KEY[:10] not in _all_that_is_said(caught.value)
    assert len(caplog.records) > 3
    assert KEY[:10] not in caplog.text


@pytest.mark.parametrize("part", [KEY[:12], KEY[5:], f"{KEY[:9]}...{KEY[-9:]}", KEY * 2])
def test_parts_of_a_key_are_in_no_error_either(server: Server, part: str) -> None:
    server.always = Reply(400, {"error": {"message": f"<{part}>" + "x" * 500}})
    with pytest.raises(ServiceError, match=r"<\[key\](\.\.\.\[key\])?>x+\.\.\.\)") as caught:
        embedder(server).embed(["a"])
    assert KEY[:8] not in str(caught.value)
    assert KEY[-8:] not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_key_in_an_ordinary_run_is_in_no_log(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.script = [script.TOO_MANY, script.CUT]
    embedder(server).embed(["a"])
    assert {record.name.partition(".")[0] for record in caplog.records} & {"openai"}
    assert KEY not in caplog.text
    assert KEY not in "".join(repr(vars(record)) for record in caplog.records)


def test_the_key_is_in_no_repr_and_no_pickle(server: Server) -> None:
    toy = embedder(server)
    toy.embed(["a"])
    assert repr(toy) == f"OpenAICompatibleEmbedder('{toy.name}')"
    shown = repr([toy, str(toy), vars(toy), vars(toy._service)])
    assert KEY not in shown
    assert KEY.encode() not in pickle.dumps(toy)
    again = pickle.loads(pickle.dumps(toy))  # noqa: S301
    assert again.name == toy.name
    assert again.embed(["a"]).shape == (1, 8)
    assert [each.key for each in server.received] == [KEY, "no-key"]
    assert KEY not in repr(vars(copy.copy(toy)._service))


def test_importing_loads_no_client() -> None:
    script_text = (
        "import sys; import chunkviz.embedders.openai_compatible as e, chunkviz.writers, chunkviz.embedders.cache;"
        "e.OpenAICompatibleEmbedder(); chunkviz.writers.get_writer('openai'); print('openai' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", script_text], capture_output=True, text=True, check=True)  # noqa: S603
    assert result.stdout.strip() == "False"


# Facts and estimates ---------------------------------------------------------------------------


def test_names_tell_models_dimensions_and_other_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert OpenAICompatibleEmbedder().name == "text-embedding-3-small"
    assert OpenAICompatibleEmbedder(dimensions=256).name == "text-embedding-3-small (256 dimensions)"
    local = OpenAICompatibleEmbedder("bge-m3", base_url="http://me:secret@localhost:11434/v1?key=secret", dimensions=64)
    assert local.name == "bge-m3 (64 dimensions) at localhost:11434"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway.example/v1")
    assert OpenAICompatibleEmbedder("m").name == "m at gateway.example"


def test_facts_of_known_models_and_none_of_others() -> None:
    small, large = OpenAICompatibleEmbedder(), OpenAICompatibleEmbedder("text-embedding-3-large")
    assert (small.dimensions, small.max_tokens, small.price, small.batch) == (1536, 8191, 0.02, 8192)
    assert (large.dimensions, large.max_tokens, large.price) == (3072, 8191, 0.13)
    other = OpenAICompatibleEmbedder("bge-m3", base_url="http://localhost:1/v1")
    assert (other.dimensions, other.max_tokens, other.price) == (None, None, None)


def test_an_estimate_counts_calls_and_tokens_and_asks_nobody(server: Server) -> None:
    texts = ["hello world", "", *["word"] * 3000]
    estimate = embedder(server, "text-embedding-3-small").estimate(texts)
    assert (estimate.calls, estimate.tokens, estimate.tokens_in, estimate.tokens_out) == (2, 3002, 3002, 0)
    assert estimate.dollars == pytest.approx(3002 * 0.02 / 1e6)
    assert str(estimate) == "Estimate: 2 calls, 3,002 tokens in, less than $0.01."
    assert embedder(server).estimate(["a"]).dollars is None
    assert str(embedder(server).estimate(["a"])) == "Estimate: 1 call, 1 token in, price not known."
    assert embedder(server).estimate([]).calls == 0
    assert server.received == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"model": " "}, "model must be"),
        ({"base_url": "localhost:11434"}, "base_url must be an address that begins with http"),
        ({"base_url": "http://"}, "base_url must be an address"),
        ({"base_url": "http://host:port/v1"}, "base_url must be an address"),
        ({"dimensions": 0}, "dimensions must be a whole number from 1 on, not 0"),
        ({"concurrency": 0}, "concurrency must be a whole number from 1 on, not 0"),
        ({"max_retries": 1.5}, "max_retries must be a whole number from 0 on, not 1.5"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0, not 0"),
        ({"long_texts": "cut"}, "long_texts must be 'average' or 'refuse', not 'cut'"),
    ],
)
def test_wrong_values_fail_at_construction(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(ParameterError, match=expected):
        OpenAICompatibleEmbedder(**options)
