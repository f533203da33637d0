"""TF-IDF with cosine over the terms of any analyzer."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.errors import ComponentError
from legalir.frames.component import check_number
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.sparse import SparsePostings
from legalir.lexical.weights import lucene_idf, sklearn_idf, tfidf_weights

__all__ = ["TFIDF", "tfidf"]

Idf = Literal["lucene", "sklearn"]


class TFIDF(SparseRetriever):
    """Cosine of TF-IDF vectors with logarithmic term frequency.

    A term weighs ``(1 + ln tf)·idf`` in query and document alike, and both vectors are scaled to length 1; the
    query's length counts its terms that the collection knows. Scores lie in [0, 1].

    Args:
        index: the sparse index.
        idf: ``lucene``, ``ln(1 + (N − df + ½)/(df + ½))`` as in BM25; or ``sklearn``,
            ``ln((1 + N)/(1 + df)) + 1``, which keeps the weight of a frequent term from vanishing.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    index: SparsePostings

    def __init__(self, index: SparsePostings, idf: Idf = "lucene", num_results: int = 1000) -> None:
        if idf not in get_args(Idf):
            raise ComponentError(f"tfidf: idf={idf!r} is not one of {', '.join(get_args(Idf))}.")
        check_number("tfidf", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.idf = idf
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        return f"tfidf({self.index.analyzer.name}, idf={self.idf})"

    def _idf_of(self, df: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        formula = lucene_idf if self.idf == "lucene" else sklearn_idf
        return formula(len(self.index), df)

    def posting_weights(self) -> npt.NDArray[np.float32]:
        """Return the cosine weight of every posting; [P]."""
        index = self.index
        idf = self._idf_of(np.diff(index.indptr))
        return tfidf_weights(index.indptr, index.documents, index.frequencies, index.lengths, idf)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the query vector, scaled to length 1."""
        indptr = self.index.indptr
        raw = (1 + np.log(tf)) * self._idf_of(indptr[terms + 1] - indptr[terms])
        return terms, (raw / (np.sqrt(np.square(raw).sum()) or 1.0)).astype(np.float32)

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Return the cosine of every document with one query; [n]."""
        # Rounding may lift the cosine of equal vectors above 1, which no cosine is.
        return np.minimum(super().scores(query), np.float32(1))


def tfidf(collection: Any, *, analyzer: str = "jamo3", idf: Idf = "lucene", num_results: int = 1000) -> TFIDF:
    """TF-IDF with cosine over the terms of `analyzer`: ``tfidf(analyzer="char2", idf="sklearn")``.

    Args:
        analyzer: the terms: ``jamo3``, ``char2``, ``word``, or any analyzer of a plugin, also with parameters.
    """
    return TFIDF(collection.sparse(analyzer), idf=idf, num_results=num_results)
