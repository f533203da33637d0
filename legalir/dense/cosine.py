"""Arithmetic of dense retrieval: cosines of vectors, and the best of them, exactly.

n documents, m queries, d dimensions. All vectors have length 1 or are zeros, so an inner product is a cosine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from legalir.frames.ranking import best_first, reaching
from legalir.storage.arrays import widened
from legalir.storage.validity import Mask

_CELLS = 16_000_000
"""Number of scores in memory at a time."""

_ROWS = 1_024
"""Documents whose vectors are multiplied at a time: as float32 they stay near the core."""

_FEW = 8
"""Number of queries up to which each is multiplied alone: a product of matrices first copies all documents."""


def pair_cosines(
    vectors: npt.NDArray[np.floating],
    documents: npt.NDArray[np.int64],
    queries: npt.NDArray[np.float32],
    query: npt.NDArray[np.int64],
) -> npt.NDArray[np.float32]:
    """Return the cosine of each pair; [p].

    It depends only on the two vectors, and not on the number of pairs, unlike a matrix product.

    Args:
        vectors: vectors of the documents, float16 or float32 [n, d].
        documents: row in `vectors` of each pair, [p].
        queries: vectors of the queries, [m, d].
        query: row in `queries` of each pair, [p].
    """
    cosines = np.empty(len(documents), dtype=np.float32)
    for first in range(0, len(documents), _ROWS):
        part = slice(first, first + _ROWS)
        products = widened(vectors[documents[part]])
        products *= queries[query[part]]
        cosines[part] = products.sum(axis=1)
    # Rounding may lift the cosine of equal vectors above 1, which no cosine is.
    return np.clip(cosines, -1, 1, out=cosines)


def best_cosines(
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    queries: npt.NDArray[np.float32],
    k: int,
    in_force: Sequence[Mask | None] | None = None,
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
    """Yield, for each query, the documents of the `k` best cosines, best first, ties by ascending `order`.

    All documents are compared; a query of zeros has none. Memory stays flat: documents are read in blocks, and
    queries are taken as many at a time as scores fit.

    Args:
        vectors: vectors of the documents, float16 or float32 [n, d], such as a memory map.
        order: int32 [n], a permutation.
        queries: vectors of the queries, [m, d].
        k: at least 1.
        in_force: which documents may be results of each query, [m] of [n]; None for all.
    """
    n, dimensions = vectors.shape
    batch = max(1, _CELLS // max(1, n))
    # A bound of the rounding errors in an inner product of unit vectors, and of another one elsewhere.
    margin = 2 * dimensions * float(np.finfo(np.float32).eps)
    for first in range(0, len(queries), batch):
        chosen = queries[first : first + batch]
        scores = _products(vectors, chosen)
        for number, (row, vector) in enumerate(zip(scores, chosen, strict=True), start=first):
            if vector.any():
                if in_force is not None and (mask := in_force[number]) is not None:
                    np.copyto(row, -np.inf, where=~mask)
                yield _best(vectors, order, vector, row, k, margin)
            else:
                yield np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)


def _products(vectors: npt.NDArray[np.floating], queries: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return inner products, [m, n], except for rounding errors that depend on m."""
    if vectors.dtype == np.float32 and not 1 < len(queries) <= _FEW:
        whole: npt.NDArray[np.float32] = queries @ vectors.T  # reads the memory map directly
        return whole
    scores = np.empty((len(queries), len(vectors)), dtype=np.float32)
    for first in range(0, len(vectors), _ROWS):
        part = slice(first, first + _ROWS)
        block = vectors[part] if vectors.dtype == np.float32 else widened(vectors[part])
        if len(queries) <= _FEW:
            for row, query in zip(scores, queries, strict=True):
                np.matmul(block, query, out=row[part])
        else:
            scores[:, part] = queries @ block.T
    return scores


def _best(
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    query: npt.NDArray[np.float32],
    scores: npt.NDArray[np.float32],
    k: int,
    margin: float,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """Return the best `k` of one query, from `scores` that are accurate to half of `margin`; [n]."""
    candidates = reaching(scores, k, margin=margin)
    cosines = pair_cosines(vectors, candidates, query[None], np.zeros(len(candidates), dtype=np.int64))
    best = best_first(cosines, order[candidates], k)
    return candidates[best], cosines[best]
