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
        relevant: |T|; if it is 0 the value is 0, like recall.
    """
    return float(0 < relevant == len(ranks))


def multi_mrr(ranks: Ranks, relevant: int) -> float:
    """Return ``(1/|T|) · Σ_j 1/(r_j - j + 1)``, r_j the rank of the j-th relevant document within k.

    Relevant documents at earlier ranks do not count against a document (j - 1 is subtracted), so that a ranking that
    begins with all of T scores 1.

    Args:
        ranks: r_1 < r_2 < … .
        relevant: |T|; if it is 0, the value is 0.
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
    """Return the ranks of the chunks that add relevant provisions, and the number of relevant provisions in them.

    A chunk may contain several provisions, and several chunks may contain the same provision; a chunk whose relevant
    provisions are in earlier chunks is not a hit. Ranks count chunks; recall counts provisions.

    Args:
        ranking: chunks, best first, already cut at k.
        covers: the provisions that each chunk contains; a missing chunk contains none.
        relevant: T, as provisions.
    """
    held: set[str] = set()
    ranks = []
    for rank, chunk in enumerate(ranking, 1):
        new = (relevant & set(covers.get(chunk, ()))) - held
        if new:
            ranks.append(rank)
            held |= new
    return np.array(ranks, dtype=np.int64), len(held)


def chunk_multi_mrr(ranks: Ranks, held: int, relevant: int) -> float:
    """Return MultiMRR over chunks: the mean over the hit chunks of ``1/(r_j - j + 1)``, times recall of provisions.

    This is the computation in the released code of [nitibench]. If each chunk is a provision, it equals
    :func:`multi_mrr`.

    Args:
        ranks: of the hit chunks, from :func:`chunk_hits`.
        held: number of relevant provisions in them.
        relevant: |T|; if it is 0, the value is 0.
    """
    return multi_mrr(ranks, len(ranks)) * held / relevant if relevant else 0.0
