"""A static model: a vector for each hashed n-gram; a text is the weighted sum of the vectors of its n-grams.

What hashed n-grams are called for people: hashes cannot be turned back, but those of a given text are known.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse

from legalir.analysis.analyzer import fingerprint
from legalir.encode.contract import Vectors
from legalir.encode.static.folder import fill, read_model, write_model
from legalir.encode.static.ngrams import Codes, Features, NGrams, word_stream
from legalir.errors import ComponentError
from legalir.frames.component import check_choice
from legalir.storage.arrays import unit_rows, widened

__all__ = ["StaticModel", "TermFrequency", "label_shares", "model_fingerprint", "term_weights"]

_LONG = 16
"""Characters from which on a word is shown as its n-grams: scripts without spaces have sentences for words."""


def label_shares(
    ngrams: NGrams, text: str, rows: npt.NDArray[np.int32], values: npt.NDArray[np.float64]
) -> dict[str, float]:
    """Return what the words of `text` have of the values of its rows, in the order of the text.

    A row that occurs more than once, in one word or several, is divided evenly among its occurrences.

    Args:
        ngrams: what is read of a text.
        text: one text.
        rows: its rows, ascending.
        values: a number for each.
    """
    stream, _ = word_stream([ngrams.normalized(text)])
    edge = np.diff((stream != 0).astype(np.int8))
    starts, ends = np.flatnonzero(edge == 1) + 1, np.flatnonzero(edge == -1) + 1
    found = list(ngrams.occurrences(stream))
    first = np.concatenate([one.first for one in found])
    last = np.concatenate([one.last for one in found])
    place = np.searchsorted(rows, np.concatenate([one.rows for one in found]).astype(np.int64))
    share = values[place] / np.bincount(place, minlength=len(rows))[place]
    # With edges an n-gram may begin at the gap before its word.
    word = np.searchsorted(ends, np.where(stream[first] == 0, first + 1, first), side="right")
    shown: defaultdict[str, float] = defaultdict(float)
    for number in np.lexsort((last, first)).tolist():
        own = word[number]
        long = ends[own] - starts[own] > _LONG
        begin, end = (first[number], last[number] + 1) if long else (starts[own], ends[own])
        shown[_text(stream, begin, end)] += float(share[number])
    return dict(shown)


def _text(stream: Codes, begin: int, end: int) -> str:
    return "".join(chr(code) if code else " " for code in stream[begin:end].tolist()).strip()


TermFrequency = Literal["log", "raw"]
_BATCH = 4096
"""Texts whose rows of the table are brought to float32 together."""

_FACTS = ("ngrams", "tf", "rows", "dimensions", "precision", "tensors", "card")

Table = npt.NDArray[np.float32] | npt.NDArray[np.float16] | npt.NDArray[np.int8]


def term_weights(counts: npt.NDArray[np.float32], tf: TermFrequency) -> npt.NDArray[np.float32]:
    """Return what an n-gram counts that occurs so often: 1 + ln(count) with ``log``, the count itself with ``raw``."""
    return (1 + np.log(counts)).astype(np.float32) if tf == "log" else counts


def model_fingerprint(about: Mapping[str, Any]) -> str:
    """Return the fingerprint of a model from what its ``model.json`` says."""
    parameters = {"ngrams": NGrams.from_dict(about["ngrams"]).fingerprint, "tf": about["tf"], **about["tensors"]}
    return fingerprint("static/1", parameters)


class StaticModel:
    """What :func:`legalir.train_static` makes, and searching uses: numpy and scipy are enough.

    The vector of a text is Σ w(count of r)·table[r] over its rows r, scaled to length 1; the weights of terms are
    part of the table.

    Args:
        ngrams: what is read of a text.
        table: vector of each row, float16 (or float32) [rows, d], or int8 [rows, d] with `scale`.
        scale: what each row of an int8 table is to be multiplied by, float32 [rows].
        tf: ``log`` or ``raw``, see :func:`term_weights`.
        card: what is known about the model: sources, seed, recipe, measures; JSON values.

    Raises:
        ComponentError: table, scale and n-grams do not fit together.
    """

    def __init__(
        self,
        ngrams: NGrams,
        table: Table,
        *,
        scale: npt.NDArray[np.float32] | None = None,
        tf: TermFrequency = "log",
        card: Mapping[str, Any] | None = None,
    ) -> None:
        if table.ndim != 2 or len(table) != ngrams.rows or not table.shape[1]:
            raise ComponentError(f"static model: a table of shape {list(table.shape)} has not {ngrams.rows} rows.")
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
        """What the table is stored as: ``float16``, ``float32`` or ``int8``."""
        return str(self.table.dtype)

    @cached_property
    def fingerprint(self) -> str:
        """Changes whenever the same text could have another vector; the card is no part of it."""
        return model_fingerprint(self._facts)

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """What ``model.json`` says; the n-grams' fingerprint is not in it, as it has to do with this Python, too."""
        return {
            "ngrams": self.ngrams.to_dict(),
            "tf": self.tf,
            "rows": self.ngrams.rows,
            "dimensions": self.dimensions,
            "precision": self.precision,
            "tensors": {name: _digest(array) for name, array in self._tensors().items()},
            "card": self.card,
        }

    @classmethod
    def load(cls, path: str | PathLike[str]) -> StaticModel:
        """Open the model in a folder; its files are verified, and the table is mapped into memory.

        Raises:
            ArtifactError: a file is missing, truncated or altered, or the model has another format.
            ComponentError: there is no such folder, or no model in it.
        """
        about, tensors = read_model(Path(path))
        model = cls(
            NGrams.from_dict(about["ngrams"]),
            tensors["table"],
            scale=tensors.get("scale"),
            tf=about["tf"],
            card=about["card"],
        )
        model.__dict__["_facts"] = {name: about[name] for name in _FACTS}  # No array is read twice.
        return model

    def save(self, path: str | PathLike[str], beside: Mapping[str, Any] | None = None) -> None:
        """Write the model as a folder: ``model.safetensors`` and ``model.json``; a model that stands there is replaced.

        The same model makes the same bytes.

        Args:
            path: the folder.
            beside: further files of the folder: their names, and the JSON values in them.

        Raises:
            ArtifactError: the files cannot be written.
            ComponentError: something else is at the path, or the card does not hold JSON values.
            MissingExtra: the package safetensors is not installed.
        """
        write_model(Path(path), self._facts, self._tensors(), beside or {})

    def save_into(self, folder: Path) -> None:
        """Write the files of the model into a folder that is there, as other libraries want it; not in one step."""
        fill(folder, self._facts, self._tensors(), {})

    def quantised(self) -> StaticModel:
        """Return the model with an int8 table, half the size: each row is divided by its greatest number / 127."""
        rows = self.table.astype(np.float32) if self.scale is None else self.table * self.scale[:, None]
        greatest = np.abs(rows).max(axis=1)
        scale = (greatest / 127).astype(np.float32)
        table = np.rint(rows / np.where(scale > 0, scale, 1)[:, None]).clip(-127, 127).astype(np.int8)
        return StaticModel(self.ngrams, table, scale=scale, tf=self.tf, card=self.card)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, float32 [n, d], rows of length 1, or 0 for a text of which nothing is read."""
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
        if len(features.indptr) == 2:  # One text, such as a query: it has each row once.
            # Added up in the order that a text among others is, so that it has the same vector.
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
        """Return what the words of `query` add to the cosine of its vector with `vector`, [d]; they sum up to it.

        An n-gram belongs to the word that it lies in; one that lies in several is divided among them. A long word is
        shown as its n-grams.
        """
        found = self.ngrams.features([query])
        weights = term_weights(found.counts, self.tf).astype(np.float64)
        if self.scale is not None:
            weights *= self.scale[found.rows]
        parts = weights[:, None] * self.table[found.rows].astype(np.float64)
        length = float(np.linalg.norm(parts.sum(axis=0)))
        if not length:
            return {}
        values = parts @ np.asarray(vector, dtype=np.float64) / length
        return label_shares(self.ngrams, query, found.rows, values)

    def _tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"table": self.table} if self.scale is None else {"table": self.table, "scale": self.scale}


def _digest(array: npt.NDArray[Any]) -> str:
    return f"{array.dtype} {list(array.shape)} {hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()}"
