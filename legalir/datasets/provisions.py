"""Provisions by docno or position, without reading the corpus for each.

A store is built once for a corpus, in the cache, from which it can be deleted at any time. It has the lines of the
corpus (a copy only where the corpus is compressed), the place and checksum of each line, and the docnos sorted by a
64-bit hash. All of it is memory-mapped, so that one provision costs one page or two. Its manifest says whether
any docno is that of a version.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import mmap
import shutil
import tempfile
import weakref
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from legalir.datasets.readers import open_binary, read_corpus
from legalir.datasets.records import Provision, identifier, provision
from legalir.errors import DataError, LegalIRError
from legalir.progress import progress
from legalir.storage.arrays import save_array
from legalir.storage.files import atomic_directory, cache_home, clear_away
from legalir.storage.locks import cache_lock
from legalir.storage.validity import names_version

_FORMAT = 2
_BOM = b"\xef\xbb\xbf"
_ARRAYS = ("start", "length", "crc", "key", "order")


class ProvisionStore:
    """Random access to one corpus.

    Args:
        corpus: ``corpus.jsonl[.gz]``.
        fingerprint: sha256 of that file; names the store in the cache.
    """

    def __init__(self, corpus: Path, fingerprint: str) -> None:
        self._corpus = corpus
        self._fingerprint = fingerprint

    def __len__(self) -> int:
        return len(self._opened["start"])

    @property
    def dated(self) -> bool:
        """Whether any docno is that of a version."""
        return bool(json.loads((self._folder / "manifest.json").read_bytes())["dated"])

    def __getitem__(self, position: int) -> Provision:
        record = self._read(range(len(self))[position])
        if record is None:
            self._rebuild()
            record = self._read(position)
        if record is None:
            raise DataError(f"{self._corpus} was changed while it was in use: start again.")
        return record

    def get_many(self, docnos: Iterable[str]) -> dict[str, Provision]:
        """Return the provisions that have these docnos, in their order; an unknown docno is left out."""
        return {record.doc_id: record for record in self.get_many_iter(docnos)}

    def get_many_iter(self, docnos: Iterable[str]) -> Iterator[Provision]:
        """Yield the provisions that have these docnos, in their order; an unknown docno is left out."""
        for docno in docnos:
            for position in self._candidates(docno):
                record = self[position]
                if record.doc_id == docno:
                    yield record
                    break

    def _candidates(self, docno: str) -> list[int]:
        """Return the positions of the docnos with the same hash, nearly always one or none."""
        keys, wanted = self._opened["key"], np.uint64(_key(docno))
        first = int(np.searchsorted(keys, wanted, "left"))
        last = int(np.searchsorted(keys, wanted, "right"))
        return [int(position) for position in self._opened["order"][first:last]]

    def _read(self, position: int) -> Provision | None:
        """Return a provision, None where its line is no longer the stored one."""
        arrays = self._opened
        start = int(arrays["start"][position])
        line = self._lines[start : start + int(arrays["length"][position])]
        if zlib.crc32(line) != int(arrays["crc"][position]):
            return None
        return provision(json.loads(line))

    @cached_property
    def _folder(self) -> Path:
        folder = cache_home() / "provisions" / self._fingerprint[:32]
        try:
            if not _is_whole(folder):
                with cache_lock(folder):
                    if not _is_whole(folder):
                        clear_away(folder)
                        _build(self._corpus, folder)
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
        _build(self._corpus, folder)
        return folder

    @cached_property
    def _opened(self) -> dict[str, NDArray[np.generic]]:
        return {name: np.load(self._folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}

    @cached_property
    def _lines(self) -> mmap.mmap:
        copy = self._folder / "corpus.jsonl"
        with (copy if copy.exists() else self._corpus).open("rb") as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def _rebuild(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        for name in ("_folder", "_opened", "_lines"):
            self.__dict__.pop(name, None)


def _key(docno: str) -> int:
    return int.from_bytes(hashlib.blake2b(docno.encode("utf-8"), digest_size=8).digest(), "little")


def _is_whole(folder: Path) -> bool:
    """Return whether a store has this format and its files have the sizes of its manifest."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        sizes = {name: (folder / name).stat().st_size for name in manifest["sizes"]}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(manifest.get("format") == _FORMAT and sizes == manifest["sizes"])


def _build(corpus: Path, folder: Path) -> None:
    """Write the store of a corpus.

    Raises:
        FormatError: the corpus has a faulty line.
        OSError: the folder cannot be written.
    """
    with atomic_directory(folder) as target:
        copy = target / "corpus.jsonl" if corpus.suffix == ".gz" else None
        try:
            start, length, crc, keys, dated = _index(corpus, copy)
        except (ValueError, EOFError, gzip.BadGzipFile, zlib.error):
            _raise_fault(corpus)
            raise
        key = np.array(keys, dtype=np.uint64)
        if len(np.unique(key)) < len(key):
            _raise_fault(corpus)
        order = np.argsort(key, kind="stable")
        columns = (np.array(start), np.array(length), np.array(crc), key[order], order)
        for name, values in zip(_ARRAYS, columns, strict=True):
            save_array(target / f"{name}.npy", values)
        sizes = {path.name: path.stat().st_size for path in target.iterdir()}
        (target / "manifest.json").write_text(
            json.dumps({"format": _FORMAT, "dated": dated, "sizes": sizes}), encoding="utf-8"
        )


def _index(corpus: Path, copy: Path | None) -> tuple[array[int], array[int], array[int], array[int], bool]:
    """Return start, length and checksum of every line, the hash of its docno, and whether any is that of a version.

    The lines are copied to `copy`.
    """
    start, length, crc, keys = array("q"), array("q"), array("I"), array("Q")
    position, dated = 0, False
    with ExitStack() as stack:
        stream = stack.enter_context(open_binary(corpus))
        out = stack.enter_context(copy.open("wb")) if copy else None
        advance = stack.enter_context(progress("Storing provisions", None))
        for raw in stream:
            if out is not None:
                out.write(raw)
            offset = len(_BOM) if position == 0 and raw.startswith(_BOM) else 0
            line = raw[offset:]
            if not line.isspace():
                docno = identifier(json.loads(line), "docno", "doc_id")
                dated = dated or names_version(docno)
                keys.append(_key(docno))
                start.append(position + offset)
                length.append(len(line))
                crc.append(zlib.crc32(line))
                advance(1)
            position += len(raw)
    return start, length, crc, keys, dated


def _raise_fault(corpus: Path) -> None:
    """Read the corpus line by line, which raises the exact fault."""
    for _ in read_corpus(corpus):
        pass
