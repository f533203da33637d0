"""Provisions by docno or position, and what indexes need of all of them, without reading the corpus for each.

A store is built once for a corpus, in the cache, from which it can be deleted at any time. It has the lines of the
corpus (a copy where the corpus is compressed, else a link, where the file system has those), the place and the digest
of each line, the docnos, and columns of strings: law, article, heading, dates. All of it is memory-mapped, so that one
provision costs one page or two. A store is built from that of the former state of the same file: a line that was there
is not parsed again, and two stores tell which provisions differ (:func:`changes`).

Files: ``start.npy`` int64, ``length.npy`` int32 and ``digest.npy`` uint8 [n, 16] of the lines; ``repealed.npy`` bool;
the docnos (see :mod:`legalir.storage.strings`); for each column, ``<column>.npy`` int32, and the string table
``<column>s`` that it points into, in the order in which the strings first occur.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import tempfile
import threading
import weakref
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.datasets.readers import line_provision, open_binary, read_corpus
from legalir.datasets.records import Provision, provision
from legalir.errors import DataError, LegalIRError
from legalir.progress import progress
from legalir.storage.arrays import save_array
from legalir.storage.digest import cached_file_digest
from legalir.storage.files import atomic_directory, cache_home, clear_away
from legalir.storage.locks import cache_lock
from legalir.storage.states import former_states, record_use, remove_state
from legalir.storage.strings import Docnos, Strings, write_docnos, write_strings
from legalir.storage.validity import Validity, names_version, validity_of

_FORMAT = 3
_BOM = b"\xef\xbb\xbf"
COLUMNS = ("law", "article", "heading", "effective_from", "effective_to")
"""Fields of a provision that a store has for all provisions at once."""

_TABLES = ("docnos", *(f"{column}s" for column in COLUMNS))
_ARRAYS = (
    *("start", "length", "digest", "repealed", "order", *COLUMNS),
    *(f"{table}.{part}" for table in _TABLES for part in ("bytes", "offsets")),
)
_DIGEST = np.dtype("S16")
_BUFFER = 1 << 20

Ints = npt.NDArray[np.int64]


class ProvisionStore:
    """Random access to one corpus.

    Args:
        corpus: ``corpus.jsonl[.gz]``.
        fingerprint: sha256 of that file; names the store in the cache.
    """

    def __init__(self, corpus: Path, fingerprint: str) -> None:
        self._corpus = corpus
        self._fingerprint = fingerprint
        self._reading = threading.Lock()

    def __len__(self) -> int:
        return len(self.arrays["start"])

    def built(self) -> bool:
        """Return whether the store is in the cache, or open."""
        return "_folder" in self.__dict__ or _is_whole(self._place)

    @property
    def key(self) -> str:
        """First 32 digits of the sha256 of the corpus, which name what is built for it."""
        return self._fingerprint[:32]

    @property
    def _place(self) -> Path:
        return cache_home() / "provisions" / self.key

    @property
    def source(self) -> str:
        """Name of the file in records of states, the same whether it is compressed or not."""
        return str(self._corpus.resolve()).removesuffix(".gz")

    @property
    def dated(self) -> bool:
        """Whether any docno is that of a version."""
        return bool(json.loads((self._folder / "manifest.json").read_bytes())["dated"])

    def __getitem__(self, position: int) -> Provision:
        return provision(json.loads(self.line(range(len(self))[position])))

    def line(self, position: int) -> bytes:
        """Return the line of a provision.

        Raises:
            DataError: the corpus was changed after the store was built.
        """
        line = self._read(position)
        if line is None:
            _check_unchanged(self._corpus, self._fingerprint)
            self._rebuild()  # The store is damaged.
            line = self._read(position)
        assert line is not None
        return line

    def __iter__(self) -> Iterator[Provision]:
        return self.at(range(len(self)))

    def at(self, positions: Iterable[int]) -> Iterator[Provision]:
        """Yield the provisions at these positions; errors as :meth:`line`."""
        start, length, digests = self.arrays["start"], self.arrays["length"], self.digests
        with self._file.open("rb", buffering=_BUFFER) as stream:
            for position in positions:
                stream.seek(int(start[position]))
                line = stream.read(int(length[position]))
                whole = _digest(line) == digests[position].ljust(_DIGEST.itemsize, b"\0")
                yield provision(json.loads(line if whole else self.line(position)))

    def get_many(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions that have these docnos, in their order; an unknown docno is left out."""
        return {record.doc_id: record for record in self.get_many_iter(docnos)}

    def get_many_iter(self, docnos: Iterable[str]) -> Iterator[Provision]:
        """Yield the provisions that have these docnos, in their order; an unknown docno is left out."""
        for docno in docnos:
            (position,) = self.docnos.numbers([docno]).tolist()
            if position >= 0:
                yield self[position]

    @cached_property
    def docnos(self) -> Docnos:
        """The docnos, in the order of the corpus."""
        return Docnos.of(self.arrays)

    @property
    def digests(self) -> npt.NDArray[np.bytes_]:
        """Digest of each line, 16 bytes; [n]."""
        return np.asarray(self.arrays["digest"]).view(_DIGEST).reshape(-1)

    def column(self, name: str) -> npt.NDArray[np.object_]:
        """Return one of `COLUMNS` for all provisions, object [n]; an empty string where the field is missing."""
        strings = np.array(self.strings(name), dtype=object)
        return strings[self.arrays[name]] if len(strings) else strings

    def strings(self, name: str) -> list[str]:
        """Return the strings of a column, each once, in the order in which they first occur."""
        return list(Strings(self.arrays, f"{name}s").array())

    @cached_property
    def validity(self) -> Validity | None:
        """The days of each provision; None where no docno is that of a version.

        Raises:
            ComponentError: a date is not one.
        """
        if not self.dated:
            return None
        dates = (self.column("effective_from").tolist(), self.column("effective_to").tolist())
        return validity_of(self.docnos.array.tolist(), *dates, self.arrays["repealed"].tolist())

    def validity_of(self, docnos: Sequence[str] | npt.NDArray[np.object_]) -> Validity | None:
        """Return :attr:`validity` of provisions of the store, in the order of `docnos`."""
        return None if self.validity is None else self.validity.reordered(self.docnos.numbers(docnos))

    def former(self) -> Iterator[ProvisionStore]:
        """Yield the stores of former states of the same file that are in the cache, the newest first."""
        return _stores(former_states(self._folder, self.source))

    def remove_former(self) -> None:
        """Remove the stores of former states of the same file, but for those that somebody reads."""
        for folder in former_states(self._folder, self.source):
            remove_state(folder, self.source)

    def _read(self, position: int) -> bytes | None:
        """Return a line, None where it is no longer the stored one."""
        arrays = self.arrays
        start, length = int(arrays["start"][position]), int(arrays["length"][position])
        # A file that is read, and not mapped, may become shorter meanwhile. Forked processes share its position.
        if hasattr(os, "pread"):
            line = os.pread(self._lines.fileno(), length, start)
        else:
            with self._reading:
                self._lines.seek(start)
                line = self._lines.read(length)
        return line if _digest(line) == arrays["digest"][position].tobytes() else None

    @cached_property
    def _folder(self) -> Path:
        folder = self._place
        try:
            if not _is_whole(folder):
                with cache_lock(folder):
                    if not _is_whole(folder):
                        clear_away(folder)
                        base = next(_stores(former_states(folder, self.source)), None)
                        _build(self._corpus, self._fingerprint, folder, base)
            record_use(folder, self.source)
        except (OSError, LegalIRError) as error:
            if isinstance(error, DataError):
                raise
            return self._temporary()
        return folder

    def _temporary(self) -> Path:
        """Build the store for this process alone, because the cache cannot be written."""
        holder = tempfile.mkdtemp(prefix="legalir-")
        weakref.finalize(self, shutil.rmtree, holder, ignore_errors=True)
        folder = Path(holder) / "provisions"
        _build(self._corpus, self._fingerprint, folder)
        return folder

    @cached_property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of the store, by the names of their files without ``.npy``."""
        return {name: np.load(self._folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}

    @property
    def _file(self) -> Path:
        copy = self._folder / "corpus.jsonl"
        return copy if copy.exists() else self._corpus

    @cached_property
    def _lines(self) -> IO[bytes]:
        stream = self._file.open("rb", buffering=0)
        weakref.finalize(self, stream.close)
        return stream

    def _rebuild(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        for name in ("_folder", "arrays", "_lines", "docnos", "validity"):
            self.__dict__.pop(name, None)


class _Opened(ProvisionStore):
    """A store that stands in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "corpus.jsonl", folder.name)
        self.__dict__["_folder"] = folder


def _stores(folders: Iterable[Path]) -> Iterator[ProvisionStore]:
    """Yield the stores in those of `folders` that hold one."""
    return (_Opened(folder) for folder in folders if _is_whole(folder))


def _digest(line: bytes) -> bytes:
    return hashlib.sha256(line).digest()[: _DIGEST.itemsize]


def _is_whole(folder: Path) -> bool:
    """Return whether a store has this format and its files have the sizes of its manifest."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        sizes = {name: (folder / name).stat().st_size for name in manifest["sizes"]}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(manifest.get("format") == _FORMAT and sizes == manifest["sizes"])


def _build(corpus: Path, fingerprint: str, folder: Path, base: ProvisionStore | None = None) -> None:
    """Write the store of a corpus; the lines that `base` has are not parsed.

    Raises:
        DataError: the corpus is not the one with this fingerprint any more.
        FormatError: the corpus has a faulty line.
        OSError: the folder cannot be written.
    """
    with atomic_directory(folder) as target:
        copy = target / "corpus.jsonl"
        try:
            lines = _read_lines(corpus, copy if corpus.suffix == ".gz" else None, base)
            docnos = _write_columns(target, lines, base)
        except (ValueError, EOFError, RecursionError, gzip.BadGzipFile, zlib.error):
            _raise_fault(corpus)
            raise
        _check_unchanged(corpus, fingerprint)
        sizes = {path.name: path.stat().st_size for path in target.iterdir()}
        if corpus.suffix != ".gz":
            # The lines stay what they were when the file is replaced. A file that is changed in place is noticed.
            with suppress(OSError):
                os.link(corpus, copy)
        content = {"format": _FORMAT, "dated": any(map(names_version, docnos)), "sizes": sizes}
        (target / "manifest.json").write_text(json.dumps(content), encoding="utf-8")


def _check_unchanged(corpus: Path, fingerprint: str) -> None:
    if cached_file_digest(corpus) != fingerprint:
        raise DataError(f"{corpus} was changed while it was in use: start again.")


def _places(base: ProvisionStore | None) -> dict[bytes, int]:
    """Return the position of each line of a store by its digest."""
    if base is None:
        return {}
    content = base.digests.tobytes()
    return {content[16 * place : 16 * place + 16]: place for place in range(len(base))}


class _Lines(NamedTuple):
    """The lines of a corpus, and what is known of those that were parsed.

    Attributes:
        start: place of each line, [n].
        length: its length in bytes.
        digests: its digest, 16 bytes each.
        base: its position in the base; -1 for the p lines that were parsed.
        docnos: of the parsed lines, [p].
        repealed: whether they have no text.
        codes: string in each column, by its number in `numbers`.
        numbers: number of each string of each column; first those of the base.
    """

    start: array[int]
    length: array[int]
    digests: bytearray
    base: array[int]
    docnos: list[str]
    repealed: list[bool]
    codes: dict[str, array[int]]
    numbers: dict[str, dict[str, int]]

    def parse(self, line: str) -> None:
        """Read a line that the base does not have.

        Raises:
            ValueError: it is not a provision.
        """
        record = line_provision(line)
        self.docnos.append(record.doc_id)
        self.repealed.append(not record.text.strip())
        for column, numbers in self.numbers.items():
            self.codes[column].append(numbers.setdefault(getattr(record, column), len(numbers)))


def _read_lines(corpus: Path, copy: Path | None, base: ProvisionStore | None) -> _Lines:
    """Read every line; parse those that `base` does not have; copy all of them to `copy`.

    Raises:
        ValueError: a line is not a provision.
    """
    places = _places(base)
    strings = {column: [] if base is None else base.strings(column) for column in COLUMNS}
    numbers = {column: {string: place for place, string in enumerate(own)} for column, own in strings.items()}
    codes = {column: array("i") for column in COLUMNS}
    lines = _Lines(array("q"), array("i"), bytearray(), array("q"), [], [], codes, numbers)
    position = 0
    with ExitStack() as stack:
        stream = stack.enter_context(open_binary(corpus))
        out = stack.enter_context(copy.open("wb")) if copy else None
        advance = stack.enter_context(progress("Storing provisions", None))
        while raws := stream.readlines(_BUFFER):
            if out is not None:
                out.writelines(raws)
            offset = len(_BOM) if position == 0 and raws[0].startswith(_BOM) else 0
            raws[0], position = raws[0][offset:], position + offset
            digests = list(map(_digest, raws))
            for raw, digest, place in zip(raws, digests, [places.get(one, -1) for one in digests], strict=True):
                start, position = position, position + len(raw)
                if place < 0:
                    text = raw.decode("utf-8")
                    if not text or text.isspace():
                        continue
                    lines.parse(text)
                lines.start.append(start)
                lines.length.append(len(raw))
                lines.digests.extend(digest)
                lines.base.append(place)
            advance(len(raws))
    return lines


def _write_columns(target: Path, lines: _Lines, base: ProvisionStore | None) -> list[str]:
    """Write the arrays of a store; return the docnos.

    Raises:
        ValueError: a docno occurs twice.
    """
    origin = np.array(lines.base, dtype=np.int64)
    known = origin >= 0
    docnos = np.empty(len(origin), dtype=object)
    docnos[~known] = lines.docnos
    repealed = np.zeros(len(origin), dtype=bool)
    repealed[~known] = lines.repealed
    if base is not None:
        docnos[known] = base.docnos.array[origin[known]]
        repealed[known] = base.arrays["repealed"][origin[known]]
    names: list[str] = docnos.tolist()
    if len(set(names)) < len(names):
        raise ValueError("a docno occurs twice")
    write_docnos(target, names)
    for column, numbers in lines.numbers.items():
        codes = np.empty(len(origin), dtype=np.int64)
        codes[~known] = lines.codes[column]
        if base is not None:
            codes[known] = base.arrays[column][origin[known]]
        # In the order of first use, without those that are used no more, as in a store that is built at once.
        used, first = np.unique(codes, return_index=True)
        in_order = used[np.argsort(first)]
        place = np.empty(len(numbers), dtype=np.int32)
        place[in_order] = np.arange(len(in_order))
        save_array(target / f"{column}.npy", place[codes])
        strings = list(numbers)
        write_strings(target, f"{column}s", (strings[code] for code in in_order.tolist()))
    save_array(target / "start.npy", np.array(lines.start, dtype=np.int64))
    save_array(target / "length.npy", np.array(lines.length, dtype=np.int32))
    save_array(target / "digest.npy", np.frombuffer(lines.digests, dtype=np.uint8).reshape(-1, _DIGEST.itemsize))
    save_array(target / "repealed.npy", repealed)
    return names


def _raise_fault(corpus: Path) -> None:
    """Read the corpus line by line, which raises the exact fault."""
    for _ in read_corpus(corpus):
        pass


class Changes(NamedTuple):
    """Provisions that differ between two states of a corpus.

    Attributes:
        removed: docnos of the former state that are gone or changed, object [r].
        added: positions in the new state that are new or changed, int64 [a].
        changed: how many are in both.
    """

    removed: npt.NDArray[np.object_]
    added: Ints
    changed: int

    def counts(self) -> tuple[int, int, int]:
        """Return the numbers of added and of removed provisions, changed ones among both, and of changed ones."""
        return len(self.added), len(self.removed), self.changed


def changes(former: ProvisionStore, new: ProvisionStore) -> Changes:
    """Return the provisions that differ between two states of a corpus, by the digests of their lines."""
    removed = former.docnos.array[~_among(former.digests, new.digests)]
    added = np.flatnonzero(~_among(new.digests, former.digests))
    changed = int((new.docnos.numbers(removed) >= 0).sum())
    return Changes(removed, added, changed)


def _among(digests: npt.NDArray[np.bytes_], others: npt.NDArray[np.bytes_]) -> npt.NDArray[np.bool_]:
    """Return which digests are among others; sorted as numbers, which is ten times faster than as bytes."""
    if not len(others):
        return np.zeros(len(digests), dtype=bool)
    mine, theirs = (np.ascontiguousarray(one).view(np.uint64).reshape(-1, 2) for one in (digests, others))
    order = np.argsort(theirs[:, 0], kind="stable")
    place = order[np.minimum(np.searchsorted(theirs[order, 0], mine[:, 0]), len(order) - 1)]
    return np.asarray((theirs[place] == mine).all(axis=1))
