"""The retrievers ``postgres_dense`` and ``postgres_text``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
from annotated_types import Ge, Le

from legalir.extend import EngineRetriever, Explanation, Hits, Upstream
from legalir_postgres.index import DenseTable, TextTable

__all__ = ["PostgresDense", "PostgresText"]

_MOST_CANDIDATES = 1000
"""Largest ``hnsw.ef_search`` that pgvector takes."""
_MOST_TERMS = 16_000
"""Most terms of a sparsevec."""
_NOTHING: Hits = (np.zeros(0, dtype=np.int64), np.zeros(0))


class PostgresDense(EngineRetriever):
    """Finds the documents whose vectors have the greatest cosine with the query vector, by pgvector's graph.

    The graph (HNSW, Malkov and Yashunin 2018) finds most of the best; where it finds fewer than were asked for, all
    rows are compared, so that no list is short. Scores are cosines of vectors in half precision: they differ from those
    of ``dense`` by about 0.0003.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. A query without content
    returns no rows.
    """

    name = "postgres_dense"

    index: Annotated[DenseTable, "the table of vectors"]
    ef: Annotated[
        int,
        Ge(1),
        Le(_MOST_CANDIDATES),
        "number of candidates of the graph; `num_results` where that is more",
    ] = 100
    exact: Annotated[bool, "compare all rows"] = False
    timeout: Annotated[float, Ge(0.001), "limit of a question in seconds, above 0"] = 30

    def best_among(
        self, queries: pd.DataFrame, days: Sequence[int] | None, k: int, among: Sequence[npt.NDArray[np.int64] | None]
    ) -> Sequence[Hits]:
        """Return the numbers and cosines of the best `k` rows of each query."""
        vectors = self.index.vectors.query_vectors(queries, self.name)
        there = np.flatnonzero(vectors.any(axis=1))
        candidates = min(max(self.ef, k), _MOST_CANDIDATES)
        texts = ["[" + ",".join(map(str, vectors[place].tolist())) + "]" for place in there]
        some = [among[place] for place in there.tolist()]
        graph = 0 if self.exact else candidates
        found = self.index.best(texts, _dates(days, there), some, k, graph, "", self.timeout)
        return _placed(found, there, len(queries))


class PostgresText(EngineRetriever):
    """BM25 as legalir's ``bm25``, computed by PostgreSQL: all rows are compared, and the results are exact.

    The scores equal the scores of ``bm25`` with the same analyzer, `k1` and `b`: to the last bit for a query without a
    repeated term, and within rounding otherwise. Of a query with more than 16 000 different terms, the rarest count.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``. Documents that share no
    term are not returned.
    """

    name = "postgres_text"
    ties_by_docno = True

    index: Annotated[TextTable, "the table of terms"]
    timeout: Annotated[float, Ge(0.001), "limit of a question in seconds, above 0"] = 30

    def best_among(
        self, queries: pd.DataFrame, days: Sequence[int] | None, k: int, among: Sequence[npt.NDArray[np.int64] | None]
    ) -> Sequence[Hits]:
        """Return the numbers and scores of the best `k` rows of each query."""
        vectors = [self._vector(query) for query in queries["query"]]
        there = np.flatnonzero([bool(vector) for vector in vectors])
        texts = [vectors[place] for place in there]
        some = [among[place] for place in there.tolist()]
        found = self.index.best(texts, _dates(days, there), some, k, 0, ", docno", self.timeout)
        shared = [(numbers[scores > 0], scores[scores > 0]) for numbers, scores in found]
        return _placed(shared, there, len(queries))

    def _vector(self, query: str) -> str:
        """Return the terms of a query as pgvector writes them, counted from the last term on; empty without terms."""
        own = self.index.terms
        counts = Counter(own.analyzer.terms(query))
        found = {number: count for term, count in counts.items() if (number := own.terms.find(term)) >= 0}
        if len(found) > _MOST_TERMS:
            indptr = own.indptr
            rarest = sorted(found, key=lambda number: (int(indptr[number + 1] - indptr[number]), number))
            found = {number: found[number] for number in rarest[:_MOST_TERMS]}
        if not found:
            return ""
        size = len(own.terms)
        inside = ",".join(f"{size - number}:{found[number]}" for number in sorted(found, reverse=True))
        return f"{{{inside}}}/{size}"

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the part of each term of the query in the scores of `docnos`, as ``bm25`` has it."""
        index = self.index
        return index.terms.bm25(index.k1, index.b, self.num_results).explain(inp, docnos, upstream)


def _dates(days: Sequence[int] | None, there: npt.NDArray[np.int64]) -> list[date] | None:
    # The day is ours; the clock of the server decides nothing.
    return None if days is None else [date.fromordinal(days[place]) for place in there]


def _placed(found: Sequence[Hits], there: npt.NDArray[np.int64], count: int) -> list[Hits]:
    hits = [_NOTHING] * count
    for place, one in zip(there.tolist(), found, strict=True):
        hits[place] = one
    return hits
