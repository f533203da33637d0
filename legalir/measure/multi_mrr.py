"""MultiMRR: how far up are all relevant provisions?"""

from __future__ import annotations

from ir_measures.measures import Measure

from legalir.measure.parameters import parameters

__all__ = ["MultiMRR"]


class _MultiMRR(Measure):
    """(1/|T|)·Σ_j 1/(r_j - j + 1), r_j the rank of the j-th relevant document found within k (NITI)."""

    __name__ = "MultiMRR"
    NAME = __name__
    PRETTY_NAME = "Multi Mean Reciprocal Rank"
    SHORT_DESC = "The reciprocal ranks of all relevant documents, each relieved of those ranked before it."
    SUPPORTED_PARAMS = parameters(cutoff_required=False)


MultiMRR = _MultiMRR()  # type: ignore[no-untyped-call]
