"""Articles and books with long paragraphs, for `benchmarks/embedders.py`: the second set of texts.

Its rules were written down before any model was measured on it, in the shape that studies of text segmentation use:

- A section is a top-level one of an article or of a book's chapter; deeper headings count for nothing. What stands
  before the first heading is a section too.
- A paragraph is running text of at least 200 characters, or 100 where words are written without spaces. Lists, tables,
  notes, figures, code, headings and footnotes are left out, and whatever is left in English in another language.
- Two paragraphs are neighbours when no other that counts stands between them.
- A single article needs 5 pairs of either kind, a book or a collection of articles 20.

The articles are every second one for development (the first, the third, and so on by number or name) and the others
held out, so that no article is in both, in any language. A book is wholly one or the other.
"""

from __future__ import annotations

import bz2
import html
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

LONG = 200
"""Characters of a paragraph; half of it where words are written without spaces."""
UNSPACED = ("ja", "ko", "zh", "zh-tw")
OF_AN_ARTICLE, OF_A_BOOK = 5, 20
"""Pairs of either kind that there must be."""

Found = list[tuple[int, str]]
"""The number of the section and the text of each paragraph."""


@dataclass(frozen=True, slots=True)
class Text:
    """The paragraphs of one text in one language, and which neighbours are to be told apart."""

    package: str
    language: str
    paragraphs: list[str] = field(repr=False)
    pairs: list[int] = field(repr=False)
    """Each paragraph that is compared with the next one."""
    same: list[bool] = field(repr=False)
    """For each pair: both are of one section."""


@dataclass(frozen=True, slots=True)
class Markup:
    """Which elements of a kind of page are paragraphs, which begin a section, and which are left out."""

    paragraphs: frozenset[str]
    sections: frozenset[str]
    left_out: frozenset[str]
    classes: re.Pattern[str] = re.compile("")
    """What the class of a paragraph must match."""


SKYCULTURE = Markup(
    frozenset(("p",)),
    frozenset(("h2",)),
    frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "blockquote", "pre", "sup")),
)
LIVE_MANUAL = Markup(
    frozenset(("p",)),
    frozenset(("h4", "h5")),
    frozenset(("head", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "script", "style", "sup")),
    re.compile("^i0$"),
)
_DOCBOOK_LEFT_OUT = frozenset(
    (
        *("title", "titleabbrev", "subtitle", "itemizedlist", "orderedlist", "variablelist", "simplelist", "procedure"),
        *("table", "informaltable", "figure", "screenshot", "mediaobject", "note", "tip", "warning", "caution"),
        *("important", "footnote", "programlisting", "screen", "example", "bookinfo", "articleinfo", "legalnotice"),
        *("indexterm", "glossary", "remark", "blockquote", "sidebar", "qandaset"),
    )
)
GNUCASH = Markup(frozenset(("para",)), frozenset(("chapter", "appendix", "sect1")), _DOCBOOK_LEFT_OUT)
MATE = Markup(frozenset(("para",)), frozenset(("chapter", "sect1", "section")), _DOCBOOK_LEFT_OUT)


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """Where a book lies in each language; ``{}`` in the pattern stands for the language there."""

    package: str
    pattern: str
    languages: dict[str, str]
    markup: Markup
    held_out: bool


def _same(*languages: str) -> dict[str, str]:
    return {language: language for language in languages}


BOOKS = (
    Book(
        "gnucash-docs",
        "help/{}/gnucash-guide/ch_*.xml",
        {"en": "C", **_same("de", "it", "ja", "pt")},
        GNUCASH,
        held_out=True,
    ),
    Book(
        "live-manual-html",
        "doc/live-manual/html/live-manual.{}.html",
        {**_same("ca", "de", "en", "es", "fr", "it", "ja", "pl", "ro"), "pt": "pt_BR"},
        LIVE_MANUAL,
        held_out=True,
    ),
    Book(
        "mate-user-guide",
        "help/{}/mate-user-guide/gos*.xml",
        {
            **_same("ar", "ca", "cs", "da", "de", "el", "es", "fi", "fr", "hu", "id", "it", "ja", "ko", "lt", "nl"),
            **_same("pl", "ru", "sv", "tr", "uk"),
            "en": "C",
            "pt": "pt_BR",
            "zh": "zh_CN",
            "zh-tw": "zh_TW",
        },
        MATE,
        held_out=False,
    ),
)
SKYCULTURES = {
    **_same("ar", "be", "bn", "de", "en", "es", "fr", "gl", "hr", "it", "ja", "nl", "ru", "sk", "uk"),
    "pt": "pt_BR",
    "zh": "zh_CN",
    "zh-tw": "zh_TW",
}
WIKIPEDIA = "test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
"""The first hundred articles of the English Wikipedia, in the Python package gensim."""


class Page(HTMLParser):
    """Collects the paragraphs of a page with the number of sections begun before each."""

    def __init__(self, markup: Markup) -> None:
        """Start with nothing found."""
        super().__init__()
        self.found: Found = []
        self.sections = 0
        self._markup = markup
        self._words: list[str] = []
        self._paragraph = ""
        self._inside: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section or a paragraph, or leave out what is neither."""
        if self._inside:
            if tag == self._inside[0]:
                self._inside.append(tag)
            return
        if tag == "section":
            self._depth += 1
        if tag in self._markup.sections and self._depth <= 1:
            self.sections += 1
        if tag in self._markup.left_out:
            self._inside = [tag]
        elif tag in self._markup.paragraphs:
            self._end()
            if self._markup.classes.search(dict(attrs).get("class") or ""):
                self._paragraph = tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass an element that holds nothing."""

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph, or what is left out."""
        if self._inside:
            if tag == self._inside[0]:
                self._inside.pop()
        elif tag == "section":
            self._depth -= 1
        elif tag == self._paragraph:
            self._end()

    def handle_data(self, data: str) -> None:
        """Take text."""
        if self._paragraph and not self._inside:
            self._words.append(data)

    def _end(self) -> None:
        text = " ".join("".join(self._words).split())
        self._words.clear()
        self._paragraph = ""
        if text:
            self.found.append((self.sections, text))


def _pages(paths: list[Path], markup: Markup) -> Found:
    """Return the paragraphs of some pages, each of which begins a section."""
    found: Found = []
    sections = 0
    for path in paths:
        page = Page(markup)
        page.feed(path.read_text(encoding="utf-8", errors="ignore"))
        page.close()
        found += [(sections + number, text) for number, text in page.found]
        sections += 1 + page.sections
    return found


def _innermost(opening: str, closing: str, text: str) -> str:
    """Return wiki text without anything in these brackets, nested ones from the inside out."""
    pattern = re.compile(rf"{opening}(?:(?!{opening}|{closing}).)*?{closing}", re.DOTALL)
    while True:
        text, count = pattern.subn("", text)
        if not count:
            return text


def wiki_paragraphs(source: str) -> Found:
    """Return the running text of an article in wiki text, by top-level section."""
    text = html.unescape(source)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(
        r"<ref[^>]*/>|<(ref|gallery|math|table|pre|source|blockquote)\b[^>]*>.*?</\1>", "", text, flags=re.DOTALL
    )
    text = _innermost(r"\{\{", r"\}\}", text)
    text = _innermost(r"\{\|", r"\|\}", text)
    text = re.sub(r"\[\[(?!\w+:)(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]", r"\1", text)
    text = _innermost(r"\[\[", r"\]\]", text)
    text = re.sub(r"\[\w+://\S*\s*([^\]]*)\]", r"\1", text)
    text = re.sub(r"<[^>]*>|'{2,}", "", text)
    found: Found = []
    section = 0
    for line in text.split("\n"):
        if re.match(r"==[^=]", line):
            section += 1
        elif line.strip() and line[0] not in "=*#:;|!{} ":
            found.append((section, " ".join(line.split())))
    return found


def _wikipedia(*, held_out: bool) -> Iterator[Found]:
    """Yield every second article of the sample that gensim's tests use, if gensim is installed."""
    gensim = importlib.util.find_spec("gensim")
    if gensim is None or gensim.origin is None:
        return
    dump = bz2.decompress((Path(gensim.origin).parent / WIKIPEDIA).read_bytes()).decode()
    pages = re.findall(r"<page>.*?</page>", dump, re.DOTALL)
    whole = [page for page in pages if not re.search("<redirect|<title>[A-Z][a-z]+:", page)]
    for page in whole[held_out::2]:
        yield wiki_paragraphs(html.unescape(re.findall(r"<text[^>]*>(.*?)</text>", page, re.DOTALL)[0]))


def _text(package: str, language: str, found: Found, english: set[str], enough: int) -> Text | None:
    """Return the text, or None when it has too few pairs of either kind."""
    shortest = LONG // 2 if language in UNSPACED else LONG
    kept: Found = []
    seen = set(english)
    for section, text in found:
        if len(text) >= shortest and text not in seen:
            kept.append((section, text))
        seen.add(text)
    same = [one[0] == other[0] for one, other in pairwise(kept)]
    if min(sum(same), len(same) - sum(same)) < enough:
        return None
    return Text(package, language, [text for _, text in kept], list(range(len(same))), same)


def _sources(share: Path, *, held_out: bool) -> Iterator[tuple[str, Markup, dict[str, list[Path]]]]:
    """Yield each collection and book: its package, its markup, and its pages by language."""
    cultures = sorted((share / "stellarium/skycultures").glob("*/"))[held_out::2]
    yield (
        "stellarium-data",
        SKYCULTURE,
        {
            language: [page for each in cultures for page in each.glob(f"description.{name}.utf8")]
            for language, name in SKYCULTURES.items()
        },
    )
    for book in BOOKS:
        if book.held_out is held_out:
            named = book.languages.items()
            yield (
                book.package,
                book.markup,
                {language: sorted(share.glob(book.pattern.format(name))) for language, name in named},
            )


def articles(
    share: Path, *, held_out: bool, languages: list[str] | None = None, packages: list[str] | None = None
) -> Iterator[Text]:
    """Yield every article, collection and book of one half, of those packages that are installed."""
    if (not languages or "en" in languages) and (not packages or "gensim" in packages):
        for found in _wikipedia(held_out=held_out):
            text = _text("gensim", "en", found, set(), OF_AN_ARTICLE)
            if text:
                yield text
    for package, markup, pages in _sources(share, held_out=held_out):
        if packages and package not in packages:
            continue
        english = {text for _, text in _pages(pages["en"], markup)}
        for language, paths in pages.items():
            if not languages or language in languages:
                left_out = english if language != "en" else set()
                text = _text(package, language, _pages(paths, markup), left_out, OF_A_BOOK)
                if text:
                    yield text
