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
        return [(docno, weight * (0.5 if how == "dbsf" else 1)) for docno, _ in ranked]
    if how == "dbsf":
        mean, sigma = statistics.fmean(values), statistics.stdev(values)
        return [(docno, weight * (score - (mean - 3 * sigma)) / (6 * sigma)) for docno, score in ranked]
    size = high - low if how == "minmax" else statistics.pstdev(values)
    return [(docno, weight * (score - low) / size) for docno, score in ranked]


def multiplied(given: Sequence[Ranked]) -> list[list[tuple[str, float]]]:
    """Return each value times the number of lists that have its document."""
    return [[(docno, value * sum(docno in dict(each) for each in given)) for docno, value in one] for one in given]


def greatest(given: Sequence[Ranked]) -> list[list[tuple[str, float]]]:
    """Return one list with the greatest value of each document."""
    docnos = {docno for one in given for docno, _ in one}
    return [[(docno, max(value for one in given for other, value in one if other == docno)) for docno in docnos]]


def squared(ranked: Ranked) -> list[tuple[str, float]]:
    return [(docno, 1 / rank**2) for rank, (docno, _) in enumerate(ranked, start=1)]


def borda(given: Sequence[Ranked]) -> list[list[tuple[str, float]]]:
    """Return Borda's counts, less what a document has that no list has."""
    docnos = {docno for one in given for docno, _ in one}
    counts = dict.fromkeys(docnos, 0.0)
    for ranked in given:
        points = {docno: len(docnos) - place for place, (docno, _) in enumerate(ranked)}
        left = sum(range(1, len(docnos) - len(ranked) + 1)) / max(1, len(docnos) - len(ranked))
        absent = left if len(docnos) > len(ranked) else 0.5  # as the formula continues to a list that lacks none
        for docno in docnos:
            counts[docno] += points.get(docno, absent) - absent
    return [list(counts.items())]
