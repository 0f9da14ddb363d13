"""What was measured, with all that a number needs beside it: questions, k, ranking, embedder, interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkviz.errors import ParameterError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OWN = ("recall", "precision", "iou", "precision_omega")
DRAWS, CONFIDENCE, SEED = 2000, 0.95, 0
FEW_QUESTIONS = 20
"""Below so many, a percentile bootstrap is too narrow: Hesterberg, "What Teachers Should Know About the Bootstrap", The
American Statistician 69 (2015)."""
_AT_ONCE = 1 << 20
"""Numbers drawn at once."""


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """The measures of one question, each 0 to 1."""

    question: str
    recall: float
    precision: float
    iou: float
    precision_omega: float
    recall_at: tuple[float, ...]
    """One for each budget."""
    retrieved_tokens: int
    """Of the passages that k hits bring."""
    retrieved_characters: int
    hits: int
    """At most k; fewer where a lexical search finds fewer."""
    whole: int
    """References that one chunk holds whole."""
    split: int
    lost: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its bootstrap interval; one question has none, so low and high are NaN there."""

    mean: float
    low: float
    high: float
    questions: int
    confidence: float = CONFIDENCE
    draws: int = DRAWS

    @property
    def known(self) -> bool:
        """Whether there are questions enough for an interval: two."""
        return not math.isnan(self.low)


@dataclass(frozen=True, slots=True)
class Difference(Interval):
    """How much higher one setting's mean is than another's on the same questions, paired."""

    measure: str = ""

    @property
    def settled(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Evaluation:
    """What one setting reached; comparable, and the same again as a row of JSON."""

    strategy: str
    """Its repr, which is the code that makes it."""
    config: Mapping[str, Any] = field(repr=False)
    documents: tuple[str, ...]
    """Names."""
    ranking: str
    embedder: str | None
    """None where the ranking asks none."""
    k: int
    budgets: tuple[int, ...]
    unit: str
    """Of the budgets: "tokens" or "characters"."""
    tokenizer: str
    chunks: int
    mean_tokens: float
    """Of a chunk that is searched."""
    mean_returned_tokens: float
    """Of what is returned: parents where there are any, else chunks."""
    results: tuple[QuestionResult, ...] = field(repr=False)

    @property
    def questions(self) -> int:
        """Number of questions."""
        return len(self.results)

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of what can be asked for: the four, and ``recall_at_…`` for each budget."""
        return (*_OWN, *(f"recall_at_{budget}" for budget in self.budgets))

    def values(self, measure: str) -> NDArray[np.float64]:
        """Return a measure of every question, float64 (questions,).

        Raises
        ------
        UnknownNameError
            With the measures there are.

        """
        if measure not in self.measures:
            what = "measure"
            raise UnknownNameError(what, measure, self.measures)
        if measure in _OWN:
            return np.array([getattr(each, measure) for each in self.results], np.float64)
        place = self.measures.index(measure) - len(_OWN)
        return np.array([each.recall_at[place] for each in self.results], np.float64)

    def mean(self, measure: str) -> float:
        """Return the mean over all questions, in the unit of the measure; raises as ``values``."""
        return float(self.values(measure).mean())

    def deviation(self, measure: str) -> float:
        """Return the standard deviation over the questions (of these, not an estimate for others), as ``mean``."""
        return float(self.values(measure).std())

    def interval(self, measure: str, *, draws: int = DRAWS, seed: int = SEED) -> Interval:
        """Return the mean with its 95 % bootstrap interval."""
        values = self.values(measure)
        low, high = _bootstrap(values, draws, seed)
        return Interval(float(values.mean()), low, high, len(values), CONFIDENCE, draws)

    def total(self, fate: str) -> int:
        """Return how many references are "whole", "split" or "lost"."""
        return sum(int(getattr(each, fate)) for each in self.results)

    @property
    def mean_retrieved_tokens(self) -> float:
        """Tokens that a question brings at k, on average."""
        return float(np.mean([each.retrieved_tokens for each in self.results]))

    def to_row(self) -> dict[str, Any]:
        """Return plain values that ``from_row`` turns back."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Evaluation:
        """Return what ``to_row`` gave, also after JSON.

        Raises
        ------
        ParameterError
            When the row is not one.

        """
        try:
            results = tuple(
                QuestionResult(**{**each, "recall_at": tuple(each["recall_at"])}) for each in row["results"]
            )
            plain = {"results": results, "documents": tuple(row["documents"]), "budgets": tuple(row["budgets"])}
            return cls(**{**row, **plain})
        except (TypeError, KeyError) as error:
            message = f"a row must be one that Evaluation.to_row gave, and {error} does not fit."
            raise ParameterError(message) from error


def compare(
    one: Evaluation, other: Evaluation, measure: str = "recall", *, draws: int = DRAWS, seed: int = SEED
) -> Difference:
    """Return the mean of ``one`` minus ``other``, with the interval of a paired bootstrap over the questions.

    Efron and Tibshirani, "An Introduction to the Bootstrap", 1993: questions are drawn anew with repetition, each
    time both settings on the same ones, and the middle 95 % of the mean differences is the interval.

    Raises
    ------
    ParameterError
        When the settings were not asked the same questions in the same order.
    UnknownNameError
        For a measure that there is not.

    """
    if [each.question for each in one.results] != [each.question for each in other.results]:
        message = "both settings must have been asked the same questions; evaluate them with one set."
        raise ParameterError(message)
    differences = one.values(measure) - other.values(measure)
    low, high = _bootstrap(differences, draws, seed)
    return Difference(float(differences.mean()), low, high, len(differences), CONFIDENCE, draws, measure)


def _bootstrap(values: NDArray[np.float64], draws: int, seed: int) -> tuple[float, float]:
    if len(values) < 2:  # noqa: PLR2004  drawing the only one again and again would look like certainty
        return math.nan, math.nan
    random = np.random.default_rng(seed)
    rows = max(1, _AT_ONCE // len(values))
    means = np.concatenate(
        [
            values[random.integers(0, len(values), (min(rows, draws - first), len(values)))].mean(axis=1)
            for first in range(0, draws, rows)
        ]
    )
    low, high = np.quantile(means, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)).tolist()
    return low, high
