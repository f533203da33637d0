"""How good a model is on dev queries: every provision is compared, exactly, ties by document number."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from legalir.retrieve.cosine import best_cosines
from legalir.train.batches import Gold

__all__ = ["dev_measures", "of_query"]

_K = 10


def dev_measures(queries: npt.NDArray[np.float32], documents: npt.NDArray[np.float32], gold: Gold) -> dict[str, float]:
    """Return the means of ``R@10``, ``nDCG@10`` (binary) and ``MultiHitRate@10`` over queries, as shares.

    Args:
        queries: vectors, [m, d]; one of zeros finds nothing, and counts.
        documents: vectors, [n, d].
        gold: right provisions of each query, at least one.
    """
    order = np.arange(len(documents), dtype=np.int32)
    totals = np.zeros(3)
    for number, (found, _) in enumerate(best_cosines(documents, order, queries, _K)):
        right = gold.documents[gold.indptr[number] : gold.indptr[number + 1]]
        totals += of_query(np.isin(found, right), len(right))
    means = totals / max(1, len(queries))
    return {name: float(value) for name, value in zip(("R@10", "nDCG@10", "MultiHitRate@10"), means, strict=True)}


def of_query(hits: npt.NDArray[np.bool_], relevant: int) -> tuple[float, float, float]:
    """Return R@10, nDCG@10 and MultiHitRate@10 of one query, of whose first ten results `hits` are right.

    Args:
        hits: [at most 10], in the order of the list.
        relevant: number of right provisions, at least 1.
    """
    gain = sum(1 / math.log2(place + 2) for place in np.flatnonzero(hits))
    best = sum(1 / math.log2(place + 2) for place in range(min(_K, relevant)))
    return float(hits.sum()) / relevant, gain / best, float(hits.sum() == relevant)
