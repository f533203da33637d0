"""The candidates of SAR: the list and what its seeds cite, each with S, B and the score that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.columns import require_columns
from legalir.errors import ComponentError
from legalir.expand.lists import RankedLists
from legalir.index.graph import OPPOSITE
from legalir.rerank.normalize import FITTED, NORMALIZERS, clip
from legalir.rerank.sar_arithmetic import Paths, add_up, boosted, lifted, paths

if TYPE_CHECKING:
    from legalir.rerank.sar import SAR

__all__ = ["Candidates", "candidates_of"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-6
"""How far a cosine of single precision may be from [0, 1]."""


@dataclass(frozen=True)
class Candidates:
    """All candidates of all queries, in no order; c of them.

    Attributes:
        lists: the lists that they come from.
        row: row in `lists`, −1 for what a list lacks; [c].
        query: position in ``lists.queries``; [c].
        docno: object [c].
        raw: score before it was brought into [0, 1]; [c].
        base: S(n); [c].
        final: score(n); [c].
        lift: what `final` has beyond S(n) and the bonus, because the candidate is frozen; [c].
        frozen: whether it is; [c].
        seeds: rows of the seeds in `lists`; [s].
        steps: what the seeds cite.
    """

    lists: RankedLists
    row: Ints
    query: Ints
    docno: npt.NDArray[np.object_]
    raw: Floats
    base: Floats
    final: Floats
    lift: Floats
    frozen: npt.NDArray[np.bool_]
    seeds: Ints
    steps: Paths


def candidates_of(sar: SAR, lists: RankedLists) -> Candidates:
    """Return the candidates of `lists` under the parameters of `sar`; errors as :meth:`SAR.apply`."""
    graph, n = sar.graph, len(sar.graph)
    node = lists.node
    base = _within(sar.normalize, lists)
    seeds = np.flatnonzero((lists.rank <= sar.k) & (node >= 0))
    links, back = graph.adjacency(sar.direction), graph.adjacency(OPPOSITE[sar.direction])
    steps = paths(lists.query[seeds], node[seeds], base[seeds], links, back, sar.small_degree)
    bonuses = add_up(steps)
    key = np.where(node >= 0, lists.query * n + node, -1)
    hit, place = _find(bonuses.key, key)
    missed = np.ones(len(bonuses.key), dtype=bool)
    missed[place[hit]] = False
    missed_key = bonuses.key[missed]
    raw, missed_base = _missed(sar, lists, missed_key)
    query, cited = np.divmod(missed_key, n)
    bonus = np.zeros(len(key))
    bonus[hit] = bonuses.value[place[hit]]
    return _finished(
        sar,
        lists,
        row=np.concatenate((np.arange(len(key)), np.full(len(cited), -1))),
        query=np.concatenate((lists.query, query)),
        docno=np.concatenate((lists.docno, graph.docnos[cited])),
        raw=np.concatenate((lists.score, raw)),
        base=np.concatenate((base, missed_base)),
        bonus=np.concatenate((bonus, bonuses.value[missed])),
        seeds=seeds,
        steps=steps,
    )


def _finished(
    sar: SAR,
    lists: RankedLists,
    *,
    row: Ints,
    query: Ints,
    docno: npt.NDArray[np.object_],
    raw: Floats,
    base: Floats,
    bonus: Floats,
    seeds: Ints,
    steps: Paths,
) -> Candidates:
    frozen = (row >= 0) & (np.where(row >= 0, lists.rank[row], 0) <= sar.freeze)
    final = boosted(base, np.where(frozen, 0.0, bonus), sar.beta)
    kept = slice(None) if sar.pool is None else _pool(query, base, row, docno, sar.pool)
    row, query, docno, raw = row[kept], query[kept], docno[kept], raw[kept]
    base, final, frozen = base[kept], final[kept], frozen[kept]
    lift = np.zeros(len(row))
    if sar.freeze:
        lift = np.where(frozen, lifted(query, frozen, final, len(lists.queries))[query], 0.0)
    return Candidates(lists, row, query, docno, raw, base, final + lift, lift, frozen, seeds, steps)


def _pool(query: Ints, base: Floats, row: Ints, docno: npt.NDArray[np.object_], size: int) -> Ints:
    """Return the best `size` candidates of each query by S; of equal ones, the list's come first, in its order."""
    order = np.lexsort((docno.astype(str), np.where(row >= 0, row, len(row)), -base, query))
    ordered = query[order]
    return order[np.arange(len(order)) - np.searchsorted(ordered, ordered) < size]


def _find(ascending: Ints, wanted: Ints) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return which of `wanted` are in `ascending`, and where; where they are not, the place means nothing."""
    if len(ascending) == 0:
        return np.zeros(len(wanted), dtype=bool), np.zeros(len(wanted), dtype=np.int64)
    # Nearly ascending themselves by query, they are found faster in order: neighbours lie in the same cache lines.
    order = np.argsort(wanted)
    place = np.empty(len(wanted), dtype=np.int64)
    place[order] = np.minimum(np.searchsorted(ascending, wanted[order]), len(ascending) - 1)
    return ascending[place] == wanted, place


def _ends(lists: RankedLists, query: Ints) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score of the lists of `query`; each [m]."""
    first = np.searchsorted(lists.query, np.arange(len(lists.queries) + 1))
    return lists.score[first[1:] - 1][query], lists.score[first[:-1]][query]


def _within(name: str | None, lists: RankedLists) -> Floats:
    """Return S of every row.

    Raises:
        ComponentError: a score is not in [0, 1] and nobody said how to bring it there, or is not what was said.
    """
    score = lists.score
    outside = np.zeros(len(score), dtype=bool)
    if name is None:
        outside = (score < 0) | (score > 1 + _ROUNDING)
    elif name == "max":
        outside = score < 0
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        cosine = " or, for a cosine, 'clip'" if abs(score).max() <= 1 + _ROUNDING else ""
        want = "[0, 1]" if name is None else "what normalize='max' takes, 0 and above"
        raise ComponentError(
            f"sar: the score {score[row]:.6g} of {lists.docno[row]!r} for query {lists.qid(row)!r} is outside {want}: "
            f"bring the scores there by normalize='minmax'{cosine}."
        )
    return score if name is None else NORMALIZERS[name](score, *_ends(lists, lists.query))


def _missed(sar: SAR, lists: RankedLists, key: Ints) -> tuple[Floats, Floats]:
    """Return the scorer's score of candidates that the lists lack, and S: 0 for what it does not score.

    A normaliser that knows a scale by its ends is given those of the scorer's own scores of the list: the scorer need
    not be what made the list.

    Raises:
        ComponentError: the scorer says something that is no finite number, or not in the range that S has to be in.
    """
    if sar.pair_scorer is None or len(key) == 0:
        return np.zeros(len(key)), np.zeros(len(key))
    n = len(sar.graph)
    query = key // n
    if sar.normalize not in FITTED:
        raw = _said(sar, lists, key)
        base = (clip if sar.normalize is None else NORMALIZERS[sar.normalize])(raw, raw, raw)
    else:
        known = (lists.node >= 0) & np.isin(lists.query, query)
        own_query, own_key = lists.query[known], lists.query[known] * n + lists.node[known]
        asked = np.sort(np.concatenate((key, own_key)))
        said = _said(sar, lists, asked)
        raw, own = said[np.searchsorted(asked, key)], said[np.searchsorted(asked, own_key)]
        low, high = np.full(len(lists.queries), np.inf), np.full(len(lists.queries), -np.inf)
        np.fmin.at(low, own_query, own)
        np.fmax.at(high, own_query, own)
        there = (low <= high)[query]
        low, high = np.where(there, low[query], 0.0), np.where(there, high[query], 0.0)
        base = np.where(there, NORMALIZERS[sar.normalize](raw, low, high), 0.0)
    return np.nan_to_num(raw), np.nan_to_num(base)


def _said(sar: SAR, lists: RankedLists, key: Ints) -> Floats:
    """Return what the scorer says of candidates, in one call; NaN for those that it leaves out. `key` ascends."""
    scorer, n = sar.pair_scorer, len(sar.graph)
    assert scorer is not None
    query, node = np.divmod(key, n)
    asked = lists.queries.iloc[query].reset_index(drop=True)
    asked["docno"] = pd.Series(sar.graph.docnos[node], dtype=str)
    said = scorer.transform(asked)
    require_columns(said, ("qid", "docno", "score"), f"sar: the result of the scorer {type(scorer).__name__}")
    score = said["score"].to_numpy(dtype=np.float64)
    _check_said(sar, said, score)
    of_query = pd.Index(lists.queries["qid"]).get_indexer(pd.Index(said["qid"]))
    of_node = sar.graph.numbers(said["docno"])
    hit, place = _find(key, np.where((of_query >= 0) & (of_node >= 0), of_query * n + of_node, -1))
    out = np.full(len(key), np.nan)
    out[place[hit]] = score[hit]
    return out


def _check_said(sar: SAR, said: pd.DataFrame, score: Floats) -> None:
    # A cosine may be negative, which counts as 0; 12.3 or −7 are on another scale than the list.
    right = np.isfinite(score) if sar.normalize is not None else np.abs(score) <= 1 + _ROUNDING
    if not right.all():
        row = said.iloc[int(np.flatnonzero(~right)[0])]
        raise ComponentError(
            f"sar: the scorer {type(sar.pair_scorer).__name__} gave {row['score']:.6g} to {row['docno']!r} for query "
            f"{row['qid']!r}, which is outside [0, 1]: give a scorer on the scale of the list, or bring both into "
            f"[0, 1] by normalize='minmax'."
        )
