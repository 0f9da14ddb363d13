"""The fast tokenizer gives tiktoken's tokens, whatever the text."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pickle
import random
import sys
import sysconfig
import types
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.errors import VocabularyError
from chunkviz.fast import ENCODERS, Encoder, FastTokenizer, Gigatoken, Quicktok, installed_encoders, load_fast
from chunkviz.samples import app_folder
from chunkviz.tokens import encode_in_blocks
from chunkviz.vocabulary import TiktokenTokenizer, load_tokenizer, packaged_cl100k

INSTALLED = installed_encoders()
needs_fast = pytest.mark.skipif(not INSTALLED, reason="no package of chunkviz[fast] is installed")

PLAIN = load_tokenizer("cl100k_base", fast=False)
ATOMS = [
    *(
        "'s",
        "'S",
        "'ſ",
        "'t",
        "'re",
        "'VE",
        "'Ll",
        "'m",
        "'D",
        "’s",
        "don't",
        "a",
        "Word",
        "the",
        "ing",
        "é",
        "e\u0301",
    ),
    *("\u0301", "日本", "。", "、", "「", "」", "ー", "カタカナ", "한국어", "שלום", "مرحبا", "क्षि", "Ж", "ǅ", "ʰ", "ﬁ"),
    *(
        "👩‍👩‍👧",
        "👍🏽",
        "❤️",
        "🇩🇪",
        "\u200b",
        "\u200d",
        "\ufeff",
        "\0",
        "\x7f",
        "\ufffd",
        "\U0010ffff",
        "\u0378",
        "\ud83d",
        "\ude00",
    ),
    *(
        "1",
        "12",
        "123",
        "1234567890",
        "²",
        "½",
        "Ⅳ",
        "٣",
        "𝟘",
        "3.14",
        "---",
        "===",
        "!!",
        "/",
        "://",
        "_",
        "__init__",
        "};",
    ),
    *("<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>"),
]
KINDS = {"letter": "\U00010400", "digit": "\U000104a0", "symbol": "\U0001d800"}
"""Characters without tokens of their own, four bytes each: what differs is only what they are taken for."""
RECENT = ["\u1c89", "\ua7cb", "\u088f", "\U000105c0", "\U00010940", "\U000323b0"]
"""Letters that Unicode added after version 14: a text that holds one goes to tiktoken."""
SPACES = [
    *(" ", "  ", "\n", "\r\n", "\r", "\t", "\n\n", "\u00a0", "\u2003", "\u3000"),
    *("\u0085", "\u2028", "\v", "\f", "\x1c", "\x1f"),
]


def piece(draw: random.Random) -> str:
    """Return a short text of one kind: words, code points from anywhere, one thing repeated, or a long run."""
    kind = draw.random()
    if kind < 0.5:
        return "".join(draw.choice(ATOMS) + draw.choice(["", "", *SPACES]) for _ in range(draw.randint(1, 60)))
    if kind < 0.7:
        tops = draw.choices([0x80, 0x250, 0x3000, 0x10000, 0x110000], k=draw.randint(1, 80))
        return "".join(chr(draw.randrange(top)) for top in tops)
    if kind < 0.9:
        return draw.choice(ATOMS + SPACES) * draw.randint(1, 200) + draw.choice(ATOMS)
    return "".join(draw.choice("abcdefghijklmnopqrstuvwxyzABCDEF0123456789+/") for _ in range(draw.randint(1, 800)))


@cache
def tokenizers() -> tuple[FastTokenizer, ...]:
    """Return each package alone, so that both see every text, and all together."""
    return (*map(load_fast, INSTALLED), load_fast(*INSTALLED))


def agree(text: str) -> None:
    for fast in tokenizers():
        assert np.array_equal(fast.encode(text), PLAIN.encode(text))
        assert np.array_equal(fast.token_starts(text), PLAIN.token_starts(text))
        assert fast.count(text) == PLAIN.count(text)


@needs_fast
@settings(max_examples=500, deadline=None)
@given(
    st.one_of(st.text(max_size=300), st.lists(st.sampled_from([*ATOMS, *RECENT, *SPACES]), max_size=80).map("".join))
)
@example("")
@example("a\u088fb")
@example("\ud83d\ude00 a pair of surrogates counts as two characters")
def test_equal_on_arbitrary_text(text: str) -> None:
    agree(text)


@needs_fast
@pytest.mark.parametrize("seed", range(4))
def test_equal_on_a_megabyte_of_mixed_text(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311  the same texts on every run
    size = 0
    while size < 1_000_000:
        text = "".join(piece(draw) for _ in range(40))
        size += len(text.encode("utf-8", "surrogatepass"))
        agree(text)


@needs_fast
def test_equal_on_real_code_and_on_the_samples() -> None:
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    agree("\n".join(path.read_text("utf-8", errors="replace") for path in library)[:1_500_000])
    for path in sorted((app_folder() / "sample_docs").iterdir()):
        if path.suffix in {".md", ".txt", ".py", ".html"}:
            agree(path.read_text("utf-8", errors="replace"))


@needs_fast
def test_equal_on_every_character_that_both_packages_must_know() -> None:
    """Sees to it that a new version of a package, with a newer Unicode, does not go unnoticed."""
    # Beyond plane 3 there are only private and unassigned characters, and a few invisible ones.
    every = [chr(code) for plane in (range(0xD800), range(0xE000, 0x40000), range(0xE0000, 0xE0200)) for code in plane]
    for fast in tokenizers():
        tested = [character for character in every if not fast._recent_in(character)]
        for at in range(0, len(tested), 2000):
            text = "".join(map(around, tested[at : at + 2000]))
            if not np.array_equal(fast.encode(text), PLAIN.encode(text)):
                for character in tested[at : at + 2000]:
                    agree(around(character))


def around(character: str) -> str:
    """Return text whose tokens tell whether the character is taken for a letter, a digit, a space or a symbol."""
    return f"{character}-q{character}234  {character}b don't{character}s a{character}1{character} {character} "


def test_the_way_to_tell_the_kinds_of_characters_tells_them() -> None:
    """Around characters of as many bytes but another kind, the tokens are cut otherwise."""
    cuts = {kind: PLAIN.token_starts(around(each)).tolist() for kind, each in KINDS.items()}
    assert len({tuple(each) for each in cuts.values()}) == len(KINDS)


@needs_fast
@pytest.mark.parametrize("run", ["x", " ", "\n", "ab", "字", "\u0301", "1", "👍🏽", "a\u0301", "="])
def test_equal_on_a_long_run(run: str) -> None:
    agree(run * 20_000)


@needs_fast
def test_equal_in_blocks() -> None:
    text = "".join(f"Sentence {number}, 日本語。\n" for number in range(30_000))
    for fast in tokenizers():
        assert np.array_equal(encode_in_blocks(fast, text), PLAIN.token_starts(text))


@needs_fast
def test_a_recent_character_in_a_long_text_changes_nothing_around_it() -> None:
    text = "".join(f"Sentence {number}, and more. " for number in range(10_000))
    for fast in tokenizers():
        assert np.array_equal(
            fast.token_starts(f"{text}q{RECENT[3]}1 {text}"), PLAIN.token_starts(f"{text}q{RECENT[3]}1 {text}")
        )


@needs_fast
def test_a_recent_character_is_found_in_a_long_text_as_it_is_alone() -> None:
    """The long way compares halves of UTF-16, and puts those beyond it together again."""
    fast = tokenizers()[0]
    places = {point + step for point in map(ord, RECENT) for step in (-1, 0, 1)}
    places |= {0, 0x557, 0x20A0, 0xA7CA, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF}
    for point in places - set(range(0xD800, 0xE000)):
        character = chr(point)
        assert fast._recent_in(f"{'word 日本 😀 ' * 60}{character} word") == fast._recent_in(character), hex(point)


def test_text_is_given_in_larger_blocks_to_what_takes_one_at_a_time() -> None:
    class Named:
        package = "none"

        def __init__(self, *, concurrent: bool) -> None:
            self.concurrent = concurrent

    one, several = Named(concurrent=False), Named(concurrent=True)
    fast = FastTokenizer("cl100k_base", (one, several), [b"a"])  # type: ignore[arg-type]
    assert fast.block_size("words " * 9) == 1 << 20
    assert fast.block_size("日本語の文。") == 1 << 17
    assert fast.block_size("words " * 20_000 + "日本語の文。" * 100_000) == 1 << 17


@needs_fast
def test_it_is_the_default_and_survives_pickling() -> None:
    fast = cv.get_tokenizer()
    assert isinstance(fast, FastTokenizer)
    assert fast.name == "cl100k_base"
    copy = pickle.loads(pickle.dumps(fast))  # noqa: S301  its own bytes
    assert copy == fast == load_tokenizer("cl100k_base")
    assert hash(copy) == hash(fast)
    assert copy.count("hello") == 1
    assert list(map(type, copy.encoders)) == list(INSTALLED)


def test_text_without_spaces_goes_to_the_last_encoder_and_all_other_to_the_first() -> None:
    class Named:
        package = "none"
        concurrent = True

        def __init__(self, tokens: int) -> None:
            self.tokens = tokens

        def encode(self, _text: str) -> np.ndarray[Any, np.dtype[np.uint32]]:
            return np.zeros(self.tokens, np.uint32)

        def count(self, _text: str) -> int:
            return self.tokens

        def pieces(self) -> list[bytes]:
            return [b"a"]

    fast = FastTokenizer("cl100k_base", (Named(1), Named(2)), [b"a"])
    assert [fast.count(text) for text in ("", "words", "größer", "слова", "日本語の文。", "日本語 mostly English")] == [
        1, 1, 1, 1, 2, 1
    ]  # fmt: skip
    assert len(fast.encode("日本語の文。")) == 2
    assert len(fast.encode("words")) == 1


@pytest.mark.skipif(Gigatoken not in INSTALLED, reason="the optional package gigatoken is not installed")
def test_gigatoken_begins_anew_before_what_it_remembers_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Gigatoken, "_remembers", 1000)
    encoder = Gigatoken()
    used = []
    for number in range(5):
        text = f"word {number:05} " * 35
        assert len(text) == 11 * 35
        assert np.array_equal(encoder.encode(text), PLAIN.encode(text))
        used.append(encoder._encoder)
    assert [each is used[0] for each in used] == [True, True, False, False, False]
    assert used[2] is used[3] is used[4]


def test_plain_tiktoken_can_be_asked_for() -> None:
    assert type(PLAIN) is TiktokenTokenizer
    assert PLAIN.name == "cl100k_base"


@pytest.mark.parametrize("missing", [{"quicktok"}, {"gigatoken"}, {"quicktok", "gigatoken"}])
def test_what_is_not_installed_is_not_used(monkeypatch: pytest.MonkeyPatch, missing: set[str]) -> None:
    found = importlib.util.find_spec

    def spec_of(name: str, package: str | None = None) -> importlib.machinery.ModuleSpec | None:
        return None if name in missing else found(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", spec_of)
    expected = [each for each in INSTALLED if each.package not in missing]
    tokenizer = load_tokenizer("cl100k_base")
    if expected:
        assert isinstance(tokenizer, FastTokenizer)
        assert list(map(type, tokenizer.encoders)) == expected
    else:
        assert type(tokenizer) is TiktokenTokenizer


class Foreign:
    """An encoder that has some other vocabulary."""

    @property
    def vocab(self) -> dict[int, bytes]:
        return {rank: self.decode_single_token_bytes(rank) for rank in range(100_256)}

    def decode_single_token_bytes(self, rank: int) -> bytes:
        return rank.to_bytes(4, "little")


@pytest.mark.parametrize("package", ENCODERS)
@pytest.mark.parametrize(
    ("encoder", "says"), [(Foreign(), "not the official one"), (None, "installed but cannot be used (AttributeError")]
)
def test_a_broken_package_is_an_error_and_no_silent_fallback(
    monkeypatch: pytest.MonkeyPatch, package: type[Gigatoken | Quicktok], encoder: Foreign | None, says: str
) -> None:
    broken = types.ModuleType(package.package)
    broken.__spec__ = importlib.machinery.ModuleSpec(package.package, None)
    broken.get_encoding = lambda _name: encoder  # type: ignore[attr-defined]
    broken.Tokenizer = types.SimpleNamespace(from_tiktoken=lambda *_given: encoder)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, package.package, broken)
    with pytest.raises(VocabularyError) as caught:
        load_tokenizer("cl100k_base")
    assert says in str(caught.value)
    assert package.package in str(caught.value)
    assert "uninstall it" in str(caught.value)


@needs_fast
@pytest.mark.parametrize("package", INSTALLED)
def test_threads_may_share_an_encoder(package: type[Encoder]) -> None:
    texts = [f"Words of thread {number}, and more of them. " * 4_000 for number in range(8)]
    encoder = package()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(encoder.count, texts * 5))
    assert found == [len(packaged_cl100k().encode_ordinary(text)) for text in texts] * 5
