"""Provisions by docno or position, and columns of all of them, without reading the corpus for each.

A store is one SQLite file in the cache, built once for each content of a corpus; it can be deleted at any time. The
table ``provisions`` has position, docno, digest of the line, and `COLUMNS`; the table ``lines`` has the lines of the
corpus. A store is never written again, so a corpus that changes later does not change it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.datasets.readers import line_provision, numbered_lines, read_corpus
from legalir.datasets.records import Provision, provision
from legalir.errors import ArtifactError, DataError
from legalir.progress import progress
from legalir.storage.digest import cached_file_digest
from legalir.storage.files import cache_home, cache_lock, clear_away, new_file
from legalir.storage.strings import Docnos
from legalir.storage.validity import Validity, names_version, validity_of

COLUMNS = ("law", "article", "heading", "effective_from", "effective_to")
"""Fields of a provision that a store has for all provisions at once."""

_FORMAT = 4
_TABLES = f"""
CREATE TABLE provisions (
    position INTEGER PRIMARY KEY, docno TEXT, digest BLOB, repealed INTEGER, {" TEXT, ".join(COLUMNS)} TEXT);
CREATE TABLE lines (position INTEGER PRIMARY KEY, line BLOB);
CREATE TABLE corpus (source TEXT, dated INTEGER);
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA user_version = {_FORMAT};
"""
_LINES = "SELECT {}, line, digest FROM provisions JOIN lines USING (position) WHERE {} IN ({})"
_AT_ONCE = 500
"""Number of provisions that one statement reads or writes."""


class ProvisionStore:
    """Random access to one corpus, from many threads and processes.

    Args:
        corpus: ``corpus.jsonl[.gz]``.
        fingerprint: sha256 of that file, or its first 32 digits; names the store in the cache.
    """

    def __init__(self, corpus: Path, fingerprint: str) -> None:
        self._corpus = corpus
        self._fingerprint = fingerprint
        self._opened: _Opened | None = None

    def __reduce__(self) -> tuple[type[ProvisionStore], tuple[Path, str]]:
        return type(self), (self._corpus, self._fingerprint)

    def __len__(self) -> int:
        ((last,),) = self._rows("SELECT max(position) FROM provisions")
        return 0 if last is None else int(last) + 1

    def built(self) -> bool:
        """Return True if the store is in the cache or open."""
        return self._opened is not None or _is_whole(self._path)

    @property
    def key(self) -> str:
        """First 32 digits of the sha256 of the corpus, which name what is built for it."""
        return self._fingerprint[:32]

    @property
    def _path(self) -> Path:
        return cache_home() / "provisions" / f"{self.key}.sqlite"

    @property
    def source(self) -> str:
        """Name of the file in records of states, the same whether it is compressed or not."""
        return str(self._corpus.resolve()).removesuffix(".gz")

    @cached_property
    def dated(self) -> bool:
        """Whether any docno has a version date."""
        ((dated,),) = self._rows("SELECT dated FROM corpus")
        return bool(dated)

    def __getitem__(self, position: int) -> Provision:
        return next(self.at([range(len(self))[position]]))

    def __iter__(self) -> Iterator[Provision]:
        return self.at(range(len(self)))

    def at(self, positions: Iterable[int]) -> Iterator[Provision]:
        """Yield the provisions at these positions.

        Raises:
            DataError: the store is damaged, and the corpus was changed after it was built.
        """
        return self._read("position", map(int, positions))

    def get_many(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions that have these docnos, in their order; an unknown docno is left out."""
        return {record.doc_id: record for record in self.get_many_iter(docnos)}

    def get_many_iter(self, docnos: Iterable[str]) -> Iterator[Provision]:
        """Yield the provisions that have these docnos, in their order; an unknown docno is left out."""
        # SQLite does not take half a surrogate pair, which no docno of a corpus contains.
        return self._read("docno", (docno for docno in docnos if isinstance(docno, str) and docno.isprintable()))

    @cached_property
    def docnos(self) -> Docnos:
        """The docnos, in the order of the corpus."""
        docnos = [docno for (docno,) in self._rows("SELECT docno FROM provisions ORDER BY position")]
        ascending = self._rows("SELECT position FROM provisions ORDER BY docno")
        order = np.empty(len(docnos), dtype=np.int32)
        order[[position for (position,) in ascending]] = np.arange(len(docnos), dtype=np.int32)
        return Docnos(docnos, order)

    def column(self, name: str) -> npt.NDArray[np.object_]:
        """Return one of `COLUMNS` for all provisions, object [n]; an empty string where the field is missing."""
        rows = self._rows(f"SELECT {name} FROM provisions ORDER BY position")
        return np.array([value for (value,) in rows], dtype=object)

    def has_article(self, beginning: str) -> bool:
        """Return True if the number of an article begins with these letters."""
        return bool(self._rows("SELECT 1 FROM provisions WHERE article GLOB ? LIMIT 1", [f"{beginning}*"]))

    @cached_property
    def validity(self) -> Validity | None:
        """The days on which each provision is in force; None if no docno has a version date.

        Raises:
            ComponentError: a date is invalid.
        """
        if not self.dated:
            return None
        dates = (self.column("effective_from").tolist(), self.column("effective_to").tolist())
        return validity_of(self.docnos.array.tolist(), *dates, self.column("repealed").astype(bool).tolist())

    def validity_of(self, docnos: Sequence[str] | npt.NDArray[np.object_]) -> Validity | None:
        """Return :attr:`validity` of provisions of the store, in the order of `docnos`."""
        return None if self.validity is None else self.validity.reordered(self.docnos.numbers(docnos))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the line of each provision as it is in the corpus, with all its fields, in order."""
        for first in range(0, len(self), _AT_ONCE):
            lines = self._rows(
                "SELECT line FROM lines WHERE position BETWEEN ? AND ? ORDER BY position", (first, first + _AT_ONCE - 1)
            )
            yield from (json.loads(line) for (line,) in lines)

    def digests(self) -> dict[str, bytes]:
        """Return the digest of the line of each provision, by docno, in the order of the corpus."""
        return dict(self._rows("SELECT docno, digest FROM provisions ORDER BY position"))

    def former(self) -> Iterator[ProvisionStore]:
        """Yield the stores of former states of the same file that are in the cache, the last used first."""
        used = []
        for path in self._path.parent.glob("*.sqlite"):
            with suppress(OSError, sqlite3.Error):  # Another process may have removed it, or it is damaged.
                if path != self._path and _is_whole(path):
                    with closing(_connection(path)) as database:
                        if database.execute("SELECT source FROM corpus").fetchone() == (self.source,):
                            used.append((path.stat().st_mtime_ns, path.stem))
        return (ProvisionStore(self._corpus, key) for _, key in sorted(used, reverse=True))

    def remove_former(self) -> None:
        """Remove the stores of former states of the same file; whoever has one open still reads it."""
        for store in self.former():
            with suppress(OSError):  # Windows does not remove an open file.
                store._path.unlink()

    def _read(self, key: str, wanted: Iterator[Any]) -> Iterator[Provision]:
        """Yield the provisions that have these values of a unique column, in their order."""
        while some := list(islice(wanted, _AT_ONCE)):
            statement = _LINES.format(key, key, ",".join("?" * len(some)))
            for _ in range(2):
                rows = self._rows(statement, some)
                if all(_digest(line) == digest for _, line, digest in rows):
                    break
                self._rebuild()
            lines = {value: line for value, line, _ in rows}
            yield from (provision(json.loads(lines[value])) for value in some if value in lines)

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; a damaged store is built again."""
        try:
            return self._open().rows(statement, values)
        except sqlite3.DatabaseError:
            self._rebuild()
            return self._open().rows(statement, values)

    def _open(self) -> _Opened:
        opened = self._opened
        if opened is None or opened.process != os.getpid():  # A connection must not be used after a fork.
            opened = self._opened = _Opened(self._built_file())
        return opened

    def _built_file(self) -> Path:
        path = self._path
        try:
            if not _is_whole(path):
                with cache_lock(path):
                    if not _is_whole(path):
                        clear_away(path)
                        _build(self._corpus, self._fingerprint, path, self.source)
            with suppress(OSError):
                os.utime(path)  # The time of the last use, for `former`.
        except (OSError, ArtifactError):  # The cache cannot be written: build a store for this process alone.
            folder = tempfile.mkdtemp(prefix="legalir-")
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            path = Path(folder) / "provisions.sqlite"
            _build(self._corpus, self._fingerprint, path, self.source)
        return path

    def _rebuild(self) -> None:
        """Remove a damaged store; the next use builds it.

        Raises:
            DataError: the corpus was changed after the store was built.
        """
        self._opened = None
        with suppress(OSError):
            self._path.unlink()
        _check_unchanged(self._corpus, self._fingerprint)


class _Opened:
    """One connection, which the threads of one process use in turn: it reads its file also after that was removed."""

    def __init__(self, path: Path) -> None:
        self.process = os.getpid()
        self._database = _connection(path)
        self._turn = threading.Lock()
        weakref.finalize(self, self._database.close)

    def rows(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._turn:
            return self._database.execute(statement, values).fetchall()


def _connection(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)


def _digest(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()[:16]


def _is_whole(path: Path) -> bool:
    """Return True if a file is a store of this format with the size that its header gives."""
    try:
        with path.open("rb") as stream:
            header = stream.read(100)
            size = stream.seek(0, os.SEEK_END)
    except OSError:
        return False
    page, pages, version = (int.from_bytes(header[start:end]) for start, end in ((16, 18), (28, 32), (60, 64)))
    return version == _FORMAT and 0 < size == page * pages


def _build(corpus: Path, fingerprint: str, path: Path, source: str) -> None:
    """Write the store of a corpus.

    Raises:
        DataError: the corpus is not the one with this fingerprint any more.
        FormatError: the corpus has a faulty line.
        OSError: the file cannot be written.
    """
    insert = f"INSERT INTO provisions VALUES (?, ?, ?, ?{', ?' * len(COLUMNS)})"
    position, dated = 0, False
    try:
        with (
            new_file(path) as new,
            closing(sqlite3.connect(new)) as database,
            progress("Storing provisions", None) as advance,
        ):
            database.executescript(_TABLES)
            rest = (line for _, line in numbered_lines(corpus))
            while some := list(islice(rest, _AT_ONCE)):
                lines, records = [line.encode("utf-8") for line in some], [line_provision(line) for line in some]
                rows = enumerate(zip(lines, records, strict=True), position)
                database.executemany(insert, (_row(place, line, record) for place, (line, record) in rows))
                database.executemany("INSERT INTO lines VALUES (?, ?)", enumerate(lines, position))
                position += len(some)
                dated = dated or any(names_version(record.doc_id) for record in records)
                advance(len(some))
            database.execute("CREATE UNIQUE INDEX docno ON provisions (docno)")
            database.execute("INSERT INTO corpus VALUES (?, ?)", (source.encode("utf-8", "replace").decode(), dated))
            database.commit()
            _check_unchanged(corpus, fingerprint)
    except (ValueError, sqlite3.IntegrityError):
        for _ in read_corpus(corpus):  # Raises the exact fault.
            pass
        raise
    except sqlite3.Error as error:
        raise OSError(None, f"{error}", str(path)) from error


def _row(position: int, line: bytes, record: Provision) -> tuple[object, ...]:
    repealed = not record.text.strip()
    return position, record.doc_id, _digest(line), repealed, *(getattr(record, column) for column in COLUMNS)


def _check_unchanged(corpus: Path, fingerprint: str) -> None:
    if not cached_file_digest(corpus).startswith(fingerprint):
        raise DataError(f"{corpus} was changed while it was in use: start again.")


class Changes(NamedTuple):
    """Provisions that differ between two states of a corpus.

    Attributes:
        removed: docnos of the former state that are gone or changed, object [r].
        added: positions in the new state that are new or changed, int64 [a].
        changed: how many are in both.
    """

    removed: npt.NDArray[np.object_]
    added: npt.NDArray[np.int64]
    changed: int

    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of added and of removed provisions, changed ones among both, and of changed ones."""
        return len(self.added), len(self.removed), self.changed


def changes(former: ProvisionStore, new: ProvisionStore) -> Changes:
    """Return the provisions that differ between two states of a corpus, by the digests of their lines."""
    before, now = former.digests(), new.digests()
    removed = [docno for docno, digest in before.items() if now.get(docno) != digest]
    added = [place for place, (docno, digest) in enumerate(now.items()) if before.get(docno) != digest]
    return Changes(np.array(removed, dtype=object), np.array(added, dtype=np.int64), sum(one in now for one in removed))
