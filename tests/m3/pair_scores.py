"""Scores of one pair by the three heads of BGE-M3, straight from their definitions in double precision."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from legalir.m3.heads import Representations

Tokens = npt.NDArray[np.int32]
Floats = npt.NDArray[np.floating]


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
