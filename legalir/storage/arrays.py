"""Arrays on disk: plain ``.npy`` files, mapped or read in pieces, and never pickled.

A write that does not fit on the disk is always an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from legalir.errors import ArtifactError

Integers = npt.NDArray[np.int64]


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array.

    ``numpy.save`` does not notice when the last buffer of a file no longer fits on the disk; this raises OSError.
    """
    with create_array(path, array.dtype, array.shape) as stream:
        stream.write(np.ascontiguousarray(array).data)


@contextmanager
def create_array(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Iterator[IO[bytes]]:
    """Open a new array file and write its header; the caller writes the data."""
    with path.open("wb") as stream:
        _write_header(stream, dtype, shape)
        yield stream


@contextmanager
def append_rows(path: Path, dtype: np.dtype[Any], *item: int) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Open a new array file [n, *item] with unknown n; yield a function that appends rows [m, *item]."""
    rows = 0
    with create_array(path, dtype, (0, *item)) as stream:
        start = stream.tell()

        def append(array: npt.NDArray[Any]) -> None:
            nonlocal rows
            stream.write(np.ascontiguousarray(array, dtype=dtype).data)
            rows += len(array)

        yield append
        stream.seek(0)
        _write_header(stream, dtype, (rows, *item))
        assert stream.tell() == start  # numpy leaves room in a header for the first axis to grow


def _write_header(stream: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(stream, header)


def load_array(path: Path) -> npt.NDArray[Any]:
    """Memory-map a ``.npy`` file read-only. A file with Python objects, which needs pickle, is an error.

    Raises:
        ArtifactError: it is not an array file.
    """
    try:
        return np.asarray(npy.open_memmap(path, mode="r"))
    except Exception as error:  # numpy raises errors of many kinds for a wrong header.
        raise ArtifactError(
            f"{path} is not an array file: remove the directory {path.parent.parent} and build it again."
        ) from error


class ArrayFile:
    """An array file that is read, not mapped: read parts do not stay in memory, and a fault is an error.

    Args:
        path: a ``.npy`` file.

    Raises:
        ArtifactError: it is not an array file.
    """

    def __init__(self, path: Path) -> None:
        mapped = load_array(path)
        self.path = path
        self.dtype: np.dtype[Any] = mapped.dtype
        self.shape: tuple[int, ...] = mapped.shape
        self.item = mapped.shape[1:]
        self.width = int(np.prod(self.item, dtype=np.int64)) * self.dtype.itemsize
        self._start = path.stat().st_size - mapped.nbytes

    def __len__(self) -> int:
        return self.shape[0]

    def between(self, first: int, last: int) -> npt.NDArray[Any]:
        """Return the items from `first` to before `last`."""
        out = np.empty((last - first, *self.item), dtype=self.dtype)
        self.read(out, np.zeros(1, dtype=np.int64), np.array([first]), np.array([last - first]))
        return out

    def read(self, out: npt.NDArray[Any], targets: Integers, starts: Integers, sizes: Integers) -> None:
        """Copy runs of items into `out`, which is contiguous: run i is ``[starts[i], starts[i] + sizes[i])``.

        Args:
            out: [m, *item].
            targets: where each run begins in `out`, [r].
            starts: where each run begins in the file, [r].
            sizes: number of items of each run, [r].

        Raises:
            ArtifactError: the file ends before a run does.
        """
        view = out.reshape(-1).view(np.uint8).data
        with self.path.open("rb", buffering=0) as stream:
            for target, start, size in zip(targets.tolist(), starts.tolist(), sizes.tolist(), strict=True):
                stream.seek(self._start + start * self.width)
                piece = view[target * self.width : (target + size) * self.width]
                if stream.readinto(piece) != len(piece):
                    raise ArtifactError(f"{self.path} ends too early: build the index again.")


_SIGN_AND_NUMBER = np.int32(-0x70002000)
"""Bit 31, and bits 13 to 27."""

_EXPONENT = np.float32(2.0**112)


def widened(array: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return a copy of finite numbers as float32; for float16 five times faster than ``astype``.

    A float16 has 5 bits of exponent and 10 of fraction. Shifted by 13, they are the lower bits of the exponent of a
    float32 and the upper bits of its fraction; the exponent is then too small by 127 - 15 = 112.
    """
    if array.dtype != np.float16:
        return array.astype(np.float32)
    bits = array.view(np.int16).astype(np.int32)  # The sign is repeated in the upper half.
    bits <<= 13
    bits &= _SIGN_AND_NUMBER
    numbers = bits.view(np.float32)
    numbers *= _EXPONENT
    return numbers


_ROWS = 16_384
"""Number of rows that are scaled at a time."""


def unit_rows(vectors: npt.NDArray[np.floating], least: float = 0.0) -> npt.NDArray[np.float32]:
    """Return `vectors` [n, d] with rows of length 1; a row of length `least` or less becomes zeros."""
    out = np.empty(vectors.shape, dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        wide = vectors[first : first + _ROWS].astype(np.float64)
        lengths = np.sqrt(np.square(wide).sum(axis=1, keepdims=True))
        out[first : first + _ROWS] = np.where(lengths > least, wide, 0) / np.where(lengths > least, lengths, 1)
    return out
