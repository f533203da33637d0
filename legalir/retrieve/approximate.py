"""Arithmetic of approximate dense retrieval: candidates by FAISS, and the best of them by their exact cosines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from legalir.index.neighbours import Neighbours
from legalir.retrieve.cosine import best_cosines, pair_cosines

__all__ = ["approximate_cosines"]

Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]


def approximate_cosines(
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    queries: npt.NDArray[np.float32],
    k: int,
    depth: int,
) -> Iterator[Found]:
    """Yield, for each query, the candidates of the `k` best cosines, best first, ties by ascending `order`.

    The candidates depend on `depth` alone, not on `k`, and their cosines are those of
    :func:`~legalir.retrieve.cosine.best_cosines`. For a `depth` of all documents, all are compared.

    Args:
        neighbours: what finds candidates.
        vectors: vectors of the documents, float16 or float32 [n, d].
        order: int32 [n], a permutation.
        queries: vectors of the queries, [m, d]; zeros find nothing.
        k: at least 1.
        depth: results that candidates are sought for, at least `k`.
    """
    if depth >= len(vectors):
        yield from best_cosines(vectors, order, queries, k)
        return
    for query in queries:
        near = neighbours.near(query, depth) if query.any() else np.zeros(0, dtype=np.int64)
        yield _best(neighbours, vectors, order, query, near, k)


def _best(
    neighbours: Neighbours,
    vectors: npt.NDArray[np.floating],
    order: npt.NDArray[np.int32],
    query: npt.NDArray[np.float32],
    near: npt.NDArray[np.int64],
    k: int,
) -> Found:
    """Return the `k` best rows of the distinct vectors `near`, and their cosines."""
    if not len(near):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    rows, begins = neighbours.rows, neighbours.bounds[near]
    cosines = pair_cosines(vectors, rows[begins].astype(np.int64), query[None], np.zeros(len(near), dtype=np.int64))
    # Equal vectors stand in the order of ties, so no more than k of them can be among the best.
    sizes = np.minimum(neighbours.bounds[near + 1] - begins, k)
    falling = np.argsort(-cosines)
    last = min(int(np.searchsorted(np.cumsum(sizes[falling]), k)), len(near) - 1)
    kept = np.flatnonzero(cosines >= cosines[falling[last]])
    counts = sizes[kept]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    documents = rows[np.repeat(begins[kept], counts) + within].astype(np.int64)
    scores = np.repeat(cosines[kept], counts)
    best = np.lexsort((order[documents], -scores))[:k]
    return documents[best], scores[best]
