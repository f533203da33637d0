"""The sparse index, memory-mapped postings of a collection under one analyzer, with its retrievers BM25 and TF-IDF.

Files of a build: the string table ``terms``, the docnos (see :mod:`legalir.storage.strings`), and ``indptr.npy``,
``documents.npy``, ``frequencies.npy``, ``lengths.npy`` (see :class:`~legalir.lexical.postings.PostingsWriter`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from legalir.analysis.analyzer import Analyzer, count_terms
from legalir.analysis.auto import recognized
from legalir.analysis.language import scripts
from legalir.frames.component import check_choice, check_number
from legalir.lexical.postings import PostingsWriter
from legalir.lexical.retriever import SparseRetriever
from legalir.lexical.term_index import TermIndex
from legalir.lexical.weights import Weigher, bm25_weigher, lucene_idf, sklearn_idf, tfidf_weights
from legalir.plugins import parameters_of
from legalir.storage.artifact import building
from legalir.storage.documents import INDEXED_TEXT, document_batches
from legalir.storage.strings import write_docnos, write_strings
from legalir.storage.validity import dated


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
    version = 1

    def index(  # type: ignore[override]  # unknown arguments are mistakes, not to be swallowed
        self, iter: Iterable[Mapping[str, Any]], *, corpus: str = ""
    ) -> Self:
        """Build the index, replacing one that stands at the path only when the new one is whole.

        Args:
            iter: documents with ``docno`` (or ``doc_id``), ``text`` and, if there is one, ``title``.
            corpus: fingerprint of the collection, kept in the manifest.

        Raises:
            ArtifactError: the files cannot be written, or something else is at the path.
            ComponentError: a docno is missing or occurs twice, or a text is not a string.
        """
        with (
            building(self.directory, self.kind, self.version) as (data, facts),
            tempfile.TemporaryDirectory(prefix=".spill-", dir=data.parent) as spill,
        ):
            facts.update(_write(dated(iter, data), self._asked, data, Path(spill)))
            facts["corpus"] = corpus
        self.forget()
        return self

    @property
    def frequencies(self) -> npt.NDArray[np.unsignedinteger[Any]]:
        """Term frequency of each posting, unsigned [P]."""
        return self.arrays["frequencies"]

    @property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Number of term occurrences in each document, int32 [n]."""
        return self.arrays["lengths"]

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return the frequency of the term of a posting ``in_document``, and its number of ``documents``."""
        documents = int(self.indptr[term + 1] - self.indptr[term])
        return {"in_document": int(self.frequencies[posting]), "documents": documents}

    def index_inputs(self) -> list[list[str]]:
        """Return the columns that :meth:`index` needs, for PyTerrier's inspection."""
        return [["docno", "text"]]

    def bm25(self, k1: float = 0.9, b: float = 0.4, num_results: int = 1000) -> BM25:
        """Return a BM25 retriever; `k1` and `b` need no new index."""
        return BM25(self, k1=k1, b=b, num_results=num_results)

    def tfidf(self, num_results: int = 1000, idf: Idf = "lucene") -> TFIDF:
        """Return a TF-IDF retriever with cosine scores."""
        return TFIDF(self, idf=idf, num_results=num_results)


def _write(
    documents: Iterable[Mapping[str, Any]], analyzer: Analyzer | None, data: Path, spill: Path
) -> dict[str, Any]:
    """Write the files of an index into `data`; return the facts for its manifest."""
    writer = PostingsWriter(spill)
    docnos: list[str] = []
    letters: dict[str, float] = {}
    for batch, texts in document_batches(documents):
        docnos += batch
        analyzer = analyzer or recognized(texts)
        letters = letters or scripts(texts)
        writer.add(count_terms(analyzer, texts))
    assert analyzer is not None  # there is one batch at least
    write_docnos(data, docnos)
    vocabulary = writer.finish(data)
    write_strings(data, "terms", vocabulary)
    return {
        "analyzer": {"name": analyzer.name, "fingerprint": analyzer.fingerprint},
        "scripts": {script: round(share, 4) for script, share in letters.items()},
        "indexed": INDEXED_TEXT,
        "documents": len(docnos),
        "terms": len(vocabulary),
    }


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

    def weighting(self) -> Weigher:
        """Return the function to idf times saturated frequency."""
        index = self.index
        return bm25_weigher(index.indptr, index.documents, index.frequencies, index.lengths, self.k1, self.b)

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
    query's length counts its terms that the collection knows. Scores lie in [0, 1].

    Args:
        index: the sparse index.
        idf: ``lucene``, ``ln(1 + (N − df + ½)/(df + ½))`` as in BM25; or ``sklearn``,
            ``ln((1 + N)/(1 + df)) + 1``, which keeps the weight of a frequent term from vanishing.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    index: SparseIndex

    def __init__(self, index: SparseIndex, idf: Idf = "lucene", num_results: int = 1000) -> None:
        check_choice("tfidf", "idf", idf, get_args(Idf))
        check_number("tfidf", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.idf = idf
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The retriever as in an expression, with the parameters of its scores."""
        return f"tfidf({self.index.analyzer.name}, idf={self.idf})"

    def _idf_of(self, df: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        formula = lucene_idf if self.idf == "lucene" else sklearn_idf
        return formula(len(self.index), df)

    def weighting(self) -> npt.NDArray[np.float32]:
        """Return the cosine weight of each posting; [P]."""
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
        # Rounding may lift the cosine of equal vectors above 1.
        return np.minimum(super().scores(query), np.float32(1))


@parameters_of(TFIDF, without=["index"])
def tfidf(collection: Any, *, analyzer: str = "auto", **params: Any) -> TFIDF:
    """TF-IDF with cosine over the terms of `analyzer`: ``tfidf(analyzer="char2", idf="sklearn")``.

    Args:
        analyzer: the terms: ``auto``, ``word``, ``char2``, ``jamo3``, or an analyzer of a plugin, also with parameters.
    """
    return TFIDF(collection.sparse(analyzer), **params)
