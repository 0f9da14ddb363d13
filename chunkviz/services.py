"""What a strategy may use besides the document: passed in, never part of its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

from chunkviz.tokens import Tokenizer, get_tokenizer


@dataclass(frozen=True, slots=True)
class Services:
    """The services of one chunking; each has an offline default."""

    tokenizer: Tokenizer = field(default_factory=get_tokenizer)
    """Counts tokens; ``cl100k_base`` unless told otherwise."""
