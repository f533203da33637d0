"""Cache of a cross-encoder's scores on disk, for any number of processes.

An SQLite file holds hashes and numbers, never a text. It only saves time: a damaged file is started anew, and if none
can be written, reranking works without it; both are logged.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from legalir.errors import ArtifactError
from legalir.storage.locks import cache_lock

_log = logging.getLogger("legalir")
_LOGGED: set[Path] = set()
"""Files whose failure was already logged."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_VALUE = struct.Struct("<dIIII")
_CHECK_BYTES = 8
_AT_ONCE = 500


class Best(NamedTuple):
    """Best window of a provision, and its logit.

    Attributes:
        logit: logit of the model.
        window: number of the window, from 0.
        windows: number of windows.
        first: first token of the provision in the window, after the title.
        last: the token after the last one.
    """

    logit: float
    window: int
    windows: int
    first: int
    last: int


def pair_keys(settings: str, pairs: Sequence[tuple[str, str, str]]) -> list[bytes]:
    """Return the sha256 of the settings and of each pair of query, title and text."""
    queries = {query: _hash(settings, query) for query in {query for query, _, _ in pairs}}
    provisions = {(title, text): _hash(title, text) for title, text in {pair[1:] for pair in pairs}}
    return [hashlib.sha256(queries[query] + provisions[title, text]).digest() for query, title, text in pairs]


def _hash(first: str, second: str) -> bytes:
    return hashlib.sha256(f"{len(first)} {first}{second}".encode()).digest()


@contextmanager
def open_scores(path: Path | None) -> Iterator[Scores]:
    """Yield the scores in the file at `path`, which is created if needed; None for no cache.

    Each user opens the file while it works; any number of threads and processes may do so at once.
    """
    scores = Scores(path)
    try:
        yield scores
    finally:
        scores.close()


class Scores:
    """An open file of scores, for one thread; see :func:`open_scores`."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        self._file = 0
        with self._surviving():
            self._open()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Best]:
        """Return the cached values of `keys`, each verified."""
        found: dict[bytes, Best] = {}
        with self._surviving():
            for start in range(0, len(keys), _AT_ONCE):
                for key, value in self._select(keys[start : start + _AT_ONCE]):
                    best = _unpack(key, value)
                    if best is None:
                        self._start_anew("a score differs from what was written")
                        return found
                    found[key] = best
        return found

    def put(self, scores: Iterable[tuple[bytes, Best]]) -> None:
        """Store scores by their keys, all of them or none."""
        rows = [(key, _pack(key, best)) for key, best in scores]
        with self._surviving():
            if self._database is not None:
                with self._database:
                    self._database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _select(self, keys: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
        if self._database is None:
            return []
        marks = ", ".join("?" * len(keys))
        return self._database.execute(f"SELECT key, value FROM scores WHERE key IN ({marks})", keys).fetchall()

    def _open(self) -> None:
        if self._path is None:
            return
        # Two processes that create the file at once would block each other.
        with cache_lock(self._path):
            self._connect(self._path)

    def _connect(self, path: Path) -> None:
        self._file = path.stat().st_ino if path.exists() else 0
        self._database = sqlite3.connect(path, timeout=30, isolation_level="IMMEDIATE")
        for line in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL"):
            self._database.execute(line)
        self._database.execute("CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        with closing(self._database.execute("SELECT key, value FROM scores LIMIT 1")) as rows:
            rows.fetchone()
        self._file = path.stat().st_ino

    @contextmanager
    def _surviving(self) -> Iterator[None]:
        """Continue without a cache, or with an empty one, whatever happens to the file."""
        try:
            yield
        except (sqlite3.Error, ArtifactError, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED or self._path is None:
                self._give_up(error)
                return
            self._start_anew(str(error))

    def _start_anew(self, fault: str) -> None:
        path = self._path
        assert path is not None
        try:
            with cache_lock(path):
                # Of several processes that find the damage, the first removes the file; while it is open, no other file
                # has its inode number.
                ours = path.exists() and path.stat().st_ino == self._file
                self.close()
                if ours:
                    for end in ("", "-wal", "-shm"):
                        path.with_name(path.name + end).unlink(missing_ok=True)
                    _log.warning("The scores in %s are damaged (%s) and are computed again.", path, fault)
                self._connect(path)
        except (sqlite3.Error, ArtifactError, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.close()
        assert self._path is not None
        if self._path not in _LOGGED:
            _LOGGED.add(self._path)
            _log.warning("Scores of reranking cannot be cached in %s: %s", self._path, error)


def _pack(key: bytes, best: Best) -> bytes:
    value = _VALUE.pack(*best)
    return value + _check(key, value)


def _unpack(key: bytes, value: object) -> Best | None:
    """Return the score that :func:`_pack` packed; None if the value was altered."""
    if not isinstance(value, bytes) or len(value) != _VALUE.size + _CHECK_BYTES:
        return None
    packed, check = value[: _VALUE.size], value[_VALUE.size :]
    return Best(*_VALUE.unpack(packed)) if check == _check(key, packed) else None


def _check(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(key + value, digest_size=_CHECK_BYTES).digest()
