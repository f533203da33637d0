"""SAR as one would write it down: one query at a time, with dictionaries. The second implementation of the tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

Link = tuple[str, str]


def neighbours(links: Iterable[Link], direction: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return where a seed's links lead, and the same backwards."""
    ahead: dict[str, list[str]] = {}
    back: dict[str, list[str]] = {}
    for source, target in dict.fromkeys(links):
        for one, other in {"out": [(source, target)], "in": [(target, source)]}.get(
            direction, [(source, target), (target, source)]
        ):
            if one != other and other not in ahead.setdefault(one, []):
                ahead[one].append(other)
                back.setdefault(other, []).append(one)
    return ahead, back


def plain_sar(
    scores: Mapping[str, float],
    ahead: Mapping[str, list[str]],
    back: Mapping[str, list[str]],
    k: int = 15,
    beta: float = 0.3,
    scorer: Callable[[str], float] = lambda docno: 0.0,
    small_degree: str = "paper",
) -> dict[str, float]:
    """Return the score of every candidate of one query."""

    def penalty(degree: int) -> float:
        return 1.0 if small_degree == "one" and degree <= 1 else math.log(degree + 1)

    ranking = sorted(scores, key=lambda docno: (-scores[docno], docno))
    inflow: dict[str, float] = {}
    for seed in ranking[:k]:
        cited = ahead.get(seed, [])
        for target in cited:
            inflow[target] = inflow.get(target, 0.0) + scores[seed] / penalty(len(cited))
    out = dict(scores)
    for target in inflow:
        if target not in out:
            out[target] = scorer(target)
    for target, value in inflow.items():
        bonus = value / penalty(len(back[target]))
        out[target] = out[target] + beta * bonus * (1 - out[target])
    return out


def plain_pool(scores: Mapping[str, float], ahead: Mapping[str, list[str]], k: int, size: int) -> list[str]:
    """Return the candidates of one query as the authors' released code gathers them."""
    pool = sorted(scores, key=lambda docno: (-scores[docno], docno))
    for seed in pool[:k]:
        for target in sorted(ahead.get(seed, [])):
            if target not in pool and len(pool) < size:
                pool.append(target)
    return pool
