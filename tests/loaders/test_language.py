"""Language detection, offline, on one sentence each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chunkviz.language import _ONE, _SEVERAL, LANGUAGE_NAMES, detect_language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The library opens at nine every morning."),
        ("de", "Die Bibliothek öffnet jeden Morgen um neun Uhr."),
        ("fr", "La bibliothèque ouvre tous les matins à neuf heures."),
        ("es", "La biblioteca abre todas las mañanas a las nueve."),
        ("it", "La biblioteca apre ogni mattina alle nove."),
        ("pt", "A biblioteca abre todas as manhãs às nove."),
        ("nl", "De bibliotheek gaat elke ochtend om negen uur open."),
        ("sv", "Biblioteket öppnar varje morgon klockan nio."),
        ("pl", "Biblioteka otwiera się codziennie o dziewiątej rano."),
        ("tr", "Kütüphane her sabah dokuzda açılır."),
        ("ru", "Библиотека открывается каждое утро в девять."),
        ("uk", "Бібліотека відкривається щоранку о дев'ятій."),
        ("ja", "図書館は毎朝九時に開きます。"),
        ("zh", "图书馆每天早上九点开门。"),
        ("ko", "도서관은 매일 아침 아홉 시에 엽니다."),
        ("ar", "تفتح المكتبة كل صباح في الساعة التاسعة."),
        ("fa", "کتابخانه هر روز صبح ساعت نه باز می‌شود."),
        ("he", "הספרייה נפתחת בכל בוקר בתשע."),
        ("el", "Η βιβλιοθήκη ανοίγει κάθε πρωί στις εννέα."),
        ("th", "ห้องสมุดเปิดทุกเช้าเวลาเก้าโมง"),
        ("hi", "पुस्तकालय हर सुबह नौ बजे खुलता है।"),
    ],
)
def test_one_sentence_is_enough(language: str, text: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["", "   \n", "OK", "12345 67890", "asdf qwer zxcv uiop", "x = foo(bar, baz)", "😀😀😀", "\ud83d"]
)
def test_what_is_no_language_is_none(text: str) -> None:
    assert detect_language(text) is None


ENGLISH = "The library opens at nine every morning. Readers come from far away and sit by the windows. "
GERMAN = "Die Bibliothek öffnet jeden Morgen um neun Uhr. Leser kommen von weit her und sitzen an den Fenstern. "
FRENCH = "La bibliothèque ouvre tous les matins à neuf heures. Les lecteurs viennent de loin et restent. "
RUSSIAN = "Библиотека открывается каждое утро в девять. Читатели приходят издалека. "
JAPANESE = "図書館は毎朝九時に開きます。読者は遠くから来て窓辺に座ります。"


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH * 5 + GERMAN * 5,
        FRENCH * 3 + ENGLISH * 2,
        ENGLISH * 3 + GERMAN * 3 + FRENCH * 3,
        ENGLISH * 4 + RUSSIAN * 4,
        ENGLISH * 4 + JAPANESE * 4,
        (ENGLISH + GERMAN + FRENCH + RUSSIAN + JAPANESE) * 3,
    ],
    ids=["en de", "fr en", "en de fr", "en ru", "en ja", "five"],
)
def test_a_mixture_is_none(text: str) -> None:
    assert detect_language(text) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", ENGLISH * 8 + GERMAN * 2),
        ("de", ENGLISH + GERMAN * 8),
        ("ru", RUSSIAN * 8 + ENGLISH * 3),
        ("ja", JAPANESE * 8 + ENGLISH * 3),
    ],
)
def test_a_quotation_in_another_language_does_no_harm(language: str, text: str) -> None:
    assert detect_language(text) == language


def test_every_language_that_can_be_told_has_a_name() -> None:
    told = {*_ONE.values(), *" ".join(_SEVERAL.values()).split(), "ja", "zh", "no"} - {"nb", "nn"}
    assert told == set(LANGUAGE_NAMES)


def test_only_the_beginning_is_looked_at() -> None:
    assert (
        detect_language("The library opens at nine every morning. " * 100 + "Die Bibliothek öffnet. " * 10_000) == "en"
    )


def test_importing_the_loaders_loads_no_parser_and_no_model() -> None:
    heavy = "{'kreuzberg', 'pypdfium2', 'mammoth', 'py3langid', 'charset_normalizer'}"
    code = f"import sys, chunkviz.loaders, chunkviz.language; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def test_text_of_which_the_model_says_nothing_has_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunkviz.language._shares", lambda *_: {})
    assert detect_language("A few plain words, and again. " * 60) is None
