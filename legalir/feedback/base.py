"""What both forms of Rocchio share: their parameters, the documents taken as relevant, and the frames."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.columns import drop_results, empty_like, rank_results, require_columns
from legalir.component import check_number
from legalir.errors import ComponentError
from legalir.index.docnos import Docnos
from legalir.retrieve.cutoff import Cuttable
from legalir.retrieve.results import Found, results_frame

__all__ = ["Feedback", "Mode", "check_parameters"]

Mode = Literal["full", "candidate"]


def check_parameters(alpha: float, beta: float, k: int, mode: str, num_results: int) -> None:
    """Check the parameters that both forms have.

    Raises:
        ComponentError: one is out of range.
    """
    check_number("rocchio", "alpha", alpha, low=0)
    check_number("rocchio", "beta", beta, low=0)
    check_number("rocchio", "k", k, low=1, integer=True)
    check_number("rocchio", "num_results", num_results, low=1, integer=True)
    if not alpha + beta:
        raise ComponentError("rocchio: alpha and beta are both 0, which leaves no query: give one of them a weight.")
    if mode not in get_args(Mode):
        raise ComponentError(f"rocchio: mode={mode!r} is not one of {', '.join(get_args(Mode))}.")


class Feedback(Cuttable):
    """Moves each query towards its first results and scores anew; a subclass does both.

    Columns in: ``docno, score`` and those of the query. Columns out: in mode ``full``, the query columns, then
    ``docno, score, rank``; in mode ``candidate``, those that came in. Both with :attr:`moved`, the query as it was
    moved, so that scorers that follow use it, too.
    """

    moved: str
    k: int
    mode: Mode
    num_results: int

    def known(self) -> Docnos:
        """Return the docnos of the index."""
        raise NotImplementedError

    def check(self, inp: pd.DataFrame) -> None:
        """Check the columns of the query."""
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score"])

    def move(self, queries: pd.DataFrame, feedback: list[npt.NDArray[np.int64]]) -> list[Any]:
        """Return each query, moved towards the documents of these numbers."""
        raise NotImplementedError

    def find(self, moved: list[Any]) -> list[Found]:
        """Return the best documents for each moved query."""
        raise NotImplementedError

    def rescore(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return given rows, with their moved queries, scored and ranked anew."""
        raise NotImplementedError

    def fuse_rank_cutoff(self, k: int) -> Self | None:
        """Return what finds the best `k` itself: what ``rocchio % k`` compiles to; None where all are scored anyway."""
        return super().fuse_rank_cutoff(k) if self.mode == "full" else None

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self.check(inp)
        if self.mode == "full":
            return empty_like(inp.assign(**{self.moved: pd.Series(dtype=object)}))
        return inp.iloc[:0].assign(**{self.moved: pd.Series(dtype=object), "rank": pd.Series(dtype=np.int64)})

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the results of the moved queries.

        Raises:
            ComponentError: a document is not in the index, a score is no number, or a query cannot be used.
        """
        self.check(inp)
        queries, feedback = self.feedback(inp)
        moved = self.move(queries, feedback)
        if self.mode == "full":
            column = pd.Series(moved, dtype=object)
            return results_frame(queries.assign(**{self.moved: column}), self.find(moved), self.known().array)
        of = dict(zip(queries["qid"], moved, strict=True))
        column = pd.Series([of[qid] for qid in inp["qid"]], index=inp.index, dtype=object)
        return self.rescore(inp.assign(**{self.moved: column}))

    def feedback(self, inp: pd.DataFrame) -> tuple[pd.DataFrame, list[npt.NDArray[np.int64]]]:
        """Return the queries of `inp`, one row each, and the numbers of the first `k` documents of each."""
        require_columns(inp, ["score"], type(self).__name__)
        if not np.isfinite(inp["score"].to_numpy(dtype=np.float64)).all():
            raise ComponentError(f"{type(self).__name__}: a score of its input is a NaN or an infinity.")
        first = rank_results(inp)
        first = first[first["rank"] < self.k]
        numbers = self.known().numbers(first["docno"])
        if len(missing := np.flatnonzero(numbers < 0)):
            row = first.iloc[missing[0]]
            raise ComponentError(
                f"{type(self).__name__}: the document {row['docno']!r} of query {row['qid']!r} is not in the index: "
                f"give it results of the collection that was indexed."
            )
        queries = drop_results(inp).reset_index(drop=True)
        # Both keep the queries in order of first appearance.
        sizes = first.groupby("qid", sort=False).size()
        return queries, np.split(numbers, np.cumsum(sizes.to_numpy())[:-1])
