"""Weighted postings, summed to scores.

n documents, V terms, P postings.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.lexical.weights import Weigher, all_weights
from legalir.storage.csr import positions

_SOME = 4
"""Weights are computed term by term for the first quarter of the postings, then for all others at once."""

_BLOCK = 4_000_000
"""Number of postings that are read at a time to find the postings of some documents."""


class ScoredPostings:
    """Weighted postings that sum up to scores.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        weights: float32 [P]; or the function that computes them, which is called for the terms of the queries.
        n: number of documents.
    """

    def __init__(
        self,
        indptr: npt.NDArray[np.int64],
        documents: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float32] | Weigher,
        n: int,
    ) -> None:
        self._indptr = indptr
        self._documents = documents
        self._n = n
        self._weigh = None if isinstance(weights, np.ndarray) else weights
        self._weights = weights if isinstance(weights, np.ndarray) else np.empty(len(documents), dtype=np.float32)
        self._weighted = np.zeros(len(indptr) - 1, dtype=bool)
        self._waiting = len(documents) // _SOME

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """Weight of each posting; [P]."""
        weigh = self._weigh
        if weigh is not None:
            self._weights, self._weigh = all_weights(self._indptr, weigh), None
        return self._weights

    def weights_of(self, terms: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Return an array in which the weights of the postings of `terms` are right; [P]."""
        weigh, weights = self._weigh, self._weights
        if weigh is None:
            return self._weights
        new = np.unique(terms[~self._weighted[terms]])
        if len(new):
            postings = positions(self._indptr, new)[1]
            self._waiting -= len(postings)
            if self._waiting < 0:
                return self.weights
            weights[postings] = weigh(new, postings)
            self._weighted[new] = True
        return weights

    def scores(self, terms: npt.NDArray[np.int64], query_weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the sum of ``query_weight · weight`` over the terms of one query for each document; [n].

        Args:
            terms: term numbers [q]; one that occurs twice is added twice.
            query_weights: float32 [q].
        """
        from scipy.sparse import csc_array

        # scipy's product of a sparse matrix and a vector runs over columns ``indptr[j]:indptr[j + 1]``. With
        # the terms in descending order, the slices of the postings alternate with gaps that run backwards,
        # which are empty: one call sums all terms and copies none of the postings.
        descending = np.argsort(-terms, kind="stable")
        chosen = terms[descending]
        columns = np.empty(2 * len(chosen), dtype=np.int32)  # of the type of the documents, as scipy has it
        columns[0::2], columns[1::2] = self._indptr[chosen], self._indptr[chosen + 1]
        factors = np.zeros(max(0, len(columns) - 1), dtype=np.float32)
        factors[0::2] = query_weights[descending]
        matrix = csc_array((self._n, len(factors)), dtype=np.float32)
        matrix.indptr, matrix.indices, matrix.data = columns, self._documents, self.weights_of(terms)
        scores: npt.NDArray[np.float32] = matrix @ factors
        return scores


def rows_of_postings(
    indptr: npt.NDArray[np.int64],
    documents: npt.NDArray[np.int32],
    values: npt.NDArray[Any],
    wanted: npt.NDArray[np.int64],
    n: int,
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[Any]]]:
    """Return the terms of each of some documents, ascending, and their values.

    Postings are sorted by term, so all of them are read once, for any number of documents.

    Args:
        indptr: int64 [V + 1].
        documents: int32 [P].
        values: of each posting; [P].
        wanted: the documents, each once.
        n: number of documents.
    """
    place = np.full(n, -1, dtype=np.int32)
    place[wanted] = np.arange(len(wanted), dtype=np.int32)
    blocks = [np.zeros(0, dtype=np.int64)]
    for first in range(0, len(documents), _BLOCK):
        blocks.append(np.flatnonzero(place[documents[first : first + _BLOCK]] >= 0) + first)
    postings = np.concatenate(blocks)
    row = place[documents[postings]]
    terms = np.searchsorted(indptr, postings, side="right") - 1
    order = np.argsort(row, kind="stable")
    bounds = np.searchsorted(row[order], np.arange(len(wanted) + 1))
    terms, values = terms[order], values[postings[order]]
    return [(terms[a:b], values[a:b]) for a, b in pairwise(bounds)]
