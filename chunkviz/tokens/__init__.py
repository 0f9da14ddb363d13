"""Tokens: encode a document once, then count any slice of it exactly.

A vocabulary of tiktoken's kind first cuts text by a left-to-right pattern into pieces and never
merges across them. Where a letter or digit is followed by white space or punctuation a piece ends,
whatever came before, and in newer vocabularies so it does at the end of a line. Call such a place
*settled*. Between two settled places the tokens of a slice are those of the whole document, so a
slice is counted by two binary searches over the token starts plus the few characters at either
edge, which are tokenized again. A slice with no settled place in it is tokenized whole.
"""

from chunkviz.tokens.encoding import BLOCK, Encoding, blocks_of, encode_in_blocks
from chunkviz.tokens.token_map import RunEdges, TokenMap
from chunkviz.tokens.tokenizer import (
    DEFAULT_ENCODING,
    SETTLED,
    SETTLED_AT_LINES,
    BlockTokenizer,
    SettledTokenizer,
    Tokenizer,
    get_tokenizer,
)

__all__ = [
    "BLOCK",
    "DEFAULT_ENCODING",
    "SETTLED",
    "SETTLED_AT_LINES",
    "BlockTokenizer",
    "Encoding",
    "RunEdges",
    "SettledTokenizer",
    "TokenMap",
    "Tokenizer",
    "blocks_of",
    "encode_in_blocks",
    "get_tokenizer",
]
