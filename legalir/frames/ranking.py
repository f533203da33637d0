"""The one order of results: queries as they first appear, then score descending, then docno ascending.

All code that ranks, cuts or reads ranked lists uses this file: equal scores have the same order everywhere, and no
result depends on the order of its input. r is the number of rows of all lists together, q of queries, n of documents.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.errors import ComponentError
from legalir.frames.columns import ASKED, query_names, query_rows
from legalir.storage.strings import Docnos

_log = logging.getLogger("legalir")


def places(group: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the place of each row within its group, from 0; [r].

    Args:
        group: number of the group of each row; the rows of a group are adjacent; [r].
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
        score: [r]; NaN is sorted after all numbers.
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
    # Strings are slow to sort, and many lists contain the same documents: each docno is sorted once.
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

    Queries keep their order of first appearance. The input is not changed.

    Args:
        frame: columns ``qid, docno, score`` and any others.
    """
    query = pd.factorize(frame["qid"])[0]
    score = frame["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    order = ranking(query, score, frame["docno"].to_numpy(dtype=object))
    out = frame.iloc[order].reset_index(drop=True)
    out["rank"] = places(query[order])
    return out


def falling(query: npt.NDArray[np.int64], score: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return scores that fall with the rank in each list, also in the single precision of trec_eval; [r].

    trec_eval orders equal scores by docno descending [pytrec-eval]. A score that is not below the one before it becomes
    the next lower number in single precision; other scores do not change.

    Args:
        query: number of the query of each row; the rows of a list follow each other; [r].
        score: not rising within a list, in single precision; [r].
    """
    bits = singles(score).view(np.int32).astype(np.int64)
    values = np.where(bits < 0, -(bits & 0x7FFF_FFFF), bits)  # Integers in the order of the numbers.
    rows = np.arange(len(score))
    # Each list starts far below the one before it, so that one running minimum serves all.
    lists = (np.diff(query, prepend=query[:1]) != 0).cumsum() << 34
    lower = np.minimum.accumulate(values + rows - lists) - rows + lists
    changed = lower < values
    lower = np.where(lower < 0, -lower | 0x8000_0000, lower).astype(np.uint32).view(np.float32).astype(np.float64)
    return np.where(changed, lower, score)


def singles(score: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Return scores as trec_eval compares them: in single precision; [r]."""
    limit = np.finfo(np.float32).max
    return np.clip(score, -limit, limit).astype(np.float32)


class RankedLists(NamedTuple):
    """Ranked lists of several queries, one after the other; r rows of q queries.

    Components of a chain pass them on directly: a frame is made only when needed.

    Attributes:
        queries: the query columns, one row per query; a query may have no results.
        query: position in `queries`, int64 [r], ascending.
        docno: object [r].
        score: float64 [r], descending within a query; equal scores by ascending docno.
        numbered: a table of docnos and the number of each row in it, int64 [r]; None where a look-up has to tell.
    """

    queries: pd.DataFrame
    query: npt.NDArray[np.int64]
    docno: npt.NDArray[np.object_]
    score: npt.NDArray[np.float64]
    numbered: tuple[DocnoTable, npt.NDArray[np.int64]] | None = None

    @property
    def rank(self) -> npt.NDArray[np.int64]:
        """Rank in the list, from 1; [r]."""
        return places(self.query) + 1

    @property
    def bounds(self) -> npt.NDArray[np.int64]:
        """First row of each list, and the number of rows; [q + 1]."""
        return np.searchsorted(self.query, np.arange(len(self.queries) + 1)).astype(np.int64)

    def qid(self, row: int) -> str:
        """Return the qid of a row."""
        return str(self.queries["qid"].iloc[self.query[row]])

    def head(self, k: int) -> RankedLists:
        """Return the first `k` rows of each list."""
        return self.rows(places(self.query) < k)

    def rows(self, kept: npt.NDArray[Any]) -> RankedLists:
        """Return the lists with some of their rows, in the order of `kept`: positions or a mask."""
        numbered = self.numbered and (self.numbered[0], self.numbered[1][kept])
        return RankedLists(self.queries, self.query[kept], self.docno[kept], self.score[kept], numbered)

    def rescored(self, score: npt.NDArray[np.float64]) -> RankedLists:
        """Return the lists with new scores of their rows, [r], in their order."""
        return self._replace(score=score).rows(ranking(self.query, score, self.docno))

    def frame(self) -> pd.DataFrame:
        """Return the result frame: the query columns, then ``docno, score, rank``."""
        # By position: the index of a frame put together from several repeats its labels.
        out = self.queries.iloc[self.query].reset_index(drop=True)
        out["docno"] = pd.Series(self.docno, dtype=str)
        out["score"] = self.score
        out["rank"] = places(self.query)
        if len(self.queries.columns) > 2:  # qid and query are known by name.
            out.attrs[ASKED] = tuple(self.queries.columns)
        return out


def ranked_lists(
    queries: pd.DataFrame,
    query: npt.NDArray[np.int64],
    docno: npt.NDArray[np.object_],
    score: npt.NDArray[np.float64],
) -> RankedLists:
    """Return the lists of documents in any order.

    Args:
        queries: the query columns, one row per query.
        query: position in `queries`, [r].
        docno: [r].
        score: [r].
    """
    order = ranking(query, score, docno)
    return RankedLists(queries, query[order], docno[order], score[order])


def read_lists(frame: pd.DataFrame, component: str) -> tuple[RankedLists, npt.NDArray[np.int64]]:
    """Return the lists of a result frame, and the row of the frame for each of their rows, [r].

    The order of the rows of the frame does not matter.

    Args:
        frame: columns ``qid, docno, score``.
        component: name of the component that reads, for errors.

    Raises:
        ComponentError: a score is not a finite number, or a document occurs twice in a list.
    """
    query, heads = _queries(frame["qid"])
    docno, score = frame["docno"].to_numpy(dtype=object), _scores(frame, component)
    number, distinct = pd.factorize(docno, use_na_sentinel=False)
    twice = pd.Series(query * len(distinct) + number).duplicated().to_numpy()
    if twice.any():
        row = frame.iloc[int(np.flatnonzero(twice)[0])]
        raise ComponentError(f"{component}: {row['docno']!r} occurs twice in the list of query {row['qid']!r}.")
    queries = query_rows(frame, heads, query_names(frame))
    order = ranking(query, score, number, distinct)
    return RankedLists(queries, query[order], docno[order], score[order]), order


def _queries(qids: pd.Series) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number the queries by first appearance; return the number of each row, and the first row of each number."""
    values = qids.to_numpy(dtype=object)
    changes = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))[: len(values)])
    # The rows of a query are mostly adjacent: a qid is looked up only where it changes.
    numbers, known = pd.factorize(values[changes])
    heads = changes[np.unique(numbers, return_index=True)[1]] if len(known) < len(changes) else changes
    return np.repeat(numbers, np.diff(changes, append=len(values))).astype(np.int64), heads


def _scores(frame: pd.DataFrame, component: str) -> npt.NDArray[np.float64]:
    try:
        score = frame["score"].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise ComponentError(f"{component}: the column 'score' holds something that is not a number.") from None
    if not np.isfinite(score).all():
        row = int(np.flatnonzero(~np.isfinite(score))[0])
        raise ComponentError(
            f"{component}: the score of {frame['docno'].iloc[row]!r} for query {frame['qid'].iloc[row]!r} is "
            f"{score[row]}: scores must be finite numbers."
        )
    return score


Hits = tuple[npt.NDArray[np.int64], npt.NDArray[np.floating]]
"""Results of one query: numbers of documents, best first, and their scores."""


class DocnoTable(Protocol):
    """The docnos of an index by their numbers, such as an array of them."""

    def __getitem__(self, documents: npt.NDArray[np.int64], /) -> npt.NDArray[np.object_]: ...


def asked_only(queries: pd.DataFrame, hits: Sequence[Hits]) -> list[Hits]:
    """Return the hits, without hits of white-space queries, which also have a vector of a language model."""
    return [
        (documents, scores) if text.strip() else (documents[:0], scores[:0])
        for text, (documents, scores) in zip(queries["query"], hits, strict=True)
    ]


def hit_lists(queries: pd.DataFrame, hits: Sequence[Hits], docnos: DocnoTable) -> RankedLists:
    """Return the lists of hits.

    Args:
        queries: at least one row.
        hits: of each query, in the order of results.
        docnos: docno of each document, [n].
    """
    query = np.repeat(np.arange(len(queries)), [len(documents) for documents, _ in hits])
    documents = np.concatenate([documents for documents, _ in hits], dtype=np.int64)
    scores = np.concatenate([scores for _, scores in hits], dtype=np.float64)
    return RankedLists(queries, query, docnos[documents], scores, (docnos, documents))


def results_frame(queries: pd.DataFrame, hits: Sequence[Hits], docnos: DocnoTable) -> pd.DataFrame:
    """Return the columns of `queries`, then ``docno, score, rank``: one row a hit; arguments of :func:`hit_lists`."""
    return hit_lists(queries, hits, docnos).frame()


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


def top_k(
    scores: npt.NDArray[np.float32],
    order: npt.NDArray[np.int32],
    k: int,
    above: float = 0,
    among: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.int64]:
    """Return the documents with the `k` best scores above `above`, best first, ties by ascending `order`.

    Args:
        scores: float32 [n].
        order: position of each document among the ascending docnos, int32 [n].
        k: at least 1.
        above: documents that do not exceed it are left out.
        among: which documents may be results, [n]; None for all.
    """
    if among is None:
        candidates = reaching(scores, k, above=above)
    else:
        passing = int(np.count_nonzero(among))
        candidates = np.empty(0, dtype=np.int64)
        if passing and 8 * passing >= len(among):
            # It is faster to look at a few more candidates than at all documents.
            candidates = reaching(scores, k * len(among) // passing * 5 // 4 + 10, above=above)
            candidates = candidates[among[candidates]]
        if len(candidates) < k:
            few = 128 * passing < len(among)
            candidates = np.flatnonzero(among if few else (scores > above) & among)
            candidates = candidates[reaching(scores[candidates], k, above=above)]
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
    """A numbering of the provisions of a collection, such as a citation graph."""

    def __len__(self) -> int: ...

    @property
    def docno_table(self) -> Docnos:
        """The docnos by their numbers."""

    def numbers(self, docnos: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the number of each docno, −1 if it is missing; [m]."""


def numbers_in(numbering: Numbering, lists: RankedLists, component: str) -> npt.NDArray[np.int64]:
    """Return the number of each row, −1 if it is not in `numbering`; [r].

    If all are missing, a warning is logged: it may belong to another collection.
    """
    table, documents = lists.numbered or (None, None)
    # A plugin that gives its lists other docnos may forget the numbers.
    if isinstance(table, Docnos) and documents is not None and np.array_equal(table[documents], lists.docno):
        numbers = numbering.docno_table.numbers_of(documents, table)
    else:
        numbers = numbering.numbers(lists.docno)
    if len(numbers) and (numbers < 0).all():
        _log.warning(
            "%s: none of the %d retrieved provisions (such as %r) is in %r: is it that of the collection searched?",
            component,
            len(numbers),
            lists.docno[0],
            numbering,
        )
    return numbers
