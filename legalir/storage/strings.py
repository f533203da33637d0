"""Strings on disk: tables of them, and the docnos of an index.

A table is two arrays, the bytes of all strings in UTF-8 and their offsets; a sorted table is searched by bisection.
The docnos of an index are the table ``docnos`` and ``order.npy``, int32 [n]: the position of each document when all
docnos are in ascending order, by which ties are broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.storage.arrays import save_array

__all__ = ["Docnos", "Strings", "write_docnos", "write_strings"]


def write_strings(directory: Path, name: str, strings: Iterable[str]) -> None:
    """Write ``<name>.bytes.npy`` (uint8) and ``<name>.offsets.npy`` (int64 [n + 1]) into `directory`."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)), out=offsets[1:])
    save_array(directory / f"{name}.bytes.npy", np.frombuffer(b"".join(encoded), dtype=np.uint8))
    save_array(directory / f"{name}.offsets.npy", offsets)


class Strings(Sequence[str]):
    """A memory-mapped string table; :meth:`find` needs one that is ascending by UTF-8 bytes (code-point order).

    Args:
        arrays: arrays of a directory by name, among them those that :func:`write_strings` wrote as `name`.
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

    def array(self) -> npt.NDArray[np.object_]:
        """Return all strings as an object array."""
        content = self._bytes.tobytes()
        offsets = self._offsets.tolist()
        out = np.empty(len(self), dtype=object)
        out[:] = [content[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(offsets)]
        return out

    def find(self, string: str) -> int:
        """Return the index of `string`, or -1. Positive answers are cached."""
        index = self._numbers.get(string)
        if index is None:
            index = self._bisect(string.encode("utf-8", "surrogatepass"))
            if index >= 0:  # Strings that are missing would fill the memory of a server.
                self._numbers[string] = index
        return index

    def _bisect(self, target: bytes) -> int:
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._encoded(middle) < target:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._encoded(low) == target else -1


def write_docnos(directory: Path, docnos: Sequence[str]) -> None:
    """Write the docnos of an index into `directory`.

    Raises:
        ComponentError: a docno occurs twice.
    """
    order = np.empty(len(docnos), dtype=np.int32)
    order[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos), dtype=np.int32)
    if len(set(docnos)) != len(docnos):
        seen: set[str] = set()
        twice = next(docno for docno in docnos if docno in seen or seen.add(docno))  # type: ignore[func-returns-value]
        raise ComponentError(f"The docno {twice!r} occurs twice: give each document its own.")
    save_array(directory / "order.npy", order)
    write_strings(directory, "docnos", docnos)


class Docnos:
    """The docnos of an open index.

    Args:
        arrays: arrays of a build by name, among them those that :func:`write_docnos` wrote.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self._strings = Strings(arrays, "docnos")
        self.order: npt.NDArray[np.int32] = arrays["order"]

    def __len__(self) -> int:
        return len(self._strings)

    @cached_property
    def array(self) -> npt.NDArray[np.object_]:
        """Docno of each document, object [n]."""
        return self._strings.array()

    def __getitem__(self, documents: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
        """Return the docno of each of `documents`; object [m]."""
        return self.array[documents]

    @cached_property
    def _positions(self) -> pd.Index:  # A hash table, built on first use.
        return pd.Index(self.array, dtype=object)

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the number of each document, -1 where it is not in the index; [m]."""
        wanted = pd.Index(np.asarray(docnos, dtype=object), dtype=object)
        return self._positions.get_indexer(wanted).astype(np.int64)
