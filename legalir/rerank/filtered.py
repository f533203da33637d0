"""Components that take rows out of lists: the others keep their scores and move up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.component import Component
from legalir.frames.ranking import RankedLists, places, read_lists


class Filtered(Component):
    """Lists without the rows for which :meth:`kept` is False.

    A subclass has a `name`, and says in :meth:`needs` which columns of the questions it reads.

    Columns in: ``qid, docno, score`` and any others. Columns out: the same and ``rank``.
    """

    name = ""

    def kept(self, lists: RankedLists) -> npt.NDArray[np.bool_]:
        """Return for each row, in order of rank within its question, whether it stays; [r]."""
        raise NotImplementedError

    def needs(self) -> list[str]:
        """Return the columns of the questions that :meth:`kept` reads."""
        return ["qid"]

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["docno", "score", *self.needs()])
        return inp.iloc[:0].assign(score=pd.Series(dtype=np.float64), rank=pd.Series(dtype=np.int64))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that stay, with new ranks.

        Raises:
            ComponentError: a score is not a finite number, or a document occurs twice.
        """
        pt.validate.columns(inp, includes=["docno", "score", *self.needs()])
        lists, row = read_lists(inp, self.name)
        kept = self.kept(lists)
        out = inp.iloc[row[kept]].reset_index(drop=True)
        return out.assign(score=lists.score[kept], rank=places(lists.query[kept]))

    def rank_lists(self, lists: RankedLists) -> RankedLists:
        """Return the lists with the rows that stay."""
        pt.validate.columns(lists.queries, includes=self.needs())
        kept = self.kept(lists)
        return lists.rows(kept)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the scores of `docnos`, unchanged from the input list."""
        lists = self.rank_lists(read_lists(inp, self.name)[0])
        scores = dict(zip(lists.docno.tolist(), lists.score.tolist(), strict=True))
        wanted = [docno for docno in docnos if docno in scores]
        origins = upstream(wanted)
        parts = {docno: Part("score of the list", scores[docno], origins.get(docno)) for docno in wanted}
        return {docno: Explanation(docno, part.value, self.name, (part,)) for docno, part in parts.items()}
