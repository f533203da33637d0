"""Base of fusions: runs its pipelines, reads their lists as arrays, and adds up a value of each document in each list.

m is the number of rows of all lists together, p of pairs of a query and a document. Ranks are 1-based.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Real
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, explain_step, label_of
from legalir.frames.chain import step
from legalir.frames.columns import empty_like, unique_queries
from legalir.frames.component import Cuttable
from legalir.frames.ranking import RankedLists, places, ranking
from legalir.fuse.exact import totals
from legalir.llm.chat import REPLY_STATE

Results = pd.DataFrame | RankedLists
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """The results of several pipelines, below each other; m rows.

    Attributes:
        pipeline: number of the pipeline that returned each row, from 0; [m].
        query: position of each row's query among the input queries; [m].
        document: number of its document in `docnos`; [m].
        rank: its rank, 1-based; [m].
        score: its score; [m].
        docnos: every docno once; object [d].
    """

    pipeline: Integers
    query: Integers
    document: Integers
    rank: Integers
    score: Floats
    docnos: npt.NDArray[np.object_]

    @property
    def group(self) -> Integers:
        """Number of the list of each row: one for each pipeline and query; [m]."""
        queries = int(self.query.max()) + 1 if len(self.query) else 0
        return self.pipeline * queries + self.query

    @property
    def pair(self) -> tuple[Integers, Integers]:
        """Number of the pair of query and document of each row, [m], and the pair of each number, [p].

        A pair is ``query * len(docnos) + document``.
        """
        number, pairs = pd.factorize(self.query * len(self.docnos) + self.document)
        return number.astype(np.int64), pairs

    @property
    def holders(self) -> Integers:
        """Number of lists of the same query that have the document of each row; [m]."""
        pair, pairs = self.pair
        return np.bincount(pair, minlength=len(pairs))[pair]


def stack(results: Sequence[Results], qids: Sequence[str], name: str) -> Lists:
    """Return the results of several pipelines as arrays.

    A list whose query has a failed reply in ``reply_state`` was searched for the original question. It is left out
    where the query has another list, so that the original question does not count twice.

    Args:
        results: of each pipeline, ranked lists, or a frame with ``qid, docno, score, rank``.
        qids: the queries, each once.
        name: of the component, for messages.

    Raises:
        ComponentError: a pipeline returned no scores or ranks, a score that is not a finite number, a rank that is not
            a whole number from 0, a document twice, or a query that is not in the input.
    """
    position = {qid: place for place, qid in enumerate(qids)}
    columns = [_columns(each, position, f"{name}: pipeline {number}") for number, each in enumerate(results, start=1)]
    pipeline = np.repeat(np.arange(len(results)), [len(query) for query, *_ in columns])
    query, qid, docno, score, rank, failed = map(np.concatenate, zip(*columns, strict=True))
    if failed.any():
        kept = ~failed | ~np.isin(query, query[~failed])
        pipeline, query, qid, docno, score, rank = (one[kept] for one in (pipeline, query, qid, docno, score, rank))
    document, docnos = pd.factorize(docno)
    lists = Lists(pipeline, query, document.astype(np.int64), rank, score, docnos)
    _check(lists, qid, name)
    return replace(lists, rank=rank.astype(np.int64) + 1)


def _columns(results: Results, position: Mapping[str, int], pipeline: str) -> tuple[npt.NDArray[Any], ...]:
    """Return position of the query (−1 if missing), qid, docno, score, rank from 0, and failed; each [m]."""
    if isinstance(results, RankedLists):
        queries, docno, score = results.queries, results.docno, results.score
        row, rank = results.query, places(results.query).astype(np.float64)
    else:
        missing = [column for column in ("qid", "docno", "score", "rank") if column not in results.columns]
        if missing:
            raise ComponentError(f"{pipeline} returned no column {missing[0]!r}: let a component that scores end it.")
        queries, docno = results, results["docno"].to_numpy(dtype=object)
        score, rank = (results[column].to_numpy(dtype=np.float64) for column in ("score", "rank"))
        row = np.arange(len(docno))
    qids = queries["qid"].to_numpy(dtype=object)
    failed = np.zeros(len(qids), dtype=bool)
    if REPLY_STATE in queries.columns:
        failed = (queries[REPLY_STATE].notna() & (queries[REPLY_STATE] != "ok")).to_numpy()
    query = np.array([position.get(qid, -1) for qid in qids], dtype=np.int64)
    return query[row], qids[row], docno, score, rank, failed[row]


def _check(lists: Lists, qids: npt.NDArray[np.object_], name: str) -> None:
    rank = lists.rank
    group = lists.group
    twice = pd.Series(group * max(1, len(lists.docnos)) + lists.document).duplicated().to_numpy()
    for faulty, fault in (
        (lists.query < 0, "belongs to a query that it was not given"),
        (~np.isfinite(lists.score), "has a score that is not a finite number"),
        (~((rank >= 0) & (rank == np.floor(rank))), "has a rank that is not a whole number from 0"),
        (twice, "is there twice"),
    ):
        if faulty.any():
            row = int(np.argmax(faulty))
            docno = lists.docnos[lists.document[row]] if lists.document[row] >= 0 else None
            raise ComponentError(
                f"{name}: in the results of pipeline {lists.pipeline[row] + 1}, {docno!r} of query {qids[row]!r} "
                f"{fault}."
            )


def checked_weights(component: str, weights: object, pipelines: int) -> tuple[float, ...]:
    """Return the weights as plain numbers.

    Raises:
        ComponentError: `weights` is not one finite number for each of `pipelines`.
    """
    given: list[Any] = list(weights) if isinstance(weights, Iterable) else [weights]
    for weight in given:
        if isinstance(weight, bool) or not isinstance(weight, Real) or not math.isfinite(weight):
            message = f"{component}: weights={weights!r} is not a list of finite numbers."
            raise ComponentError(message, component=component, parameter="weights", value=weights)
    if len(given) != pipelines:
        message = f"{component}: there are {len(given)} weights for {pipelines} pipelines: give each pipeline one."
        raise ComponentError(message, component=component, parameter="weights", value=weights)
    return tuple(float(weight) for weight in given)


class Fuser(Cuttable, init=False):
    """Fuses the lists of its pipelines: the score of a document is the sum of its values in each list, rounded once.

    Columns in: the columns that the pipelines need; all get the same input, so ``bm25 % 100 >> rrf(tfidf, lsa)`` fuses
    the scores that both give to the first 100. Columns out: the query columns of the
    input, then ``docno, score, rank``; other columns of the pipelines' results are dropped. Every document that any
    pipeline returned is kept, or the best `num_results` of them: ``% k`` compiles to that. A list that lacks a document
    gives it 0.

    Equal pipelines run once a call, and so do the equal beginnings of different ones.
    """

    name = ""
    note = ""
    """A remark for the record of a run; it changes nothing."""
    pipelines: Annotated[tuple[pt.Transformer, ...], "the pipelines to fuse, at least one"]
    _: KW_ONLY
    num_results: Annotated[int | None, Ge(1), "results per query; None for all"] = None
    schematic: ClassVar[dict[str, object]] = {**Cuttable.schematic, "inner_pipelines_mode": "combine"}

    def __post_init__(self) -> None:
        self.check_pipelines()

    def check_pipelines(self) -> None:
        """Check that there is a pipeline, and that all are transformers.

        Raises:
            ComponentError: otherwise.
        """
        if not self.pipelines:
            raise ComponentError(f"{self.name}: give at least one pipeline.")
        for number, pipeline in enumerate(self.pipelines, start=1):
            if not isinstance(pipeline, pt.Transformer):
                raise ComponentError(f"{self.name}: pipeline {number} is {pipeline!r}, which is not a transformer.")

    def contributions(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return the part of each row in the score of its document; [m]."""
        raise NotImplementedError

    def rests(self, lists: Lists) -> npt.NDArray[np.float64]:
        """Return what rounding took from each contribution, so that documents with equal sums are tied; [m]."""
        return np.zeros(len(lists.score))

    def describe(self, lists: Lists, row: int) -> tuple[str, dict[str, object]]:
        """Return how the contribution of one row was computed, for people and for programs."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """The fusion with short names of its pipelines."""
        return f"{self.name}({', '.join(map(label_of, self.pipelines))})"

    def compile(self) -> pt.Transformer:
        """Return this fusion with its pipelines compiled."""
        return self._changed(pipelines=tuple(pipeline.compile() for pipeline in self.pipelines))

    def __repr__(self) -> str:
        others = [f"{name}={value!r}" for name, value in self._shown().items() if name != "pipelines"]
        return f"{type(self).__name__}({', '.join([*map(repr, self.pipelines), *others])})"

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return an empty frame with all columns; the pipelines report missing input columns."""
        for pipeline in self.pipelines:
            pipeline.transform(inp.copy())
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the fused list of every query.

        Raises:
            ComponentError: a pipeline's results cannot be fused; the message gives the reason.
        """
        return self.retrieve_lists(inp).frame()

    def retrieve_lists(self, inp: pd.DataFrame) -> RankedLists:
        """Return the fused lists; errors as :meth:`apply`."""
        pt.validate.columns(inp, includes=["qid"])
        return self.fused(unique_queries(inp, self.name), self.results(inp))

    def fused(self, queries: pd.DataFrame, results: Sequence[Results]) -> RankedLists:
        """Return the fused lists of queries, each of which occurs once; errors as :meth:`apply`.

        Args:
            queries: the query columns.
            results: of each list, as :func:`stack` takes them.
        """
        lists = stack(results, queries["qid"].tolist(), self.name)
        query, document, score = self._ranked(lists, self.contributions(lists))
        return RankedLists(queries, query, lists.docnos[document], score)

    def _ranked(self, lists: Lists, values: npt.NDArray[np.float64]) -> tuple[Integers, Integers, Floats]:
        """Return query, document and score of each result, in their order; each [p]."""
        row, pairs = lists.pair
        score = totals(values, self.rests(lists), row, lists.pipeline, len(pairs))
        query, document = np.divmod(pairs, max(1, len(lists.docnos)))
        order = ranking(query, score, document, lists.docnos)
        if self._most is not None:
            order = order[places(query[order]) < self._most]
        return query[order], document[order], score[order]

    def results(self, inp: pd.DataFrame) -> list[Results]:
        """Return the results of each pipeline; a beginning that several share runs once."""
        chains = [tuple(pipeline) if isinstance(pipeline, pt.Compose) else (pipeline,) for pipeline in self.pipelines]
        results = dict(_run(dict(enumerate(chains)), inp))
        return [results[number] for number in range(len(chains))]

    def searches(self, inp: pd.DataFrame) -> list[tuple[str, pt.Transformer, pd.DataFrame]]:
        """Return label, pipeline and input of each list, for one query."""
        return [(label_of(pipeline), pipeline, inp) for pipeline in self.pipelines]

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return the part of each list in the scores of `docnos`."""
        lists = stack(self.results(inp), inp["qid"].drop_duplicates().tolist(), self.name)
        values = self.contributions(lists)
        number = {docno: document for document, docno in enumerate(lists.docnos.tolist())}
        _, document, ranked = self._ranked(lists, values)
        scores = dict(zip(document.tolist(), ranked.tolist(), strict=True))
        wanted = [docno for docno in docnos if number.get(docno) in scores]
        parts: dict[str, list[Part]] = {docno: [] for docno in wanted}
        absent: dict[str, list[str]] = {docno: [] for docno in wanted}
        for position, (name, pipeline, asked) in enumerate(self.searches(inp)):
            rows = {int(lists.document[row]): int(row) for row in np.flatnonzero(lists.pipeline == position)}
            sources = explain_step(pipeline, asked, [docno for docno in wanted if number[docno] in rows], upstream)
            for docno in wanted:
                if (row := rows.get(number[docno])) is None:
                    absent[docno].append(name)
                    continue
                how, detail = self.describe(lists, row)
                detail = {"pipeline": name, **detail}
                label = f"{how} in {name}"
                parts[docno].append(Part(label, float(values[row]), sources.get(docno), detail))
        return {
            docno: Explanation(docno, scores[number[docno]], self.label, tuple(parts[docno]), _absence(absent[docno]))
            for docno in wanted
        }


def _absence(labels: Sequence[str]) -> str:
    return f"not returned by {', '.join(labels)}" if labels else ""


def _run(chains: Mapping[int, Sequence[pt.Transformer]], state: Results) -> Iterator[tuple[int, Results]]:
    """Yield the results of each chain, by its number; steps that several of them begin with run once."""
    branches: dict[pt.Transformer, dict[int, Sequence[pt.Transformer]]] = {}
    for number, parts in chains.items():
        if parts:
            branches.setdefault(parts[0], {})[number] = parts[1:]
        else:
            yield number, state
    for first, rest in branches.items():
        # Transformers of others may change their input.
        yield from _run(rest, step(first, state.copy() if isinstance(state, pd.DataFrame) else state))
