"""An answer and what it was made from: a pipeline that ends in a generator, run step by step for one question.

How an answer cites: the docno in square brackets behind what it supports, ``… 층을 말한다. [act-2]``.

A docno has no white space, so a citation has none. Statutes have brackets of their own (``[별표 1]``,
``[전문개정]``): what is a citation is told by the docnos that were there to be cited.

The contract of a generator: ranked lists in, one answer a query out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.frames.columns import (
    RESULT_COLUMNS,
    drop_results,
    empty_like,
    fed_with_questions,
    require_texts,
    whole_characters,
)
from legalir.frames.component import Component

__all__ = ["Answer", "Generator", "ask", "cited", "citing", "gives_answers"]

_OPEN = re.compile(r"\[(?=\S)")


def citing(docno: str) -> str:
    """Return the marker that cites a provision: ``[act-2]``."""
    return f"[{docno}]"


def cited(answer: str, docnos: Collection[str]) -> list[str]:
    """Return the provisions that an answer cites, each once, in the order of their first citations.

    Args:
        answer: the text of an answer.
        docnos: the provisions that can be cited: those that the generator was given, or a whole collection.
            Brackets around anything else are text.
    """
    known = docnos if isinstance(docnos, set | frozenset | dict) else set(docnos)
    found: dict[str, None] = {}
    for opened in _OPEN.finditer(answer):
        docno = _docno_at(answer, opened.end(), known)
        if docno is not None:
            found[docno] = None
    return list(found)


def _docno_at(answer: str, start: int, known: Collection[str]) -> str | None:
    """Return the longest of `known` that stands at `start` and is closed: a docno may hold brackets itself."""
    blank = re.compile(r"\s").search(answer, start)
    word = answer[start : blank.start() if blank else len(answer)]
    closed = [place for place, character in enumerate(word) if character == "]"]
    return next((word[:place] for place in reversed(closed) if word[:place] in known), None)


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

        It cites a provision by its docno in square brackets (:func:`legalir.generate.generator.citing`).

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


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        query: the question.
        text: the answer, with citations such as ``[act-2]``; empty where nothing was found.
        sources: what the generator was given, best first: ``rank`` (from 0), ``score, docno, title, text``. A
            generator inside of another component keeps it to itself: then there are no rows.
    """

    query: str
    text: str
    sources: pd.DataFrame = field(repr=False, compare=False)

    @property
    def cited(self) -> list[str]:
        """Docnos of the sources that the answer cites, in the order of its citations."""
        return cited(self.text, set(self.sources["docno"]))

    def __str__(self) -> str:
        return self.text


def gives_answers(pipeline: pt.Transformer) -> bool:
    """Return whether a pipeline ends in a generator: whether what it gives has a column ``qanswer``."""
    return "qanswer" in (pt.inspect.transformer_outputs(pipeline, ["qid", "query"], strict=False) or ())


def ask(pipeline: pt.Transformer, query: str, expression: str) -> tuple[str, pd.DataFrame]:
    """Return the answer of a pipeline to one question, and the ranked list that it was made from.

    The list has ``rank, score, docno``, by rank; no rows where nothing was found, or where no step gave a list.

    Args:
        pipeline: ends in a generator.
        query: the question.
        expression: how messages call the pipeline.

    Raises:
        ComponentError: it does not end in a generator, or a component lacks columns.
    """
    frame = pd.DataFrame({"qid": ["1"], "query": [whole_characters(query)]})
    results = empty_like(frame)
    with fed_with_questions(f"answer: {expression!r}"):
        pipeline.transform(frame.iloc[:0])  # Before a model writes for nothing.
        if not gives_answers(pipeline):
            raise ComponentError(f"answer: {expression!r} ends in no generator: add one, such as '>> quote'.")
        for step in pipeline if isinstance(pipeline, pt.Compose) else (pipeline,):
            frame = step.transform(frame)
            if set(RESULT_COLUMNS) <= set(frame.columns):
                results = frame
    text = str(frame["qanswer"].iloc[0]) if len(frame) else ""
    return text, results.sort_values("rank", kind="stable")
