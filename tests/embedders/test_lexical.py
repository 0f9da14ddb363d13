"""The default embedder: what its vectors hold, and that nothing but the texts decides it."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunkviz.embedders import Lexical
from chunkviz.embedders.lexical import fold
from chunkviz.errors import ParameterError
from chunkviz.services import Embedder
from chunkviz.vectors import neighbour_similarities

MODULO = 1 << 32

atoms = st.sampled_from(
    [
        *("a", "an", "Ana", "ana", "banana", "ß", "SS", "é", "e\u0301", "İ", "ﬁ", "日本語", "日本", "한국", "שלום"),
        *(
            " ",
            "  ",
            "\n",
            "\t",
            "\u00a0",
            "\u3000",
            "\u200b",
            "\x1c",
            "\0",
            ".",
            "-",
            "👩‍👩‍👧",
            "\ud83d",
            "1",
            "12345",
        ),
    ]
)
texts = st.one_of(st.lists(atoms, max_size=12).map("".join), st.text(max_size=12))


def ngrams(text: str) -> Counter[str]:
    """Every run of two to four characters with no space inside and one that is none; punctuation is a space."""
    folded = "".join(" " if unicodedata.category(each)[0] == "P" else each for each in fold(text))
    runs = [folded[start : start + size] for size in (2, 3, 4) for start in range(len(folded) - size + 1)]
    return Counter(run for run in runs if run.strip(" ") and " " not in run[1:-1])


def hash_of(ngram: str) -> int:
    """The published hash, on one n-gram and in plain integers."""
    first, *rest = map(ord, ngram)
    value = first * 0x9E3779B1 % MODULO
    for character in rest:
        value = ((value ^ value >> 15) * 0x85EBCA77 + character * 0x9E3779B1) % MODULO
    value = value * 0xC2B2AE3D % MODULO
    value ^= value >> 16
    value = value * 0x85EBCA77 % MODULO
    return (value ^ value >> 13) >> 14


def readable(texts: list[str], dimensions: int) -> np.ndarray:
    """The same vectors, by dictionaries."""
    counted = []
    for text in texts:
        hashes: Counter[int] = Counter()
        for ngram, count in ngrams(text).items():
            hashes[hash_of(ngram)] += count
        counted.append(hashes)
    holders = Counter(each for hashes in counted for each in hashes)
    vectors = np.zeros((len(texts), dimensions))
    for row, hashes in enumerate(counted):
        for each, count in hashes.items():
            idf = math.log1p((len(texts) - holders[each] + 0.5) / (holders[each] + 0.5)) ** 0.75
            idf *= 0.1 if holders[each] == 1 else 1
            sign = -1 if each % 2 else 1
            vectors[row, each * dimensions >> 18] += sign * (1 + math.log(count)) * idf
        vectors[row] = of_length_one(vectors[row])
    step = math.ceil(len(texts) / 256) or 1
    sample = vectors[::step]
    mean = sum(sample, np.zeros(dimensions)) / (len(sample) + 32)
    return np.array([of_length_one(row - mean) if row.any() else row for row in vectors]).reshape(-1, dimensions)


def of_length_one(row: np.ndarray) -> np.ndarray:
    return row / (np.linalg.norm(row) or 1)


@settings(max_examples=300, deadline=None)
@given(st.lists(texts, max_size=8), st.sampled_from([64, 2048]))
@example(["", " ", "a", "  a  ", "a b"], 2048)
@example(["banana banana", "Banana"], 64)
def test_the_vectors_are_those_of_a_readable_implementation(some: list[str], dimensions: int) -> None:
    found = Lexical(dimensions).embed(some)
    assert found.shape == (len(some), dimensions)
    assert found.dtype == np.float32
    # Where signs cancel almost everything, so do digits; what is left of a row has no direction to compare.
    np.testing.assert_allclose(found, readable(some, dimensions), atol=1e-4)


def test_n_grams_reach_to_the_spaces_beside_a_word_and_no_further() -> None:
    assert set(ngrams("To be")) == {" t", "to", "o ", " to", "to ", " to ", " b", "be", "e ", " be", "be ", " be "}


def test_punctuation_is_white_space() -> None:
    one, other, nothing = Lexical().embed(["l'albero, «verde»", "L albero verde", "-- … 。"])
    assert np.array_equal(one, other)
    assert not nothing.any()


def test_what_all_texts_share_does_not_count() -> None:
    """Ten pairs of words behind the same long beginning: two of a pair are alike, and any others are not."""
    beginning = "In the event of a failure of the device the following message is shown: "
    words = ["kettle", "garden", "window", "orchid", "quartz", "syrup", "tunnel", "violin", "jacket", "bronze"]
    similarities = neighbour_similarities(Lexical().embed([beginning + word for word in words for _ in "ab"] * 20))
    assert similarities[::2] == pytest.approx(1, abs=1e-4)
    assert similarities[1::2].max() < 0.3


def test_a_sample_gives_the_mean_of_a_long_document() -> None:
    """What is subtracted is the mean of 256 texts at most: of 600, every third."""
    many = [f"Line {number} of {number % 7} lines" for number in range(600)]
    fitted = Lexical(64).fitted(many)
    assert fitted.mean is not None
    unit = Lexical(64, weights=fitted.weights).embed(many[::3])
    assert fitted.mean == pytest.approx(unit.sum(0) / (200 + 32), abs=1e-6)


def test_vectors_have_length_one_and_blank_texts_none() -> None:
    vectors = Lexical().embed(["Ein Satz.", "", " \n\u3000", "x", "語"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1, 1])


def test_case_and_white_space_do_not_count() -> None:
    one, other = Lexical().embed(["Two  words\n", "tWO WORDS"])
    assert np.array_equal(one, other)


def test_no_texts_give_no_rows() -> None:
    assert Lexical(64).embed([]).shape == (0, 64)


def test_batches_of_a_fitted_embedder_are_the_rows_of_the_whole() -> None:
    lines = [f"Line {number} speaks of {word}." for number in range(40) for word in ("gardens", "Flüsse", "銀行", "")]
    fitted = Lexical().fitted(lines)
    whole = fitted.embed(lines)
    assert np.array_equal(whole, Lexical().embed(lines))
    assert np.array_equal(whole, np.vstack([fitted.embed(lines[start : start + 7]) for start in range(0, 160, 7)]))


def test_a_text_longer_than_a_block_is_counted_whole() -> None:
    long = "river bank " * 20_000
    vectors = Lexical().fitted(["river", "bank", "cloud", "stone"]).embed([long, "river bank", "cloud stone"])
    similarities = neighbour_similarities(vectors)
    assert similarities[0] == pytest.approx(1, abs=0.02)
    assert vectors[0] @ vectors[2] < 0.1


def test_more_texts_than_fit_a_block_stay_in_order() -> None:
    many = [str(number) for number in range(40_000)]
    fitted = Lexical(16).fitted(many)
    assert np.array_equal(
        fitted.embed(many)[[0, 16_383, 16_384, 39_999]], fitted.embed(["0", "16383", "16384", "39999"])
    )


def test_what_was_fitted_tells_two_embedders_apart() -> None:
    assert Lexical() == Lexical()
    assert Lexical().fitted(["one"]) == Lexical().fitted(["one"])
    assert Lexical() != Lexical().fitted(["one"]) != Lexical().fitted(["two"])


def test_the_same_vectors_in_every_process_whatever_its_hash_seed() -> None:
    code = (
        "import hashlib, sys; from chunkviz.embedders import Lexical;"
        "sys.stdout.write(hashlib.sha256(Lexical().embed(['Käse und Brot', 'Brot', 'パン']).tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(  # noqa: S603  our own code
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout.decode()
        for seed in ("1", "2")
    }
    here = hashlib.sha256(Lexical().embed(["Käse und Brot", "Brot", "パン"]).tobytes()).hexdigest()
    assert digests == {here}


@pytest.mark.parametrize("dimensions", [0, 1, 3, 1000, 1 << 17])
def test_dimensions_that_are_no_power_of_two_are_refused(dimensions: int) -> None:
    with pytest.raises(ParameterError, match=r"dimensions must be a power of two from 2 to 65,536, not \d+"):
        Lexical(dimensions)


def test_it_is_an_embedder() -> None:
    assert isinstance(Lexical(), Embedder)
