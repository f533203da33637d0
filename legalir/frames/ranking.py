"""The one order of results: queries as they first appear, then score descending, then docno ascending.

Whatever ranks, cuts or reads ranked lists uses this file, so that equal scores are ordered alike everywhere and no
result depends on the order of its input. r is the number of rows of all lists together, q of queries, n of documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.frames.columns import drop_results, query_rows

__all__ = [
    "Hits",
    "Numbering",
    "RankedLists",
    "asked_only",
    "best_first",
    "places",
    "rank_results",
    "ranked_frame",
    "ranking",
    "reaching",
    "read_lists",
    "results_frame",
    "top_k",
]


def places(group: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the place of each row within its group, from 0; [r].

    Args:
        group: number of the group of each row; the rows of a group stand together; [r].
    """
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))[: len(group)]
    return np.arange(len(group)) - np.repeat(starts, np.diff(starts, append=len(group)))


def ranking(
    query: npt.NDArray[np.int64],
    score: npt.NDArray[np.float64],
    document: npt.NDArray[Any],
    names: npt.NDArray[np.object_] | None = None,
) -> npt.NDArray[np.int64]:
    """Return the order by query, then score descending, then docno ascending; [r].

    One sort by a number decides nearly all: the query, less a share of at most ¼ that grows with the score. Rounding
    can make numbers equal but never exchange them, so scores and docnos are compared only within runs of equal ones.

    Args:
        query: number of the query of each row, from 0; [r].
        score: [r]; NaN stands after all numbers.
        document: docno of each row, or its position in `names`; [r].
        names: the docnos, each once, in any order; [d].
    """
    highest = np.abs(score).max(initial=0.0)
    if not np.isfinite(highest):
        score = -np.unique(-score, return_inverse=True)[1].astype(np.float64)
        highest = np.abs(score).max()
    key = query - score * (0.25 / highest if highest > 1e-300 else 0.0)
    order = np.arange(len(key)) if (key[1:] >= key[:-1]).all() else np.argsort(key)
    ordered = key[order]
    new_run = np.ones(len(order) + 1, dtype=bool)
    new_run[1:-1] = ordered[1:] != ordered[:-1]
    tied = np.flatnonzero(~(new_run[1:] & new_run[:-1]))
    if len(tied):
        rows, run = order[tied], np.cumsum(new_run[:-1])[tied]
        place, exact = _alphabetical(document[rows], names), score[rows]
        if ((run[1:] == run[:-1]) & (exact[1:] != exact[:-1])).any():
            order[tied] = rows[np.lexsort((place, -exact, run))]
        else:  # one key sorts faster than three
            order[tied] = rows[np.argsort(run * (place.max() + 1) + place)]
    return order


def _alphabetical(document: npt.NDArray[Any], names: npt.NDArray[np.object_] | None) -> npt.NDArray[np.int64]:
    """Return numbers in the order of the docnos; [r]."""
    # Strings are slow to sort, and many lists hold the same documents: each docno is sorted once.
    if names is None:
        document, names = pd.factorize(document, use_na_sentinel=False)
    used = np.zeros(len(names), dtype=bool)
    used[document] = True
    distinct = np.flatnonzero(used)
    place = np.empty(len(names), dtype=np.int64)
    place[distinct[np.argsort(names[distinct].astype(str))]] = np.arange(len(distinct))
    numbered: npt.NDArray[np.int64] = place[document]
    return numbered


def rank_results(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `frame` in the order of results and with fresh ranks.

    Queries keep their order of first appearance. The input is left as it is.

    Args:
        frame: columns ``qid, docno, score`` and any others.
    """
    query = pd.factorize(frame["qid"])[0]
    score = frame["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    order = ranking(query, score, frame["docno"].to_numpy(dtype=object))
    out = frame.iloc[order].reset_index(drop=True)
    out["rank"] = places(query[order])
    return out


def ranked_frame(
    queries: pd.DataFrame,
    query: npt.NDArray[np.int64],
    docno: npt.NDArray[np.object_],
    score: npt.NDArray[np.float64],
) -> pd.DataFrame:
    """Return the result frame of documents in any order: the columns of `queries`, then ``docno, score, rank``.

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
    out["rank"] = places(query)
    return out


Hits = tuple[npt.NDArray[np.int64], npt.NDArray[np.floating]]
"""Results of one query: numbers of documents, best first, and their scores."""


def asked_only(queries: pd.DataFrame, hits: Sequence[Hits]) -> list[Hits]:
    """Return the hits without those of queries of white space, which have a vector of a language model, too."""
    return [
        (documents, scores) if text.strip() else (documents[:0], scores[:0])
        for text, (documents, scores) in zip(queries["query"], hits, strict=True)
    ]


def results_frame(queries: pd.DataFrame, hits: Sequence[Hits], docnos: npt.NDArray[np.object_]) -> pd.DataFrame:
    """Return the columns of `queries`, then ``docno, score, rank``: one row a hit.

    Args:
        queries: at least one row.
        hits: of each query, in the order of results.
        docnos: docno of each document, [n].
    """
    sizes = [len(documents) for documents, _ in hits]
    # By position: the index of a frame put together from several repeats its labels.
    out = queries.iloc[np.repeat(np.arange(len(queries)), sizes)].reset_index(drop=True)
    documents = np.concatenate([documents for documents, _ in hits])
    out["docno"] = pd.Series(docnos[documents], dtype=str)
    out["score"] = np.concatenate([scores for _, scores in hits]).astype(np.float64)
    out["rank"] = np.concatenate([np.arange(size, dtype=np.int64) for size in sizes])
    return out


def best_first(
    scores: npt.NDArray[np.floating], order: npt.NDArray[np.integer], k: int | None = None
) -> npt.NDArray[np.int64]:
    """Return the positions of the `k` best scores, best first, ties by ascending `order`; all of them without `k`.

    Args:
        scores: [m].
        order: position of each document among the ascending docnos, [m].
        k: at least 0.
    """
    return np.lexsort((order, -scores))[:k]


def top_k(scores: npt.NDArray[np.float32], order: npt.NDArray[np.int32], k: int) -> npt.NDArray[np.int64]:
    """Return the documents with the `k` best positive scores, best first, ties by ascending `order`.

    Args:
        scores: float32 [n].
        order: position of each document among the ascending docnos, int32 [n].
        k: at least 1.
    """
    candidates = reaching(scores, k, above=0)
    return candidates[best_first(scores[candidates], order[candidates], k)]


def reaching(
    scores: npt.NDArray[np.float32], k: int, *, above: float = -np.inf, margin: float = 0
) -> npt.NDArray[np.int64]:
    """Return all documents that reach the `k`-th best score less `margin`, and not many others, in their order.

    Args:
        scores: float32 [n], no NaN.
        k: at least 1.
        above: documents that do not exceed it are left out.
        margin: at least 0.
    """
    threshold = _lower_bound(scores, k) - margin
    reached = np.flatnonzero(scores >= threshold) if threshold > above else np.flatnonzero(scores > above)
    if len(reached) > k + k // 4:
        kth = np.partition(scores[reached], len(reached) - k)[len(reached) - k]
        reached = reached[scores[reached] >= kth - margin]
    return reached


def _lower_bound(scores: npt.NDArray[np.float32], k: int) -> float:
    """Return a value that at least `k` scores reach: the k-th best of the maxima of more than k stretches."""
    stretch = len(scores) // (4 * k)
    if stretch < 2:
        return -np.inf
    stretches = len(scores) // stretch
    maxima = scores[: stretches * stretch].reshape(stretches, stretch).max(axis=1)
    return float(np.partition(maxima, stretches - k)[stretches - k])


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
    return RankedLists(queries, query, places(query) + 1, docno[order], node[order], score[order], order)


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
