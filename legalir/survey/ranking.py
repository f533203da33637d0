"""The order in which a survey reads: the search, and what was accepted and refused so far.

n provisions, in the order of the sparse index.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.collections import Collection
from legalir.errors import ComponentError
from legalir.frames.ranking import top_k
from legalir.graph.citation_graph import CitationGraph
from legalir.graph.laws import LawTable
from legalir.lexical.postings import rows_of_postings
from legalir.lexical.sparse import SparseIndex
from legalir.pipeline.builder import build
from legalir.storage.validity import day_of

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

PRESUMED = 100
"""Number of unread provisions, drawn at random, that the classifier takes as refused [cal]."""

SEARCH, LINKED = 0.4, 0.1
"""Weight of the search, and of each accepted neighbour up to two; the classifier has 1. See experiments/survey."""

_NEAR = 3
"""Provisions of one law at most so many places apart are neighbours."""


class Ranking:
    """The provisions of a collection in the order in which one question reads them.

    Without an accepted provision the order is that of the search. With one, a logistic regression over TF-IDF vectors
    learns from the question, what was accepted and refused, and :data:`PRESUMED` others (continuous active learning
    [cal]); the search and the accepted neighbours, by link or place, are added.

    Args:
        collection: the collection.
        query: the question.
        expr: the search.
        day: the day of the question, as ``2021-03-01``; None for a collection without versions.

    Raises:
        ComponentError: the search gives no scores.
    """

    def __init__(self, collection: Collection, query: str, expr: str = "default", day: str | None = None) -> None:
        self.collection = collection
        self._index = index = SparseIndex.of(collection)
        self._vectors = index.tfidf()
        self._rows: dict[int, tuple[Numbers, npt.NDArray[np.float32]]] = {}
        self._query = self._vectors.query_terms(query)
        asked = pd.DataFrame({"qid": ["1"], "query": [query]}).assign(**({} if day is None else {"as_of": day}))
        found = build(expr, collection).transform(asked)
        if missing := {"docno", "score", "rank"} - set(found.columns):
            raise ComponentError(
                f"survey: {expr!r} gives no {' and no '.join(sorted(missing))}: give a search, without a generator."
            )
        found = found.sort_values("rank", kind="stable").head(1000)
        self.found = index.docno_table.numbers(found["docno"])
        """The results of the search, best first."""
        scores = found["score"].to_numpy(dtype=np.float64)
        self._search = np.zeros(len(index))
        if len(scores):
            self._search[self.found] = 1e-3 + (scores - scores.min()) / ((scores.max() - scores.min()) or 1)
        self.in_force = np.ones(len(index), dtype=bool)
        if day is not None and index.validity is not None:
            self.in_force = index.validity.on(day_of(day, "as_of"))
        self._places = np.flatnonzero(self.in_force)
        names, laws, graph = index.docnos.tolist(), LawTable.of(collection), CitationGraph.of(collection)
        self._law = laws.groups(laws.numbers(names), "law")
        self._graph = graph if day is None else graph.at(day_of(day, "as_of"))
        self._nodes = self._graph.numbers(names)
        self._of_node = self.numbers([str(docno) for docno in self._graph.docnos])

    def __len__(self) -> int:
        """Return the number of provisions that can be read."""
        return int(self.in_force.sum())

    def numbers(self, docnos: Sequence[str]) -> Numbers:
        """Return the number of each docno; -1 for one that the collection does not have."""
        return self._index.docno_table.numbers(docnos)

    def docnos(self, numbers: Numbers) -> list[str]:
        """Return the docno of each number."""
        return [str(docno) for docno in self._index.docnos[numbers]]

    def first(self, k: int, accepted: Numbers, refused: Numbers, read: Numbers) -> Numbers:
        """Return the `k` best provisions that are not read; equal arguments give an equal order.

        Args:
            k: number of provisions.
            accepted: numbers of provisions on the matter.
            refused: numbers of provisions off it.
            read: both, and all others that are not to be read again.
        """
        open_ones = self.in_force.copy()
        open_ones[read] = False
        scores = self.scores(accepted, refused, np.flatnonzero(open_ones))
        return top_k(np.where(open_ones, scores, -np.inf).astype(np.float32), self._index.order, k, -np.inf)

    def scores(self, accepted: Numbers, refused: Numbers, unread: Numbers) -> Floats:
        """Return the score of each provision; [n].

        Args:
            accepted: numbers of provisions on the matter.
            refused: numbers of provisions off it.
            unread: numbers of all provisions in force that are not read.
        """
        if not len(accepted):
            return self._search
        draw = np.random.default_rng(len(accepted) + len(refused))
        presumed = draw.choice(unread, min(PRESUMED, len(unread)), replace=False)
        learnt = self._learnt(accepted, np.concatenate([refused, presumed]).astype(np.int64))
        learnt -= learnt.mean()
        neighbours = np.zeros(len(self._index))
        for number in accepted.tolist():
            neighbours[self.neighbours(number)] += 1
        return SEARCH * self._search + learnt / (learnt.max() or 1) + LINKED * np.minimum(neighbours, 2)

    def _learnt(self, accepted: Numbers, refused: Numbers) -> Floats:
        """Return the score of each provision by a logistic regression that also takes the question as accepted; [n]."""
        from scipy.sparse import csr_array
        from sklearn.linear_model import LogisticRegression

        rows = [self._query, *self._vectors_of(accepted), *self._vectors_of(refused)]
        kind = np.repeat([1, 0], [1 + len(accepted), len(refused)])
        if not len(refused):
            return np.zeros(len(self._index))
        terms, columns = np.unique(np.concatenate([terms for terms, _ in rows]), return_inverse=True)
        bounds = np.cumsum([0, *(len(terms) for terms, _ in rows)]).astype(np.int32)
        weights = np.concatenate([weights for _, weights in rows]).astype(np.float64)
        vectors = csr_array((weights, columns.astype(np.int32), bounds), shape=(len(rows), len(terms)))
        model = LogisticRegression(class_weight="balanced", solver="liblinear", max_iter=200, random_state=0)
        learnt = model.fit(vectors, kind).coef_[0].astype(np.float32)
        return self._vectors.postings().scores(terms, learnt).astype(np.float64)

    def _vectors_of(self, numbers: Numbers) -> list[tuple[Numbers, npt.NDArray[np.float32]]]:
        """Return the terms of each provision, and their weights."""
        new = np.array([number for number in numbers.tolist() if number not in self._rows], dtype=np.int64)
        if len(new):
            index, weights = self._index, self._vectors.posting_weights()
            found = rows_of_postings(index.indptr, index.documents, weights, new, len(index))
            self._rows.update(zip(new.tolist(), found, strict=True))
        return [self._rows[number] for number in numbers.tolist()]

    def neighbours(self, number: int) -> Numbers:
        """Return the provisions in force that a provision cites, that cite it, or that are near it in its law."""
        node = int(self._nodes[number])
        linked = self._of_node[self._graph.adjacency("both").row(node)] if node >= 0 else np.zeros(0, dtype=np.int64)
        near = np.zeros(0, dtype=np.int64)
        if self._law[number] >= 0 and self.in_force[number]:
            place = int(np.searchsorted(self._places, number))
            near = self._places[max(0, place - _NEAR) : place + _NEAR + 1]
            near = near[(self._law[near] == self._law[number]) & (near != number)]
        return np.unique(np.concatenate([linked[linked >= 0], near]))

    def why(self, number: int, accepted: Numbers) -> str:
        """Return why a provision is proposed, for people."""
        if len(near := np.intersect1d(self.neighbours(number), accepted)):
            return f"linked with or near {', '.join(self.docnos(near[:3]))}, accepted"
        if len(place := np.flatnonzero(self.found == number)):
            return f"rank {place[0] + 1} of the search"
        return "its words are like those of what was accepted" if len(accepted) else "not found by the search"
