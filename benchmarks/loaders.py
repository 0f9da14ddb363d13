"""How long loading takes: this package, kreuzberg alone, markitdown and bare PDFium, as ratios from one run.

    python benchmarks/loaders.py [FILE ...]

Without files, those of ``sample_docs/``. The time of this package is that of a whole upload: it includes starting the
process in which the file is parsed. The others run in this process, warm. What is not installed is left out.
"""

from __future__ import annotations

import importlib.util
import io
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chunkviz.loaders import SUFFIXES, load_bytes

ROUNDS = 5
ENOUGH_SECONDS = 5.0
SAMPLES = Path(__file__).resolve().parents[1] / "sample_docs"
Reader = Callable[[bytes, str], str]


def with_chunkviz(data: bytes, name: str) -> str:
    return load_bytes(data, name).text


def with_kreuzberg(data: bytes, name: str) -> str:
    import kreuzberg  # noqa: PLC0415 - may not be installed

    config = kreuzberg.ExtractionConfig(use_cache=False, output_format="markdown")
    return kreuzberg.extract_bytes_sync(data, kreuzberg.detect_mime_type_from_path(name), config=config).content


def with_markitdown(data: bytes, name: str) -> str:
    import markitdown  # noqa: PLC0415 - may not be installed

    return markitdown.MarkItDown().convert_stream(io.BytesIO(data), file_extension=Path(name).suffix).text_content


def with_pypdfium2(data: bytes, name: str) -> str:
    import pypdfium2  # noqa: PLC0415 - may not be installed

    if not name.endswith(".pdf"):
        return ""
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))


READERS: dict[str, Reader] = {
    "chunkviz": with_chunkviz,
    "kreuzberg": with_kreuzberg,
    "markitdown": with_markitdown,
    "pypdfium2": with_pypdfium2,
}


def seconds(read: Reader, data: bytes, name: str) -> float:
    """Median of a few rounds, fewer of a slow reader; the caller has warmed it up."""
    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < ENOUGH_SECONDS:
        start = time.perf_counter()
        read(data, name)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def words(text: str) -> Counter[str]:
    """Count words, with those joined again that a line's end broke."""
    return Counter(re.findall(r"\w+", re.sub("[\ufffe\x02]", "", text)))


def main(files: list[Path]) -> None:
    """Print one row a file and reader."""
    print(f"{'file':<28}{'reader':<12}{'ms':>9}{'of kreuzberg':>14}{'characters':>12}{'words lost':>12}")
    for file in files:
        data = file.read_bytes()
        readers = {
            name: read
            for name, read in READERS.items()
            if importlib.util.find_spec(name) and (name != "pypdfium2" or file.suffix == ".pdf")
        }
        texts, times = {}, {}
        for name, read in readers.items():
            try:
                texts[name] = read(data, str(file))
                times[name] = seconds(read, data, str(file))
            except Exception as error:  # noqa: BLE001 - one reader's failure is a result too
                print(f"{file.name:<28}{name:<12} failed: {type(error).__name__}")
        truth = words(texts.get("pypdfium2", ""))
        for name, taken in times.items():
            ratio = f"{taken / times['kreuzberg']:.2f}" if "kreuzberg" in times else "-"
            lost = f"{(truth - words(texts[name])).total():,}" if truth else "-"
            print(f"{file.name:<28}{name:<12}{taken * 1e3:>9.1f}{ratio:>14}{len(texts[name]):>12,}{lost:>12}")


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]] or sorted(file for file in SAMPLES.iterdir() if file.suffix in SUFFIXES))
