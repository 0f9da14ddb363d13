"""Answers on disk, so that no context is written twice."""

from __future__ import annotations

from collections.abc import Sequence

from chunkviz.disk_cache import FolderCache, key_of
from chunkviz.errors import ServiceError


class TextCache(FolderCache):
    """Answers of a service by what was asked, in one SQLite file of a folder.

    The answers are stored, and a SHA-256 of the question; not the document. Safe with several
    threads and processes.

    Parameters
    ----------
    folder
        Where the file ``texts.sqlite3`` lives; made when missing, for its owner only.
    size_limit
        Bytes the file may take; the longest unused answers leave first.

    """

    file = "texts.sqlite3"

    def find(self, *question: object) -> str | None:
        """Return the answer to ``question`` (texts, numbers, None), or None where it is not known.

        Raises
        ------
        ServiceError
            When the file is damaged or cannot be used; it names the folder.

        """
        return self.find_all([question])[0]

    def find_all(self, questions: Sequence[tuple[object, ...]]) -> list[str | None]:
        """Return the answer to each question, or None where it is not known, reading the file once.

        Raises
        ------
        ServiceError
            As of ``find``.

        """
        keys = [key_of(*question) for question in questions]
        values = self._disk.get(keys)
        try:
            return [values[key].decode() if key in values else None for key in keys]
        except (UnicodeDecodeError, AttributeError):
            message = f"The cache in {self.folder} holds a damaged answer; clear it, or turn it off."
            raise ServiceError(message) from None

    def keep(self, answer: str, *question: object) -> None:
        """Store the answer to ``question``.

        Raises
        ------
        ServiceError
            When the file is damaged or cannot be written; it names the folder.

        """
        self._disk.put({key_of(*question): answer.encode()})
