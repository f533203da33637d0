"""Inner products of the token weights of queries with those of documents.

n documents, V token ids; c documents that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from legalir.index.csr import positions
from legalir.index.m3 import Grouped
from legalir.retrieve.m3.blocks import Floats, Ints
from legalir.retrieve.results import Found
from legalir.retrieve.scoring import ScoredPostings, reaching

__all__ = ["TokenProducts"]


class TokenProducts:
    """Sums of weight · weight over the token ids of a query and a document.

    They are summed in double precision, document by document, so that a sum depends on nothing but the two.

    Args:
        rows: token ids of each document, and their weights.
        postings: the same by token id: the documents that have it, and its weight in each.
    """

    def __init__(self, rows: Grouped, postings: Grouped) -> None:
        self._rows = rows
        self._postings = postings
        self._factors = np.zeros(len(postings.bounds) - 1, dtype=np.float64)

    def pairs(self, tokens: npt.NDArray[np.int32], weights: Floats, documents: Ints) -> Floats:
        """Return the inner product of one query with each of `documents`; [c].

        Args:
            tokens: token ids of the query, each once, [q].
            weights: their weights, [q].
            documents: numbers of documents, [c].
        """
        owner, place = positions(self._rows.bounds, documents)
        self._factors[tokens] = weights
        products = self._factors[self._rows.items[place]] * self._rows.weights[place]
        self._factors[tokens] = 0
        return np.bincount(owner, products, minlength=len(documents)).astype(np.float32)

    def best(
        self, queries: Iterator[tuple[npt.NDArray[np.int32], Floats]], order: npt.NDArray[np.int32], k: int
    ) -> Iterator[Found]:
        """Yield, for each query, the documents of the `k` greatest products above 0, ties by ascending `order`.

        Args:
            queries: token ids, each once, and their weights.
            order: a permutation, [n].
            k: at least 1.
        """
        postings = ScoredPostings(*self._postings, len(order))
        for tokens, weights in queries:
            scores = postings.scores(tokens.astype(np.int64), weights)
            # The sums of all documents are of single precision; what may belong to the best is summed again.
            margin = 2 * (len(tokens) + 1) * float(np.finfo(np.float32).eps) * float(scores.max(initial=0))
            candidates = reaching(scores, k, above=0, margin=margin)
            exact = self.pairs(tokens, weights, candidates)
            best = np.lexsort((order[candidates], -exact))[:k]
            yield candidates[best], exact[best]
