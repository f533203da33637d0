"""Arithmetic of retrieval: sums over a query's terms, the best k documents.

n documents, V terms, P postings.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["ScoredPostings", "reaching", "top_k"]


class ScoredPostings:
    """Weighted postings that sum up scores.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        weights: float32 [P].
        n: number of documents.
    """

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        documents: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float32],
        n: int,
    ) -> None:
        self._indptr = indptr.astype(np.int32)
        self._documents = documents
        self._weights = weights
        self._n = n

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """Weight of each posting; [P]."""
        return self._weights

    def scores(self, terms: npt.NDArray[np.int64], query_weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the sum of ``query_weight · weight`` over the terms of one query for every document; [n].

        Args:
            terms: term numbers [q]; one that occurs twice is added twice.
            query_weights: float32 [q].
        """
        from scipy.sparse import csc_array

        # scipy's product of a sparse matrix and a vector runs over columns ``indptr[j]:indptr[j + 1]``. With
        # the terms in descending order, the slices of the postings alternate with gaps that run backwards,
        # which are empty: one call sums all terms and copies none of the postings.
        descending = np.argsort(-terms, kind="stable")
        chosen = terms[descending]
        columns = np.empty(2 * len(chosen), dtype=np.int32)
        columns[0::2], columns[1::2] = self._indptr[chosen], self._indptr[chosen + 1]
        factors = np.zeros(max(0, len(columns) - 1), dtype=np.float32)
        factors[0::2] = query_weights[descending]
        matrix = csc_array((self._n, len(factors)), dtype=np.float32)
        matrix.indptr, matrix.indices, matrix.data = columns, self._documents, self._weights
        scores: npt.NDArray[np.float32] = matrix @ factors
        return scores


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
