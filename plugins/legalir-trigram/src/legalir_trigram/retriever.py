"""Retrieval by the character trigrams that a question and a provision have in common."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir import SparseIndex
from legalir.extend import (
    Component,
    drop_results,
    empty_like,
    factory_of,
    masks,
    rank_results,
    require_texts,
    results_frame,
)

__all__ = ["Trigram", "dice", "trigram"]


def dice(shared: npt.NDArray[np.int64], one: int, other: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return Dice's coefficient ``2·|A ∩ B| / (|A| + |B|)`` of one set with each of m others (Dice 1945); [m].

    Args:
        shared: number of elements in common with each of the others; [m].
        one: size of the one set, above 0.
        other: sizes of the others; [m].
    """
    return 2 * shared / (one + other)


class Trigram(Component):
    """Scores provisions by Dice's coefficient of their character trigrams and those of the question.

    Columns in: ``qid, query``; of result rows, the queries alone are used. Columns out: the query columns, then
    ``docno, score, rank``. Scores lie in (0, 1]; a provision that shares no trigram is not returned.
    """

    name = "trigram"
    respects_as_of = respects_where = True
    index: Annotated[SparseIndex, "the index of the collection under the analyzer ``char3``"]
    num_results: Annotated[int, Ge(1), "results for each question"] = 1000

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best provisions of each question."""
        pt.validate.columns(inp, includes=["qid", "query"])
        queries = drop_results(inp)
        require_texts(queries, "trigram")
        sizes = np.bincount(self.index.documents, minlength=len(self.index))
        asked = zip(queries["query"], masks(queries, self.index), strict=True)
        hits = [self._best(query, sizes, mask) for query, mask in asked]
        out = rank_results(results_frame(queries, hits, self.index.docnos))
        return out[out["rank"] < self.num_results].reset_index(drop=True)

    def _best(
        self, query: str, sizes: npt.NDArray[np.int64], mask: npt.NDArray[np.bool_] | None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the numbers of the provisions that share a trigram with `query`, and their scores.

        Args:
            query: the question.
            sizes: number of trigrams of each provision.
            mask: which provisions may be results, on the day and by the filter of the question; None for all.
        """
        trigrams = set(self.index.analyzer.terms(query))
        shared = np.zeros(len(self.index), dtype=np.int64)
        for term in (self.index.terms.find(trigram) for trigram in trigrams):
            if term >= 0:  # -1 is a trigram that no provision has.
                shared[self.index.documents[self.index.indptr[term] : self.index.indptr[term + 1]]] += 1
        documents = np.flatnonzero(shared if mask is None else shared * mask)
        return documents, dice(shared[documents], len(trigrams), sizes[documents])


trigram = factory_of(
    Trigram, "Dice's coefficient of character trigrams: ``trigram(num_results=100)``.", analyzer="char3"
)
