"""Nearest vectors by FAISS, approximately: built beside the vectors of a dense index, stored, opened, searched.

Files of a build, next to ``vectors.npy``: ``approximate.rows.npy``, int32 [r], the rows of vectors that are not zeros,
those of equal vectors together and in order of docno; ``approximate.bounds.npy``, int64 [u + 1], where the rows of each
of the u distinct vectors begin; ``approximate.faiss.npy``, uint8 [bytes, 1], what FAISS writes, where u is not 0.

FAISS sees each distinct vector once, since a graph falls apart where more vectors are equal than one has neighbours. It
keeps them in 8 bits a number, a quarter of float32, which is enough to find candidates; their scores come from
``vectors.npy``. Its file is mapped, not read into memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.arrays import append_rows, load_array, save_array
from legalir.errors import ArtifactError, ComponentError, MissingExtra
from legalir.extras import require
from legalir.index.approximate import HNSW, IVF, Approximate

__all__ = ["Neighbours", "build_neighbours", "distinct_rows", "require_faiss"]

_ROWS = 16_384
"""Rows that are worked on at a time."""

_SAMPLE_BYTES = 512 * 2**20
"""Memory for the float32 vectors that centres and ranges of numbers are learnt from."""

_PER_LIST = 64
"""Vectors for each centre, if there are so many."""

_LEAST = 256
"""Candidates that are taken from inverted lists at least."""

_MORE = 8
"""One candidate more for so many results: by 8 bits a number, the last ones are not quite those of the exact search."""


def require_faiss() -> Any:
    """Return the module.

    Raises:
        MissingExtra: it is not installed.
    """
    return require("faiss", extra="dense")


def distinct_rows(
    vectors: npt.NDArray[np.floating], order: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the rows of vectors that are not zeros, equal ones together, by `order`; and where each begins.

    Args:
        vectors: [n, d].
        order: int32 [n], a permutation.

    Returns:
        int32 [r]; int64 [u + 1]. Distinct vectors stand in order of their first rows.
    """
    digests = np.zeros(len(vectors), dtype=[("high", np.uint64), ("low", np.uint64)])
    filled = np.zeros(len(vectors), dtype=bool)
    for first in range(0, len(vectors), _ROWS):
        block = np.ascontiguousarray(vectors[first : first + _ROWS]) + vectors.dtype.type(0)  # of -0 makes 0
        filled[first : first + _ROWS] = block.any(axis=1)
        found = b"".join(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in block)
        digests[first : first + _ROWS] = np.frombuffer(found, dtype=digests.dtype)
    rows = np.flatnonzero(filled)
    _, first_of, group = np.unique(digests[rows], return_index=True, return_inverse=True)
    group = np.argsort(np.argsort(first_of))[group]
    together = np.lexsort((order[rows], group))
    bounds = np.zeros(len(first_of) + 1, dtype=np.int64)
    np.cumsum(np.bincount(group, minlength=len(first_of)), out=bounds[1:])
    return rows[together].astype(np.int32), bounds


def build_neighbours(directory: Path, spec: Approximate) -> dict[str, Any]:
    """Build for the vectors in `directory` what finds their neighbours; return the facts about it.

    The same vectors give the same bytes with the same FAISS (from 1.15 on; before, HNSW only with OMP_NUM_THREADS=1)
    on the same kind of processor. Memory holds what FAISS builds, d bytes a vector and its links, and the sample that
    it is trained on, no more than 512 MB.

    Raises:
        ComponentError: FAISS refuses the parameters.
        MissingExtra: FAISS is not installed.
    """
    faiss = require_faiss()
    vectors = load_array(directory / "vectors.npy")
    rows, bounds = distinct_rows(vectors, load_array(directory / "order.npy"))
    save_array(directory / "approximate.rows.npy", rows)
    save_array(directory / "approximate.bounds.npy", bounds)
    single = rows[bounds[:-1]]
    sample = _sample(len(single), vectors.shape[1], spec)
    if isinstance(spec, IVF) and len(sample):
        spec = spec.fitted(len(single), len(sample))
    if len(single):
        try:
            index = _empty_index(faiss, spec, vectors.shape[1])
            index.train(_part(vectors, single[sample]))
            for first in range(0, len(single), _ROWS):
                index.add(_part(vectors, single[first : first + _ROWS]))
        except RuntimeError as error:
            raise ComponentError(f"FAISS cannot build {spec} over {len(single)} vectors: {_reason(error)}.") from error
        with append_rows(directory / "approximate.faiss.npy", np.dtype(np.uint8), 1) as append:
            writer = faiss.PyCallbackIOWriter(lambda part: append(np.frombuffer(part, dtype=np.uint8)[:, None]))
            faiss.write_index(index, writer)
    return {"search": str(spec), "distinct": len(single), "faiss": faiss.__version__}


def _sample(u: int, dimensions: int, spec: Approximate) -> npt.NDArray[np.int64]:
    """Return which of u vectors to learn from, ascending."""
    lists = 1 if isinstance(spec, HNSW) else spec.fitted(max(u, 1), max(u, 1)).lists or 1
    most = min(u, max(1, _SAMPLE_BYTES // (4 * dimensions)), max(_ROWS, lists * _PER_LIST))
    return np.sort(np.random.default_rng(0).choice(u, most, replace=False)) if u else np.zeros(0, dtype=np.int64)


def _part(vectors: npt.NDArray[np.floating], rows: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(vectors[rows], dtype=np.float32)


def _empty_index(faiss: Any, spec: Approximate, dimensions: int) -> Any:
    number, product = faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    if isinstance(spec, HNSW):
        index = faiss.IndexHNSWSQ(dimensions, number, spec.m, product)
        index.hnsw.efConstruction = spec.ef_construction
        return index
    index = faiss.IndexIVFScalarQuantizer(faiss.IndexFlatIP(dimensions), dimensions, spec.lists, number, product, False)
    index.cp.spherical = True  # Centres have length 1, as the vectors.
    index.cp.min_points_per_centroid = 1  # No warning about a single list of few vectors.
    return index


def _reason(error: RuntimeError) -> str:
    return str(error).strip().splitlines()[-1][:200].rstrip(".")


class Neighbours:
    """What :func:`build_neighbours` built, open.

    Args:
        path: of the index, for messages.
        arrays: verified arrays of a build by name.
        spec: what was built.

    Raises:
        ArtifactError: this FAISS cannot read the file, or it belongs to other vectors.
        MissingExtra: FAISS is not installed.
    """

    def __init__(self, path: Path, arrays: Mapping[str, npt.NDArray[Any]], spec: Approximate) -> None:
        self.rows: npt.NDArray[np.int32] = arrays["approximate.rows"]
        self.bounds: npt.NDArray[np.int64] = arrays["approximate.bounds"]
        self.spec = spec
        self._index: Any = None
        try:
            self._faiss = require_faiss()
        except MissingExtra as error:
            raise MissingExtra(f"{error}, or search {path} exactly: index.retriever(exact=True)") from error
        if len(self.bounds) > 1:
            self._index = self._opened(path, arrays["approximate.faiss"].reshape(-1), arrays["vectors"].shape[1])

    def _opened(self, path: Path, content: npt.NDArray[np.uint8], dimensions: int) -> Any:
        faiss = self._faiss
        hint = "build its approximate search again with DenseIndex(path).approximated(…)"
        try:
            self._reader = faiss.ZeroCopyIOReader(faiss.swig_ptr(content), content.size)
            index = faiss.read_index(self._reader, faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise ArtifactError(
                f"FAISS {faiss.__version__} cannot read what is in {path} ({_reason(error)}): {hint}."
            ) from error
        if (index.d, index.ntotal) != (dimensions, len(self.bounds) - 1):
            raise ArtifactError(f"What FAISS finds in {path} belongs to other vectors: {hint}.")
        self._content = content  # what FAISS points into
        return index

    def near(self, query: npt.NDArray[np.float32], depth: int) -> npt.NDArray[np.int64]:
        """Return distinct vectors that are near to `query`, no fewer than `depth` if so many were found; [c].

        One query is searched at a time: FAISS computes several at once with other rounding.

        Args:
            query: [d].
            depth: at least 1.
        """
        if self._index is None:
            return np.zeros(0, dtype=np.int64)
        if isinstance(self.spec, HNSW):
            least, how = self.spec.ef, self._faiss.SearchParametersHNSW(efSearch=self.spec.ef)
        else:
            least, how = _LEAST, self._faiss.SearchParametersIVF(nprobe=self.spec.probes)
        count = min(max(least, depth + depth // _MORE), len(self.bounds) - 1)
        found: npt.NDArray[np.int64] = self._index.search(query[None], count, params=how)[1][0]
        return found[found >= 0]
