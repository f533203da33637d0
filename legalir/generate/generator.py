"""Generators: ranked lists in, one answer a query out; and the answer of a pipeline to one question.

An answer cites a provision by its docno in square brackets, after the words it supports: ``… 층을 말한다. [act-2]``.
A docno has no white space, so a citation has none either. Statutes have brackets of their own (``[별표 1]``,
``[전문개정]``): brackets are a citation only if they hold the docno of a provision that could be cited.
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

_OPEN = re.compile(r"\[(?=\S)")
_BLANK = re.compile(r"\s")


def citing(docno: str) -> str:
    """Return the marker that cites a provision: ``[act-2]``."""
    return f"[{docno}]"


def cited(answer: str, docnos: Collection[str]) -> list[str]:
    """Return the provisions that an answer cites, each once, in the order of their first citations.

    Args:
        answer: the text of an answer.
        docnos: the provisions that can be cited: those that the generator received, or a whole collection.
            Brackets around anything else are text.
    """
    citable = docnos if isinstance(docnos, set | frozenset | dict) else set(docnos)
    citations = (_docno_at(answer, bracket.end(), citable) for bracket in _OPEN.finditer(answer))
    return list(dict.fromkeys(docno for docno in citations if docno is not None))


def _docno_at(answer: str, start: int, citable: Collection[str]) -> str | None:
    """Return the longest docno of `citable` from `start` to a closing bracket: a docno may hold brackets itself."""
    blank = _BLANK.search(answer, start)
    word = answer[start : blank.start() if blank else len(answer)]
    ends = [place for place, character in enumerate(word) if character == "]"]
    return next((word[:end] for end in reversed(ends) if word[:end] in citable), None)


class Generator(Component):
    """Component that writes an answer to each question from the provisions in its ranked list.

    Columns in: ``qid, query, docno, score, rank``. Columns out: the query columns and ``qanswer``, a string; one row a
    query, in order of first appearance. A query without results has no row in, and therefore no row out.

    The generator answers the original question. If earlier components rewrote the question, PyTerrier keeps the
    original in ``query_0``, or in the ``query_N`` with the highest number.

    A subclass implements :meth:`answer`; this class handles the frames.
    """

    name: str = "generator"
    """Name in expressions; messages begin with it."""

    def answer(self, query: str, docnos: Sequence[str]) -> str:
        """Return the answer to one question.

        The answer cites a provision by its docno in square brackets (:func:`legalir.generate.generator.citing`).

        Args:
            query: the question.
            docnos: the provisions in the ranked list, best first, each once; at least one.
        """
        raise NotImplementedError

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return an empty frame with all columns."""
        self._validate(inp)
        return drop_results(inp).iloc[:0].assign(qanswer=pd.Series(dtype=str))

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return one answer a query.

        Raises:
            ComponentError: a query or an answer is not a string, or a provision occurs twice in a list.
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
                f"{self.name}: the answer to {qid!r} must be a string, got a value of type {type(answer).__name__}."
            )
        return answer


def _first_query(frame: pd.DataFrame) -> str:
    """Return the column of the original question: each rewriting moves it from ``query_N`` to ``query_N+1``."""
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
        text: the answer, with citations such as ``[act-2]``; empty if the question has no results.
        sources: the provisions that the generator received, best first: ``rank`` (from 0), ``score, docno, title,
            text``. No rows if the generator is inside another component, which does not show its input.
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
    """Return whether a pipeline ends in a generator: whether its output has a column ``qanswer``."""
    return "qanswer" in (pt.inspect.transformer_outputs(pipeline, ["qid", "query"], strict=False) or ())


def ask(pipeline: pt.Transformer, query: str, expression: str) -> tuple[str, pd.DataFrame]:
    """Return the answer of a pipeline to one question, and the ranked list that the generator received.

    The list has ``rank, score, docno``, by rank; no rows if the question has no results, or if no step gave a list.

    Args:
        pipeline: a pipeline that ends in a generator.
        query: the question.
        expression: the pipeline as messages show it.

    Raises:
        ComponentError: the pipeline does not end in a generator, or a component lacks columns.
    """
    frame = pd.DataFrame({"qid": ["1"], "query": [whole_characters(query)]})
    results = empty_like(frame)
    with fed_with_questions(f"answer: {expression!r}"):
        pipeline.transform(frame.iloc[:0])  # Find faults before a model writes an answer.
        if not gives_answers(pipeline):
            raise ComponentError(f"answer: {expression!r} does not end in a generator: add one, such as '>> quote'.")
        for step in pipeline if isinstance(pipeline, pt.Compose) else (pipeline,):
            frame = step.transform(frame)
            if set(RESULT_COLUMNS) <= set(frame.columns):
                results = frame
    text = str(frame["qanswer"].iloc[0]) if len(frame) else ""
    return text, results.sort_values("rank", kind="stable")
