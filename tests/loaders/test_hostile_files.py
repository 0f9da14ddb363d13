"""Files that are damaged, protected, too large or made to do harm."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkviz.errors import Cancelled, DocumentError
from chunkviz.loaders import Limits, load_bytes, process

Zipper = Callable[[Mapping[str, str | bytes]], bytes]
WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
DAMAGED = "is damaged; open it in its program and save it again."
PROTECTED = "is protected by a password; save it without one and load it again."


def refusal(data: bytes, name: str, limits: Limits | None = None) -> str:
    with pytest.raises(DocumentError) as error:
        load_bytes(data, name, limits=limits or Limits(seconds=20))
    return str(error.value)


def word(zipped: Zipper, document: str) -> bytes:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml"'
        ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    return zipped({"[Content_Types].xml": types, "word/document.xml": document})


def test_protected_files_ask_for_one_without_a_password(locked_pdf: bytes) -> None:
    assert refusal(locked_pdf, "a.pdf") == f"a.pdf {PROTECTED}"
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    assert refusal(ole, "a.docx") == f"a.docx {PROTECTED}"


def test_a_zip_with_encrypted_entries_is_called_protected(book_epub: bytes) -> None:
    data = bytearray(book_epub)
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(data), "a.epub") == f"a.epub {PROTECTED}"


@pytest.mark.parametrize("name", ["report_pdf", "handbook_docx", "slides_pptx", "costs_xlsx"])
def test_a_file_cut_in_half_is_damaged(name: str, request: pytest.FixtureRequest) -> None:
    data: bytes = request.getfixturevalue(name)
    suffix = name.rpartition("_")[2]
    assert refusal(data[: len(data) // 3], f"half.{suffix}").startswith(f"half.{suffix} ")


def test_garbage_behind_a_good_beginning_is_damaged() -> None:
    assert refusal(b"%PDF-1.7\n" + os.urandom(500), "a.pdf") == f"a.pdf {DAMAGED}"
    assert refusal(b"PK\x03\x04" + os.urandom(500), "a.docx") == f"a.docx {DAMAGED}"


def test_an_archive_or_an_office_97_file_says_what_to_do(zipped: Zipper) -> None:
    assert refusal(zipped({"a.txt": "x"}), "a.zip") == "a.zip is a zip archive; unpack it and load the files inside."
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "WordDocument".encode("utf-16-le")
    assert (
        refusal(ole, "a.doc") == "a.doc is an Office 97 file; save it as .docx or .pptx in its program and load that."
    )


def test_a_pdf_with_ten_thousand_pages_is_refused_before_it_is_read(many_pages_pdf: bytes) -> None:
    message = refusal(many_pages_pdf, "long.pdf")
    assert message == "long.pdf has 10,000 pages, over the limit of 2,000; split it, or raise max_pages."


def test_a_pdf_with_too_much_text_is_refused(report_pdf: bytes) -> None:
    assert (
        refusal(report_pdf, "a.pdf", Limits(max_characters=50)) == "a.pdf has over 50 characters, the limit; split it."
    )


def test_zip_bombs_are_refused_by_their_ratio_their_directory_and_their_inside(zipped: Zipper) -> None:
    small = word(zipped, WORD.format(" " * 5_000_000))
    assert "it is refused as a zip bomb" in refusal(small, "ratio.docx")
    assert "it is refused as a zip bomb" in refusal(
        small, "size.docx", Limits(max_unpacked_bytes=4_000_000, max_ratio=1e9)
    )
    nested = zipped({"[Content_Types].xml": "", "word/document.xml": "", "word/embeddings/inner.docx": small})
    assert "it is refused as a zip bomb" in refusal(nested, "nested.docx")


def test_ten_gigabytes_are_refused_from_the_directory_alone() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", b"x" * 1000)
        archive.filelist[0].file_size = 10_000_000_000
    message = refusal(buffer.getvalue(), "bomb.docx")
    assert message.startswith("bomb.docx would unpack to 10,000,000,000 bytes or more")


def test_entities_that_expand_without_end_do_no_harm(zipped: Zipper) -> None:
    entities = '<!ENTITY a "lol">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True)
    )
    bomb = f"<!DOCTYPE x [{entities}]>" + WORD.format("<w:p><w:r><w:t>&j;</w:t></w:r></w:p>")
    assert refusal(word(zipped, bomb), "a.docx") == f"a.docx {DAMAGED}"


def test_nothing_a_document_refers_to_is_fetched_or_run(zipped: Zipper, requests_seen: tuple[str, list[str]]) -> None:
    address, seen = requests_seen
    page = (
        f"<html><head><link rel=stylesheet href='{address}/css'><meta http-equiv=refresh content='0;url={address}/r'>"
        f"<base href='{address}/'></head><body><script>fetch('{address}/js')</script><img src='{address}/img'>"
        f"<iframe src='{address}/frame'></iframe><object data='{address}/object'></object><p>Text</p></body></html>"
    )
    assert "Text" in load_bytes(page.encode(), "a.html").text
    entity = f'<!DOCTYPE x [<!ENTITY e SYSTEM "{address}/entity">]>' + WORD.format(
        "<w:p><w:r><w:t>Hi&e;</w:t></w:r></w:p>"
    )
    try:
        text = load_bytes(word(zipped, entity), "a.docx").text
    except DocumentError:
        text = ""
    assert "FETCHED" not in text
    rtf = rb'{\rtf1 Text {\field{\*\fldinst INCLUDEPICTURE "' + address.encode() + rb'/rtf"}{\fldrslt x}}\par}'
    load_bytes(rtf, "a.rtf")
    assert seen == []


def test_the_child_cannot_write_files_and_leaves_none(
    handbook_docx: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.chdir(tmp_path)
    load_bytes(handbook_docx, "a.docx")
    assert list(tmp_path.iterdir()) == []


def test_the_child_has_no_network_where_the_platform_can_take_it_away(
    requests_seen: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-Un", "true"], check=False).returncode:  # noqa: S607
        pytest.skip("this platform does not allow new network namespaces")
    address, seen = requests_seen
    # The parser is replaced by a download, inside the real child.
    download = f"""
from chunkviz.loaders import child
def answer(data, name, limits):
    import urllib.request
    try:
        return {{"error": urllib.request.urlopen("{address}").read().decode()}}
    except OSError as error:
        return {{"error": str(error)}}
child._answer = answer
main()
"""
    monkeypatch.setattr(process, "_START", process._START.replace("main()\n", download))
    assert "unreachable" in refusal(b"<p>Text</p>", "a.html")
    assert seen == []


def test_a_module_in_the_working_directory_is_not_picked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert load_bytes(b"<p>Text</p>", "a.html").text == "Text"


def test_secrets_of_the_server_and_the_file_name_do_not_reach_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = watch(monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    load_bytes(b"<p>Text</p>", "private.html")
    (arguments, environment, _) = started[0]
    assert "private" not in " ".join(arguments)
    assert "OPENAI_API_KEY" not in environment


def watch(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], dict[str, str], subprocess.Popen[bytes]]]:
    started: list[tuple[list[str], dict[str, str], subprocess.Popen[bytes]]] = []

    class Watched(subprocess.Popen[bytes]):
        def __init__(self, arguments: list[str], **options: Any) -> None:
            super().__init__(arguments, **options)
            started.append((arguments, options["env"], self))

    monkeypatch.setattr(process.subprocess, "Popen", Watched)
    return started


def test_a_time_out_ends_the_child(report_pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    started = watch(monkeypatch)
    message = refusal(report_pdf, "a.pdf", Limits(seconds=0.01))
    assert message == "a.pdf took longer than 0.01 seconds to read; split it, or allow more seconds."
    assert started[0][2].returncode is not None


def test_cancelling_ends_the_child(report_pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    started = watch(monkeypatch)
    answers = iter([False, True])
    with pytest.raises(Cancelled, match=r"^Loading a\.pdf was cancelled; load it again when it is wanted\.$"):
        load_bytes(report_pdf, "a.pdf", cancelled=lambda: next(answers))
    assert started[0][2].returncode is not None


def test_cancelling_before_the_start_starts_no_child(report_pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    started = watch(monkeypatch)
    with pytest.raises(Cancelled, match="was cancelled"):
        load_bytes(report_pdf, "a.pdf", cancelled=lambda: True)
    assert started == []


def test_an_exception_in_the_parent_ends_the_child(report_pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    started = watch(monkeypatch)
    answers = iter([False])
    with pytest.raises(StopIteration):
        load_bytes(report_pdf, "a.pdf", cancelled=lambda: next(answers))
    assert started[0][2].returncode is not None


LONG_TEXT = ("Zażółć gęślą jaźń, she said. " * 12_000).encode()


def test_a_long_text_is_read_in_a_child_and_a_short_one_without(monkeypatch: pytest.MonkeyPatch) -> None:
    started = watch(monkeypatch)
    assert load_bytes(LONG_TEXT[:200_000], "a.txt").text == LONG_TEXT[:200_000].decode("utf-8", "ignore")
    assert started == []
    for data, changes in (
        (LONG_TEXT, ()),
        (LONG_TEXT.decode().encode("utf-16"), ("Decoded from utf-16-le.", "Removed a byte order mark.")),
    ):
        document = load_bytes(data, "a.md")
        assert (document.text, document.changes, document.pages) == (LONG_TEXT.decode(), changes, ())
    assert [child.returncode for _, _, child in started] == [0, 0]


def test_a_long_text_is_refused_cancelled_and_bounded_like_any_other_file(monkeypatch: pytest.MonkeyPatch) -> None:
    started = watch(monkeypatch)
    answers = iter([False, True])
    with pytest.raises(Cancelled, match=r"^Loading a\.txt was cancelled"):
        load_bytes(LONG_TEXT, "a.txt", cancelled=lambda: next(answers))
    assert refusal(LONG_TEXT, "a.txt", Limits(seconds=0.01)).startswith("a.txt took longer than 0.01 seconds")
    assert refusal(LONG_TEXT, "a.pdf").startswith("a.pdf is not a PDF")
    assert "binary file" in refusal(bytes(range(256)) * 2_000, "a.txt")
    assert all(child.returncode is not None for _, _, child in started)


@pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded on Linux only")
def test_too_little_memory_is_said_to_be_the_reason(report_pdf: bytes) -> None:
    message = refusal(report_pdf, "a.pdf", Limits(max_memory_bytes=20_000_000))
    assert message == "a.pdf needs more than 20 MB of memory to read; split it, or allow more memory."


def test_a_child_that_crashes_is_an_error_about_the_file(report_pdf: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process.sys, "executable", "/bin/false")
    assert refusal(report_pdf, "a.pdf") == (
        "a.pdf made its parser crash; the file may be damaged: open it in its program and save it again."
    )


@settings(max_examples=8, deadline=None)
@given(
    st.sampled_from([b"%PDF-1.4\n", b"PK\x03\x04", b"{\\rtf1 ", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]),
    st.binary(max_size=400),
)
def test_random_bytes_behind_a_known_beginning_raise_document_errors_only(beginning: bytes, rest: bytes) -> None:
    try:
        load_bytes(beginning + rest, "a.bin")
    except DocumentError as error:
        assert str(error).startswith("a.bin ")  # noqa: PT017 - both outcomes are right


@settings(max_examples=6, deadline=None)
@given(st.data())
def test_a_damaged_office_file_raises_document_errors_only(handbook_docx: bytes, data: st.DataObject) -> None:
    changed = bytearray(handbook_docx)
    for _ in range(20):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        load_bytes(bytes(changed), "a.docx")
    except DocumentError as error:
        assert str(error).startswith("a.docx ")  # noqa: PT017 - both outcomes are right
