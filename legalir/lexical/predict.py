"""Predictors of the quality of a ranked list, without judgements, as columns of a query.

q terms of a query, k documents of its list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.contract import factory_of
from legalir.explanation import Explanation, Upstream
from legalir.frames.component import Component
from legalir.frames.ranking import read_lists
from legalir.lexical.expansion import Row, documents_of, first_model, likelihoods
from legalir.lexical.retriever import known_terms, queries_of
from legalir.lexical.sparse import SparseIndex
from legalir.lexical.weights import atire_idf

Floats = npt.NDArray[np.float64]

PREDICTORS = tuple(
    f"query_{name}" for name in ("avg_idf", "max_idf", "avg_scq", "max_scq", "wig", "nqc", "clarity", "spread")
)
"""The columns of :class:`Predict`."""


def scq(n: int, df: npt.NDArray[np.int64], cf: npt.NDArray[np.int64]) -> Floats:
    """Return ``(1 + ln cf) · ln(1 + n/df)``, how much a collection has of each term [scq]; [q].

    Args:
        n: number of documents of the collection.
        df: documents that have each term, from 1; [q].
        cf: occurrences of each term, from 1; [q].
    """
    return (1 + np.log(cf)) * np.log1p(n / df)


def wig(gain: Floats, length: float) -> float:
    """Return ``mean(gain)/√|q|``, the weighted information gain [wig] of the first documents of a list.

    Args:
        gain: ``ln p(q|d) − ln p(q|C)`` of each document, at least one; [k].
        length: |q|, number of occurrences of terms in the query, above 0.
    """
    return float(gain.mean() / math.sqrt(length))


def nqc(scores: Floats, collection: float) -> float:
    """Return ``σ(scores)/|score(C)|``, the normalised query commitment [nqc]; NaN if the score of C is 0.

    Args:
        scores: score of each of the first documents of a list, at least one; [k].
        collection: score of the collection as one document.
    """
    return float(scores.std() / abs(collection)) if collection else math.nan


def clarity(model: Floats, background: Floats) -> float:
    """Return ``Σ_t p(t|R) · log2(p(t|R)/p(t|C))``, in bits: how far results differ from the collection [clarity].

    Args:
        model: p(t|R) of the terms of the results, together 1, each above 0.
        background: p(t|C) of the same terms, each above 0.
    """
    return float(model @ np.log2(model / background))


class Predict(Component):
    """Predicts for each query how good its list is; no judgement is read.

    ==================  =============================================================================================
    ``query_avg_idf``   mean of ``ln(N/df)`` over the different terms of the query [pre-retrieval]
    ``query_max_idf``   their maximum
    ``query_avg_scq``   mean of ``(1 + ln cf) · ln(1 + N/df)`` over the same [scq]
    ``query_max_scq``   their maximum
    ``query_wig``       mean of ``(ln p(q|d) − ln p(q|C))/√|q|`` over the first `top` documents [wig]
    ``query_nqc``       standard deviation of ``ln p(q|d)`` over the first `docs`, by ``|ln p(q|C)|`` [nqc]
    ``query_clarity``   ``Σ_t p(t|R) · log2(p(t|R)/p(t|C))`` over the first `docs` [clarity]
    ``query_spread``    standard deviation of the list's own scores over the first `docs`, by ``|mean|``; ours
    ==================  =============================================================================================

    p(q|d) is Dirichlet-smoothed as in ``ql``, whatever retriever made the list, so that values of several systems
    compare; p(t|R) is the relevance model of ``rm3``. The paper of clarity smooths it with the collection. Only terms
    that the collection has count. A value that is not defined is NaN: all but the spread for a query without such a
    term, the spread for a list whose mean score is 0.

    Columns in: ``qid, query, docno, score, rank``; if there is a column ``query_toks``, its terms are the query.
    Columns out: the same and those of the table, one value a query. Lists and ranks stay; a query without results has
    no row, and so no prediction.
    """

    name = "predict"

    index: Annotated[SparseIndex, "the sparse index"]
    top: Annotated[int, Ge(1), "number of first documents of WIG; a shorter list gives all it has"] = 5
    docs: Annotated[int, Ge(1), "number of first documents of NQC, clarity and spread"] = 100
    mu: Annotated[float, Ge(1), "μ of the smoothing, in occurrences of terms"] = 1000

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self._validate(inp)
        return inp.assign(**{name: pd.Series(dtype=np.float64) for name in PREDICTORS})

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows with the predictions for each query.

        Raises:
            ComponentError: a document is not in the index, a score is not a number, or a query cannot be used.
        """
        self._validate(inp)
        lists, _ = read_lists(inp, self.name)
        first = lists.head(max(self.top, self.docs))
        documents = documents_of(self.index, first, self.name)
        scores = np.split(first.score, first.bounds[1:-1])
        asked = queries_of(self.index, lists.queries, self.name)
        values = []
        for query, (rows, numbers), own in zip(asked, documents, scores, strict=True):
            terms, tf = known_terms(self.index, query)
            values.append([*self._of_terms((terms, tf.astype(np.float64)), rows, numbers), self._spread(own)])
        found = pd.DataFrame(values, index=lists.queries["qid"], columns=PREDICTORS).loc[inp["qid"]]
        return inp.assign(**{name: found[name].to_numpy() for name in PREDICTORS})

    def _of_terms(self, query: Row, rows: Sequence[Row], documents: npt.NDArray[np.int64]) -> list[float]:
        """Return all predictors but the spread."""
        (terms, tf), index, docs = query, self.index, self.docs
        if not np.abs(tf).sum():
            return [math.nan] * (len(PREDICTORS) - 1)
        df, cf, size = index.df[terms], index.cf, int(index.cf.sum())
        idf, similarity = atire_idf(len(index), df), scq(len(index), df, cf[terms])
        gain = likelihoods(index, query, rows, documents, self.mu)
        held, share = first_model(index, gain[:docs], rows[:docs], documents[:docs])
        return [
            *(float(value) for of in (idf, similarity) for value in (of.mean(), of.max())),
            wig(gain[: self.top], float(np.abs(tf).sum())),
            nqc(gain[:docs], float(tf @ np.log(cf[terms] / size))),
            clarity(share[share > 0], cf[held[share > 0]] / size),
        ]

    def _spread(self, scores: Floats) -> float:
        return nqc(scores[: self.docs], float(scores[: self.docs].mean()))

    def _validate(self, inp: pd.DataFrame) -> None:
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score", "rank"])

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the scores as they came."""
        return upstream(docnos)


predict = factory_of(Predict, "Predict how good each list is, as columns of its query: ``bm25 % 100 >> predict``.")
