"""The three heads of BGE-M3 together: candidates of two, rescored by all."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from legalir.component import check_number
from legalir.encode.m3.heads import WEIGHTS, combined
from legalir.errors import ComponentError
from legalir.retrieve.m3.blocks import Ints
from legalir.retrieve.m3.heads import Heads
from legalir.retrieve.m3.index import M3Index
from legalir.retrieve.m3.searching import HeadSearch
from legalir.retrieve.results import Found

__all__ = ["M3Retriever", "check_candidates"]

_DRAWING = ("dense", "sparse")
"""Heads that find documents without looking at all the vectors of all of them."""


def check_candidates(weights: Mapping[str, float]) -> None:
    """Check that a head that counts finds candidates.

    Raises:
        ComponentError: none does.
    """
    if not set(_DRAWING) & set(weights):
        raise ComponentError(
            "m3: weights name no head that finds candidates: give dense or sparse a weight as well, or search by "
            "multi alone with m3_multi, which looks at all vectors of all provisions."
        )


class M3Retriever(HeadSearch):
    """Finds documents by the dense and the sparse head, and scores what either found by all heads, exactly.

    ``score(q, d) = Σ_h w_h · s_h(q, d) / Σ_h w_h``, with the scores of the heads as in
    :mod:`legalir.encode.m3.arithmetic` (Chen et al. 2024, section 3.2). A head without a weight is not computed, and
    finds nothing.

    Columns in: ``qid, query``; of result rows only their queries are used. Columns out: the query columns, then
    ``docno, score, rank``.

    Args:
        index: the index.
        weights: what each head counts, such as ``{"dense": 0.4, "sparse": 0.2, "multi": 0.4}``, which is the default
            (Akarajaradwong et al., *NitiBench*, 2025); a head that is not named counts nothing.
        k: documents that each of ``dense`` and ``sparse`` finds, at least 1; at most twice as many are scored.
        num_results: results a query, at least 1.

    Raises:
        ComponentError: a parameter is out of range, the index does not hold a head, or no head that counts finds any.
    """

    def __init__(
        self, index: M3Index, weights: Mapping[str, float] | None = None, k: int = 100, num_results: int = 1000
    ) -> None:
        check_number("m3", "k", k, low=1, integer=True)
        check_number("m3", "num_results", num_results, low=1, integer=True)
        self.index = index
        self.weights = index.check_weights("m3", WEIGHTS if weights is None else weights)
        self.k = k
        self.num_results: int = num_results
        check_candidates(self.weights)

    label = "m3"

    def best(self, heads: Heads, queries: int) -> list[Found]:
        """Return the best documents of each query."""
        drawn: list[list[Ints]] = [[np.zeros(0, dtype=np.int64)] for _ in range(queries)]
        for head in _DRAWING:
            if head in self.weights:
                for candidates, (documents, _) in zip(drawn, heads.best(head, self.k), strict=True):
                    candidates.append(documents)
        unions = [np.unique(np.concatenate(candidates)) for candidates in drawn]
        query = np.repeat(np.arange(queries), [len(union) for union in unions])
        documents = np.concatenate(unions)
        scores = combined(
            {head: heads.pairs(head, query, documents).astype(np.float64) for head in self.weights}, self.weights
        )
        order = np.lexsort((self.index.known.order[documents], -scores, query))
        bounds = np.searchsorted(query, np.arange(queries + 1))
        runs = [order[first : min(first + self.num_results, last)] for first, last in pairwise(bounds)]
        return [(documents[run], scores[run]) for run in runs]
