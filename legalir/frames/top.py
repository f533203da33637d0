"""Arithmetic of retrieval: sums over a query's terms, the best k documents.

n documents, V terms, P postings.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["reaching", "top_k"]


def top_k(scores: npt.NDArray[np.float32], order: npt.NDArray[np.int32], k: int) -> npt.NDArray[np.int64]:
    """Return the documents with the `k` best positive scores, best first, ties by ascending `order`.

    Args:
        scores: float32 [n].
        order: int32 [n], a permutation.
        k: at least 1.
    """
    candidates = reaching(scores, k, above=0)
    best = np.lexsort((order[candidates], -scores[candidates]))[:k]
    return candidates[best]


def reaching(
    scores: npt.NDArray[np.float32], k: int, *, above: float = -np.inf, margin: float = 0
) -> npt.NDArray[np.int64]:
    """Return all documents that reach the `k`-th best score less `margin`, and not many others, in their order.

    Args:
        scores: float32 [n], no NaN.
        k: at least 1.
        above: documents that do not exceed it are left out.
        margin: at least 0.
    """
    threshold = _lower_bound(scores, k) - margin
    found = np.flatnonzero(scores >= threshold) if threshold > above else np.flatnonzero(scores > above)
    if len(found) > k + k // 4:
        kth = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= kth - margin]
    return found


def _lower_bound(scores: npt.NDArray[np.float32], k: int) -> float:
    """Return a value that at least `k` scores reach: the k-th best of the maxima of more than k stretches."""
    stretch = len(scores) // (4 * k)
    if stretch < 2:
        return -np.inf
    stretches = len(scores) // stretch
    maxima = scores[: stretches * stretch].reshape(stretches, stretch).max(axis=1)
    return float(np.partition(maxima, stretches - k)[stretches - k])
