"""The dense index as an artifact: vectors of length 1, memory-mapped, and the encoder that was fitted on them.

Files of a build: ``vectors.npy``, float16 or float32 [n, d]; the docnos (see :mod:`legalir.index.docnos`); and what a
fitted encoder saved, under names that begin with ``encoder.``; and what finds vectors approximately, under names that
begin with ``approximate.`` (see :mod:`legalir.index.neighbours`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.arrays import append_rows, load_array
from legalir.errors import ArtifactError, ComponentError
from legalir.index.approximate import read_approximate
from legalir.index.base import IndexArtifact
from legalir.index.docnos import write_docnos
from legalir.index.neighbours import Neighbours

__all__ = ["DenseVectors", "Precision", "foreign_vectors", "unit_rows", "write_vectors"]

Precision = Literal["float32", "float16"]
_ROWS = 16_384
"""Rows that are worked on at a time."""


def unit_rows(vectors: npt.NDArray[np.floating], least: float = 0.0) -> npt.NDArray[np.float32]:
    """Return `vectors` [n, d] with rows of length 1; a row no longer than `least` becomes zeros."""
    out = np.empty(vectors.shape, dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        wide = vectors[first : first + _ROWS].astype(np.float64)
        lengths = np.sqrt(np.square(wide).sum(axis=1, keepdims=True))
        out[first : first + _ROWS] = np.where(lengths > least, wide, 0) / np.where(lengths > least, lengths, 1)
    return out


class DenseVectors(IndexArtifact):
    """Vectors of a collection."""

    kind, version = "dense_index", 1

    @property
    def vectors(self) -> npt.NDArray[np.floating]:
        """Vector of each document, float16 or float32 [n, d], rows of length 1, or 0 where there is nothing to say."""
        return self._opened[1]["vectors"]

    @property
    def learnt(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays that a fitted encoder saved, by name."""
        return {name: array for name, array in self._opened[1].items() if name.startswith("encoder.")}

    @property
    def approximate(self) -> str | None:
        """The approximate search of the index, as ``ivf(lists=1000, probes=63)``; None for an exact one."""
        facts = self.manifest.facts.get("approximate")
        return None if facts is None else str(facts["search"])

    @property
    def recall(self) -> dict[int, float] | None:
        """Share of the best documents that the approximate search finds: at 10, 100, 1 000; None for an exact one."""
        facts = self.manifest.facts.get("approximate")
        return None if facts is None else {int(k): float(share) for k, share in facts["recall"].items()}

    @cached_property
    def neighbours(self) -> Neighbours:
        """What finds candidates.

        Raises:
            ArtifactError: the index has no approximate search, or this FAISS cannot read it.
            MissingExtra: FAISS is not installed.
        """
        if self.approximate is None:
            raise ArtifactError(f"{self.path} has no approximate search: build one with approximated(…).")
        return Neighbours(self.directory, self._opened[1], read_approximate(self.approximate))

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.vectors)


def write_vectors(
    directory: Path, batches: Iterable[tuple[Sequence[str], npt.NDArray[np.floating]]], precision: Precision
) -> dict[str, Any]:
    """Write docnos and vectors of an index, batch by batch; return the facts about them.

    Args:
        directory: where to.
        batches: docnos, and their vectors with rows of length 1, [m, d]; at least one batch.
        precision: what the vectors are stored as.

    Raises:
        ComponentError: `precision` is unknown, a docno occurs twice, or the shapes do not fit.
    """
    if precision not in get_args(Precision):
        raise ComponentError(f"precision={precision!r} is not one of {', '.join(get_args(Precision))}.")
    found = iter(batches)
    first = next(found)
    dimensions = first[1].shape[-1]
    docnos: list[str] = []
    with append_rows(directory / "vectors.npy", np.dtype(precision), dimensions) as append:
        for names, vectors in itertools.chain([first], found):
            if vectors.shape != (len(names), dimensions):
                raise ComponentError(
                    f"The encoder made vectors of shape {list(vectors.shape)} for {len(names)} documents where "
                    f"{[len(names), dimensions]} is needed: it must give each the same number of dimensions."
                )
            docnos += names
            append(vectors)
    write_docnos(directory, docnos)
    return {"documents": len(docnos), "dimensions": dimensions, "precision": precision}


def foreign_vectors(
    vectors: npt.NDArray[Any] | str | PathLike[str], docnos: Iterable[str]
) -> Iterator[tuple[list[str], npt.NDArray[np.float32]]]:
    """Check vectors that were made elsewhere; yield them in batches, scaled to length 1, with their docnos.

    Args:
        vectors: numbers [n, d], or the path of a ``.npy`` file of them, which is memory-mapped.
        docnos: n of them.

    Raises:
        ComponentError: the shapes do not fit, or a row has no direction.
    """
    array = vectors if isinstance(vectors, np.ndarray) else _mapped(Path(vectors))
    names = list(docnos)
    if array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1]:
        raise ComponentError(
            f"The vectors have shape {list(array.shape)} and type {array.dtype}: give numbers [documents, dimensions]."
        )
    if len(array) != len(names):
        raise ComponentError(f"There are {len(array)} vectors and {len(names)} docnos: give as many of each.")
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ComponentError(f"The docno {wrong[0]!r} is no name: give a string to every vector.")
    for first in range(0, max(1, len(array)), _ROWS):
        block = array[first : first + _ROWS]
        faulty = np.flatnonzero(~np.isfinite(block).all(axis=1) | ~block.any(axis=1))
        if len(faulty):
            row = first + int(faulty[0])
            kind = "is all zeros" if np.isfinite(array[row]).all() else "holds a NaN or an infinity"
            raise ComponentError(f"The vector of {names[row]!r} (row {row}) {kind}: a cosine needs a direction.")
        yield names[first : first + _ROWS], unit_rows(block)


def _mapped(path: Path) -> npt.NDArray[Any]:
    if not path.exists():
        raise ComponentError(f"There is no file {path}: give the path of a .npy file.")
    try:
        return load_array(path)
    except ArtifactError:
        raise ComponentError(f"{path} is no .npy file of numbers: write one with numpy.save.") from None
