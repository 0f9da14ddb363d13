"""Caches on disk: nothing is paid for twice, nothing paid for is lost."""

from __future__ import annotations

import multiprocessing
import pickle
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkviz.chunk import Usage
from chunkviz.disk_cache import DiskCache, key_of
from chunkviz.embedders.cache import CachedEmbedder, VectorCache
from chunkviz.embedders.openai_compatible import OpenAICompatibleEmbedder
from chunkviz.errors import IncompleteError, ParameterError, ServiceError
from chunkviz.services import Embedder
from chunkviz.writers import TextCache
from tests.services.server import KEY, ORDINARY, Reply, Server, vector


class Lengths:
    """Embeds a text as its length and its first character, and remembers what it was asked."""

    def __init__(self, name: str = "lengths", width: int = 2) -> None:
        self.name = name
        self.width = width
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        rows = np.zeros((len(texts), self.width), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[:2] = len(text), ord(text[0])
        return rows


def test_only_missing_texts_are_embedded_each_once_in_one_call(tmp_path: Path) -> None:
    inner = Lengths()
    cached = CachedEmbedder(inner, VectorCache(tmp_path))
    assert isinstance(cached, Embedder)
    expected = [[2, 97], [1, 98], [2, 97]]
    assert cached.embed(["aa", "b", "aa"]).tolist() == expected
    rows = cached.embed(["aa", "b", "aa"])
    assert rows.tolist() == expected
    assert rows.dtype == np.float32
    assert cached.embed(["ccc", "b", "ddd", "ccc"]).tolist() == [[3, 99], [1, 98], [3, 100], [3, 99]]
    assert inner.asked == [["aa", "b"], ["ccc", "ddd"]]
    assert len(cached.cache) == 4


def test_a_second_run_sends_no_request_at_all(server: Server, tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(30)] + ["\ud83d", "<|endoftext|>"]
    first = CachedEmbedder(OpenAICompatibleEmbedder("toy", base_url=server.url, api_key=KEY), VectorCache(tmp_path))
    rows = first.embed(texts)
    assert len(server.received) == 1
    again = CachedEmbedder(OpenAICompatibleEmbedder("toy", base_url=server.url, api_key=KEY), VectorCache(tmp_path))
    assert (again.embed(texts) == rows).all()
    assert again.estimate([*texts, "new"]).calls == 1
    assert again.estimate(texts).calls == 0
    assert len(server.received) == 1
    assert again.usage == Usage()
    assert first.usage.calls == 1


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_request_that_fails_does_not_lose_its_siblings(
    concurrency: int, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chunkviz.embedders.parts.TEXTS_PER_REQUEST", 10)
    texts = [f"text {number}" for number in range(30)]
    refusal = Reply(400, {"error": {"message": "No."}})
    server.script, server.always = [ORDINARY], refusal
    inner = OpenAICompatibleEmbedder("toy", base_url=server.url, api_key=KEY, concurrency=concurrency)
    cached = CachedEmbedder(inner, VectorCache(tmp_path))
    with pytest.raises(IncompleteError, match=r"refused the request with status 400 \(No\)") as caught:
        cached.embed(texts)
    assert pickle.loads(pickle.dumps(caught.value)).vectors.keys() == caught.value.vectors.keys()  # noqa: S301  our own
    assert len(cached.cache) == 10
    kept = set(caught.value.vectors)
    server.received.clear()
    server.always = ORDINARY
    rows = cached.embed(texts)
    assert {text for request in server.inputs for text in request} == set(texts) - kept
    assert np.allclose(rows, [vector(text, server.dimensions) for text in texts])


def test_the_facts_are_those_of_the_inner_embedder(tmp_path: Path) -> None:
    cached = CachedEmbedder(OpenAICompatibleEmbedder(dimensions=256), VectorCache(tmp_path))
    assert cached.name == "text-embedding-3-small (256 dimensions)"
    assert (cached.dimensions, cached.max_tokens, cached.price, cached.batch) == (256, 8191, 0.02, 8192)
    plain = CachedEmbedder(Lengths(), VectorCache(tmp_path))
    assert (plain.dimensions, plain.max_tokens, plain.price, plain.usage) == (None, None, None, Usage())


def test_models_and_dimensions_do_not_mix(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    CachedEmbedder(Lengths("one"), cache).embed(["a"])
    assert cache.find("one", None, ["a", "b"]).keys() == {"a"}
    assert cache.find("two", None, ["a"]) == cache.find("one", 2, ["a"]) == {}


def test_a_model_that_changed_its_dimensions_is_an_error_that_says_to_clear(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    CachedEmbedder(Lengths(width=2), cache).embed(["a"])
    with pytest.raises(ServiceError, match=r"vectors of 2 dimensions for 'lengths', which now gives 3; clear it"):
        CachedEmbedder(Lengths(width=3), cache).embed(["a", "b"])
    with pytest.raises(ServiceError, match="vectors of different lengths"):
        CachedEmbedder(Lengths(width=3), cache).embed(["a", "b"])
    cache.clear()
    assert CachedEmbedder(Lengths(width=3), cache).embed(["a", "b"]).shape == (2, 3)


def test_no_texts_give_no_rows(tmp_path: Path) -> None:
    assert CachedEmbedder(Lengths(), VectorCache(tmp_path)).embed([]).shape == (0, 2)


class Wrong(Lengths):
    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        return super().embed(texts)[1:]


def test_a_wrong_number_of_vectors_is_an_error_and_not_kept(tmp_path: Path) -> None:
    cached = CachedEmbedder(Wrong("wrong"), VectorCache(tmp_path))
    with pytest.raises(ServiceError, match=r"'wrong' must give one row .* for each of 2 texts, not shape \(1, 2\)"):
        cached.embed(["a", "b"])
    assert len(cached.cache) == 0


def test_neither_texts_nor_keys_are_stored(server: Server, tmp_path: Path) -> None:
    inner = OpenAICompatibleEmbedder("toy", base_url=server.url, api_key=KEY)
    CachedEmbedder(inner, VectorCache(tmp_path)).embed(["a secret sentence", "another"])
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert np.array(vector("another", 8), "<f4").tobytes() in stored
    assert b"secret" not in stored
    assert KEY.encode() not in stored


def test_the_longest_unused_leave_when_the_limit_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiskCache, "note_after", 0)
    cache = VectorCache(tmp_path, size_limit=80_000)
    row = np.arange(1024, dtype=np.float32)
    for number in range(24):
        cache.keep("m", 1024, {f"text {number}": row})
        cache.find("m", 1024, ["text 0"])
    assert cache.size() <= 80_000
    assert 8 < len(cache) < 20
    found = cache.find("m", 1024, [f"text {number}" for number in range(24)])
    assert {"text 0", "text 23", "text 22"} <= found.keys()
    assert "text 1" not in found
    files = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert files <= 80_000


def test_a_use_is_noted_once_an_hour_so_that_reading_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = DiskCache(tmp_path, "x.sqlite3")
    cache.put({b"k": b"value"})

    def used() -> int:
        with closing(sqlite3.connect(tmp_path / "x.sqlite3")) as database:
            return int(database.execute("SELECT used FROM entries").fetchone()[0])

    first = used()
    assert cache.get([b"k"]) == {b"k": b"value"}
    assert used() == first
    monkeypatch.setattr(time, "time_ns", lambda: first + 3_600_000_000_000)
    cache.get([b"k"])
    assert used() == first + 3_600_000_000_000


def test_many_at_once_keep_the_limit_too_and_a_tiny_limit_keeps_nothing(tmp_path: Path) -> None:
    row = np.arange(1024, dtype=np.float32)
    large = VectorCache(tmp_path / "a", size_limit=300_000)
    large.keep("m", None, {f"text {number}": row for number in range(500)})
    assert 150_000 < large.size() <= 300_000
    tiny = VectorCache(tmp_path / "b", size_limit=1)
    tiny.keep("m", None, {"a": row})
    assert (len(tiny), tiny.size()) == (0, 0)


def test_clearing_empties_and_gives_the_disk_back(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.clear()
    cache.keep("m", None, {f"text {number}": np.ones(1000, np.float32) for number in range(100)})
    assert len(cache) == 100
    assert 400_000 < cache.size() < 900_000
    cache.clear()
    assert (len(cache), cache.size()) == (0, 0)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 100_000
    assert cache


def test_a_damaged_file_is_an_error_that_names_the_folder_and_clearing_mends_it(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    (tmp_path / "vectors.sqlite3").write_bytes(b"This is no database, however long one looks at it. " * 50)
    inner = Lengths()
    with pytest.raises(ServiceError, match=r"cannot be used .*; clear it, or turn it off") as caught:
        CachedEmbedder(inner, cache).embed(["a"])
    assert str(tmp_path) in str(caught.value)
    assert inner.asked == []
    cache.clear()
    assert CachedEmbedder(inner, cache).embed(["a"]).tolist() == [[1, 97]]


@pytest.mark.parametrize("value", [b"123", b"", np.array([np.nan, 1], np.float32).tobytes(), "text"])
def test_a_damaged_vector_is_an_error_not_a_vector(tmp_path: Path, value: Any) -> None:
    cache = VectorCache(tmp_path)
    cache.keep("m", None, {"a": np.ones(2, np.float32)})
    with sqlite3.connect(tmp_path / "vectors.sqlite3") as database:
        database.execute("UPDATE contents SET value = ?", (value,))
    database.close()
    with pytest.raises(ServiceError, match="holds damaged vectors"):
        cache.find("m", None, ["a"])


def test_a_folder_that_cannot_be_made_is_an_error_before_anything_is_paid_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    inner = Lengths()
    cached = CachedEmbedder(inner, VectorCache(tmp_path / "file" / "cache"))
    with pytest.raises(ServiceError, match=r"file/cache cannot be used"):
        cached.embed(["a"])
    assert inner.asked == []


def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = VectorCache(tmp_path)
    cache.keep("m", None, {"a": np.ones(2, np.float32)})
    connect = sqlite3.connect

    def read_only(path: Any, **options: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(f"file:{path}?mode=ro", uri=True, **options)
        return database

    monkeypatch.setattr(sqlite3, "connect", read_only)
    inner = Lengths()
    with pytest.raises(ServiceError, match=r"cannot be used \(attempt to write a readonly database\)"):
        CachedEmbedder(inner, cache).embed(["b"])
    assert inner.asked == []


def test_vectors_paid_for_are_returned_when_the_disk_fails_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: DiskCache, _: object) -> None:
        raise self._error(sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(DiskCache, "put", full)
    cached = CachedEmbedder(Lengths(), VectorCache(tmp_path))
    with pytest.warns(RuntimeWarning, match=r"disk is full\); clear it, or turn it off\. The new vectors were not"):
        rows = cached.embed(["a", "bb"])
    assert rows.tolist() == [[1, 97], [2, 98]]


def _write(folder: Path, first: int) -> None:
    cached = CachedEmbedder(Lengths(), VectorCache(folder))
    for start in range(first, first + 200, 10):
        cached.embed([f"{number} text" for number in range(start, start + 10)])


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_write, args=(tmp_path, first)) for first in (0, 100, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    cache = VectorCache(tmp_path)
    assert len(cache) == 300
    assert cache.find("lengths", None, ["299 text"])["299 text"].tolist() == [8, 50]


def test_a_cache_crosses_process_boundaries_by_its_folder(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, size_limit=123_456)
    cache.keep("m", None, {"a": np.ones(2, np.float32)})
    again = pickle.loads(pickle.dumps(cache))  # noqa: S301
    assert len(again) == 1
    assert repr(again) == f"VectorCache({str(tmp_path)!r})"


def test_more_keys_than_one_question_holds(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, "x.sqlite3")
    entries = {key_of(number): str(number).encode() for number in range(1201)}
    cache.put(entries)
    assert cache.get([*entries, key_of("other")]) == entries


def test_texts_are_kept_by_all_that_was_asked(tmp_path: Path) -> None:
    cache = TextCache(tmp_path)
    cache.keep("Über Ziegel.", "model", 200, "system", "user \ud83d")
    assert cache.find("model", 200, "system", "user \ud83d") == "Über Ziegel."
    assert cache.find("model", 201, "system", "user \ud83d") is None
    assert cache.find_all([("x",), ("model", 200, "system", "user \ud83d")]) == [None, "Über Ziegel."]
    assert cache.find("model", 200, "systemuser", " \ud83d") is None
    assert len(cache) == 1
    assert cache.size() > 0
    cache.clear()
    assert len(cache) == 0
    assert cache


def test_the_folder_is_for_its_owner_only(tmp_path: Path) -> None:
    TextCache(tmp_path / "cache").keep("answer", "question")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("limit", [0, -1, 1.5])
def test_a_limit_is_a_number_of_bytes(tmp_path: Path, limit: Any) -> None:
    with pytest.raises(ParameterError, match="size_limit must be a whole number of bytes from 1 on"):
        VectorCache(tmp_path, size_limit=limit)
