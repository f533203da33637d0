"""MultiHitRate: were all relevant provisions found?"""

from __future__ import annotations

from ir_measures.measures import Measure

from legalir.measure.parameters import parameters

__all__ = ["MultiHitRate"]


class _MultiHitRate(Measure):
    """1 if every relevant document of a query is in its top k, else 0 (NITI's MultiHR)."""

    __name__ = "MultiHitRate"
    NAME = __name__
    PRETTY_NAME = "Multi Hit Rate at k"
    SHORT_DESC = "An indicator if all relevant documents are retrieved in the top k results."
    SUPPORTED_PARAMS = parameters(cutoff_required=True)


MultiHitRate = _MultiHitRate()  # type: ignore[no-untyped-call]
