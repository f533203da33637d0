"""Weights of postings: what a term counts in a document.

n documents, V terms, P postings. Weights are float32; they are computed in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["bm25_weights", "bm25f_weights", "lucene_idf", "posting_blocks", "sklearn_idf", "tfidf_weights"]

Floats = npt.NDArray[np.float64]
_BLOCK = 2_000_000


def lucene_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return Lucene's idf, ``ln(1 + (n − df + ½)/(df + ½))``, always positive; [V]."""
    return np.log1p((n - df + 0.5) / (df + 0.5))


def sklearn_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return scikit-learn's smoothed idf, ``ln((1 + n)/(1 + df)) + 1``, at least 1; [V]."""
    return np.log((1 + n) / (1 + df)) + 1


def posting_blocks(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
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
    for terms, postings in posting_blocks(indptr):
        tf = frequencies[postings].astype(np.float64)
        saturated = tf / (tf + norm[documents[postings]])
        weights[postings] = np.repeat(idf[terms], df[terms]) * saturated
    return weights


def bm25f_weights(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    frequencies: Sequence[npt.NDArray[np.unsignedinteger]],
    lengths: npt.NDArray[np.int32],
    df: npt.NDArray[np.int64],
    *,
    weights: Sequence[float],
    b: Sequence[float],
    k1: float,
) -> npt.NDArray[np.float32]:
    """Return ``idf · tf′ / (tf′ + k1)`` for each posting, with ``tf′ = Σ_f w_f·tf_f / (1 − b_f + b_f·l_f/avg_f)``; [P].

    Robertson, Zaragoza and Taylor 2004, with a length normalisation for each field (Zaragoza et al. 2004). avg_f is
    the mean length of the field in the documents that have it: how many lack it says nothing about what is long.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        frequencies: of each field, frequency of the term there for each posting; F of [P].
        lengths: of each document's fields, [n, F].
        df: number of documents that a term counts as rare or common by; [V].
        weights: w of each field, at least 0.
        b: of each field, from 0 to 1.
        k1: at least 0.
    """
    sizes = np.diff(indptr)
    idf = lucene_idf(len(lengths), df).astype(np.float32)
    # Of a field that weighs nothing, nothing is read.
    used = [field for field, weight in enumerate(weights) if weight]
    factors = {field: _field_factor(lengths[:, field], weights[field], b[field]) for field in used}
    found = np.empty(len(documents), dtype=np.float32)
    for terms, postings in posting_blocks(indptr):
        holders = documents[postings]
        tf = np.zeros(len(holders))
        for field in used:
            tf += frequencies[field][postings] * factors[field][holders]
        saturated = np.divide(tf, tf + k1, out=np.zeros_like(tf), where=tf > 0)
        found[postings] = np.repeat(idf[terms], sizes[terms]) * saturated
    return found


def _field_factor(lengths: npt.NDArray[np.int32], weight: float, b: float) -> Floats:
    """Return what one occurrence counts in each document's field; [n]."""
    there = lengths > 0
    mean = lengths[there].mean() if there.any() else 1.0
    return np.divide(weight, 1 - b + b * lengths / mean, out=np.zeros(len(lengths)), where=there)


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
    for terms, postings in posting_blocks(indptr):
        # Frequencies of one byte would have a logarithm of half precision.
        raw = (1 + np.log(frequencies[postings], dtype=np.float64)) * np.repeat(idf[terms], df[terms])
        squares += np.bincount(documents[postings], weights=raw**2, minlength=len(lengths))
        weights[postings] = raw
    norms = np.sqrt(np.where(squares > 0, squares, 1.0))
    for _, postings in posting_blocks(indptr):
        weights[postings] = weights[postings] / norms[documents[postings]]
    return weights
