"""Vectors of documents from an encoder that is slow: resumed after a kill, and taken over from earlier builds.

The dense index as an artifact: vectors of length 1, memory-mapped, and the encoder that was fitted on them.

Files of a build: ``vectors.npy``, float16 or float32 [n, d]; the docnos (see :mod:`legalir.storage.strings`); what a
fitted encoder saved, under names that begin with ``encoder.``; and the approximate index, under names that begin with
``approximate.`` (see :mod:`legalir.dense.faiss`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.dense.faiss import Neighbours, read_approximate
from legalir.errors import ArtifactError, ComponentError
from legalir.frames.component import check_choice
from legalir.storage.arrays import ArrayFile, append_rows, load_array, unit_rows
from legalir.storage.artifact import IndexArtifact
from legalir.storage.shards import Advance, Encoding, Rows, Shards, earlier_rows, write_encoded
from legalir.storage.strings import write_docnos

__all__ = ["DenseVectors", "Precision", "foreign_vectors", "vector_settings", "write_encoded_vectors", "write_vectors"]

Precision = Literal["float32", "float16"]
"""Rows that are worked on at a time."""


_ROWS = 16_384
"""Rows that are worked on together."""


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
    check_choice("", "precision", precision, get_args(Precision))
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


def vector_settings(fingerprint: str, precision: Precision) -> dict[str, Any]:
    """Return all that decides a vector that is stored, for :func:`~legalir.storage.shards.shards_beside`.

    Args:
        fingerprint: of the encoder.
        precision: what the vectors are stored as.

    Raises:
        ComponentError: `precision` is unknown.
    """
    check_choice("", "precision", precision, get_args(Precision))
    kind = DenseVectors
    return {"kind": kind.kind, "version": kind.version, "encoder": fingerprint, "precision": precision}


def write_encoded_vectors(
    data: Path,
    documents: Iterable[Mapping[str, Any]],
    encode: Callable[[Sequence[str], Advance], npt.NDArray[np.floating]],
    shards: Shards,
    *,
    precision: Precision,
    earlier: Iterable[Path] = (),
    shard: int = 4096,
    advance: Advance = lambda done: None,
) -> dict[str, Any]:
    """Write docnos, digests and vectors of an index; return the facts about them.

    Args:
        data: directory of the build.
        documents: with ``docno`` or ``doc_id``, ``text`` and, if there is one, ``title``.
        encode: returns the vectors of texts, [m, d], rows of length 1 or 0, also of none; tells its second argument how
            many more are done.
        shards: of the same index, under :func:`vector_settings`.
        precision: what the vectors are stored as.
        earlier: paths of dense indexes whose vectors may be taken over, that of the index itself among them.
        shard: number of texts that are made durable together; a shard is also closed after a minute.
        advance: is told how many more documents are done.

    Raises:
        ComponentError: a docno is missing or occurs twice, a text is no string, or the encoder makes no vectors.
        OSError: the files cannot be written.
    """

    def represent(texts: list[str], advance: Advance) -> Rows:
        vectors = np.asarray(encode(texts, advance))
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ComponentError(
                f"The encoder made vectors of shape {list(vectors.shape)} for {len(texts)} texts, or with a NaN or an "
                f"infinity in them: its files may be damaged, or float16 too narrow for it."
            )
        return {"vectors": vectors.astype(precision)}

    sources = earlier_rows(earlier, DenseVectors.kind, DenseVectors.version, shards.key)
    facts = write_encoded(data, documents, Encoding(represent, texts=shard, advance=advance), shards, sources)
    return {**facts, "dimensions": ArrayFile(data / "vectors.npy").item[0], "precision": precision}
