"""Sub-queries [hypa-rag]: a chat model splits a question; each part is searched for, and the lists are fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
import pyterrier as pt
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, Field, create_model

from legalir.contract import factory_of
from legalir.declared import check_number
from legalir.frames.columns import REWRITES, drop_results
from legalir.frames.component import Component
from legalir.frames.retriever import cannot_score
from legalir.fuse.fuser import Integers, Results
from legalir.fuse.rrf import RRF
from legalir.llm.chat import REPLY_STATE
from legalir.rewrite.rewriter import Rewriter, asking_factory, check_script, known_numbers, original_questions

_TOKENS = 60
"""Tokens of the reply for each sub-query."""


@cache
def _queries(n: int) -> type[BaseModel]:
    """Return the type of a reply with at most `n` sub-queries."""
    text = Annotated[str, Field(min_length=1, max_length=300)]
    queries: Any = Annotated[list[text], Field(min_length=1, max_length=n)]
    return create_model("SubQueries", __config__=ConfigDict(extra="forbid"), queries=(queries, ...))


class SubQueries(Rewriter):
    """Splits each question into sub-queries [hypa-rag].

    Columns in: ``qid, query``, and perhaps ``rewrites``, the number of sub-queries of the question. Columns out: the
    same, ``query_0`` and ``reply_state``; a row a sub-query, so that a qid occurs several times: :class:`Multi`
    searches and fuses them. A question whose reply failed has one row, with the question itself.

    Raises:
        ComponentError: a parameter is out of range.
        ModelError: no model is named, or it is not allowed.
    """

    name = "rewrite"

    _: KW_ONLY
    n: Annotated[int, Ge(1), Le(50), "largest number of sub-queries"] = 3

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the sub-queries of each question; errors as for any rewriter."""
        queries = drop_results(inp)
        out = super().apply(queries)
        split = out["query"].map(lambda texts: texts.split("\n"))
        return out.assign(query=split).explode("query", ignore_index=True).astype({"query": str})

    def _rewritten(self, inp: pd.DataFrame, questions: Sequence[str]) -> dict[str, list[Any]]:
        counts = inp[REWRITES].tolist() if REWRITES in inp.columns else [self.n] * len(inp)
        texts, states = [""] * len(inp), [""] * len(inp)
        for n in sorted(set(counts)):
            check_number("rewrite", REWRITES, n, low=1, high=50, integer=True)
            rows = [row for row, count in enumerate(counts) if count == n]
            values = [{"question": questions[row], "n": n} for row in rows]
            answers = self.client.ask(
                self.prompt,
                values,
                llm=self.llm,
                kind=_queries(int(n)),
                check=_check,
                max_tokens=_TOKENS * (int(n) + 1),
            )
            for row, answer in zip(rows, answers, strict=True):
                texts[row] = self._lines(answer.value.queries) if answer.state == "ok" else _line(questions[row])
                states[row] = answer.state
        return {"query": texts, REPLY_STATE: states}

    def _lines(self, queries: Sequence[str]) -> str:
        """Return the sub-queries, each once, in lines."""
        return "\n".join(dict.fromkeys(filter(None, (_line(self._cleaned(query)) for query in queries))))


def _line(text: str) -> str:
    return " ".join(text.split())


def _check(reply: Any, question: str) -> None:
    check_script(" ".join(reply.queries), question)


class Multi(RRF, init=False):
    """Searches with each sub-query of a question and fuses the lists by reciprocal rank [hypa-rag], [rrf].

    Columns in: the columns that the rewriter needs; results are refused. Columns out: the query columns of the input,
    then ``docno, score, rank``.

    With rewriting, the paper does not fuse the list of the original question; the released code used only the first
    half of all lists, which is not built here.
    """

    name = "multi"

    pipeline: Annotated[pt.Transformer, "searches"]
    rewriter: Annotated[pt.Transformer, "gives the sub-queries, a row each, such as :class:`SubQueries`"]
    original: Annotated[
        bool,
        "whether the list of the original question is fused, too; a question whose reply failed has it once",
    ] = False
    fuse: Annotated[Literal["rrf"], "the fusion"] = "rrf"

    @property  # type: ignore[misc]  # not a parameter here
    def pipelines(self) -> tuple[pt.Transformer, ...]:  # type: ignore[override]
        """The pipeline that searches."""
        return (self.pipeline,)

    def compile(self) -> pt.Transformer:
        """Return this fusion with its pipeline compiled."""
        return self._changed(pipeline=self.pipeline.compile())

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self._asked(inp)
        return super().empty(inp)

    def results(self, inp: pd.DataFrame) -> list[Results]:
        """Return the lists of the first sub-queries of all questions, then of the second ones, and so on."""
        return [*self._searched(*self._asked(inp))]

    def _searched(self, asked: pd.DataFrame, place: Integers) -> list[pd.DataFrame]:
        """Return the lists of the first rows of all questions, then of the second ones, and so on; rows are [rows]."""
        qids = asked["qid"].to_numpy(dtype=object)
        # One search for all: the rows get qids of their own.
        found = self.pipeline.transform(asked.assign(qid=[str(row) for row in range(len(asked))]))
        row = found["qid"].astype(np.int64).to_numpy()
        found = found.assign(qid=qids[row])
        return [found[place[row] == number] for number in range(int(place.max(initial=0)) + 1)]

    def __repr__(self) -> str:
        return Component.__repr__(self)

    def searches(self, inp: pd.DataFrame) -> list[tuple[str, pt.Transformer, pd.DataFrame]]:
        """Return sub-query, pipeline and input of each list, for one query."""
        asked, _ = self._asked(inp)
        rows = [asked.iloc[[row]] for row in range(len(asked))]
        return [(f"“{row['query'].iloc[0]}”", self.pipeline, row) for row in rows]

    def _asked(self, inp: pd.DataFrame) -> tuple[pd.DataFrame, Integers]:
        """Return a row a search, and its place among the searches of its question, from 0; [rows]."""
        if "docno" in inp.columns:
            raise cannot_score(self.name)
        questions = drop_results(inp)
        asked = self.rewriter.transform(questions.copy())
        if self.original:
            own = questions.assign(query=original_questions(questions))
            states = asked[REPLY_STATE] if REPLY_STATE in asked.columns else pd.Series("ok", index=asked.index)
            own = own[~own["qid"].isin(asked.loc[states != "ok", "qid"])]
            asked = pd.concat([own, asked], ignore_index=True)
        place: Integers = asked.groupby("qid").cumcount().to_numpy().astype(np.int64)
        return asked, place


rewrite = asking_factory(
    SubQueries,
    "Split a question into sub-queries, for ``multi``: ``multi(default, rewrite(n=3))``.",
    "n",
    numbers=known_numbers,
)
multi = factory_of(Multi, "Search with each sub-query and fuse the lists: ``multi(default, rewrite(n=3))``.")
