"""SAR, structure-aware reranking [sar]: provisions that good provisions cite move up, and missing ones come in.

A candidate is a pair of a query and a node of the citation graph; its key is ``query · n + node`` with n nodes. The
arithmetic is done for all queries at once. Seeds s have scores S(s) in [0, 1]::

    L(x) = ln(deg(x) + 1)
    B(n) = 1/L(n) · Σ_{s → n} S(s)/L(s)
    score(n) = S(n) + β·B(n)·(1 − S(n))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyterrier as pt
from annotated_types import Ge

from legalir.collections import Collection
from legalir.errors import ComponentError
from legalir.explanation import Explanation, Part, Upstream, explain_step, label_of
from legalir.frames.as_of import by_day, days
from legalir.frames.columns import check_queries, empty_like, query_columns, require_columns
from legalir.frames.component import Component
from legalir.frames.normalize import FITTED, NORMALIZERS, Normalizer, clip
from legalir.frames.ranking import RankedLists, numbers_in, places, ranked_lists, read_lists
from legalir.frames.scorer import scorer_of, scoring_of
from legalir.frames.where import passing
from legalir.graph.citation_graph import OPPOSITE, CitationGraph, Direction
from legalir.plugins import parameters_of
from legalir.storage.csr import Adjacency, positions

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def penalty(degree: Ints, small: str) -> Floats:
    """Return ``L = ln(deg + 1)``; with `small` ``"one"``, 1 for a degree of 0 or 1."""
    raw = np.log1p(degree)
    return np.where(degree <= 1, 1.0, raw) if small == "one" else raw


class Paths(NamedTuple):
    """One step from seeds along links; e steps.

    Attributes:
        seed: position among the seeds, [e], ascending.
        link: position of the link in ``Adjacency.nodes``, [e].
        key: key of the candidate it leads to, [e].
        share: its part of B of that candidate, ``S(s)/(L(s)·L(n))``, [e].
    """

    seed: Ints
    link: Ints
    key: Ints
    share: Floats


def paths(query: Ints, node: Ints, score: Floats, links: Adjacency, back: Adjacency, small: str) -> Paths:
    """Follow the links of all seeds.

    Args:
        query: query of each seed, [s].
        node: [s].
        score: S(s), [s].
        links: the links to follow; the degree of a seed is the number of its links here.
        back: the same links reversed; the degree of a target is the number of its links here.
        small: see :func:`penalty`.
    """
    seed, link = positions(links.indptr, node)
    target = links.nodes[link].astype(np.int64)
    at_seed = penalty(links.indptr[node + 1] - links.indptr[node], small)
    at_target = penalty(back.indptr[target + 1] - back.indptr[target], small)
    share = score[seed] / at_seed[seed] / at_target
    return Paths(seed, link, query[seed] * (len(links.indptr) - 1) + target, share)


def add_up(steps: Paths) -> tuple[Ints, Floats]:
    """Return the keys of the candidates that a step leads to, ascending, and B of each; [b], [b]."""
    key, place = np.unique(steps.key, return_inverse=True)
    return key, np.bincount(place, weights=steps.share, minlength=len(key)).astype(np.float64)


def boosted(score: Floats, bonus: Floats, beta: float) -> Floats:
    """Return ``S + β·B·(1 − S)``; [m]."""
    return score + beta * bonus * (1 - score)


def lifted(query: Ints, frozen: npt.NDArray[np.bool_], score: Floats, queries: int) -> Floats:
    """Return how much to add to the frozen candidates of each query so that they rank above all others; [queries].

    All frozen candidates of a query get the same bonus, so they keep their order; it is 0 if they already rank first.
    """
    low = np.full(queries, np.inf)
    high = np.full(queries, -np.inf)
    np.minimum.at(low, query[frozen], score[frozen])
    np.maximum.at(high, query[~frozen], score[~frozen])
    above = high >= low
    return np.where(above, np.where(above, high, 0.0) - np.where(above, low, 0.0) + 1e-9, 0.0)


_ROUNDING = 1e-6
"""Largest distance of a cosine of single precision from [0, 1]."""


@dataclass(frozen=True)
class Candidates:
    """All candidates of all queries, in no order; c of them.

    Attributes:
        lists: the lists that they come from.
        row: row in `lists`, −1 for a provision that the list lacks; [c].
        query: position in ``lists.queries``; [c].
        docno: object [c].
        raw: score before it was brought into [0, 1]; [c].
        base: S(n); [c].
        final: score(n); [c].
        lift: part of `final` beyond S(n) and the bonus, because the candidate is frozen; [c].
        frozen: whether it is; [c].
        seeds: rows of the seeds in `lists`; [s].
        steps: links from the seeds.
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


def _find(ascending: Ints, wanted: Ints) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return which of `wanted` are in `ascending`, and their places there; other places mean nothing."""
    if len(ascending) == 0:
        return np.zeros(len(wanted), dtype=bool), np.zeros(len(wanted), dtype=np.int64)
    # In ascending order, neighbours lie in the same cache lines.
    order = np.argsort(wanted)
    place = np.empty(len(wanted), dtype=np.int64)
    place[order] = np.minimum(np.searchsorted(ascending, wanted[order]), len(ascending) - 1)
    return ascending[place] == wanted, place


SmallDegree = Literal["paper", "one"]
"""Weight of a degree of 0 or 1: ``ln(deg + 1)`` as in the paper, or 1 as in its authors' later code."""

_VERB = {"out": "cites", "in": "is cited by", "both": "is linked with"}


class SAR(Component):
    """Structure-aware reranking [sar].

    The seeds S of a query are the best `k` of its list; they spread their scores along their links::

        B(n) = 1/L(n) · Σ_{s ∈ S, s → n} S(s)/L(s)        L(x) = ln(deg(x) + 1)
        score(n) = S(n) + β·B(n)·(1 − S(n))

    deg is the number of links out of a seed, and of links into a cited provision, each in the whole graph. The result
    contains the whole list and every provision that a seed cites, of those that pass the filter of a
    query. A provision missing from the graph keeps its score.

    Columns in: ``qid, docno, score``, and for a scorer ``query`` or ``query_vec``, whichever it reads. Columns out:
    the query columns, ``docno, score, rank``.

    Beyond the paper: `normalize`, `freeze`, `pool`, `small_degree` and `direction`; their defaults do nothing. The
    authors' released code reranks a list of 100 with ``freeze=5, pool=100, small_degree="one"``, so that no cited
    provision is added; its undirected graph is ``direction="both"``.
    """

    name = "sar"
    graph: Annotated[CitationGraph, "the citation graph of the collection that was searched"]
    k: Annotated[int, Ge(1), "number of seeds"] = 15
    beta: Annotated[float, Ge(0), "β; with 0, no score of the list changes"] = 0.3
    scorer: Annotated[
        pt.Transformer | None,
        "gives S(n) of a cited provision that is not in the list: a transformer that scores given documents, "
        "or a retriever that has a ``scorer()``. None: S(n) = 0. Scores of −1 to 0, as a cosine has them, "
        "count as 0",
    ] = None
    normalize: Annotated[
        Normalizer | None,
        "how scores come into [0, 1], for each query by itself; "
        "None refuses scores outside [0, 1]. Scores of the scorer are brought there in the same way; with "
        "``minmax`` and ``max`` it also scores the list, because its scale may be another",
    ] = None
    freeze: Annotated[
        int,
        Ge(0),
        "number of provisions of a list that stay on top, in their order. Each has the score of its list, "
        "without a bonus, plus a constant that lifts them above all others",
    ] = 0
    pool: Annotated[
        int | None,
        Ge(1),
        "number of candidates per query at which no more cited provisions are added: the provisions of the "
        "best seed come first, and for each seed the lowest docnos. The list itself stays whole. None adds "
        "all",
    ] = None
    small_degree: Annotated[SmallDegree, "``paper``, or ``one``: L(x) is 1 where deg(x) is 0 or 1"] = "paper"
    direction: Annotated[
        Direction,
        "``out`` follows citations; ``in`` goes from the cited to who cites it; ``both`` does either, with "
        "the number of linked provisions as degree",
    ] = "out"

    @property
    def pair_scorer(self) -> pt.Transformer | None:
        """The transformer that gives S(n) of a provision that a list lacks."""
        return scorer_of(self.scorer) or self.scorer

    def empty(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return no results, with all columns."""
        self._validate(inp)
        return empty_like(inp)

    def apply(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the lists with new scores, and the provisions that their seeds cite.

        Raises:
            ComponentError: a score is not finite or not in [0, 1], or a document occurs twice.
        """
        self._validate(inp)
        return self._reranked(read_lists(inp, "sar")[0]).frame()

    def rank_lists(self, lists: RankedLists) -> RankedLists:
        """Return the lists of :meth:`apply`; errors as there."""
        if self.scorer is not None:
            check_queries(lists.queries)
        return self._reranked(lists._replace(queries=query_columns(lists.queries)))

    def _validate(self, inp: pd.DataFrame) -> None:
        if self.scorer is None:
            pt.validate.columns(inp, includes=["qid", "docno", "score"])
        else:
            check_queries(inp, "docno", "score")

    def _reranked(self, lists: RankedLists) -> RankedLists:
        if self.graph.validity is not None:
            return by_day(lists, lambda day, of_day: self._on(day)._reranked(of_day))
        candidates = self.candidates(lists)
        return ranked_lists(lists.queries, candidates.query, candidates.docno, candidates.final)

    def _on(self, day: int) -> SAR:
        """Return the component over the links in force on a day."""
        return self._cut(graph=self.graph.at(day))

    def candidates(self, lists: RankedLists) -> Candidates:
        """Return all candidates of all queries, and the parts of their scores; errors as :meth:`apply`."""
        graph, n, rank = self.graph, len(self.graph), lists.rank
        node = numbers_in(graph, lists, "sar")
        base = self._in_unit_interval(lists)
        seeds = np.flatnonzero((rank <= self.k) & (node >= 0))
        links, back = graph.adjacency(self.direction), graph.adjacency(OPPOSITE[self.direction])
        steps = paths(lists.query[seeds], node[seeds], base[seeds], links, back, self.small_degree)
        cited_key, cited_bonus = add_up(steps)
        hit, place = _find(cited_key, np.where(node >= 0, lists.query * n + node, -1))
        bonus = np.zeros(len(node))
        bonus[hit] = cited_bonus[place[hit]]
        missing = np.ones(len(cited_key), dtype=bool)
        missing[place[hit]] = False
        for number, mask in enumerate(passing(lists.queries, graph)):
            if mask is not None:
                own = slice(*np.searchsorted(cited_key, (number * n, number * n + n)).tolist())
                missing[own] &= mask[cited_key[own] - number * n]
        if self.pool is not None:
            missing[self._beyond_pool(lists, steps, cited_key, np.flatnonzero(missing))] = False
        missing_raw, missing_base = self._missing_scores(lists, node, cited_key[missing])
        missing_query, missing_node = np.divmod(cited_key[missing], n)

        row = np.concatenate((np.arange(len(node)), np.full(len(missing_node), -1)))
        query = np.concatenate((lists.query, missing_query))
        docno = np.concatenate((lists.docno, graph.docno_table[missing_node]))
        raw = np.concatenate((lists.score, missing_raw))
        base = np.concatenate((base, missing_base))
        bonus = np.concatenate((bonus, cited_bonus[missing]))
        frozen = np.concatenate((rank <= self.freeze, np.zeros(len(missing_node), dtype=bool)))
        final = boosted(base, np.where(frozen, 0.0, bonus), self.beta)
        lift = np.zeros(len(row))
        if self.freeze:
            lift = np.where(frozen, lifted(query, frozen, final, len(lists.queries))[query], 0.0)
        return Candidates(lists, row, query, docno, raw, base, final + lift, lift, frozen, seeds, steps)

    def _beyond_pool(self, lists: RankedLists, steps: Paths, key: Ints, missing: Ints) -> Ints:
        """Return which of the provisions that the lists lack have no room in the pool; places in `key`.

        Args:
            lists: the lists.
            steps: links from the seeds.
            key: keys of the cited candidates, ascending; [b].
            missing: places in `key` of the candidates that the lists lack, [m].
        """
        query, node = np.divmod(key[missing], len(self.graph))
        first_seed = steps.seed[np.unique(steps.key, return_index=True)[1][missing]]
        order = np.lexsort((self.graph.docno_table[node].astype(str), first_seed))
        query = query[order]
        room = self.pool - np.diff(lists.bounds)
        return missing[order[places(query) >= room[query]]]

    def _in_unit_interval(self, lists: RankedLists) -> Floats:
        """Return S of each row.

        Raises:
            ComponentError: a score is outside the range that `normalize` takes.
        """
        score, name = lists.score, self.normalize
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
                f"sar: the score {score[row]:.6g} of {lists.docno[row]!r} for query {lists.qid(row)!r} is outside "
                f"{want}: bring the scores there by normalize='minmax'{cosine}."
            )
        if name is None:
            return score
        first, query = lists.bounds, lists.query
        return NORMALIZERS[name](score, score[first[1:][query] - 1], score[first[:-1][query]])

    def _missing_scores(self, lists: RankedLists, node: Ints, key: Ints) -> tuple[Floats, Floats]:
        """Return the scorer's score of candidates that the lists lack, and S: 0 for candidates that it does not score.

        A normaliser that needs the ends of a scale uses the range of the scorer's own scores of the list: another
        component may have made the list.

        Args:
            lists: the lists.
            node: node of each row of `lists`, −1 for a document that the graph lacks; [r].
            key: keys of the candidates, ascending; [m].

        Raises:
            ComponentError: a score of the scorer is not a finite number, or not in the range of S.
        """
        if self.pair_scorer is None or len(key) == 0:
            return np.zeros(len(key)), np.zeros(len(key))
        n = len(self.graph)
        query = key // n
        if self.normalize not in FITTED:
            raw = self._pair_scores(lists, key)
            base = (clip if self.normalize is None else NORMALIZERS[self.normalize])(raw, raw, raw)
        else:
            listed = (node >= 0) & np.isin(lists.query, query)
            own_query, own_key = lists.query[listed], lists.query[listed] * n + node[listed]
            asked = np.sort(np.concatenate((key, own_key)))
            score = self._pair_scores(lists, asked)
            raw, own = score[np.searchsorted(asked, key)], score[np.searchsorted(asked, own_key)]
            low, high = np.full(len(lists.queries), np.inf), np.full(len(lists.queries), -np.inf)
            np.fmin.at(low, own_query, own)
            np.fmax.at(high, own_query, own)
            there = (low <= high)[query]
            low, high = np.where(there, low[query], 0.0), np.where(there, high[query], 0.0)
            base = np.where(there, NORMALIZERS[self.normalize](raw, low, high), 0.0)
        return np.nan_to_num(raw), np.nan_to_num(base)

    def _pair_scores(self, lists: RankedLists, key: Ints) -> Floats:
        """Return the scorer's scores of candidates, with one call; NaN for candidates that it omits. `key` ascends."""
        scorer, n = self.pair_scorer, len(self.graph)
        assert scorer is not None
        query, node = np.divmod(key, n)
        asked = lists.queries.iloc[query].reset_index(drop=True)
        asked["docno"] = pd.Series(self.graph.docno_table[node], dtype=str)
        scored = scorer.transform(asked)
        require_columns(scored, ("qid", "docno", "score"), f"sar: the result of the scorer {type(scorer).__name__}")
        score = scored["score"].to_numpy(dtype=np.float64)
        # A negative cosine counts as 0; 12.3 or −7 are on another scale than the list.
        right = np.isfinite(score) if self.normalize is not None else np.abs(score) <= 1 + _ROUNDING
        if not right.all():
            row = scored.iloc[int(np.flatnonzero(~right)[0])]
            raise ComponentError(
                f"sar: the scorer {type(scorer).__name__} gave {row['score']:.6g} to {row['docno']!r} for query "
                f"{row['qid']!r}, which is outside [0, 1]: give a scorer on the scale of the list, or bring both into "
                f"[0, 1] by normalize='minmax'."
            )
        of_query = pd.Index(lists.queries["qid"]).get_indexer(pd.Index(scored["qid"]))
        of_node = self.graph.numbers(scored["docno"])
        hit, place = _find(key, np.where((of_query >= 0) & (of_node >= 0), of_query * n + of_node, -1))
        out = np.full(len(key), np.nan)
        out[place[hit]] = score[hit]
        return out

    def explain(self, inp: pd.DataFrame, docnos: Sequence[str], upstream: Upstream) -> dict[str, Explanation]:
        """Return why `docnos` have their scores: S, a bonus for each seed that cites them, and a lift if frozen."""
        lists = read_lists(inp, "sar")[0]
        if self.graph.validity is not None:
            return self._on(days(lists.queries)[0]).explain(inp, docnos, upstream)
        candidates = self.candidates(lists)
        place = {docno: number for number, docno in enumerate(candidates.docno.tolist())}
        chosen = {docno: place[docno] for docno in docnos if docno in place}
        origins = upstream([docno for docno, number in chosen.items() if candidates.row[number] >= 0])
        missing = [docno for docno, number in chosen.items() if candidates.row[number] < 0]
        if self.pair_scorer is not None and missing:
            asked = candidates.lists.queries.iloc[np.zeros(len(missing), dtype=int)].reset_index(drop=True)
            origins |= explain_step(self.pair_scorer, asked.assign(docno=missing), missing)
        scorer = "0" if self.pair_scorer is None else f"by {label_of(self.pair_scorer)}"
        scale = "" if self.normalize is None else f"; scores in [0, 1] by {self.normalize}"
        note = f"S + β·B·(1 − S), β={self.beta:g}, k={self.k}; S of what the list lacks: {scorer}{scale}"
        out = {}
        for docno, number in chosen.items():
            parts = [self._base_part(candidates, number, origins.get(docno))]
            if candidates.frozen[number]:
                parts.append(Part(f"kept on top (freeze={self.freeze})", float(candidates.lift[number])))
            else:
                parts += self._bonus_parts(candidates, number)
            out[docno] = Explanation(docno, float(candidates.final[number]), "SAR", tuple(parts), note)
        return out

    def _base_part(self, candidates: Candidates, number: int, origin: Explanation | None) -> Part:
        row = candidates.row[number]
        base, raw = float(candidates.base[number]), float(candidates.raw[number])
        detail: dict[str, object] = {"S": base, "raw": raw}
        if row >= 0:
            detail["rank"] = int(candidates.lists.rank[row])
            label = f"S at rank {detail['rank']} of the list"
        else:
            label = "S, not in the list" if self.pair_scorer is None else "S by the scorer, not in the list"
        if self.normalize is not None and (row >= 0 or self.pair_scorer is not None):
            label += f" ({raw:.4g} by {self.normalize})"
        return Part(label, base, origin, detail)

    def _bonus_parts(self, candidates: Candidates, number: int) -> list[Part]:
        graph, lists, steps = self.graph, candidates.lists, candidates.steps
        node, rank = int(graph.numbers([candidates.docno[number]])[0]), lists.rank
        links = graph.adjacency(self.direction)
        out = []
        for step in np.flatnonzero(steps.key == node).tolist() if node >= 0 else []:
            seed = int(candidates.seeds[steps.seed[step]])
            score = float(candidates.base[np.flatnonzero(candidates.row == seed)[0]])
            share = float(steps.share[step])
            detail = {
                "seed": str(lists.docno[seed]),
                "rank": int(rank[seed]),
                "S": score,
                "share": share,
                "direction": self.direction,
                "kind": graph.kinds[int(links.kinds[steps.link[step]])],
            }
            label = f"seed {detail['seed']} (rank {detail['rank']}, S={score:.4f})"
            label += f" {_VERB[self.direction]} {candidates.docno[number]}"
            out.append(Part(label, self.beta * share * (1 - float(candidates.base[number])), None, detail))
        return out


@parameters_of(SAR, without=["graph"])
def sar(
    collection: Collection, *, left: pt.Transformer | None = None, scorer: pt.Transformer | None = None, **params: Any
) -> SAR:
    """SAR over the collection's citation graph: ``tfidf % 100 >> sar(beta=0.3)``, ``bm25 >> sar(normalize="minmax")``.

    Provisions that the list lacks are scored by the retriever on the left, if it can, or by `scorer`:
    ``rrf(bm25, lsa) % 100 >> sar(scorer=lsa, normalize="minmax")``.
    """
    return SAR(CitationGraph.of(collection), scorer=scoring_of(left) if scorer is None else scorer, **params)


# Read by legalir.testing.
sar.expected_failures = {"same-documents": "SAR brings in what the best provisions cite."}  # type: ignore[attr-defined]
