"""As much of a list as a reader with a budget of tokens reads."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.frames.ranking import RankedLists
from legalir.llm.chat import estimated_tokens
from legalir.rerank.filtered import Filtered
from legalir.rerank.pairs import look_up


def fits(query: npt.NDArray[np.int64], size: npt.NDArray[np.int64], budget: int) -> npt.NDArray[np.bool_]:
    """Return which rows lie within a budget: those whose sizes, added up from the first row of their list, reach at
    most `budget`; [r].

    Args:
        query: number of the list of each row, rows of one list together and in order of rank; [r].
        size: size of each row, at least 0; [r].
        budget: of each list.
    """
    total = np.cumsum(size)
    first = np.flatnonzero(np.diff(query, prepend=-1))  # first row of each list
    before = np.repeat(total[first] - size[first], np.diff(first, append=len(query)))
    return total - before <= budget


class Within(Filtered):
    """Cuts each list before the first provision that no longer fits into a budget of tokens.

    So ``R`` of ``bm25 >> within(tokens=2000)`` is the recall within 2 000 retrieved tokens: how much a language model
    has to be given. A provision is its title and text, whole or not at all; its tokens are estimated
    (:func:`legalir.llm.chat.estimated_tokens`), the same for each system and each model. A list whose first provision
    does not fit is empty.

    Columns in: ``qid, docno, score`` and any others. Columns out: the same and ``rank``.

    Raises:
        ComponentError: a document is not a provision of the collection.
    """

    name = "within"
    collection: Collection
    tokens: Annotated[int, Ge(1), "estimated tokens of the provisions of a list, together"] = 2000

    def kept(self, lists: RankedLists) -> npt.NDArray[np.bool_]:
        """Return for each row whether it and all before it fit; [r]."""
        docnos = lists.docno.tolist()
        provisions = look_up(list(dict.fromkeys(docnos)), self.collection, self.name)
        sizes = {
            one: estimated_tokens(f"{title}\n{text}" if title else text) for one, (title, text) in provisions.items()
        }
        return fits(lists.query, np.array([sizes[docno] for docno in docnos], dtype=np.int64), self.tokens)


within = factory_of(Within, "Cut a list at a budget of tokens: ``bm25 >> within(tokens=2000)``.")
within.expected_failures = {"same-documents": "What does not fit is dropped."}  # type: ignore[attr-defined]
