"""Arithmetic of Rocchio feedback, for vectors and for weighted terms.

n documents, d dimensions, V terms, P postings.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from legalir.index.dense import unit_rows

__all__ = ["TermVector", "moved_terms", "moved_vector", "rows_of_postings"]

TermVector = dict[int, float]
"""Weights by term number."""

_BLOCK = 4_000_000
"""Postings that are looked through at a time."""


def moved_vector(
    query: npt.NDArray[np.float32], feedback: npt.NDArray[np.floating], alpha: float, beta: float
) -> npt.NDArray[np.float32]:
    """Return ``α·q + β·mean(feedback)``, scaled to length 1, [d]; zeros where the sum has no direction.

    Args:
        query: [d].
        feedback: vectors of the documents taken as relevant, [k, d], k at least 1.
        alpha: weight of the query.
        beta: weight of the feedback.
    """
    moved = alpha * query.astype(np.float64) + beta * feedback.astype(np.float64).mean(axis=0)
    row: npt.NDArray[np.float32] = unit_rows(moved[None])[0]
    return row


def moved_terms(
    query: Mapping[int, float], feedback: Mapping[int, float], alpha: float, beta: float, terms: int | None
) -> TermVector:
    """Return ``α·q + β·|q|·f``, scaled to the length of q, of which at most `terms` terms are not those of q.

    A query without terms counts as one of length 1. With α = 1 and β = 0 the query comes back as it was.

    Args:
        query: weights of the query's terms.
        feedback: mean of the documents taken as relevant, each of length 1.
        alpha: weight of the query.
        beta: weight of the feedback.
        terms: the heaviest so many terms of the feedback are added; None adds all.
    """
    length = _length(query) or 1.0
    added = [term for term in feedback if term not in query]
    if terms is not None:
        added = sorted(added, key=lambda term: (-feedback[term], term))[:terms]
    moved = {term: alpha * weight + beta * length * feedback.get(term, 0.0) for term, weight in query.items()}
    moved.update({term: beta * length * feedback[term] for term in added})
    scale = length / (_length(moved) or 1.0)
    return {term: weight * scale for term, weight in moved.items() if weight}


def _length(vector: Mapping[int, float]) -> float:
    return float(np.sqrt(np.square(np.fromiter(vector.values(), dtype=np.float64, count=len(vector))).sum()))


def rows_of_postings(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    wanted: npt.NDArray[np.int64],
    n: int,
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
    """Return the terms of each of some documents, ascending, and their weights.

    Postings lie by term, so all of them are looked through once, however many documents are wanted.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        weights: float32 [P].
        wanted: distinct documents.
        n: number of documents.
    """
    place = np.full(n, -1, dtype=np.int32)
    place[wanted] = np.arange(len(wanted), dtype=np.int32)
    found: list[npt.NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(documents), _BLOCK):
        hits = np.flatnonzero(place[documents[first : first + _BLOCK]] >= 0)
        found.append(hits + first)
    postings = np.concatenate(found)
    row = place[documents[postings]]
    terms = np.searchsorted(indptr, postings, side="right") - 1
    order = np.argsort(row, kind="stable")
    bounds = np.searchsorted(row[order], np.arange(len(wanted) + 1))
    terms, kept = terms[order], weights[postings[order]]
    return [(terms[a:b], kept[a:b]) for a, b in pairwise(bounds)]
