"""safetensors files: named arrays behind a JSON header, mapped into memory with numpy alone.

Layout: the length of the header, 8 bytes, little-endian; the header, from names to ``dtype``, ``shape`` and
``data_offsets``; the arrays, one after the other. Every number of a header is checked before it is believed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.errors import ArtifactError
from legalir.extras import require

__all__ = ["read_tensors", "write_tensors"]

_CODES = {"F32": "<f4", "F16": "<f2", "I8": "i1", "F64": "<f8", "I64": "<i8"}
_TYPES: dict[str, np.dtype[Any]] = {name: np.dtype(code) for name, code in _CODES.items()}
_LONGEST_HEADER = 100_000_000


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays; the same arrays make the same bytes.

    Raises:
        MissingExtra: the package safetensors is not installed.
    """
    library = require("safetensors.numpy", extra="dense")
    library.save_file({name: np.ascontiguousarray(array) for name, array in tensors.items()}, path)


def read_tensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Map the arrays of a file read-only, by name.

    Raises:
        ArtifactError: it is missing, truncated or no safetensors file, or has numbers of a type unknown here.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if not 2 <= length <= min(size - 8, _LONGEST_HEADER):
                raise _fault(path, "its header does not fit into it")
            header = json.loads(stream.read(length))
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read ({error.strerror or error}).") from error
    except ValueError as error:
        raise _fault(path, "its header is not JSON") from error
    if not isinstance(header, dict):
        raise _fault(path, "its header is no mapping")
    header.pop("__metadata__", None)
    start = 8 + length
    return {name: _mapped(path, name, entry, start, size) for name, entry in header.items()}


def _mapped(path: Path, name: str, entry: Any, start: int, size: int) -> npt.NDArray[Any]:
    if not isinstance(entry, dict) or not isinstance(entry.get("dtype"), str):
        raise _fault(path, f"the tensor {name!r} has no type")
    if entry["dtype"] not in _TYPES:
        raise ArtifactError(f"{path}: the tensor {name!r} has type {entry['dtype']}: {', '.join(_TYPES)} can be read.")
    shape: Any = entry.get("shape")
    offsets: Any = entry.get("data_offsets")
    if not _whole(shape) or not _whole(offsets) or len(offsets) != 2:
        raise _fault(path, f"shape or place of the tensor {name!r} are no numbers")
    dtype = _TYPES[entry["dtype"]]
    if offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize or start + offsets[1] > size:
        raise _fault(path, f"the tensor {name!r} does not fit into it")
    if not math.prod(shape):
        return np.zeros(tuple(shape), dtype)
    return np.asarray(np.memmap(path, dtype, mode="r", offset=start + offsets[0], shape=tuple(shape)))


def _whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _fault(path: Path, what: str) -> ArtifactError:
    return ArtifactError(f"{path} is no whole safetensors file ({what}): copy it again, or make it again.")
