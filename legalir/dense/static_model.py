"""Static models: a vector for each hashed n-gram; a text is the weighted sum of the vectors of its n-grams [charagram].

The folder of a model contains two files. ``model.safetensors`` has the arrays; ``model.json`` has everything else:
format and version, the version of legalir that wrote it, n-grams, sizes, precision, the card, size and sha256 of the
arrays' file, and the sha256 of its own content. So every change in a folder is noticed. It holds no time and no name of
a machine: the same model makes the same bytes.

A safetensors file is the length of its header, 8 bytes, little-endian; the header, from names to ``dtype``, ``shape``
and ``data_offsets``; and the arrays, one after the other. It is mapped into memory with numpy alone, and every number
of its header is checked.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from legalir.analysis.analyzer import fingerprint
from legalir.declared import check_choice
from legalir.dense.contract import Vectors
from legalir.dense.hashed_ngrams import Features, HashedNGrams
from legalir.errors import ArtifactError, ComponentError
from legalir.extras import require
from legalir.storage.arrays import unit_rows, widened
from legalir.storage.artifact import AGAIN, inventory, is_card, read_card, seal
from legalir.storage.digest import file_digest
from legalir.storage.files import atomic_directory

ABOUT, TENSORS = "model.json", "model.safetensors"
_MODULES, _CONFIG = "modules.json", "config_sentence_transformers.json"
_FILES = (ABOUT, TENSORS, _MODULES, _CONFIG, "README.md")
"""Files of a model, including files of sentence-transformers; no other file is ever removed."""

_FORMAT, _VERSION = "legalir-static", 1
_FACTS = ("ngrams", "tf", "rows", "dimensions", "precision", "tensors", "card")

_TYPES = {
    name: np.dtype(code)
    for name, code in (("F32", "<f4"), ("F16", "<f2"), ("I8", "i1"), ("F64", "<f8"), ("I64", "<i8"))
}
_LONGEST_HEADER = 100_000_000

_BATCH = 4096
"""Texts whose rows of the table are brought to float32 together."""

_EXPORTED: Mapping[str, Any] = {
    _MODULES: [{"idx": 0, "name": "0", "path": "", "type": "legalir.dense.static_torch.StaticNGrams"}],
    _CONFIG: {
        "model_type": "SentenceTransformer",
        "prompts": {},
        "default_prompt_name": None,
        "similarity_fn_name": "cosine",
    },
}
"""Further files of a model that sentence-transformers opens."""

TermFrequency = Literal["log", "raw"]
Table = npt.NDArray[np.float32] | npt.NDArray[np.float16] | npt.NDArray[np.int8]


def term_weights(counts: npt.NDArray[np.float32], tf: TermFrequency) -> npt.NDArray[np.float32]:
    """Return the term-frequency weight of each count: 1 + ln(count) with ``log``, the count itself with ``raw``."""
    return (1 + np.log(counts)).astype(np.float32) if tf == "log" else counts


class StaticModel:
    """A static model, as :func:`legalir.train_static` makes it; it encodes with numpy and scipy alone.

    The vector of a text is Σ w(count of r)·table[r] over its rows r, scaled to length 1; the weights of terms are
    part of the table.

    Args:
        ngrams: the features of a text.
        table: vector of each row, float16 (or float32) [rows, d], or int8 [rows, d] with `scale`.
        scale: factor of each row of an int8 table, float32 [rows].
        tf: ``log`` or ``raw``, see :func:`term_weights`.
        card: facts about the model: sources, seed, recipe, measures; JSON values.

    Raises:
        ComponentError: table, scale and n-grams do not fit together.
    """

    def __init__(
        self,
        ngrams: HashedNGrams,
        table: Table,
        *,
        scale: npt.NDArray[np.float32] | None = None,
        tf: TermFrequency = "log",
        card: Mapping[str, Any] | None = None,
    ) -> None:
        if table.ndim != 2 or len(table) != ngrams.rows or not table.shape[1]:
            raise ComponentError(
                f"static model: the table must have {ngrams.rows} rows, got shape {list(table.shape)}."
            )
        if str(table.dtype) not in ("float32", "float16", "int8") or (table.dtype == np.int8) != (scale is not None):
            raise ComponentError(f"static model: give float16, or int8 with a scale, not {table.dtype}.")
        if scale is not None and (scale.shape != (ngrams.rows,) or scale.dtype != np.float32):
            raise ComponentError(f"static model: a scale of shape {list(scale.shape)} is not float32 [{ngrams.rows}].")
        check_choice("static model", "tf", tf, get_args(TermFrequency))
        self.ngrams = ngrams
        self.table = table
        self.scale = scale
        self.tf: TermFrequency = tf
        self.card: dict[str, Any] = dict(card or {})

    def __repr__(self) -> str:
        return f"StaticModel({self.ngrams.rows} rows, {self.dimensions} dimensions, {self.precision})"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.table.shape[1])

    @property
    def precision(self) -> str:
        """Type of the numbers in the table: ``float16``, ``float32`` or ``int8``."""
        return str(self.table.dtype)

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest that changes whenever the same text could have another vector; the card is not part of it."""
        return model_fingerprint(self._facts)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """Content of ``model.json``; without the fingerprint of the n-grams, which depends on this Python."""
        return {
            "ngrams": self.ngrams.to_dict(),
            "tf": self.tf,
            "rows": self.ngrams.rows,
            "dimensions": self.dimensions,
            "precision": self.precision,
            "tensors": {name: _digest(array) for name, array in self._tensors().items()},
            "card": self.card,
        }

    def _tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"table": self.table} if self.scale is None else {"table": self.table, "scale": self.scale}

    @classmethod
    def load(cls, path: str | PathLike[str]) -> StaticModel:
        """Open the model in a folder; its files are verified, and the table is mapped into memory.

        Raises:
            ArtifactError: a file is missing, truncated or altered, or the model has another format.
            ComponentError: there is no such folder, or no model in it.
        """
        folder = Path(path)
        about = read_about(folder)
        file = folder / TENSORS
        if file_digest(file) != about["files"][TENSORS]["sha256"]:
            raise ArtifactError(f"{file} was altered after it was written: {AGAIN}.")
        tensors = read_tensors(file)
        table, scale = tensors.get("table"), tensors.get("scale")
        shape = about["rows"], about["dimensions"]
        fits = table is not None and (table.shape, str(table.dtype)) == (shape, about["precision"])
        if not fits or (about["precision"] == "int8" and (scale is None or scale.dtype != np.float32)):
            raise ArtifactError(f"{file} does not hold the table that {ABOUT} describes: {AGAIN}.")
        try:
            ngrams = HashedNGrams.from_dict(about["ngrams"])
        except (ComponentError, TypeError) as error:
            raise ArtifactError(
                f"{folder / ABOUT} describes n-grams that cannot be read ({error}): {AGAIN}."
            ) from error
        model = cls(ngrams, tensors["table"], scale=scale, tf=about["tf"], card=about["card"])
        model.__dict__["_facts"] = {name: about[name] for name in _FACTS}  # No array is read twice.
        return model

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model as a folder: ``model.safetensors`` and ``model.json``; an existing model is replaced.

        The same model makes the same bytes.

        Raises:
            ArtifactError: the files cannot be written.
            ComponentError: something else is at the path, or the card contains values that are not JSON.
            MissingExtra: the package safetensors is not installed.
        """
        self._save(Path(path), {})

    def export(self, path: str | PathLike[str]) -> None:
        """Write the model as :meth:`save` does, as a folder that sentence-transformers opens, too.

        legalir must be installed there, and since version 6 sentence-transformers asks for
        ``SentenceTransformer(path, trust_remote_code=True)``, as for every module that is not its own.
        """
        self._save(Path(path), _EXPORTED)

    def _save(self, path: Path, further: Mapping[str, Any]) -> None:
        check_place(path)
        try:
            with atomic_directory(path, "replace") as folder:
                self.write_files(folder)
                for name, value in further.items():
                    _write_json(folder / name, json.dumps(value, indent=2))
        except OSError as error:
            raise ArtifactError(
                f"Writing {path} failed ({error.strerror or error}): free some space, or choose another folder."
            ) from error

    def write_files(self, folder: Path) -> None:
        """Write the two files of the model into an existing folder; unlike :meth:`save`, not in one step.

        Raises:
            ComponentError: the card contains values that are not JSON.
            MissingExtra: the package safetensors is not installed.
        """
        from legalir import __version__

        file = folder / TENSORS
        write_tensors(file, self._tensors())
        file.chmod(0o644)
        head = {"format": _FORMAT, "version": _VERSION, "legalir": __version__}
        try:
            content = seal({**head, **self._facts, "files": inventory(file)})
            text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ComponentError(f"The card of a static model holds something that is not JSON ({error}).") from error
        _write_json(folder / ABOUT, text)

    def quantised(self) -> StaticModel:
        """Return the model with an int8 table, half the size: each row is divided by its greatest number / 127."""
        rows = self.table.astype(np.float32) if self.scale is None else self.table * self.scale[:, None]
        greatest = np.abs(rows).max(axis=1)
        scale = (greatest / 127).astype(np.float32)
        table = np.rint(rows / np.where(scale > 0, scale, 1)[:, None]).clip(-127, 127).astype(np.int8)
        return StaticModel(self.ngrams, table, scale=scale, tf=self.tf, card=self.card)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, float32 [n, d], rows of length 1, or 0 for a text without features."""
        out = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for first in range(0, len(texts), _BATCH):
            features = self.ngrams.features(texts[first : first + _BATCH])
            out[first : first + _BATCH] = unit_rows(self.sums(features))
        return out

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, which are texts like others."""
        return self.encode(texts)

    def sums(self, features: Features) -> Vectors:
        """Return Σ w(count of r)·table[r] for each text, float32 [n, d], of any length."""
        weights = term_weights(features.counts, self.tf)
        if self.scale is not None:
            weights = weights * self.scale[features.rows]
        if len(features.indptr) == 2:  # One text, such as a query, has each row once.
            # Added up in the order of a text among others, so that it has the same vector.
            alone = sparse.csr_array((weights, np.arange(len(weights)), features.indptr), shape=(1, len(weights)))
            return np.asarray(alone @ widened(self.table[features.rows]), dtype=np.float32)
        met = np.zeros(self.ngrams.rows, dtype=bool)
        met[features.rows] = True
        used = np.flatnonzero(met)
        place = np.cumsum(met, dtype=np.int32) - np.int32(1)
        columns = place[features.rows]
        matrix = sparse.csr_array((weights, columns, features.indptr), shape=(len(features.indptr) - 1, len(used)))
        return np.asarray(matrix @ widened(self.table[used]), dtype=np.float32)

    def contributions(self, query: str, vector: Vectors) -> dict[str, float]:
        """Return the share of each word of `query` in the cosine of its vector with `vector`, [d]; they sum up to it.

        An n-gram belongs to the word that it lies in; one that lies in several is divided among them. A long word is
        shown as its n-grams.
        """
        features = self.ngrams.features([query])
        weights = term_weights(features.counts, self.tf).astype(np.float64)
        if self.scale is not None:
            weights *= self.scale[features.rows]
        parts = weights[:, None] * self.table[features.rows].astype(np.float64)
        length = float(np.linalg.norm(parts.sum(axis=0)))
        if not length:
            return {}
        return self.ngrams.divide(query, features.rows, parts @ np.asarray(vector, dtype=np.float64) / length)


def model_fingerprint(about: Mapping[str, Any]) -> str:
    """Return the fingerprint of the model that the content of a ``model.json`` describes."""
    parameters = {"ngrams": HashedNGrams.from_dict(about["ngrams"]).fingerprint, "tf": about["tf"], **about["tensors"]}
    return fingerprint("static/1", parameters)


def _digest(array: npt.NDArray[Any]) -> str:
    return f"{array.dtype} {list(array.shape)} {hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()}"


def _write_json(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def check_place(path: Path) -> None:
    """Check that a model can be written to `path` without removing anything but a model.

    Raises:
        ComponentError: something else is there.
    """
    there = sorted(child.name for child in path.iterdir()) if path.is_dir() else []
    if path.exists() and not (path.is_dir() and (not there or is_card(path / ABOUT, _FORMAT))):
        raise ComponentError(f"{path} exists and is not a static model: choose another folder, or remove it.")
    if foreign := [name for name in there if name not in _FILES]:
        raise ComponentError(f"{path} holds {foreign[0]!r} beside a static model: choose another folder, or move that.")


def read_about(path: Path) -> dict[str, Any]:
    """Return the content of ``model.json``, verified; of the arrays' file only the size is checked.

    Raises:
        ArtifactError: a file is missing, truncated or altered, or the model has another format.
        ComponentError: there is no such folder, or no model in it.
    """
    return read_card(path / ABOUT, "static model", _FORMAT, _VERSION, _FACTS)


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays as a safetensors file; the same arrays make the same bytes.

    Raises:
        MissingExtra: the package safetensors is not installed.
    """
    library = require("safetensors.numpy", extra="dense")
    library.save_file({name: np.ascontiguousarray(array) for name, array in tensors.items()}, path)


def read_tensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Map the arrays of a safetensors file read-only, by name.

    Raises:
        ArtifactError: it is missing, truncated or not a safetensors file, or has numbers of an unknown type.
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
        raise _fault(path, "its header is not a mapping")
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
        raise _fault(path, f"shape or offsets of the tensor {name!r} are not whole numbers")
    dtype = _TYPES[entry["dtype"]]
    if offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize or start + offsets[1] > size:
        raise _fault(path, f"the tensor {name!r} does not fit into it")
    if not math.prod(shape):
        return np.zeros(tuple(shape), dtype)
    return np.asarray(np.memmap(path, dtype, mode="r", offset=start + offsets[0], shape=tuple(shape)))


def _whole(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _fault(path: Path, fault: str) -> ArtifactError:
    return ArtifactError(f"{path} is not a whole safetensors file ({fault}): copy it again, or make it again.")
