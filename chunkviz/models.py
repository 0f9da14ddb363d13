"""Facts about embedding models that a chunking can be held against."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """What a model reads and gives, from its documentation."""

    name: str
    maker: str
    limit: int
    """Longest text it reads, in its own tokens."""
    dimensions: int
    """Numbers in a vector, unless another size is asked for."""
    encoding: str | None = None
    """The encoding it counts in, where that is one of ``vocabulary.ENCODINGS``; None makes any count an estimate."""
    refuses: bool = False
    """Whether a longer text is an error of the service; others read its beginning and say nothing."""

    @property
    def label(self) -> str:
        """Name and maker, as the screen and links have them."""
        return f"{self.name} ({self.maker})"


# Limits and dimensions are from the models' documentation: platform.openai.com/docs/guides/embeddings,
# docs.voyageai.com/docs/embeddings, docs.cohere.com/docs/models, ai.google.dev/gemini-api/docs/embeddings, and the
# model cards of bge-m3, e5-large-v2 and all-MiniLM-L6-v2.
EMBEDDING_MODELS: tuple[EmbeddingModel, ...] = (
    EmbeddingModel("text-embedding-3-small", "OpenAI", 8191, 1536, "cl100k_base", refuses=True),
    EmbeddingModel("text-embedding-3-large", "OpenAI", 8191, 3072, "cl100k_base", refuses=True),
    EmbeddingModel("text-embedding-ada-002", "OpenAI", 8191, 1536, "cl100k_base", refuses=True),
    EmbeddingModel("voyage-3.5", "Voyage", 32_000, 1024),
    EmbeddingModel("embed-v4.0", "Cohere", 128_000, 1536),
    EmbeddingModel("gemini-embedding-001", "Google", 2048, 3072),
    EmbeddingModel("bge-m3", "BAAI", 8192, 1024),
    EmbeddingModel("e5-large-v2", "Microsoft", 512, 1024),
    EmbeddingModel("all-MiniLM-L6-v2", "Sentence Transformers", 256, 384),
)
"""The models a page offers, services first."""

EMBEDDING_LIMITS: dict[str, int] = {model.label: model.limit for model in EMBEDDING_MODELS}
"""Longest text, in the model's own tokens, that each model reads, by its label.

Another model's tokens differ from those counted here by some percent, so the line is a guide.
"""
