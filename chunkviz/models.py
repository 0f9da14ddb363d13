"""Facts about embedding models that a size can be held against."""

from __future__ import annotations

EMBEDDING_LIMITS: dict[str, int] = {
    "text-embedding-3-small, -large (OpenAI)": 8191,
    "voyage-3.5 (Voyage)": 32_000,
    "embed-v4.0 (Cohere)": 128_000,
    "gemini-embedding-001 (Google)": 2048,
    "bge-m3 (BAAI)": 8192,
    "e5-large-v2 (Microsoft)": 512,
    "all-MiniLM-L6-v2 (Sentence Transformers)": 256,
}
"""Longest text, in the model's own tokens, that each model reads; from the models' documentation pages.

Another model's tokens differ from those counted here by some percent, so the line is a guide.
"""
