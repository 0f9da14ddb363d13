"""What a loader may use up before it gives up on a file."""

from __future__ import annotations

from dataclasses import dataclass, fields

MEGABYTE = 1_000_000
GIBIBYTE = 2**30


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one load; a file that exceeds one raises a ``DocumentError`` that names it.

    Parameters
    ----------
    max_bytes
        Size of the file.
    max_pages
        Pages of a PDF, counted before any text is read.
    max_characters
        Code points of the text that comes out.
    seconds
        Wall-clock time for reading a file.
    max_memory_bytes
        Address space of the process that reads it, where the platform can bound that.
    max_unpacked_bytes
        Sum of the unpacked sizes inside a zip-based file (docx, xlsx, epub, …), nested ones included.
    max_ratio
        Unpacked size over packed size, looked at once more than a megabyte is unpacked.

    Raises
    ------
    ValueError
        When a bound is not above zero.

    """

    max_bytes: int = 50 * MEGABYTE
    max_pages: int = 2_000
    max_characters: int = 20_000_000
    seconds: float = 60.0
    max_memory_bytes: int = 2 * GIBIBYTE
    max_unpacked_bytes: int = 500 * MEGABYTE
    max_ratio: float = 200.0

    def __post_init__(self) -> None:
        """Refuse a bound that no file could keep."""
        for bound in fields(self):
            value = getattr(self, bound.name)
            if not value > 0:
                message = f"{bound.name} must be above 0, not {value!r}"
                raise ValueError(message)
