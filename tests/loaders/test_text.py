"""Plain text: decoding, tidying, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkviz.errors import DocumentError
from chunkviz.loaders import SUFFIXES, Limits, load, load_bytes


@pytest.mark.parametrize(
    ("data", "text", "changes"),
    [
        (b"plain\n", "plain\n", ()),
        ("Zażółć 日本 😀".encode(), "Zażółć 日本 😀", ()),
        (b"\xef\xbb\xbf# Start\n", "# Start\n", ("Removed a byte order mark.",)),
        (b"Caf\xe9 \x96 it\x92s \x93late\x94", "Café – it’s “late”", ("Decoded from windows-1252.",)),
        (b"na\xefve", "naïve", ("Decoded from windows-1252.",)),
        ("Hi “you”".encode("utf-16"), "Hi “you”", ("Decoded from utf-16-le.", "Removed a byte order mark.")),
        ("Hi".encode("utf-16-be"), "Hi", ("Decoded from utf-16-be.",)),
        ("Hello".encode("utf-16-le"), "Hello", ("Decoded from utf-16-le.",)),
        ("Hi 😀".encode("utf-32"), "Hi 😀", ("Decoded from utf-32-le.", "Removed a byte order mark.")),
        (
            b"a\r\nb\r\nc\rd\n",
            "a\nb\nc\nd\n",
            ("Turned 2 Windows line ends into \\n.", "Turned 1 carriage return into \\n."),
        ),
        (b"ab\0cd ef\0\0gh ij", "abcd efgh ij", ("Removed 3 NUL characters.",)),
        (b"ok \xed\xa0\xbd then", "ok \ufffd then", ("Replaced 1 broken character by U+FFFD.",)),
        (b"ok \xed\xa0\xbd\xed\xb8\x80 then", "ok 😀 then", ()),
        ("é".encode() * 20 + b"\xc3", "é" * 20 + "\ufffd", ("Replaced 1 broken character by U+FFFD.",)),
        ("\ufffd kept".encode(), "\ufffd kept", ()),
    ],
)
def test_text_is_decoded_and_every_change_is_told(data: bytes, text: str, changes: tuple[str, ...]) -> None:
    document = load_bytes(data, "a.txt")
    assert document.text == text
    assert document.changes == changes


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Привет, как дела?", "cp1251"),
        ("Привет, как дела? Это короткий текст.", "koi8_r"),
        ("これは短い日本語の文章です。", "cp932"),
        ("これは短い日本語の文章です。", "euc_jp"),
        ("这是一个简短的中文句子。", "gb18030"),
        ("이것은 짧은 한국어 문장입니다.", "cp949"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "cp1250"),
        ("Καλημέρα, πώς είστε σήμερα;", "cp1253"),
        ("Größe und Straße kosten 5 €.", "cp1252"),
        ("Elle a été là où l’été est né.", "cp1252"),
        ("plain words\n" * 9_000 + "Привет, как дела?", "cp1251"),
    ],
)
def test_other_encodings_are_recognised_in_one_sentence(text: str, encoding: str) -> None:
    assert load_bytes(text.encode(encoding), "a.txt").text == text


def test_a_declared_encoding_is_believed_when_it_fits() -> None:
    xml = '<?xml version="1.0" encoding="iso-8859-5"?><p>Привет</p>'
    assert load_bytes(xml.encode("iso-8859-5"), "a.xml").text == xml


@pytest.mark.parametrize(
    "suffix", [suffix for suffix in SUFFIXES if suffix in {".py", ".json", ".csv", ".yaml", ".xml", ".md"}]
)
def test_source_and_data_files_come_out_unchanged(suffix: str) -> None:
    text = 'a, "b"\n\t<c># d\n\n  e: 1  \n'
    document = load_bytes(text.encode(), f"x{suffix}")
    assert (document.text, document.changes) == (text, ())


def test_a_markdown_title_is_its_first_heading_outside_code() -> None:
    assert load_bytes(b"```\n# no\n```\n\n## Yes ##\n", "a.md").title == "Yes"
    assert load_bytes(b"# import os\n", "a.py").title is None


def test_name_is_the_last_part_of_any_path_and_the_digest_is_of_the_bytes() -> None:
    data = b"\xef\xbb\xbfhello"
    document = load_bytes(data, "C:\\secret\\..\\etc/guide\n.md")
    assert document.name == "guide.md"
    assert document.sha256 == hashlib.sha256(data).hexdigest()


def test_prose_has_its_language_and_code_has_none() -> None:
    sentence = b"The committee reviewed the annual budget and asked about prices."
    assert load_bytes(sentence, "a.txt").language == "en"
    assert load_bytes(sentence, "a.py").language is None


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "a.txt", "a.txt is empty; give a file with text in it."),
        (b" \n\t\n", "a.txt", "a.txt holds no text; give a file with text in it."),
        (b"\xef\xbb\xbf", "a.txt", "a.txt holds no text; give a file with text in it."),
        (b"\0\0\0", "a.txt", "a.txt holds no text; give a file with text in it."),
        (b"\x89PNG\r\n\x1a\n....", "a.txt", "a.txt is a PNG image, not text; give one of: PDF, Word"),
        (b"MZ\x90\0\x03\0\0\0", "a.md", "a.md is a Windows program, not text; give one of: PDF, Word"),
        (b"\x7fELF\x02\x01", "a", "a is a program, not text"),
        (bytes(range(256)) * 4, "a.dat", "a.dat is a binary file that is not supported; give one of: PDF, Word"),
        (bytes(range(256)) * 4, "a.pdf", "a.pdf is not a PDF, or is damaged; open it in its program and save it"),
        (b"just words", "a.xlsx", "a.xlsx is not an Excel workbook (.xlsx), or is damaged"),
        (b"just words", "a.pdf", "a.pdf is not a PDF, or is damaged; open it in its program and save it again."),
        (b"just words", "a.docx", "a.docx is not a Word document (.docx), or is damaged"),
    ],
)
def test_what_is_no_text_is_refused_in_one_sentence_that_names_the_file(data: bytes, name: str, message: str) -> None:
    with pytest.raises(DocumentError) as error:
        load_bytes(data, name)
    assert str(error.value).startswith(message)


def test_limits_name_what_was_exceeded() -> None:
    with pytest.raises(
        DocumentError, match=r"^a\.txt has more than 3 bytes, the limit; split it, or raise max_bytes\.$"
    ):
        load_bytes(b"abcd", "a.txt", limits=Limits(max_bytes=3))
    with pytest.raises(DocumentError, match=r"^a\.txt has 4 characters, over the limit of 3; split it\.$"):
        load_bytes(b"abcd", "a.txt", limits=Limits(max_characters=3))
    with pytest.raises(ValueError, match="seconds must be above 0, not 0"):
        Limits(seconds=0)


def test_a_path_is_loaded_and_a_missing_one_is_explained(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"# Hi\r\n")
    assert load(tmp_path / "a.md").text == "# Hi\n"
    with pytest.raises(
        DocumentError, match=r"^b\.md could not be opened \(No such file or directory\); check the path"
    ):
        load(str(tmp_path / "b.md"))
    with pytest.raises(DocumentError, match="could not be opened"):
        load(tmp_path)
    with pytest.raises(DocumentError, match=r"^a\.md has more than 3 bytes"):
        load(tmp_path / "a.md", limits=Limits(max_bytes=3))


@settings(deadline=None)  # an example that begins like a PDF or RTF goes through a process
@given(st.binary(min_size=1, max_size=300))
def test_random_bytes_become_text_or_a_document_error(data: bytes) -> None:
    try:
        document = load_bytes(data, "a.txt")
    except DocumentError as error:
        assert str(error).startswith("a.txt ")  # noqa: PT017 - both outcomes are right
    else:
        assert not {"\0", "\r"} & set(document.text)
        document.text.encode("utf-8")


@settings(deadline=None)
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1),
    st.sampled_from(["utf-8", "utf-8-sig"]),
)
def test_unicode_text_survives(text: str, encoding: str) -> None:
    if text.strip() and not text.startswith(("\ufeff", "%PDF-", "PK", "{\\rtf")):
        assert load_bytes(text.encode(encoding), "a.txt").text == text


@pytest.mark.parametrize("filler", [b"a", b" ", b"1"])
def test_a_line_of_millions_of_characters_takes_no_quadratic_time(filler: bytes) -> None:
    text = load_bytes(filler * 3_000_000 + b"\n caf\xe9", "a.txt").text
    assert text.endswith("\n café")
