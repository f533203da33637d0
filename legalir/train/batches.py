"""Batches: which pairs, which negatives, and which provisions are gold besides the one that is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from legalir.encode.hashed_ngrams import Features

__all__ = ["Batch", "Batcher", "Gold", "epoch_order", "pairs_of", "rows_matrix"]

Integers = npt.NDArray[np.int64]


class Gold(NamedTuple):
    """The right provisions of each query, as document numbers: those of q are ``documents[indptr[q] : indptr[q + 1]]``.

    Attributes:
        indptr: int64 [q + 1].
        documents: int64 [g].
    """

    indptr: Integers
    documents: Integers


class Batch(NamedTuple):
    """b pairs and the n different provisions that each of their queries chooses from.

    Attributes:
        queries: query numbers, int64 [b].
        documents: document numbers, ascending, int64 [n].
        target: place of each query's own provision in `documents`, int64 [b].
        masked: whether a provision is right or near, too, and so no negative of the query; bool [b, n].
    """

    queries: Integers
    documents: Integers
    target: Integers
    masked: npt.NDArray[np.bool_]


def pairs_of(gold: Gold) -> Integers:
    """Return query and document of every pair, int64 [g, 2]."""
    queries = np.repeat(np.arange(len(gold.indptr) - 1), np.diff(gold.indptr))
    return np.stack((queries, gold.documents), axis=1)


def epoch_order(sizes: Sequence[int], weights: Sequence[float] | None, rng: np.random.Generator) -> Integers:
    """Return the order in which an epoch meets the pairs, as pair numbers; as many as there are pairs.

    Each source is in a random order of its own, and the sources are interleaved evenly, so that every stretch has
    them in proportion.

    Args:
        sizes: pairs of each source, whose numbers follow each other.
        weights: share of each source; None: each pair once. A source that is to give more pairs than it has begins
            again, in another order.
        rng: draws it all.
    """
    total = sum(sizes)
    shares = np.asarray(sizes if weights is None else weights, dtype=np.float64)
    ends = np.rint(np.cumsum(shares) / shares.sum() * total).astype(np.int64)
    numbers, places = [], []
    for first, size, count in zip(np.cumsum([0, *sizes]), sizes, np.diff(ends, prepend=0), strict=False):
        rounds = [rng.permutation(size) for _ in range(-(-int(count) // size))]
        numbers.append(first + np.concatenate([np.zeros(0, np.int64), *rounds])[:count])
        places.append((np.arange(count) + rng.random(count)) / max(1, count))
    return np.concatenate(numbers)[np.argsort(np.concatenate(places), kind="stable")]


class Batcher:
    """Makes batches of pairs.

    Args:
        spared: what is no negative of each query: what is right for it, and perhaps more.
        documents: N, number of provisions.
    """

    def __init__(self, spared: Gold, documents: int) -> None:
        self._spared = spared
        self._place = np.full(documents, -1, dtype=np.int64)

    def batch(self, pairs: Integers, negatives: Integers) -> Batch:
        """Return the batch of `pairs` [b, 2] and of further documents, `negatives` [k]."""
        queries = pairs[:, 0]
        documents = np.unique(np.concatenate((pairs[:, 1], negatives)))
        self._place[documents] = np.arange(len(documents))
        target = self._place[pairs[:, 1]]
        start, size = self._spared.indptr[queries], np.diff(self._spared.indptr)[queries]
        row = np.repeat(np.arange(len(queries)), size)
        column = self._place[self._spared.documents[_ranges(start, size)]]
        masked = np.zeros((len(queries), len(documents)), dtype=np.bool_)
        masked[row[column >= 0], column[column >= 0]] = True
        masked[np.arange(len(queries)), target] = False
        self._place[documents] = -1
        return Batch(queries, documents, target, masked)


def _ranges(start: Integers, size: Integers) -> Integers:
    """Return ``start[i], …, start[i] + size[i] - 1`` for each i, one after another."""
    ends = np.cumsum(size)
    return np.repeat(start - (ends - size), size) + np.arange(ends[-1] if len(ends) else 0)


def rows_matrix(parts: Sequence[tuple[Features, Integers]], rows: int) -> sp.csr_matrix:
    """Return chosen texts of several features as one matrix, float32 [texts, rows]."""
    sizes, columns, values = [np.zeros(1, np.int64)], [], []
    for features, chosen in parts:
        size = np.diff(features.indptr)[chosen]
        at = _ranges(features.indptr[chosen], size)
        sizes.append(size)
        columns.append(features.rows[at])
        values.append(features.counts[at])
    indptr = np.cumsum(np.concatenate(sizes)).astype(np.int32)
    return sp.csr_matrix(
        (np.concatenate(values), np.concatenate(columns), indptr), shape=(len(indptr) - 1, rows), copy=False
    )
