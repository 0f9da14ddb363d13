"""Bytes of a plain text file -> text, with a sentence about each thing that was changed."""

from __future__ import annotations

import codecs
import re
from itertools import islice

from chunkviz.errors import DocumentError
from chunkviz.loaders.kinds import SUFFIX_KINDS, SUPPORTED, binary_name, not_what_it_says, suffix_of
from chunkviz.loaders.tidy import tidy
from chunkviz.wording import count_of

_BOMS = (  # UTF-32's little-endian mark begins with UTF-16's, so it is looked for first
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PROBE = 65_536  # bytes looked at where a whole file would tell no more
_TELLING_LINE = re.compile(rb"^[\x00-\x09\x0b-\x7f]*+[\x80-\xff][^\n]*", re.MULTILINE)
_RUNS = 5_000  # words with other than ASCII letters, likewise
_ACCENTED_RUN = re.compile(rb"(?<![A-Za-z])[A-Za-z]*+[\x80-\xff][A-Za-z\x80-\xff]*")
_DECLARED = re.compile(
    rb"""<(?:\?xml|meta)\b[^>]{0,200}?\b(?:encoding|charset)\s*=\s*["']?([A-Za-z0-9._-]{2,40})""", re.IGNORECASE
)
_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_EDGE_SIGNS = "€‚„…†‡‰‹‘’“”•–—™›\xa0¡£§©«®°±´·»¿×½¼¾²³µ¶¹ªº"
_INNER_SIGNS = "‘’“”–—…·«»\xa0°•€"
_UNLIKELY = frozenset("ÝýÞþÐð")  # Icelandic; far more often Turkish, whose letters have the same bytes
_CANDIDATES = (
    "cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 koi8_r cp932 euc_jp gb18030 big5 euc_kr cp437 cp850"
)
_CONTROL = re.compile(r"[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROL_SHARE = 0.02  # terminal logs stay below; programs and pictures do not
_MAX_ACCENTED_SHARE = 0.7  # of the letters in accented words; "été" has two thirds, in Cyrillic it is all of them


def decode(data: bytes, name: str) -> tuple[str, list[str]]:
    """Return the text of ``data`` and what was changed, one sentence each.

    UTF-8 is tried first, then what byte order marks, NUL bytes and declarations say, then Western European by its
    look (which works for a dozen characters), then statistics.

    Raises
    ------
    DocumentError
        When the bytes are no text, or their encoding cannot be found.

    """
    if what := binary_name(data):
        message = f"{name} is {what}, not text; give one of: {SUPPORTED}."
        raise DocumentError(message)
    text, encoding, marked = _decoded(data, name)
    changes = []
    if encoding != "utf-8":
        changes.append(f"Decoded from {encoding}.")
    if marked or text.startswith("\ufeff"):
        changes.append("Removed a byte order mark.")
        text = text.removeprefix("\ufeff")
    if _is_binary(text, encoding):
        raise DocumentError(_no_text(name))
    broken = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if encoding == "utf-8" else 0)
    if broken > 0:
        changes.append(f"Replaced {count_of(broken, 'broken character')} by U+FFFD.")
    text, tidied = tidy(text)
    return text, changes + tidied


def _no_text(name: str) -> str:
    """Return the sentence about bytes that are no text: where a parser would know the ending, it names that kind."""
    named = SUFFIX_KINDS.get(suffix_of(name))
    if named is not None:
        return not_what_it_says(name, named)
    return f"{name} is a binary file that is not supported; give one of: {SUPPORTED}."


def _decoded(data: bytes, name: str) -> tuple[str, str, bool]:
    """Text, the encoding's name for people, and whether a byte order mark was cut off."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _unicode(data[len(mark) :], encoding), encoding, True
    if utf16 := _utf16_without_mark(data):
        return _unicode(data, utf16), utf16, False
    try:
        return data.decode("utf-8"), "utf-8", False
    except UnicodeDecodeError:
        pass
    if (text := _mended_utf8(data)) is not None:
        return text, "utf-8", False
    if b"\0" in data:
        raise DocumentError(_no_text(name))
    encoding = _declared(data) or _guessed(data, name)
    return data.decode(encoding, "replace"), _public_name(encoding), False


def _unicode(data: bytes, encoding: str) -> str:
    """Decode a UTF whose name is sure; what is broken in it becomes U+FFFD."""
    return data.decode(encoding, "replace")


def _utf16_without_mark(data: bytes) -> str | None:
    """Text in a Latin script has NUL as every second byte; nothing else is claimed to be UTF-16."""
    probe = data[: _PROBE - _PROBE % 2]
    pairs = len(probe) // 2
    if len(data) % 2 or pairs == 0:
        return None
    even, odd = probe[::2].count(0), probe[1::2].count(0)
    if odd > 0.7 * pairs and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * pairs and odd == 0 else None


def _mended_utf8(data: bytes) -> str | None:
    """UTF-8 with a few broken bytes (a cut-off download, a lone surrogate), or None when it is something else."""
    try:
        with_surrogates = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        good = sum(1 for _ in _MULTIBYTE.finditer(data))
        text = data.decode("utf-8", "replace")
        bad = text.count("\ufffd")
        return text if good >= 10 * bad else None
    # Pairs written as two code units become the character they mean; a lone one becomes U+FFFD.
    return with_surrogates.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _declared(data: bytes) -> str | None:
    """Encoding that an XML or HTML head declares, if it exists and fits."""
    if not (found := _DECLARED.search(data[:2048])):
        return None
    try:
        encoding = codecs.lookup(found[1].decode("ascii")).name
        data.decode(encoding)
    except (LookupError, UnicodeDecodeError, ValueError):
        return None
    # HTML says iso-8859-1 and means windows-1252, as every browser reads it.
    return "cp1252" if encoding in {"iso8859-1", "ascii"} else None if encoding.startswith("utf-8") else encoding


def _guessed(data: bytes, name: str) -> str:
    """Windows-1252 where that gives plausible words, else what byte statistics say."""
    if _looks_western(data):
        return "cp1252"
    from charset_normalizer import from_bytes  # noqa: PLC0415 - only the rare file needs it

    best = from_bytes(_telling_lines(data), cp_isolation=_CANDIDATES.split(), preemptive_behaviour=False).best()
    if best is None:
        message = f"{name} is binary, or in an encoding that is not recognised; save it as text in UTF-8 and load that."
        raise DocumentError(message)
    return best.encoding


def _telling_lines(data: bytes) -> bytes:
    """Lines with other than ASCII characters, whole, since statistics would drown in the others."""
    lines, size = [], 0
    for found in _TELLING_LINE.finditer(data):
        lines.append(found[0])
        size += len(found[0])
        if size > _PROBE:
            break
    return b"\n".join(lines)


def _looks_western(data: bytes) -> bool:
    """Whether Windows-1252 gives words of mostly plain letters, with signs at their edges as Western texts have."""
    plain = accented = 0
    for found in islice(_ACCENTED_RUN.finditer(data), _RUNS):
        try:
            word = found[0].decode("cp1252").strip(_EDGE_SIGNS)
        except UnicodeDecodeError:
            return False
        letters = [character for character in word if character.isalpha() and character not in "ªºƒµ"]
        if _UNLIKELY & set(word) or any(sign not in _INNER_SIGNS for sign in set(word).difference(letters)):
            return False
        if len(letters) > 1:
            high = sum(character > "\x7f" for character in letters)
            accented += high
            plain += len(letters) - high
    return accented <= _MAX_ACCENTED_SHARE * (plain + accented)


def _is_binary(text: str, encoding: str) -> bool:
    """Whether too many control characters came out; NUL alone is no proof in valid Unicode."""
    controls = len(_CONTROL.findall(text))
    share = 5 * _MAX_CONTROL_SHARE if encoding.startswith("utf") else _MAX_CONTROL_SHARE
    return controls > share * len(text)


def _public_name(encoding: str) -> str:
    """Name that people know: windows-1252 for cp1252."""
    return re.sub(r"^cp(125\d)$", r"windows-\1", encoding).replace("_", "-")
