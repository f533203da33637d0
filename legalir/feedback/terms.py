"""Rocchio feedback over weighted terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.analysis.readable import readable
from legalir.columns import drop_results, require_texts
from legalir.component import check_number
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, result_scores
from legalir.feedback.arithmetic import TermVector, moved_terms, rows_of_postings
from legalir.feedback.base import Feedback, Mode, check_parameters
from legalir.index.docnos import Docnos
from legalir.retrieve.results import Found
from legalir.retrieve.retriever import SparseRetriever
from legalir.retrieve.scorer import PairScorer
from legalir.retrieve.scoring import top_k

__all__ = ["TermRocchio", "TermScorer"]


class TermRocchio(Feedback):
    """Pseudo-relevance feedback on a sparse index: ``q' = α·q + β·|q|·mean(first k documents)``.

    A document is its weights under the retriever (of BM25 or of TF-IDF), scaled to length 1; q is the query as the
    retriever weighs it, and q' is scaled to the same length. So β = 0 gives the retriever's own scores, and over
    TF-IDF with ``terms=None`` this is Rocchio on vectors, and its scores are cosines.

    Columns in: ``qid, query, docno, score``. Columns out: in mode ``full``, which searches the whole collection with
    q', the query columns, ``docno, score, rank``; in mode ``candidate``, which scores the given documents anew, those
    that came in. Both with ``query_toks``, a dict of the terms of q' and their weights.

    Args:
        retriever: BM25 or TF-IDF.
        alpha: weight of the query, at least 0.
        beta: weight of the feedback, at least 0.
        k: results taken as relevant, at least 1; a shorter list gives all it has.
        mode: ``full`` or ``candidate``.
        terms: so many terms are added at most, the heaviest; None adds all, which is slow.
        num_results: results a query in mode ``full``.

    Raises:
        ComponentError: a parameter is out of range.
    """

    moved = "query_toks"

    def __init__(
        self,
        retriever: SparseRetriever,
        alpha: float = 0.3,
        beta: float = 0.7,
        k: int = 15,
        mode: Mode = "full",
        terms: int | None = 100,
        num_results: int = 1000,
    ) -> None:
        check_parameters(alpha, beta, k, mode, num_results)
        if terms is not None:
            check_number("rocchio", "terms", terms, low=0, integer=True)
        if not isinstance(retriever, SparseRetriever):
            raise ComponentError(f"rocchio: {type(retriever).__name__} is no sparse retriever.")
        self.retriever = retriever
        self.alpha = alpha
        self.beta = beta
        self.k = k
        self.mode = mode
        self.terms = terms
        self.num_results = num_results

    @property
    def label(self) -> str:
        """The component as in an expression, with what its scores depend on."""
        return f"rocchio(alpha={self.alpha:g}, beta={self.beta:g}, k={self.k}, terms={self.terms})"

    def scorer(self) -> TermScorer:
        """Return the transformer that scores given documents; it reads q' from ``query_toks``."""
        return TermScorer(self.retriever)

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        return self.retriever.index.known

    def move(self, queries: pd.DataFrame, feedback: list[npt.NDArray[np.int64]]) -> list[dict[str, float]]:
        """Return q' of each query."""
        require_texts(queries, type(self).__name__)
        index = self.retriever.index
        wanted, place = np.unique(np.concatenate(feedback), return_inverse=True)
        weights = self.retriever.postings().weights
        rows = rows_of_postings(index.indptr, index.documents, weights, wanted, len(index))
        places = np.split(place, np.cumsum([len(numbers) for numbers in feedback])[:-1])
        moved = []
        for text, chosen in zip(queries["query"], places, strict=True):
            vector = moved_terms(self.query(text), _mean([rows[i] for i in chosen]), self.alpha, self.beta, self.terms)
            moved.append({index.terms[term]: weight for term, weight in vector.items()})
        return moved

    def query(self, text: str) -> TermVector:
        """Return the query as the retriever weighs it."""
        vector: defaultdict[int, float] = defaultdict(float)
        for term, weight in zip(*self.retriever.query_vector(*self.retriever.known_terms(text)), strict=True):
            vector[int(term)] += float(weight)
        return vector

    def find(self, moved: list[dict[str, float]]) -> list[Found]:
        """Return the documents of the greatest scores for each q'."""
        found = []
        for vector in moved:
            scores = term_scores(self.retriever, vector)
            best = top_k(scores, self.retriever.index.order, self.num_results)
            found.append((best, scores[best]))
        return found

    def rescore(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the scores of given documents under q'."""
        return self.scorer().transform(rows)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each term of q' adds to the scores of `docnos`, and whether it is the query's or was added."""
        out = self.transform(inp)
        scores = result_scores(out, docnos)
        if not scores:
            return {}
        index = self.retriever.index
        own = self.query(drop_results(inp)["query"].iloc[0])
        numbers = self.known().numbers(scores)
        rows = rows_of_postings(index.indptr, index.documents, self.retriever.postings().weights, numbers, len(index))
        moved = {index.terms.find(term): weight for term, weight in out[self.moved].iloc[0].items()}
        found = {}
        for docno, (terms, weights) in zip(scores, rows, strict=True):
            parts = []
            for term, weight in zip(terms.tolist(), weights.tolist(), strict=True):
                if term in moved:
                    text, kind = index.terms[term], "of the query" if term in own else "added"
                    detail = {"term": text, "added": term not in own}
                    parts.append(Part(f"{readable(text)} ({kind})", moved[term] * weight, detail=detail))
            parts.sort(key=lambda part: (-part.value, part.label))
            found[docno] = Explanation(docno, scores[docno], self.label, tuple(parts))
        return found


class TermScorer(PairScorer):
    """Scores given documents by the terms of ``query_toks``, each weighed as the dict says.

    Columns in: ``qid, query_toks, docno``. Columns out: the same, ``score`` and ``rank``.

    Args:
        retriever: weighs the terms in the documents.
    """

    def __init__(self, retriever: SparseRetriever) -> None:
        self.retriever = retriever

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of a frame."""
        pt.validate.columns(inp, includes=["qid", "query_toks", "docno"])

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        return self.retriever.index.known

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.floating]:
        """Return the sum over the terms that query and document share."""
        scores = np.empty(len(documents), dtype=np.float32)
        bounds = np.searchsorted(query, np.arange(len(queries) + 1))
        for vector, first, last in zip(queries["query_toks"], bounds, bounds[1:], strict=False):
            scores[first:last] = term_scores(self.retriever, vector)[documents[first:last]]
        return scores


def term_scores(retriever: SparseRetriever, vector: dict[str, float]) -> npt.NDArray[np.float32]:
    """Return the score of every document for weighted terms, [n]; a term that the index lacks counts nothing."""
    numbers = {retriever.index.terms.find(term): weight for term, weight in vector.items()}
    numbers.pop(-1, None)
    terms = np.fromiter(numbers, dtype=np.int64, count=len(numbers))
    return retriever.postings().scores(terms, np.fromiter(numbers.values(), dtype=np.float32, count=len(numbers)))


def _mean(rows: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]) -> TermVector:
    """Return the mean of rows of weighted terms, each scaled to length 1."""
    total: defaultdict[int, float] = defaultdict(float)
    for terms, weights in rows:
        wide = weights.astype(np.float64)
        scaled = wide / (np.sqrt(np.square(wide).sum()) or 1.0) / len(rows)
        for term, weight in zip(terms.tolist(), scaled.tolist(), strict=True):
            total[term] += weight
    return total
