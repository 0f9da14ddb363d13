"""What services charge, and what work would cost before it is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, in and out; embedding models give no tokens out."""

    tokens_in: float
    tokens_out: float = 0.0


# List prices for ordinary (not batch, not cached) use, as of November 2026. Source: the models' pages at
# developers.openai.com/api/docs/models for text-embedding-3; lists that cite developers.openai.com/api/docs/pricing
# for OpenAI's others; Google's announcement of gemini-embedding-001; lists of Cohere's prices for embed-v4.0.
PRICES: dict[str, Price] = {
    "text-embedding-3-small": Price(0.02),
    "text-embedding-3-large": Price(0.13),
    "text-embedding-ada-002": Price(0.10),
    "embed-v4.0": Price(0.12),
    "gemini-embedding-001": Price(0.15),
    "gpt-4o-mini": Price(0.15, 0.60),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1": Price(2.00, 8.00),
}
"""Prices by model; prices change and agreements differ, so the table may be edited."""


def price_of(model: str, prices: Mapping[str, Price] | None = None) -> Price | None:
    """Return the price of ``model`` in ``prices`` (``PRICES`` where None), or None where it is not known.

    A dated snapshot ("gpt-4o-mini-2024-07-18") costs what its model costs, unless it is listed.
    """
    table = PRICES if prices is None else prices
    return table.get(model) or table.get(_SNAPSHOT.sub("", model))


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some work would cost if it were sent now: an estimate, counted here, before any call."""

    calls: int
    """Requests to the service; retries are not foreseen."""
    tokens_in: int
    """Tokens sent, counted with ``cl100k_base``; another model's own count differs by some percent."""
    tokens_out: int = 0
    """Tokens assumed to come back; 0 for embeddings."""
    dollars: float | None = None
    """US dollars, or None where the price of the model is not known."""

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.tokens_in + self.tokens_out

    def __str__(self) -> str:
        """One line for people, which says that it is an estimate."""
        out = f" and {_counted(self.tokens_out, 'token')} out" if self.tokens_out else ""
        if self.dollars is None:
            money = "price not known"
        elif 0 < self.dollars < 0.01:  # noqa: PLR2004  a cent
            money = "less than $0.01"
        else:
            money = f"about ${self.dollars:,.2f}"
        return f"Estimate: {_counted(self.calls, 'call')}, {_counted(self.tokens_in, 'token')} in{out}, {money}."


def estimate_cost(
    model: str, calls: int, tokens_in: int, tokens_out: int = 0, prices: Mapping[str, Price] | None = None
) -> Estimate:
    """Return the estimate for these counts at the price of ``model``."""
    price = price_of(model, prices)
    dollars = None
    if price is not None:
        dollars = (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / 1_000_000
    return Estimate(calls, tokens_in, tokens_out, dollars)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"
