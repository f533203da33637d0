"""Base of caches in one SQLite file, which any number of threads and processes share.

A damaged file is set aside, and its readable rows go into a new one.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, ClassVar

from legalir.errors import ArtifactError
from legalir.storage.files import cache_lock

_log = logging.getLogger("legalir")
_AT_ONCE = 1000
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class SqliteCache:
    """Rows in an SQLite file; threads and processes may share it.

    A subclass names its table, and detects altered rows.

    Args:
        path: the file, which is created at the first use.
    """

    table: ClassVar[str]
    """Name of the table."""

    columns: ClassVar[str]
    """Its columns as SQL. The first is ``key``, a digest in lower-case hex."""

    noun: ClassVar[str]
    """What the rows are, for messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._file = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path,)

    def is_whole(self, row: tuple[Any, ...]) -> bool:
        """Return True if a row is unchanged since it was written."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def put_rows(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Store rows; they replace rows with the same keys.

        Raises:
            ArtifactError: the file cannot be written, for example because the disk is full.
        """
        waiting = iter(rows)
        while some := list(islice(waiting, _AT_ONCE)):
            marks = ", ".join([self._marks] * len(some))
            self._run(f"INSERT OR REPLACE INTO {self.table} VALUES {marks}", chain.from_iterable(some))

    @property
    def _marks(self) -> str:
        return f"(?{', ?' * self.columns.count(',')})"

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _run(self, statement: str, values: Iterable[object] = ()) -> list[Any]:
        given = tuple(values)
        with self._lock:
            try:
                return self._connected().execute(statement, given).fetchall()
            except (sqlite3.Error, OSError) as error:
                self._close()
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED:
                    raise self._unusable(error) from error
            try:
                self._rebuild()
                return self._connected().execute(statement, given).fetchall()
            except (sqlite3.Error, OSError) as error:
                raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> ArtifactError:
        return ArtifactError(
            f"The cache of {self.noun} {self.path} cannot be used ({error}): free some space, or set LEGALIR_HOME to "
            f"another directory; {self.noun} that it already holds are kept."
        )

    def _connected(self) -> sqlite3.Connection:
        if self._database is None or _file_number(self.path) != self._file:  # Another process may have rebuilt it.
            self._close()
            with cache_lock(self.path):
                self._database, self._file = self._open(), _file_number(self.path)
        return self._database

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
        create = f"CREATE TABLE IF NOT EXISTS {self.table} ({self.columns}) WITHOUT ROWID"
        try:
            for line in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", create):
                database.execute(line)
        except BaseException:
            database.close()
            raise
        return database

    def _rebuild(self) -> None:
        """Set a damaged file aside and take over its readable rows."""
        with cache_lock(self.path):
            with contextlib.suppress(sqlite3.Error), closing(self._open()) as database:
                if database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]:
                    return  # Another process was first.
            aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    self.path.with_name(self.path.name + end).rename(f"{aside}{end}")
            with closing(self._open()) as database:
                database.execute("BEGIN")
                insert = f"INSERT OR REPLACE INTO {self.table} VALUES {self._marks}"
                database.executemany(insert, self._readable(aside))
                database.execute("COMMIT")
                (saved,) = database.execute(f"SELECT count(*) FROM {self.table}").fetchone()
        _log.warning(
            "The cache of %s was damaged; it is now %s, and %d %s were saved.", self.noun, aside, saved, self.noun
        )

    def _readable(self, path: Path) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a damaged file that can be read: from both ends of each of 256 ranges of keys."""
        with closing(sqlite3.connect(path)) as database:
            for first, order in product(range(256), ("ASC", "DESC")):
                select = f"SELECT * FROM {self.table} WHERE key BETWEEN ? AND ? ORDER BY key {order}"
                with contextlib.suppress(sqlite3.Error):
                    for row in database.execute(select, (f"{first:02x}", f"{first:02x}g")):
                        if self.is_whole(row):
                            yield row


def _file_number(path: Path) -> int:
    """Return the inode of the file, or 0 if it does not exist."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
