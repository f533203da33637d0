"""Cache of a cross-encoder's scores on disk, for any number of processes.

An SQLite file contains hashes and numbers, but no texts. It only saves time: if none can be written, reranking works
without it, which is logged.
"""

from __future__ import annotations

import hashlib
import logging
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from legalir.errors import ArtifactError
from legalir.storage.sqlite_cache import SqliteCache

_log = logging.getLogger("legalir")
_LOGGED: set[Path] = set()
"""Files whose failure was already logged."""
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


def pair_keys(settings: str, pairs: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the sha256 of the settings and of each pair of query, title and text, as hex."""
    queries = {query: _hash(settings, query) for query in {query for query, _, _ in pairs}}
    provisions = {(title, text): _hash(title, text) for title, text in {pair[1:] for pair in pairs}}
    return [hashlib.sha256(queries[query] + provisions[title, text]).hexdigest() for query, title, text in pairs]


def _hash(first: str, second: str) -> bytes:
    return hashlib.sha256(f"{len(first)} {first}{second}".encode()).digest()


class ScoreCache(SqliteCache):
    """Best window of each pair by its key; an altered row is computed again."""

    table = "windows"
    columns = "key TEXT PRIMARY KEY, value BLOB"
    noun = "scores"

    def is_whole(self, row: tuple[Any, ...]) -> bool:
        """Return True if a row is unchanged since it was written."""
        return _unpack(*row) is not None

    def get(self, keys: Sequence[str]) -> dict[str, Best]:
        """Return the cached values of `keys`, each verified."""
        found: dict[str, Best] = {}
        try:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = self._run(f"SELECT key, value FROM windows WHERE key IN ({marks})", some)
                found.update({key: best for key, value in rows if (best := _unpack(key, value)) is not None})
        except ArtifactError as error:
            self._log(error)
        return found

    def put(self, scores: Iterable[tuple[str, Best]]) -> None:
        """Store scores by their keys, all of them or none."""
        try:
            self.put_rows((key, _pack(key, best)) for key, best in scores)
        except ArtifactError as error:
            self._log(error)

    def _log(self, error: ArtifactError) -> None:
        if self.path not in _LOGGED:
            _LOGGED.add(self.path)
            _log.warning("Scores of reranking are not cached. %s", error)


def _pack(key: str, best: Best) -> bytes:
    value = _VALUE.pack(*best)
    return value + _check(key, value)


def _unpack(key: str, value: object) -> Best | None:
    """Return the score that :func:`_pack` packed; None if the value was altered."""
    if not isinstance(value, bytes) or len(value) != _VALUE.size + _CHECK_BYTES:
        return None
    packed, check = value[: _VALUE.size], value[_VALUE.size :]
    return Best(*_VALUE.unpack(packed)) if check == _check(key, packed) else None


def _check(key: str, value: bytes) -> bytes:
    return hashlib.blake2b(key.encode() + value, digest_size=_CHECK_BYTES).digest()
