"""A sparse retriever as a transformer: queries in, ranked documents out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.columns import drop_results, empty_like, require_texts
from legalir.explanation import Explanation, Upstream
from legalir.index.analyzed import TermIndex
from legalir.retrieve.cutoff import Cuttable
from legalir.retrieve.explained import explain_terms
from legalir.retrieve.results import results_frame
from legalir.retrieve.scorer import SparseScorer
from legalir.retrieve.scoring import ScoredPostings, top_k

__all__ = ["SparseRetriever"]


class SparseRetriever(Cuttable):
    """Scores the documents of an index by the terms they share with a query.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns,
    then ``docno, score, rank``. Documents that share no term are not returned; a query without terms returns
    no rows.
    """

    index: TermIndex
    num_results: int

    def posting_weights(self) -> npt.NDArray[np.float32]:
        """Return the weight of every posting; [P]."""
        raise NotImplementedError

    def query_vector(
        self, terms: npt.NDArray[np.int64], tf: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the terms to add up, each as often as it is to be added, and their weights; [q], float32 [q].

        Args:
            terms: distinct term numbers.
            tf: how often the query holds each.
        """
        raise NotImplementedError

    _weighted: tuple[str, ScoredPostings] | None = None

    def postings(self) -> ScoredPostings:
        """Return the weighted postings, made when first asked for."""
        index = self.index
        build = index.manifest.data
        # The index may have been built anew since the last query; its old weights fit nothing then.
        if self._weighted is None or self._weighted[0] != build:
            weights = self.posting_weights()
            self._weighted = build, ScoredPostings(index.indptr, index.documents, weights, len(index))
        return self._weighted[1]

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Return the score of every document for one query; [n]."""
        return self.postings().scores(*self.query_vector(*self.known_terms(query)))

    def known_terms(self, query: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the terms of a query that the index knows, and how often the query holds each; [q], [q]."""
        counts = Counter(self.index.analyzer.terms(query))
        found = {self.index.terms.find(term): tf for term, tf in counts.items()}
        found.pop(-1, None)
        terms = np.fromiter(found, dtype=np.int64, count=len(found))
        return terms, np.fromiter(found.values(), dtype=np.int64, count=len(found))

    def best(self, query: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the numbers of the best documents, best first, and their scores."""
        scores = self.scores(query)
        best = top_k(scores, self.index.order, self.num_results)
        return best, scores[best]

    def scorer(self) -> SparseScorer:
        """Return the transformer that scores given documents as this retriever does."""
        return SparseScorer(self)

    def occurrences(self, term: int, posting: int) -> dict[str, object]:
        """Return what an explanation says of a posting: ``in_document``, ``documents`` that hold the term, and more."""
        return self.index.occurrences(term, posting)

    @property
    def label(self) -> str:
        """The retriever as in an expression, with what its scores depend on."""
        raise NotImplementedError

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each term of the query adds to the scores of `docnos`."""
        query = drop_results(inp)["query"].iloc[0]
        found = set(self.index.docnos[self.best(query)[0]])
        return explain_terms(self, query, [docno for docno in docnos if docno in found])

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of every query.

        Raises:
            ComponentError: a query is no string.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = drop_results(inp)
        require_texts(queries, type(self).__name__)
        found = [self.best(query) for query in queries["query"]]
        return results_frame(queries, found, self.index.docnos)
