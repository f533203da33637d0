"""What retrievers by BGE-M3's heads have in common; they differ in which documents they find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from legalir.columns import drop_results, empty_like, require_texts
from legalir.explanation import Explanation, Upstream
from legalir.retrieve.cutoff import Cuttable
from legalir.retrieve.m3.explained import explain_heads
from legalir.retrieve.m3.heads import Heads
from legalir.retrieve.m3.index import M3Index
from legalir.retrieve.m3.scorer import M3Scorer
from legalir.retrieve.results import Found, asked_only, results_frame

__all__ = ["HeadSearch"]


class HeadSearch(Cuttable):
    """From frames of queries to frames of results; a subclass says what is found.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``. A query of white space finds nothing.
    """

    index: M3Index
    label: Any
    """The retriever as in an expression."""
    weights: Any
    """What each head that counts counts, by its name."""

    def best(self, heads: Heads, queries: int) -> list[Found]:
        """Return the best documents of each of so many queries."""
        raise NotImplementedError

    def scorer(self) -> M3Scorer:
        """Return the transformer that scores given documents as this retriever does."""
        return M3Scorer(self.index, self.weights)

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of every query.

        Raises:
            ArtifactError: the index was made by another encoder.
            ComponentError: a query is no string.
            ModelError: the model cannot be found, read, or computed with.
        """
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = drop_results(inp)
        require_texts(queries, type(self).__name__)
        weights: Mapping[str, float] = self.weights
        self.index.check_weights(self.label, weights)
        represented = self.index.represent_queries(queries["query"].tolist(), weights)
        found = self.best(Heads(self.index, represented), len(queries))
        return results_frame(queries, asked_only(queries, found), self.index.docnos)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each head adds to the scores of `docnos`; of the sparse one, each shared token."""
        found = set(self.transform(inp)["docno"])
        query = drop_results(inp)["query"].iloc[0]
        return explain_heads(self, query, [docno for docno in docnos if docno in found])
