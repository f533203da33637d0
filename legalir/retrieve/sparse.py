"""The public sparse index: an artifact, and the retrievers over it."""

from __future__ import annotations

from legalir.index.sparse import SparsePostings
from legalir.retrieve.bm25 import BM25
from legalir.retrieve.tfidf import TFIDF, Idf

__all__ = ["SparseIndex"]


class SparseIndex(SparsePostings):
    """A sparse index of a collection, and where its retrievers come from.

    ::

        index = legalir.SparseIndex("my.index", analyzer="jamo3").index(docs)
        index.bm25(k1=1.5, b=0.75).search("무창층의 기준은?")
    """

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def bm25(self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> BM25:
        """Return a BM25 retriever; `k1` and `b` need no new index."""
        return BM25(self, k1=k1, b=b, num_results=num_results)

    def tfidf(self, num_results: int = 1000, idf: Idf = "lucene") -> TFIDF:
        """Return a TF-IDF retriever with cosine scores."""
        return TFIDF(self, idf=idf, num_results=num_results)
