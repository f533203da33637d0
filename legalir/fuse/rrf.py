"""Reciprocal rank fusion, plain and weighted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.frames.component import check_number
from legalir.fuse.fuser import Fuser, Lists, checked_weights
from legalir.plugins import parameters_of

_SUM_TOLERANCE = 1e-6


def reciprocal_rank(rank: npt.NDArray[np.int64], k: float) -> npt.NDArray[np.float64]:
    """Return ``1/(k + rank)``; [m]."""
    return 1.0 / (k + rank.astype(np.float64))


class RRF(Fuser):
    """Reciprocal rank fusion [rrf]: ``score(d) = Σ_m 1/(k + rank_m(d))``.

    Ranks are 1-based, although PyTerrier's column ``rank`` begins with 0; a list that lacks d adds nothing.

    Args:
        pipelines: the pipelines to fuse, at least one.
        k: constant that flattens the differences of the first ranks, at least 1.
        num_results: results a query, at least 1; None for all.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    name = "rrf"

    def __init__(self, *pipelines: pt.Transformer, k: float = 60, num_results: int | None = None) -> None:
        self.pipelines = pipelines
        self.num_results = num_results
        self.k = k
        self.check_pipelines()
        check_number(self.name, "k", k, low=1)

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return ``1/(k + rank)`` of each row."""
        return reciprocal_rank(lists.rank, self.k)

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the rank, and the formula with it."""
        rank = int(lists.rank[row])
        return f"rank {rank}: 1/({self.k:g} + {rank})", {"rank": rank, "score": float(lists.score[row]), "k": self.k}


class WeightedRRF(Fuser):
    """Weighted reciprocal rank fusion [searchfiresafety]: ``score(d) = Σ_m w_m/(k + rank_m(d))``.

    Ranks are 1-based; a list that lacks d adds nothing. SearchFireSafety uses k = 5 and the weights 0.1 for its sparse
    and 0.9 for its dense list.

    Args:
        pipelines: the pipelines to fuse, at least one.
        weights: one for each pipeline, none below 0, together 1.
        k: constant that flattens the differences of the first ranks, at least 1.
        num_results: results a query, at least 1; None for all.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    name = "wrrf"

    def __init__(
        self, *pipelines: pt.Transformer, weights: Sequence[float], k: float = 5, num_results: int | None = None
    ) -> None:
        self.pipelines = pipelines
        self.num_results = num_results
        self.check_pipelines()
        self.weights = checked_weights(self.name, weights, len(pipelines))
        self.k = k
        check_number(self.name, "k", k, low=1)
        total = math.fsum(self.weights)
        if min(self.weights) < 0:
            raise ComponentError(f"{self.name}: the weight {min(self.weights):g} is below 0.")
        if abs(total - 1) > _SUM_TOLERANCE:
            raise ComponentError(f"{self.name}: the weights sum to {total:.8g}, not to 1.")

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return ``w/(k + rank)`` of each row."""
        return np.asarray(self.weights)[lists.pipeline] * reciprocal_rank(lists.rank, self.k)

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the rank, and the formula with it."""
        rank, weight = int(lists.rank[row]), self.weights[lists.pipeline[row]]
        detail = {"rank": rank, "score": float(lists.score[row]), "k": self.k, "weight": weight}
        return f"rank {rank}: {weight:g}/({self.k:g} + {rank})", detail


@parameters_of(RRF)
def rrf(collection: Any, *pipelines: pt.Transformer, **params: Any) -> RRF:
    """Reciprocal rank fusion: ``rrf(bm25, lsa, k=60)``."""
    return RRF(*pipelines, **params)


@parameters_of(WeightedRRF)
def wrrf(collection: Any, *pipelines: pt.Transformer, **params: Any) -> WeightedRRF:
    """Weighted reciprocal rank fusion: ``wrrf(bm25, lsa, weights=[0.1, 0.9], k=5)``."""
    return WeightedRRF(*pipelines, **params)
