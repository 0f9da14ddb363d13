"""chunkviz: see how a document is chunked for retrieval, and why.

    import chunkviz as cv

    document = cv.load("guide.pdf")                       # or cv.Document("text")
    chunking = cv.Recursive(chunk_size=512).chunk(document)
    for chunk in chunking:
        print(chunk.index, chunk.span, chunk.token_count, chunk.headings)

A strategy gives spans of the document and the evidence for each boundary; text, counts, headings
and pages follow from the span. Nothing here needs a network or a key.
"""

from chunkviz.chunk import Chunk, Chunking
from chunkviz.document import Document
from chunkviz.errors import ChunkvizError
from chunkviz.evidence import Evidence
from chunkviz.loaders import load, load_bytes
from chunkviz.segments import split_sentences
from chunkviz.services import Services
from chunkviz.span import Span
from chunkviz.strategies import (
    ClusterSemantic,
    Code,
    ContextualRetrieval,
    FixedSize,
    Hierarchical,
    Markdown,
    Page,
    Recursive,
    Semantic,
    SemanticParentChild,
    SentenceWindow,
    Strategy,
    get_strategy,
    list_strategies,
    strategy_from_config,
)
from chunkviz.threshold_sweep import cuts_for_many
from chunkviz.thresholds import cuts_for
from chunkviz.tokens import Tokenizer, TokenMap, get_tokenizer

__version__ = "0.1.0"

__all__ = [
    "Chunk",
    "Chunking",
    "ChunkvizError",
    "ClusterSemantic",
    "Code",
    "ContextualRetrieval",
    "Document",
    "Evidence",
    "FixedSize",
    "Hierarchical",
    "Markdown",
    "Page",
    "Recursive",
    "Semantic",
    "SemanticParentChild",
    "SentenceWindow",
    "Services",
    "Span",
    "Strategy",
    "TokenMap",
    "Tokenizer",
    "cuts_for",
    "cuts_for_many",
    "get_strategy",
    "get_tokenizer",
    "list_strategies",
    "load",
    "load_bytes",
    "split_sentences",
    "strategy_from_config",
]
