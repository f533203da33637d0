"""Vectors of documents from an encoder that is slow: resumed after a kill, and taken over from earlier builds.

The dense index as an artifact: vectors of length 1, memory-mapped, and the encoder that was fitted on them.

Files of a build: ``vectors.npy``, float16 or float32 [n, d]; the docnos (see :mod:`legalir.storage.strings`); what a
fitted encoder saved, under names that begin with ``encoder.``; and the approximate index, under names that begin with
``approximate.`` (see :mod:`legalir.dense.faiss`).

Arrays on disk: plain ``.npy`` files, written with every fault noticed, mapped, never pickled.
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

__all__ = ["append_rows", "create_array", "load_array", "save_array", "unit_rows", "widened"]

_SIGN_AND_NUMBER = np.int32(-0x70002000)
"""Bit 31, and bits 13 to 27."""

_EXPONENT = np.float32(2.0**112)


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """Write an array.

    ``numpy.save`` does not notice when the last buffer of a file no longer fits on the disk; this raises OSError.
    """
    with create_array(path, array.dtype, array.shape) as stream:
        stream.write(np.ascontiguousarray(array).data)


@contextmanager
def create_array(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Iterator[IO[bytes]]:
    """Open a new array file; its header is written, and its data are to be."""
    with path.open("wb") as stream:
        _write_header(stream, dtype, shape)
        yield stream


@contextmanager
def append_rows(path: Path, dtype: np.dtype[Any], dimensions: int) -> Iterator[Callable[[npt.NDArray[Any]], None]]:
    """Open a new array file [n, dimensions] of which n is not known yet; yield a function that adds rows [m, ...]."""
    rows = 0
    with create_array(path, dtype, (0, dimensions)) as stream:
        start = stream.tell()

        def append(array: npt.NDArray[Any]) -> None:
            nonlocal rows
            stream.write(np.ascontiguousarray(array, dtype=dtype).data)
            rows += len(array)

        yield append
        stream.seek(0)
        _write_header(stream, dtype, (rows, dimensions))
        assert stream.tell() == start  # numpy leaves room in a header for the first axis to grow


def _write_header(stream: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(stream, header)


def load_array(path: Path) -> npt.NDArray[Any]:
    """Memory-map a ``.npy`` file read-only; one that holds Python objects, which would be pickled, is refused.

    Raises:
        ArtifactError: it is no such file.
    """
    try:
        return np.asarray(npy.open_memmap(path, mode="r"))
    except Exception as error:  # numpy lets errors of every kind through when a header is not one
        raise ArtifactError(
            f"{path} is no array file: remove the directory {path.parent.parent} and build it again."
        ) from error


def widened(array: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return finite numbers as float32, in memory of their own; those of float16 five times faster than ``astype``.

    A float16 has 5 bits of exponent and 10 of fraction. Shifted by 13, they stand where a float32 has the lower bits
    of its exponent and the upper ones of its fraction; the exponent is then too small by 127 - 15 = 112.
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


def unit_rows(vectors: npt.NDArray[np.floating], least: float = 0.0) -> npt.NDArray[np.float32]:
    """Return `vectors` [n, d] with rows of length 1; a row no longer than `least` becomes zeros."""
    out = np.empty(vectors.shape, dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        wide = vectors[first : first + _ROWS].astype(np.float64)
        lengths = np.sqrt(np.square(wide).sum(axis=1, keepdims=True))
        out[first : first + _ROWS] = np.where(lengths > least, wide, 0) / np.where(lengths > least, lengths, 1)
    return out
