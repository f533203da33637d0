"""The arithmetic of the measures of [nitibench], over the ranks of one query.

Ranks are 1-based. ``T`` is the set of relevant provisions of a query and ``R^k`` its top k.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt

Ranks = npt.NDArray[np.int64]
"""Ranks of the relevant documents in a ranking, ascending."""


def hit_ranks(ranking: Sequence[str], relevant: AbstractSet[str]) -> Ranks:
    """Return the ranks in `ranking` (best first, already cut at k) of the documents in `relevant`."""
    return np.array([rank for rank, docno in enumerate(ranking, 1) if docno in relevant], dtype=np.int64)


def multi_hit_rate(ranks: Ranks, relevant: int) -> float:
    """Return 1 where T ⊆ R^k, else 0.

    Args:
        ranks: of the relevant documents within k.
        relevant: |T|; where it is 0 the value is 0, as that of recall.
    """
    return float(0 < relevant == len(ranks))


def multi_mrr(ranks: Ranks, relevant: int) -> float:
    """Return ``(1/|T|) · Σ_j 1/(r_j - j + 1)``, r_j the rank of the j-th relevant document within k.

    Relevant documents at earlier ranks do not count against a document (j - 1 is subtracted), so that a ranking that
    begins with all of T scores 1.

    Args:
        ranks: r_1 < r_2 < … .
        relevant: |T|; the value is 0 where it is 0.
    """
    if not relevant:
        return 0.0
    adjusted = ranks - np.arange(len(ranks))
    return float(np.sum(1.0 / adjusted) / relevant)


def micro_recall(hits: Sequence[int], relevant: Sequence[int]) -> float:
    """Return ``Σ|T∩R^k| / Σ|T|`` over queries (eq. 3 without its stray 1/N); 0 where nothing is relevant.

    Args:
        hits: |T∩R^k| of each query.
        relevant: |T| of each query.
    """
    total = sum(relevant)
    return sum(hits) / total if total else 0.0


def chunk_hits(
    ranking: Sequence[str], covers: Mapping[str, Collection[str]], relevant: AbstractSet[str]
) -> tuple[Ranks, int]:
    """Return the ranks of the chunks that cover relevant provisions, and the number of provisions they cover.

    For corpora of naive chunks, where one chunk may cover several provisions and several chunks may cover one. Ranks
    count chunks; recall counts provisions: ``covered / len(relevant)``.

    Args:
        ranking: chunks, best first, already cut at k.
        covers: the provisions each chunk covers; a chunk that is not in it covers none.
        relevant: T, as provisions.
    """
    covered = [relevant & set(covers.get(chunk, ())) for chunk in ranking]
    ranks = np.array([rank for rank, provisions in enumerate(covered, 1) if provisions], dtype=np.int64)
    return ranks, len(set().union(*covered))


def chunk_multi_mrr(ranks: Ranks) -> float:
    """Return MultiMRR over chunks: divisor and rank offset count hit chunks, not provisions.

    A relevant provision that no chunk in the top k covers does not lower this value; recall shows it.

    Args:
        ranks: of the hit chunks, from :func:`chunk_hits`.
    """
    return multi_mrr(ranks, len(ranks))
