"""The lists of several pipelines as arrays, checked, and the ranking of what was made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError

__all__ = ["Lists", "ranking", "stack"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """The results of several pipelines, below each other; m rows.

    Attributes:
        pipeline: number of the pipeline that returned each row, from 0; [m].
        query: position of its query among those asked; [m].
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
        """Number of the query and document of each row, [m], and what each number stands for, [p].

        A pair stands for ``query * len(docnos) + document``.
        """
        found, pairs = pd.factorize(self.query * len(self.docnos) + self.document)
        return found.astype(np.int64), pairs


def stack(results: Sequence[pd.DataFrame], qids: Sequence[str], name: str) -> Lists:
    """Return the results of several pipelines as arrays.

    Args:
        results: a frame of each pipeline, with ``qid, docno, score, rank``.
        qids: the queries that were asked, each once.
        name: of the component, for messages.

    Raises:
        ComponentError: a pipeline returned no scores or ranks, a score that is no finite number, a rank that is no
            whole number from 0, a document twice, or a query that was not asked.
    """
    for number, result in enumerate(results, start=1):
        missing = [column for column in ("qid", "docno", "score", "rank") if column not in result.columns]
        if missing:
            raise ComponentError(
                f"{name}: pipeline {number} returned no column {missing[0]!r}: let a component that scores end it."
            )
    pipeline = np.repeat(np.arange(len(results)), [len(result) for result in results])
    columns = {
        column: np.concatenate([result[column].to_numpy(dtype=kind) for result in results])
        for column, kind in (("qid", object), ("docno", object), ("score", np.float64), ("rank", np.float64))
    }
    query = _positions(qids, columns["qid"])
    document, docnos = pd.factorize(columns["docno"])
    lists = Lists(pipeline, query, document.astype(np.int64), columns["rank"], columns["score"], docnos)
    _check(lists, columns["qid"], name)
    return Lists(pipeline, query, lists.document, columns["rank"].astype(np.int64) + 1, lists.score, docnos)


def _positions(qids: Sequence[str], asked: npt.NDArray[np.object_]) -> Integers:
    """Return the position of each of `asked` in `qids`, -1 for what is not there; [m]."""
    known: pd.Index[str] = pd.Index(np.asarray(qids, dtype=object), dtype=object)
    return known.get_indexer(pd.Index(asked, dtype=object)).astype(np.int64)


def _check(lists: Lists, qids: npt.NDArray[np.object_], name: str) -> None:
    rank = lists.rank
    group = lists.group
    twice = pd.Series(group * max(1, len(lists.docnos)) + lists.document).duplicated().to_numpy()
    for faulty, fault in (
        (lists.query < 0, "belongs to a query that it was not asked"),
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


def ranking(query: Integers, document: Integers, score: Floats, docnos: npt.NDArray[np.object_]) -> Integers:
    """Return the order of rows by query, then score descending, then docno ascending; [p]."""
    order = np.argsort(-score)
    # Sorting is by radix, as for 16-bit numbers, where there are no more queries than that.
    small = query.astype(np.uint16) if len(query) and query.max() < 1 << 16 else query
    order = order[np.argsort(small[order], kind="stable")]
    new = (np.diff(score[order], prepend=np.nan) != 0) | (np.diff(query[order], prepend=-1) != 0)
    tied = ~new
    tied[:-1] |= tied[1:]
    if not tied.any():
        return order
    # Strings are slow to sort: only the docnos of equal scores are, and each once.
    rows = order[tied]
    documents = np.unique(document[rows])
    place = np.zeros(len(docnos), dtype=np.int64)
    place[documents[sorted(range(len(documents)), key=docnos[documents].tolist().__getitem__)]] = np.arange(
        len(documents)
    )
    run = np.cumsum(new)[tied]
    order[tied] = rows[np.argsort(run * len(docnos) + place[document[rows]])]
    return order
