"""Which language a text is in, offline."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LOOKED_AT = 4_000  # characters
_NOISE = re.compile(r"https?://\S+|\S+@\S+|```.*?```|<[^>\n]{1,200}>|\d+", re.DOTALL)
_MIN_LETTERS = 6
_MIN_CONFIDENCE = 0.25
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
_CJK_WEIGHT = 3  # one such character says about as much as three letters


def detect_language(text: str) -> str | None:
    """Return the ISO 639-1 code ("en", "ja") of the first 4,000 characters, or None when unsure.

    The script decides where it can; among languages of one script a small naive Bayes model does, which is loaded at
    the first such text (most of a second).
    """
    sample = _NOISE.sub(" ", text[:_LOOKED_AT])
    scripts = _scripts(sample)
    if not scripts:
        return None
    script, weight = scripts.most_common(1)[0]
    if weight < _MIN_LETTERS:
        return None
    if script == "CJK":
        return "ja" if any(scripts[kana] for kana in _KANA) else "zh"
    if script in _KANA:
        return "ja"
    if script in _ONE:
        return _ONE[script]
    return _modelled(sample, _SEVERAL[script].split()) if script in _SEVERAL else None


def _scripts(sample: str) -> Counter[str]:
    """Weight of each script, by the first word of its characters' names."""
    scripts: Counter[str] = Counter()
    for character, count in Counter(sample).items():
        if character.isalpha():
            script = unicodedata.name(character, "").partition(" ")[0]
            scripts[script] += count * (_CJK_WEIGHT if script in {"CJK", *_KANA} else 1)
    return scripts


def _modelled(sample: str, languages: list[str]) -> str | None:
    """Most likely of the languages that share a script."""
    ranked = [(language, share) for language, share in _model().rank(sample) if language in languages]
    total = sum(share for _, share in ranked)
    if not ranked or total <= 0:
        return None
    language, share = ranked[0]
    if share < _MIN_CONFIDENCE * total:
        return None
    return "no" if language in {"nb", "nn"} else language


@cache
def _model() -> LanguageIdentifier:
    """Load the model once a process; it is part of the installed package."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - half a second

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
