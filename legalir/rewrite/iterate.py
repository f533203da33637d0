"""Iterative retrieval: search, read what was found, ask again, and stop; and the base of models that ask again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
import pyterrier as pt
from annotated_types import Ge, Le
from pyterrier.validate import InputValidationError

from legalir.collections import Collection
from legalir.contract import factory_of
from legalir.errors import ComponentError
from legalir.frames.columns import QUERY_STEPS, drop_results, unique_queries
from legalir.frames.retriever import cannot_score
from legalir.fuse.fuser import Integers, Results
from legalir.fuse.rrf import RRF
from legalir.llm.chat import REPLY_STATE
from legalir.rewrite.rewriter import Rewriter, check_script
from legalir.rewrite.subqueries import Multi
from legalir.storage.documents import title_and_text

if TYPE_CHECKING:
    from legalir.datasets.records import Provision

Steps = tuple[tuple[tuple[str, ...], str], ...]
"""What a model has read and written of a question: of each step, the provisions that were new to it, and its text."""


class _Search(NamedTuple):
    """One search for several questions.

    Attributes:
        asked: a row for each query that was searched for.
        place: its place among the queries of its question in this step, from 0; [rows].
        results: the lists, as :meth:`Multi._searched` returns them.
    """

    asked: pd.DataFrame
    place: Integers
    results: list[pd.DataFrame]


class Iterate(Multi, init=False):
    """Searches, lets a rewriter read the list so far and write the next query, searches again, and fuses all lists.

    The rewriter is any expander that gets ranked lists, or questions where nothing was searched for yet, and returns
    questions: :class:`~legalir.rewrite.ircot.IRCoT`, :class:`~legalir.rewrite.search_r1.SearchR1`, or `rm3`. What it
    returns in the column ``query_steps`` it gets again in the next step. The loop of a question ends when the rewriter
    returns no row for it, an empty query or a failed reply, when nothing was found yet, and after `n` queries. With
    `original` False, a question for which no query of the rewriter found anything is searched for as it is: so also
    where a model answers at once, or its first reply fails.

    Columns in: the columns that the rewriter needs; results are refused. Columns out: the query columns of the input,
    then ``docno, score, rank``. All provisions that any search returned are in the list. The score is that of
    reciprocal rank fusion [rrf] over the searches, and its explanation has a part for each search.

    A question costs at most `n` calls of the rewriter and `n` + 1 searches. Equal models and replies give equal lists.
    """

    name = "iterate"

    pipeline: Annotated[pt.Transformer, "searches; cut it to what is read of each search, as in ``bm25 % 4``"]
    rewriter: Annotated[pt.Transformer, "reads the list so far and gives the next query, or an empty one to stop"]
    original: Annotated[bool, "whether the first search is the question itself; otherwise the rewriter begins"] = True
    n: Annotated[int, Ge(1), Le(100), "maximum number of times that the rewriter is asked about a question"] = 4

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self._loop(inp)
        return super(Multi, self).empty(inp)

    def results(self, inp: pd.DataFrame) -> list[Results]:
        """Return the lists of the first search of all questions, then of the second one, and so on."""
        return [results for search in self._loop(inp) for results in search.results]

    def searches(self, inp: pd.DataFrame) -> list[tuple[str, pt.Transformer, pd.DataFrame]]:
        """Return number and query, pipeline and input of each search, for one question."""
        return [
            (f"search {number} “{search.asked['query'].iloc[row]}”", self.pipeline, search.asked.iloc[[row]])
            for number, search in enumerate(self._loop(inp), start=1)
            for row in range(len(search.asked))
        ]

    def _loop(self, inp: pd.DataFrame) -> list[_Search]:
        """Return all searches for the questions of `inp`."""
        if "docno" in inp.columns:
            raise cannot_score(self.name)
        questions = unique_queries(inp, self.name)
        searches = [self._search(questions)] if self.original else []
        # How many results are kept must not change what is read.
        fusion = RRF(self.pipeline, k=self.k)
        going, steps = set(questions["qid"]), dict[str, Steps]()
        for _ in range(self.n):
            own = [steps.get(qid, ()) for qid in questions["qid"]]
            read = questions.assign(**{QUERY_STEPS: pd.Series(own, index=questions.index, dtype=object)})
            if searches:
                read = fusion.fused(read, [one for search in searches for one in search.results]).frame()
            asked = self._next(read[read["qid"].isin(going)].reset_index(drop=True))
            if asked.empty:
                break
            searches.append(self._search(asked))
            going = set(asked["qid"])
            if QUERY_STEPS in asked.columns:
                steps = dict(zip(asked["qid"], asked[QUERY_STEPS], strict=True))
        if self.original:
            return searches
        found = {qid for search in searches for one in search.results for qid in one["qid"]}
        rest = questions[~questions["qid"].isin(found)].reset_index(drop=True)
        return searches if rest.empty else [*searches, self._search(rest)]

    def _next(self, read: pd.DataFrame) -> pd.DataFrame:
        """Return the queries that the rewriter wants to be searched for.

        Raises:
            ComponentError: it returns documents, or needs a list where nothing was searched for yet.
        """
        try:
            asked = self.rewriter.transform(read.copy())
        except InputValidationError as error:
            if "docno" in read.columns or "docno" not in error.modes[0].missing_columns:
                raise
            raise ComponentError(
                f"{self.name}: {self.rewriter} cannot begin, because it reads a list: leave out original=False."
            ) from error
        if "docno" in asked.columns:
            raise ComponentError(
                f"{self.name}: {self.rewriter} returned documents and no questions: give an expander that returns "
                f"questions, such as ircot, search_r1 or rm3."
            )
        wanted = asked["query"].map(lambda query: bool(str(query).strip())).astype(bool)
        if REPLY_STATE in asked.columns:
            wanted &= asked[REPLY_STATE].isna() | (asked[REPLY_STATE] == "ok")
        return asked[wanted].reset_index(drop=True)

    def _search(self, asked: pd.DataFrame) -> _Search:
        place: Integers = asked.groupby("qid").cumcount().to_numpy().astype(np.int64)
        return _Search(asked, place, self._searched(asked, place))


class NextQuery(Rewriter):
    """Base of models that read what was found and write the next query, for :class:`Iterate`.

    Columns in: ``qid, query``, perhaps ``docno, score, rank`` of the provisions that were found so far, and
    ``query_steps``. Columns out: the query columns, with the next query in ``query``, empty to stop; the question in
    ``query_0``; ``reply_state``; and ``query_steps``: of each step, the provisions that were new, and what the model
    wrote. A query that the model wrote before is not searched for again: the loop stops. Where the reply failed,
    ``query`` has the question, and the loop stops, too.

    A subclass names the slots of its prompt in :meth:`_slots`, says in :meth:`_text` what is kept of a reply, and reads
    it by :meth:`_query`.

    Raises:
        ComponentError: a parameter is out of range; in a search, the collection lacks a provision.
        ModelError: no model is named, or it is not allowed.
    """

    columns = (*Rewriter.columns, QUERY_STEPS)
    max_tokens: ClassVar[int]
    """Maximum number of tokens of a reply."""

    _: KW_ONLY
    collection: Annotated[Collection, "has the texts of the provisions"]
    k: Annotated[
        int,
        Ge(1),
        "maximum number of provisions that the model reads of a question, first found first; all are in the list",
    ] = 15
    max_characters: Annotated[int, Ge(20), "maximum number of characters that the model reads of a provision"] = 1000

    def _slots(self, steps: Steps, lines: Mapping[str, str]) -> dict[str, str]:
        """Return the values of the prompt's slots, but the question.

        Args:
            steps: the steps so far; the text of the last one is to be written.
            lines: each provision of the steps as a numbered line.
        """
        raise NotImplementedError

    def _text(self, reply: str, raw: str) -> str:
        """Return what is kept of a reply.

        Args:
            reply: its text without reasoning.
            raw: the whole text.

        Raises:
            FailedReply: the reply is of no use.
        """
        raise NotImplementedError

    def _query(self, text: str) -> str:
        """Return the query in a text that was kept; empty if it ends the loop."""
        raise NotImplementedError

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the next queries; errors as for any rewriter, and as the class."""
        pt.validate.columns(inp, includes=["qid", "query"])
        questions = drop_results(inp)
        found: dict[Any, list[str]] = {}
        if "docno" in inp.columns:
            ranked = inp.sort_values("rank", kind="stable") if "rank" in inp.columns else inp
            found = ranked.groupby("qid", sort=False)["docno"].agg(list).to_dict()
        before = questions[QUERY_STEPS] if QUERY_STEPS in questions.columns else [()] * len(questions)
        steps = [
            (*earlier, (self._new(found.get(qid, []), earlier), ""))
            for qid, earlier in zip(questions["qid"], before, strict=True)
        ]
        return super().apply(questions.assign(**{QUERY_STEPS: pd.Series(steps, index=questions.index, dtype=object)}))

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no queries, with all columns."""
        return super().empty(drop_results(inp).assign(**{QUERY_STEPS: pd.Series(dtype=object)}))

    def _new(self, docnos: Sequence[str], steps: Steps) -> tuple[str, ...]:
        """Return the provisions of a list that the model reads now: it has not read them, and `k` are not reached."""
        read = {docno for new, _ in steps for docno in new}
        return tuple([docno for docno in docnos if docno not in read][: self.k - len(read)])

    def _rewritten(self, inp: pd.DataFrame, questions: Sequence[str]) -> dict[str, list[Any]]:
        steps: list[Steps] = inp[QUERY_STEPS].tolist()
        provisions = self.collection.provisions({docno for each in steps for new, _ in each for docno in new})
        values = [
            {"question": question, **self._slots(each, self._lines(each, provisions))}
            for question, each in zip(questions, steps, strict=True)
        ]
        replies = self.client.ask(
            self.prompt, values, llm=self.llm, may_be_cut=True, check=self._check, max_tokens=self.max_tokens
        )
        columns: dict[str, list[Any]] = {"query": [], REPLY_STATE: [reply.state for reply in replies], QUERY_STEPS: []}
        for question, each, reply in zip(questions, steps, replies, strict=True):
            text, query = "", question
            if reply.state == "ok":
                text = self._text(reply.value, reply.reply.text if reply.reply else reply.value)
                query = self._query(text)
                if query.casefold() in {self._query(earlier).casefold() for _, earlier in each}:
                    query = ""
                query = " ".join(self._cleaned(query).split())
            columns["query"].append(query)
            columns[QUERY_STEPS].append((*each[:-1], (each[-1][0], text)))
        return columns

    def _check(self, reply: str, question: str) -> None:
        check_script(self._query(self._text(reply, reply)), question)

    def _lines(self, steps: Steps, provisions: Mapping[str, Provision]) -> dict[str, str]:
        """Return each provision of the steps as a line with its number, from 1.

        Raises:
            ComponentError: the collection lacks one.
        """
        lines: dict[str, str] = {}
        for docno in (docno for new, _ in steps for docno in new):
            if docno not in provisions:
                raise ComponentError(f"{self.name}: there is no provision {docno!r} in {self.collection!r}.")
            text = title_and_text(provisions[docno].title, provisions[docno].text)
            lines[docno] = f"[{len(lines) + 1}] {' '.join(text.split())[: self.max_characters]}"
        return lines


iterate = factory_of(
    Iterate, "Search, let a model read what was found and ask again: ``iterate(default % 4, ircot, n=8)``."
)
