"""The three heads of an index: what each says of queries and documents, and what it would find.

n documents, m queries, p pairs of both.

Inner products of the token weights of queries with those of documents.

n documents, V token ids; c documents that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from legalir.dense.cosine import best_cosines, pair_cosines
from legalir.frames.ranking import Hits, best_first, reaching
from legalir.lexical.postings import ScoredPostings
from legalir.m3.arithmetic import Representations
from legalir.m3.maxsim import Floats, Ints, MaxSim
from legalir.m3.store import Grouped, M3Store, MultiVectors
from legalir.storage.csr import positions

__all__ = ["Heads", "TokenProducts"]


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
    ) -> Iterator[Hits]:
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
            best = best_first(exact, order[candidates], k)
            yield candidates[best], exact[best]


_CELLS = 16_000_000
"""Scores that are held in memory at a time."""


class Heads:
    """Scores of the heads of an index for queries.

    Args:
        store: the index.
        queries: m of them, with multi-vectors where those are asked for.
    """

    def __init__(self, store: M3Store, queries: Representations) -> None:
        self._store = store
        self._queries = queries

    @cached_property
    def _tokens(self) -> TokenProducts:
        return TokenProducts(self._store.sparse, self._store.postings)

    @cached_property
    def _maxsim(self) -> MaxSim:
        multi = self._store.multi
        assert isinstance(multi, MultiVectors)  # M3Index.check_weights has seen to it.
        return MaxSim(multi.vectors, multi.bounds, multi.scales)

    def pairs(self, head: str, query: Ints, documents: Ints) -> Floats:
        """Return the score that a head gives each pair, [p].

        Args:
            head: ``dense``, ``sparse`` or ``multi``.
            query: number of each pair's query, ascending, [p].
            documents: number of each pair's document, [p].
        """
        if head == "dense":
            return pair_cosines(self._store.dense, documents, self._queries.dense, query)
        scores = np.empty(len(documents), dtype=np.float32)
        bounds = np.searchsorted(query, np.arange(len(self._queries) + 1))
        for number in np.unique(query).tolist():
            run = slice(bounds[number], bounds[number + 1])
            if head == "sparse":
                scores[run] = self._tokens.pairs(*self._queries.sparse_row(number), documents[run])
            else:
                scores[run] = self._maxsim.scores([self._queries.multi_row(number)], documents[run])[0]
        return scores

    def best(self, head: str, k: int) -> Iterator[Hits]:
        """Yield, for each query, the best `k` of all documents, best first, ties by docno.

        Documents that share no token with a query are not found by ``sparse``.

        Args:
            head: ``dense``, ``sparse`` or ``multi``.
            k: at least 1.
        """
        order = self._store.docno_table.order
        if head == "dense":
            return best_cosines(self._store.dense, order, self._queries.dense, k)
        if head == "sparse":
            return self._tokens.best(map(self._queries.sparse_row, range(len(self._queries))), order, k)
        return self._best_multi(order, k)

    def _best_multi(self, order: npt.NDArray[np.int32], k: int) -> Iterator[Hits]:
        # Each block of documents is read once for all queries of which the scores fit.
        everything = np.arange(len(order))
        batch = max(1, _CELLS // max(1, len(order)))
        for first in range(0, len(self._queries), batch):
            numbers = range(first, min(first + batch, len(self._queries)))
            vectors: Sequence[Floats] = [self._queries.multi_row(number).astype(np.float32) for number in numbers]
            for row, query in zip(self._maxsim.scores(vectors, everything), vectors, strict=True):
                candidates = reaching(row, k) if len(query) else everything[:0]
                best = best_first(row[candidates], order[candidates], k)
                yield candidates[best], row[candidates[best]]
