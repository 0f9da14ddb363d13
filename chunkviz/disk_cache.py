"""What a service was paid for, kept on disk: one SQLite file, for several processes at once.

SQLite of the standard library: values are plain bytes, where a cache of pickles would run whatever
somebody put into its folder. A connection is opened for each operation, so that a cache may be
pickled, forked and shared by threads.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

from chunkviz.errors import ParameterError, ServiceError

_SECONDS_TO_WAIT = 30.0
"""For other processes that are writing."""
_AT_A_TIME = 500
"""Keys in one question; SQLite allows 999 in its oldest versions."""
_TABLES = (
    "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS contents (key BLOB PRIMARY KEY, value BLOB NOT NULL)",
)
# Two tables, so that noting a use rewrites a short row and not the value beside it.

GIBIBYTE = 1 << 30


class DiskCache:
    """Bytes by key in one file of a folder, the longest unused leaving first when it grows too large.

    Keys are digests, made with ``key_of``: neither texts nor keys of services are stored in them.

    Parameters
    ----------
    folder
        Where the file lives; made when missing, for its owner only.
    file
        Name of the file.
    size_limit
        Bytes the file may take; after each ``put`` the longest unused entries go until it is kept.

    Raises
    ------
    ParameterError
        At construction, when the limit is not a whole number above 0.

    """

    note_after = 3_600_000_000_000
    """Nanoseconds after which a further use of an entry is noted: most reads then write nothing."""

    def __init__(self, folder: str | Path, file: str, size_limit: int = GIBIBYTE) -> None:
        if not isinstance(size_limit, int) or size_limit < 1:
            message = f"size_limit must be a whole number of bytes from 1 on, not {size_limit!r}."
            raise ParameterError(message)
        self.folder = Path(folder)
        self.path = self.folder / file
        self.size_limit = size_limit

    def __repr__(self) -> str:
        """Name the file."""
        return f"{type(self).__name__}({str(self.path)!r})"

    def __len__(self) -> int:
        """Return the number of entries.

        Raises
        ------
        ServiceError
            As of ``get``.

        """
        if not self.path.exists():  # asking makes none
            return 0
        with self._open() as database:
            return int(database.execute("SELECT count(*) FROM entries").fetchone()[0])

    def __bool__(self) -> bool:
        """An empty cache is a cache all the same."""
        return True

    def size(self) -> int:
        """Return the bytes the entries take on disk, in whole pages; 0 where there is none.

        Raises
        ------
        ServiceError
            As of ``get``.

        """
        if not self.path.exists():
            return 0
        with self._open() as database:
            return _size(database) if database.execute("SELECT EXISTS (SELECT 1 FROM entries)").fetchone()[0] else 0

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values that are there, by key, and note that they were used (once an hour at most).

        Raises
        ------
        ServiceError
            When the file is damaged, or cannot be read and written; it names the folder.

        """
        found: dict[bytes, bytes] = {}
        now = time.time_ns()
        stale: list[bytes] = []
        with self._open() as database:
            for start in range(0, len(keys), _AT_A_TIME):
                some = keys[start : start + _AT_A_TIME]
                marks = ",".join("?" * len(some))
                rows = database.execute(
                    f"SELECT key, value, used FROM contents JOIN entries USING (key) WHERE key IN ({marks})",  # noqa: S608
                    some,
                )
                for key, value, used in rows:
                    found[key] = value
                    if now - used >= self.note_after:
                        stale.append(key)
            if stale or len(found) < len(set(keys)):
                with _writing(database):
                    # Writes nothing, but fails where nothing can be written: where something is
                    # missing, that should show before anybody pays for what could not be kept.
                    database.execute("DELETE FROM entries WHERE FALSE")
                    database.executemany("UPDATE entries SET used = ? WHERE key = ?", ((now, key) for key in stale))
        return found

    def put(self, entries: Mapping[bytes, bytes]) -> None:
        """Store the values, in place of older ones, and keep to the size limit.

        Raises
        ------
        ServiceError
            When the file is damaged or cannot be written; it names the folder.

        """
        now = time.time_ns()
        with self._open() as database:
            with _writing(database):
                database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?)", ((key, now) for key in entries))
                database.executemany("INSERT OR REPLACE INTO contents VALUES (?, ?)", entries.items())
            self._evict(database)

    def clear(self) -> None:
        """Remove every entry; a damaged file is removed as a whole.

        Raises
        ------
        ServiceError
            When that is impossible; it names the folder.

        """
        if not self.path.exists():
            return
        try:
            with closing(self._connect()) as database:
                with _writing(database):
                    database.execute("DELETE FROM contents")
                    database.execute("DELETE FROM entries")
                database.execute("VACUUM")
        except sqlite3.OperationalError as error:
            raise self._error(error) from error
        except sqlite3.DatabaseError:
            self._remove()

    def _remove(self) -> None:
        try:
            for ending in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
        except OSError as error:
            raise self._error(error) from error

    def _evict(self, database: sqlite3.Connection) -> None:
        size = _size(database)
        if size <= self.size_limit:
            return
        # Down to nine tenths, so that a full cache is not swept at every entry.
        wanted = self.size_limit * 9 // 10
        while size > wanted:
            count = database.execute("SELECT count(*) FROM entries").fetchone()[0]
            if not count:
                break
            going = max(1, min(count, count * (size - wanted) // size))
            with _writing(database):
                oldest = "SELECT key FROM entries ORDER BY used, key LIMIT ?"
                database.execute(f"DELETE FROM contents WHERE key IN ({oldest})", (going,))  # noqa: S608
                database.execute(f"DELETE FROM entries WHERE key IN ({oldest})", (going,))  # noqa: S608
            size = _size(database)
        # Each step of this pragma frees a page, and only fetching makes it step.
        database.execute("PRAGMA incremental_vacuum").fetchall()

    def _connect(self) -> sqlite3.Connection:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        database = sqlite3.connect(self.path, timeout=_SECONDS_TO_WAIT)
        try:
            tables = database.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('entries', 'contents')")
            # Asking an existing file for its modes again costs more than all else that a read does.
            if tables.fetchone()[0] < len(_TABLES):
                database.execute("PRAGMA auto_vacuum = INCREMENTAL")
                database.execute("PRAGMA journal_mode = WAL")
                for table in _TABLES:
                    database.execute(table)
        except sqlite3.Error:
            database.close()
            raise
        return database

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect()) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> ServiceError:
        return ServiceError(f"The cache in {self.folder} cannot be used ({error}); clear it, or turn it off.")


class FolderCache:
    """A cache of one kind of thing, in one file of a folder; its subclasses say which, how to find and how to keep.

    Parameters
    ----------
    folder
        Where the file lives; made when missing, for its owner only.
    size_limit
        Bytes the file may take; the longest unused things leave first.

    Raises
    ------
    ParameterError
        At construction, when the limit is not a whole number above 0.

    """

    file: ClassVar[str]
    """Name of the file."""

    def __init__(self, folder: str | Path, size_limit: int = GIBIBYTE) -> None:
        self._disk = DiskCache(folder, self.file, size_limit)

    @property
    def folder(self) -> Path:
        """Where the file lives."""
        return self._disk.folder

    def __repr__(self) -> str:
        """Name the folder."""
        return f"{type(self).__name__}({str(self.folder)!r})"

    def __len__(self) -> int:
        """Return the number of things kept; a ServiceError where the file cannot be used."""
        return len(self._disk)

    def __bool__(self) -> bool:
        """An empty cache is a cache all the same."""
        return True

    def size(self) -> int:
        """Return the bytes they take on disk; a ServiceError where the file cannot be used."""
        return self._disk.size()

    def clear(self) -> None:
        """Remove all of them, of a damaged file too; a ServiceError where that is impossible."""
        self._disk.clear()


def key_of(*facts: object) -> bytes:
    """Return the SHA-256 of ``facts`` (texts, numbers, None), 32 bytes; different facts give different keys."""
    return hashlib.sha256(json.dumps(facts).encode()).digest()


@contextmanager
def _writing(database: sqlite3.Connection) -> Iterator[None]:
    """Hold the file for writing from the start, so that two writers queue and neither has to give up."""
    # A power cut may lose the last entries, which can be had again; it cannot damage the file.
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("BEGIN IMMEDIATE")
    with database:
        yield


def _size(database: sqlite3.Connection) -> int:
    pages, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
