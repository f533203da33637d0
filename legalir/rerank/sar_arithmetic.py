"""Arithmetic of structure-aware reranking (Chae et al., *Beyond Case Law*, 2025), for all queries at once.

A candidate is a pair of a query and a node; its key is ``query · n + node``. Seeds s have scores S(s) in [0, 1]::

    L(x) = ln(deg(x) + 1)
    B(n) = 1/L(n) · Σ_{s → n} S(s)/L(s)
    score(n) = S(n) + β·B(n)·(1 − S(n))
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from legalir.index.csr import Adjacency, positions

__all__ = ["Bonuses", "Paths", "add_up", "boosted", "lifted", "paths", "penalty"]

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
