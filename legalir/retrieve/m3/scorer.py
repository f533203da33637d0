"""Scoring of given documents by the heads of BGE-M3, from what is stored of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.columns import drop_results, require_texts
from legalir.encode.m3.heads import WEIGHTS, combined
from legalir.explanation import Explanation, Upstream
from legalir.index.docnos import Docnos
from legalir.retrieve.m3.explained import explain_heads
from legalir.retrieve.m3.heads import Heads
from legalir.retrieve.m3.index import M3Index
from legalir.retrieve.scorer import PairScorer

__all__ = ["M3Scorer"]


class M3Scorer(PairScorer):
    """Scores given documents by the heads of BGE-M3: ``Σ_h w_h · s_h / Σ_h w_h``; no text of theirs is encoded.

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``; a score that was there before is
    replaced.

    Args:
        index: the index.
        weights: what each head counts; by default ``{"dense": 0.4, "sparse": 0.2, "multi": 0.4}``. A head that is not
            named counts nothing, and is not computed.

    Raises:
        ComponentError: the weights are no such mapping, or the index does not hold a head.
    """

    def __init__(self, index: M3Index, weights: Mapping[str, float] | None = None) -> None:
        self.index = index
        self.weights = index.check_weights("m3", WEIGHTS if weights is None else weights)

    label = "m3"

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        return self.index.known

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return the score of each pair."""
        require_texts(queries, type(self).__name__)
        self.index.check_weights("m3", self.weights)
        heads = Heads(self.index, self.index.represent_queries(queries["query"].tolist(), self.weights))
        scores = {head: heads.pairs(head, query, documents).astype(np.float64) for head in self.weights}
        return combined(scores, self.weights)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return what each head adds to the scores of `docnos`, and what makes up the score of the sparse one."""
        given = set(inp["docno"])
        query = drop_results(inp)["query"].iloc[0]
        return explain_heads(self, query, [docno for docno in docnos if docno in given])
