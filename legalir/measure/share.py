"""A share that remembers what it is a share of, so that shares of queries average to the share of all.

A micro-average needs numerators and denominators, but evaluation tools pass one float for each query and
measure, and average in two ways: ``ir_measures`` feeds the values to the measure's aggregator, whereas
``pt.Experiment`` adds them up and divides by the number of queries. A :class:`Share` is right in both:

- it is a float of value hits/relevant to whatever treats it as one: significance tests, tables, CSV files;
- it hands :class:`PooledAgg` its two counts;
- ``+`` pools the counts, so that the sum of n shares divided by n is Σhits/Σrelevant, exactly.

What has gone through numpy or a file is a float like any other, and its mean is the mean of the recalls: take
averages of MicroR from ``pt.Experiment`` or ``ir_measures``, not from a column of per-query values.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, SupportsFloat

from ir_measures.measures.base import Agg

from legalir.errors import MeasureError

if TYPE_CHECKING:
    from typing import Self

__all__ = ["PooledAgg", "Share"]


class Share(float):
    """`hits` of `relevant`, as a float; 0 of 0 is 0.

    ``+`` of shares gives their sum, which remembers the pooled counts and the number of shares; ``/`` of that
    sum by that number gives the pooled share. Any other arithmetic is that of floats.
    """

    hits: int
    relevant: int
    count: int
    __slots__ = ("count", "hits", "relevant")

    def __new__(cls, hits: int, relevant: int, count: int = 1, total: float | None = None) -> Self:
        """Make the share of one query; `count` and `total` are for sums."""
        value = (hits / relevant if relevant else 0.0) if total is None else total
        share = super().__new__(cls, value)
        share.hits, share.relevant, share.count = int(hits), int(relevant), count
        return share

    def __getnewargs__(self) -> tuple[int, int, int, float]:  # type: ignore[override]
        return self.hits, self.relevant, self.count, float(self)

    def __add__(self, other: SupportsFloat) -> float:
        if isinstance(other, Share):
            return Share(
                self.hits + other.hits,
                self.relevant + other.relevant,
                self.count + other.count,
                float(self) + float(other),
            )
        # Sums begin with a zero that is nobody's share.
        return self if other == 0 else float(self) + float(other)

    __radd__ = __add__

    def __truediv__(self, other: float) -> float:
        if other == self.count:
            return self.hits / self.relevant if self.relevant else 0.0
        return float(self) / other


class PooledAgg(Agg):
    """Aggregator of ``ir_measures`` that gives Σhits/Σrelevant; NaN of nothing, as the mean is."""

    def __init__(self) -> None:
        self.hits = self.relevant = self.count = 0

    def add(self, value: float) -> None:
        """Add the value of one query.

        Raises:
            MeasureError: it is a bare number, from which its denominator cannot be known.
        """
        if not isinstance(value, Share):
            raise MeasureError(
                f"MicroR cannot be averaged from the bare number {value!r}: "
                f"compute it from judgements and run, with ir_measures or pt.Experiment."
            )
        self.hits, self.relevant, self.count = (
            self.hits + value.hits,
            self.relevant + value.relevant,
            self.count + 1,
        )

    def result(self) -> float:
        """Return the pooled share of what was added."""
        if not self.count:
            return math.nan
        return self.hits / self.relevant if self.relevant else 0.0
