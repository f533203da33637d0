"""The quality of a model on dev queries: each provision is compared, exactly; ties by document number."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from legalir.dense.cosine import best_cosines
from legalir.m3.heads import Representations
from legalir.train.material import Gold

_K, _QUERIES = 10, 64


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


def sparse_ndcg(queries: Representations, documents: Representations, gold: Gold) -> float:
    """Return the mean nDCG@10 (binary) by the inner products of token weights; a product of 0 is not a result.

    Args:
        queries: m of them.
        documents: n of them.
        gold: right provisions of each query, at least one.
    """
    total = 0.0
    for query, best in enumerate(_best(queries, documents)):
        total += measures_of(best, gold.of(query))[1]
    return total / max(1, len(gold.indptr) - 1)


def measures_of(best: npt.NDArray[np.integer], right: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Return R@10, nDCG@10 and MultiHitRate@10 of one query, given its first ten results at most."""
    hits = np.isin(best, right)
    gain = sum(1 / math.log2(place + 2) for place in np.flatnonzero(hits))
    ideal = sum(1 / math.log2(place + 2) for place in range(min(_K, len(right))))
    return float(hits.sum()) / len(right), gain / ideal, float(hits.sum() == len(right))


def _best(queries: Representations, documents: Representations) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the best documents of each query, at most ten; ties by number."""
    from scipy.sparse import csr_array

    size = 1 + max(int(part.tokens.max(initial=0)) for part in (queries, documents))
    left, right = (
        csr_array((part.weights, part.tokens, part.bounds), shape=(len(part.bounds) - 1, size))
        for part in (queries, documents)
    )
    across = right.T.tocsr()
    for first in range(0, left.shape[0], _QUERIES):
        for row in (left[first : first + _QUERIES] @ across).toarray():
            best = np.argsort(-row, kind="stable")[:_K]
            yield best[row[best] > 0]
