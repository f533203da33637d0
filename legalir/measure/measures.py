"""The measures MultiHitRate, MultiMRR and MicroR [nitibench], in the terms of ``ir_measures``.

MicroR is a micro-average, which needs numerators and denominators, but evaluation tools pass one float for each query
and measure, and average in two ways: ``ir_measures`` feeds the values to the measure's aggregator, whereas
``pt.Experiment`` adds them up and divides by the number of queries. A :class:`Share` is right in both:

- it is a float of value hits/relevant for significance tests, tables and CSV files;
- it gives its two counts to :class:`PooledAgg`;
- ``+`` pools the counts, so that the sum of n shares divided by n is Σhits/Σrelevant, exactly.

A share that has gone through numpy or a file is a float like any other, and the mean of such floats is the mean of the
recalls: take averages of MicroR from ``pt.Experiment`` or ``ir_measures``, not from a column of per-query values.
"""

from __future__ import annotations

import math
from typing import Self, SupportsFloat

from ir_measures.measures import Measure, ParamInfo
from ir_measures.measures.base import Agg

from legalir.errors import MeasureError


class Share(float):
    """`hits` of `relevant`, as a float; 0 of 0 is `empty`.

    ``+`` of shares gives their sum with the pooled counts and the number of shares; ``/`` of that sum by that number
    gives the pooled share. All other arithmetic uses floats.

    A value that may be undefined is a share, too: `value` of 1 where it is defined, 0 of 0 with `empty` NaN where it
    is not. The pooled share is the mean of the defined values.
    """

    hits: float
    relevant: int
    count: int
    empty: float
    __slots__ = ("count", "empty", "hits", "relevant")

    def __new__(
        cls, hits: float, relevant: int, count: int = 1, total: float | None = None, empty: float = 0.0
    ) -> Self:
        """Make the share of one query; `count` and `total` are for sums."""
        value = (hits / relevant if relevant else empty) if total is None else total
        share = super().__new__(cls, value)
        share.hits, share.relevant, share.count, share.empty = hits, relevant, count, empty
        return share

    def __getnewargs__(self) -> tuple[float, int, int, float, float]:  # type: ignore[override]
        return self.hits, self.relevant, self.count, float(self), self.empty

    def __add__(self, other: SupportsFloat) -> float:
        if isinstance(other, Share):
            return Share(
                self.hits + other.hits,
                self.relevant + other.relevant,
                self.count + other.count,
                float(self) + float(other),
                self.empty,
            )
        # Sums begin with the number 0.
        return self if other == 0 else float(self) + float(other)

    __radd__ = __add__

    def __truediv__(self, other: float) -> float:
        if other == self.count:
            return self.hits / self.relevant if self.relevant else self.empty
        return float(self) / other


class PooledAgg(Agg):
    """Aggregator of ``ir_measures`` that gives Σhits/Σrelevant; NaN without values, as the mean.

    Args:
        name: name of the measure, for messages.
        empty: the result where all shares are 0 of 0.
    """

    def __init__(self, name: str = "MicroR", empty: float = 0.0) -> None:
        self.name, self.empty = name, empty
        self.hits, self.relevant, self.count = 0.0, 0, 0

    def add(self, value: float) -> None:
        """Add the value of one query.

        Raises:
            MeasureError: the value is a plain number, which has no denominator.
        """
        if not isinstance(value, Share):
            raise MeasureError(
                f"{self.name} pools counts, such as hits and relevant documents, and got the number {value!r}: "
                f"compute it from judgements and run, with ir_measures or pt.Experiment."
            )
        self.hits += value.hits
        self.relevant += value.relevant
        self.count += 1

    def result(self) -> float:
        """Return the pooled share of the values."""
        if not self.count:
            return math.nan
        return self.hits / self.relevant if self.relevant else self.empty


_POSITIVE = range(1, 2**31)


def _parameters(*, cutoff_required: bool) -> dict[str, ParamInfo]:
    """Describe ``cutoff`` (k, number of results of each query that count) and ``rel`` (the lowest relevant label)."""
    cutoff = ParamInfo(  # type: ignore[no-untyped-call]
        dtype=int, required=cutoff_required, choices=_POSITIVE, desc="ranking cutoff threshold"
    )
    rel = ParamInfo(  # type: ignore[no-untyped-call]
        dtype=int, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
    )
    return {"cutoff": cutoff, "rel": rel}


class _MicroR(Measure):
    """Σ|T∩R^k| / Σ|T| over queries [nitibench] (eq. 3 without its stray 1/N); of one query recall, a :class:`Share`."""

    __name__ = "MicroR"
    NAME = __name__
    PRETTY_NAME = "Micro-averaged Recall at k"
    SHORT_DESC = "The share of the relevant documents of all queries that is retrieved in their top k results."
    SUPPORTED_PARAMS = _parameters(cutoff_required=True)
    DEFAULT = Share(0, 0)

    def aggregator(self) -> PooledAgg:
        """Return the aggregator that sums hits and relevant documents before it divides."""
        return PooledAgg()


MicroR = _MicroR()  # type: ignore[no-untyped-call]


class _MultiHitRate(Measure):
    """1 if every relevant document of a query is in its top k, else 0 [nitibench] (MultiHR)."""

    __name__ = "MultiHitRate"
    NAME = __name__
    PRETTY_NAME = "Multi Hit Rate at k"
    SHORT_DESC = "An indicator if all relevant documents are retrieved in the top k results."
    SUPPORTED_PARAMS = _parameters(cutoff_required=True)


MultiHitRate = _MultiHitRate()  # type: ignore[no-untyped-call]


class _MultiMRR(Measure):
    """(1/|T|)·Σ_j 1/(r_j - j + 1), r_j the rank of the j-th relevant document within k [nitibench]."""

    __name__ = "MultiMRR"
    NAME = __name__
    PRETTY_NAME = "Multi Mean Reciprocal Rank"
    SHORT_DESC = "The reciprocal ranks of all relevant documents, each relieved of those ranked before it."
    SUPPORTED_PARAMS = _parameters(cutoff_required=False)


MultiMRR = _MultiMRR()  # type: ignore[no-untyped-call]
