"""Base of retrievers: questions in, ranked documents out; results in, the same documents with new scores out."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.frames.columns import empty_like, unique_queries
from legalir.frames.component import Cuttable
from legalir.frames.ranking import RankedLists
from legalir.frames.scorer import Scoring


class Retriever(Cuttable):
    """Ranks the documents of a collection for each question, or scores given documents.

    Columns in: ``qid, query``. Columns out: the query columns, then ``docno, score, rank``.

    Given results, which have a column ``docno``, it scores these documents, as PyTerrier's retrievers do. Columns out
    are the columns of the input, with new ``score`` and ``rank``. A document that it would not find stays, with 0 if it
    shares no term; the best `num_results` are kept. So ``a % 100 >> b`` reranks, and ``a % 100 >> (b ** c)`` makes
    features. A retriever without ``scorer()`` (:class:`~legalir.frames.scorer.Scoring`) refuses results.
    """

    name = ""
    """Name in expressions, for messages; empty to use the name of the class."""

    def ranked(self, queries: pd.DataFrame) -> RankedLists:
        """Return the best documents of each question.

        Args:
            queries: one row per question, at least one, each qid once.
        """
        raise NotImplementedError

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the questions."""
        pt.validate.columns(inp, includes=["qid", "query"])

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self.check(inp)
        return self._given_scorer().transform(inp) if "docno" in inp.columns else empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the best documents of each question, or the input documents with new scores.

        Raises:
            ComponentError: a query is not a string, a qid occurs twice, or an input document cannot be scored.
        """
        if "docno" not in inp.columns:
            return self.retrieve_lists(inp).frame()
        self.check(inp)
        out = self._given_scorer().transform(inp)
        return out if self._most is None else out[out["rank"] < self._most].reset_index(drop=True)

    def retrieve_lists(self, inp: pd.DataFrame) -> RankedLists:
        """Return the best documents of each question as lists; errors as :meth:`apply`."""
        self.check(inp)
        return self.ranked(unique_queries(inp, self._name))

    @property
    def _name(self) -> str:
        return self.name or type(self).__name__

    def _given_scorer(self) -> pt.Transformer:
        if not isinstance(self, Scoring):
            raise cannot_score(self._name)
        return self.scorer()


def cannot_score(component: str) -> ComponentError:
    """Return the error of a component that takes questions but received results."""
    return ComponentError(
        f"{component}: it takes questions and cannot score given documents: put it at the start of a pipeline, or fuse "
        f"its results with the others, as in rrf(bm25, {component})."
    )
