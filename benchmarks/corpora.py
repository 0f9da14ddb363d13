"""Real text that does not repeat, gathered from what is installed: prose, markdown, source code, Chinese and Japanese.

The packages that give enough of it are named in benchmarks/README.md. Paragraphs that occur twice are kept once. What
is missing is invented, by a chain of words drawn from what was found, and said to be.
"""

from __future__ import annotations

import gzip
import html
import random
import re
import sysconfig
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

SHARE = Path("/usr/share")  # where Debian's packages put their documentation
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
PACKAGES = Path(sysconfig.get_path("purelib"))

SOURCES: dict[str, tuple[tuple[Path, str], ...]] = {
    "prose": (
        (SHARE / "doc/debian-handbook/html/en-US", "*.html"),
        (SHARE, "doc/postgresql-doc-*/html/*.html"),
        (SHARE, "debian-reference/*.en.html"),
        (SHARE, "doc/git-doc/*.html"),
        (SHARE, "perl/*/pod/*.pod"),
    ),
    "markdown": (
        (PACKAGES, "*.dist-info/METADATA"),
        (PACKAGES, "**/*.md"),
        (PACKAGES, "**/*.rst"),
        (SHARE, "doc/nodejs/**/*.md*"),
        (SHARE, "doc/python3*/html/_sources/**/*.rst.txt"),
        (SHARE, "doc/linux-doc-*/html/_sources/**/*.rst.txt"),
    ),
    "code": ((STANDARD_LIBRARY, "**/*.py"), (PACKAGES, "**/*.py")),
    "CJK": (
        (SHARE, "doc/debian-handbook/html/zh-CN/*.html"),
        (SHARE, "doc/debian-handbook/html/ja-JP/*.html"),
        (SHARE, "doc/debian-handbook/html/zh-TW/*.html"),
        (SHARE, "debian-reference/*.ja.html"),
        (SHARE, "debian-reference/*.zh-*.html"),
        (SHARE, "gimp/2.0/help/ja/*.html"),
        (SHARE, "gimp/2.0/help/zh_CN/*.html"),
        (SHARE, "man/ja/man*/*.gz"),
        (SHARE, "man/zh_CN/man*/*.gz"),
        (SHARE, "man/zh_TW/man*/*.gz"),
    ),
}
"""For each kind: folders, and the files below them."""

_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A text of one kind, and how much of it is real."""

    kind: str
    text: str
    files: int
    invented: int
    """Bytes of it that were not found but drawn from a chain of words."""

    @property
    def origin(self) -> str:
        """One phrase for the report."""
        size = len(self.text.encode())
        real = f"{(size - self.invented) / 1e6:.1f} MB from {self.files:,} files"
        return f"{real}, {self.invented / 1e6:.1f} MB invented from them" if self.invented else real


def gather(kind: str, size: int) -> Corpus:
    """Return about ``size`` bytes (of UTF-8) of a kind of text; the same on every run of one machine."""
    parts: list[str] = []
    seen: set[int] = set()
    found = files = 0
    for path in _paths(kind):
        text = "\n\n".join(_new_paragraphs(_read(path), seen, kind)).strip()
        if not text:
            continue
        parts.append(text)
        files += 1
        found += len(text.encode()) + 2
        if found >= size:
            break
    text = "\n\n".join(parts)
    if not text:
        return Corpus(kind, "", 0, 0)
    invented = max(0, size - found)
    if invented > size // 50:
        text += "\n\n" + _invent(text, invented)
    else:
        invented = 0
    return Corpus(kind, text.encode()[:size].decode("utf-8", "ignore"), files, invented)


def _paths(kind: str) -> list[Path]:
    paths = sorted({path for folder, pattern in SOURCES[kind] if folder.is_dir() for path in folder.glob(pattern)})
    files = [path for path in paths if path.is_file() and "test" not in path.parts[-2]]
    random.Random(29).shuffle(files)  # noqa: S311  the same order on every run
    return files


def _read(path: Path) -> str:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "ignore").replace("\r\n", "\n")
    if path.suffix == ".html":
        return _without_tags(text)
    if "man" in path.parts:
        return _without_roff(text)
    if path.name == "METADATA":
        return text.partition("\n\n")[2]
    return text


def _without_tags(text: str) -> str:
    text = re.sub(r"(?is)<(script|style|head)\b.*?</\1>", "", text)
    text = re.sub(r"(?i)</?(?:p|div|h\d|li|ul|ol|dl|dt|dd|table|pre|blockquote)\b[^>]*>", "\n\n", text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"\n[ \t]*\n\s*", "\n\n", text)


def _without_roff(text: str) -> str:
    text = re.sub(r"(?m)^[.'](?:\\\"|TH|if|ie|el|de|nr|ds|nh|ad|\.).*\n?", "", text)
    text = re.sub(r"(?m)^\.(?:SH|SS) *", "\n\n", text)
    text = re.sub(r"(?m)^\.(?:PP|P|LP|TP|HP|IP|sp|br|RS|RE|fi|nf)\b.*$", "\n", text)
    text = re.sub(r"(?m)^\.[A-Z]{1,2} *", "", text)
    return re.sub(r"\\f[A-Z]|\\f\(..|\\&|\\", "", text)


def _new_paragraphs(text: str, seen: set[int], kind: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        if len(paragraph) > 60:
            key = hash(" ".join(paragraph.split()))
            if key in seen:
                continue
            seen.add(key)
        if kind == "CJK" and len(_IDEOGRAPHS.findall(paragraph)) < len(paragraph) * 0.3:
            continue
        yield paragraph


def _invent(text: str, size: int) -> str:
    """Return ``size`` bytes of words that follow one another as they do in ``text``, drawn from a seeded source."""
    words = re.findall(r"\S+\s*|\s+", text)
    if _IDEOGRAPHS.search(text[:10_000]):
        words = re.findall(r"[^。\n]{1,4}|[。\n]+", text)
    after: defaultdict[str, list[str]] = defaultdict(list)
    for word, following in pairwise(words):
        after[word].append(following)
    draw = random.Random(29)  # noqa: S311  the same text on every run
    made, length, word = [], 0, words[0]
    while length < size:
        word = draw.choice(after[word] or words)
        made.append(word)
        length += len(word.encode())
    return "".join(made)


def _letters(length: int) -> str:
    draw = random.Random(29)  # noqa: S311  the same text on every run
    return "".join(draw.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=length))


def _ideographs(length: int) -> str:
    draw = random.Random(29)  # noqa: S311  the same text on every run
    return "".join(map(chr, draw.choices(range(0x4E00, 0x5E00), k=length)))


HARD: dict[str, Callable[[int], str]] = {
    "one line without a space": _letters,
    "one character, repeated": lambda length: "x" * length,
    "newlines": lambda length: "\n" * length,
    "spaces": lambda length: " " * length,
    "spaces between two words": lambda length: "a" + " " * (length - 2) + "b",
    "one line of CJK without punctuation": _ideographs,
    "emoji with joiners": lambda length: "👩\u200d👩\u200d👧" * (length // 5),
    "letters with combining marks": lambda length: "a\u0301\u0323" * (length // 3),
    "combining marks only": lambda length: "a" + "\u0301" * (length - 1),
}
"""Texts that break what is not linear, by length in characters."""
