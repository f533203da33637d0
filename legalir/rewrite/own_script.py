"""Leave out questions in the letters of another language, for which terms can find nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyterrier as pt

from legalir.analysis.language import Writing
from legalir.contract import factory_of
from legalir.frames.component import Component

if TYPE_CHECKING:
    from collections.abc import Sequence

    from legalir.explanation import Explanation, Upstream


class OwnScript(Component):
    """Keeps the questions that are written in a script of the collection: a question in English over Korean law goes.

    Of such a question, the terms are numbers and abbreviations, and a fusion would take what these find for a match of
    the whole question. Columns in: ``qid, query``. Columns out: the same.
    """

    name = "own_script"
    writing: Writing

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of these questions."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return inp[[not self.writing.foreign(str(query)) for query in inp["query"]]]

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no queries, with all columns."""
        pt.validate.columns(inp, includes=["qid", "query"])
        return inp

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return nothing: a question has no score."""
        return {}


own_script = factory_of(
    OwnScript,
    "Leave out questions in foreign letters: ``own_script >> bm25``.",
    writing=lambda collection: collection.writing,
)
