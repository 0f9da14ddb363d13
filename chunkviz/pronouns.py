"""Words that point back to something named before, by language; a chunk that opens with one may be hard to read alone.

The lists are small and ours. Left out is what is an article, a verb or a conjunction as often ("die", "zijn",
"that" is kept, since at the head of a chunk it seldom joins clauses).
"""

from __future__ import annotations

import regex

_LISTS = {
    "en": "he she it they him her them his hers its their theirs this that these those",
    "de": "er sie es ihm ihn ihr ihnen ihre ihrer ihren ihrem sein seine seiner seinen seinem"
    " dies diese dieser dieses diesem diesen jene jener jenes",
    "fr": "il elle ils elles lui leur leurs sa ses ce cet cette ces cela ça ceci celui celle ceux celles",
    "es": "él ella ello ellos ellas esto esta este estos estas eso esa ese esos esas aquello aquel aquella su sus",
    "it": "egli ella esso essa essi esse lui lei loro questo questa questi queste quello quella quelli quelle ciò",
    "pt": "ele ela eles elas isto isso aquilo este esta estes estas esse essa esses essas aquele aquela seu sua",
    "nl": "hij zij ze hem haar hun hen dit dat deze die",
    "sv": "han hon hans hennes de dem deras denna detta dessa",
    "da": "han hun hans hendes de dem deres denne dette disse",
    "no": "han hun hans hennes de dem deres denne dette disse",
    "pl": "on ona ono oni one jego jej ich ten ta to te ci tamten tamta",
    "ru": "он она оно они его её ее их это этот эта эти тот та те",
    "uk": "він вона воно вони його її їх це цей ця ці той та ті",
}
_UNSPACED = {
    "ja": "これら それら あれら これ それ あれ この その あの 彼女 彼ら 彼",
    "zh": "他们 她们 它们 他們 她們 它們 这些 那些 這些 这个 那个 這個 那個 他 她 它 这 這 那",
}
_CONNECTIVES = {
    "ja": ("それで", "それから", "それに", "その他", "そのまま"),
    "zh": ("那么", "那麼", "这样", "這樣", "那样", "那樣"),
}
"""What begins as a pronoun does and is none."""
_OPENING = regex.compile(r"[^\p{L}\p{N}]*")
"""Quotes, brackets, signs of lists and headings before the first word."""
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_WORDS = {language: frozenset(words.split()) for language, words in _LISTS.items()}
_PREFIXES = {language: tuple(words.split()) for language, words in _UNSPACED.items()}

PRONOUN_LANGUAGES = tuple(sorted({*_WORDS, *_PREFIXES}))
"""ISO 639-1 codes of the languages with a list."""


def opening_pronoun(text: str, start: int, end: int, language: str) -> tuple[int, int] | None:
    """Return the place of the pronoun with which ``text[start:end]`` opens, or None.

    A word in capitals ("IT") is taken for a name.
    """
    opening = _OPENING.match(text, start, end)
    begin = opening.end() if opening else start
    if language in _PREFIXES:
        if text.startswith(_CONNECTIVES[language], begin, end):
            return None
        for word in _PREFIXES[language]:
            if text.startswith(word, begin, end):
                return begin, begin + len(word)
        return None
    found = _WORD.match(text, begin, end)
    if found is None:
        return None
    word = found.group()
    named = len(word) > 1 and word.isupper()
    return None if named or word.casefold() not in _WORDS.get(language, ()) else found.span()
