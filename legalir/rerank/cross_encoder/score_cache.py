"""Scores of a cross-encoder on disk: what was computed once is not computed again, by whichever process.

A file of sqlite holds hashes and numbers, never a text. It only saves time: a damaged one is begun anew, and where
none can be written the search goes on without it; either is told in a line of the log.
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

__all__ = ["Best", "Scores", "open_scores", "pair_keys"]

_log = logging.getLogger("legalir")
_TOLD: set[Path] = set()
"""Files that were already said to be of no use."""
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)
_VALUE = struct.Struct("<dIIII")
_CHECK_BYTES = 8
_AT_ONCE = 500


class Best(NamedTuple):
    """What a cross-encoder says of a provision: the logit of its best window, and which one that is.

    Attributes:
        logit: as the model gives it.
        window: number of the window, from 0.
        windows: number of windows.
        first: first token of the provision that the window holds, behind the title.
        last: the one after the last.
    """

    logit: float
    window: int
    windows: int
    first: int
    last: int


def pair_keys(settings: str, pairs: Sequence[tuple[str, str, str]]) -> list[bytes]:
    """Return a sha256 for each pair of query, title and text, over `settings`, too."""
    queries = {query: _hash(settings, query) for query in {query for query, _, _ in pairs}}
    provisions = {(title, text): _hash(title, text) for title, text in {pair[1:] for pair in pairs}}
    return [hashlib.sha256(queries[query] + provisions[title, text]).digest() for query, title, text in pairs]


def _hash(first: str, second: str) -> bytes:
    return hashlib.sha256(f"{len(first)} {first}{second}".encode()).digest()


@contextmanager
def open_scores(path: Path | None) -> Iterator[Scores]:
    """Yield the scores in the file at `path`, which is made where there is none; None keeps nothing.

    Whoever wants scores opens the file for as long as it works: any number of threads and processes at once.
    """
    scores = Scores(path)
    try:
        yield scores
    finally:
        scores.close()


class Scores:
    """An open file of scores, of one thread; see :func:`open_scores`."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        self._file = 0
        with self._surviving():
            self._open()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Best]:
        """Return what is known of `keys`, each verified."""
        found: dict[bytes, Best] = {}
        with self._surviving():
            for start in range(0, len(keys), _AT_ONCE):
                for key, value in self._select(keys[start : start + _AT_ONCE]):
                    best = _unpacked(key, value)
                    if best is None:
                        self._begin_anew("a score is not what was written")
                        return found
                    found[key] = best
        return found

    def put(self, scores: Iterable[tuple[bytes, Best]]) -> None:
        """Keep scores by their keys; all of them or none."""
        rows = [(key, _packed(key, best)) for key, best in scores]
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
        # Two that make the file at once would hold each other up.
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
        """Go on without scores, or with none yet, whatever happens to the file."""
        try:
            yield
        except (sqlite3.Error, ArtifactError, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED or self._path is None:
                self._give_up(error)
                return
            self._begin_anew(str(error))

    def _begin_anew(self, fault: str) -> None:
        path = self._path
        assert path is not None
        try:
            with cache_lock(path):
                # Of several who find the damage, the first one removes the file; as long as it is open, no other has
                # its number.
                ours = path.exists() and path.stat().st_ino == self._file
                self.close()
                if ours:
                    for end in ("", "-wal", "-shm"):
                        path.with_name(path.name + end).unlink(missing_ok=True)
                    _log.warning("The scores in %s are damaged (%s) and are begun anew.", path, fault)
                self._connect(path)
        except (sqlite3.Error, ArtifactError, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.close()
        assert self._path is not None
        if self._path not in _TOLD:
            _TOLD.add(self._path)
            _log.warning("The scores of reranking are not kept in %s: %s", self._path, error)


def _packed(key: bytes, best: Best) -> bytes:
    value = _VALUE.pack(*best)
    return value + _check(key, value)


def _unpacked(key: bytes, value: object) -> Best | None:
    """Return what :func:`_packed` made a value of, None where it is another one."""
    if not isinstance(value, bytes) or len(value) != _VALUE.size + _CHECK_BYTES:
        return None
    packed, check = value[: _VALUE.size], value[_VALUE.size :]
    return Best(*_VALUE.unpack(packed)) if check == _check(key, packed) else None


def _check(key: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(key + value, digest_size=_CHECK_BYTES).digest()
