"""The arithmetic of the three heads of BGE-M3 (Chen et al. 2024, section 3.2), over arrays.

Between a query q and a document p, with q_i and p_j the vectors of their tokens without the first:

- dense: ``<q, p>`` of their vectors of length 1;
- sparse: ``Σ_t w_q(t) · w_p(t)`` over the token ids t of both;
- multi: ``1/N · Σ_i max_j <q_i, p_j>``, N tokens in the query.

FlagEmbedding's ``compute_score`` gives the same numbers for one pair at a time. In a batch, it fills up the shorter
documents with vectors of zeros and lets these take part in the maximum: a query token whose products with all tokens of
a document are negative then counts 0, and the score of a pair depends on what else is in the batch. Here it does not.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from legalir.encode.m3.representations import Representations

__all__ = ["dense_score", "multi_score", "pair_scores", "sparse_score", "token_maxima"]

Floats = npt.NDArray[np.floating]
Tokens = npt.NDArray[np.int32]


def token_maxima(
    bounds: npt.NDArray[np.int64], ids: Tokens, weights: npt.NDArray[np.float32], dropped: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], Tokens, npt.NDArray[np.float32]]:
    """Return the greatest weight of each token id in each of n texts, in compressed rows.

    Args:
        bounds: tokens of text i are those in ``[bounds[i], bounds[i + 1])``; [n + 1].
        ids: of all tokens of all texts, at least 0; [m].
        weights: of the tokens, [m]; one of 0 or less is none.
        dropped: ids that have no weight in any text.

    Returns:
        Bounds [n + 1]; token ids, ascending within a text, each once, [z]; their weights, above 0, [z].
    """
    n = len(bounds) - 1
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(bounds))
    kept = (weights > 0) & ~np.isin(ids, dropped)
    rows, ids, weights = rows[kept], ids[kept], weights[kept]
    keys = rows * (int(ids.max(initial=0)) + 1) + ids
    order = np.argsort(keys)
    keys = keys[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.bincount(rows[order[first]], minlength=n)
    found = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return found, ids[order[first]], np.maximum.reduceat(weights[order], first)


def dense_score(query: Floats, document: Floats) -> float:
    """Return the inner product of two vectors, [d] each."""
    return float(query.astype(np.float64) @ document.astype(np.float64))


def sparse_score(query: tuple[Tokens, Floats], document: tuple[Tokens, Floats]) -> float:
    """Return the sum of the products of the weights that two texts give to the same token ids.

    Args:
        query: token ids, each once, and their weights.
        document: the same.
    """
    _, left, right = np.intersect1d(query[0], document[0], assume_unique=True, return_indices=True)
    return float(query[1][left].astype(np.float64) @ document[1][right].astype(np.float64))


def multi_score(query: Floats, document: Floats) -> float:
    """Return the greatest inner product of each vector of the query with those of the document, averaged.

    Args:
        query: [N, d], at least one.
        document: [M, d], at least one.
    """
    products = query.astype(np.float64) @ document.astype(np.float64).T
    return float(products.max(axis=1).mean())


def pair_scores(queries: Representations, query: int, documents: Representations, document: int) -> Mapping[str, float]:
    """Return the score that each head gives one query and one document, by the head's name.

    Without multi-vectors on both sides, there is no ``multi``.
    """
    scores = {
        "dense": dense_score(queries.dense[query], documents.dense[document]),
        "sparse": sparse_score(queries.sparse_row(query), documents.sparse_row(document)),
    }
    if queries.vectors is not None and documents.vectors is not None:
        scores["multi"] = multi_score(queries.multi_row(query), documents.multi_row(document))
    return scores
