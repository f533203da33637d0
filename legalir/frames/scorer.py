"""Scorers of given documents, with the scores of a retriever."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from pyterrier import Compose, RankCutoff

from legalir.errors import ComponentError
from legalir.frames.columns import query_rows
from legalir.frames.component import Component
from legalir.frames.ranking import rank_results
from legalir.storage.strings import Docnos


@runtime_checkable
class Scoring(Protocol):
    """A transformer that can also score given documents."""

    def scorer(self) -> pt.Transformer:
        """Return a transformer that scores given documents like this one.

        Columns in: the query columns that this one needs, and ``docno``. Columns out: the same rows and columns,
        with ``score`` and ``rank``.
        """
        ...


def scoring_of(transformer: pt.Transformer | None) -> pt.Transformer | None:
    """Return the component that made the scores of a pipeline.

    In a chain, that is the last component that is not a cutoff.

    Returns:
        None where that component has no scorer, or there is no component.
    """
    if isinstance(transformer, Compose):
        return scoring_of(
            next((part for part in reversed(list(transformer)) if not isinstance(part, RankCutoff)), None)
        )
    if isinstance(getattr(transformer, "scorer", None), pt.Transformer):
        return None  # Its scorer is for its own use, as in SAR and caches.
    return transformer if isinstance(transformer, Scoring) else None


def scorer_of(transformer: pt.Transformer | None) -> pt.Transformer | None:
    """Return the scorer of the component that made the scores of a pipeline; None as :func:`scoring_of`.

    A scorer may follow the parameters that the component has now: ask for it when it is needed.
    """
    component = scoring_of(transformer)
    return component.scorer() if isinstance(component, Scoring) else None


class PairScorer(Component):
    """Scores the documents of a frame and ranks them; a subclass supplies the numbers.

    Columns in: ``qid, query, docno``. Columns out: the same, ``score`` and ``rank``; a score that was there before is
    replaced. Rows are ordered by score within each query.
    """

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of a frame."""
        pt.validate.columns(inp, includes=["qid", "query", "docno"])

    def docno_table(self) -> Docnos:
        """Return the docnos that can be scored."""
        raise NotImplementedError

    def pair_scores(
        self, queries: pd.DataFrame, query: npt.NDArray[np.int64], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.floating]:
        """Return the score of each pair; [m].

        Args:
            queries: one row per query.
            query: position in `queries` of each pair's query, [m], ascending.
            documents: number of each pair's document, [m].
        """
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        self.check(inp)
        out = inp.iloc[:0].copy()
        out["score"] = pd.Series(dtype=np.float64)
        out["rank"] = pd.Series(dtype=np.int64)
        return out

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of `inp` with scores.

        Raises:
            ComponentError: a document is not in the index.
        """
        self.check(inp)
        query = pd.factorize(inp["qid"])[0]
        order = np.argsort(query, kind="stable")
        out, query = inp.iloc[order].reset_index(drop=True), query[order]
        documents = self.docno_table().numbers(out["docno"])
        if len(missing := np.flatnonzero(documents < 0)):
            row = out.iloc[missing[0]]
            raise ComponentError(
                f"{type(self).__name__}: the document {row['docno']!r} of query {row['qid']!r} is not in the index: "
                f"score documents of the collection that was indexed."
            )
        queries = query_rows(out, np.flatnonzero(np.diff(query, prepend=-1)))
        out["score"] = self.pair_scores(queries, query, documents).astype(np.float64)
        return rank_results(out)
