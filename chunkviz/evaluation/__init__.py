"""Which settings find the right text, in numbers.

    from chunkviz.evaluation import evaluate, load_questions

    loaded = load_questions("questions.csv", [document])             # loaded.problems: what could not be located
    result = evaluate(cv.Recursive().chunk(document), loaded.questions, k=5)
    result.mean("recall"), result.interval("recall"), result.mean("recall_at_2000")

Measures by span arithmetic as in Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval", Chroma
Technical Report, 2024. Every result says with how many questions, which k, ranking and embedder it was measured.
"""

from chunkviz.evaluation.excerpts import Located, locate
from chunkviz.evaluation.proposals import (
    Proposal,
    ProposalRequest,
    Proposals,
    Proposer,
    proposal_requests,
    propose_questions,
)
from chunkviz.evaluation.questions import Problem, Question, QuestionSet, Reference, load_questions, save_questions
from chunkviz.evaluation.results import FEW_QUESTIONS, Difference, Evaluation, Interval, QuestionResult, compare
from chunkviz.evaluation.run import BUDGETS, evaluate
from chunkviz.evaluation.spans import Fate, Scores, fate_of, score_spans
from chunkviz.evaluation.sweeps import Failure, Grid, ResultsFile, grid, sweep

__all__ = [
    "BUDGETS",
    "FEW_QUESTIONS",
    "Difference",
    "Evaluation",
    "Failure",
    "Fate",
    "Grid",
    "Interval",
    "Located",
    "Problem",
    "Proposal",
    "ProposalRequest",
    "Proposals",
    "Proposer",
    "Question",
    "QuestionResult",
    "QuestionSet",
    "Reference",
    "ResultsFile",
    "Scores",
    "compare",
    "evaluate",
    "fate_of",
    "grid",
    "load_questions",
    "locate",
    "proposal_requests",
    "propose_questions",
    "save_questions",
    "score_spans",
    "sweep",
]
