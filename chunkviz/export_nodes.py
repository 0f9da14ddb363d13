"""Chunks as the objects of other libraries: LangChain's ``Document`` and LlamaIndex's ``TextNode``, as JSON Lines.

Read back with ``Document.model_validate_json(line)`` and ``TextNode.from_json(line)``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from chunkviz.chunk import Chunk, Chunking
from chunkviz.document import without_surrogates
from chunkviz.export import rows

_NOT_METADATA = frozenset({"text", "id"})
_SOURCE, _PREVIOUS, _NEXT, _PARENT, _CHILDREN = "1", "2", "3", "4", "5"
"""LlamaIndex's names of relationships."""
_TEXT, _DOCUMENT = "1", "4"
"""LlamaIndex's names of what a relationship leads to."""


def to_langchain(chunking: Chunking) -> bytes:
    """Return one LangChain ``Document`` a line, UTF-8; a lone surrogate becomes U+FFFD.

    All columns of the other exports are metadata, ``start_index`` as LangChain's splitters write it; context, too.
    """
    return _lines(
        {
            "id": row["id"],
            "metadata": {**_metadata(row), "source": row["document"], "start_index": row["start"]},
            "page_content": row["text"],
            "type": "Document",
        }
        for row in rows(chunking)
    )


def to_llamaindex(chunking: Chunking) -> bytes:
    """Return one LlamaIndex ``TextNode`` a line, UTF-8, parents first; a lone surrogate becomes U+FFFD.

    Of the metadata only the context is embedded and shown to a model.
    """
    children: dict[str, list[str]] = {}
    for chunk in (*chunking.parents, *chunking):
        if chunk.parent is not None:
            children.setdefault(chunk.parent.id, []).append(chunk.id)
    parents = [_node(parent, _about(parent), children=children.get(parent.id, ())) for parent in chunking.parents]
    ids = [None, *(chunk.id for chunk in chunking), None]
    nodes = [
        _node(chunk, _metadata(row), before=before, behind=behind)
        for chunk, row, before, behind in zip(chunking, rows(chunking), ids[:-2], ids[2:], strict=True)
    ]
    return _lines([*parents, *nodes])


def _about(parent: Chunk) -> dict[str, Any]:
    """Return the metadata of a parent: what still names its place when it is returned for its children."""
    facts = {
        "level": parent.level, "index": parent.index, "document": parent.document.name,
        "headings": list(parent.headings), "page": parent.page,
    }  # fmt: skip
    return {name: value for name, value in facts.items() if value is not None}


def _node(
    chunk: Chunk,
    metadata: dict[str, Any],
    *,
    before: str | None = None,
    behind: str | None = None,
    children: Sequence[str] = (),
) -> dict[str, Any]:
    hidden = sorted(metadata.keys() - {"context"})
    related = {_PREVIOUS: before, _NEXT: behind, _PARENT: chunk.parent.id if chunk.parent else None}
    return {
        "id_": chunk.id,
        "embedding": None,
        "metadata": metadata,
        "excluded_embed_metadata_keys": hidden,
        "excluded_llm_metadata_keys": hidden,
        "relationships": {
            _SOURCE: _relation(chunk.document_id, _DOCUMENT),
            **{name: _relation(identifier, _TEXT) for name, identifier in related.items() if identifier},
            **({_CHILDREN: [_relation(identifier, _TEXT) for identifier in children]} if children else {}),
        },
        "metadata_template": "{value}",
        "metadata_separator": "\n",
        "text": chunk.text,
        "mimetype": "text/plain",
        "start_char_idx": chunk.start,
        "end_char_idx": chunk.end,
        "text_template": "{metadata_str}\n\n{content}",
        "class_name": "TextNode",
    }


def _relation(identifier: str, kind: str) -> dict[str, Any]:
    return {"node_id": identifier, "node_type": kind, "metadata": {}, "hash": None, "class_name": "RelatedNodeInfo"}


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in _NOT_METADATA and value is not None}


def _lines(entries: Iterable[dict[str, Any]]) -> bytes:
    lines = []
    for entry in entries:
        line = without_surrogates(json.dumps(entry, ensure_ascii=False, default=str))
        # A character that some readers take for a line end is written in escapes.
        lines.append(line if len(line.splitlines()) == 1 else json.dumps(json.loads(line)))
    return "".join(f"{line}\n" for line in lines).encode()
