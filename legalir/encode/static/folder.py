"""The folder of a static model: ``model.safetensors``, its arrays, and ``model.json``, everything else about it.

``model.json`` holds format and version, the version of legalir that wrote it, n-grams, sizes, precision, the card, size
and sha256 of the arrays' file, and the sha256 of its own content: whatever changes in a folder is noticed. It holds no
time and no name of a machine, so that the same model makes the same bytes.

safetensors files: named arrays behind a JSON header, mapped into memory with numpy alone.

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

from legalir.encode.static.ngrams import NGrams
from legalir.errors import ArtifactError, ComponentError
from legalir.extras import require
from legalir.storage.digest import digest, file_digest
from legalir.storage.files import atomic_directory

__all__ = [
    "ABOUT",
    "TENSORS",
    "check_place",
    "fill",
    "is_model",
    "read_about",
    "read_model",
    "read_tensors",
    "write_model",
    "write_tensors",
]

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


ABOUT, TENSORS = "model.json", "model.safetensors"
_FORMAT, _VERSION = "legalir-static", 1
_OURS = (ABOUT, TENSORS, "modules.json", "config_sentence_transformers.json", "README.md")
"""What a model may consist of, with what sentence-transformers writes: nothing else is ever removed."""
_KEYS = ("ngrams", "tf", "rows", "dimensions", "precision", "tensors", "card", "files")
_AGAIN = "copy the model again, or train it again"


def is_model(path: Path) -> bool:
    """Return whether a static model of ours stands at `path`, whole or not, of whatever version."""
    return _format(path) == _FORMAT


def _format(path: Path) -> object:
    try:
        content = json.loads((path / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content.get("format") if isinstance(content, dict) else None


def read_about(path: Path) -> dict[str, Any]:
    """Return what ``model.json`` holds, verified; the arrays are only looked at for their size.

    Raises:
        ArtifactError: a file is missing, truncated or altered, or the model has another format.
        ComponentError: there is no such folder, or no model in it.
    """
    if not path.is_dir():
        raise ComponentError(f"There is no static model at {path}: give the folder of one, as training writes it.")
    if not (path / ABOUT).is_file():
        raise ComponentError(f"{path} holds no {ABOUT}, so it is no static model: give the folder that training wrote.")
    content = _content(path / ABOUT)
    if content.get("format") != _FORMAT:
        raise ComponentError(f"{path / ABOUT} is not that of a static model: give the folder that training wrote.")
    if content.get("version") != _VERSION:
        raise ArtifactError(
            f"{path} has version {content.get('version')!r} of the format of static models, and this legalir reads "
            f"version {_VERSION}: install the legalir that wrote it ({content.get('legalir')}), or train it again."
        )
    if content.pop("sha256", None) != digest(content) or not set(_KEYS) <= set(content):
        raise ArtifactError(f"{path / ABOUT} was altered after it was written: {_AGAIN}.")
    file = path / TENSORS
    if not file.is_file():
        raise ArtifactError(f"{path} lacks its file {TENSORS}: {_AGAIN}.")
    if file.stat().st_size != content["files"][TENSORS]["size"]:
        raise ArtifactError(f"{file} has {file.stat().st_size} bytes of {content['files'][TENSORS]['size']}: {_AGAIN}.")
    return content


def read_model(path: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what :func:`read_about` returns, and the arrays, verified and mapped into memory.

    Raises:
        ArtifactError: a file is missing, truncated or altered, or the model has another format.
        ComponentError: there is no such folder, or no model in it.
    """
    about = read_about(path)
    if file_digest(path / TENSORS) != about["files"][TENSORS]["sha256"]:
        raise ArtifactError(f"{path / TENSORS} was altered after it was written: {_AGAIN}.")
    tensors = read_tensors(path / TENSORS)
    table, scale = tensors.get("table"), tensors.get("scale")
    fits = table is not None and (table.shape, str(table.dtype)) == (
        (about["rows"], about["dimensions"]),
        about["precision"],
    )
    if not fits or (about["precision"] == "int8" and (scale is None or scale.dtype != np.float32)):
        raise ArtifactError(f"{path / TENSORS} does not hold the table that {ABOUT} describes: {_AGAIN}.")
    try:
        NGrams.from_dict(about["ngrams"])
    except (ComponentError, TypeError) as error:
        raise ArtifactError(f"{path / ABOUT} describes n-grams that cannot be read ({error}): {_AGAIN}.") from error
    return about, tensors


def check_place(path: Path) -> None:
    """Check that nothing but a model would go if one were written to `path`.

    Raises:
        ComponentError: something else is there.
    """
    there = sorted(child.name for child in path.iterdir()) if path.is_dir() else []
    if path.exists() and not (path.is_dir() and (not there or is_model(path))):
        raise ComponentError(f"{path} exists and is no static model: choose another folder, or remove it.")
    if foreign := [name for name in there if name not in _OURS]:
        raise ComponentError(f"{path} holds {foreign[0]!r} beside a static model: choose another folder, or move that.")


def write_model(
    path: Path, facts: Mapping[str, Any], tensors: Mapping[str, npt.NDArray[Any]], beside: Mapping[str, Any]
) -> None:
    """Write the folder of a model beside `path`, and put it there when it is whole; one that stands there goes.

    Raises:
        ArtifactError: the files cannot be written.
        ComponentError: something else is at the path, or the facts are no JSON values.
        MissingExtra: the package safetensors is not installed.
    """
    check_place(path)
    try:
        with atomic_directory(path, "replace") as folder:
            fill(folder, facts, tensors, beside)
    except OSError as error:
        raise ArtifactError(
            f"Writing {path} failed ({error.strerror or error}): free some space, or choose another folder."
        ) from error


def fill(
    folder: Path, facts: Mapping[str, Any], tensors: Mapping[str, npt.NDArray[Any]], beside: Mapping[str, Any]
) -> None:
    """Write the two files of a model into a folder, and JSON values into others."""
    from legalir import __version__

    write_tensors(folder / TENSORS, tensors)
    (folder / TENSORS).chmod(0o644)
    file = {"size": (folder / TENSORS).stat().st_size, "sha256": file_digest(folder / TENSORS)}
    content = {"format": _FORMAT, "version": _VERSION, "legalir": __version__, **facts, "files": {TENSORS: file}}
    try:
        content["sha256"] = digest(content)
        text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ComponentError(f"The card of a static model holds what is no JSON value ({error}).") from error
    (folder / ABOUT).write_text(text + "\n", encoding="utf-8", newline="\n")
    for name, value in beside.items():
        (folder / name).write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8", newline="\n")


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArtifactError(f"{path} cannot be read ({error.strerror or error}).") from error
    except ValueError as error:
        raise ArtifactError(f"{path} was truncated or altered, and is no JSON: {_AGAIN}.") from error
    if not isinstance(content, dict):
        raise ArtifactError(f"{path} was altered, and is no JSON object: {_AGAIN}.")
    return content
