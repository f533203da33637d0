"""The sparse index, memory-mapped postings of a collection under one analyzer, with its retrievers BM25 and TF-IDF.

Files of a build: see :class:`~legalir.lexical.term_index.TermIndex`; the one column is ``frequencies``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from legalir.frames.component import check_choice, check_number
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.segments import Segment
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import Weigher, bm25_norm, bm25_weigher, lucene_idf, sklearn_idf, tfidf_weights
from legalir.plugins import parameters_of
from legalir.storage.documents import INDEXED_TEXT, indexed_text
from legalir.storage.validity import Validity


class SparseIndex(TermIndex):
    """Postings of a collection under one analyzer; it makes retrievers over them.

    ::

        index = legalir.SparseIndex("my.index", analyzer="char2").index(docs)
        index.bm25(k1=1.5, b=0.75).search("무창층의 기준은?")

    Args:
        path: directory of the artifact.
        analyzer: a name or an analyzer; ``auto`` searches with that of the index at `path`, and builds with what suits
            the language of the documents, which the first million characters tell.
    """

    kind = "sparse_index"
    version = 2
    columns = own = ("frequencies",)

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self,
        iter: Iterable[Mapping[str, Any]],
        *,
        corpus: str = "",
        executor: Executor | None = None,
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, kept in the manifest.
            executor: its workers count the terms; None: this process does.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is not a string.
        """
        return self._build(iter, {"indexed": INDEXED_TEXT, "corpus": corpus}, executor=executor)

    def update(
        self,
        base: str | PathLike[str],
        added: Iterable[Mapping[str, Any]],
        removed: Iterable[str],
        *,
        validity: Callable[[npt.NDArray[np.object_]], Validity | None] | None = None,
        corpus: str = "",
    ) -> Self:
        """Build the index from an earlier one, in time that depends on what changed.

        Scores are those of an index of the same documents that is built at once, to the last bit. The files of segments
        that stay are linked, or copied where the file system has no links, so the earlier index may then be removed.

        Args:
            base: path of the earlier index, which may be that of this one. Its analyzer is used.
            added: documents as for :meth:`index`, new ones or new states of documents that are in `removed`.
            removed: docnos of documents of the earlier index that are gone or have changed.
            validity: returns the days of the documents with given docnos, object [n], or None where no docno is that of
                a version; needed where docnos are.
            corpus: fingerprint of the collection as it is now, kept in the manifest.

        Raises:
            ArtifactError: there is no index at `base`, or it is damaged or has another analyzer; or the files cannot be
                written.
            ComponentError: a docno is missing, occurs twice, or is to be removed and is not there; a text is not a
                string; or `validity` is needed.
        """
        return self._build(added, {"indexed": INDEXED_TEXT, "corpus": corpus}, base, removed, validity)

    def texts_of(self, document: Mapping[str, Any]) -> Sequence[str]:
        """Return the indexed text of a document."""
        return (indexed_text(document),)

    @property
    def frequencies(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Term frequency of each posting, unsigned [P]."""
        return self.one_segment.columns["frequencies"]

    def occurrences(self, term: int, segment: Segment, posting: int) -> dict[str, object]:
        """Return the frequency of a term in the document of a posting, and its number of documents."""
        return {"in_document": int(segment.columns["frequencies"][posting]), "documents": int(self.df[term])}

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def bm25(self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> BM25:
        """Return a BM25 retriever; `k1` and `b` need no new index."""
        return BM25(self, k1=k1, b=b, num_results=num_results)

    def tfidf(self, num_results: int = 1000, idf: Idf = "lucene", min_df: int = 1, max_df: float = 1.0) -> TFIDF:
        """Return a TF-IDF retriever with cosine scores; its parameters need no new index."""
        return TFIDF(self, idf=idf, num_results=num_results, min_df=min_df, max_df=max_df)


_ADDED = 8
"""Occurrences of a query term that are added one by one; bounds the cost of a query of one repeated word."""


class BM25(SparseRetriever):
    """BM25 [bm25] with Lucene's idf and exact document lengths.

    ``score(q, d) = Σ_t qtf · ln(1 + (N − df + ½)/(df + ½)) · tf / (tf + k1·(1 − b + b·dl/avgdl))``, where qtf
    is the frequency of the term in the query. `k1` and `b` are free at search time: the index keeps raw frequencies.

    Args:
        index: the sparse index.
        k1: saturation of term frequency, at least 0.
        b: length normalisation, from 0 to 1.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range.
    """

    name = "bm25"
    index: SparseIndex

    def __init__(self, index: SparseIndex, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> None:
        check_number("bm25", "k1", k1, low=0)
        check_number("bm25", "b", b, low=0, high=1)
        check_number("bm25", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.k1 = k1
        self.b = b
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        return f"bm25({self.index.analyzer.name}, k1={self.k1:g}, b={self.b:g})"

    def weighting(self, segment: Segment) -> Weigher:
        """Return the function to idf times saturated frequency."""
        index, frequencies = self.index, segment.columns["frequencies"]
        norm = bm25_norm(segment.lengths, index.lengths, self.k1, self.b)
        idf = segment.of_terms(lucene_idf(len(index), index.df))
        return bm25_weigher(segment.indptr, segment.documents, frequencies, norm, idf)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return each term as often as the query holds it, with weight 1.

        Adding a weight twice rounds differently from adding its double; other libraries add each occurrence. A term
        that occurs more than `_ADDED` times is added once, with its frequency as weight.
        """
        added = tf <= _ADDED
        times = np.where(added, tf, 1)
        return np.repeat(terms, times), np.repeat(np.where(added, 1, tf), times).astype(np.float32)


@parameters_of(BM25, without=["index"])
def bm25(collection: Any, *, analyzer: str = "auto", **params: Any) -> BM25:
    """BM25 over the terms of `analyzer`: ``bm25(analyzer="char2", k1=1.5, b=0.75)``.

    Args:
        analyzer: the terms: ``auto``, ``word``, ``char2``, ``jamo3``, or an analyzer of a plugin, also with parameters.
    """
    return BM25(collection.sparse(analyzer), **params)


Idf = Literal["lucene", "sklearn"]


class TFIDF(SparseRetriever):
    """Cosine of TF-IDF vectors with logarithmic term frequency.

    A term weighs ``(1 + ln tf)·idf`` in query and document alike, and both vectors are scaled to length 1; the
    query's length counts its terms that the collection knows. Scores lie in [0, 1]. With ``idf="sklearn"`` they are
    the scores of scikit-learn's ``TfidfVectorizer(sublinear_tf=True)`` over the same terms, also with `min_df` and
    `max_df`: terms outside are 0 in all vectors.

    Args:
        index: the sparse index.
        idf: ``lucene``, ``ln(1 + (N − df + ½)/(df + ½))`` as in BM25; or ``sklearn``,
            ``ln((1 + N)/(1 + df)) + 1``, which keeps the weight of a frequent term from vanishing.
        num_results: results a query, at least 1.
        min_df: number of documents that must hold a term for it to count, at least 1.
        max_df: largest share of the documents that may hold a term for it to count, from 0 to 1.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    name = "tfidf"
    index: SparseIndex

    def __init__(
        self,
        index: SparseIndex,
        idf: Idf = "lucene",
        num_results: int = 1000,
        min_df: int = 1,
        max_df: float = 1.0,
    ) -> None:
        check_choice("tfidf", "idf", idf, get_args(Idf))
        check_number("tfidf", "num_results", num_results, low=1, integer=True)
        check_number("tfidf", "min_df", min_df, low=1, integer=True)
        check_number("tfidf", "max_df", max_df, low=0, high=1)
        self.index = index
        self.idf = idf
        self.num_results = num_results
        self.min_df = min_df
        self.max_df = max_df

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        limits = [f"min_df={self.min_df}"] * (self.min_df > 1) + [f"max_df={self.max_df:g}"] * (self.max_df < 1)
        return f"tfidf({', '.join([self.index.analyzer.name, f'idf={self.idf}', *limits])})"

    def _idf_of(self, df: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        formula, n = lucene_idf if self.idf == "lucene" else sklearn_idf, len(self.index)
        return np.where((df >= self.min_df) & (df <= self.max_df * n), formula(n, df), 0.0)

    def weighting(self, segment: Segment) -> npt.NDArray[np.float32]:
        """Return the cosine weight of each posting; [p]."""
        frequencies, idf = segment.columns["frequencies"], segment.of_terms(self._idf_of(self.index.df))
        return tfidf_weights(segment.indptr, segment.documents, frequencies, segment.lengths, idf)

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the query vector, scaled to length 1."""
        raw = (1 + np.log(tf)) * self._idf_of(self.index.df[terms])
        return terms, (raw / (np.sqrt(np.square(raw).sum()) or 1.0)).astype(np.float32)

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Return the cosine of every document with one query; [n]."""
        # Rounding may lift the cosine of equal vectors above 1.
        return np.minimum(super().scores(query), np.float32(1))


@parameters_of(TFIDF, without=["index"])
def tfidf(collection: Any, *, analyzer: str = "auto", **params: Any) -> TFIDF:
    """TF-IDF with cosine over the terms of `analyzer`: ``tfidf(analyzer="char2", idf="sklearn")``.

    Args:
        analyzer: the terms: ``auto``, ``word``, ``char2``, ``jamo3``, or an analyzer of a plugin, also with parameters.
    """
    return TFIDF(collection.sparse(analyzer), **params)
