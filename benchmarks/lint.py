"""How long lint takes on long documents, with a fingerprint of what it found.

    python benchmarks/lint.py [MEGABYTES ...]

Recursive chunks of 512 tokens of prose and markdown. The document is chunked before the clock starts; all that lint
itself asks of it (sentences, blocks, headings) is worked out within the time, as for a document opened a moment ago.
"""

from __future__ import annotations

import hashlib
import sys
import time

from corpora import gather

import chunkviz as cv
from chunkviz.lint import Lint, lint

NAMES = {"prose": "notes.txt", "markdown": "notes.md"}


def fingerprint(found: Lint) -> str:
    """Return the same few letters for the same findings."""
    return hashlib.sha256(repr((found.findings, found.not_checked)).encode("utf-8", "replace")).hexdigest()[:12]


def main(sizes: list[float]) -> None:
    """Print one line for each size and kind of text."""
    for size in sizes:
        for kind, name in NAMES.items():
            text = gather(kind, int(size * 1e6)).text
            chunking = cv.Recursive(chunk_size=512).chunk(cv.Document(text, name, language="en"))
            began = time.perf_counter()
            found = lint(chunking)
            cold = time.perf_counter() - began
            began = time.perf_counter()
            again = lint(chunking)
            warm = time.perf_counter() - began
            same = "" if again == found else "  NOT THE SAME AGAIN"
            print(
                f"{size:g} MB {kind:9} {len(chunking):6,} chunks {len(found.findings):6,} findings "
                f"{fingerprint(found)}  {cold:6.2f} s, again {warm:6.2f} s{same}",
                flush=True,
            )


if __name__ == "__main__":
    main([float(each) for each in sys.argv[1:]] or [1.0, 10.0])
