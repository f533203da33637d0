"""Rows of texts on disk, written and read piece by piece, so that memory does not grow with the number of texts.

The rows of n texts are arrays by name. An array whose name has no dot, such as ``dense``, has one item for each text,
[n, ...]. Arrays of a group, such as ``sparse.tokens`` and ``sparse.weights``, hold the items of one text after those of
the other, [t, ...], and the bounds of the group, ``sparse.bounds``, int64 [n + 1], say where those of each text are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from legalir.errors import ArtifactError
from legalir.storage.arrays import create_array, load_array

__all__ = ["ArrayFile", "Rows", "appending", "bounds_of"]

Rows = Mapping[str, npt.NDArray[Any]]
Numbers = npt.NDArray[np.int64]


def bounds_of(name: str) -> str | None:
    """Return the name of the bounds of the group that an array belongs to, None where it belongs to none."""
    group, dot, _ = name.rpartition(".")
    return f"{group}.bounds" if dot else None


@contextmanager
def appending(path: Path, dtype: np.dtype[Any], item: tuple[int, ...]) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Open a new array file [m, *item] of which m is not known yet; yield a function that adds items."""
    length = 0
    with create_array(path, dtype, (0, *item)) as stream:
        start = stream.tell()

        def append(array: npt.NDArray[Any]) -> None:
            nonlocal length
            stream.write(np.ascontiguousarray(array).data)
            length += len(array)

        yield append
        stream.seek(0)
        header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": (length, *item)}
        npy.write_array_header_1_0(stream, header)
        assert stream.tell() == start  # numpy leaves room in a header for the first axis to grow


class ArrayFile:
    """An array file that is read and not mapped: what was read once does not stay, and a fault is an error.

    Args:
        path: a ``.npy`` file.

    Raises:
        ArtifactError: it is no such file.
    """

    def __init__(self, path: Path) -> None:
        mapped = load_array(path)
        self.path = path
        self.dtype: np.dtype[Any] = mapped.dtype
        self.item = mapped.shape[1:]
        self.length = len(mapped)
        self.width = int(np.prod(self.item, dtype=np.int64)) * self.dtype.itemsize
        self._start = path.stat().st_size - mapped.nbytes

    @property
    def layout(self) -> tuple[str, tuple[int, ...]]:
        """Type and shape of an item."""
        return self.dtype.str, self.item

    def between(self, first: int, last: int) -> npt.NDArray[Any]:
        """Return the items from `first` to before `last`."""
        out = np.empty((last - first, *self.item), dtype=self.dtype)
        self.read(out, np.zeros(1, dtype=np.int64), np.array([first]), np.array([last - first]))
        return out

    def read(self, out: npt.NDArray[Any], targets: Numbers, starts: Numbers, sizes: Numbers) -> None:
        """Copy runs of items into `out`, which is contiguous: run i is ``[starts[i], starts[i] + sizes[i])``.

        Args:
            out: [m, *item].
            targets: where in `out` each run begins, [r].
            starts: where in the file each run begins, [r].
            sizes: number of items of each run, [r].

        Raises:
            ArtifactError: the file ends before a run does.
        """
        view = out.reshape(-1).view(np.uint8).data
        with self.path.open("rb") as stream:
            for target, start, size in _joined(targets, starts, sizes):
                stream.seek(self._start + start * self.width)
                piece = view[target * self.width : (target + size) * self.width]
                if stream.readinto(piece) != len(piece):
                    raise ArtifactError(f"{self.path} ends too early: build the index again.")


def _joined(targets: Numbers, starts: Numbers, sizes: Numbers) -> Iterator[tuple[int, int, int]]:
    """Yield the runs, those as one that follow each other in the file and in memory; empty ones left out."""
    kept = sizes > 0
    targets, starts, sizes = targets[kept], starts[kept], sizes[kept]
    if not len(sizes):
        return
    follows = (starts[1:] == starts[:-1] + sizes[:-1]) & (targets[1:] == targets[:-1] + sizes[:-1])
    first = np.flatnonzero(np.concatenate(([True], ~follows)))
    yield from zip(targets[first].tolist(), starts[first].tolist(), np.add.reduceat(sizes, first).tolist(), strict=True)
