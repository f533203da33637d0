"""The contract of a generator: ranked lists in, one answer a query out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.columns import drop_results, require_texts
from legalir.component import Component
from legalir.errors import ComponentError

__all__ = ["Generator"]


class Generator(Component):
    """Writes an answer to each question from the provisions found for it.

    Columns in: ``qid, query, docno, score, rank``. Columns out: the query columns and ``qanswer``, a string; one row a
    query, in order of first appearance. A query for which nothing was found has no row in, and so none out.

    What is answered is the question as it was asked: where components before rewrote it, PyTerrier keeps it in
    ``query_0``, or the highest number there is.

    A subclass implements :meth:`answer`; all that concerns frames is done here.
    """

    name: str = "generator"
    """The name in expressions, which messages begin with."""

    def answer(self, query: str, docnos: Sequence[str]) -> str:
        """Return the answer to one question.

        It cites a provision by its docno in square brackets (:func:`legalir.generate.citations.citing`).

        Args:
            query: the question.
            docnos: what was found, best first, each once; at least one.
        """
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no answers, with all columns."""
        self._validate(inp)
        return drop_results(inp).iloc[:0].assign(qanswer=pd.Series(dtype=str))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return one answer a query.

        Raises:
            ComponentError: a query is no string, a provision occurs twice in a list, or an answer is no string.
        """
        self._validate(inp)
        out = drop_results(inp).reset_index(drop=True)
        asked = out.assign(query=out[_first_query(out)])
        require_texts(asked, self.name)
        answers = [
            self._checked(qid, self.answer(query, docnos))
            for qid, query, docnos in zip(asked["qid"], asked["query"], self._lists(inp), strict=True)
        ]
        return out.assign(qanswer=pd.Series(answers, dtype=str))

    def _validate(self, inp: pd.DataFrame) -> None:
        pt.validate.columns(inp, includes=["qid", "query", "docno", "score", "rank"])

    def _lists(self, inp: pd.DataFrame) -> Iterator[list[str]]:
        """Yield the docnos of each query, best first, in order of the queries' first appearance."""
        if (twice := inp.duplicated(["qid", "docno"])).any():
            row = inp[twice].iloc[0]
            raise ComponentError(f"{self.name}: {row['docno']!r} occurs twice in the list of query {row['qid']!r}.")
        query = pd.factorize(inp["qid"])[0]
        order = np.lexsort((inp["docno"].to_numpy(dtype=str), inp["rank"].to_numpy(), query))
        docnos = inp["docno"].to_numpy(dtype=object)[order]
        for of_query in np.split(docnos, np.flatnonzero(np.diff(query[order])) + 1):
            yield of_query.tolist()

    def _checked(self, qid: str, answer: object) -> str:
        if not isinstance(answer, str):
            raise ComponentError(
                f"{self.name}: the answer to {qid!r} is of type {type(answer).__name__}, where a string is expected."
            )
        return answer


def _first_query(frame: pd.DataFrame) -> str:
    """Return the column of the question before any rewriting: each one moves what was there up by one."""
    name = "query"
    for number in itertools.count():
        if f"query_{number}" not in frame.columns:
            break
        name = f"query_{number}"
    return name
