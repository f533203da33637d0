"""Strings on disk: tables of them, and the docnos of an index.

A table is two arrays, the bytes of all strings in UTF-8 and their offsets; a sorted table is searched by bisection.
The docnos of an index are the table ``docnos`` and ``order.npy``, int32 [n]: the position of each document when all
docnos are in ascending order, by which ties are broken.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.storage.arrays import save_array


def write_strings(directory: Path, name: str, strings: Iterable[str]) -> None:
    """Write ``<name>.bytes.npy`` (uint8) and ``<name>.offsets.npy`` (int64 [n + 1]) into `directory`."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=offsets[1:])
    save_array(directory / f"{name}.bytes.npy", np.frombuffer(b"".join(encoded), dtype=np.uint8))
    save_array(directory / f"{name}.offsets.npy", offsets)


def write_coded(directory: Path, array: str, table: str, values: npt.NDArray[np.object_]) -> int:
    """Write strings with many repetitions, as numbers into a table of distinct strings.

    Args:
        directory: the directory of the build.
        array: name of the numbers: ``<array>.npy``, int32 [n], -1 for an empty string.
        table: name of the string table, ascending.
        values: the strings, object [n].

    Returns:
        The number of different strings.
    """
    codes, found = pd.factorize(values)
    strings = sorted({*found} - {""})
    number = {string: place for place, string in enumerate(strings)}
    places = np.array([number.get(string, -1) for string in found], dtype=np.int32)
    save_array(directory / f"{array}.npy", places[codes])
    write_strings(directory, table, strings)
    return len(strings)


class Strings(Sequence[str]):
    """A memory-mapped string table; :meth:`find` needs a table in ascending order of UTF-8 bytes (code-point order).

    Args:
        arrays: arrays of a directory by name, including the arrays that :func:`write_strings` wrote as `name`.
        name: name of the table.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], name: str) -> None:
        self._bytes = arrays[f"{name}.bytes"]
        self._offsets = arrays[f"{name}.offsets"]
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def _encoded(self, index: int) -> bytes:
        return self._bytes[self._offsets[index] : self._offsets[index + 1]].tobytes()

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._encoded(index).decode("utf-8", "surrogatepass")

    def equals(self, other: Strings) -> bool:
        """Return True if two tables have the same strings in the same order."""
        return np.array_equal(self._offsets, other._offsets) and np.array_equal(self._bytes, other._bytes)

    def array(self) -> npt.NDArray[np.object_]:
        """Return all strings as an object array."""
        # Slices of one text, which is decoded once: an offset in characters is the number of bytes before it that begin
        # one.
        text = self._bytes.tobytes().decode("utf-8", "surrogatepass")
        offsets = self._offsets
        if len(text) < len(self._bytes):
            begins = np.zeros(len(self._bytes) + 1, dtype=np.int32 if len(text) < 2**31 else np.int64)
            np.cumsum((self._bytes & 0xC0) != 0x80, out=begins[1:])
            offsets = begins[offsets]
        out = np.empty(len(self), dtype=object)
        out[:] = [text[a:b] for a, b in pairwise(offsets.tolist())]
        return out

    def find(self, string: str) -> int:
        """Return the index of `string`, or -1. Positive answers are cached."""
        index = self._numbers.get(string)
        if index is None:
            target = string.encode("utf-8", "surrogatepass")
            index = bisect_left(range(len(self)), target, key=self._encoded)
            if index == len(self) or self._encoded(index) != target:
                return -1
            self._numbers[string] = index  # Strings that are missing would fill the memory of a server.
        return index


def write_docnos(directory: Path, docnos: Sequence[str]) -> None:
    """Write the docnos of an index into `directory`.

    Raises:
        ComponentError: a docno occurs twice.
    """
    if len(set(docnos)) != len(docnos):
        seen: set[str] = set()
        twice = next(docno for docno in docnos if docno in seen or seen.add(docno))  # type: ignore[func-returns-value]
        raise ComponentError(f"The docno {twice!r} occurs twice: give each document its own.")
    order = np.empty(len(docnos), dtype=np.int32)
    order[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos), dtype=np.int32)
    save_array(directory / "order.npy", order)
    write_strings(directory, "docnos", docnos)


_FEW = 64
"""Docnos are read one by one until a 64th of all have been; then all are decoded at once."""


class Docnos:
    """Docnos by number, and numbers by docno.

    Args:
        docnos: each once.
        order: position of each docno among the ascending ones, int32 [n]; None where they are ascending.
    """

    def __init__(self, docnos: Sequence[str], order: npt.NDArray[np.int32] | None = None) -> None:
        self._docnos = docnos
        self._order = order
        self._few = len(docnos) // _FEW

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Docnos:
        """Return the docnos of an open index, by the arrays that :func:`write_docnos` wrote among others."""
        return cls(Strings(arrays, "docnos"), arrays["order"])

    def __len__(self) -> int:
        return len(self._docnos)

    def equals(self, other: Docnos) -> bool:
        """Return True if two tables have the same docnos in the same order."""
        one, two = self._docnos, other._docnos
        if one is two or not (isinstance(one, Strings) and isinstance(two, Strings)):
            return one is two or (len(one) == len(two) and bool((self.array == other.array).all()))
        return one.equals(two)

    @cached_property
    def order(self) -> npt.NDArray[np.int32]:
        """Position of each document among the ascending docnos, int32 [n]."""
        return np.arange(len(self), dtype=np.int32) if self._order is None else self._order

    @cached_property
    def array(self) -> npt.NDArray[np.object_]:
        """Docno of each document, object [n]."""
        if isinstance(self._docnos, Strings):
            return self._docnos.array()
        return np.array(self._docnos, dtype=object)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        # pandas.Index.get_indexer looks at the whole index in each call: 240 ms of 500 000 docnos.
        return {docno: number for number, docno in enumerate(self.array.tolist())}

    def _one_by_one(self, wanted: int, whole: str) -> bool:
        """Return whether to read `wanted` more docnos one by one, because the table `whole` is not worth its time."""
        self._few -= wanted
        return self._few >= 0 and whole not in vars(self)

    def __getitem__(self, documents: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
        """Return the docno of each of `documents`; object [m]."""
        if not self._one_by_one(len(documents), "array"):
            return self.array[documents]
        out = np.empty(len(documents), dtype=object)
        out[:] = [self._docnos[document] for document in documents.tolist()]
        return out

    @cached_property
    def _ascending(self) -> npt.NDArray[np.int32]:
        """Document of each of the ascending docnos, int32 [n]."""
        out = np.empty(len(self), dtype=np.int32)
        out[self.order] = np.arange(len(self), dtype=np.int32)
        return out

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the number of each document, -1 if it is missing; [m]."""
        wanted = docnos.tolist() if isinstance(docnos, np.ndarray | pd.Series) else [*docnos]
        if not self._one_by_one(len(wanted), "_numbers"):
            return np.fromiter(map(self._numbers.get, wanted, repeat(-1)), dtype=np.int64, count=len(wanted))
        return np.fromiter(map(self._find, wanted), dtype=np.int64, count=len(wanted))

    def numbers_of(self, documents: npt.NDArray[np.int64], table: Docnos) -> npt.NDArray[np.int64]:
        """Return the number of each of `documents` of another table, -1 if it is missing; [m]."""
        if table is self:
            return documents
        if table not in self._others:
            if self._one_by_one(len(documents), "_numbers"):
                return np.fromiter(map(self._find, table[documents]), dtype=np.int64, count=len(documents))
            self._others[table] = None if self.equals(table) else self.numbers(table.array).astype(np.int32)
        places = self._others[table]
        return documents if places is None else places[documents].astype(np.int64)

    @cached_property
    def _others(self) -> WeakKeyDictionary[Docnos, npt.NDArray[np.int32] | None]:
        """Numbers of all documents of other tables, None for a table that is the same."""
        return WeakKeyDictionary()

    def _find(self, docno: object) -> int:
        if not isinstance(docno, str):
            return -1
        place = bisect_left(self._ascending, docno, key=self._docnos.__getitem__)
        if place == len(self):
            return -1
        document = int(self._ascending[place])
        return document if self._docnos[document] == docno else -1
