"""Questions that are documents of the collection: their own document is taken out of their lists."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.frames.ranking import RankedLists
from legalir.rerank.filtered import Filtered
from legalir.storage.validity import provision_key


class WithoutSelf(Filtered):
    """Removes from each list the document that is the question, as for prior cases and ArguAna.

    The others keep their scores and move up; of versions of provisions, all of one key are the question's document. Put
    the cut behind it, ``bm25 >> without_self % 100``, or let the list
    before it be one longer, ``bm25 % 101 >> without_self``.

    Columns in: ``qid, docno, score`` and any others. Columns out: the same and ``rank``.

    Raises:
        ComponentError: `column` is not the name of a column.
    """

    name = "without_self"
    column: Annotated[
        str,
        "column of the questions that names their own document; ``qid`` where question and document share an id",
    ] = "qid"

    def __post_init__(self) -> None:
        if not self.column:
            raise ComponentError(f"without_self: column={self.column!r} is not the name of a column, such as 'qid'.")

    def needs(self) -> list[str]:
        """Return the columns that are read."""
        return ["qid", self.column]

    def kept(self, lists: RankedLists) -> npt.NDArray[np.bool_]:
        """Return for each row whether its document is another than the question; [r]."""
        own = lists.queries[self.column].tolist()
        pairs = zip(lists.query.tolist(), lists.docno.tolist(), strict=True)
        return np.array([own[query] not in (docno, provision_key(docno)) for query, docno in pairs], dtype=bool)


without_self = factory_of(WithoutSelf, "Remove the document that is the question: ``bm25 % 101 >> without_self``.")
