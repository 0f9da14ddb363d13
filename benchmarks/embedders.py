"""How well each embedder tells a change of section from neighbouring paragraphs, and how fast it is.

    python benchmarks/embedders.py [--only NAME …] [--documents tuning|held-out] [--model FOLDER]

The texts are documentation of Debian packages, named in benchmarks/README.md: books and manuals with real sections, in
English and other languages. Neighbouring paragraphs of a document are of one section, or a heading stands between
them; headings themselves are left out. The figure is the area under the curve of "same section" against the cosine of
the two vectors: the chance that a pair of one section is closer than a pair with a heading between. It needs no
threshold. The documents under "tuning" chose the parameters of the lexical embedder; those that are held out did not.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SHARE = Path("/usr/share")  # where Debian's packages put their documentation
LONG_ENOUGH = 80
"""Characters of a paragraph that says something; half of it where words are written without spaces."""
ENOUGH_PAIRS = 40
"""Pairs of either kind that a document must have."""
UNSPACED = ("ja", "ko", "zh", "zh-tw")


@dataclass(frozen=True, slots=True)
class Manual:
    """Where a manual lies in each language; ``{}`` in the pattern is what stands for the language there."""

    package: str
    pattern: str
    languages: dict[str, str]
    held_out: bool = True


def _same(*languages: str) -> dict[str, str]:
    return {language: language for language in languages}


MANUALS = (
    Manual(
        "installation-guide-amd64",
        "doc/installation-guide-amd64/{}/*.html",
        {
            **_same("ca", "cs", "da", "de", "el", "en", "es", "fr", "id", "it", "ja", "ko", "nl", "pt", "ro", "ru"),
            **_same("sv", "vi"),
            "zh": "zh_CN",
        },
        held_out=False,
    ),
    Manual(
        "debian-handbook",
        "doc/debian-handbook/html/{}/*.html",
        {
            **{"ar": "ar-MA", "ca": "ca-ES", "de": "de-DE", "en": "en-US", "es": "es-ES", "fa": "fa-IR"},
            **{"fr": "fr-FR", "id": "id-ID", "it": "it-IT", "ja": "ja-JP", "pl": "pl-PL", "pt": "pt-BR"},
            **{"ru": "ru-RU", "vi": "vi-VN", "zh": "zh-CN", "zh-tw": "zh-TW", "ko": "ko-KR", "tr": "tr-TR"},
        },
    ),
    Manual(
        "debian-reference",
        "debian-reference/*.{}.html",
        {**_same("de", "en", "es", "fr", "id", "it", "ja", "pt", "zh-tw"), "zh": "zh-cn"},
    ),
    Manual(
        "gnome-user-docs",
        "help/{}/gnome-help/*.page",
        {
            **_same("ca", "cs", "da", "de", "el", "es", "fr", "hu", "id", "it", "ja", "ko", "nl", "pl", "ru", "sv"),
            **_same("te", "tr", "uk"),
            **{"en": "C", "pt": "pt_BR", "zh": "zh_CN"},
        },
    ),
    Manual("aptitude-doc", "doc/aptitude/html/{}/*.html", _same("cs", "en", "es", "fi", "fr", "it", "ja", "nl", "ru")),
    Manual("debian-faq", "doc/debian/FAQ/*.{}.html", {"en": "en"}),
    Manual("debian-faq", "doc/debian/FAQ/{}/*.html", _same("de", "fr", "it", "ja", "ko", "nl", "pt", "ru")),
    Manual(
        "developers-reference",
        "doc/developers-reference{}/docs/*.html",
        {"en": "", **{language: f"-{language}" for language in ("de", "fr", "it", "ja", "ru")}},
    ),
)


@dataclass(frozen=True, slots=True)
class Text:
    """The paragraphs of one manual in one language, and which neighbours are to be told apart."""

    package: str
    language: str
    paragraphs: list[str] = field(repr=False)
    pairs: list[int] = field(repr=False)
    """Each paragraph that is compared with the next one."""
    same: list[bool] = field(repr=False)
    """For each pair: no heading stands between."""


class Paragraphs(HTMLParser):
    """Collects the paragraphs of a page, HTML or Mallard, with the number of headings before each."""

    blocks = frozenset("p li dd dt div td th item blockquote ul ol dl steps list table section note".split())
    headings = frozenset("h1 h2 h3 h4 h5 h6 title".split())
    left_out = frozenset("pre script style head nav table info screen code-block figure".split())
    left_out_classes = re.compile(
        r"\b(toc|navheader|navfooter|docnav|sphinxsidebar|footer|related|sidebar|footnotes?|table|titlepage-toc)\b"
    )

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._heading_count = 0
        self._words: list[str] = []
        self._inside: list[str] = []  # what is being left out: its tag, and that tag once more for each inside it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._inside:
            if tag == self._inside[0]:
                self._inside.append(tag)
            return
        kind = dict(attrs).get("class") or ""
        heading = tag in self.headings or (tag == "p" and kind == "title")
        if tag in self.blocks or heading or tag in self.left_out:
            self._end_paragraph()
        if heading or tag in self.left_out or (tag in {"div", "ul"} and self.left_out_classes.search(kind)):
            self._heading_count += heading
            self._inside = [tag]

    def handle_endtag(self, tag: str) -> None:
        if self._inside:
            if tag == self._inside[0]:
                self._inside.pop()
        elif tag in self.blocks:
            self._end_paragraph()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self._words.append(data)

    def _end_paragraph(self) -> None:
        text = " ".join("".join(self._words).split())
        self._words.clear()
        if text:
            self.found.append((self._heading_count, text))


def read(manual: Manual, language: str) -> list[tuple[int, str]]:
    """Return the section number and text of every paragraph of a manual, page after page."""
    found: list[tuple[int, str]] = []
    sections = 0
    for path in sorted(SHARE.glob(manual.pattern.format(manual.languages[language]))):
        page = Paragraphs()
        page.feed(path.read_text(encoding="utf-8", errors="ignore"))
        page.close()
        found += [(sections + number, text) for number, text in page.found]
        sections += 1 + max((number for number, _ in page.found), default=0)
    return found


def texts(*, held_out: bool) -> Iterator[Text]:
    """Yield every manual in every language in which enough of it is installed and translated."""
    english: defaultdict[str, set[str]] = defaultdict(set)
    for manual in MANUALS:
        if "en" in manual.languages:
            english[manual.package].update(text for _, text in read(manual, "en"))
    for manual in MANUALS:
        if manual.held_out is not held_out:
            continue
        for language in manual.languages:
            shortest = LONG_ENOUGH // 2 if language in UNSPACED else LONG_ENOUGH
            found, seen = [], set()
            for section, text in read(manual, language):
                untranslated = language != "en" and text in english[manual.package]
                good = len(text) >= shortest and not untranslated and text not in seen
                seen.add(text)
                found.append((section, text, good))
            pairs, same = [], []
            good_ones = [each for each in found if each[2]]
            place = {id(each): index for index, each in enumerate(good_ones)}
            for one, other in pairwise(found):
                if one[2] and other[2]:
                    pairs.append(place[id(one)])
                    same.append(one[0] == other[0])
            if min(sum(same), len(same) - sum(same)) >= ENOUGH_PAIRS:
                yield Text(manual.package, language, [text for _, text, _ in good_ones], pairs, same)
