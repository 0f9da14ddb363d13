"""Searching chunks."""

from __future__ import annotations

import asyncio
import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz.embedders import Lexical
from chunkviz.errors import Cancelled, ParameterError, ServiceError, UnknownNameError
from chunkviz.retrieval import RANKINGS, Index, Ranking, collect, format_hits, split_terms
from chunkviz.retrieval.rankings import best_first, eager_scores, fuse
from chunkviz.retrieval.terms import Terms
from chunkviz.samples import load_sample
from tests.core.spans import chunked, lines
from tests.core.toys import Words

TWO = "cat dog\ncat cat fish bird"


@dataclass(eq=False)
class Topics:
    """(1, 0) for bread, (0, 1) for quarks, a zero vector for texts about neither."""

    name: str = "topics"
    asked: list[list[str]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return np.array([["bread" in text, "quark" in text] for text in texts], np.float32)


# Terms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The Vent's  CLOSED", ("the", "vent", "s", "closed")),
        ("rain_delay E07 1.0136 £18,400", ("rain", "delay", "e07", "1.0136", "18,400")),
        ("Café Ångström", ("cafe", "angstrom")),
        ("４２００人", ("4200", "人")),
        ("神輿の", ("神", "神輿", "輿", "輿の", "の")),
        ("كِتَابٌ كتاب", ("كتاب", "كتاب")),
        ("Приём", ("прием",)),
        ("ไทย", ("ไ", "ไท", "ท", "ทย", "ย")),
        ("हिन्दी", ("हिन्दी",)),
        ("축제", ("축", "축제", "제")),
        ("... !?", ()),
    ],
)
def test_terms_of_all_scripts(text: str, terms: tuple[str, ...]) -> None:
    assert split_terms(text) == terms


def test_a_question_leaves_out_single_characters_that_pairs_stand_for() -> None:
    assert split_terms("神輿の角", question=True) == ("神輿", "輿の", "の角")
    assert split_terms("角", question=True) == ("角",)


@given(st.text(), st.data())
def test_terms_of_a_span_are_those_whose_place_lies_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    terms = Terms.of(cv.Document(text))
    assert [terms.vocabulary[word] for word in terms.words] == list(split_terms(text))
    naive = [
        word
        for word, first, last in zip(terms.words, terms.starts, terms.ends, strict=True)
        if start <= first and last <= end
    ]
    assert terms.within(start, end).tolist() == naive


# BM25 ------------------------------------------------------------------------------------------


@given(st.text("aZ0.,_-é東 \n\r\u0301", max_size=40))
def test_terms_of_a_document_are_those_of_its_text_at_once(text: str) -> None:
    found = Terms.of(cv.Document(text))
    assert tuple(found.vocabulary[word] for word in found.words) == split_terms(text)
    assert all(text[start:end] for start, end in zip(found.starts, found.ends, strict=True))


def test_finding_the_terms_of_a_long_document_can_be_stopped() -> None:
    def stop(share: float) -> None:
        raise Cancelled(str(share))

    chunking = cv.Recursive(chunk_size=2000).chunk(cv.Document("word\n" * 60_000))
    with pytest.raises(Cancelled):
        Index(chunking, services=cv.Services(report=stop))


def test_bm25_as_worked_out_by_hand() -> None:
    # Lengths 2 and 4, mean 3. "dog" is in one of two: ln(1 + 1.5 / 1.5); "cat" in both: ln(1 + 0.5 / 2.5).
    # Saturation of the first: 1 / (1 + 1.5 (0.25 + 0.75 * 2/3)) = 1 / 2.125; of the second: 2 / (2 + 1.875).
    index = Index(lines(TWO))
    cat, dog = index.search("cat"), index.search("dog")
    assert [(hit.chunk.text, round(hit.score, 5)) for hit in cat] == [
        ("cat cat fish bird", 0.0941),
        ("cat dog", 0.0858),
    ]
    assert [(hit.chunk.text, round(hit.score, 5)) for hit in dog] == [("cat dog", 0.32619)]
    assert [round(hit.score, 4) for hit in index.search("cat dog")] == [0.412, 0.0941]


def naive_bm25(chunks: Sequence[Sequence[str]], question: Sequence[str]) -> list[float]:
    mean = sum(map(len, chunks)) / len(chunks)
    scores = []
    for chunk in chunks:
        score = 0.0
        for term in question:
            holders = sum(term in other for other in chunks)
            idf = math.log(1 + (len(chunks) - holders + 0.5) / (holders + 0.5))
            often = chunk.count(term)
            if often:
                score += idf * often / (often + 1.5 * (0.25 + 0.75 * len(chunk) / mean))
        scores.append(score)
    return scores


@given(
    st.lists(st.sampled_from(["ant", "bee", "cow", "doe", "eel", "Ant"]), min_size=1, max_size=40).map(" ".join),
    st.sets(st.integers(1, 120), max_size=8),
    st.lists(st.sampled_from(["ant", "bee", "cow", "emu"]), min_size=1, max_size=5),
    st.integers(1, 12),
)
def test_lexical_search_equals_scoring_every_chunk(text: str, cuts: set[int], question: list[str], k: int) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    spans = list(pairwise(edges))
    words = [
        [word[0].lower() for word in re.finditer(r"\w+", text) if start <= word.start() and word.end() <= end]
        for start, end in spans
    ]
    hits = Index(chunked(text, spans)).search(" ".join(question), k)
    scores = naive_bm25(words, question) if any(words) else [0.0] * len(spans)
    assert [hit.score for hit in hits] == pytest.approx([scores[hit.place] for hit in hits], abs=2e-6)
    assert [hit.score for hit in hits] == pytest.approx(sorted((s for s in scores if s), reverse=True)[:k], abs=2e-6)
    assert [(-hit.score, hit.place) for hit in hits] == sorted((-hit.score, hit.place) for hit in hits)


@given(st.lists(st.lists(st.integers(0, 6), max_size=8), min_size=1, max_size=12).filter(any))
def test_the_index_is_the_one_that_the_library_builds_term_by_term(words: list[list[int]]) -> None:
    import bm25s  # noqa: PLC0415  as the product does

    library = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy", csc_backend="numpy")
    library.index((words, {f"w{each}": each for each in range(7)}), create_empty_token=False, show_progress=False)
    ours = eager_scores([np.array(each, np.int64) for each in words], 7, k1=1.5, b=0.75)
    assert ours["indptr"].tolist() == library.scores["indptr"].tolist()
    assert ours["indices"].tolist() == library.scores["indices"].tolist()
    np.testing.assert_allclose(ours["data"], library.scores["data"], rtol=1e-5)


def test_equal_chunks_come_in_document_order() -> None:
    hits = Index(lines("a cat\na dog\na cat\na cat")).search("cat", 2)
    assert [(hit.place, hit.rank) for hit in hits] == [(0, 1), (2, 2)]


def test_a_question_that_shares_no_term_finds_nothing_lexically() -> None:
    index = Index(lines(TWO))
    assert index.search("horse") == ()
    assert index.search("?!") == ()
    assert index.scores("horse").tolist() == [0, 0]


def test_context_is_searched_with_its_chunk() -> None:
    made = lines("It is closed.\nIt is open.", contexts=["About the vent.", None])
    assert [hit.place for hit in Index(made).search("vent")] == [0]


def test_japanese_and_arabic_are_found() -> None:
    japanese = lines("駅を降りると、もう太鼓の音がしていた。\n神輿の重さは六百二十キロ。\n四つ目の角で止まる。")
    assert [hit.place for hit in Index(japanese).search("神輿は重い", 1)] == [1]
    assert [hit.place for hit in Index(japanese).search("角", 1)] == [2]
    arabic = lines("ذهب الولد إلى المدرسة\nقرأت كِتَاباً جميلاً\nالقطار سريع")
    assert [hit.place for hit in Index(arabic).search("كتابا", 1)] == [1]


def test_several_documents_are_searched_together_and_named() -> None:
    one, other = cv.Document("The cat sat.", name="one.md"), cv.Document("The dog ran.", name="two.md")
    hits = Index([cv.Recursive().chunk(one), cv.Recursive().chunk(other)]).search("the dog")
    assert [hit.source for hit in hits] == ["two.md", "one.md"]
    assert hits[0].chunk.document is other


# Vectors and fusion ----------------------------------------------------------------------------


def test_dense_search_ranks_by_cosine_and_leaves_out_what_has_no_vector() -> None:
    embedder = Topics()
    made = lines("bread and quarks: quark bread\nabout bread\nabout neither\nabout a quark")
    hits = Index(made, "dense", cv.Services(embedder=embedder)).search("fresh bread", 9)
    assert [(hit.place, round(hit.score, 6)) for hit in hits] == [(1, 1.0), (0, 0.707107), (3, 0.0)]


def test_contextual_chunks_are_embedded_with_their_context_and_questions_in_one_call() -> None:
    embedder = Topics()
    made = lines("It rises.\nIt spins.", contexts=["On bread.", "On a quark."])
    index = Index(made, "dense", cv.Services(embedder=embedder))
    orders = [order.tolist() for order in index.orders(["bread", "quark", "bread"])]
    assert embedder.asked == [["On bread.\n\nIt rises.", "On a quark.\n\nIt spins."], ["bread", "quark"]]
    assert orders == [[0, 1], [1, 0], [0, 1]]


def test_a_question_without_a_vector_finds_nothing() -> None:
    index = Index(lines("bread\nquark"), "dense", cv.Services(embedder=Topics()))
    assert index.search("neither") == ()


def test_the_lexical_embedder_weighs_a_question_by_the_chunks() -> None:
    made = lines("The vent closes at dusk.\nThe pump runs at dawn.\nThe probe is dry at noon.")
    fitted = Lexical().fitted([chunk.text for chunk in made])
    naive = fitted.embed([chunk.text for chunk in made]) @ fitted.embed(["When does the pump run?"])[0]
    assert Index(made, "dense").scores("When does the pump run?").tolist() == pytest.approx(naive.tolist(), abs=2e-6)


@pytest.mark.parametrize("ranking", ["lexical", "dense", "hybrid"])
def test_many_questions_together_are_ordered_as_one_by_one(ranking: Ranking) -> None:
    index = Index(cv.Recursive(chunk_size=32).chunk(load_sample("essay")), ranking)
    questions = [f"What of {word}?" for word in load_sample("essay").text.split()[:70]]
    together = list(index.orders(questions))
    assert len(together) == 70
    for question, order in zip(questions, together, strict=True):
        assert order.tolist() == index.order(question).tolist()


def test_hybrid_adds_reciprocal_ranks() -> None:
    index = Index(lines("bread bread\nquark\nquark bread"), "hybrid", cv.Services(embedder=Topics()))
    hits = index.search("bread", 3)
    assert [(hit.place, hit.lexical_rank, hit.dense_rank) for hit in hits] == [(0, 1, 1), (2, 2, 2), (1, None, 3)]
    assert [hit.score for hit in hits] == pytest.approx([2 / 61, 2 / 62, 1 / 63])


def test_fusion_as_worked_out_by_hand() -> None:
    fused = fuse([np.array([2, 0]), np.array([0])], 3)
    assert fused.tolist() == pytest.approx([1 / 62 + 1 / 61, 0, 1 / 61])


@given(st.lists(st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), st.booleans()), max_size=30), st.integers(1, 40))
def test_the_best_are_those_that_sorting_everything_gives(scored: list[tuple[float, bool]], k: int) -> None:
    scores = np.array([score for score, _ in scored], np.float32)
    found = np.array([usable for _, usable in scored], np.bool_)
    naive = sorted((place for place, (_, usable) in enumerate(scored) if usable), key=lambda place: -scores[place])
    assert best_first(scores, found, k).tolist() == naive[:k]


# What is asked wrongly -------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "  \n", None, 7])
def test_a_blank_question_is_refused(question: str) -> None:
    with pytest.raises(ParameterError, match="question must be a text that is not blank"):
        Index(lines(TWO)).search(question)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
def test_k_is_a_whole_number_from_one_on(k: int) -> None:
    with pytest.raises(ParameterError, match="k must be a whole number from 1 on"):
        Index(lines(TWO)).search("cat", k)


def test_other_rankings_and_other_things_than_chunkings_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="lexical, dense, hybrid"):
        Index(lines(TWO), "lexcial")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="chunk the document first"):
        Index([cv.Document("text")])  # type: ignore[list-item]


def test_an_embedder_that_changes_its_dimensions_is_named() -> None:
    class Fickle:
        name = "fickle"

        def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
            return np.ones((len(texts), 2 if len(texts) > 1 else 3), np.float32)

    index = Index(lines(TWO), "dense", cv.Services(embedder=Fickle()))
    with pytest.raises(ServiceError, match="'fickle' gave a question 3 dimensions where the chunks have 2"):
        index.search("cat")


def test_indexing_can_be_cancelled() -> None:
    def stop(_: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        Index(lines(TWO), "dense", cv.Services(report=stop))


@pytest.mark.parametrize("ranking", RANKINGS)
def test_an_index_of_nothing_finds_nothing(ranking: str) -> None:
    empty = cv.Recursive().chunk(cv.Document(" "))
    assert Index(empty, ranking).search("cat") == ()  # type: ignore[arg-type]
    assert Index([]).search("cat") == ()


# Parents ---------------------------------------------------------------------------------------

FAMILY = "ants bees\ncows does"


def family() -> cv.Chunking:
    spans = [(0, 4), (5, 9), (10, 14), (15, 19)]
    return chunked(
        FAMILY, spans, parents=[(0, 9), (10, 19)], owners=[0, 0, 1, 1], services=cv.Services(tokenizer=Words())
    )


def test_only_children_are_searched_and_each_brings_its_parent() -> None:
    index = Index(family())
    assert len(index) == 4
    (hit,) = index.search("cows")
    assert (hit.chunk.text, hit.parent and hit.parent.text, hit.returned.text) == ("cows", "cows does", "cows does")


def test_children_of_one_parent_bring_it_once_and_stay_with_it() -> None:
    hits = Index(family()).search("bees cows ants", 9)
    passages = collect(hits)
    assert [passage.returned.text for passage in passages] == ["ants bees", "cows does"]
    assert [[hit.chunk.text for hit in passage.hits] for passage in passages] == [["ants", "bees"], ["cows"]]


def test_what_a_model_is_given_holds_each_parent_once() -> None:
    given_text = format_hits(Index(family()).search("bees cows ants", 9))
    assert given_text.text == (
        "[1] text.txt\nants\n\n[Parent context: ants bees]\n\n"
        "[2] text.txt\nbees\n\n[Parent context: see [1]]\n\n"
        "[3] text.txt\ncows\n\n[Parent context: cows does]"
    )
    assert given_text.token_count == len(given_text.text.split())
    assert given_text.tokenizer == "ws-words"


def test_a_block_names_headings_and_page() -> None:
    document = cv.Document("# Care\n\nOil it.", name="a.md", pages=(cv.Span(0, 15),))
    text = format_hits(Index(chunked(document, [(8, 15)])).search("oil")).text
    assert text == "[1] a.md · Care · page 1\nOil it."
    assert format_hits(()).text == ""


def test_async_search_finds_the_same() -> None:
    index = Index(lines(TWO))
    assert asyncio.run(index.asearch("cat", 1)) == index.search("cat", 1)


# Folders ---------------------------------------------------------------------------------------


def everything() -> list[cv.Chunking]:
    paged = cv.Document("# Über\n\nOne page.\n\nTwo \ud800 pages", name="ü.md", pages=(cv.Span(0, 17), cv.Span(17, 30)))
    return [
        cv.SentenceWindow().chunk(paged),
        cv.Hierarchical().chunk(cv.Document("# A\n\nvents open\n\n## B\n\nvents close", name="b.md", language="en")),
        cv.Markdown().chunk(cv.Document("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |", name="c.md")),
    ]


@pytest.mark.parametrize("ranking", RANKINGS)
def test_what_was_saved_finds_the_same(ranking: str, tmp_path: Path) -> None:
    index = Index(everything(), ranking)  # type: ignore[arg-type]
    index.save(tmp_path / "index")
    again = Index.load(tmp_path / "index")
    assert again.chunks == index.chunks
    assert again.documents == index.documents
    assert (again.ranking, again.embedder) == (index.ranking, index.embedder)
    for question in ("vents", "two pages", "Über"):
        assert again.search(question, 9) == index.search(question, 9)
    again.save(tmp_path / "index")  # over itself
    assert Index.load(tmp_path / "index").chunks == index.chunks


def test_other_services_must_be_given_again_by_the_same_name(tmp_path: Path) -> None:
    services = cv.Services(tokenizer=Words(), embedder=Topics())
    made = lines("bread\nquark", services=services)
    index = Index(made, "dense", services)
    index.save(tmp_path)
    assert Index.load(tmp_path, services).search("quark", 1)[0].place == 1
    with pytest.raises(ParameterError, match="made with the embedder 'topics', not 'lexical'"):
        Index.load(tmp_path, cv.Services(tokenizer=Words()))
    with pytest.raises(UnknownNameError, match="ws-words"):
        Index.load(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "index.json").write_text("{"),
        lambda folder: (folder / "index.json").write_text("[]"),
        lambda folder: (folder / "index.json").write_text('{"format": "chunkviz index", "version": 2}'),
        lambda folder: (folder / "index.json").write_bytes(b"\xff\xfe"),
        lambda folder: (folder / "vectors.npy").write_bytes(b"\x93NUMPY"),
        lambda folder: np.save(folder / "vectors.npy", np.array([{}], object), allow_pickle=True),
        lambda folder: np.save(folder / "vectors.npy", np.zeros((1, 2), np.float32)),
        lambda folder: (folder / "document-0.txt").write_text("another text"),
        lambda folder: edit(folder, "chunks", 0, 2, 10_000),
        lambda folder: edit(folder, "chunks", 0, 5, 77),
        lambda folder: edit(folder, "chunks", 0, 0, -1),
        lambda folder: edit(folder, "chunks", 0, 6, 5),
    ],
)
def test_a_damaged_folder_is_one_sentence(damage: object, tmp_path: Path) -> None:
    Index(lines(TWO), "dense").save(tmp_path)
    damage(tmp_path)  # type: ignore[operator]
    with pytest.raises(ParameterError, match=r"^The index in .* is damaged \(.*\); make it again\.$"):
        Index.load(tmp_path)


def edit(folder: Path, what: str, row: int, column: int, value: object) -> None:
    data = json.loads((folder / "index.json").read_text())
    data[what][row][column] = value
    (folder / "index.json").write_text(json.dumps(data))


def test_a_folder_of_something_else_is_neither_read_nor_overwritten(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"has no index\.json"):
        Index.load(tmp_path / "nowhere")
    (tmp_path / "letter.txt").write_text("Dear")
    with pytest.raises(ParameterError, match="must be new, empty or an index"):
        Index(lines(TWO)).save(tmp_path)
    shutil.rmtree(tmp_path)
    Index(lines(TWO)).save(tmp_path)
    data = json.loads((tmp_path / "index.json").read_text())
    (tmp_path / "index.json").write_text(json.dumps({**data, "version": 3}))
    with pytest.raises(ParameterError, match="has version 3, and this chunkviz reads version 2"):
        Index.load(tmp_path)


def test_importing_chunkviz_loads_no_search_library() -> None:
    code = "import sys, chunkviz.retrieval, chunkviz.evaluation; print({'bm25s', 'rapidfuzz'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603
    assert out.stdout.strip() == "set()"
