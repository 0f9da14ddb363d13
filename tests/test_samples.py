"""The bundled sample documents are what the gallery says they are."""

from __future__ import annotations

import py_compile
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pypdfium2
import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "sample_docs"
SAMPLES: list[dict[str, str]] = tomllib.loads((FOLDER / "samples.toml").read_text(encoding="utf-8"))["sample"]
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def pdf_pages() -> list[str]:
    pdf = pypdfium2.PdfDocument(FOLDER / "report.pdf")
    try:
        return [page.get_textpage().get_text_range() for page in pdf]
    finally:
        pdf.close()


def docx_part(name: str) -> ET.Element:
    with zipfile.ZipFile(FOLDER / "handbook.docx") as archive:
        return ET.fromstring(archive.read(name))  # noqa: S314  (our own file)


def docx_paragraphs() -> list[tuple[str, str]]:
    """Style and text of every paragraph of the handbook's body, tables included."""
    found = []
    for paragraph in docx_part("word/document.xml").iter(f"{WORD}p"):
        style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
        text = "".join(run.text or "" for run in paragraph.iter(f"{WORD}t"))
        found.append(("" if style is None else style.get(f"{WORD}val", ""), text))
    return found


def test_there_are_eight_samples_and_the_essay_comes_first() -> None:
    assert len(SAMPLES) == 8
    assert SAMPLES[0]["id"] == "essay"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["id"])
def test_every_entry_is_complete_and_its_file_exists(sample: dict[str, str]) -> None:
    assert set(sample) == {"id", "file", "title", "kind", "language", "difficulty", "look_for"}
    assert all(sample.values())
    assert (FOLDER / sample["file"]).is_file()
    assert re.fullmatch(r"[a-z][a-z0-9-]{2,20}", sample["id"])
    assert re.fullmatch(r"[a-z]{2}", sample["language"])
    for key in ("difficulty", "look_for"):
        assert sample[key].endswith(".")
        assert len(sample[key]) < 130


def test_ids_and_files_are_unique() -> None:
    for key in ("id", "file", "title"):
        assert len({sample[key] for sample in SAMPLES}) == len(SAMPLES)


def test_every_file_in_the_folder_is_in_the_gallery() -> None:
    on_disk = {path.name for path in FOLDER.glob("[!.]*") if path.is_file()}
    assert on_disk == {sample["file"] for sample in SAMPLES} | {"samples.toml", "questions.jsonl"}


@pytest.mark.parametrize("name", ["essay.txt", "manual.md", "contract.txt", "transcript.txt"])
def test_prose_is_long_enough_to_be_worth_chunking(name: str) -> None:
    assert 9_000 <= len(read(name)) <= 16_000


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["id"])
def test_text_is_clean_unicode_with_unix_line_ends(sample: dict[str, str]) -> None:
    if sample["file"].endswith((".pdf", ".docx")):
        assert (FOLDER / sample["file"]).stat().st_size < 200_000
        return
    raw = (FOLDER / sample["file"]).read_bytes()
    assert b"\r" not in raw
    assert not raw.startswith(b"\xef\xbb\xbf")
    assert raw.decode("utf-8").endswith("\n")


@pytest.mark.parametrize("name", ["essay.txt", "manual.md", "contract.txt", "transcript.txt", "matsuri.ja.txt"])
def test_no_paragraph_is_said_twice(name: str) -> None:
    paragraphs = [part for part in read(name).split("\n\n") if len(part) > 60]
    assert len(paragraphs) == len(set(paragraphs))


def test_the_essay_has_no_headings_and_some_paragraphs_of_one_sentence() -> None:
    paragraphs = read("essay.txt").strip().split("\n\n")
    assert all(re.search(r"[.?!”]$", paragraph) for paragraph in paragraphs)
    assert sum(len(paragraph) < 120 for paragraph in paragraphs) >= 2
    assert sum(len(paragraph) > 700 for paragraph in paragraphs) >= 8
    for awkward in ("Dr. ", "St. ", "i.e. ", "1.0136", "…", "“"):
        assert awkward in read("essay.txt")


def test_the_manual_has_a_fence_with_a_comment_and_a_fence_in_a_fence() -> None:
    fences = re.findall(r"^(`{3,})(\w*)\n(.*?)^\1$", read("manual.md"), flags=re.MULTILINE | re.DOTALL)
    assert any(re.search(r"^# ", body, flags=re.MULTILINE) for _, language, body in fences if language == "ini")
    assert any("```" in body for ticks, _, body in fences if len(ticks) == 4)


def test_the_manual_has_headings_of_four_levels_and_three_tables() -> None:
    text = re.sub(r"^(`{3,}).*?^\1$", "", read("manual.md"), flags=re.MULTILINE | re.DOTALL)
    assert text.startswith("---\n")
    assert re.search(r"^\S.*\n=+$", text, flags=re.MULTILINE)  # the setext heading
    assert {len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.MULTILINE)} == {2, 3, 4}
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) >= 3
    assert max(table.count("\n") for table in tables) >= 20 + 2
    assert re.search(r"^ {5}- ", text, flags=re.MULTILINE)  # a list in a list in a list
    assert re.search(r"^> ", text, flags=re.MULTILINE)


def test_the_manual_links_only_to_headings_it_has() -> None:
    text = read("manual.md")
    slugs = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= slugs


def test_every_clause_that_the_contract_refers_to_exists() -> None:
    text = read("contract.txt")
    clauses = set(re.findall(r"^(\d+(?:\.\d+)?)\.? ", text.split("\nANNEX\n")[0], flags=re.MULTILINE))
    referred = set(re.findall(r"clauses? (\d+(?:\.\d+)?)", text))
    assert len(referred) > 15
    assert referred <= clauses
    assert re.search(r"^ +\(ii\) ", text, flags=re.MULTILINE)


def test_the_transcript_runs_forward_and_holds_one_very_long_turn() -> None:
    turns = re.findall(r"^\[(\d\d:\d\d:\d\d)\] (?:([A-Z ]+): )?(.+)$", read("transcript.txt"), flags=re.MULTILINE)
    times = [time for time, _, _ in turns]
    assert times == sorted(times)
    assert len(turns) > 90
    assert len({speaker for _, speaker, _ in turns if speaker}) == 6
    lengths = sorted(len(words) for _, _, words in turns)
    assert lengths[-1] > 3_000
    assert lengths[-2] < 700


def test_the_japanese_text_has_both_widths_of_digit_and_no_spaces_between_words() -> None:
    text = read("matsuri.ja.txt")
    assert 4_000 <= len(text) <= 5_500
    for pattern in ("[0-9]", "[０-９]", "「", "、", "。", "！", "？", "[\U0001f300-\U0001faff]", "[A-Za-z]{2}"):
        assert re.search(pattern, text), pattern
    assert not re.search("[\u3040-\u30ff\u4e00-\u9fff] [\u3040-\u30ff\u4e00-\u9fff]", text)


def test_the_module_compiles_and_its_own_check_passes(tmp_path: Path) -> None:
    module = FOLDER / "inventory.py"
    assert 250 <= read("inventory.py").count("\n") <= 350
    py_compile.compile(str(module), cfile=str(tmp_path / "inventory.pyc"), doraise=True)
    command = [sys.executable, "-B", "-X", "utf8", str(module)]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    assert run.returncode == 0, run.stdout + run.stderr
    assert "packets:" in run.stdout


def test_the_report_is_a_titled_pdf_of_several_pages_with_text_on_each() -> None:
    pages = pdf_pages()
    assert 5 <= len(pages) <= 7
    assert all(len(page) > 900 for page in pages)
    pdf = pypdfium2.PdfDocument(FOLDER / "report.pdf")
    title = pdf.get_metadata_dict()["Title"]
    pdf.close()
    assert title.startswith("Swifts over Marrowby")


def test_the_report_has_running_furniture_and_both_tables() -> None:
    pages = pdf_pages()
    for number, page in enumerate(pages, start=1):
        assert f"Page {number}" in page
    assert all("Report of the second summer, 2023" in page for page in pages)
    assert "Table 1. Boxes" in "".join(pages)
    assert "Table 2. The season" in "".join(pages)


def test_a_sentence_of_the_report_runs_over_the_first_page_break() -> None:
    first, second, *_ = pdf_pages()
    assert re.search(r"We had in\W", first)
    assert "tended to avoid" in second


def test_the_handbook_has_headings_lists_a_table_and_sections() -> None:
    styles = [style for style, text in docx_paragraphs() if text]
    assert styles.count("Heading1") >= 5
    assert styles.count("Heading2") >= 8
    assert styles.count("Heading3") >= 1
    assert styles.count("ListNumber") >= 15
    assert styles.count("ListBullet") >= 8
    assert "ListBullet2" in styles
    body = docx_part("word/document.xml")
    assert len(list(body.iter(f"{WORD}tbl"))) == 1
    assert len(list(body.iter(f"{WORD}sectPr"))) == 4
    assert 9_000 <= sum(len(text) for _, text in docx_paragraphs()) <= 16_000


def test_each_footnote_of_the_handbook_is_called_once() -> None:
    called = [note.get(f"{WORD}id") for note in docx_part("word/document.xml").iter(f"{WORD}footnoteReference")]
    written = [note.get(f"{WORD}id") for note in docx_part("word/footnotes.xml").iter(f"{WORD}footnote")]
    assert called == ["1", "2", "3"]
    assert written == ["-1", "0", *called]


def test_making_the_documents_again_gives_the_same_bytes(tmp_path: Path) -> None:
    script = ROOT / "tools" / "make_samples.py"
    subprocess.run([sys.executable, "-B", str(script), str(tmp_path)], check=True, capture_output=True)  # noqa: S603
    for name in ("report.pdf", "handbook.docx"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name
