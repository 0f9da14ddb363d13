"""The nearest LangChain code.

The recursive splitter of LangChain cuts by the first separator that occurs, and what is still too long by the next
one. Given headings and ends of sentences, and white space kept with what it follows, it comes near to ours.
"""

from __future__ import annotations

from chunkviz.equivalents.answer import SENTENCE_END, Answer, Question, by_headings, none
from chunkviz.strategies import Code, FixedSize, Hierarchical, Markdown, Recursive, Semantic
from chunkviz.thresholds import ThresholdMode

_LANGUAGES = {
    ".py": "python", ".js": "js", ".ts": "ts", ".go": "go", ".java": "java", ".rs": "rust", ".rb": "ruby",
    ".php": "php", ".c": "c", ".cpp": "cpp", ".cs": "csharp", ".html": "html",
}  # fmt: skip
_SPLITTER = "from langchain_text_splitters import RecursiveCharacterTextSplitter"
_SEPARATORS = (
    "separators = [",
    '    *(rf"\\n(?=#{{{level}}} )" for level in range(1, 7)), r"\\n\\s*\\n", r"\\n",  # headings, paragraphs, lines',
    f"    r'{SENTENCE_END}', r'(?=\\s)', '',  # sentences, words, characters",
    "]",
)
_BUILT_IN = "separators=separators, is_separator_regex=True, keep_separator='end'"


def answer(question: Question) -> Answer:  # noqa: PLR0911  one for each strategy
    """Return the code, or why there is none."""
    encoding = question.encoding
    match question.strategy:
        case FixedSize(chunk_size=size, chunk_overlap=overlap, unit="tokens"):
            return Answer(
                "Its windows are tokens of the whole text; ours are trimmed and counted anew, so one edge that falls "
                "elsewhere moves all behind it.",
                (
                    "from langchain_text_splitters import TokenTextSplitter", "",
                    "splitter = TokenTextSplitter(",
                    f"    {encoding!r}, chunk_size={size}, chunk_overlap={overlap}, disallowed_special=()",
                    ")",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case FixedSize(chunk_size=size, chunk_overlap=overlap):
            return Answer(
                "Its windows count white space at their edges, so they end earlier, and cut joined characters apart.",
                (
                    "from langchain_text_splitters import CharacterTextSplitter", "",
                    f"splitter = CharacterTextSplitter(separator='', chunk_size={size}, chunk_overlap={overlap})",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive(chunk_size=size, chunk_overlap=overlap, unit=unit, separators=()):
            return Answer(
                "It cuts by one kind of separator at a time, and what was cut finer is not joined with what follows; "
                "its sentences are a pattern.",
                (
                    _SPLITTER, "", *_SEPARATORS,
                    *_recursive(encoding, unit, f"chunk_size={size}, chunk_overlap={overlap}", _BUILT_IN),
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Recursive(chunk_size=size, chunk_overlap=overlap, unit=unit, separators=own, is_regex=is_regex):
            at_end = not any(each[:1] in "\r\n" and each.strip() for each in own)
            keep = "keep_separator='end'" if at_end else "keep_separator='start'"
            return Answer(
                "It cuts by one separator at a time, and what was cut finer is not joined with what follows.",
                (
                    _SPLITTER, "",
                    f"separators = {[*own, '']!r}",
                    *_recursive(
                        encoding, unit, f"chunk_size={size}, chunk_overlap={overlap}",
                        f"separators=separators, is_separator_regex={is_regex}, {keep}",
                    ),
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Markdown(chunk_size=size, chunk_overlap=overlap, unit=unit, max_heading_level=level):
            return Answer(
                "It is cut at headings by a pattern, which takes a comment in a fence for one, and does not keep "
                "tables, lists and fences together.",
                (
                    "import re", _SPLITTER, "",
                    *by_headings(level), *_SEPARATORS,
                    *_recursive(encoding, unit, f"chunk_size={size}, chunk_overlap={overlap}", _BUILT_IN),
                    "chunks = [chunk for each in sections for chunk in splitter.split_text(each)]",
                ),
            )  # fmt: skip
        case Code(chunk_size=size, unit=unit):
            language = _LANGUAGES.get(question.suffix)
            if language is None:
                return Answer("LangChain has no separators for the language of this file's ending.")
            counted = "len(encoding.encode_ordinary(each))" if unit == "tokens" else "len(each)"
            imports = ("import tiktoken",) if unit == "tokens" else ()
            loaded = (f"encoding = tiktoken.get_encoding({encoding!r})",) if unit == "tokens" else ()
            return Answer(
                "It looks for words that begin functions and classes, and does not parse.",
                (
                    *imports,
                    "from langchain_text_splitters import Language, RecursiveCharacterTextSplitter", "",
                    *loaded,
                    "splitter = RecursiveCharacterTextSplitter.from_language(",
                    f"    Language({language!r}), chunk_size={size}, chunk_overlap=0,",
                    f"    length_function=lambda each: {counted},",
                    ")",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case Hierarchical(chunk_overlap=overlap, unit=unit, sizes=sizes):
            return Answer(
                "The same splitter a size at a time, which cuts by one kind of separator at a time; parents are not "
                "kept.",
                (
                    _SPLITTER, "", *_SEPARATORS,
                    "chunks = [text]",
                    f"for size, overlap in {[(size, overlap if size == sizes[-1] else 0) for size in sizes]!r}:",
                    *(f"    {line}" for line in _recursive(
                        encoding, unit, "chunk_size=size, chunk_overlap=overlap", _BUILT_IN
                    )),
                    "    chunks = [each for chunk in chunks for each in splitter.split_text(chunk)]",
                ),
            )  # fmt: skip
        case Semantic(threshold=threshold, threshold_mode=mode, window=window):
            given = _threshold(mode, threshold)
            more = "" if given else "; a threshold of this mode cannot be given, so the usual one is taken"
            return Answer(
                "It has no least number of sentences and no largest size; its sentences are a pattern, headings, lists "
                f"and tables among them, and joined by a space{more}.",
                (
                    "from langchain_experimental.text_splitter import SemanticChunker",
                    "from langchain_openai import OpenAIEmbeddings", "",
                    "splitter = SemanticChunker(",
                    f"    OpenAIEmbeddings(model='text-embedding-3-small'), buffer_size={window},{given}",
                    "    sentence_split_regex=r'(?<=[.!?])\\s+|(?<=[。！？])|\\n\\s*\\n',",
                    ")",
                    "chunks = splitter.split_text(text)",
                ),
            )  # fmt: skip
        case strategy:
            return none(strategy, "LangChain")


def _threshold(mode: ThresholdMode, threshold: float) -> str:
    """Return how the same threshold is given to distances, which grow where similarities fall; "" where it cannot."""
    match mode:
        case "percentile" | "gradient":
            return f"\n    breakpoint_threshold_type={mode!r}, breakpoint_threshold_amount={100 - threshold:g},"
        case "standard_deviation" | "interquartile":
            return f"\n    breakpoint_threshold_type={mode!r}, breakpoint_threshold_amount={threshold:g},"
        case "target_count":
            return f"\n    number_of_chunks={threshold:g},"
        case _:
            return ""


def _recursive(encoding: str, unit: str, sizes: str, more: str) -> tuple[str, ...]:
    if unit == "tokens":
        head = f"    encoding_name={encoding!r}, disallowed_special=(), {sizes},"
        return ("splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(", head, f"    {more},", ")")
    return ("splitter = RecursiveCharacterTextSplitter(", f"    {sizes},", f"    {more},", ")")
