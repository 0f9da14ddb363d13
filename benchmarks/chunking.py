"""How long chunking takes, as ratios to one tiktoken pass over the same text in the same run; prints markdown.

    python benchmarks/chunking.py [--quick] [PART ...]

Parts: ours, step, memory, peers, linear; all of them when none is named. ``--quick`` leaves out the texts of 10 MB.
Every text is measured in a process of its own: the time is the least of several repeats, taken in turns, with the
garbage collector off. Our own rows are measured on all cores, and again, in processor time, on one. Libraries that are
not installed are left out with a line.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from corpora import HARD, SOURCES, Corpus, gather
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.segments import language_of
from chunkviz.tokens import SettledTokenizer
from chunkviz.vocabulary import TiktokenTokenizer, load_tokenizer

PARTS = ("ours", "step", "memory", "peers", "linear")
SIZE = 512
NAMES = {"prose": "text.txt", "markdown": "text.md", "code": "text.py", "CJK": "text.txt"}
TARGETS = {
    "fixed_size, cold": "1.10",
    "recursive, cold": "1.20",
    "recursive, step": "0.15",
    "recursive, cold, fast": "0.40",
}
BIG_FOR = ("chonkie RecursiveChunker", "chonkie TokenChunker", "langchain Recursive", "langchain Token", "semchunk")
"""Peers that are given 10 MB too; the others would take minutes."""
PACKAGES = (
    "chunkviz tiktoken gigatoken quicktok-v1 numpy regex chonkie langchain-text-splitters semchunk llama-index-core"
    " semantic-text-splitter"
)
PATIENCE = 300.0
"""Seconds after which a hard text is given up."""
HARD_ROWS = ("fixed_size tokens", "fixed_size characters", "recursive tokens", "recursive characters")
HARD_LENGTHS = (250_000, 500_000, 1_000_000)

Task = Callable[[], object]


@dataclass
class Counting:
    """A tokenizer that keeps count of how much text it was given."""

    inner: SettledTokenizer
    characters: int = 0

    @property
    def name(self) -> str:
        """The inner one's."""
        return self.inner.name

    @property
    def settled(self) -> re.Pattern[str]:
        """The inner one's."""
        return self.inner.settled

    def __hash__(self) -> int:
        return id(self)

    def count(self, text: str, /) -> int:
        """Count, and note how much."""
        self.characters += len(text)
        return self.inner.count(text)

    def token_starts(self, text: str, /) -> NDArray[np.int64]:
        """Tokenize, and note how much."""
        self.characters += len(text)
        return self.inner.token_starts(text)


def plain() -> TiktokenTokenizer:
    tokenizer = load_tokenizer("cl100k_base", fast=False)
    if not isinstance(tokenizer, TiktokenTokenizer):
        raise TypeError(tokenizer)
    return tokenizer


def taken(
    tasks: dict[str, Task], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[dict[str, float], dict[str, object]]:
    """Return the least time of each task in seconds, and its last result; the tasks take turns."""
    least = dict.fromkeys(tasks, float("inf"))
    results: dict[str, object] = {}
    gc.disable()
    for _ in range(rounds):
        for name, task in tasks.items():
            results.pop(name, None)
            gc.collect()
            began = clock()
            results[name] = task()
            least[name] = min(least[name], clock() - began)
    gc.enable()
    return least, results


def chunked(strategy: cv.Strategy, document: cv.Document, services: cv.Services) -> cv.Chunking:
    """Chunk, and count every chunk."""
    chunking = strategy.chunk(document, services)
    for chunk in chunking:
        _ = chunk.token_count
    return chunking


def cold(strategy: cv.Strategy, text: str, name: str, services: cv.Services) -> Task:
    """Return the task of chunking a document nothing is known of yet."""
    return lambda: chunked(strategy, cv.Document(text, name=name), services)


def warm_up(*services: cv.Services) -> None:
    """Load vocabularies and models, which happens once in a process."""
    for each in services:
        for text in ("A first sentence. And a second one.\n\n" * 200, "日本語の文章です。次の文。\n" * 200):
            document = cv.Document(text)
            language_of(document)
            chunked(cv.Recursive(), document, each)


def fresh_services(count: int) -> list[cv.Services]:
    """Return so many services with the fast tokenizer, each loaded for itself; none where it is not installed.

    gigatoken remembers the words it has met: one that has seen the text of the round before would be several times as
    fast as with a document that is new to it.
    """
    if isinstance(load_tokenizer("cl100k_base"), TiktokenTokenizer):
        return []
    fresh = [cv.Services(tokenizer=load_tokenizer("cl100k_base")) for _ in range(count)]
    warm_up(*fresh)
    return fresh


def measure_ours(text: str, name: str, rounds: int, *, one_core: bool) -> dict[str, Any]:
    """Return the seconds of tiktoken and of each row, how many chunks there are, and how many counts are wrong."""
    slow = plain()
    with_tiktoken = cv.Services(tokenizer=slow)
    warm_up(with_tiktoken)
    fresh = fresh_services(rounds)
    prepared = cv.Document(text, name=name)
    chunked(cv.Recursive(chunk_size=SIZE), prepared, with_tiktoken)
    sizes = iter(range(SIZE - 32, 32, -16))

    fixed, recursive = cv.FixedSize(chunk_size=SIZE, chunk_overlap=50), cv.Recursive(chunk_size=SIZE)
    tasks: dict[str, Task] = {
        "tiktoken": lambda: slow.encoding.encode_ordinary(text),
        "fixed_size, cold": cold(fixed, text, name, with_tiktoken),
        "recursive, cold": cold(recursive, text, name, with_tiktoken),
        # Another size each time, as a slider gives: what is remembered of one size is of little use to the next.
        "recursive, step": lambda: chunked(cv.Recursive(chunk_size=next(sizes)), prepared, with_tiktoken),
    }
    if fresh:
        tasks["recursive, cold, fast"] = lambda: chunked(recursive, cv.Document(text, name=name), fresh.pop())
    seconds, results = taken(tasks, rounds, time.process_time if one_core else time.perf_counter)
    chunkings = {row: result for row, result in results.items() if isinstance(result, cv.Chunking)}
    return {
        "seconds": seconds,
        "chunks": {row: len(chunking) for row, chunking in chunkings.items()},
        "wrong": {
            row: sum(slow.count(chunk.text) != chunk.token_count for chunk in chunking)
            for row, chunking in chunkings.items()
        },
    }


def measure_peers(text: str, name: str, rounds: int) -> dict[str, Any]:
    """Return the seconds of tiktoken, of ours and of each peer that is here, their chunks and those too big."""
    encoding = plain().encoding
    big = len(text.encode()) > 2_000_000
    services = cv.Services(tokenizer=plain())
    warm_up(services)
    fresh = fresh_services(rounds)
    tasks: dict[str, Task] = {
        "tiktoken": lambda: encoding.encode_ordinary(text),
        "chunkviz recursive": lambda: texts_of(chunked(cv.Recursive(), cv.Document(text, name=name), services)),
        "chunkviz fixed_size": lambda: texts_of(
            chunked(cv.FixedSize(chunk_overlap=0), cv.Document(text, name=name), services)
        ),
    }
    if fresh:
        tasks["chunkviz recursive, fast"] = lambda: texts_of(
            chunked(cv.Recursive(), cv.Document(text, name=name), fresh.pop())
        )
    failed: dict[str, str] = {}
    for peer, make in PEERS.items():
        if big and peer not in BIG_FOR:
            continue
        try:
            split = make(encoding)
            split("A sentence. Another one.\n\n" * 100)
            if "<|endoftext|>" in text:  # some raise on text that spells a special token
                split("<|endoftext|>")
        except Exception as error:  # noqa: BLE001  whatever a peer raises must not end the run
            failed[peer] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            continue
        tasks[peer] = lambda split=split: split(text)  # type: ignore[misc]
    seconds, results = taken(tasks, rounds)
    pieces = {row: result for row, result in results.items() if row != "tiktoken" and isinstance(result, list)}
    return {
        "seconds": seconds,
        "failed": failed,
        "chunks": {row: len(texts) for row, texts in pieces.items()},
        "too big": {
            row: sum(len(encoding.encode_ordinary(piece)) > SIZE for piece in texts) for row, texts in pieces.items()
        },
        "not in the text": {row: sum(piece not in text for piece in texts[:400]) for row, texts in pieces.items()},
    }


def texts_of(chunking: cv.Chunking) -> list[str]:
    return [chunk.text for chunk in chunking]


def chonkie_recursive(encoding: Any) -> Callable[[str], list[str]]:
    import chonkie  # noqa: PLC0415  may not be here

    chunker = chonkie.RecursiveChunker(encoding, chunk_size=SIZE)
    return lambda text: [chunk.text for chunk in chunker.chunk(text)]


def chonkie_token(encoding: Any) -> Callable[[str], list[str]]:
    import chonkie  # noqa: PLC0415  may not be here

    chunker = chonkie.TokenChunker(encoding, chunk_size=SIZE)
    return lambda text: [chunk.text for chunk in chunker.chunk(text)]


def langchain_recursive(encoding: Any) -> Callable[[str], list[str]]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415  may not be here

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name=encoding.name, chunk_size=SIZE, chunk_overlap=0, disallowed_special=()
    )
    return splitter.split_text  # type: ignore[no-any-return]


def langchain_token(encoding: Any) -> Callable[[str], list[str]]:
    from langchain_text_splitters import TokenTextSplitter  # noqa: PLC0415  may not be here

    splitter = TokenTextSplitter(encoding_name=encoding.name, chunk_size=SIZE, chunk_overlap=0, disallowed_special=())
    return splitter.split_text  # type: ignore[no-any-return]


def semchunk_counting(encoding: Any) -> Callable[[str], list[str]]:
    import semchunk  # noqa: PLC0415  may not be here

    return semchunk.chunkerify(lambda text: len(encoding.encode_ordinary(text)), SIZE, memoize=False)  # type: ignore[no-any-return]


def llama_index(encoding: Any) -> Callable[[str], list[str]]:
    from llama_index.core.node_parser import SentenceSplitter  # noqa: PLC0415  may not be here

    splitter = SentenceSplitter(chunk_size=SIZE, chunk_overlap=0, tokenizer=encoding.encode_ordinary)
    return splitter.split_text  # type: ignore[no-any-return]


def semantic_text_splitter(_encoding: Any) -> Callable[[str], list[str]]:
    from semantic_text_splitter import TextSplitter  # noqa: PLC0415  may not be here

    splitter = TextSplitter.from_tiktoken_model("gpt-4", SIZE)
    return splitter.chunks  # type: ignore[no-any-return]


PEERS: dict[str, Callable[[Any], Callable[[str], list[str]]]] = {
    "chonkie RecursiveChunker": chonkie_recursive,
    "chonkie TokenChunker": chonkie_token,
    "langchain Recursive": langchain_recursive,
    "langchain Token": langchain_token,
    "semchunk": semchunk_counting,
    "llama-index SentenceSplitter": llama_index,
    "semantic-text-splitter": semantic_text_splitter,
}


def measure_hard(kind: str) -> None:
    """Print, one line each, the processor seconds of each strategy on a text that is hard to keep linear."""
    services = cv.Services(tokenizer=plain())
    warm_up(services)
    for row in HARD_ROWS:
        name, unit = row.split()
        overlap = {"chunk_overlap": 50} if name == "fixed_size" else {}
        strategy = cv.get_strategy(name, chunk_size=SIZE, unit=unit, **overlap)
        for length in HARD_LENGTHS:
            task = cold(strategy, HARD[kind](length), "text.txt", services)
            seconds, _ = taken({row: task}, 2, time.process_time)
            print(json.dumps([row, seconds[row]]), flush=True)


def measure_step(text: str, name: str) -> dict[str, float]:
    """Return which share of the text the tokenizer is given when the size moves from 512 to 480, per strategy."""
    shares = {}
    for strategy in (cv.FixedSize, cv.Recursive):
        counting = Counting(plain())
        services, document = cv.Services(tokenizer=counting), cv.Document(text, name=name)
        chunked(strategy(chunk_size=SIZE), document, services)
        counting.characters = 0
        chunked(strategy(chunk_size=480), document, services)
        shares[strategy.name] = counting.characters / len(text)
    return shares


def measure_memory(path: Path, name: str, row: str) -> dict[str, float]:
    """Return megabytes: of the process before the text, of the text in memory, and at the peak of chunking it."""
    services = cv.Services(tokenizer=plain())
    warm_up(services)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    text = path.read_text("utf-8")
    strategy = cv.get_strategy(row, chunk_size=SIZE)
    chunking = chunked(strategy, cv.Document(text, name=name), services)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"before": before, "text": sys.getsizeof(text) / 2**20, "peak": peak, "chunks": len(chunking)}


def child(order: dict[str, Any]) -> Any:
    """Do what the parent asks, in this process."""
    if order["cores"] == 1:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    what = order["what"]
    if what == "hard":
        return measure_hard(order["kind"])
    path = Path(order["path"])
    if what == "memory":
        return measure_memory(path, order["name"], order["row"])
    text = path.read_text("utf-8")
    if what == "step":
        return measure_step(text, order["name"])
    if what == "peers":
        return measure_peers(text, order["name"], order["rounds"])
    return measure_ours(text, order["name"], order["rounds"], one_core=order["cores"] == 1)


def ask(**order: Any) -> Any:
    """Return what a child process measures."""
    command = [sys.executable, __file__, "--child", json.dumps({"cores": 0, **order})]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{order}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def table(head: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def machine() -> None:
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", info.read_text()) if info.exists() else None
    versions = [
        f"{package} {importlib.metadata.version(package)}" for package in PACKAGES.split() if is_installed(package)
    ]
    print(f"{model[1] if model else platform.processor()}, {os.cpu_count()} cores, Python {platform.python_version()}.")
    print(f"Load average at the start: {os.getloadavg()[0]:.1f}. {', '.join(versions)}.\n", flush=True)


def is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def report_ours(files: dict[tuple[str, int], Path]) -> None:
    print("### Ours\n")
    print(
        "Ratios to one `encode_ordinary` of tiktoken, targets in brackets: elapsed time with all cores at hand, as our"
    )
    print("encoder uses them for documents over 64 KiB, and in parentheses processor time on one core.\n")
    seconds: dict[tuple[str, int], dict[str, float]] = {}
    rows = []
    for (kind, size), path in files.items():
        order = {"what": "ours", "path": str(path), "name": NAMES[kind], "rounds": 5 if size == 1 else 3}
        many, one = ask(**order), ask(**order, cores=1)
        seconds[kind, size] = one["seconds"]
        rows.append(
            [
                f"{kind}, {size} MB",
                f"{many['seconds']['tiktoken']:.2f} s",
                *(ratio(many["seconds"], row) + f" ({ratio(one['seconds'], row)})" for row in TARGETS),
                wrong_counts(many, one),
            ]
        )
    table(["text", "tiktoken", *(f"{row} [{target}]" for row, target in TARGETS.items()), "wrong counts"], rows)
    if any(size == 10 for _, size in files):
        print("Processor time for 10 MB over that for 1 MB, on one core:\n")
        names = ["tiktoken", *TARGETS]
        rows = [
            [kind, *(f"{seconds[kind, 10].get(row, 0) / seconds[kind, 1].get(row, 1):.1f}" for row in names)]
            for kind in NAMES
            if (kind, 10) in seconds
        ]
        table(["text", *names], rows)


def wrong_counts(*found: dict[str, dict[str, int]]) -> str:
    wrong, chunks = (sum(sum(each[key].values()) for each in found) for key in ("wrong", "chunks"))
    return f"{wrong} of {chunks:,}"


def ratio(seconds: dict[str, float], row: str) -> str:
    return f"{seconds[row] / seconds['tiktoken']:.2f}" if row in seconds else "not installed"


def report_peers(files: dict[tuple[str, int], Path]) -> None:
    print("### Beside other libraries\n")
    print(
        f"Chunks of {SIZE} tokens of cl100k_base, no overlap. Ratio to one tiktoken pass / chunks / chunks over {SIZE} "
        "tokens / of the first 400 chunks, how many are no slice of the text.\n"
    )
    columns: dict[str, dict[str, str]] = {}
    failed: dict[str, str] = {}
    for (kind, size), path in files.items():
        found = ask(what="peers", path=str(path), name=NAMES[kind], rounds=2 if size == 1 else 1)
        failed |= found["failed"]
        columns[f"{kind}, {size} MB"] = {
            row: f"{ratio(found['seconds'], row)} / {found['chunks'][row]:,} / {found['too big'][row]:,}"
            f" / {found['not in the text'][row]}"
            for row in found["chunks"]
        }
    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    table(["", *columns], [[row, *(column.get(row, "not run") for column in columns.values())] for row in rows])
    for peer, why in failed.items():
        print(f"Left out: {peer} ({why}).\n")


def report_linear() -> None:
    print("### Hard texts\n")
    lengths = " / ".join(f"{length:,}" for length in HARD_LENGTHS)
    print(f"Milliseconds of processor time for {lengths} characters; in parentheses the last over the")
    print("first: 4 where time is linear.\n")
    rows = []
    for kind in HARD:
        command = [sys.executable, __file__, "--child", json.dumps({"what": "hard", "kind": kind, "cores": 0})]
        try:
            out = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True).stdout
        except subprocess.TimeoutExpired as late:
            out = late.stdout or b""
        found: dict[str, list[float]] = {row: [] for row in HARD_ROWS}
        for row, seconds in map(json.loads, out.decode().split("\n")[:-1]):
            found[row].append(seconds)
        rows.append([kind, *map(growth, found.values())])
    table(["text", *HARD_ROWS], rows)


def growth(times: list[float]) -> str:
    shown = " / ".join(f"{each * 1000:,.0f}" for each in times)
    if len(times) < len(HARD_LENGTHS):
        return f"{shown} / given up"
    return f"{shown} ({times[-1] / times[0]:.1f})"


def report_step(files: dict[tuple[str, int], Path]) -> None:
    print("### A step of a slider does not tokenize\n")
    print("Characters given to the tokenizer when the chunk size moves from 512 to 480, as a share of 1 MB of text.\n")
    rows = []
    for (kind, size), path in files.items():
        if size == 1:
            shares = ask(what="step", path=str(path), name=NAMES[kind])
            rows.append([kind, *(f"{share:.1%}" for share in shares.values())])
    table(["text", "fixed_size", "recursive"], rows)


def report_memory(files: dict[tuple[str, int], Path]) -> None:
    print("### Memory\n")
    print("Megabytes of resident memory, 10 MB of text. The target: no more than 120 over process and text.\n")
    rows = []
    for (kind, size), path in files.items():
        for row in ("fixed_size", "recursive") if size == 10 else ():
            found = ask(what="memory", path=str(path), name=NAMES[kind], row=row)
            over = found["peak"] - found["before"] - found["text"]
            cells = [f"{found[key]:.0f}" for key in ("before", "text", "peak")]
            rows.append([f"{kind}, {row}", *cells, f"{over:.0f}"])
    table(["text, strategy", "process before", "text in memory", "peak", "peak less both"], rows)


def report(parts: list[str], sizes: tuple[int, ...]) -> None:
    machine()
    with tempfile.TemporaryDirectory() as folder:
        files: dict[tuple[str, int], Path] = {}
        for kind in SOURCES:
            corpus: Corpus = gather(kind, max(sizes) * 1_000_000)
            if not corpus.text:
                print(f"- {kind}: nothing is installed; left out")
                continue
            print(f"- {kind}: {corpus.origin}")
            for size in sizes:
                path = files[kind, size] = Path(folder) / f"{kind}-{size}.txt"
                path.write_bytes(corpus.text.encode()[: size * 1_000_000].decode("utf-8", "ignore").encode())
        print(flush=True)
        if "ours" in parts:
            report_ours(files)
        if "step" in parts:
            report_step(files)
        if "memory" in parts:
            report_memory(files)
        if "peers" in parts:
            report_peers(files)
    if "linear" in parts:
        report_linear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--quick", action="store_true", help="leave out the texts of 10 MB")
    parser.add_argument("--child", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"PART must be one of {', '.join(PARTS)}, not {', '.join(sorted(unknown))}.")
    if options.child is not None:
        if (found := child(options.child)) is not None:
            print(json.dumps(found))
        return
    report(options.parts or list(PARTS), (1,) if options.quick else (1, 10))


if __name__ == "__main__":
    main()
