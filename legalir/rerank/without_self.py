"""Questions that are documents of the collection: their own document is taken out of their lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream
from legalir.frames.component import Component
from legalir.frames.ranking import RankedLists, places, read_lists
from legalir.storage.validity import provision_key


class WithoutSelf(Component):
    """Removes from each list the document that is the question, as for prior cases and ArguAna.

    The others keep their scores and move up; of versions of provisions, all of one key are the question's document. Put
    the cut behind it, ``bm25 >> without_self % 100``, or let the list
    before it be one longer, ``bm25 % 101 >> without_self``.

    Columns in: ``qid, docno, score`` and any others. Columns out: the same and ``rank``.

    Raises:
        ComponentError: `column` is not the name of a column.
    """

    column: Annotated[
        str,
        "column of the questions that names their own document; ``qid`` where question and document share an id",
    ] = "qid"

    def __post_init__(self) -> None:
        if not self.column:
            raise ComponentError(f"without_self: column={self.column!r} is not the name of a column, such as 'qid'.")

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no rows, with all columns."""
        pt.validate.columns(inp, includes=["qid", "docno", "score", self.column])
        return inp.iloc[:0].assign(score=pd.Series(dtype=np.float64), rank=pd.Series(dtype=np.int64))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return each list without the query's own document, with new ranks.

        Raises:
            ComponentError: a score is not a finite number, or a document occurs twice.
        """
        pt.validate.columns(inp, includes=["qid", "docno", "score", self.column])
        lists, row = read_lists(inp, "without_self")
        kept = self._others(lists)
        out = inp.iloc[row[kept]].reset_index(drop=True)
        return out.assign(score=lists.score[kept], rank=places(lists.query[kept]))

    def rank_lists(self, lists: RankedLists) -> RankedLists:
        """Return the lists without the questions' own documents."""
        pt.validate.columns(lists.queries, includes=["qid", self.column])
        kept = self._others(lists)
        return RankedLists(lists.queries, lists.query[kept], lists.docno[kept], lists.score[kept])

    def _others(self, lists: RankedLists) -> npt.NDArray[np.bool_]:
        """Return for each row whether its document is another than the question; [r]."""
        own = lists.queries[self.column].tolist()
        pairs = zip(lists.query.tolist(), lists.docno.tolist(), strict=True)
        return np.array([own[query] not in (docno, provision_key(docno)) for query, docno in pairs], dtype=bool)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the scores of `docnos`, unchanged from the input list."""
        lists = self.rank_lists(read_lists(inp, "without_self")[0])
        scores = dict(zip(lists.docno.tolist(), lists.score.tolist(), strict=True))
        wanted = [docno for docno in docnos if docno in scores]
        origins = upstream(wanted)
        parts = {docno: Part("score of the list", scores[docno], origins.get(docno)) for docno in wanted}
        return {docno: Explanation(docno, part.value, "without_self", (part,)) for docno, part in parts.items()}


without_self = factory_of(WithoutSelf, "Remove the document that is the question: ``bm25 % 101 >> without_self``.")
