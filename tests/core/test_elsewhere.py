"""Chunks and code for other libraries."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given, settings

import chunkviz as cv
from chunkviz.alignment import align
from chunkviz.equivalents import LIBRARIES, measurements, to_langchain_code, to_llamaindex_code
from chunkviz.export_nodes import to_langchain, to_llamaindex
from chunkviz.records import read_records
from chunkviz.samples import list_samples
from tests.core.test_laws import texts


def test_langchain_documents_have_their_shape() -> None:
    chunking = cv.FixedSize(chunk_size=2, chunk_overlap=0).chunk(cv.Document("One two three.", "a.txt", language="en"))
    first = json.loads(to_langchain(chunking).splitlines()[0])
    assert set(first) == {"id", "metadata", "page_content", "type"}
    assert (first["type"], first["page_content"], first["id"]) == ("Document", "One two", chunking[0].id)
    assert first["metadata"] == {
        "index": 0, "document_id": chunking.document.id, "document": "a.txt", "source": "a.txt", "start": 0,
        "start_index": 0, "end": 7, "token_count": 2, "overlap": 0, "headings": [], "metadata": {},
        "begins": "start of document", "ends": "size limit",
    }  # fmt: skip


def test_llamaindex_nodes_have_their_shape_and_hide_all_but_the_context() -> None:
    chunking = cv.Hierarchical(parent_chunk_size=24, chunk_size=8, chunk_overlap=0).chunk(
        "One two three. Four five six."
    )
    nodes = [json.loads(line) for line in to_llamaindex(chunking).splitlines()]
    assert [node["id_"] for node in nodes] == [each.id for each in (*chunking.parents, *chunking)]
    node, chunk = nodes[len(chunking.parents) + 1], chunking[1]
    assert chunk.parent is not None
    assert {name: each["node_id"] for name, each in node["relationships"].items()} == {
        "1": chunking.document.id, "2": chunking[0].id, "3": chunking[2].id, "4": chunk.parent.id,
    }  # fmt: skip
    assert [each["node_type"] for each in node["relationships"].values()] == ["4", "1", "1", "1"]
    assert (node["text"], node["start_char_idx"], node["end_char_idx"]) == (chunk.text, chunk.start, chunk.end)
    assert node["class_name"] == "TextNode"
    assert set(node["excluded_embed_metadata_keys"]) == set(node["metadata"])


def test_llamaindex_parents_name_their_children_and_their_place() -> None:
    chunking = cv.Hierarchical(parent_chunk_size=64, chunk_size=16, chunk_overlap=0, max_levels=3).chunk(
        cv.Document("# Tides\n\nOne two three. Four five six. Seven eight nine. Ten eleven twelve.", name="tides.md")
    )
    nodes = {node["id_"]: node for node in map(json.loads, to_llamaindex(chunking).splitlines())}
    below: dict[str, list[str]] = {}
    for each in (*chunking.parents, *chunking):
        if each.parent is not None:
            below.setdefault(each.parent.id, []).append(each.id)
    assert below
    for identifier, node in nodes.items():
        named = [each["node_id"] for each in node["relationships"].get("5", [])]
        assert named == below.get(identifier, []), "leaves have none, so that they are told from parents"
    parent = nodes[chunking.parents[0].id]
    assert parent["metadata"]["document"] == "tides.md"
    assert parent["metadata"]["headings"] == list(chunking.parents[0].headings)


@settings(max_examples=60, deadline=None)
@given(texts)
def test_both_come_back_to_the_same_spans(text: str) -> None:
    document = cv.Document(cv.document.without_surrogates(text), "a.txt", language="en")
    chunking = cv.FixedSize(chunk_size=12, chunk_overlap=3).chunk(document)
    if not chunking.chunks:
        return
    for data in (to_langchain(chunking), to_llamaindex(chunking)):
        back = align(document, read_records(data, "own")).chunking
        assert [chunk.span for chunk in back] == [chunk.span for chunk in chunking]


@pytest.mark.parametrize("name", cv.list_strategies())
@pytest.mark.parametrize("file", ["guide.md", 'it\'s "x".py'])
def test_every_strategy_has_code_that_parses_or_a_reason(name: str, file: str) -> None:
    chunking = cv.get_strategy(name).chunk(cv.Document("One two. Three four.", file, language="en"))
    for found in (to_langchain_code(chunking), to_llamaindex_code(chunking)):
        assert found.why.endswith(".")
        assert (found.code is None) == (found.equivalence == "none")
        if found.code is not None:
            tree = ast.parse(found.code)
            assert "chunks" in {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
            assert all(len(line) <= 120 for line in found.code.splitlines())


def test_the_code_of_a_strategy_is_what_one_would_write() -> None:
    chunking = cv.Recursive(chunk_size=64, chunk_overlap=8, unit="characters").chunk(cv.Document("One.", "a.md"))
    assert to_langchain_code(chunking).code == (
        "from pathlib import Path\n\n"
        "from langchain_text_splitters import RecursiveCharacterTextSplitter\n\n"
        "text = Path('a.md').read_text(encoding='utf-8')\n"
        "separators = [\n"
        '    *(rf"\\n(?=#{{{level}}} )" for level in range(1, 7)), r"\\n\\s*\\n", r"\\n",'
        "  # headings, paragraphs, lines\n"
        "    r'(?<=[.!?])(?=\\s)|(?<=[.!?][\\\"”’)])(?=\\s)|(?<=[。！？])', r'(?=\\s)', '',"
        "  # sentences, words, characters\n"
        "]\n"
        "splitter = RecursiveCharacterTextSplitter(\n"
        "    chunk_size=64, chunk_overlap=8,\n"
        "    separators=separators, is_separator_regex=True, keep_separator='end',\n"
        ")\n"
        "chunks = splitter.split_text(text)\n"
    )


def test_what_was_measured_tells_when_and_with_what() -> None:
    found = measurements()
    assert len(found.date) == 10
    assert {"chunkviz", "langchain-text-splitters", "llama-index-core"} <= found.versions.keys()
    samples = {each.id for each in list_samples()}
    for each in found.entries:
        assert each.library in LIBRARIES
        assert each.sample in samples
        cv.get_strategy(each.strategy, **each.parameters)
        assert each.f1 is None or 0 <= each.f1 <= 1
        assert each.pk is None or 0 <= each.pk <= 1
        assert each.package in found.versions


def test_every_code_was_measured() -> None:
    known = {(each.library, each.strategy) for each in measurements().entries}
    for name in cv.list_strategies():
        chunking = cv.get_strategy(name).chunk(cv.Document("import os\n", "a.py"))
        for found in (to_langchain_code(chunking), to_llamaindex_code(chunking)):
            assert found.code is None or (found.library, name) in known
