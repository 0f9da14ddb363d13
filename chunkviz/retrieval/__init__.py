"""Which chunks a question finds.

    from chunkviz.retrieval import Index, format_hits

    index = Index([cv.Recursive().chunk(document)])       # one chunking a document, any number of documents
    hits = index.search("How is the vent closed?", k=5)   # chunk, score, source, rank, parent
    print(format_hits(hits).text)                         # what a model would be given

Lexical by default (BM25), which needs no model; dense with any embedder, or both.
"""

from chunkviz.retrieval.hits import Hit, ModelInput, Passage, collect, format_hits
from chunkviz.retrieval.index import Index
from chunkviz.retrieval.matches import Matches, find_matches
from chunkviz.retrieval.rankings import RANKINGS, Ranking
from chunkviz.retrieval.terms import split_terms

__all__ = [
    "RANKINGS",
    "Hit",
    "Index",
    "Matches",
    "ModelInput",
    "Passage",
    "Ranking",
    "collect",
    "find_matches",
    "format_hits",
    "split_terms",
]
