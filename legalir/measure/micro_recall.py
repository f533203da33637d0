"""MicroR: recall over all queries taken together."""

from __future__ import annotations

from ir_measures.measures import Measure

from legalir.measure.parameters import parameters
from legalir.measure.share import PooledAgg, Share

__all__ = ["MicroR"]


class _MicroR(Measure):
    """Σ|T∩R^k| / Σ|T| over queries (NITI eq. 3); of one query its recall, as a :class:`Share`."""

    __name__ = "MicroR"
    NAME = __name__
    PRETTY_NAME = "Micro-averaged Recall at k"
    SHORT_DESC = "The share of the relevant documents of all queries that is retrieved in their top k results."
    SUPPORTED_PARAMS = parameters(cutoff_required=True)
    DEFAULT = Share(0, 0)

    def aggregator(self) -> PooledAgg:
        """Return the aggregator that sums hits and relevant documents before it divides."""
        return PooledAgg()


MicroR = _MicroR()  # type: ignore[no-untyped-call]
