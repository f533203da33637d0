"""Agreement between a person and a judge, or between two people, who rate the same answers.

A figure without a value is NaN, and ``undefined`` says why: ratings that never vary have no correlation, and two raters
who give every answer the same label have no kappa. It is never 0 there. A judge that gives every answer the same label,
while the person does not, does have a kappa: 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.errors import MeasureError
from legalir.extras import require
from legalir.frames.component import check_choice
from legalir.measure.confidence import spearman

__all__ = ["Agreement", "agreement", "cohen_kappa", "confusion", "krippendorff_alpha", "weighted_scores"]

Rating = float | None
"""A rating is a number; None or NaN where a rater gave none."""

Level = Literal["nominal", "ordinal", "interval", "ratio"]
"""Scale of ratings, by which Krippendorff's alpha weighs their differences."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Agreement:
    """Agreement of two raters; `human` is the truth for precision and recall.

    Attributes:
        n: answers that both rated.
        left_out: answers that only one of them rated, or neither.
        labels: the ratings that occur, ascending; after binarising 0 and 1.
        confusion: number of answers, int64 [labels, labels]; a row is a label of the human, a column one of the judge.
        human_marginal: share of each label with the human.
        judge_marginal: share of each label with the judge.
        agreement: share of the answers that both gave the same label.
        kappa: Cohen's kappa.
        quadratic_kappa: Cohen's kappa with the squared difference of the labels as weight.
        alpha: Krippendorff's alpha.
        spearman: rank correlation of the ratings as they were given.
        spearman_binarised: rank correlation after binarising; NaN if nothing was binarised.
        precision: of the judge's labels, weighted by the number of answers of each label with the human.
        recall: the same of recall, which is `agreement`.
        f1: the same of F1.
        undefined: why a figure is NaN, by its name.
    """

    n: int
    left_out: int
    labels: tuple[float, ...]
    confusion: Counts
    human_marginal: tuple[float, ...]
    judge_marginal: tuple[float, ...]
    agreement: float
    kappa: float
    quadratic_kappa: float
    alpha: float
    spearman: float
    spearman_binarised: float
    precision: float
    recall: float
    f1: float
    undefined: Mapping[str, str]


def agreement(
    human: Sequence[Rating],
    judge: Sequence[Rating],
    *,
    human_threshold: float | None = None,
    judge_threshold: float | None = None,
    level: Level = "ordinal",
) -> Agreement:
    """Return how well two raters agree on the same answers.

    Args:
        human: ratings of a person.
        judge: ratings of a judge, or of another person, of the same answers in the same order.
        human_threshold: the lowest rating of a person that means *correct*; with it the ratings become 0 and 1 for all
            figures but `spearman`. None leaves them as they are. [hypa-rag] binarises labels 0, .5, 1 at 1.
        judge_threshold: the same for the judge; [hypa-rag] binarises scores from 1 to 5 at 4.
        level: what the differences between ratings mean to alpha; with two labels all levels give the same.

    Raises:
        MeasureError: the numbers of ratings differ, or there is no such level.
        MissingExtra: krippendorff is not installed.
    """
    check_choice("", "level", level, get_args(Level), MeasureError)
    if len(human) != len(judge):
        raise MeasureError(f"There are {len(human)} and {len(judge)} ratings: give two ratings of each answer.")
    rated = [(a, b) for a, b in zip(human, judge, strict=True) if _is_rating(a) and _is_rating(b)]
    given = np.array(rated, dtype=np.float64).reshape(-1, 2)
    first, second = _binary(given[:, 0], human_threshold), _binary(given[:, 1], judge_threshold)
    labels = tuple(np.union1d(first, second).tolist())
    counts = confusion(first.tolist(), second.tolist(), labels)
    n = len(given)
    binarised = human_threshold is not None or judge_threshold is not None
    precision, recall, f1 = weighted_scores(counts)
    figures = {
        "agreement": float(np.trace(counts)) / n if n else math.nan,
        "kappa": cohen_kappa(counts),
        "quadratic_kappa": cohen_kappa(counts, labels),
        "alpha": krippendorff_alpha([first.tolist(), second.tolist()], level),
        "spearman": spearman(given[:, 0].tolist(), given[:, 1].tolist()),
        "spearman_binarised": spearman(first.tolist(), second.tolist()) if binarised else math.nan,
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }
    undefined = {
        name: _reason(name, given if name == "spearman" else np.column_stack([first, second]), binarised)
        for name, value in figures.items()
        if math.isnan(value)
    }
    return Agreement(
        n=n,
        left_out=len(human) - n,
        labels=labels,
        confusion=counts,
        human_marginal=tuple((counts.sum(axis=1) / n).tolist()) if n else (),
        judge_marginal=tuple((counts.sum(axis=0) / n).tolist()) if n else (),
        undefined=undefined,
        **figures,
    )


def confusion(human: Sequence[float], judge: Sequence[float], labels: Sequence[float]) -> Counts:
    """Return the number of answers with each pair of labels, int64 [labels, labels]; rows are the human's labels."""
    pairs = Counter(zip(human, judge, strict=True))
    counts = [[pairs[row, column] for column in labels] for row in labels]
    return np.array(counts, dtype=np.int64).reshape(len(labels), len(labels))


def cohen_kappa(counts: Counts, labels: Sequence[float] | None = None) -> float:
    """Return Cohen's kappa of a confusion matrix [cohen-kappa]; NaN if chance alone would agree everywhere.

    κ = 1 - Σ w·observed / Σ w·expected, where `expected` follows from the marginals.

    Args:
        counts: number of answers with each pair of labels, [k, k].
        labels: values of the labels, [k], for quadratic weights w = (a - b)²; None for w = 1 where labels differ.
    """
    n = counts.sum()
    if not n:
        return math.nan
    if labels is None:
        weights = 1.0 - np.eye(len(counts))
    else:
        values = np.asarray(labels, dtype=np.float64)
        weights = (values[:, None] - values[None, :]) ** 2
    expected = float((weights * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum())
    return 1.0 - float((weights * counts).sum()) * float(n) / expected if expected else math.nan


def krippendorff_alpha(ratings: Sequence[Sequence[Rating]], level: Level = "ordinal") -> float:
    """Return Krippendorff's alpha of several raters [krippendorff-alpha]; NaN if the ratings never vary.

    Args:
        ratings: one sequence a rater, of the same answers in the same order; None or NaN where a rater gave none.
        level: what the differences between ratings mean.

    Raises:
        MeasureError: there is no such level.
        MissingExtra: krippendorff is not installed.
    """
    check_choice("", "level", level, get_args(Level), MeasureError)
    data = np.array([[np.nan if value is None else value for value in rater] for rater in ratings], dtype=np.float64)
    pairable = data[:, (~np.isnan(data)).sum(axis=0) > 1] if data.size else data
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        return math.nan
    package = require("krippendorff", extra="answers")
    return float(package.alpha(reliability_data=pairable, level_of_measurement=level))


def weighted_scores(counts: Counts) -> tuple[float, float, float]:
    """Return precision, recall and F1, each the mean over the labels, weighted by the rows of the matrix.

    A label that the judge never gives has precision and F1 0, as in scikit-learn. NaN without answers.

    Args:
        counts: number of answers with each pair of labels, [k, k]; rows are the truth.
    """
    n = counts.sum()
    if not n:
        return math.nan, math.nan, math.nan
    hits, truth, given = np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)
    precision = hits / np.maximum(given, 1)
    recall = hits / np.maximum(truth, 1)
    f1 = 2 * hits / np.maximum(given + truth, 1)
    weights = truth / n
    return float(precision @ weights), float(recall @ weights), float(f1 @ weights)


def _is_rating(value: Rating) -> bool:
    return value is not None and not math.isnan(value)


def _binary(values: npt.NDArray[np.float64], threshold: float | None) -> npt.NDArray[np.float64]:
    return values if threshold is None else (values >= threshold).astype(np.float64)


def _reason(name: str, ratings: npt.NDArray[np.float64], binarised: bool) -> str:
    if name == "spearman_binarised" and not binarised:
        return "no threshold was given"
    if not len(ratings):
        return "no answer has two ratings"
    constant = [rater for rater, column in zip(("human", "judge"), ratings.T, strict=True) if len(set(column)) < 2]
    if len(constant) == 2:
        return "the ratings of both raters never vary"
    return f"the ratings of the {constant[0]} never vary"
