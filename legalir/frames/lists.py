"""From what was found to a frame of results.

Ranked lists of many queries as arrays, and back to a frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.frames.columns import drop_results, query_rows

__all__ = ["Found", "Numbering", "RankedLists", "asked_only", "ranked_frame", "ranking", "read_lists", "results_frame"]


class Numbering(Protocol):
    """What numbers the provisions of a collection, such as its citation graph."""

    def __len__(self) -> int: ...

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the number of each docno, −1 for one that is not there; [m]."""


class RankedLists(NamedTuple):
    """The lists of all queries of a frame, one after the other; r rows of q queries.

    Attributes:
        queries: the query columns, one row a query, [q].
        query: position in `queries`, int64 [r], ascending.
        rank: place in the list, from 1, int64 [r].
        docno: object [r].
        node: number in the graph, −1 for a document that it does not know, int64 [r].
        score: float64 [r], descending within a query; equal scores by ascending docno.
        row: position in the frame, int64 [r].
    """

    queries: pd.DataFrame
    query: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    docno: npt.NDArray[np.object_]
    node: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]
    row: npt.NDArray[np.int64]

    def qid(self, row: int) -> str:
        """Return the qid of a row."""
        return str(self.queries["qid"].iloc[self.query[row]])


def read_lists(frame: pd.DataFrame, graph: Numbering, component: str, noun: str = "graph") -> RankedLists:
    """Return the lists of a result frame that has rows, ordered by score; the order of its rows does not matter.

    Args:
        frame: columns ``qid, docno, score``.
        graph: the citation graph, or what else numbers the provisions.
        component: name of who reads, for errors.
        noun: what `graph` is called there.

    Raises:
        ComponentError: a score is no finite number, a document occurs twice in a list, or the graph knows none of
            the documents, so that it belongs to another collection.
    """
    query, heads = _queries(frame["qid"])
    # Most provisions are in several lists, and each is looked up once.
    place, distinct = pd.factorize(frame["docno"], use_na_sentinel=False)
    known = np.asarray(distinct, dtype=object)
    docno, node = known[place], graph.numbers(known)[place]
    score = _scores(frame, component)
    if (node < 0).all():
        raise ComponentError(
            f"{component}: none of the {len(node)} retrieved provisions (such as {docno[0]!r}) is in {graph!r}: "
            f"give the {noun} of the collection that was searched."
        )
    _check_repeats(frame, query, node, len(graph), component)
    queries = drop_results(query_rows(frame, heads))
    order = ranking(query, score, docno)
    query = query[order]
    return RankedLists(queries, query, _places(query) + 1, docno[order], node[order], score[order], order)


def _queries(qids: pd.Series) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number the queries by first appearance; return the number of each row, and the first row of each number."""
    values = qids.to_numpy(dtype=object)
    changes = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    # Rows of a query mostly stand together: only where the qid changes has it to be looked up.
    numbers, known = pd.factorize(values[changes])
    heads = changes[np.unique(numbers, return_index=True)[1]] if len(known) < len(changes) else changes
    return np.repeat(numbers, np.diff(changes, append=len(values))).astype(np.int64), heads


def _scores(frame: pd.DataFrame, component: str) -> npt.NDArray[np.float64]:
    try:
        score = frame["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ComponentError(f"{component}: the column 'score' holds something that is no number.") from None
    if not np.isfinite(score).all():
        row = int(np.flatnonzero(~np.isfinite(score))[0])
        raise ComponentError(
            f"{component}: the score of {frame['docno'].iloc[row]!r} for query {frame['qid'].iloc[row]!r} is "
            f"{score[row]}: scores must be finite numbers."
        )
    return score


def _check_repeats(
    frame: pd.DataFrame, query: npt.NDArray[np.int64], node: npt.NDArray[np.int64], n: int, component: str
) -> None:
    number = node.copy()
    unknown = np.flatnonzero(node < 0)
    number[unknown] = n + pd.factorize(frame["docno"].iloc[unknown])[0]
    twice = pd.Series(query * (n + len(unknown)) + number).duplicated().to_numpy()
    if twice.any():
        row = frame.iloc[int(np.flatnonzero(twice)[0])]
        raise ComponentError(f"{component}: {row['docno']!r} occurs twice in the list of query {row['qid']!r}.")


def _places(query: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the place of each row among those of its query, from 0, where `query` is ascending."""
    starts = np.flatnonzero(np.concatenate(([True], query[1:] != query[:-1])))[: len(query)]
    return np.arange(len(query)) - np.repeat(starts, np.diff(starts, append=len(query)))


def ranking(
    query: npt.NDArray[np.int64], score: npt.NDArray[np.float64], docno: npt.NDArray[np.object_]
) -> npt.NDArray[np.int64]:
    """Return the order by query, then score descending, then docno ascending; [r].

    One sort by a number decides nearly all: the query, less a share of at most ¼ that grows with the score. Rounding
    can make numbers equal but never exchange them, so that only within runs of equal ones scores and docnos are
    compared.
    """
    highest = np.abs(score).max(initial=0.0)
    key = query - score * (0.25 / highest if highest > 1e-300 else 0.0)
    order = np.arange(len(key)) if (key[1:] >= key[:-1]).all() else np.argsort(key)
    ordered = key[order]
    new_run = np.ones(len(order) + 1, dtype=bool)
    new_run[1:-1] = ordered[1:] != ordered[:-1]
    tied = np.flatnonzero(~(new_run[1:] & new_run[:-1]))
    if len(tied):
        rows = order[tied]
        order[tied] = rows[np.lexsort((docno[rows].astype(str), -score[rows], np.cumsum(new_run[:-1])[tied]))]
    return order


def ranked_frame(
    queries: pd.DataFrame,
    query: npt.NDArray[np.int64],
    docno: npt.NDArray[np.object_],
    score: npt.NDArray[np.float64],
) -> pd.DataFrame:
    """Return the result frame of documents in any order.

    Args:
        queries: the query columns, one row a query.
        query: position in `queries`, [r].
        docno: [r].
        score: [r].
    """
    order = ranking(query, score, docno)
    query = query[order]
    out = queries.iloc[query].reset_index(drop=True)
    out["docno"] = pd.Series(docno[order], dtype=str)
    out["score"] = score[order]
    out["rank"] = _places(query)
    return out


Found = tuple[npt.NDArray[np.int64], npt.NDArray[np.floating]]
"""Numbers of documents, best first, and their scores."""


def asked_only(queries: pd.DataFrame, found: Sequence[Found]) -> list[Found]:
    """Return what was found, but nothing for a query of white space, of which a language model has a vector, too."""
    return [
        (documents, scores) if text.strip() else (documents[:0], scores[:0])
        for text, (documents, scores) in zip(queries["query"], found, strict=True)
    ]


def results_frame(queries: pd.DataFrame, found: Sequence[Found], docnos: npt.NDArray[np.object_]) -> pd.DataFrame:
    """Return the columns of `queries`, then ``docno, score, rank``: one row for each document found.

    Args:
        queries: at least one row.
        found: for each query.
        docnos: docno of each document, [n].
    """
    sizes = [len(documents) for documents, _ in found]
    # By position: the index of a frame put together from several repeats its labels.
    out = queries.iloc[np.repeat(np.arange(len(queries)), sizes)].reset_index(drop=True)
    documents = np.concatenate([documents for documents, _ in found])
    out["docno"] = pd.Series(docnos[documents], dtype=str)
    out["score"] = np.concatenate([scores for _, scores in found]).astype(np.float64)
    out["rank"] = np.concatenate([np.arange(size, dtype=np.int64) for size in sizes])
    return out
