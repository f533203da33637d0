"""Exact nearest neighbours of every vector among all others, by blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from legalir.frames.ranking import places
from legalir.graph.links import Left, NumberedLinks

__all__ = ["Vectors", "nearest", "nearest_links"]


class Vectors(Protocol):
    """What is needed of a dense index."""

    @property
    def vectors(self) -> npt.NDArray[np.floating[Any]]:
        """Vectors of length 1, [n, d]."""
        ...

    @property
    def docnos(self) -> Iterable[str]:
        """Docno of each, [n]."""
        ...


_CELLS = 16_000_000
"""Similarities that are held at a time."""


def nearest_links(docnos: Sequence[str], vectors: npt.NDArray[np.floating[Any]], k: int) -> NumberedLinks:
    """Return a link from each document to each of its `k` nearest, best first.

    Args:
        docnos: docno of each vector, [n].
        vectors: [n, d], of length 1.
        k: at least 1.
    """
    found = nearest(vectors, k)
    place = np.empty(len(docnos), dtype=np.int64)
    place[sorted(range(len(docnos)), key=docnos.__getitem__)] = np.arange(len(docnos))
    source, target = np.repeat(place, found.shape[1]), place[found.reshape(-1)]
    return NumberedLinks(
        sorted(docnos), source, target, np.zeros(found.size, dtype=np.uint8), kinds=["cosine"], left=Left()
    )


def nearest(vectors: npt.NDArray[np.floating[Any]], k: int) -> npt.NDArray[np.int64]:
    """Return the `k` vectors with the largest inner product for each, best first, itself left out.

    Equal similarities are ordered by position. The time is quadratic in n.

    Args:
        vectors: [n, d]; of length 1, so that the inner product is the cosine.
        k: at least 1; at most n − 1 neighbours are returned.

    Returns:
        Positions, int64 [n, min(k, n − 1)].
    """
    n = len(vectors)
    k = min(k, n - 1)
    if k < 1:
        return np.zeros((n, 0), dtype=np.int64)
    rows = max(1, _CELLS // n)
    return np.concatenate([_block(vectors, first, min(first + rows, n), k) for first in range(0, n, rows)])


def _block(vectors: npt.NDArray[np.floating[Any]], first: int, last: int, k: int) -> npt.NDArray[np.int64]:
    similar = np.asarray(vectors[first:last], dtype=np.float32) @ np.asarray(vectors, dtype=np.float32).T
    similar[np.arange(last - first), np.arange(first, last)] = -np.inf
    kth = np.partition(similar, -k, axis=1)[:, -k]
    # Whatever equals the k-th best is a candidate, so that position decides, and not the partition.
    row, column = np.nonzero(similar >= kth[:, None])
    order = np.lexsort((column, -similar[row, column], row))
    row, column = row[order], column[order]
    return column[places(row) < k].reshape(last - first, k)
