"""A sparse retriever as a transformer: queries in, ranked documents out."""

from __future__ import annotations

import copy
from collections import Counter

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.columns import drop_results, empty_like
from legalir.component import Component
from legalir.errors import ComponentError
from legalir.index.sparse import SparsePostings
from legalir.retrieve.scoring import ScoredPostings, top_k

__all__ = ["SparseRetriever"]


class SparseRetriever(Component):
    """Scores the documents of an index by the terms they share with a query.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns,
    then ``docno, score, rank``. Documents that share no term are not returned; a query without terms returns
    no rows.
    """

    index: SparsePostings
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

    def _postings(self) -> ScoredPostings:
        index = self.index
        build = index.manifest.data
        # The index may have been built anew since the last query; its old weights fit nothing then.
        if self._weighted is None or self._weighted[0] != build:
            weights = self.posting_weights()
            self._weighted = build, ScoredPostings(index.indptr, index.documents, weights, len(index))
        return self._weighted[1]

    def scores(self, query: str) -> npt.NDArray[np.float32]:
        """Return the score of every document for one query; [n]."""
        counts = Counter(self.index.analyzer.terms(query))
        found = {self.index.terms.find(term): tf for term, tf in counts.items()}
        found.pop(-1, None)
        terms = np.fromiter(found, dtype=np.int64, count=len(found))
        tf = np.fromiter(found.values(), dtype=np.int64, count=len(found))
        return self._postings().scores(*self.query_vector(terms, tf))

    def best(self, query: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """Return the numbers of the best documents, best first, and their scores."""
        scores = self.scores(query)
        best = top_k(scores, self.index.order, self.num_results)
        return best, scores[best]

    def fuse_rank_cutoff(self, k: int) -> SparseRetriever:
        """Return a retriever that finds the best `k` itself: what ``retriever % k`` compiles to."""
        if k >= self.num_results:
            return self
        fused = copy.copy(self)
        fused.num_results = k
        return fused

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
        for qid, query in zip(queries["qid"], queries["query"], strict=True):
            if not isinstance(query, str):
                raise ComponentError(f"{type(self).__name__}: the query {query!r} of {qid!r} is not a string.")
        found = [self.best(query) for query in queries["query"]]
        sizes = [len(documents) for documents, _ in found]
        # By position: the index of a frame put together from several repeats its labels.
        out = queries.iloc[np.repeat(np.arange(len(queries)), sizes)].reset_index(drop=True)
        documents = np.concatenate([documents for documents, _ in found])
        out["docno"] = pd.Series(self.index.docnos[documents], dtype=str)
        out["score"] = np.concatenate([scores for _, scores in found]).astype(np.float64)
        out["rank"] = np.concatenate([np.arange(size, dtype=np.int64) for size in sizes])
        return out
