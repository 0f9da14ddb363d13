"""Context without a model: where a chunk stands, and the words that set it apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from chunkviz.progress import EVERY, Report, silent

if TYPE_CHECKING:
    from chunkviz.document import Document
    from chunkviz.services import WriteRequest

_HAN = r"\p{Han}々〆"
_KATAKANA = r"[\p{Katakana}ー]{2,}"
_WORD = rf"[\p{{L}}\p{{M}}\p{{N}}_--[{_HAN}\p{{Hiragana}}\p{{Katakana}}ー]]+"
_PIECE = regex.compile(
    rf"(?P<han>[{_HAN}]{{2,}})|(?P<kana>{_KATAKANA})|(?P<word>{_WORD}(?:['’-]{_WORD})*)|(?P<end>[.!?。！？।॥؟۔\n]+)",
    regex.VERSION1,
)
"""Words of scripts with spaces, runs of katakana, and runs of Han characters, which have no spaces."""
_SHORT_WORD = regex.compile(r"\b\p{Ll}{2}\b")
_LETTER, _HANGUL = regex.compile(r"[\p{L}\p{M}]"), regex.compile(r"\p{Hangul}")
_TERMS = 5
_SHORTEST_TERM, _LONGEST_TERM = 3, 40
_COMMON = 0.5
"""Share of sentences from which on a word says nothing about any of them."""
_SOME_SENTENCES, _MANY_SENTENCES = 8, 30
"""From how many on shares of sentences mean something, and from how many on they mean enough."""
_SMALL_WORD = 3
_USUAL_LENGTH, _LONG_WORD = 6, 10
_EAST_ASIAN = regex.compile(rf"[{_HAN}\p{{Katakana}}ー]")


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term of a document occurs, and in how many of its sentences."""

    occurrences: Counter[str]
    sentences: Counter[str]
    sentence_count: int
    lower: frozenset[str]
    """Terms that occur in lower case, and are shown so; others as they were first met."""
    short: frozenset[str]
    """Words of two small letters: "OF" in a heading is one of them, and no abbreviation such as AI."""


class OutlineWriter:
    """Context from the document alone: title, headings, and key terms against the rest of the document.

    A term weighs as often as it occurs in the chunk, times the squared logarithm of how rare it is
    among the document's sentences (TF-IDF), times the share of its occurrences that the chunk holds,
    times its length, since in every language the words used most are short (Zipf's law of abbreviation).
    That needs no list of stop words, and so no language: a word met everywhere weighs little. Chinese and
    Japanese, which have no spaces, give pairs of Han characters and runs of katakana. Terms that the
    title or the headings hold already are left out.

    No model is asked. Equal requests give equal texts; the time is linear in the document, whose
    terms are counted once.
    """

    name = "outline context"

    def prepare(self, document: Document, report: Report = silent) -> None:
        """Count the document's terms now, telling ``report`` the share done; what it raises ends it."""
        _counts(document, report)

    def write(self, request: WriteRequest, /) -> str:
        """Return one or two sentences: where the chunk stands, and its key terms; never blank."""
        title = " ".join((request.title or request.document.name).split())
        headings = [" ".join(heading.split()) for heading in request.headings if heading.strip()]
        if headings and headings[0].casefold() == title.casefold():
            headings = headings[1:]
        place = ", ".join(
            [f'From "{title}"'] * bool(title)
            + [f"{'section' if title else 'Section'} {' > '.join(headings)}"] * bool(headings)
        )
        terms = key_terms(request.document, request.text, without=" ".join([title, *headings]))
        sentences = [place] * bool(place) + [f"Key terms: {', '.join(terms)}"] * bool(terms)
        return " ".join(f"{sentence}." for sentence in sentences or [_position(request)])


def key_terms(document: Document, text: str, *, without: str = "", count: int = _TERMS) -> tuple[str, ...]:
    """Return up to ``count`` terms that set ``text`` apart from the rest of ``document``, weightiest first.

    Terms that occur in ``without`` are left out.
    """
    known = _counts(document)
    left_out = {term.lower() for term, _ in _terms(without)}
    first_form: dict[str, str] = {}
    here: Counter[str] = Counter()
    for term, _ in _terms(text):
        first_form.setdefault(term.lower(), term)
        here[term.lower()] += 1
    order = {term: number for number, term in enumerate(here)}
    weights = {
        term: weight
        for term, times in here.items()
        if term not in left_out and term not in known.short and (weight := _weight(known, term, times))
    }
    # Among terms of equal weight the longer one says more, and then the earlier one.
    ranked = sorted(weights, key=lambda term: (-weights[term], -len(term), order[term]))
    chosen: list[str] = []
    for term in ranked:
        if len(chosen) == count:
            break
        if not any(_overlap(term, other) for other in chosen):
            chosen.append(term)
    return tuple(term if term in known.lower else first_form[term] for term in chosen)


def _weight(known: TermCounts, term: str, times: int) -> float:
    # One more occurrence elsewhere is assumed: a word met once says less than one met three times, all here.
    share = times / (max(times, known.occurrences[term]) + 1)
    sentences = max(1, known.sentences[term])
    # Few sentences tell little about which words are common; of small words, most are.
    small = len(term) <= _SMALL_WORD and term.upper() != term and term in known.lower
    if (small and known.sentence_count < _MANY_SENTENCES) or (
        known.sentence_count >= _SOME_SENTENCES and sentences > known.sentence_count * _COMMON
    ):
        return 0.0
    few = known.sentence_count < _SOME_SENTENCES
    rarity = 1.0 if few else math.log((known.sentence_count + 2) / (sentences + 1))
    return round(times * rarity * rarity * share * _length(term), 9)


def _length(term: str) -> int:
    """Return how long a word is, where that tells how common it is; a run of Chinese or Japanese does not."""
    return _USUAL_LENGTH if _EAST_ASIAN.match(term) else min(len(term), _LONG_WORD)


def _counts(document: Document, report: Report = silent) -> TermCounts:
    """Return the counts of the whole document; made once per document. ``report`` is told the share done."""

    def count() -> TermCounts:
        occurrences: Counter[str] = Counter()
        sentences: Counter[str] = Counter()
        lower: set[str] = set()
        sentence_count, current = 0, set[str]()
        last = 0
        for term, sentence in _terms(document.text, report):
            if sentence != last:
                sentences.update(current)
                sentence_count += bool(current)
                current, last = set(), sentence
            key = term.lower()
            if key == term:
                lower.add(key)
            occurrences[key] += 1
            current.add(key)
        sentences.update(current)
        report(1.0)
        short = frozenset(_SHORT_WORD.findall(document.text))
        return TermCounts(occurrences, sentences, sentence_count + bool(current), frozenset(lower), short)

    return document.derive("outline terms", count)


def _terms(text: str, report: Report = silent) -> Iterator[tuple[str, int]]:
    """Yield each term in order, as it is written, with the number of its sentence."""
    sentence = 0
    for match in _PIECE.finditer(text):
        piece = match[0]
        match match.lastgroup:
            case "han":
                for place in range(len(piece) - 1):
                    yield piece[place : place + 2], sentence
            case "kana":
                yield piece, sentence
            case "word":
                if _says_something(piece):
                    yield piece, sentence
            case _:
                sentence += 1
                if sentence % EVERY == 0:
                    report(match.end() / len(text))


def _says_something(word: str) -> bool:
    """Whether a word can be a key term: no bare number, and long enough, an abbreviation such as AI, or Korean."""
    if len(word) >= _SHORTEST_TERM and word.isalpha():  # most words, and the quickest to tell
        return len(word) <= _LONGEST_TERM
    letters = len(_LETTER.findall(word))
    short = len(word) > 1 and (word.upper() == word != word.lower() or _HANGUL.search(word) is not None)
    return len(word) <= _LONGEST_TERM and letters > 0 and (letters >= _SHORTEST_TERM or short)


def _overlap(term: str, other: str) -> bool:
    """Whether two pairs of Han characters are cut from one run, as 東京 and 京都 from 東京都."""
    pair = 2
    return len(term) == len(other) == pair and (term[0] == other[1] or term[1] == other[0])


def _position(request: WriteRequest) -> str:
    """Return the third of the document in which the middle of the chunk lies."""
    third = 3 * (request.start + request.end) // (2 * max(1, len(request.document)))
    return f"From the {('beginning', 'middle', 'end')[min(third, 2)]} of the document"
