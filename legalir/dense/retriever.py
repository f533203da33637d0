"""Retrieval with a static model, trained by ``legalir train static``.

The vectors of queries: those that a frame brings, or those of its texts.

What makes up a cosine: the terms of the query, where the encoder can tell them apart.

Dense retrieval as transformers: cosine of vectors, for all documents or for given ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.analysis.ngrams import readable
from legalir.dense.approximate import approximate_cosines
from legalir.dense.cosine import best_cosines, pair_cosines
from legalir.encode.contract import TermEncoder
from legalir.encode.lsa import LSA
from legalir.encode.static import static_encoder
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.columns import check_queries, drop_results, empty_like, require_texts
from legalir.frames.component import Component, Cuttable, check_number
from legalir.frames.ranking import results_frame
from legalir.frames.scorer import PairScorer
from legalir.storage.arrays import unit_rows
from legalir.storage.strings import Docnos

if TYPE_CHECKING:
    from legalir.dense.index import DenseIndex

__all__ = [
    "DenseRetriever",
    "DenseScorer",
    "QueryEncoder",
    "dense",
    "explain_cosines",
    "lsa",
    "query_vectors",
    "static",
]


def query_vectors(index: DenseIndex, queries: pd.DataFrame, component: str) -> npt.NDArray[np.float32]:
    """Return the vectors of queries, [m, d], rows of length 1; zeros for a query that says nothing.

    Args:
        index: the dense index.
        queries: one row a query, with ``query_vec`` or ``query``.
        component: for messages.

    Raises:
        ComponentError: a vector does not fit the index, a query is no string, or there is no encoder for it.
    """
    if "query_vec" in queries.columns:
        return unit_rows(np.stack([_checked(index, row.qid, row.query_vec, component) for row in queries.itertuples()]))
    encoder = index.encoder
    if encoder is None:
        raise ComponentError(
            f"{component}: {index.path} was imported without an encoder, so queries need a column query_vec: "
            f"add one, or import the vectors with from_vectors(…, encoder=…)."
        )
    require_texts(queries, component)
    vectors = encoder.encode_queries(queries["query"].tolist())
    if vectors.shape != (len(queries), index.dimensions):
        raise ComponentError(
            f"{component}: the encoder {encoder.name!r} made vectors of shape {list(vectors.shape)}, and "
            f"{index.path} needs {[len(queries), index.dimensions]}: use the encoder that made the index."
        )
    return vectors


def _checked(index: DenseIndex, qid: object, vector: object, component: str) -> npt.NDArray[np.float64]:
    try:
        numbers = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(())
    if numbers.shape != (index.dimensions,):
        raise ComponentError(
            f"{component}: the query_vec of {qid!r} has shape {list(numbers.shape)}, and {index.path} has vectors of "
            f"{index.dimensions} numbers: drop the column query_vec, or make it with this index's query_encoder()."
        )
    if not np.isfinite(numbers).all():
        raise ComponentError(f"{component}: the query_vec of {qid!r} holds a NaN or an infinity.")
    return numbers


def explain_cosines(retriever: DenseRetriever, query: pd.DataFrame, docnos: Sequence[str]) -> dict[str, Explanation]:
    """Return what the terms of a query add to its cosines with `docnos`.

    Args:
        retriever: the retriever.
        query: one row.
        docnos: documents of the index.
    """
    index = retriever.index
    numbers = index.docno_table.numbers(docnos)
    vector = query_vectors(index, query, type(retriever).__name__)
    scores = pair_cosines(index.vectors, numbers, vector, np.zeros(len(numbers), dtype=np.int64))
    encoder = None if "query_vec" in query.columns else index.encoder
    found = {}
    for docno, number, score in zip(docnos, numbers, scores.tolist(), strict=True):
        if isinstance(encoder, TermEncoder):
            row = index.vectors[number].astype(np.float32)
            added = encoder.contributions(query["query"].iloc[0], row)
            ordered = sorted(added.items(), key=lambda item: (-item[1], item[0]))
            parts = tuple(Part(readable(term), value, detail={"term": term}) for term, value in ordered)
        else:
            parts = (Part("cosine of the query's vector with the provision's", score),)
        found[docno] = Explanation(docno, score, retriever.label, parts, "cosine of vectors")
    return found


class DenseRetriever(Cuttable):
    """Finds the documents whose vectors have the greatest cosine with that of a query.

    All are compared, unless the index holds an approximate search (see :class:`~legalir.DenseIndex`), which finds most
    of the best, and may find less than `num_results`; what it finds has the same scores, and ties are broken alike.

    Columns in: ``qid`` and ``query_vec``, numbers [d] of any length but 0, or else ``query``, which is encoded; of
    result rows only their queries are used. Columns out: the query columns, then ``docno, score, rank``. Scores are
    cosines, from −1 to 1. A query that says nothing to the encoder returns no rows.

    Args:
        index: the dense index.
        num_results: results a query, at least 1.
        exact: compares all documents, also where the index holds an approximate search.
        depth: how many results an approximate search seeks candidates for; None for `num_results`. A rank cutoff that
            becomes part of the retriever leaves it as it was, and so does not change what is found.

    Raises:
        ComponentError: a parameter is out of range.
    """

    def __init__(
        self, index: DenseIndex, num_results: int = 1000, exact: bool = False, depth: int | None = None
    ) -> None:
        check_number("dense", "num_results", num_results, low=1, integer=True)
        if depth is not None:
            check_number("dense", "depth", depth, low=1, integer=True)
        self.index = index
        self.num_results: int = num_results
        self.exact = exact
        self.depth = depth

    def _shown(self) -> dict[str, Any]:
        return {name: value for name, value in super()._shown().items() if value is not None and value is not False}

    def _approximates(self) -> bool:
        return not self.exact and self.index.approximate is not None

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return the retriever that keeps the best `k` itself, of the same candidates; None for none."""
        fused = super().fuse_rank_cutoff(k)
        if fused is not None and fused is not self and self.index.built() and self._approximates():
            fused.depth = self.depth or self.num_results
        return fused

    @property
    def label(self) -> str:
        """The encoder's name, which is that of the retriever in an expression."""
        encoder = self.index.encoder
        return "dense" if encoder is None else encoder.name

    def scorer(self) -> DenseScorer:
        """Return the transformer that scores given documents as this retriever does."""
        return DenseScorer(self.index)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        check_queries(inp)
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of every query.

        Raises:
            ComponentError: a query is no string, or its vector does not fit the index.
        """
        check_queries(inp)
        queries = drop_results(inp)
        index = self.index
        vectors = query_vectors(index, queries, type(self).__name__)
        k, depth = self.num_results, max(self.num_results, self.depth or 0)
        given = index.vectors, index.docno_table.order, vectors, k
        if self._approximates() and depth < len(index):
            found = list(approximate_cosines(index.neighbours, *given, depth))
        else:
            found = list(best_cosines(*given))
        return results_frame(queries, found, index.docnos)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what the terms of the query add to the cosines of `docnos`, where the encoder can say."""
        found = set(self.transform(inp)["docno"])
        return explain_cosines(self, drop_results(inp), [docno for docno in docnos if docno in found])


class DenseScorer(PairScorer):
    """Scores given documents by the cosine of their vectors with that of the query.

    Columns in: ``qid, docno`` and ``query_vec`` or ``query``, as :class:`DenseRetriever` uses them. Columns out: the
    same, ``score`` and ``rank``. A query that says nothing gives all documents 0.

    Args:
        index: the dense index.
    """

    def __init__(self, index: DenseIndex) -> None:
        self.index = index

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of a frame."""
        check_queries(inp, "docno")

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        return self.index.docno_table

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.floating]:
        """Return the cosine of each pair."""
        vectors = query_vectors(self.index, queries, type(self).__name__)
        return pair_cosines(self.index.vectors, documents, vectors, query)


class QueryEncoder(Component):
    """Adds ``query_vec``, the vector of each query, float32 [d], for retrievers of ours and of other packages.

    Columns in: ``qid, query`` and any others. Columns out: the same and ``query_vec``.

    Args:
        index: the dense index whose encoder is used.
    """

    def __init__(self, index: DenseIndex) -> None:
        self.index = index

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return inp.assign(query_vec=pd.Series(dtype=object))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` with vectors.

        Raises:
            ComponentError: a query is no string, or the index has no encoder.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        first, place = np.unique(pd.factorize(inp["query"])[0], return_index=True, return_inverse=True)[1:]
        texts = inp.iloc[first].drop(columns="query_vec", errors="ignore")
        vectors = query_vectors(self.index, texts, type(self).__name__)
        return inp.assign(query_vec=pd.Series([vectors[i] for i in place], index=inp.index, dtype=object))


def dense(
    collection: Any, *, encoder: str = "lsa", num_results: int = 1000, approximate: str | None = None
) -> DenseRetriever:
    """Cosine of the vectors of `encoder`: ``dense(encoder="lsa", num_results=100)``.

    Args:
        encoder: the vectors: ``lsa``, or any encoder of a plugin, also with parameters, as in ``"lsa(dimensions=64)"``.
        num_results: results a query, at least 1.
        approximate: finds most of the best by FAISS, in a fraction of the time: ``hnsw`` or ``ivf``, also with
            parameters, as in ``"hnsw(m=32, ef_construction=200, ef=256)"``; None compares all.
    """
    index = collection.dense(encoder) if approximate is None else collection.dense(encoder, approximate=approximate)
    return DenseRetriever(index, num_results=num_results)


def lsa(collection: Any, *, analyzer: str = "jamo3", dimensions: int = 256, num_results: int = 1000) -> DenseRetriever:
    """Cosine of LSA vectors over the terms of `analyzer`: ``lsa(analyzer="char2", dimensions=512)``.

    Args:
        analyzer: the terms: ``jamo3``, ``char2``, ``word``, or any analyzer of a plugin, also with parameters.
        dimensions: length of a vector, at least 1; shorter where the collection does not have so many directions.
    """
    return DenseRetriever(collection.dense(LSA(analyzer, dimensions)), num_results=num_results)


def static(collection: Any, *, model: str | None = None, num_results: int = 1000) -> DenseRetriever:
    """Cosine of the vectors of a trained static model: ``static(model="FOLDER", num_results=100)``.

    Args:
        model: folder of a model that ``legalir train static`` wrote, or of a ``StaticEmbedding`` of
            sentence-transformers; the name of a model in the collection's folder ``static``; None for the collection's
            own.
        num_results: results a query, at least 1.
    """
    return DenseRetriever(collection.dense(static_encoder(collection, model=model)), num_results=num_results)
