"""Language detection, offline, on one sentence each."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chunkviz.language import detect_language


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


def test_only_the_beginning_is_looked_at() -> None:
    assert (
        detect_language("The library opens at nine every morning. " * 100 + "Die Bibliothek öffnet. " * 10_000) == "en"
    )


def test_importing_the_loaders_loads_no_parser_and_no_model() -> None:
    heavy = "{'kreuzberg', 'pypdfium2', 'mammoth', 'py3langid', 'charset_normalizer'}"
    code = f"import sys, chunkviz.loaders, chunkviz.language; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
