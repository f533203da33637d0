"""Arithmetic of sparse retrieval: weights of postings, sums over a query's terms, the best k documents.

n documents, V terms, P postings. Weights are float32; they are computed in float64.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["ScoredPostings", "bm25_weights", "lucene_idf", "sklearn_idf", "tfidf_weights", "top_k"]

Floats = npt.NDArray[np.float64]
_BLOCK = 2_000_000


def lucene_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return Lucene's idf, ``ln(1 + (n − df + ½)/(df + ½))``, always positive; [V]."""
    return np.log1p((n - df + 0.5) / (df + 0.5))


def sklearn_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return scikit-learn's smoothed idf, ``ln((1 + n)/(1 + df)) + 1``, at least 1; [V]."""
    return np.log((1 + n) / (1 + df)) + 1


def _blocks(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
    """Yield term ranges with the posting ranges that belong to them, about ``_BLOCK`` postings each."""
    first, terms = 0, len(indptr) - 1
    while first < terms:
        last = int(np.searchsorted(indptr, indptr[first] + _BLOCK, side="right")) - 1
        last = min(max(last, first + 1), terms)
        yield slice(first, last), slice(int(indptr[first]), int(indptr[last]))
        first = last


def bm25_weights(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    frequencies: npt.NDArray[np.unsignedinteger],
    lengths: npt.NDArray[np.int32],
    k1: float,
    b: float,
) -> npt.NDArray[np.float32]:
    """Return ``idf · tf / (tf + k1·(1 − b + b·dl/avgdl))`` for each posting; [P].

    Robertson et al. 1994 as Lucene scores it since version 8 (without the constant factor k1 + 1), with exact
    document lengths.
    """
    df = np.diff(indptr)
    # Rounded before it is multiplied, as bm25s does: with the same order of additions, scores agree to the last bit.
    idf = lucene_idf(len(lengths), df).astype(np.float32)
    mean = lengths.mean() if len(lengths) else 0.0
    norm = k1 * (1 - b + b * lengths / (mean or 1.0))
    weights = np.empty(len(documents), dtype=np.float32)
    for terms, postings in _blocks(indptr):
        tf = frequencies[postings].astype(np.float64)
        saturated = tf / (tf + norm[documents[postings]])
        weights[postings] = np.repeat(idf[terms], df[terms]) * saturated
    return weights


def tfidf_weights(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    frequencies: npt.NDArray[np.unsignedinteger],
    lengths: npt.NDArray[np.int32],
    idf: Floats,
) -> npt.NDArray[np.float32]:
    """Return ``(1 + ln tf)·idf`` for each posting, each document's vector scaled to length 1; [P]."""
    df = np.diff(indptr)
    squares = np.zeros(len(lengths))
    weights = np.empty(len(documents), dtype=np.float32)
    for terms, postings in _blocks(indptr):
        # Frequencies of one byte would have a logarithm of half precision.
        raw = (1 + np.log(frequencies[postings], dtype=np.float64)) * np.repeat(idf[terms], df[terms])
        squares += np.bincount(documents[postings], weights=raw**2, minlength=len(lengths))
        weights[postings] = raw
    norms = np.sqrt(np.where(squares > 0, squares, 1.0))
    for _, postings in _blocks(indptr):
        weights[postings] = weights[postings] / norms[documents[postings]]
    return weights


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
    threshold = _lower_bound(scores, k)
    candidates = np.flatnonzero(scores >= threshold) if threshold > 0 else np.flatnonzero(scores > 0)
    if len(candidates) > 4 * k:
        kth = np.partition(scores[candidates], len(candidates) - k)[len(candidates) - k]
        candidates = candidates[scores[candidates] >= kth]
    best = np.lexsort((order[candidates], -scores[candidates]))[:k]
    return candidates[best]


def _lower_bound(scores: npt.NDArray[np.float32], k: int) -> float:
    """Return a value that at least `k` scores reach: the k-th best of the maxima of more than k stretches."""
    stretch = len(scores) // (4 * k)
    if stretch < 2:
        return 0.0
    stretches = len(scores) // stretch
    maxima = scores[: stretches * stretch].reshape(stretches, stretch).max(axis=1)
    return float(np.partition(maxima, stretches - k)[stretches - k])
