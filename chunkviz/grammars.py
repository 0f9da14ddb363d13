"""The programming languages that can be parsed: which grammar reads them, and how a text is known for one.

Each grammar is a compiled package of its own, loaded when a text in its language is first met.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from tree_sitter import Language

    from chunkviz.document import Document

CodeLanguage: TypeAlias = Literal[
    "python", "javascript", "typescript", "tsx", "java", "go", "rust", "c", "cpp", "csharp", "ruby", "php", "shell",
    "sql", "html", "css", "json", "yaml",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: its name for people, where its grammar is, and how files and texts in it are known."""

    title: str
    package: str
    suffixes: str
    """Endings of file names."""
    line: str = ""
    """Pattern of lines that are hardly written in anything else."""
    function: str = "language"
    """Name of what the package calls its grammar."""


GRAMMARS: Final[dict[CodeLanguage, Grammar]] = {
    "python": Grammar(
        "Python",
        "tree_sitter_python",
        ".py .pyi .pyw",
        r"(?:async )?def \w+\(.*:$|class \w+(?:\(.*\))?:$|from [\w.]+ import |if __name__ ==",
    ),
    "javascript": Grammar(
        "JavaScript",
        "tree_sitter_javascript",
        ".js .jsx .mjs .cjs",
        r"(?:async )?function \w*\(.*\{$|(?:const|let) \w+ = |module\.exports|import .* from ['\"]",
    ),
    "typescript": Grammar(
        "TypeScript",
        "tree_sitter_typescript",
        ".ts .mts .cts",
        r"(?:export )?(?:interface \w+ \{|type \w+ = )|(?:const|let) \w+: \w+|function \w+\(\w+\??: ",
        "language_typescript",
    ),
    "tsx": Grammar("TSX", "tree_sitter_typescript", ".tsx", function="language_tsx"),
    "java": Grammar(
        "Java",
        "tree_sitter_java",
        ".java",
        r"import (?:static )?(?:java|javax|org|com)\.|public (?:static |final |abstract )*(?:class|interface|void) ",
    ),
    "go": Grammar("Go", "tree_sitter_go", ".go", r"package \w+$|func (?:\(.*\) )?\w+\(.*\{$|\w+ := "),
    "rust": Grammar(
        "Rust", "tree_sitter_rust", ".rs", r"(?:pub )?(?:fn \w+|struct \w+ \{|impl\b.*\{)|use (?:std|crate)::|#\[\w+"
    ),
    "c": Grammar("C", "tree_sitter_c", ".c .h", r'#include ["<][\w/]+\.h[">]|#define |(?:int|void) \w+\(.*\{?$'),
    "cpp": Grammar(
        "C++", "tree_sitter_cpp", ".cpp .cc .cxx .hpp .hh .hxx", r"#include <\w+>|using namespace |std::|template ?<"
    ),
    "csharp": Grammar("C#", "tree_sitter_c_sharp", ".cs", r"using [\w.]+;$|namespace [\w.]+;?$|public .*\bget;"),
    "ruby": Grammar("Ruby", "tree_sitter_ruby", ".rb", r"require ['\"]|def \w+[?!]?(?:\(.*\))?$|end$|attr_\w+ :"),
    "php": Grammar("PHP", "tree_sitter_php", ".php", r"<\?php|\$\w+ = .*;$", "language_php"),
    "shell": Grammar("Shell", "tree_sitter_bash", ".sh .bash .zsh", r"if \[|fi$|done$|esac$|export \w+="),
    "sql": Grammar(
        "SQL", "tree_sitter_sql", ".sql", r"(?i:select .* from |insert into |create (?:table|view|index) |alter table )"
    ),
    "html": Grammar("HTML", "tree_sitter_html", ".html .htm .xhtml", r"(?i:</?(?:html|head|body|div|script)\b)"),
    "css": Grammar("CSS", "tree_sitter_css", ".css", r"[.#@]?[\w-]+(?:[ ,:.#>][\w .#>:,-]*)? \{$|[a-z-]+: [^{}]+;$"),
    "json": Grammar("JSON", "tree_sitter_json", ".json .jsonl .geojson", r'"[^"]*": |\[\{"|\{"[^"]*":'),
    "yaml": Grammar("YAML", "tree_sitter_yaml", ".yaml .yml", r"---$|[\w-]+:$|- \w+: "),
}  # fmt: skip

_SHELLS: Final[dict[str, CodeLanguage]] = {"python": "python", "node": "javascript", "ruby": "ruby", "php": "php"}
_SIGNS: Final = {
    name: re.compile(rf"^[ \t]*(?:{grammar.line})", re.MULTILINE) for name, grammar in GRAMMARS.items() if grammar.line
}
_LOOKED_AT = 20_000
"""Characters of a text that are searched for lines of a language."""
_LINES_NEEDED = 3


def code_language(document: Document) -> CodeLanguage | None:
    """Return the programming language of a document by its name, or else by its lines; None when neither tells."""
    suffix = PurePath(document.name).suffix.lower()
    for name, grammar in GRAMMARS.items():
        if suffix and suffix in grammar.suffixes.split():
            return name
    return document.derive("code language", lambda: _by_content(document.text[:_LOOKED_AT]))


def _by_content(text: str) -> CodeLanguage | None:
    first = text[:200].split("\n", 1)[0]
    if first.startswith("#!"):
        return next((name for word, name in _SHELLS.items() if word in first), "shell" if "sh" in first else None)
    for name, start in (("php", "<?php"), ("html", "<!doctype html"), ("html", "<html")):
        if text.lstrip()[:20].lower().startswith(start):
            return name  # type: ignore[return-value]  # the names are those of the table
    counts = {name: len(sign.findall(text)) for name, sign in _SIGNS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _LINES_NEEDED and list(counts.values()).count(counts[best]) == 1 else None


@lru_cache(maxsize=len(get_args(CodeLanguage)))
def load_grammar(name: CodeLanguage) -> Language:
    """Return the grammar of a language, loaded once in a process."""
    from tree_sitter import Language  # noqa: PLC0415  compiled; loaded when first needed

    grammar = GRAMMARS[name]
    return Language(getattr(import_module(grammar.package), grammar.function)())
