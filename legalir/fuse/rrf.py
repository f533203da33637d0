"""Fusion of ranks: reciprocal ranks, plain, weighted or squared, and Borda's points.

m is the number of rows of all lists together. Ranks are 1-based, although PyTerrier's column ``rank`` begins with 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Annotated

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.fuse.exact import Floats, added, decimal, quotient
from legalir.fuse.fuser import Fuser, Lists, checked_weights

_SUM_TOLERANCE = 1e-6


def reciprocal_rank(
    rank: npt.NDArray[np.int64], k: float, weight: tuple[Floats, Floats] | None = None
) -> tuple[Floats, Floats]:
    """Return ``w/(k + rank)`` of each row as pairs (:mod:`legalir.fuse.exact`); [m], [m].

    Args:
        rank: [m].
        k: read as the decimal that Python writes for it.
        weight: w of each row as pairs, [m], [m]; None for 1.
    """
    constant, rest = decimal(k)
    denominator, lost = added(np.full(len(rank), constant), rank.astype(np.float64))
    return quotient(weight or (np.ones(len(rank)), np.zeros(len(rank))), (denominator, lost + rest))


class _Reciprocal(Fuser, init=False):
    """Base of the sums of reciprocal ranks: documents whose sums are equal as fractions have equal scores."""

    def shares(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return the part of each row in the score of its document as pairs; [m], [m]."""
        raise NotImplementedError

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return the part of each row, rounded."""
        return self.shares(lists)[0]

    def rests(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return what rounding took from each part."""
        return self.shares(lists)[1]


class RRF(_Reciprocal, init=False):
    """Reciprocal rank fusion [rrf]: ``score(d) = Σ_m 1/(k + rank_m(d))``.

    Ranks are 1-based; a list that lacks d adds nothing. Documents whose sums are equal as fractions are tied.
    """

    name = "rrf"

    _: KW_ONLY
    k: Annotated[float, Ge(1), "constant that flattens the differences of the first ranks"] = 60

    def shares(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return ``1/(k + rank)`` of each row."""
        return reciprocal_rank(lists.rank, self.k)

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the rank, and the formula with it."""
        rank = int(lists.rank[row])
        return f"rank {rank}: 1/({self.k:g} + {rank})", {"rank": rank, "score": float(lists.score[row]), "k": self.k}


class WeightedRRF(_Reciprocal, init=False):
    """Weighted reciprocal rank fusion [searchfiresafety]: ``score(d) = Σ_m w_m/(k + rank_m(d))``.

    Ranks are 1-based; a list that lacks d adds nothing. SearchFireSafety uses k = 5 and the weights 0.1 for its sparse
    and 0.9 for its dense list. Documents whose sums are equal as fractions are tied: 0.1/(5 + 1) is 0.9/(5 + 49).
    """

    name = "wrrf"

    _: KW_ONLY
    weights: Annotated[Sequence[float], "one for each pipeline, none below 0, together 1"]
    k: Annotated[float, Ge(1), "constant that flattens the differences of the first ranks"] = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.weights = checked_weights(self.name, self.weights, len(self.pipelines))
        total = math.fsum(self.weights)
        if min(self.weights) < 0:
            message = f"{self.name}: the weight {min(self.weights):g} is below 0."
            raise ComponentError(message, component=self.name, parameter="weights", value=self.weights)
        if abs(total - 1) > _SUM_TOLERANCE:
            message = f"{self.name}: the weights sum to {total:.8g}, not to 1."
            raise ComponentError(message, component=self.name, parameter="weights", value=self.weights)

    def shares(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return ``w/(k + rank)`` of each row."""
        weight, rest = np.array([decimal(each) for each in self.weights]).T[:, lists.pipeline]
        return reciprocal_rank(lists.rank, self.k, (weight, rest))

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the rank, and the formula with it."""
        rank, weight = int(lists.rank[row]), self.weights[lists.pipeline[row]]
        detail = {"rank": rank, "score": float(lists.score[row]), "k": self.k, "weight": weight}
        return f"rank {rank}: {weight:g}/({self.k:g} + {rank})", detail


class ISR(_Reciprocal, init=False):
    """Inverse square rank [isr]: ``score(d) = n(d) · Σ_m 1/rank_m(d)²``, n(d) the number of lists that have d.

    Ranks are 1-based; a list that lacks d adds nothing. Documents whose scores are equal as fractions are tied.
    """

    name = "isr"

    def shares(self, lists: Lists) -> tuple[Floats, Floats]:
        """Return ``n/rank²`` of each row."""
        nothing = np.zeros(len(lists.rank))
        return quotient((lists.holders.astype(np.float64), nothing), (lists.rank.astype(np.float64) ** 2, nothing))

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the rank, and the formula with it."""
        rank, holders = int(lists.rank[row]), int(lists.holders[row])
        return f"rank {rank}: {holders}/{rank}²", {"rank": rank, "score": float(lists.score[row]), "lists": holders}


class Borda(Fuser, init=False):
    """Borda's count [borda]: of c documents in any list, a list gives its first c points, its second c − 1, and so on.

    A list of l documents divides the points that are left equally among the documents that it lacks: ``(c − l + 1)/2``
    each. These are taken off here, because they are what each document has from a list without it: the score is
    ``Σ_m c + 1 − rank_m(d) − (c − l_m + 1)/2`` over the lists that have d. It is the count less the same number for all
    documents of a query, and above 0.
    """

    name = "borda"

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return the points of each row, minus the points of a document that is missing from its list."""
        candidates, length = _sizes(lists)
        return candidates + 1 - lists.rank - (candidates - length + 1) / 2

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return the rank, and the points."""
        candidates, length = (int(size[row]) for size in _sizes(lists))
        rank, absent = int(lists.rank[row]), (candidates - length + 1) / 2
        detail: dict[str, object] = {"rank": rank, "score": float(lists.score[row])}
        detail |= {"documents": candidates, "length": length}
        return f"rank {rank} of {candidates}: {candidates + 1 - rank} − {absent:g} points", detail


def _sizes(lists: Lists) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the number of documents in any list of the query, and in the list, of each row; [m], [m]."""
    _, pairs = lists.pair
    candidates = np.bincount(pairs // max(1, len(lists.docnos)), minlength=1)
    return candidates[lists.query], np.bincount(lists.group, minlength=1)[lists.group]


rrf = factory_of(RRF, "Reciprocal rank fusion: ``rrf(bm25, lsa, k=60)``.")


wrrf = factory_of(WeightedRRF, "Weighted reciprocal rank fusion: ``wrrf(bm25, lsa, weights=[0.1, 0.9], k=5)``.")


isr = factory_of(ISR, "Inverse square rank: ``isr(bm25, lsa)``.")


borda = factory_of(Borda, "Borda's count: ``borda(bm25, lsa)``.")
