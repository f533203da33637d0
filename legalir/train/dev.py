"""The quality of a model on dev queries: each provision is compared, exactly; ties by document number."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from legalir.dense.cosine import best_cosines
from legalir.train.material import Gold

_K = 10


def dev_measures(queries: npt.NDArray[np.float32], documents: npt.NDArray[np.float32], gold: Gold) -> dict[str, float]:
    """Return the means of ``R@10``, ``nDCG@10`` (binary) and ``MultiHitRate@10`` over queries, as shares.

    Args:
        queries: vectors, [m, d]; one of zeros has no results and counts.
        documents: vectors, [n, d].
        gold: right provisions of each query, at least one.
    """
    order = np.arange(len(documents), dtype=np.int32)
    totals = np.zeros(3)
    for query, (best, _) in enumerate(best_cosines(documents, order, queries, _K)):
        totals += measures_of(best, gold.of(query))
    means = totals / max(1, len(queries))
    return {name: float(value) for name, value in zip(("R@10", "nDCG@10", "MultiHitRate@10"), means, strict=True)}


def measures_of(best: npt.NDArray[np.integer], right: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Return R@10, nDCG@10 and MultiHitRate@10 of one query, given its first ten results at most."""
    hits = np.isin(best, right)
    gain = sum(1 / math.log2(place + 2) for place in np.flatnonzero(hits))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(_K, len(right))))
    return float(hits.sum()) / len(right), gain / ideal, float(hits.sum() == len(right))
