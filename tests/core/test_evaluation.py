"""Measures, questions, sweeps and the command that prints them."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import chunkviz as cv
from chunkviz import cli, samples
from chunkviz.errors import Cancelled, DocumentError, ParameterError, UnknownNameError
from chunkviz.evaluation import (
    Evaluation,
    Failure,
    Question,
    QuestionResult,
    Reference,
    ResultsFile,
    compare,
    evaluate,
    fate_of,
    grid,
    load_questions,
    locate,
    save_questions,
    score_spans,
    sweep,
)
from chunkviz.evaluation.spans import precision_omega
from tests.core.spans import chunked, lines
from tests.core.toys import Hashed, OneShort, Words

S = cv.Span

# Span arithmetic ---------------------------------------------------------------------------------


def test_scores_as_worked_out_by_hand() -> None:
    # 10 characters are wanted, 7 of them found in 20 that are retrieved.
    scores = score_spans([("d", S(10, 20))], [("d", S(0, 13)), ("d", S(16, 23))])
    assert (scores.recall, scores.precision, scores.iou) == (7 / 10, 7 / 20, 7 / 23)


def test_what_is_retrieved_twice_costs_twice_and_is_found_once() -> None:
    scores = score_spans([("d", S(0, 10))], [("d", S(0, 8)), ("d", S(4, 12))])
    assert (scores.recall, scores.precision, scores.iou) == (1, 10 / 16, 10 / 16)


def test_other_documents_cost_and_give_nothing() -> None:
    scores = score_spans([("d", S(0, 10)), ("e", S(0, 10))], [("d", S(0, 10)), ("f", S(0, 10))])
    assert (scores.recall, scores.precision, scores.iou) == (0.5, 0.5, 1 / 3)


def test_nothing_retrieved_scores_nothing() -> None:
    assert score_spans([("d", S(0, 10))], []) == score_spans([("d", S(0, 10))], [("d", S(20, 30))])


def test_omega_as_worked_out_by_hand() -> None:
    # Chunks of 10; what answers reaches from the middle of one to the middle of the next: 10 of 20.
    assert precision_omega([("d", S(5, 15))], [("d", S(0, 10)), ("d", S(10, 20))]) == 0.5
    # Overlapping chunks are one stretch here: 10 of 15; and what no chunk has counts against it: 5 of 15.
    assert precision_omega([("d", S(5, 15))], [("d", S(0, 10)), ("d", S(5, 15))]) == 10 / 15
    assert precision_omega([("d", S(5, 15))], [("d", S(0, 10))]) == 5 / 15


spans = st.tuples(st.sampled_from("de"), st.integers(0, 30), st.integers(0, 12)).map(
    lambda drawn: (drawn[0], S(drawn[1], drawn[1] + drawn[2]))
)


def characters(places: Sequence[tuple[str, cv.Span]]) -> list[tuple[str, int]]:
    return [(document, at) for document, span in places for at in range(span.start, span.end)]


@given(st.lists(spans, max_size=6), st.lists(spans, max_size=8))
def test_scores_equal_counting_characters_one_by_one(
    wanted: list[tuple[str, cv.Span]], taken: list[tuple[str, cv.Span]]
) -> None:
    relevant, retrieved = set(characters(wanted)), characters(taken)
    found = relevant & set(retrieved)
    scores = score_spans(wanted, taken)
    assert scores.recall == (len(found) / len(relevant) if relevant else 0)
    assert scores.precision == (len(found) / len(retrieved) if retrieved else 0)
    missed = len(relevant) - len(found)
    assert scores.iou == (len(found) / (len(retrieved) + missed) if retrieved or missed else 0)
    either = relevant | set(retrieved)
    assert precision_omega(wanted, taken) == (len(found) / len(either) if either else 0)


def test_a_reference_is_whole_split_or_lost() -> None:
    chunks = [S(0, 10), S(8, 20)]
    assert [fate_of(span, chunks) for span in (S(8, 10), S(5, 12), S(18, 25), S(20, 25))] == [
        "whole",
        "split",
        "split",
        "lost",
    ]


# Evaluations ---------------------------------------------------------------------------------------

TEXT = "alpha beta\ngamma delta\nepsilon zeta\nalpha eta"


def asked(made: cv.Chunking, *pairs: tuple[str, str]) -> list[Question]:
    text = made.document.text
    return [
        Question(question, (Reference(made.document.id, S(text.index(answer), text.index(answer) + len(answer))),))
        for question, answer in pairs
    ]


def test_an_evaluation_as_worked_out_by_hand() -> None:
    services = cv.Services(tokenizer=Words())
    made = lines(TEXT, services=services)
    questions = asked(made, ("alpha", "alpha beta"), ("gamma", "delta\nepsilon"), ("nothing", "zeta"))
    found = evaluate(made, questions, k=2, services=services, budgets=(1, 3))
    # "alpha eta" (9) and "alpha beta" (10) are as long in words, so they tie and come in document order.
    assert found.values("recall").tolist() == [1, 5 / 13, 0]
    assert found.values("precision").tolist() == [10 / 19, 5 / 11, 0]
    assert found.values("iou").tolist() == [10 / 19, 5 / 19, 0]
    assert found.values("precision_omega").tolist() == [1, 12 / 24, 4 / 12]
    assert found.values("recall_at_1").tolist() == [6 / 10, 0, 0]  # "alpha " is one word of two
    assert found.values("recall_at_3").tolist() == [1, 5 / 13, 0]
    assert [(each.whole, each.split, each.lost) for each in found.results] == [(1, 0, 0), (0, 1, 0), (1, 0, 0)]
    assert [each.retrieved_tokens for each in found.results] == [4, 2, 0]
    assert [each.hits for each in found.results] == [2, 1, 0]
    assert (found.questions, found.k, found.ranking, found.embedder, found.chunks) == (3, 2, "lexical", None, 4)
    assert (found.mean_tokens, found.mean_returned_tokens) == (2, 2)
    assert found.mean("recall") == pytest.approx((1 + 5 / 13) / 3)
    assert found.deviation("recall") == pytest.approx(np.std([1, 5 / 13, 0]))


def test_parents_are_what_is_retrieved_each_once() -> None:
    services = cv.Services(tokenizer=Words())
    made = chunked("ants bees\ncows does", [(0, 4), (5, 9), (10, 14), (15, 19)], parents=[(0, 9), (10, 19)],
                   owners=[0, 0, 1, 1], services=services)  # fmt: skip
    found = evaluate(made, asked(made, ("ants bees", "bees")), k=2, services=services, budgets=(2,))
    assert found.values("precision").tolist() == [4 / 9]
    assert found.results[0].retrieved_tokens == 2
    assert found.mean_returned_tokens == 2
    assert found.mean_tokens == 1


def test_budgets_may_count_characters() -> None:
    made = lines(TEXT)
    found = evaluate(made, asked(made, ("gamma", "delta")), budgets=(8, 11), unit="characters")
    assert [found.values(f"recall_at_{budget}").tolist() for budget in (8, 11)] == [[2 / 5], [1]]


def test_what_no_setting_can_be_measured_with_is_refused() -> None:
    made = lines(TEXT)
    questions = asked(made, ("alpha", "alpha"))
    for wrong, options in (
        ("questions must hold", {"questions": []}),
        ("documents must hold", {"chunkings": []}),
        ("k must be", {"k": 0}),
        ("a budget must be", {"budgets": (0,)}),
        ("unit 'words'", {"unit": "words"}),
        ("must be about the documents", {"chunkings": lines("other text")}),
    ):
        with pytest.raises(ParameterError, match=wrong):
            evaluate(**{"chunkings": made, "questions": questions, **options})  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="recall_at_2000"):
        evaluate(made, questions).values("recal")


def reached(*recalls: float) -> Evaluation:
    results = tuple(
        QuestionResult(str(number), recall, 0, 0, 0, (), 1, 1, 1, 1, 0, 0) for number, recall in enumerate(recalls)
    )
    return Evaluation("S()", {}, ("d",), "lexical", None, 5, (), "tokens", "toy", 1, 1.0, 1.0, results)


def test_differences_are_paired_and_seeded() -> None:
    one, other = reached(1, 1, 0.5, 1, 0, 1, 0.5, 1), reached(1, 0, 0.5, 0, 0, 1, 0, 1)
    found = compare(one, other)
    assert (found.mean, found.low, found.high) == (0.3125, 0.0625, 0.625)
    assert (found.questions, found.draws, found.confidence, found.settled) == (8, 2000, 0.95, True)
    assert compare(one, other) == found
    assert compare(one, one).settled is False
    assert compare(other, one).high == -found.low


def test_only_the_same_questions_are_compared() -> None:
    with pytest.raises(ParameterError, match="same questions"):
        compare(reached(1, 0), reached(1, 0, 1))


def test_one_question_has_no_interval_and_settles_nothing() -> None:
    assert not reached(1).interval("recall").known
    difference = compare(reached(1), reached(0))
    assert (difference.mean, difference.known, difference.settled) == (1, False, False)
    assert reached(1, 1).interval("recall").known


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_an_interval_holds_to_the_values(values: list[float]) -> None:
    found = reached(*values).interval("recall", draws=200)
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


def test_an_evaluation_survives_json() -> None:
    made = lines(TEXT)
    found = evaluate(made, asked(made, ("alpha", "alpha")))
    assert Evaluation.from_row(json.loads(json.dumps(found.to_row()))) == found
    with pytest.raises(ParameterError, match="to_row"):
        Evaluation.from_row({"results": []})


# Questions -----------------------------------------------------------------------------------------

ESSAY = cv.Document(
    "The vent opens\n  slowly. It closes at dusk, when the gulls come home to the harbour.", name="a/vent.md"
)


@pytest.mark.parametrize(
    ("excerpt", "how", "text"),
    [
        (" It closes at dusk ", "exact", "It closes at dusk"),
        ("opens slowly.", "white space", "opens\n  slowly."),
        ("when the gull comes home to the harbour.", "approximate", "when the gulls come home to the harbour."),
    ],
)
def test_excerpts_are_located(excerpt: str, how: str, text: str) -> None:
    found = locate(excerpt, ESSAY.text)
    assert found is not None
    assert (found.how, ESSAY.text[found.span.start : found.span.end]) == (how, text)
    assert (found.likeness == 100) == (how != "approximate")


@pytest.mark.parametrize("excerpt", ["", " \n", "dask", "nothing of the kind is written anywhere"])
def test_what_is_not_there_is_not_located(excerpt: str) -> None:
    assert locate(excerpt, ESSAY.text) is None


AS_CSV = b"""question,references,corpus_id
When does it close?,"[{""content"": ""It closes at dusk"", ""start_index"": 999, ""end_index"": 1020}]",vent
How does it open?,opens slowly.,vent.md
"""
AS_JSONL = b"""\xef\xbb\xbf{"question": "When does it close?", "references": ["It closes at dusk"]}

{"question": "How does it open?", "references": [{"start_index": 9, "end_index": 24, "document": "vent.md"}]}
"""


@pytest.mark.parametrize("data", [AS_CSV, AS_JSONL], ids=["csv", "jsonl"])
def test_questions_are_read_as_people_have_them(data: bytes, tmp_path: Path) -> None:
    found = load_questions(data, ESSAY)
    assert found.problems == ()
    assert [each.question for each in found.questions] == ["When does it close?", "How does it open?"]
    assert [each.references[0].span for each in found.questions] == [S(25, 42), S(9, 24)]
    (tmp_path / "q").write_bytes(data)
    assert load_questions(tmp_path / "q", [ESSAY]) == found
    saved = save_questions(found.questions, [ESSAY])
    assert load_questions(saved, ESSAY) == found
    moved = cv.Document("A preface. " + ESSAY.text, name="vent.md")
    assert [each.references[0].span for each in load_questions(saved, moved).questions] == [S(36, 53), S(20, 35)]


def test_what_cannot_be_located_is_listed_and_what_is_near_is_told() -> None:
    rows = [
        {"question": "One?", "references": ["It closes at dusk", "nowhere to be found"]},
        {"question": "Two?", "references": ["dusk"], "document": "other.md"},
        {"question": "Three?", "references": []},
        {"question": "Four?", "references": [{"start_index": 90, "end_index": 9000}]},
        {"question": "Five?", "references": ["when the gull comes home to the harbour."]},
    ]
    found = load_questions(json.dumps(rows).encode(), ESSAY)
    assert [each.question for each in found.questions] == ["One?", "Five?"]
    assert [str(each) for each in found.problems] == [
        "Question 1 ('One?'): the excerpt 'nowhere to be found' is not in a/vent.md, neither word for word nor nearly.",
        "Question 2 ('Two?'): it is about 'other.md', which is not among the documents.",
        "Question 3 ('Three?'): it has no references.",
        "Question 4 ('Four?'): a reference has neither an excerpt nor offsets inside its document.",
    ]
    assert [each.row for each in found.approximate] == [5]


def test_an_excerpt_that_stands_at_several_places_is_told() -> None:
    manual = cv.Document("Error E07: too hot.\nStop it.\nError  E07: too hot.\n", name="manual.md")
    other = cv.Document("See error E07: too hot. Error E07: too hot.", name="other.md")
    rows = [
        {"question": "Any?", "references": ["Error E07: too hot."]},
        {"question": "Here?", "references": ["Error E07: too hot."], "document": "manual.md"},
        {"question": "Where?", "references": [{"content": "Error E07: too hot.", "start_index": 24, "end_index": 43}]},
        {"question": "Once?", "references": ["Stop it."]},
    ]
    found = load_questions(json.dumps(rows).encode(), [manual, other])
    assert [each.references[0].span for each in found.questions] == [S(0, 19), S(0, 19), S(24, 43), S(20, 28)]
    assert [str(each).partition(";")[0] for each in found.repeated] == [
        "Question 1 ('Any?'): the excerpt stands at 3 places",
        "Question 2 ('Here?'): the excerpt stands at 2 places",
    ]


def test_an_exact_place_in_a_later_document_wins_over_a_near_one() -> None:
    near = cv.Document("It closed at dusk, as ever", name="near.md")
    exact = cv.Document("It closes at dusk, as ever", name="exact.md")
    rows = b'[{"question": "When?", "references": "It closes at dusk, as ever"}]'
    assert load_questions(rows, [near, exact]).questions[0].references[0].document_id == exact.id


NEITHER = (
    "q.jsonl holds no questions; give CSV with the columns question and references, or JSON objects that have both."
)
LIST = b'{"question": "When?", "references": ["dusk"]}\n'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" \n", NEITHER.replace("holds no questions", "is empty")),
        (b"question,references\n", NEITHER),
        (b"[]", NEITHER),
        (b'{"questions": []}', NEITHER),
        (
            b"name,references\nwhale,grey\n",
            ("q.jsonl, line 1: the header must have the columns question and references, and has name, references; "
            "rename or add the column question."),
        ),
        (
            LIST + b'\n{"q": "When?"}\n',
            ("q.jsonl, line 3: it must have the fields question and references, and has q; rename or add the fields "
            "question and references."),
        ),
        (
            b'{"questions": [{"question": "When?", "references": ["dusk"]}, {"question": "When?"}]}',
            ("q.jsonl, entry 2: it must have the fields question and references, and has question; rename or add the "
            "field references."),
        ),
        (
            LIST * 2 + b'{"question": "When?" "references": []}\n' + LIST,
            "q.jsonl, line 3, column 22: it must be JSON (Expecting ',' delimiter); give one whole object a line.",
        ),
        (
            b'{"question": "When?", "references": \n' + LIST,
            "q.jsonl, line 1, column 37: it must be JSON (Expecting value); give one whole object a line.",
        ),
        (
            b'{\n "questions": [\n  {"question": "When?",\n   "references" ["dusk"]}]}',
            "q.jsonl, line 4, column 17: it must be JSON (Expecting ':' delimiter); give one whole object a line.",
        ),
        (b"[1]", "q.jsonl, entry 1: each must be a JSON object, not 1."),
        (LIST + b"7", "q.jsonl, line 2: each line must be a JSON object, not 7."),
        (b"question,references\n\xe9,a\n", "q.jsonl, line 2: it must be UTF-8, and byte 20 is not; save it as UTF-8."),
        (b'question,references\nWhen?,["dusk", "x"]\n', "q.jsonl, line 2: it has more columns than the header's 2."),
        (b"[" * 200_000, "q.jsonl, line 1: it is nested too deep, or holds a number too long, to be read."),
    ],
)  # fmt: skip
def test_a_broken_file_of_questions_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError) as refused:
        load_questions(data, ESSAY, name="q.jsonl")
    assert str(refused.value) == message


@pytest.mark.parametrize(
    "data",
    [
        b'[{"question": "When?", "references": "It closes at dusk"}]',  # an array, whatever the ending of the file
        b'{"question": "When?", "references": "It closes at dusk"}',
        b'{\n"question": "When?",\n"references": "It closes at dusk"\n}',
        b"references;question\nIt closes at dusk;When?\n",
    ],
)
def test_a_reference_may_be_a_text_and_not_a_list(data: bytes) -> None:
    found = load_questions(data, ESSAY, name="q.jsonl")
    assert found.problems == ()
    assert [(each.question, each.references[0].span) for each in found.questions] == [("When?", S(25, 42))]


def test_a_row_that_cannot_be_used_is_listed_with_its_line_and_the_others_are_kept() -> None:
    rows = [
        {"question": "One?", "references": ["dusk", 5]},
        {"question": " ", "references": ["dusk"]},
        {"question": 3, "references": ["dusk"]},
        {"question": "Four?", "references": "['It closes', 'at dusk']"},
        {"question": "Five?", "references": None},
    ]
    found = load_questions("\n\n".join(map(json.dumps, rows)).encode(), ESSAY)
    assert [each.question for each in found.questions] == ["One?"]
    assert [str(each) for each in found.problems] == [
        "Question 1 (line 1, 'One?'): a reference must be an excerpt, or an object with content or offsets, not 5.",
        "Question 2 (line 3, ''): it is blank; type the question.",
        "Question 3 (line 5, '3'): it is no text; type the question.",
        (
            "Question 4 (line 7, 'Four?'): the excerpt \"['It closes', 'at dusk']\" is not in a/vent.md, neither "
            "word for word nor nearly; a list of references must be JSON."
        ),
        "Question 5 (line 9, 'Five?'): it has no references.",
    ]


def test_locating_tells_how_far_it_is_and_can_be_ended() -> None:
    told: list[float] = []

    def stop(share: float) -> None:
        told.append(share)
        if len(told) == 2:
            message = "enough"
            raise Cancelled(message)

    with pytest.raises(Cancelled):
        load_questions(LIST * 4, ESSAY, report=stop)
    assert told == [0.25, 0.5]


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(DocumentError, match=r"nowhere\.csv cannot be read"):
        load_questions("nowhere.csv", ESSAY)


def test_the_bundled_questions_are_answered_exactly_in_the_samples() -> None:
    documents = [samples.load_sample(each.id) for each in samples.list_samples()]
    found = load_questions(samples.questions_file(), documents)
    assert (len(found.questions), found.problems, found.approximate) == (26, (), ())
    assert [len(found.about([document])) for document in documents] == [6, 5, 4, 3, 1, 2, 3, 2]


# Sweeps --------------------------------------------------------------------------------------------


def sweep_of(**options: object) -> tuple[Evaluation | Failure, ...]:
    document = samples.load_sample("essay")
    questions = load_questions(samples.questions_file(), document).questions
    settings = grid(cv.Recursive(), chunk_size=[64, 128], chunk_overlap=[0, 16]).strategies
    return sweep(document, settings, questions, **options)  # type: ignore[arg-type]


def test_a_grid_leaves_out_what_no_strategy_can_be() -> None:
    made = grid(cv.Recursive(), chunk_size=[32, 64], chunk_overlap=[0, 48])
    assert [(each.chunk_size, each.chunk_overlap) for each in made.strategies] == [(32, 0), (64, 0), (64, 48)]  # type: ignore[attr-defined]
    ((chosen, reason),) = made.left_out
    assert chosen == {"chunk_size": 32, "chunk_overlap": 48}
    assert "chunk_overlap must be below chunk_size" in reason
    with pytest.raises(ParameterError, match="one or two parameters"):
        grid(cv.Recursive())


@pytest.mark.parametrize("ranking", ["lexical", "hybrid"])
def test_a_sweep_that_was_stopped_and_taken_up_gives_the_same_numbers(ranking: str, tmp_path: Path) -> None:
    whole = sweep_of(ranking=ranking)
    path = tmp_path / "results.jsonl"

    def stop(share: float) -> None:
        if share >= 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        sweep_of(ranking=ranking, done=ResultsFile(path), report=stop)
    assert 1 <= len(ResultsFile(path)) <= 2
    with path.open("ab") as stream:
        stream.write(b'{"key": "half a l')
    shares: list[float] = []
    assert sweep_of(ranking=ranking, done=ResultsFile(path), report=shares.append) == whole
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(ResultsFile(path)) == 4
    assert sweep_of(ranking=ranking, done=ResultsFile(path)) == whole


def test_other_questions_k_or_ranking_are_measured_anew() -> None:
    kept: dict[str, dict[str, object]] = {}
    for number, options in enumerate(({}, {"k": 3}, {"ranking": "dense"}, {"budgets": (9,)}, {"unit": "characters"})):
        sweep_of(done=kept, **options)
        assert len(kept) == 4 * (number + 1)


def test_all_settings_may_be_searched_with_another_embedder_than_their_strategies_ask() -> None:
    document = cv.Document(TEXT, name="guide.txt")
    chunking = cv.Semantic().chunk(document)
    questions = asked(chunking, ("alpha", "alpha beta"))
    hashed = Hashed()
    (found,) = sweep(document, [cv.Semantic()], questions, ranking="dense", embedder=hashed)
    assert found == evaluate(chunking, questions, ranking="dense", services=cv.Services(embedder=hashed))
    assert found.embedder == hashed.name
    done: dict[str, dict[str, object]] = {}
    sweep(document, [cv.Semantic()], questions, ranking="dense", done=done)
    sweep(document, [cv.Semantic()], questions, ranking="dense", embedder=hashed, done=done)
    assert len(done) == 2


class Asked(Hashed):
    """Remembers every text it is asked for."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        self.texts += texts
        return super().embed(texts)


def test_a_sweep_asks_once_for_questions_and_for_what_neighbouring_settings_share() -> None:
    essay = samples.load_sample("essay")
    questions = load_questions(samples.questions_file(), essay).questions
    settings = grid(cv.Recursive(), chunk_size=[64, 64, 128, 130]).strategies
    asked = Asked()
    found = sweep(essay, settings, questions, ranking="dense", services=cv.Services(embedder=asked))
    for strategy, one in zip(settings, found, strict=True):
        assert one == evaluate(
            strategy.chunk(essay), questions, ranking="dense", services=cv.Services(embedder=Hashed())
        )
    counts = {text: asked.texts.count(text) for text in asked.texts}
    assert all(counts[each.question] == 1 for each in questions)
    assert all(counts[chunk.text] == 1 for chunk in settings[0].chunk(essay))
    shared = {each.text for each in settings[2].chunk(essay)} & {each.text for each in settings[3].chunk(essay)}
    assert shared
    assert all(counts[text] == 1 for text in shared)


def test_an_embedder_that_breaks_its_protocol_in_a_sweep_is_named() -> None:
    (found,) = sweep_of_one(OneShort())
    assert isinstance(found, Failure)
    assert "'one-vector-short' must give one vector for each of" in found.reason


def sweep_of_one(embedder: cv.Embedder) -> tuple[Evaluation | Failure, ...]:
    essay = samples.load_sample("essay")
    questions = load_questions(samples.questions_file(), essay).questions
    return sweep(essay, [cv.Recursive()], questions, ranking="dense", services=cv.Services(embedder=embedder))


def test_a_setting_that_fails_leaves_the_others() -> None:
    class Broken:
        name = "broken"

        def embed(self, texts: Sequence[str], /) -> object:
            return [1.0] * len(texts)

    document = samples.load_sample("essay")
    questions = load_questions(samples.questions_file(), document).questions
    settings = [cv.Semantic(), cv.FixedSize()]
    kept: dict[str, dict[str, object]] = {}
    failed, fine = sweep(document, settings, questions, services=cv.Services(embedder=Broken()), done=kept)  # type: ignore[arg-type]
    assert isinstance(failed, Failure)
    assert "'broken' must give one vector" in failed.reason
    assert isinstance(fine, Evaluation)
    assert len(kept) == 1


def test_a_file_of_something_else_is_no_store_of_results(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear\nreader\n")
    with pytest.raises(DocumentError, match="line 1 is no result of a sweep"):
        ResultsFile(path)
    assert path.read_text() == "Dear\nreader\n"
    with pytest.raises(DocumentError, match="cannot be used"):
        ResultsFile(tmp_path)


# The command ---------------------------------------------------------------------------------------


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "vent.md").write_text("# Vent\n\nThe vent opens slowly.\n\nIt closes at dusk.")
    (folder / "pump.md").write_text("# Pump\n\nThe pump runs at dawn.")
    rows = [
        {"question": "When does the vent close?", "references": ["It closes at dusk."]},
        {"question": "When does the pump run?", "references": ["The pump runs at dawn."], "document": "pump.md"},
    ]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def run(corpus: Path, *options: str) -> int:
    return cli.main(["evaluate", str(corpus), str(corpus / "questions.jsonl"), *options])


TWO_SETTINGS = ("--strategy", "recursive:chunk_size=16", "--strategy", "fixed_size:chunk_size=8")


def test_the_command_prints_a_row_for_each_strategy(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(corpus, *TWO_SETTINGS, "--k", "1", "--budget", "50") == 0
    out = capsys.readouterr().out
    header, first, second, blank, facts, *_ = out.splitlines()
    assert header.split()[:6] == ["strategy", "chunks", "tokens", "recall", "precision", "IoU"]
    assert first.startswith("recursive:chunk_size=16")
    assert second.startswith("fixed_size:chunk_size=8")
    assert "[" in second
    assert blank == ""
    assert facts == "2 questions, 2 documents, k = 1, lexical."


def test_the_command_gives_no_interval_from_one_question(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = (corpus / "questions.jsonl").read_text().splitlines()[0]
    (corpus / "questions.jsonl").write_text(one + "\n")
    assert run(corpus, *TWO_SETTINGS, "--out", str(tmp_path / "out.json")) == 0
    out = capsys.readouterr().out
    assert "[" not in out.splitlines()[2]
    assert "a single one has none" in out
    first, _ = json.loads((tmp_path / "out.json").read_text())["evaluations"]
    assert (first["recall_low"], first["recall_high"]) == (None, None)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_writes_what_it_measured_and_keeps_it(corpus: Path, jobs: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    out = tmp_path / "out.json"
    options = (*TWO_SETTINGS, "--ranking", "hybrid", "--results", str(kept), "--jobs", jobs)
    assert run(corpus, *options, "--out", str(out)) == 0
    one, other = json.loads(out.read_text())["evaluations"]
    assert (one["setting"], one["ranking"], one["embedder"], one["questions"], one["k"]) == (
        "recursive:chunk_size=16", "hybrid", "lexical", 2, 5,
    )  # fmt: skip
    assert one["recall"] == 1
    assert [each["recall"] for each in one["results"]] == [1, 1]
    assert other["recall_low"] <= other["recall"] <= other["recall_high"]
    before = kept.read_bytes()
    assert before.count(b"\n") == 2
    table = tmp_path / "out.csv"
    assert run(corpus, *options, "--out", str(table)) == 0
    assert kept.read_bytes() == before
    rows = list(csv.DictReader(table.open(newline="")))
    assert [float(row["recall"]) for row in rows] == [one["recall"], other["recall"]]


def test_what_cannot_be_read_or_placed_is_told_and_the_rest_goes_on(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpus / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with (corpus / "questions.jsonl").open("a") as stream:
        stream.write('{"question": "Who?", "references": ["nobody knows who it was"]}\n')
    assert run(corpus, *TWO_SETTINGS) == 1
    captured = capsys.readouterr()
    assert "broken.pdf" in captured.err
    assert "Question 3 (line 3, 'Who?'): the excerpt 'nobody knows who it was' is not in any" in captured.err
    assert "2 questions, 2 documents" in captured.out


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--strategy", "recursiv"), 2, "strategy 'recursiv' is not known"),
        (("--out", "table.txt"), 2, "ending of --out"),
        (("--k", "0"), 2, "whole number from 1 on"),
        (("--ranking", "fuzzy"), 2, "invalid choice"),
    ],
)
def test_a_command_that_cannot_be_carried_out_is_one_sentence(
    corpus: Path, options: tuple[str, ...], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        ended = run(corpus, *options)
    except SystemExit as stopped:
        ended = int(str(stopped.code))
    assert ended == code
    assert sentence in capsys.readouterr().err


def test_a_strategy_that_fails_is_a_row_of_its_own(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        message = "out of ink"
        raise RuntimeError(message)

    monkeypatch.setattr(cv.FixedSize, "cut", fail)
    assert run(corpus, *TWO_SETTINGS) == 1
    first, second = capsys.readouterr().out.splitlines()[1:3]
    assert first.startswith("recursive:chunk_size=16  ")
    assert second.split(None, 1) == ["fixed_size:chunk_size=8", "RuntimeError: out of ink"]


def test_a_paid_embedder_is_asked_only_after_a_yes(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    options = ("--strategy", "recursive:chunk_size=16", "--embedder", "openai", "--no-cache")
    assert run(corpus, *options, "--ranking", "dense") == 2
    said = capsys.readouterr().err
    assert "text-embedding-3-small" in said
    assert "Nothing was sent" in said
    assert run(corpus, *options, "--ranking", "lexical") == 0  # which asks no embedder
