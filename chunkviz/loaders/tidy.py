"""The few changes a loader makes to any text, each reported as a sentence."""

from __future__ import annotations

import re

from chunkviz.wording import count_of

_CODE = re.compile(r"(^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?^ {0,3}\2[`~]*[ \t]*$|(?<!\\)`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LINE_MARK = re.compile(r"(?:^|\n) {0,3}\Z")
_INLINE_IMAGE = re.compile(r"!\[([^\]\n]*)\]\(data:[^)\s]*\)")


def tidy(text: str) -> tuple[str, list[str]]:
    r"""Return the text without NUL and with ``\n`` as its only line end, and what was changed."""
    changes = []
    if nul := text.count("\0"):
        text = text.replace("\0", "")
        changes.append(f"Removed {count_of(nul, 'NUL character')}.")
    if windows := text.count("\r\n"):
        text = text.replace("\r\n", "\n")
        changes.append(f"Turned {count_of(windows, 'Windows line end')} into \\n.")
    if mac := text.count("\r"):
        text = text.replace("\r", "\n")
        changes.append(f"Turned {count_of(mac, 'carriage return')} into \\n.")
    return text, changes


def plain_markdown(text: str) -> str:
    r"""Return Markdown with the escapes of a converter taken back: ``R\&D`` becomes ``R&D`` again.

    What is shown and searched is what the author wrote. Escapes stay where the bare sign would change the
    structure: a number sign at a line's beginning, a pipe in a table, anything inside code.
    """
    parts = _CODE.split(text)
    # split() yields text, code, fence, text, code, fence, ...
    return "".join(_unescaped(part) if at % 3 == 0 else part if at % 3 == 1 else "" for at, part in enumerate(parts))


def _unescaped(text: str) -> str:
    """Take back escapes outside code."""

    def bare(found: re.Match[str]) -> str:
        sign = found[1]
        if sign == "|" or (sign in "#>`~" and _LINE_MARK.search(text, max(0, found.start() - 4), found.start())):
            return found[0]
        return sign

    return _ESCAPED.sub(bare, text)


def without_inline_images(text: str) -> tuple[str, int]:
    """Return Markdown in which pictures written into the text (``data:``) are replaced by their description."""
    return _INLINE_IMAGE.subn(lambda found: found[1], text)
