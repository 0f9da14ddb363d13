"""Which language a text is in, offline."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LANGUAGE_NAMES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "as": "Assamese", "az": "Azerbaijani", "be": "Belarusian",
    "bg": "Bulgarian", "bn": "Bengali", "bs": "Bosnian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian",
    "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician",
    "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian",
    "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "kk": "Kazakh",
    "km": "Khmer", "kn": "Kannada", "ko": "Korean", "ky": "Kyrgyz", "la": "Latin", "lb": "Luxembourgish", "lo": "Lao",
    "lt": "Lithuanian", "lv": "Latvian", "mg": "Malagasy", "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian",
    "mr": "Marathi", "ms": "Malay", "mt": "Maltese", "my": "Burmese", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian",
    "oc": "Occitan", "or": "Odia", "pa": "Punjabi", "pl": "Polish", "ps": "Pashto", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian",
    "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "th": "Thai", "tl": "Tagalog",
    "tr": "Turkish", "ug": "Uyghur", "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek", "vi": "Vietnamese", "xh": "Xhosa",
    "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip
"""English name of every language that ``detect_language`` can tell, by its code."""

_LOOKED_AT = 4_000  # characters
_NOISE = re.compile(r"https?://\S+|\S+@\S+|```.*?```|<[^>\n]{1,200}>|\d+", re.DOTALL)
_MIN_LETTERS = 6
_MIN_SCRIPT_SHARE = 0.6
"""Below it two scripts are about equal, and neither's language is the document's."""
_MIN_CONFIDENCE = 0.25
# A longer sample is asked in pieces too: as a whole, half a text in German and half in English looks like either.
_PIECES, _FEWEST_PIECES, _MIN_PIECE = 8, 3, 80
_MIN_PLAUSIBLE = 0.05
"""Share that a language has in a piece of its own even where a near relative is ahead."""
_SURE = 0.5
"""Share from which on a piece speaks for a language and no other."""
_MIN_FITTING = 0.7
"""Share of the pieces that must fit: an abstract or a quotation in another language does no harm."""
# Scripts that one language uses, and those where a model has to choose.
_ONE = {"HANGUL": "ko", "THAI": "th", "GREEK": "el", "HEBREW": "he", "ARMENIAN": "hy", "GEORGIAN": "ka", "TAMIL": "ta"}
_ONE |= {"TELUGU": "te", "KANNADA": "kn", "MALAYALAM": "ml", "GUJARATI": "gu", "GURMUKHI": "pa", "SINHALA": "si"}
_ONE |= {"KHMER": "km", "LAO": "lo", "MYANMAR": "my", "ORIYA": "or", "ETHIOPIC": "am"}
_SEVERAL = {
    "ARABIC": "ar fa ur ps ug",
    "CYRILLIC": "ru uk be bg sr mk kk ky mn",
    "DEVANAGARI": "hi mr ne",
    "BENGALI": "bn as",
    "LATIN": (
        "af az bs ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it la lb lt lv mg ms mt nb nl nn no oc pl pt"
        " ro sk sl sq sv sw tl tr uz vi xh zu"
    ),
}
_KANA = frozenset({"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})
_DENSE = _KANA | {"CJK", "HANGUL"}
_DENSE_WEIGHT = 3  # one such character says about as much as three letters


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code ("en", "ja") of the first 4,000 characters, or None when unsure or mixed.

    The script decides where it can; among languages of one script a small naive Bayes model does, which is loaded at
    the first such text (most of a second).
    """
    sample = _NOISE.sub(" ", text[:_LOOKED_AT])
    scripts = _scripts(sample)
    kana = sum(scripts.pop(script, 0) for script in _KANA)
    scripts["CJK"] += kana
    script, weight = scripts.most_common(1)[0]
    if weight < _MIN_LETTERS or weight < _MIN_SCRIPT_SHARE * scripts.total():
        return None
    if script == "CJK":
        return "ja" if kana else "zh"
    if script in _ONE:
        return _ONE[script]
    return _of_several(_only(script, sample), _SEVERAL[script].split()) if script in _SEVERAL else None


def _scripts(sample: str) -> Counter[str]:
    """Weight of each script."""
    scripts: Counter[str] = Counter()
    for character, count in Counter(sample).items():
        if character.isalpha():
            script = _script_of(character)
            scripts[script] += count * (_DENSE_WEIGHT if script in _DENSE else 1)
    return scripts


def _script_of(letter: str) -> str:
    """First word of the letter's name, which is its script."""
    return unicodedata.name(letter, "").partition(" ")[0]


def _only(script: str, sample: str) -> str:
    """Blank out the letters of other scripts, which would speak for languages that cannot be meant."""
    others = {ord(each): " " for each in set(sample) if each.isalpha() and _script_of(each) != script}
    return " ".join(sample.translate(others).split())


def _of_several(sample: str, languages: list[str]) -> str | None:
    """Most likely of the languages that share a script, if the whole of a longer sample speaks for it."""
    count = min(_PIECES, len(sample) // _MIN_PIECE)
    pieces: list[dict[str, float]] = []
    if count >= _FEWEST_PIECES:
        size = -(-len(sample) // count)
        several = [sample[start : start + size] for start in range(0, len(sample), size)]
        wanted = math.ceil(_MIN_FITTING * len(several))
        # What so many pieces say each by itself the whole says too, and asking it would take as long again.
        pieces = [_shares(piece, languages) for piece in several[:wanted]]
        language = _most_likely(pieces[0])
        if all(_most_likely(shares) == language and shares.get(language, 0.0) >= _SURE for shares in pieces):
            return _name_of(language)
        pieces += [_shares(piece, languages) for piece in several[wanted:]]
    shares = _shares(sample, languages)
    language = _most_likely(shares)
    if shares.get(language, 0.0) < _MIN_CONFIDENCE:
        return None
    fitting = sum(shares.get(language, 0.0) >= _MIN_PLAUSIBLE for shares in pieces)
    return _name_of(language) if fitting >= _MIN_FITTING * len(pieces) else None


def _most_likely(shares: dict[str, float]) -> str:
    return max(shares, key=shares.__getitem__, default="")


def _name_of(language: str) -> str:
    return "no" if language in {"nb", "nn"} else language


def _shares(sample: str, languages: list[str]) -> dict[str, float]:
    """Share of each language in what the model gives to these languages together."""
    ranked = {language: float(share) for language, share in _model().rank(sample) if language in languages}
    total = sum(ranked.values())
    return {language: share / total for language, share in ranked.items()} if total > 0 else {}


@cache
def _model() -> LanguageIdentifier:
    """Load the model once a process; it is part of the installed package."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - half a second

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
