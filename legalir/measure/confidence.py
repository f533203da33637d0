"""Figures over many answers: risk against coverage, correlation of measures, and the position of the gold provision."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from legalir.declared import check_number
from legalir.errors import MeasureError

__all__ = [
    *("PositionBin", "RankCorrelation", "RiskCoverage", "by_position", "correlations", "gold_position", "pearson"),
    *("rank_correlations", "risk_coverage"),
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RiskCoverage:
    """Risk and coverage of a system that answers only if its confidence is at least t [selective].

    Attributes:
        thresholds: each value of the confidence once, descending; [m].
        coverage: share of the questions that are answered at each threshold; ascending, the last is 1; [m].
        risk: share of the answered questions that are wrong; [m].
        area: area under risk over coverage from 0 to 1, by trapezoid. From coverage 0 to the first point the risk is
            the risk of the first point. Lower is better; a confidence that is the same everywhere gives the share of
            wrong answers.
    """

    thresholds: Floats
    coverage: Floats
    risk: Floats
    area: float


def risk_coverage(confidence: Sequence[float], wrong: Sequence[bool]) -> RiskCoverage:
    """Return the curve of abstention by confidence. Questions with equal confidence are answered together.

    Args:
        confidence: of each question; minus infinity for a question without a confidence, for example without results.
        wrong: whether the answer of each question is wrong.

    Raises:
        MeasureError: the numbers differ, there is no question, or a confidence is NaN.
    """
    if len(confidence) != len(wrong):
        raise MeasureError(f"There are {len(confidence)} confidences and {len(wrong)} answers: give one to each.")
    if not len(wrong):
        raise MeasureError("A curve of risk needs at least one question, got none.")
    scores, faults = np.asarray(confidence, dtype=np.float64), np.asarray(wrong, dtype=np.int64)
    if np.isnan(scores).any():
        raise MeasureError("A confidence is NaN: give minus infinity where there is none.")
    ascending, place = np.unique(scores, return_inverse=True)
    answered = np.cumsum(np.bincount(place)[::-1])
    mistaken = np.cumsum(np.bincount(place, weights=faults)[::-1])
    coverage, risk = answered / len(scores), mistaken / answered
    area = float(np.trapezoid(np.append(risk[0], risk), np.append(0.0, coverage)))
    return RiskCoverage(ascending[::-1].copy(), coverage, risk, area)


def correlations(retrieval: Mapping[str, Sequence[float]], answers: Mapping[str, Sequence[float]]) -> pd.DataFrame:
    """Return how each measure of rankings goes with each measure of answers over several systems [nitibench].

    Args:
        retrieval: values of each measure of rankings, one per system.
        answers: values of each measure of answers, of the same systems in the same order.

    Returns:
        One row a pair: ``retrieval, answer, n, pearson, spearman``. `n` counts the systems for which both are defined;
        the correlations are NaN if a measure never varies among them. Two systems always correlate perfectly.

    Raises:
        MeasureError: the numbers of systems differ.
    """
    lengths = {len(values) for values in (*retrieval.values(), *answers.values())}
    if len(lengths) > 1:
        raise MeasureError(f"The measures have {sorted(lengths)} values: give one value a system for each measure.")
    rows = []
    for name, ranked in retrieval.items():
        for other, answered in answers.items():
            pairs = [(a, b) for a, b in zip(ranked, answered, strict=True) if not (math.isnan(a) or math.isnan(b))]
            first, second = [a for a, _ in pairs], [b for _, b in pairs]
            rows.append((name, other, len(pairs), pearson(first, second), spearman(first, second)))
    return pd.DataFrame(rows, columns=["retrieval", "answer", "n", "pearson", "spearman"])


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the linear correlation; NaN if a sequence never varies or has fewer than two values."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return math.nan
    a, b = (np.asarray(values, dtype=np.float64) - math.fsum(values) / len(values) for values in (first, second))
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(np.clip(float(a @ b) / scale, -1.0, 1.0)) if scale else math.nan


def gold_position(context: Sequence[str], lengths: Sequence[int], gold: Sequence[str]) -> int | None:
    """Return the number of characters before the last gold provision of a context; None if it has no gold provision.

    An answer needs all its provisions, so the deepest decides how far the model has to read.

    Args:
        context: docnos in the order in which the model reads them.
        lengths: characters of each.
        gold: docnos that the answer should cite.
    """
    starts = np.cumsum([0, *lengths])
    needed = set(gold)
    places = [int(start) for docno, start in zip(context, starts[: len(lengths)], strict=True) if docno in needed]
    return max(places, default=None)


class PositionBin(NamedTuple):
    """Answers whose gold provision begins at ``start <= position < end``: their number, and the mean of a measure."""

    start: int
    end: int
    n: int
    mean: float


def by_position(positions: Sequence[int | None], values: Sequence[float], width: int = 100_000) -> list[PositionBin]:
    """Return the mean of a measure of answers for each depth of the gold provision in a long context [nitibench].

    Args:
        positions: of the gold provision of each question, in characters from 0, from :func:`gold_position`; a question
            with None is left out.
        values: of the measure; a question with NaN is left out.
        width: characters of a bin.

    Returns:
        Bins from position 0 to the deepest; one without questions has the mean NaN.

    Raises:
        ComponentError: `width` is not an integer of at least 1.
        MeasureError: the numbers differ, or a position is negative.
    """
    check_number("by_position", "width", width, low=1, integer=True)
    if len(positions) != len(values):
        raise MeasureError(f"There are {len(positions)} positions and {len(values)} values: give one to each.")
    bins: dict[int, list[float]] = {}
    for position, value in zip(positions, values, strict=True):
        if position is None or math.isnan(value):
            continue
        if position < 0:
            raise MeasureError(f"A position is the number of characters before a provision, got {position}.")
        bins.setdefault(position // width, []).append(value)
    return [
        PositionBin(place * width, (place + 1) * width, len(held), math.fsum(held) / len(held) if held else math.nan)
        for place in range(max(bins, default=-1) + 1)
        for held in [bins.get(place, [])]
    ]


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the rank correlation; NaN if a sequence never varies or has fewer than two values."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return math.nan
    from scipy.stats import spearmanr

    return float(spearmanr(first, second).statistic)


class RankCorrelation(NamedTuple):
    """A rank correlation with the ends of its 95 % interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


def rank_correlations(first: Sequence[float], second: Sequence[float]) -> tuple[RankCorrelation, RankCorrelation]:
    """Return Kendall's τ-b and Spearman's ρ of paired values, with Fisher intervals [rank-intervals].

    ``tanh(atanh r ± 1.96·√v)`` with ``v = 0.437/(n − 4)`` for τ and ``v = (1 + ρ²/2)/(n − 3)`` for ρ: for independent
    pairs, approximate where many values are equal. A correlation is NaN if a sequence never varies; an interval is NaN
    for less than five pairs, or for a correlation of 1 or −1.

    Args:
        first: finite values; [n].
        second: finite values; [n].

    Raises:
        MeasureError: the numbers differ.
    """
    n = len(first)
    if n != len(second):
        raise MeasureError(f"There are {n} and {len(second)} values: give pairs.")
    from scipy.stats import kendalltau

    rho, tau = spearman(first, second), math.nan
    if not math.isnan(rho):
        tau = float(kendalltau(first, second).statistic)
    variances = (0.437 / (n - 4), (1 + rho**2 / 2) / (n - 3)) if n >= 5 else (math.nan, math.nan)
    kendall, other = (_with_interval(*pair) for pair in zip((tau, rho), variances, strict=True))
    return kendall, other


def _with_interval(value: float, variance: float) -> RankCorrelation:
    if not abs(value) < 1 - 1e-12:
        return RankCorrelation(value, math.nan, math.nan)
    middle, half = math.atanh(value), 1.959964 * math.sqrt(variance)
    return RankCorrelation(value, math.tanh(middle - half), math.tanh(middle + half))
