"""Rocchio feedback over vectors (SearchFireSafety, Chae et al.)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from pyterrier import Compose

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, result_scores
from legalir.feedback.arithmetic import moved_vector
from legalir.feedback.base import Feedback, Mode, check_parameters
from legalir.feedback.terms import TermRocchio
from legalir.index.docnos import Docnos
from legalir.retrieve.cosine import best_cosines
from legalir.retrieve.dense import DenseRetriever, DenseScorer
from legalir.retrieve.dense_index import DenseIndex
from legalir.retrieve.explained_vectors import explain_cosines
from legalir.retrieve.query_vectors import check_queries, query_vectors
from legalir.retrieve.results import Found
from legalir.retrieve.retriever import SparseRetriever

__all__ = ["Rocchio", "rocchio"]

_TERMS = 100


class Rocchio(Feedback):
    """Pseudo-relevance feedback on a dense index: ``q' = α·q + β·mean(first k vectors)``.

    Rocchio (1971) without negative feedback, as SearchFireSafety uses it: q and the documents have length 1, and so has
    q', whose cosines are the scores. The first results may come from any retriever.

    Columns in: ``qid, docno, score`` and ``query_vec`` or ``query``. Columns out: in mode ``full``, which searches the
    whole collection with q', the query columns, ``docno, score, rank``; in mode ``candidate``, which scores the given
    documents anew, those that came in. Both with ``query_vec``, which holds q'.

    Args:
        index: the dense index.
        alpha: weight of the query, at least 0.
        beta: weight of the feedback, at least 0.
        k: results taken as relevant, at least 1; a shorter list gives all it has.
        mode: ``full`` or ``candidate``.
        num_results: results a query in mode ``full``.

    Raises:
        ComponentError: a parameter is out of range.
    """

    moved = "query_vec"

    def __init__(
        self,
        index: DenseIndex,
        alpha: float = 0.3,
        beta: float = 0.7,
        k: int = 15,
        mode: Mode = "full",
        num_results: int = 1000,
    ) -> None:
        check_parameters(alpha, beta, k, mode, num_results)
        if not isinstance(index, DenseIndex):
            raise ComponentError(f"rocchio: {type(index).__name__} is no dense index.")
        self.index = index
        self.alpha = alpha
        self.beta = beta
        self.k = k
        self.mode = mode
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The component as in an expression, with what its scores depend on."""
        return f"rocchio(alpha={self.alpha:g}, beta={self.beta:g}, k={self.k})"

    def scorer(self) -> DenseScorer:
        """Return the transformer that scores given documents; it reads q' from ``query_vec``."""
        return DenseScorer(self.index)

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        return self.index.known

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the query."""
        check_queries(inp, "docno", "score")

    def move(self, queries: pd.DataFrame, feedback: list[npt.NDArray[np.int64]]) -> list[npt.NDArray[np.float32]]:
        """Return q' of each query."""
        vectors = query_vectors(self.index, queries, type(self).__name__)
        return [
            moved_vector(vector, self.index.vectors[numbers], self.alpha, self.beta)
            for vector, numbers in zip(vectors, feedback, strict=True)
        ]

    def find(self, moved: list[npt.NDArray[np.float32]]) -> list[Found]:
        """Return the documents of the greatest cosines with each q'."""
        index = self.index
        return list(best_cosines(index.vectors, index.known.order, np.stack(moved), self.num_results))

    def rescore(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the cosines of given documents with q'."""
        return self.scorer().transform(rows)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what the query and each of the first results add to the scores of `docnos`."""
        scores = result_scores(self.transform(inp), docnos)
        queries, (feedback,) = self.feedback(inp)
        query = query_vectors(self.index, queries, type(self).__name__)[0].astype(np.float64)
        near = self.index.vectors[feedback].astype(np.float64)
        length = float(np.linalg.norm(self.alpha * query + self.beta * near.mean(axis=0))) or 1.0
        before = explain_cosines(self.index.retriever(), queries, list(scores))
        found = {}
        for docno, number in zip(scores, self.known().numbers(scores), strict=True):
            vector = self.index.vectors[number].astype(np.float64)
            parts = [Part("like the query", self.alpha / length * float(query @ vector), before[docno])]
            for rank, (seed, cosine) in enumerate(zip(feedback, (near @ vector).tolist(), strict=True), start=1):
                name = str(self.known().array[seed])
                detail = {"docno": name, "rank": rank, "cosine": cosine}
                value = self.beta / len(feedback) / length * cosine
                parts.append(Part(f"like {name}, rank {rank} before", value, detail=detail))
            found[docno] = Explanation(docno, scores[docno], self.label, tuple(parts))
        return found


def rocchio(
    collection: Any,
    *,
    left: pt.Transformer | None = None,
    index: pt.Transformer | None = None,
    alpha: float = 0.3,
    beta: float = 0.7,
    k: int = 15,
    mode: Mode = "full",
    terms: int | None = _TERMS,
    num_results: int = 1000,
) -> Rocchio | TermRocchio:
    """Rocchio feedback over the vectors or terms of the nearest retriever on the left, or of `index`.

    ``lsa >> rocchio``, ``bm25 >> rocchio(alpha=0.8, beta=0.2, terms=50)``, ``rrf(bm25, lsa) >> rocchio(index=lsa)``.

    Args:
        index: the retriever whose vectors or terms are used; None for the nearest on the left.
        mode: ``full`` searches anew with the moved query; ``candidate`` only scores the given list by it.
        terms: for bm25 and tfidf: so many terms are added at most, the heaviest; None adds all, which is slow.
    """
    retriever = _retriever(left if index is None else index)
    if isinstance(retriever, SparseRetriever):
        return TermRocchio(retriever, alpha, beta, k, mode, terms, num_results)
    if isinstance(retriever, DenseRetriever):
        if terms != _TERMS:
            raise ComponentError("rocchio: terms is for bm25 and tfidf: leave it out where vectors are moved.")
        return Rocchio(retriever.index, alpha, beta, k, mode, num_results)
    raise ComponentError(
        "rocchio: no retriever of legalir is on its left, so it knows no index: name one, as in rocchio(index=lsa)."
    )


def _retriever(pipeline: pt.Transformer | None) -> pt.Transformer | None:
    """Return the last retriever of a chain; what stands in a fusion is not looked at."""
    steps = list(pipeline) if isinstance(pipeline, Compose) else [pipeline]
    return next((step for step in reversed(steps) if isinstance(step, SparseRetriever | DenseRetriever)), None)
