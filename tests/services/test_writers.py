"""Writers: the outline of the document, the true client against a server of our own, and many requests at once."""

from __future__ import annotations

import logging
import pickle
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.disk_cache import DiskCache
from chunkviz.errors import Cancelled, ParameterError, ServiceError, UnknownNameError, UnusableServiceError
from chunkviz.prices import PRICES, Price, price_of
from chunkviz.progress import Report
from chunkviz.services import Writer, WriteRequest
from chunkviz.writers import (
    OpenAICompatibleWriter,
    OutlineWriter,
    TextCache,
    Written,
    get_writer,
    list_writers,
    write_all,
)
from chunkviz.writers.outline import key_terms
from tests.services import server as script
from tests.services.server import KEY, Reply, Server

HANDBOOK = """\
# Handbook

## Setup

The program runs on every computer. The installer asks for a folder.

### Windows

The firewall must let the service through: open the port of the service. The firewall asks for the port once.

### Linux

The package comes with a unit file. The unit file starts the daemon, and the daemon writes the log.

## Use

The first window shows the list. The list can be sorted. The log can be opened from the list.
"""


def request(document: cv.Document, text: str, **changes: Any) -> WriteRequest:
    """Return the request for the place of ``text`` in the document."""
    start = document.text.index(text)
    end = start + len(text)
    fields = {
        "preceding": document.text[max(0, start - 20) : start],
        "following": document.text[end : end + 20],
        "title": document.title,
        "headings": cv.segments.heading_path(document, start),
        **changes,
    }
    return WriteRequest(document, start, end, text, **fields)


def outline(text: str, chunk: str, **facts: Any) -> str:
    document = cv.Document(text, **facts)
    return OutlineWriter().write(request(document, chunk))


# The outline writer ----------------------------------------------------------------------------


def test_the_outline_says_where_a_chunk_stands_and_what_sets_it_apart() -> None:
    document = cv.Document(HANDBOOK, title="Handbook")
    writer = OutlineWriter()
    assert writer.name == "outline context"
    windows = HANDBOOK[HANDBOOK.index("The firewall") : HANDBOOK.index("### Linux")].strip()
    assert writer.write(request(document, windows)) == (
        'From "Handbook", section Setup > Windows. Key terms: service, firewall, through, port, must.'
    )
    assert writer.write(request(document, "The unit file starts the daemon, and the daemon writes the log.")) == (
        'From "Handbook", section Setup > Linux. Key terms: daemon, starts, writes, unit, file.'
    )


def test_the_whole_document_has_key_terms_too() -> None:
    text = "Swifts nest under old roofs. The swifts return in May, and the roofs fill with swifts."
    assert outline(text, text) == "Key terms: swifts, roofs, return, under, nest."


@pytest.mark.parametrize(
    ("text", "chunk", "facts", "expected"),
    [
        ("one alpha. two beta.", "two beta.", {}, "Key terms: beta."),
        ("one alpha. two beta.", "two beta.", {"name": "a.txt"}, 'From "a.txt". Key terms: beta.'),
        ("# Top\n\nalpha beta.", "alpha beta.", {}, "Section Top. Key terms: alpha, beta."),
        ("# Top\n\ntop alpha.", "top alpha.", {"title": "TOP"}, 'From "TOP". Key terms: alpha.'),
        ("x\n?!\nyy", "?!", {}, "From the middle of the document."),
        ("?!\nsome words after it", "?!", {}, "From the beginning of the document."),
        ("some words before it\n?!", "?!", {}, "From the end of the document."),
        ("?!", "?!", {"title": " "}, "From the middle of the document."),
        ("1 2 3", "1 2 3", {"title": "Two\nlines"}, 'From "Two lines".'),
        ("The EU and AI. OF the of it.", "The EU and AI. OF", {}, "Key terms: EU, AI."),
    ],
)
def test_the_outline_of_small_documents(text: str, chunk: str, facts: dict[str, str], expected: str) -> None:
    assert outline(text, chunk, **facts) == expected


@pytest.mark.parametrize(
    ("text", "chunk", "expected"),
    [
        (
            "港町では夏祭りがある。夏祭りの夜、港町に花火が上がる。\n駅は山の中にある。山の駅から列車が出る。",
            "駅は山の中にある。山の駅から列車が出る。",
            "Key terms: 列車.",
        ),
        (
            "防火墙保护网络。防火墙有规则。\n我们喜欢苹果。苹果很甜。",
            "我们喜欢苹果。苹果很甜。",
            "Key terms: 苹果, 我们, 喜欢, 很甜.",
        ),
        ("コンピュータを使う。ネットワークを守る。", "ネットワークを守る。", "Key terms: ネットワーク."),
        ("Брандмауэр защищает сеть. Яблоко растёт.", "Яблоко растёт.", "Key terms: Яблоко, растёт."),
        ("दीवार सुरक्षा देती है। सेब मीठा होता है।", "सेब मीठा होता है।", "Key terms: मीठा, होता, सेब."),
        ("الجدار يحمي الشبكة. التفاح حلو.", "التفاح حلو.", "Key terms: التفاح, حلو."),
        ("방화벽이 네트워크를 보호한다. 사과가 달다.", "사과가 달다.", "Key terms: 사과가, 달다."),
    ],
)
def test_key_terms_of_other_scripts(text: str, chunk: str, expected: str) -> None:
    assert outline(text, chunk) == expected


def test_the_document_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    document = cv.Document(HANDBOOK)
    read: list[int] = []

    def reading(text: str, *report: Report) -> Iterator[tuple[str, int]]:
        read.append(len(text))
        return terms(text, *report)

    from chunkviz.writers import outline as module  # noqa: PLC0415

    terms = module._terms
    monkeypatch.setattr(module, "_terms", reading)
    for chunk in cv.FixedSize(chunk_size=10, chunk_overlap=0).chunk(document):
        key_terms(document, chunk.text)
    assert read.count(len(HANDBOOK)) == 1
    assert sum(read) <= 3 * len(HANDBOOK)


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=80), st.text(max_size=20), st.booleans())
def test_the_outline_is_never_blank_and_always_the_same(text: str, title: str, whole: bool) -> None:  # noqa: FBT001
    document = cv.Document(text, title=title)
    one = WriteRequest(document, 0, len(text), text if whole else text[:1], "", "", title, ("", title))
    answer = OutlineWriter().write(one)
    assert answer.strip()
    assert answer == OutlineWriter().write(one)
    assert "\n" not in answer.replace("\u2028", "")


# The writer of services ------------------------------------------------------------------------


def writer(server: Server, **options: Any) -> OpenAICompatibleWriter:
    return OpenAICompatibleWriter(**{"base_url": server.url, "api_key": KEY, "max_retries": 1, **options})


DOCUMENT = cv.Document("# Top\n\nBefore. The {chunk} itself. After.", title="A {title}")
REQUEST = request(DOCUMENT, "The {chunk} itself.")


def test_the_writer_sends_both_prompts_and_gives_the_trimmed_answer(server: Server) -> None:
    server.chat = lambda _: "  It is about the chunk.\n"
    ours = writer(server, system_prompt="Be short.", user_prompt="{title}|{headings}|{preceding}|{chunk}|{following}")
    assert isinstance(ours, Writer)
    assert ours.write(REQUEST) == "It is about the chunk."
    (received,) = server.received
    assert received.path == "/v1/chat/completions"
    assert received.key == KEY
    assert received.body == {
        "model": "gpt-4o-mini",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "A {title}|Top|# Top\n\nBefore. |The {chunk} itself.| After."},
        ],
        "max_tokens": 200,
    }
    assert (ours.usage.calls, ours.usage.tokens, ours.usage.tokens_out, ours.concurrency) == (1, 120, 20, 4)
    assert ours.name == f"gpt-4o-mini at {server.url.removeprefix('http://').removesuffix('/v1')}"


def test_the_default_prompts_hold_all_that_is_known() -> None:
    system, user = OpenAICompatibleWriter().prompts(REQUEST)
    assert "one or two plain sentences" in system
    assert user.startswith("Document: A {title}\nSection: Top\n")
    for text in ("# Top\n\nBefore. ", "The {chunk} itself.", " After."):
        assert text in user
    assert OpenAICompatibleWriter().name == "gpt-4o-mini"


def test_openai_is_given_the_new_name_of_the_output_limit() -> None:
    sent: list[dict[str, Any]] = []
    ours = OpenAICompatibleWriter(api_key=KEY, max_output_tokens=50)

    class Completions:
        def create(self, **fields: Any) -> Any:
            sent.append(fields)
            raise ValueError

    client = ours._service._make_client()
    client.chat.completions.__dict__["with_raw_response"] = Completions()
    with pytest.raises(ServiceError, match=r"could not be asked \(ValueError\)"):
        ours.write(REQUEST)
    assert sent[0]["max_completion_tokens"] == 50


@pytest.mark.parametrize("prompt", ["{chunks}", "{Title}", "{chunk.text}", "{title!r}", "{chunk:>9}"])
def test_unknown_fields_are_an_error_that_names_the_known_ones(prompt: str) -> None:
    expected = (
        "user_prompt must use only the fields {title}, {headings}, {preceding}, {chunk}, {following}, not " + prompt
    )
    with pytest.raises(ParameterError, match=re.escape(expected)):
        OpenAICompatibleWriter(user_prompt=prompt)
    with pytest.raises(ParameterError, match="system_prompt must use only"):
        OpenAICompatibleWriter(system_prompt=prompt)


def test_braces_that_hold_no_name_stay_and_what_is_filled_in_is_not_read_again() -> None:
    document = cv.Document("{title} {0} {unknown} {{chunk}}\ud83d \\1 \\g<0>", title="{chunk}")
    ours = OpenAICompatibleWriter(system_prompt="", user_prompt='{"a": {}, "b": {1}} {{title}} {chunk}')
    _, user = ours.prompts(request(document, document.text))
    assert user == '{"a": {}, "b": {1}} {{chunk}} {title} {0} {unknown} {{chunk}}\ufffd \\1 \\g<0>'


def test_a_blank_system_prompt_is_not_sent(server: Server) -> None:
    writer(server, system_prompt=" ").write(REQUEST)
    assert [message["role"] for message in server.received[0].body["messages"]] == ["user"]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({"message": {"content": None, "refusal": "I cannot."}}, "refused to write about this chunk"),
        ({"message": {"content": ""}, "finish_reason": "content_filter"}, "stopped this answer by its content filter"),
        ({"message": {"content": "Half"}, "finish_reason": "content_filter"}, "by its content filter"),
        ({"message": {"content": ""}, "finish_reason": "length"}, "used up 200 output tokens before it gave any text"),
        ({"message": {"content": " \n"}}, "gave no text"),
        ({"message": {"content": None}}, "gave no text"),
        ({"message": {"content": ["x"]}}, "gave no text"),
        ({"message": None}, "gave an answer without a message"),
    ],
)
def test_an_answer_without_text_is_an_error_with_the_reason(
    server: Server, choice: dict[str, Any], expected: str
) -> None:
    server.chat = lambda _: choice
    with pytest.raises(ServiceError, match=expected):
        writer(server).write(REQUEST)
    assert len(server.received) == 1


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": [None]}, {"choices": "x"}])
def test_an_answer_without_choices_is_an_error(server: Server, body: dict[str, Any]) -> None:
    server.always = Reply(body=body)
    with pytest.raises(ServiceError, match="gave an answer without a message"):
        writer(server).write(REQUEST)


def test_an_answer_cut_at_the_limit_is_still_an_answer(server: Server) -> None:
    server.chat = lambda _: {"message": {"content": "It is about"}, "finish_reason": "length"}
    assert writer(server).write(REQUEST) == "It is about"


def test_the_writer_tries_again_and_fails_as_the_embedder_does(server: Server) -> None:
    server.script = [script.TOO_MANY]
    assert writer(server).write(REQUEST).startswith("About ")
    server.script = [script.CUT]
    assert writer(server).write(REQUEST).startswith("About ")
    for reply, expected in (
        (script.BROKEN, "failed with status 500 in 2 tries"),
        (script.BAD_REQUEST, "refused the request with status 400"),
        (script.HTML, "answered HTML instead of JSON; base_url must be"),
    ):
        server.always = reply
        with pytest.raises(ServiceError, match=expected):
            writer(server).write(REQUEST)
    server.always = script.SLOW
    with pytest.raises(ServiceError, match=r"no answer within 0.2 seconds, in 1 try"):
        writer(server, timeout=0.2, max_retries=0).write(REQUEST)


def test_the_writers_key_is_nowhere(server: Server, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    server.chat = lambda _: "Übersicht."
    ours = writer(server, cache=TextCache(tmp_path))
    ours.write(REQUEST)
    server.always = Reply(400, echo=True)
    with pytest.raises(ServiceError, match=r"\[key\]") as caught:
        ours.write(request(DOCUMENT, "After."))
    assert caught.value.__context__ is None
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for said in (caplog.text, repr(ours), str(vars(ours)), str(caught.value), repr(pickle.dumps(ours)), repr(stored)):
        assert KEY[:10] not in said
    assert "Übersicht".encode() in stored
    assert b"itself" not in stored
    assert b"Before" not in stored
    assert pickle.loads(pickle.dumps(ours)).name == ours.name  # noqa: S301


def test_a_cached_answer_costs_no_request(server: Server, tmp_path: Path) -> None:
    cache = TextCache(tmp_path)
    first = writer(server, cache=cache).write(REQUEST)
    assert writer(server, cache=cache).write(REQUEST) == first
    assert len(server.received) == 1
    writer(server, cache=cache, user_prompt="Other: {chunk}").write(REQUEST)
    writer(server, cache=cache, system_prompt="Other").write(REQUEST)
    writer(server, cache=cache, model="other").write(REQUEST)
    writer(server, cache=cache).write(request(DOCUMENT, "After."))
    assert len(server.received) == 5
    assert len(cache) == 5


def test_an_answer_paid_for_is_returned_when_the_disk_fails(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: DiskCache, _: object) -> None:
        raise self._error(sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(DiskCache, "put", full)
    with pytest.warns(RuntimeWarning, match="disk is full"):
        assert writer(server, cache=TextCache(tmp_path)).write(REQUEST).startswith("About")


def test_a_failed_answer_is_not_kept(server: Server, tmp_path: Path) -> None:
    cache = TextCache(tmp_path)
    server.chat = lambda _: ""
    with pytest.raises(ServiceError):
        writer(server, cache=cache).write(REQUEST)
    assert len(cache) == 0


def test_the_estimate_is_labelled_and_costs_nothing(server: Server, tmp_path: Path) -> None:
    options = {"system_prompt": "one two", "user_prompt": "{chunk}", "cache": TextCache(tmp_path)}
    ours = writer(server, **options)
    requests = [request(DOCUMENT, "After."), request(DOCUMENT, "Before.")]
    estimate = ours.estimate(requests)
    assert (estimate.calls, estimate.tokens_in, estimate.tokens_out) == (2, 8, 120)
    assert estimate.dollars == pytest.approx((8 * 0.15 + 120 * 0.60) / 1e6)
    assert str(estimate) == "Estimate: 2 calls, 8 tokens in and 120 tokens out, less than $0.01."
    assert server.received == []
    dear = ours.estimate(requests, {"gpt-4o-mini": Price(1e6, 1e6)})
    assert str(dear) == "Estimate: 2 calls, 8 tokens in and 120 tokens out, about $128.00."
    ours.write(requests[0])
    assert ours.estimate(requests).calls == 1
    assert writer(server, model="llama").estimate(requests).dollars is None
    assert writer(server, max_output_tokens=10).estimate(requests).tokens_out == 20


def test_prices_are_those_of_the_model_and_its_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    assert price_of("gpt-4o-mini-2024-07-18") == price_of("gpt-4o-mini") == Price(0.15, 0.60)
    assert price_of("gpt-4o-mini-audio") is None
    monkeypatch.setitem(PRICES, "mine", Price(1.0))
    assert price_of("mine") == Price(1.0)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"model": ""}, "model must be"),
        ({"user_prompt": " "}, "user_prompt must hold some text"),
        ({"concurrency": 0}, "concurrency must be a whole number from 1 on"),
        ({"max_output_tokens": 0}, "max_output_tokens must be a whole number from 1 on"),
    ],
)
def test_wrong_values_fail_at_construction(options: dict[str, Any], expected: str) -> None:
    with pytest.raises(ParameterError, match=expected):
        OpenAICompatibleWriter(**options)


# The registry ----------------------------------------------------------------------------------


def test_writers_are_known_by_name() -> None:
    assert list_writers() == ("outline", "openai")
    assert isinstance(get_writer(), OutlineWriter)
    made = get_writer("openai", model="m", base_url="http://localhost:1/v1")
    assert made.name == "m at localhost:1"
    with pytest.raises(UnknownNameError, match=r"writer 'outlin' is not known \(did you mean 'outline'\?\)"):
        get_writer("outlin")
    with pytest.raises(ParameterError, match="writer 'outline' does not take these options"):
        get_writer("outline", model="m")
    with pytest.raises(ParameterError, match=r"writer 'openai' does not take .*'modle'"):
        get_writer("openai", modle="m")


# Many at once ----------------------------------------------------------------------------------

CHUNKS = [request(cv.Document(f"number {number} of ten"), "number") for number in range(10)]


class Numbered:
    """A writer that answers with the number of the request, or raises or gives what it is told."""

    name = "numbered"

    def __init__(self, odd: dict[int, Any] | None = None, concurrency: int | None = None, wait: float = 0.0) -> None:
        self.odd = odd or {}
        self.asked: list[int] = []
        self.wait = wait
        self.lock = threading.Lock()
        if concurrency is not None:
            self.concurrency = concurrency

    def write(self, request: WriteRequest, /) -> str:
        number = int(request.document.text.split()[1])
        with self.lock:
            self.asked.append(number)
        time.sleep(self.wait)
        odd: Any = self.odd.get(number, f" context {number} \n")
        if isinstance(odd, BaseException):
            raise odd
        return odd  # type: ignore[no-any-return]


@pytest.mark.parametrize("concurrency", [None, 1, 3])
def test_each_request_fails_on_its_own(concurrency: int | None) -> None:
    odd = {
        1: ServiceError("The service was tired; try again."),
        2: ZeroDivisionError("division by zero"),
        4: "  \n",
        5: KeyError(),
        6: None,
    }
    shares: list[float] = []
    written = write_all(Numbered(odd, concurrency), CHUNKS, shares.append)
    assert written == [
        Written(context="context 0"),
        Written(error="The service was tired; try again."),
        Written(error="ZeroDivisionError: division by zero"),
        Written(context="context 3"),
        Written(error="the writer gave no text"),
        Written(error="KeyError"),
        Written(error="the writer gave NoneType, not text"),
        *(Written(context=f"context {number}") for number in (7, 8, 9)),
    ]
    assert shares == [pytest.approx(number / 10) for number in range(1, 11)]


def test_only_the_failed_ones_can_be_tried_again() -> None:
    ours = Numbered({3: ServiceError("tired."), 7: ServiceError("tired.")})
    written = write_all(ours, CHUNKS)
    failed = [number for number, each in enumerate(written) if each.error]
    ours.odd.clear()
    ours.asked.clear()
    again = write_all(ours, [CHUNKS[number] for number in failed])
    assert ours.asked == failed == [3, 7]
    assert again == [Written(context="context 3"), Written(context="context 7")]


def test_a_written_holds_either_a_context_or_an_error() -> None:
    for wrong in ({}, {"context": "a", "error": "b"}):
        with pytest.raises(ParameterError):
            Written(**wrong)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_cancelling_drops_what_is_left(concurrency: int) -> None:
    ours = Numbered(concurrency=concurrency, wait=0.01)

    def report(share: float) -> None:
        if share >= 0.2:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_all(ours, CHUNKS, report)
    time.sleep(0.05)
    assert 2 <= len(ours.asked) <= 2 + 2 * concurrency < 10


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(), Cancelled("no more")])
def test_what_is_no_failure_of_one_request_ends_the_work(concurrency: int, error: BaseException) -> None:
    with pytest.raises(type(error)):
        write_all(Numbered({2: error}, concurrency), CHUNKS)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_after_an_error_that_meets_all_nothing_more_is_sent(concurrency: int) -> None:
    ours = Numbered({1: UnusableServiceError("The key is wrong.")}, concurrency, wait=0.01)
    written = write_all(ours, CHUNKS)
    assert written[0] == Written(context="context 0")
    assert written[1] == written[9] == Written(error="The key is wrong.")
    assert len(ours.asked) <= 1 + 2 * concurrency


def test_no_requests_are_no_work() -> None:
    assert write_all(Numbered(concurrency=2), []) == write_all(Numbered(), []) == []


def test_requests_go_side_by_side_as_far_as_the_writer_allows(server: Server) -> None:
    server.always = Reply(delay=0.03)
    written = write_all(writer(server, concurrency=3, user_prompt="{following}"), CHUNKS)
    assert [each.context for each in written] == [f"About ' {number} of ten'." for number in range(10)]
    assert server.most_at_once == 3


def test_a_wrong_key_costs_a_few_requests_and_not_one_per_chunk(server: Server) -> None:
    server.always = Reply(401, {"error": {"message": "no"}}, delay=0.01)
    written = write_all(writer(server, concurrency=2), CHUNKS * 20)
    assert {each.error for each in written} == {written[0].error}
    assert "did not accept the API key (no)" in str(written[0].error)
    assert len(server.received) <= 4
