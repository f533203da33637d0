"""Fusion once more in plain Python, list by list and document by document, from the formulas alone."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

Ranked = Sequence[tuple[str, float]]


def fused(given: Sequence[Sequence[tuple[str, float]]]) -> list[tuple[str, float]]:
    """Return the documents by the sum of what each list gives them, best first, equal ones by docno."""
    totals = {
        docno: math.fsum(value for values in given for other, value in values if other == docno)
        for docno in {docno for values in given for docno, _ in values}
    }
    return sorted(totals.items(), key=lambda item: (-item[1], item[0]))


def reciprocal(ranked: Ranked, k: float, weight: float = 1) -> list[tuple[str, float]]:
    return [(docno, weight / (k + rank)) for rank, (docno, _) in enumerate(ranked, start=1)]


def normalized(ranked: Ranked, how: str, weight: float = 1) -> list[tuple[str, float]]:
    values = [score for _, score in ranked]
    if not values or how == "none":
        return [(docno, weight * score) for docno, score in ranked]
    low, high = min(values), max(values)
    if low == high:
        return [(docno, weight) for docno, _ in ranked]
    size = high - low if how == "minmax" else statistics.pstdev(values)
    return [(docno, weight * (score - low) / size) for docno, score in ranked]
