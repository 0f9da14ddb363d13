"""The tree of a chunking, and small-to-big over it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkviz as cv
from chunkviz.chunk import Chunking
from chunkviz.errors import ParameterError
from chunkviz.evidence import DocumentEnd
from chunkviz.packing import Piece
from chunkviz.retrieval import Index, format_hits
from chunkviz.samples import list_samples, load_sample
from chunkviz.services import Services
from chunkviz.small_to_big import Collected, collect
from chunkviz.strategies.strategy import Cutting, Parent
from chunkviz.tree import Sizes, Tree, family, tree_of

TEXT = "one two three four five six seven eight"
#       0   4   8     14   19   24  28    34     39
CHILDREN = ((0, 7), (8, 18), (19, 27), (28, 33), (34, 39))


def made(parents: list[Parent], owners: list[int | None], children: tuple[tuple[int, int], ...] = CHILDREN) -> Chunking:
    """Return a chunking with these parents, whatever a strategy would say."""
    pieces = [Piece(*span, DocumentEnd(), owner) for span, owner in zip(children, owners, strict=True)]
    return cv.FixedSize().assemble(cv.Document(TEXT, name="numbers.txt"), Services(), Cutting(pieces, parents))


def two_levels() -> Chunking:
    """Return a grandparent over two parents, one of three children and one of two."""
    return made([Parent(0, 39, 2), Parent(0, 27, 1, 0), Parent(28, 39, 1, 0)], [1, 1, 1, 2, 2])


def spans(collected: Collected) -> list[tuple[int, int]]:
    return [(each.returned.start, each.returned.end) for each in collected.passages]


def test_the_tree_of_parents_is_document_parents_chunks() -> None:
    tree = tree_of(two_levels())
    assert tree.above.tolist() == [-1, 0, 1, 1, 2, 2, 2, 3, 3]
    assert tree.depths.tolist() == [0, 1, 2, 2, 3, 3, 3, 3, 3]
    assert tree.children_of(1) == (2, 3)
    assert tree.leaves.tolist() == [5, 5, 3, 2, 1, 1, 1, 1, 1]
    assert tree.tokens.tolist() == [8, 8, 6, 2, 2, 2, 2, 1, 1]
    assert tree.weights.tolist() == [8, 8, 6, 2, 2, 2, 2, 1, 1]
    assert [tree.kind(node) for node in (0, 1, 3, 4)] == ["document", "parent", "parent", "chunk"]
    assert (tree.chunk_of(0), tree.chunk_of(3), tree.chunk_of(5)) == (0, 3, 1)
    assert [tree.place_in_level(node) for node in range(len(tree))] == [0, 0, 0, 1, 0, 1, 2, 3, 4]


def test_the_numbers_of_a_family() -> None:
    measured = family(two_levels())
    assert (measured.parents, measured.levels, measured.children) == (3, (2, 1), 5)
    assert measured.parent_tokens == Sizes(4.0, 2, 6)
    assert measured.child_tokens == Sizes(2.0, 1, 2)
    assert measured.children_per_parent == Sizes(2.5, 2, 3)
    assert measured.ratio == 3.0
    assert (measured.orphans, measured.crossing) == ((), ())


def test_orphans_and_children_that_cross_are_found() -> None:
    chunking = made([Parent(0, 18), Parent(20, 39)], [0, 0, 1, 1, None])
    measured = family(chunking)
    assert measured.orphans == (4,)
    assert measured.crossing == (2,)


def test_a_child_that_crosses_a_parent_further_up_is_found() -> None:
    chunking = made([Parent(0, 30, 2), Parent(0, 39, 1, 0)], [1, 1, 1, 1, 1])
    assert family(chunking).crossing == (3, 4)


def test_without_parents_the_tree_is_that_of_the_headings() -> None:
    text = "preface\n\n# A\n\nalpha\n\n## B\n\nbeta\n\n# A\n\ngamma\n\n### Inside\n\ndelta"
    document = cv.Document(text, name="a.md", format="markdown")
    cuts = [0, text.index("# A"), text.index("## B"), text.rindex("# A"), len(text)]
    pieces = [Piece(start, start + len(text[start:end].rstrip()), DocumentEnd()) for start, end in pairwise(cuts)]
    tree = tree_of(cv.FixedSize().assemble(document, Services(), Cutting(pieces)))
    assert tuple(map(tree.title_of, range(len(tree)))) == ("a.md", "A", "B", "A", "", "", "", "")
    assert tree.above.tolist() == [-1, 0, 1, 0, 0, 1, 2, 3]
    assert tree.starts.tolist()[1:4] == cuts[1:4]
    assert tree.ends.tolist()[1:4] == [cuts[3], cuts[3], len(text)]
    assert tree.left_out == 1
    assert tree.inner_kind == "section"
    assert tree.children_of(0) == (4, 1, 3)
    assert len(set(ids(tree))) == len(tree)


@pytest.mark.parametrize("text", ["", " \n", "One sentence."])
@pytest.mark.parametrize("name", cv.list_strategies())
def test_short_documents_have_a_tree(name: str, text: str) -> None:
    chunking = cv.get_strategy(name).chunk(text)
    tree = tree_of(chunking)
    assert tree.leaves[0] == len(chunking) == family(chunking).children
    assert collect(chunking, []).passages == ()


@pytest.mark.parametrize("sample", [sample.id for sample in list_samples()])
@pytest.mark.parametrize("name", cv.list_strategies())
def test_laws_of_the_tree(name: str, sample: str) -> None:
    chunking = cv.get_strategy(name).chunk(load_sample(sample))
    tree = tree_of(chunking)
    assert ids(tree) == ids(tree_of(cv.get_strategy(name).chunk(load_sample(sample))))
    assert len(set(ids(tree))) == len(tree)
    check(tree)
    assert tree.tokens[tree.first_chunk :].tolist() == chunking.token_counts.tolist()
    measured = family(chunking)
    assert measured.crossing == ()
    assert len(measured.orphans) in {0, len(chunking)}


def ids(tree: Tree) -> list[str]:
    return [tree.id_of(node) for node in range(len(tree))]


def check(tree: Tree) -> None:
    """Assert what holds for every tree."""
    assert (tree.above[1:] < np.arange(1, len(tree))).all()
    assert (tree.above[1:] >= 0).all()
    assert tree.leaves[0] == len(tree) - tree.first_chunk
    assert tree.depths[0] == 0
    assert (tree.depths[1:] == tree.depths[tree.above[1:]] + 1).all()
    hanging = [tree.children_of(node) for node in range(len(tree))]
    assert sorted(node for below in hanging for node in below) == list(range(1, len(tree)))
    for node, below in enumerate(hanging):
        assert [*below] == sorted(below, key=lambda each: tree.starts[each])
        if below:
            assert tree.weights[node] == sum(tree.weights[each] for each in below)
            assert tree.chunk_of(node) == min(tree.chunk_of(each) for each in below)
    if tree.inner_kind == "section":
        inner = range(1, tree.first_chunk)
        assert all(tree.starts[tree.above[node]] <= tree.starts[node] for node in inner)
        assert all(tree.ends[node] <= tree.ends[tree.above[node]] for node in inner)


def test_one_child_brings_its_parent_and_duplicates_are_merged() -> None:
    collected = collect(two_levels(), [4, 0, 2, 0])
    assert spans(collected) == [(0, 27), (28, 39)]
    assert [[chunk.index for chunk in each.found] for each in collected.passages] == [[0, 2], [4]]
    assert [each.children for each in collected.passages] == [3, 2]
    assert (collected.token_count, collected.found_token_count, collected.repeated) == (8, 5, 0)


def test_a_parent_stands_for_its_children_only_when_enough_are_found() -> None:
    assert spans(collect(two_levels(), [0, 4], merge_at=2)) == [(0, 7), (34, 39)]
    assert spans(collect(two_levels(), [0, 1, 4], merge_at=2)) == [(0, 27), (34, 39)]


def test_of_a_parent_with_fewer_children_all_must_be_found() -> None:
    assert spans(collect(two_levels(), [3], merge_at=3)) == [(28, 33)]
    assert spans(collect(two_levels(), [3, 4], merge_at=3)) == [(28, 39)]


def test_merging_goes_up_level_by_level() -> None:
    hits = [0, 1, 3, 4]
    assert spans(collect(two_levels(), hits, merge_at=2)) == [(0, 27), (28, 39)]
    assert spans(collect(two_levels(), hits, merge_at=2, up_to=2)) == [(0, 39)]
    assert spans(collect(two_levels(), [0, 1, 3], merge_at=2, up_to=2)) == [(0, 27), (28, 33)]


def test_a_child_inside_what_is_returned_is_not_returned_again() -> None:
    grand = made([Parent(0, 39, 2), Parent(0, 18, 1, 0), Parent(19, 27, 1, 0), Parent(28, 39, 1, 0)], [1, 1, 2, 3, 3])
    collected = collect(grand, [0, 1, 2, 3], merge_at=2, up_to=2)
    assert spans(collected) == [(0, 39)]
    assert [chunk.index for chunk in collected.passages[0].found] == [0, 1, 2, 3]


def test_overlapping_parents_are_told() -> None:
    windows = made([Parent(0, 18), Parent(8, 27)], [0, 1], ((0, 7), (19, 27)))
    assert collect(windows, [0, 1]).repeated == 10


@pytest.mark.parametrize(
    ("hits", "merging", "words"),
    [
        ([5], {}, "hits must be numbers of chunks from 0 to 4, not 5."),
        ([-1, 2], {}, "hits must be numbers of chunks from 0 to 4, not -1."),
        ([0], {"merge_at": 0}, "merge_at must be at least 1, not 0."),
        ([0], {"up_to": 0}, "up_to must be at least 1, not 0."),
    ],
)
def test_what_cannot_be_collected_is_refused(hits: list[int], merging: dict[str, int], words: str) -> None:
    with pytest.raises(ParameterError) as error:
        collect(two_levels(), hits, **merging)
    assert str(error.value) == words


def test_the_text_a_model_receives() -> None:
    assert collect(two_levels(), [0, 1, 4], merge_at=2).text == (
        "[1] numbers.txt\none two\n\n"
        "[Parent context: one two three four five six]\n\n"
        "[2] numbers.txt\nthree four\n\n"
        "[Parent context: see [1]]\n\n"
        "[3] numbers.txt\neight"
    )


def naive(chunking: Chunking, hits: list[int], merge_at: int, up_to: int) -> list[tuple[str, list[int]]]:
    """Merge one parent at a time, looking at everything again after each."""
    returned = {chunking[hit] for hit in hits}
    for level in range(1, up_to + 1):
        for parent in chunking.parents:
            children = [each for each in (*chunking.parents, *chunking) if each.parent is parent]
            there = [each for each in children if each in returned]
            if parent.level == level and there and len(there) >= min(merge_at, len(children)):
                returned = (returned - set(there)) | {parent}

    def above(chunk: cv.Chunk) -> list[cv.Chunk]:
        return [] if chunk.parent is None else [chunk.parent, *above(chunk.parent)]

    returned = {each for each in returned if not any(outer in returned for outer in above(each))}
    ordered = sorted(returned, key=lambda each: (each.start, each.end))
    return [
        (each.id, [hit for hit in sorted(set(hits)) if each == chunking[hit] or each in above(chunking[hit])])
        for each in ordered
    ]


FAMILIES = (
    cv.Hierarchical(chunk_size=60, chunk_overlap=0, parent_chunk_size=400, max_levels=4),
    cv.SentenceWindow(window=2),
    cv.SemanticParentChild(threshold=0.1),
    cv.Recursive(chunk_size=40),
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_collecting_is_what_the_naive_reference_says(data: st.DataObject) -> None:
    strategy = data.draw(st.sampled_from(FAMILIES))
    text = load_sample("essay").text[:1_500]
    chunking = strategy.chunk(text)
    hits = data.draw(st.lists(st.integers(0, len(chunking) - 1), max_size=12))
    merge_at, up_to = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    collected = collect(chunking, hits, merge_at=merge_at, up_to=up_to)
    got = [(each.returned.id, [chunk.index for chunk in each.found]) for each in collected.passages]
    assert got == naive(chunking, hits, merge_at, up_to)
    assert sorted(hit for _, found in got for hit in found) == sorted(set(hits))
    covered = [(each.returned.start, each.returned.end) for each in collected.passages]
    assert all(any(start <= chunk.start and chunk.end <= end for start, end in covered) for chunk in collected.found)
    received = collected.text
    assert all(chunk.text in received for chunk in collected.found)
    assert all(each.returned.text in received for each in collected.passages)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="# \nab.é語ع", max_size=200), st.sampled_from(FAMILIES))
def test_any_text_has_a_tree(text: str, strategy: cv.Strategy) -> None:
    chunking = strategy.chunk(cv.Document(text, name="any.md", format="markdown"))
    check(tree_of(chunking))
    assert family(chunking).crossing == ()


def test_a_search_and_the_simulator_write_the_same_text() -> None:
    chunking = cv.Hierarchical(chunk_size=60, chunk_overlap=0, parent_chunk_size=400).chunk(load_sample("manual"))
    hits = sorted(Index(chunking).search("What closes the vent?", 5), key=lambda hit: hit.chunk.index)
    assert collect(chunking, [hit.chunk.index for hit in hits]).text == format_hits(hits).text
