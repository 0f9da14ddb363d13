"""The nearest LangChain and LlamaIndex code for a strategy, how near it is, and how far the results were seen to agree.

No two libraries cut alike: "near" code follows the same idea, and cuts elsewhere. How much elsewhere was
measured by running this code on the bundled samples (``benchmarks/equivalents.py``), and is kept beside this
file with date and versions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from chunkviz.alignment import OwnChunks
from chunkviz.strategies import Code, FixedSize, Hierarchical, Markdown, Recursive, Semantic, SentenceWindow

if TYPE_CHECKING:
    from chunkviz.chunk import Chunking
    from chunkviz.strategies import Strategy

Library: TypeAlias = Literal["langchain", "llamaindex"]
LIBRARIES: tuple[Library, ...] = ("langchain", "llamaindex")
_MEASURED = Path(__file__).with_suffix(".json")
_LANGUAGES = {
    ".py": "python", ".js": "js", ".ts": "ts", ".go": "go", ".java": "java", ".rs": "rust", ".rb": "ruby",
    ".php": "php", ".c": "c", ".cpp": "cpp", ".cs": "csharp", ".html": "html",
}  # fmt: skip


class Measured(NamedTuple):
    """How far boundaries of the exported code agreed with ours on one bundled sample."""

    library: Library
    strategy: str
    parameters: dict[str, Any]
    sample: str
    f1: float | None
    """Boundary F1 without tolerance, white space aside."""
    pk: float | None
    """Pk over characters, ours as the reference."""
    unplaced: int
    """Chunks of the library whose text is not in the document."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Code for another library, or the reason why there is none."""

    library: Library
    equivalence: Literal["near", "none"]
    why: str
    """What differs, or why there is none; one sentence."""
    code: str | None
    """Python that leaves the texts of the chunks in ``chunks``; None where there is none."""
    measured: tuple[Measured, ...]
    """What was measured of the strategy with the parameters named there; empty where nothing was."""


class _Answer(NamedTuple):
    why: str
    lines: tuple[str, ...] = ()


def to_langchain_code(chunking: Chunking) -> Equivalent:
    """Return the nearest LangChain code for the chunking's strategy and document."""
    return _equivalent("langchain", chunking, _langchain)


def to_llamaindex_code(chunking: Chunking) -> Equivalent:
    """Return the nearest LlamaIndex code for the chunking's strategy and document."""
    return _equivalent("llamaindex", chunking, _llamaindex)


def _equivalent(library: Library, chunking: Chunking, find: Callable[[Strategy, str, str], _Answer]) -> Equivalent:
    name = chunking.document.name or "document.txt"
    answer = find(chunking.strategy, chunking.tokens.tokenizer.name, PurePath(name).suffix.lower())
    if not answer.lines:
        return Equivalent(library, "none", answer.why, None, ())
    head = ["from pathlib import Path", "", f"text = Path({name!r}).read_text(encoding='utf-8')"]
    code = "\n".join([*head, *answer.lines]) + "\n"
    found = tuple(
        each for each in measurements().entries if (each.library, each.strategy) == (library, chunking.strategy.name)
    )
    return Equivalent(library, "near", answer.why, code, found)


def _langchain(strategy: Strategy, encoding: str, suffix: str) -> _Answer:  # noqa: PLR0911  one for each strategy
    match strategy:
        case FixedSize(chunk_size=size, chunk_overlap=overlap, unit="tokens"):
            return _Answer(
                "Its windows are tokens of the whole text; ours are trimmed and end between whole characters.",
                (
                    "from langchain_text_splitters import TokenTextSplitter", "",
                    f"splitter = TokenTextSplitter({encoding!r}, chunk_size={size}, chunk_overlap={overlap})",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case FixedSize(chunk_size=size, chunk_overlap=overlap):
            return _Answer(
                "Its windows count code points, and cut joined characters apart.",
                (
                    "from langchain_text_splitters import CharacterTextSplitter", "",
                    f"splitter = CharacterTextSplitter(separator='', chunk_size={size}, chunk_overlap={overlap})",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive(chunk_size=size, chunk_overlap=overlap, unit=unit, separators=separators, is_regex=is_regex):
            own = f", separators={[*separators, '']!r}, is_separator_regex={is_regex}" if separators else ""
            return _Answer(
                "It splits at blank lines, lines and spaces, and knows no headings or sentences.",
                (
                    "from langchain_text_splitters import RecursiveCharacterTextSplitter", "",
                    _recursive_langchain("splitter", encoding, unit, size, overlap, own),
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Markdown(chunk_size=size, chunk_overlap=overlap, unit=unit, max_heading_level=level):
            signs = [("#" * depth, f"h{depth}") for depth in range(1, level + 1)]
            return _Answer(
                "It cuts at every heading of these levels and writes the lines anew; small sections stay alone.",
                (
                    "from langchain_text_splitters import MarkdownHeaderTextSplitter",
                    "from langchain_text_splitters import RecursiveCharacterTextSplitter", "",
                    f"sections = MarkdownHeaderTextSplitter({signs!r}, strip_headers=False).split_text(text)",
                    _recursive_langchain("splitter", encoding, unit, size, overlap),
                    "chunks = [each.page_content for each in splitter.split_documents(sections)]",
                ),
            )  # fmt: skip
        case Code(chunk_size=size, unit=unit):
            language = _LANGUAGES.get(suffix)
            if language is None:
                return _Answer("LangChain has no separators for the language of this file's ending.")
            counted = "len(encoding.encode(each))" if unit == "tokens" else "len(each)"
            return _Answer(
                "It looks for words that begin functions and classes, and does not parse.",
                (
                    "import tiktoken",
                    "from langchain_text_splitters import Language, RecursiveCharacterTextSplitter", "",
                    f"encoding = tiktoken.get_encoding({encoding!r})",
                    "splitter = RecursiveCharacterTextSplitter.from_language(",
                    f"    Language({language!r}), chunk_size={size}, chunk_overlap=0,",
                    f"    length_function=lambda each: {counted},",
                    ")",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Hierarchical(chunk_overlap=overlap, unit=unit):
            sizes = strategy.sizes
            lines = ["from langchain_text_splitters import RecursiveCharacterTextSplitter", "", "chunks = [text]"]
            for size in sizes:
                lines.append(
                    _recursive_langchain("splitter", encoding, unit, size, overlap if size == sizes[-1] else 0)
                )
                lines.append("chunks = [each for chunk in chunks for each in splitter.split_text(chunk)]")
            return _Answer("The same splitter a size at a time, without headings; parents are not kept.", tuple(lines))
        case Semantic():
            return _Answer(
                "Its threshold is a percentile of distances of three sentences at a time, and it has no largest size.",
                (
                    "from langchain_experimental.text_splitter import SemanticChunker",
                    "from langchain_openai import OpenAIEmbeddings", "",
                    "splitter = SemanticChunker(OpenAIEmbeddings(model='text-embedding-3-small'))",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case _:
            return _none(strategy, "LangChain")


def _recursive_langchain(name: str, encoding: str, unit: str, size: int, overlap: int, more: str = "") -> str:
    sizes = f"chunk_size={size}, chunk_overlap={overlap}{more}"
    if unit == "tokens":
        made = f"RecursiveCharacterTextSplitter.from_tiktoken_encoder(\n    encoding_name={encoding!r}, {sizes}\n)"
    else:
        made = f"RecursiveCharacterTextSplitter({sizes})"
    return f"{name} = {made}"


def _llamaindex(strategy: Strategy, encoding: str, suffix: str) -> _Answer:  # noqa: PLR0911  one for each strategy
    del suffix
    parser = "llama_index.core.node_parser"
    match strategy:
        case FixedSize(chunk_size=size, chunk_overlap=overlap, unit=unit):
            return _Answer(
                "It fills chunks with words and does not cut them; ours end wherever the size is used up.",
                (
                    *_counted(unit), f"from {parser} import TokenTextSplitter", "",
                    "splitter = TokenTextSplitter(",
                    f"    chunk_size={size}, chunk_overlap={overlap}, tokenizer={_counter(encoding, unit)}",
                    ")",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive(separators=()) as recursive:
            return _Answer(
                "It fills chunks with whole sentences, and knows no headings.",
                (
                    *_counted(recursive.unit), f"from {parser} import SentenceSplitter", "",
                    _sentences_llamaindex(encoding, recursive.unit, recursive.chunk_size, recursive.chunk_overlap),
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive():
            return _Answer("LlamaIndex takes no list of separators for its sentence splitter.")
        case Markdown(chunk_size=size, chunk_overlap=overlap, unit=unit):
            return _Answer(
                "It cuts at every heading of any level; small sections stay alone.",
                (
                    *_counted(unit),
                    "from llama_index.core import Document",
                    f"from {parser} import MarkdownNodeParser, SentenceSplitter", "",
                    "sections = MarkdownNodeParser().get_nodes_from_documents([Document(text=text)])",
                    _sentences_llamaindex(encoding, unit, size, overlap),
                    "chunks = [chunk for each in sections for chunk in splitter.split_text(each.text)]",
                ),
            )  # fmt: skip
        case SentenceWindow(window=window):
            return _Answer(
                "It has other rules for where a sentence ends; the window goes into metadata, as ours does.",
                (
                    "from llama_index.core import Document",
                    f"from {parser} import SentenceWindowNodeParser", "",
                    f"splitter = SentenceWindowNodeParser.from_defaults(window_size={window})",
                    "chunks = [node.text for node in splitter.get_nodes_from_documents([Document(text=text)])]",
                ),
            )  # fmt: skip
        case Hierarchical(unit="tokens") if encoding == "cl100k_base":
            return _Answer(
                "It fills each level with whole sentences, and knows no headings.",
                (
                    "from llama_index.core import Document",
                    f"from {parser} import HierarchicalNodeParser, get_leaf_nodes", "",
                    "splitter = HierarchicalNodeParser.from_defaults(",
                    f"    chunk_sizes={list(strategy.sizes)!r}, chunk_overlap={strategy.chunk_overlap}",
                    ")",
                    "nodes = splitter.get_nodes_from_documents([Document(text=text)])",
                    "chunks = [node.text for node in get_leaf_nodes(nodes)]",
                ),
            )  # fmt: skip
        case Hierarchical():
            return _Answer("LlamaIndex counts the sizes of its levels in tokens of its own tokenizer only.")
        case Semantic():
            return _Answer(
                "Its threshold is a percentile of distances, and it has no largest size.",
                (
                    "from llama_index.core import Document",
                    f"from {parser} import SemanticSplitterNodeParser",
                    "from llama_index.embeddings.openai import OpenAIEmbedding", "",
                    "splitter = SemanticSplitterNodeParser.from_defaults(",
                    "    embed_model=OpenAIEmbedding(model='text-embedding-3-small')",
                    ")",
                    "chunks = [node.text for node in splitter.get_nodes_from_documents([Document(text=text)])]",
                ),
            )  # fmt: skip
        case _:
            return _none(strategy, "LlamaIndex")


def _counted(unit: str) -> tuple[str, ...]:
    return ("import tiktoken",) if unit == "tokens" else ()


def _counter(encoding: str, unit: str) -> str:
    return f"tiktoken.get_encoding({encoding!r}).encode" if unit == "tokens" else "list"


def _sentences_llamaindex(encoding: str, unit: str, size: int, overlap: int) -> str:
    return (
        f"splitter = SentenceSplitter(chunk_size={size}, chunk_overlap={overlap}, tokenizer={_counter(encoding, unit)})"
    )


def _none(strategy: Strategy, library: str) -> _Answer:
    if isinstance(strategy, OwnChunks):
        return _Answer("These chunks were made elsewhere; nothing here knows how.")
    return _Answer(f"{library} has nothing that cuts as {strategy.about.title.lower()} does.")


class Measurements(NamedTuple):
    """All that was measured, when and with which versions."""

    date: str
    versions: dict[str, str]
    entries: tuple[Measured, ...]


@lru_cache(maxsize=1)
def measurements() -> Measurements:
    """Return what ``benchmarks/equivalents.py`` measured when it was last run."""
    data = json.loads(_MEASURED.read_text(encoding="utf-8"))
    return Measurements(data["date"], data["versions"], tuple(Measured(**each) for each in data["entries"]))
