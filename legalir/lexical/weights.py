"""Weights of postings: the part of a term in the score of a document.

n documents, V terms, P postings, F fields. Weights are float32; they are computed in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rows = slice | npt.NDArray[np.int64]

Weigher = Callable[[Rows, Rows], npt.NDArray[np.floating]]
"""Function of some terms and their postings; returns the weights of the postings, in the same order."""

OfTerms = Callable[[Rows], Floats]
"""Function of some terms; returns a number of each, so that no array of all terms is kept."""

_BLOCK = 2_000_000


def lucene_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return Lucene's idf, ``ln(1 + (n − df + ½)/(df + ½))``, always positive; [V]."""
    return np.log1p((n - df + 0.5) / (df + 0.5))


def robertson_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return ``ln((n − df + ½)/(df + ½))``, and 0 for a term that half of the documents have; [V]."""
    return np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1))


def atire_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return ``ln(n/df)``; [V]."""
    return np.log(n / df)


def bm25l_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return ``ln((n + 1)/(df + ½))``; [V]."""
    return np.log((n + 1) / (df + 0.5))


def bm25plus_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return ``ln((n + 1)/df)``; [V]."""
    return np.log((n + 1) / df)


def sklearn_idf(n: int, df: npt.NDArray[np.int64]) -> Floats:
    """Return scikit-learn's smoothed idf, ``ln((1 + n)/(1 + df)) + 1``, at least 1; [V]."""
    return np.log((1 + n) / (1 + df)) + 1


def _repeated(values: npt.NDArray[np.floating], indptr: npt.NDArray[np.int64], terms: Rows) -> npt.NDArray[np.floating]:
    """Return the value of each term for each of its postings."""
    if isinstance(terms, slice):
        return np.repeat(values, np.diff(indptr[terms.start : terms.stop + 1]))
    return np.repeat(values, indptr[terms + 1] - indptr[terms])


def posting_blocks(indptr: npt.NDArray[np.int64], size: int | None = None) -> Iterator[tuple[slice, slice]]:
    """Yield ranges of terms with the ranges of their postings, about `size` postings each, or _BLOCK."""
    first, terms = 0, len(indptr) - 1
    while first < terms:
        last = int(np.searchsorted(indptr, indptr[first] + (size or _BLOCK), side="right")) - 1
        last = min(max(last, first + 1), terms)
        yield slice(first, last), slice(int(indptr[first]), int(indptr[last]))
        first = last


def all_weights(indptr: npt.NDArray[np.int64], weigh: Weigher) -> npt.NDArray[np.float32]:
    """Return the weight of each posting; [P]."""
    weights = np.empty(int(indptr[-1]), dtype=np.float32)
    for terms, postings in posting_blocks(indptr):
        weights[postings] = weigh(terms, postings)
    return weights


def bm25_norm(lengths: npt.NDArray[np.int32], k1: float, b: float) -> Floats:
    """Return ``k1·(1 − b + b·dl/avgdl)`` of each document; [n].

    Args:
        lengths: dl of each document, whose mean is avgdl; [n].
        k1: at least 0.
        b: from 0 to 1.
    """
    mean = lengths.mean() if len(lengths) else 0.0
    norm: Floats = k1 * (1 - b + b * lengths / (mean or 1.0))
    return norm


def bm25_weigher(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    frequencies: npt.NDArray[np.unsignedinteger],
    norm: Floats,
    idf: OfTerms,
    scale: float = 1.0,
    shift: float = 0.0,
) -> Weigher:
    """Return the function that computes ``idf · (scale · tf / (tf + norm) + shift)`` for each posting.

    BM25 [bm25] as Lucene scores it since version 8 (without the constant factor k1 + 1), with exact document lengths.
    The other variants are this one with a scale and a shift, see :func:`bm25_variant`.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        frequencies: unsigned [P].
        norm: of each document, see :func:`bm25_norm`; [n].
        idf: of some terms.
        scale: at least 0.
        shift: at least 0.
    """

    def weigh(terms: Rows, postings: Rows) -> npt.NDArray[np.floating]:
        tf = frequencies[postings].astype(np.float64)
        saturated = tf / (tf + norm[documents[postings]])
        if (scale, shift) != (1, 0):
            saturated = scale * saturated + shift
        # Rounded before it is multiplied, as bm25s does: then scores agree to the last bit.
        return _repeated(idf(terms).astype(np.float32), indptr, terms) * saturated

    return weigh


def bm25_variant(method: str, k1: float, delta: float) -> tuple[float, float, float]:
    """Return k of the norm, scale and shift with which :func:`bm25_weigher` computes a variant of BM25.

    BM25L [bm25l] raises ``c = tf/(1 − b + b·dl/avgdl)`` by δ: ``(k1 + 1)·(c + δ)/(k1 + c + δ)``, which with
    ``k = k1 + δ`` and ``s = c/(c + k)`` is ``(k1 + 1)·(1 − (1 − s)·k1/k)``.

    Args:
        method: ``lucene``, ``robertson``, ``atire``, ``bm25l`` or ``bm25+``.
        k1: at least 0.
        delta: δ, at least 0.
    """
    if method in ("lucene", "robertson"):
        return k1, 1.0, 0.0
    if method == "bm25l":
        k = k1 + delta
        share = k1 / k if k else 1.0
        return k, (k1 + 1) * share, (k1 + 1) * (1 - share)
    return k1, k1 + 1, delta if method == "bm25+" else 0.0


def dirichlet_weigher(
    indptr: npt.NDArray[np.int64],
    frequencies: npt.NDArray[np.unsignedinteger],
    prior: OfTerms,
) -> Weigher:
    """Return the function that computes ``ln(1 + tf/(μ·p(t|C)))`` for each posting.

    Args:
        indptr: int64 [V + 1].
        frequencies: unsigned [P].
        prior: ``μ·p(t|C)`` of some terms.
    """

    def weigh(terms: Rows, postings: Rows) -> npt.NDArray[np.floating]:
        return np.log1p(frequencies[postings] / _repeated(prior(terms), indptr, terms))

    return weigh


def bm25f_weigher(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    frequencies: Sequence[npt.NDArray[np.unsignedinteger]],
    factors: Sequence[Floats | None],
    idf: OfTerms,
    k1: float,
) -> Weigher:
    """Return the function that computes ``idf · tf′ / (tf′ + k1)`` for each posting.

    BM25F [bm25f] with ``tf′ = Σ_f w_f·tf_f / (1 − b_f + b_f·l_f/avg_f)``, a length normalisation for each field.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        frequencies: of each field, frequency of the term there for each posting; F of [P].
        factors: of each field, the value of one occurrence in each document, see :func:`field_factor`; None for a field
            without weight, which is not read.
        idf: of some terms.
        k1: at least 0.
    """
    used = [(column, factor) for column, factor in zip(frequencies, factors, strict=True) if factor is not None]

    def weigh(terms: Rows, postings: Rows) -> npt.NDArray[np.floating]:
        holders = documents[postings]
        tf = np.zeros(len(holders))
        for column, factor in used:
            tf += column[postings] * factor[holders]
        saturated = np.divide(tf, tf + k1, out=np.zeros_like(tf), where=tf > 0)
        return _repeated(idf(terms).astype(np.float32), indptr, terms) * saturated

    return weigh


def field_factor(lengths: npt.NDArray[np.int32], weight: float, b: float) -> Floats:
    """Return ``w / (1 − b + b·l/avg)``, the value of one occurrence in a field of each document; [n].

    avg is the mean length of the field in the documents that have it: documents without it do not change the mean.

    Args:
        lengths: l of each document, [n].
        weight: w, at least 0.
        b: from 0 to 1.
    """
    filled = lengths[lengths > 0]
    mean = filled.mean() if len(filled) else 1.0
    return np.divide(weight, 1 - b + b * lengths / mean, out=np.zeros(len(lengths)), where=lengths > 0)


def tfidf_weights(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    frequencies: npt.NDArray[np.unsignedinteger],
    lengths: npt.NDArray[np.int32],
    idf: Floats,
) -> npt.NDArray[np.float32]:
    """Return ``(1 + ln tf)·idf`` for each posting, each document's vector scaled to length 1; [P]."""
    squares = np.zeros(len(lengths))
    weights = np.empty(len(documents), dtype=np.float32)
    for terms, postings in posting_blocks(indptr):
        # Frequencies of one byte would have a logarithm of half precision.
        raw = (1 + np.log(frequencies[postings], dtype=np.float64)) * _repeated(idf[terms], indptr, terms)
        # Added one by one, in the order of the terms: sums of blocks would depend on where a block ends.
        np.add.at(squares, documents[postings].astype(np.int64), raw**2)
        weights[postings] = raw
    norms = np.sqrt(np.where(squares > 0, squares, 1.0))
    for _, postings in posting_blocks(indptr):
        weights[postings] = weights[postings] / norms[documents[postings]]
    return weights
