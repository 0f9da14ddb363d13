"""The nearest LlamaIndex code.

Its sentence splitter cuts what is too long into ever finer parts by functions it is given, and then fills chunks with
the parts, whatever their kind. Given headings, paragraphs and lines before sentences, it comes nearer to ours.
"""

from __future__ import annotations

from chunkviz.equivalents.answer import LINE_OF_ITS_OWN, Answer, Question, by_headings, none
from chunkviz.grammars import GRAMMARS
from chunkviz.strategies import Code, FixedSize, Hierarchical, Markdown, Recursive, Semantic, SentenceWindow

_PARSER = "llama_index.core.node_parser"
_DOCUMENT = "from llama_index.core import Document"
_PARTS = (
    "def parts(text):",
    "    headings = [rf'(?m)^(?=#{{{level}}} )' for level in range(1, 7)]",
    "    for pattern in (*headings, r'(?<=\\n\\n)(?=\\S)', r'(?<=\\n)'):  # paragraphs, lines",
    "        found = [each for each in re.split(pattern, text) if each]",
    "        if len(found) > 1:",
    "            return found",
    "    return [text]",
    "", "",
)  # fmt: skip
_SENTENCES = r"[^.!?。！？]+[.!?。！？]*[\"”’)]*\s*|[.!?。！？]+\s*"
_BUILT_IN = f"chunking_tokenizer_fn=parts, secondary_chunking_regex=r'{_SENTENCES}'"


def answer(question: Question) -> Answer:  # noqa: PLR0911  one for each strategy
    """Return the code, or why there is none."""
    encoding = question.encoding
    match question.strategy:
        case FixedSize(chunk_size=size, chunk_overlap=overlap, unit=unit):
            return Answer(
                "It fills chunks with words and does not cut them; ours end wherever the size is used up.",
                (
                    *_counted(unit), f"from {_PARSER} import TokenTextSplitter", "",
                    "splitter = TokenTextSplitter(",
                    f"    chunk_size={size}, chunk_overlap={overlap}, tokenizer={_counter(encoding, unit)}",
                    ")",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive(chunk_size=size, chunk_overlap=overlap, unit=unit, separators=()):
            return Answer(
                "It fills chunks with whatever parts come next, where ours end at the strongest boundary in reach; its "
                "sentences are a pattern.",
                (
                    "import re", *_counted(unit), f"from {_PARSER} import SentenceSplitter", "",
                    *_PARTS, *_sentences(f"chunk_size={size}, chunk_overlap={overlap}", encoding, unit),
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive():
            return Answer("LlamaIndex takes no list of separators for its sentence splitter.")
        case Markdown(chunk_size=size, chunk_overlap=overlap, unit=unit, max_heading_level=level):
            return Answer(
                "It is cut at headings by a pattern, which takes a comment in a fence for one, and does not keep "
                "tables, lists and fences together.",
                (
                    "import re", *_counted(unit), f"from {_PARSER} import SentenceSplitter", "",
                    *_PARTS, *by_headings(level),
                    *_sentences(f"chunk_size={size}, chunk_overlap={overlap}", encoding, unit),
                    "chunks = [chunk for each in sections for chunk in splitter.split_text(each)]",
                ),
            )  # fmt: skip
        case Code(chunk_size=size, unit=unit):
            return _code(question, size, unit)
        case SentenceWindow(window=window):
            return Answer(
                "Its sentences are those of a general model, kept apart at blank lines and at items of lists; the "
                "window goes into metadata.",
                (
                    "import re", _DOCUMENT, f"from {_PARSER} import SentenceWindowNodeParser",
                    f"from {_PARSER}.text.utils import split_by_sentence_tokenizer", "",
                    f"LINES = r'(?<=[。！？])|{LINE_OF_ITS_OWN}'",
                    "inside = split_by_sentence_tokenizer()", "", "",
                    "def sentences(text):",
                    "    return [each for part in re.split(LINES, text) if part.strip() for each in inside(part)]",
                    "", "",
                    "splitter = SentenceWindowNodeParser.from_defaults(",
                    f"    window_size={max(1, window)}, sentence_splitter=sentences",
                    ")",
                    "chunks = [node.text for node in splitter.get_nodes_from_documents([Document(text=text)])]",
                ),
            )  # fmt: skip
        case Hierarchical(chunk_overlap=overlap, unit=unit, sizes=sizes):
            levels = [(size, overlap if size == sizes[-1] else 0) for size in sizes]
            return Answer(
                "It fills each level with whatever parts come next, where ours end at the strongest boundary in reach; "
                "its sentences are a pattern.",
                (
                    "import re", *_counted(unit), _DOCUMENT,
                    f"from {_PARSER} import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes", "",
                    *_PARTS,
                    "parsers = {}",
                    f"for size, overlap in {levels!r}:",
                    *(f"    {line}" for line in _sentences("chunk_size=size, chunk_overlap=overlap", encoding, unit)),
                    "    parsers[f'level {len(parsers)}'] = splitter",
                    "levels = HierarchicalNodeParser.from_defaults(",
                    "    node_parser_ids=list(parsers), node_parser_map=parsers",
                    ")",
                    "nodes = levels.get_nodes_from_documents([Document(text=text)])",
                    "chunks = [node.text for node in get_leaf_nodes(nodes)]",
                ),
            )  # fmt: skip
        case Semantic(threshold=threshold, threshold_mode=mode, window=window):
            given = f" breakpoint_percentile_threshold={100 - threshold:g}," if mode == "percentile" else ""
            more = "" if given else "; its threshold is a percentile, so the usual one is taken"
            least = "" if window else "; it always embeds neighbours together"
            return Answer(
                "It has no least number of sentences and no largest size, and its sentences are a pattern, with "
                f"headings, lists and tables among them{least}{more}.",
                (
                    "import re", _DOCUMENT, f"from {_PARSER} import SemanticSplitterNodeParser",
                    "from llama_index.embeddings.openai import OpenAIEmbedding", "",
                    "def sentences(text):",
                    "    found = re.split(r'(?<=[.!?])\\s+|(?<=[。！？])|\\n\\s*\\n', text)",
                    "    return [each for each in found if each and each.strip()]",
                    "", "",
                    "splitter = SemanticSplitterNodeParser.from_defaults(",
                    f"    buffer_size={max(1, window)},{given} sentence_splitter=sentences,",
                    "    embed_model=OpenAIEmbedding(model='text-embedding-3-small'),",
                    ")",
                    "chunks = [node.text for node in splitter.get_nodes_from_documents([Document(text=text)])]",
                ),
            )  # fmt: skip
        case strategy:
            return none(strategy, "LlamaIndex")


def _code(question: Question, size: int, unit: str) -> Answer:
    grammar = next((each for name, each in GRAMMARS.items() if name == question.language), None)
    if grammar is None:
        return Answer("LlamaIndex parses what it chunks, and it is not known what language this is written in.")
    module = grammar.package
    if unit == "tokens":
        sizes = f"count_mode='token', max_tokens={size}, tokenizer={_counter(question.encoding, unit)}"
    else:
        sizes = f"max_chars={size}"
    return Answer(
        "It fills chunks along the same syntax tree, but parts comments and decorators from what they stand before.",
        (
            *_counted(unit),
            "import tree_sitter", f"import {module}", f"from {_PARSER} import CodeSplitter", "",
            f"parser = tree_sitter.Parser(tree_sitter.Language({module}.{grammar.function}()))",
            "splitter = CodeSplitter(",
            f"    {question.language!r}, parser=parser,",
            f"    {sizes},",
            ")",
            "chunks = splitter.split_text(text)",
        ),
    )  # fmt: skip


def _counted(unit: str) -> tuple[str, ...]:
    return ("import tiktoken",) if unit == "tokens" else ()


def _counter(encoding: str, unit: str) -> str:
    return f"tiktoken.get_encoding({encoding!r}).encode_ordinary" if unit == "tokens" else "list"


def _sentences(sizes: str, encoding: str, unit: str) -> tuple[str, ...]:
    return (
        "splitter = SentenceSplitter(",
        f"    {sizes}, tokenizer={_counter(encoding, unit)},",
        f"    {_BUILT_IN},",
        ")",
    )
