"""SAR, structure-aware reranking: provisions that good provisions cite move up, and those that were missed come in.

Arithmetic of structure-aware reranking (Chae et al., *Beyond Case Law*, 2025), for all queries at once.

A candidate is a pair of a query and a node; its key is ``query · n + node``. Seeds s have scores S(s) in [0, 1]::

    L(x) = ln(deg(x) + 1)
    B(n) = 1/L(n) · Σ_{s → n} S(s)/L(s)
    score(n) = S(n) + β·B(n)·(1 − S(n))

The candidates of SAR: the list and what its seeds cite, each with S, B and the score that follows.

Why SAR gave a provision its score: S, and one bonus for each seed that cites it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt

from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, explain_step, label_of
from legalir.frames.columns import check_queries, empty_like, require_columns
from legalir.frames.component import Component, check_choice, check_number
from legalir.frames.normalize import FITTED, NORMALIZERS, clip
from legalir.frames.ranking import RankedLists, places, ranked_frame, read_lists
from legalir.frames.scorer import scorer_of
from legalir.graph.citation_graph import OPPOSITE, CitationGraph, Direction
from legalir.graph.expander import check_graph
from legalir.storage.csr import Adjacency, positions

__all__ = [
    "SAR",
    "Bonuses",
    "Candidates",
    "Paths",
    "SmallDegree",
    "add_up",
    "boosted",
    "candidates_of",
    "explanation_of",
    "lifted",
    "paths",
    "penalty",
    "sar",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def penalty(degree: Ints, small: str) -> Floats:
    """Return ``L = ln(deg + 1)``; with `small` ``"one"``, 1 for a degree of 0 or 1."""
    raw = np.log1p(degree)
    return np.where(degree <= 1, 1.0, raw) if small == "one" else raw


class Paths(NamedTuple):
    """One step from seeds along links; e steps.

    Attributes:
        seed: which of the seeds, [e], ascending.
        link: position of the link in ``Adjacency.nodes``, [e].
        key: key of the candidate it leads to, [e].
        share: what it brings to B of that candidate, ``S(s)/(L(s)·L(n))``, [e].
    """

    seed: Ints
    link: Ints
    key: Ints
    share: Floats


class Bonuses(NamedTuple):
    """B of every candidate that a step leads to: `key` int64 [b], ascending; `value` float64 [b]."""

    key: Ints
    value: Floats


def paths(query: Ints, node: Ints, score: Floats, links: Adjacency, back: Adjacency, small: str) -> Paths:
    """Follow the links of all seeds.

    Args:
        query: query of each seed, [s].
        node: [s].
        score: S(s), [s].
        links: the links to follow; a seed's degree is the number of its links here.
        back: the same links reversed; the degree of what they lead to is the number of its links here.
        small: see :func:`penalty`.
    """
    seed, link = positions(links.indptr, node)
    target = links.nodes[link].astype(np.int64)
    at_seed = penalty(links.indptr[node + 1] - links.indptr[node], small)
    at_target = penalty(back.indptr[target + 1] - back.indptr[target], small)
    share = score[seed] / at_seed[seed] / at_target
    return Paths(seed, link, query[seed] * (len(links.indptr) - 1) + target, share)


def add_up(found: Paths) -> Bonuses:
    """Return B of every candidate."""
    key, place = np.unique(found.key, return_inverse=True)
    return Bonuses(key, np.bincount(place, weights=found.share, minlength=len(key)).astype(np.float64))


def boosted(score: Floats, bonus: Floats, beta: float) -> Floats:
    """Return ``S + β·B·(1 − S)``; [m]."""
    return score + beta * bonus * (1 - score)


def lifted(query: Ints, frozen: npt.NDArray[np.bool_], score: Floats, queries: int) -> Floats:
    """Return by how much the frozen candidates of each query are to be lifted to stand above all others; [queries].

    The lift of a query is the same for all of them, so that they keep their order, and 0 where they stand above.
    """
    low = np.full(queries, np.inf)
    high = np.full(queries, -np.inf)
    np.minimum.at(low, query[frozen], score[frozen])
    np.maximum.at(high, query[~frozen], score[~frozen])
    above = high >= low
    return np.where(above, np.where(above, high, 0.0) - np.where(above, low, 0.0) + 1e-9, 0.0)


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
    return order[places(ordered) < size]


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


_VERB = {"out": "cites", "in": "is cited by", "both": "is linked with"}


def explanation_of(sar: SAR, found: Candidates, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
    """Return the explanations of those of `docnos` that are candidates of the one query in `found`."""
    place = {docno: number for number, docno in enumerate(found.docno.tolist())}
    chosen = {docno: place[docno] for docno in docnos if docno in place}
    origins = upstream([docno for docno, number in chosen.items() if found.row[number] >= 0])
    origins |= _scored(sar, found, [docno for docno, number in chosen.items() if found.row[number] < 0])
    out = {}
    for docno, number in chosen.items():
        parts = [_first(sar, found, number, origins.get(docno))]
        if found.frozen[number]:
            parts.append(Part(f"kept on top (freeze={sar.freeze})", float(found.lift[number])))
        else:
            parts += _bonuses(sar, found, number)
        out[docno] = Explanation(docno, float(found.final[number]), "SAR", tuple(parts), _note(sar))
    return out


def _note(sar: SAR) -> str:
    scorer = "0" if sar.pair_scorer is None else f"by {label_of(sar.pair_scorer)}"
    scale = "" if sar.normalize is None else f"; scores in [0, 1] by {sar.normalize}"
    return f"S + β·B·(1 − S), β={sar.beta:g}, k={sar.k}; S of what the list lacks: {scorer}{scale}"


def _scored(sar: SAR, found: Candidates, docnos: list[str]) -> dict[str, Explanation]:
    """Return the scorer's explanations of what the list lacks."""
    if sar.pair_scorer is None or not docnos:
        return {}
    asked = found.lists.queries.iloc[np.zeros(len(docnos), dtype=int)].reset_index(drop=True).assign(docno=docnos)
    return explain_step(sar.pair_scorer, asked, docnos)


def _first(sar: SAR, found: Candidates, number: int, origin: Explanation | None) -> Part:
    row = found.row[number]
    base, raw = float(found.base[number]), float(found.raw[number])
    detail: dict[str, object] = {"S": base, "raw": raw}
    if row >= 0:
        detail["rank"] = int(found.lists.rank[row])
        label = f"S at rank {detail['rank']} of the list"
    else:
        label = "S, not in the list" if sar.pair_scorer is None else "S by the scorer, not in the list"
    if sar.normalize is not None and (row >= 0 or sar.pair_scorer is not None):
        label += f" ({raw:.4g} by {sar.normalize})"
    return Part(label, base, origin, detail)


def _bonuses(sar: SAR, found: Candidates, number: int) -> list[Part]:
    graph, lists, steps = sar.graph, found.lists, found.steps
    node = int(graph.numbers([found.docno[number]])[0])
    links = graph.adjacency(sar.direction)
    out = []
    for step in np.flatnonzero(steps.key == node).tolist() if node >= 0 else []:
        seed = int(found.seeds[steps.seed[step]])
        docno, rank, score = str(lists.docno[seed]), int(lists.rank[seed]), _base_of(found, seed)
        share = float(steps.share[step])
        detail = {
            "seed": docno,
            "rank": rank,
            "S": score,
            "share": share,
            "direction": sar.direction,
            "kind": graph.kinds[int(links.kinds[steps.link[step]])],
        }
        label = f"seed {docno} (rank {rank}, S={score:.4f}) {_VERB[sar.direction]} {found.docno[number]}"
        out.append(Part(label, sar.beta * share * (1 - float(found.base[number])), None, detail))
    return out


def _base_of(found: Candidates, row: int) -> float:
    return float(found.base[np.flatnonzero(found.row == row)[0]])


SmallDegree = Literal["paper", "one"]
"""What a degree of 0 or 1 weighs: ``ln(deg + 1)`` as in the paper, or 1 as in its authors' later code."""


class SAR(Component):
    """Structure-aware reranking (Chae et al., *Beyond Case Law*, 2025, section on SAR).

    The seeds S of a query are the best `k` of its list; they spread their scores along their links::

        B(n) = 1/L(n) · Σ_{s ∈ S, s → n} S(s)/L(s)        L(x) = ln(deg(x) + 1)
        score(n) = S(n) + β·B(n)·(1 − S(n))

    deg is the number of links out of a seed, and of links into what it cites, each in the whole graph. The result
    holds the whole list and every provision that a seed cites.

    Columns in: ``qid, docno, score``, for a scorer also ``query`` or
    ``query_vec``, whichever it reads. Columns out: the query columns, ``docno, score,
    rank``.

    Beyond the paper: `normalize`, `freeze`, `pool`, `small_degree` and `direction`, which their defaults leave out.

    Args:
        graph: the citation graph of the collection that was searched.
        k: number of seeds, at least 1.
        beta: β, at least 0; with 0, no score of the list changes.
        scorer: gives S(n) of a cited provision that the list lacks: a transformer that scores given documents, or a
            retriever that has a ``scorer()``. None: S(n) = 0. Scores of −1 to 0, as a cosine has them, count as 0.
        normalize: how scores come into [0, 1]: ``minmax``, ``max``, ``sigmoid`` or ``clip``, for each query by itself;
            None refuses scores that lie elsewhere. What the scorer says comes there in the same way; with ``minmax``
            and ``max``, it scores the list, too, so that its own scale is known, which may be another.
        freeze: the first so many of a list stay on top, in their order. Each has the score of its list, without a
            bonus, plus what lifts them above all others.
        pool: at most so many candidates of a query, the best by S(n), are kept; None for all.
        small_degree: ``paper``, or ``one``: L(x) is 1 where deg(x) is 0 or 1.
        direction: ``out`` follows citations; ``in`` goes from the cited to who cites it; ``both`` does either, with
            the number of linked provisions as degree.

    Raises:
        ComponentError: a parameter is not one of these.
    """

    def __init__(
        self,
        graph: CitationGraph,
        k: int = 15,
        beta: float = 0.3,
        scorer: pt.Transformer | None = None,
        normalize: str | None = None,
        freeze: int = 0,
        pool: int | None = None,
        small_degree: SmallDegree = "paper",
        direction: Direction = "out",
    ) -> None:
        check_number("sar", "k", k, low=1, integer=True)
        check_number("sar", "beta", beta, low=0)
        check_number("sar", "freeze", freeze, low=0, integer=True)
        if pool is not None:
            check_number("sar", "pool", pool, low=max(k, freeze), integer=True)
        if normalize is not None:
            check_choice("sar", "normalize", normalize, tuple(NORMALIZERS))
        check_choice("sar", "small_degree", small_degree, get_args(SmallDegree))
        check_choice("sar", "direction", direction, get_args(Direction))
        check_graph("sar", graph)
        if scorer is not None and not isinstance(scorer, pt.Transformer):
            raise ComponentError(f"sar: scorer={scorer!r} is not a transformer that scores given documents.")
        self.graph = graph
        self.k = k
        self.beta = beta
        self.scorer = scorer
        self.normalize = normalize
        self.freeze = freeze
        self.pool = pool
        self.small_degree = small_degree
        self.direction = direction

    @property
    def pair_scorer(self) -> pt.Transformer | None:
        """What gives S(n) of a provision that a list lacks."""
        return scorer_of(self.scorer) or self.scorer

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self._validate(inp)
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the lists with new scores, and what their seeds cite.

        Raises:
            ComponentError: a score is not finite or not in [0, 1], a document occurs twice, or the graph belongs to
                another collection.
        """
        self._validate(inp)
        found = self.candidates(read_lists(inp, self.graph, "sar"))
        return ranked_frame(found.lists.queries, found.query, found.docno, found.final)

    def _validate(self, inp: pd.DataFrame) -> None:
        if self.scorer is None:
            pt.validate.columns(inp, includes=["qid", "docno", "score"])
        else:
            check_queries(inp, "docno", "score")

    def candidates(self, lists: RankedLists) -> Candidates:
        """Return all candidates of all queries, and how each comes to its score."""
        return candidates_of(self, lists)

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their scores: S, a bonus for each seed that cites them, and a lift if frozen."""
        found = self.candidates(read_lists(inp, self.graph, "sar"))
        return explanation_of(self, found, docnos, upstream)


def sar(
    collection: Any,
    *,
    left: pt.Transformer | None = None,
    scorer: pt.Transformer | None = None,
    k: int = 15,
    beta: float = 0.3,
    normalize: str | None = None,
    freeze: int = 0,
    pool: int | None = None,
    small_degree: SmallDegree = "paper",
    direction: Direction = "out",
) -> SAR:
    """SAR over the collection's citation graph: ``tfidf % 100 >> sar(beta=0.3)``, ``bm25 >> sar(normalize="minmax")``.

    Provisions that the list lacks are scored by the retriever on the left, if it can, or by `scorer`:
    ``rrf(bm25, lsa) % 100 >> sar(scorer=lsa, normalize="minmax")``.
    """
    return SAR(
        collection.graph,
        k=k,
        beta=beta,
        scorer=scorer_of(left) if scorer is None else scorer,
        normalize=normalize,
        freeze=freeze,
        pool=pool,
        small_degree=small_degree,
        direction=direction,
    )


# Read by legalir.testing.
sar.expected_failures = {"same-documents": "SAR brings in what the best provisions cite."}  # type: ignore[attr-defined]
