"""BM25 over the terms of any analyzer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.frames.component import check_number
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.sparse import SparsePostings
from legalir.lexical.weights import bm25_weights

__all__ = ["BM25", "bm25"]

_ADDED = 8
"""Occurrences of a query term that are added one by one; bounds what a query of one repeated word costs."""


class BM25(SparseRetriever):
    """BM25 (Robertson et al. 1994) with Lucene's idf and exact document lengths.

    ``score(q, d) = Σ_t qtf · ln(1 + (N − df + ½)/(df + ½)) · tf / (tf + k1·(1 − b + b·dl/avgdl))``, where qtf
    is how often the query holds the term. `k1` and `b` are free at search time: the index keeps raw
    frequencies.

    Args:
        index: the sparse index.
        k1: saturation of term frequency, at least 0.
        b: length normalisation, from 0 to 1.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range.
    """

    index: SparsePostings

    def __init__(self, index: SparsePostings, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> None:
        check_number("bm25", "k1", k1, low=0)
        check_number("bm25", "b", b, low=0, high=1)
        check_number("bm25", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.k1 = k1
        self.b = b
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        return f"bm25({self.index.analyzer.name}, k1={self.k1:g}, b={self.b:g})"

    def posting_weights(self) -> npt.NDArray[np.float32]:
        """Return idf times saturated frequency for every posting; [P]."""
        index = self.index
        return bm25_weights(index.indptr, index.documents, index.frequencies, index.lengths, self.k1, self.b)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term as often as the query holds it, with weight 1.

        Adding a weight twice rounds otherwise than adding its double, and the sum over occurrences is what others
        compute. A term that occurs more than `_ADDED` times is added once, with its frequency as weight.
        """
        added = tf <= _ADDED
        times = np.where(added, tf, 1)
        return np.repeat(terms, times), np.repeat(np.where(added, 1, tf), times).astype(np.float32)


def bm25(collection: Any, *, analyzer: str = "jamo3", k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> BM25:
    """BM25 over the terms of `analyzer`: ``bm25(analyzer="char2", k1=1.5, b=0.75)``.

    Args:
        analyzer: the terms: ``jamo3``, ``char2``, ``word``, or any analyzer of a plugin, also with parameters.
    """
    return BM25(collection.sparse(analyzer), k1=k1, b=b, num_results=num_results)
