"""The three heads of an index: what each says of queries and documents, and what it would find.

n documents, m queries, p pairs of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from legalir.encode.m3.representations import Representations
from legalir.index.m3 import M3Store, MultiVectors
from legalir.retrieve.cosine import best_cosines, pair_cosines
from legalir.retrieve.m3.blocks import Floats, Ints
from legalir.retrieve.m3.maxsim import MaxSim
from legalir.retrieve.m3.sparse import TokenProducts
from legalir.retrieve.results import Found
from legalir.retrieve.scoring import reaching

__all__ = ["Heads"]

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

    def best(self, head: str, k: int) -> Iterator[Found]:
        """Yield, for each query, the best `k` of all documents, best first, ties by docno.

        Documents that share no token with a query are not found by ``sparse``.

        Args:
            head: ``dense``, ``sparse`` or ``multi``.
            k: at least 1.
        """
        order = self._store.known.order
        if head == "dense":
            return best_cosines(self._store.dense, order, self._queries.dense, k)
        if head == "sparse":
            return self._tokens.best(map(self._queries.sparse_row, range(len(self._queries))), order, k)
        return self._best_multi(order, k)

    def _best_multi(self, order: npt.NDArray[np.int32], k: int) -> Iterator[Found]:
        # Each block of documents is read once for all queries of which the scores fit.
        everything = np.arange(len(order))
        batch = max(1, _CELLS // max(1, len(order)))
        for first in range(0, len(self._queries), batch):
            numbers = range(first, min(first + batch, len(self._queries)))
            vectors: Sequence[Floats] = [self._queries.multi_row(number).astype(np.float32) for number in numbers]
            for row, query in zip(self._maxsim.scores(vectors, everything), vectors, strict=True):
                candidates = reaching(row, k) if len(query) else everything[:0]
                best = np.lexsort((order[candidates], -row[candidates]))[:k]
                yield candidates[best], row[candidates[best]]
