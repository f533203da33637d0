"""Agreement between a person and a judge, or between two people, who rate the same answers.

A figure without a value is NaN, and ``undefined`` says why: ratings that never vary have no correlation, and two raters
who give every answer the same label have no kappa. It is never 0 there. A judge that gives every answer the same label,
while the person does not, does have a kappa: 0.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from legalir.errors import MeasureError
from legalir.extend import check_choice

__all__ = ["Agreement", "agreement", "draw_matrices", "krippendorff_alpha"]

Rating = float | None
"""A rating is a number; None or NaN where a rater gave none."""

Level = Literal["nominal", "ordinal", "interval", "ratio"]
"""Scale of ratings, by which Krippendorff's alpha weighs their differences."""

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
        kappa: Cohen's kappa [cohen-kappa].
        quadratic_kappa: Cohen's kappa with the squared difference of the labels as weight.
        alpha: Krippendorff's alpha [krippendorff-alpha].
        spearman: rank correlation of the ratings as they were given.
        spearman_binarised: rank correlation after binarising; NaN if nothing was binarised.
        precision: mean of the precision of the judge over the labels, weighted by how often the human gave a label; 0
            for a label that the judge never gives.
        recall: the same mean of recall, which is `agreement`.
        f1: the same mean of F1.
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
    """
    check_choice("", "level", level, get_args(Level), MeasureError)
    if len(human) != len(judge):
        raise MeasureError(f"There are {len(human)} and {len(judge)} ratings: give two ratings of each answer.")
    rated = [(a, b) for a, b in zip(human, judge, strict=True) if _is_rating(a) and _is_rating(b)]
    given = np.array(rated, dtype=np.float64).reshape(-1, 2)
    ratings = np.column_stack([_binary(given[:, 0], human_threshold), _binary(given[:, 1], judge_threshold)])
    labels, places = np.unique(ratings, return_inverse=True)
    places = places.reshape(-1, 2)
    n = len(given)
    binarised = human_threshold is not None or judge_threshold is not None
    counts, figures = _of_labels(places[:, 0], places[:, 1], len(labels))
    figures |= {
        "quadratic_kappa": _quadratic_kappa(counts, labels) if len(labels) > 1 else math.nan,
        "alpha": krippendorff_alpha([ratings[:, 0].tolist(), ratings[:, 1].tolist()], level),
        "spearman": _spearman(given),
        "spearman_binarised": _spearman(ratings) if binarised else math.nan,
    }
    undefined = {
        name: _reason(name, given if name == "spearman" else ratings, binarised)
        for name, value in figures.items()
        if math.isnan(value)
    }
    return Agreement(
        n=n,
        left_out=len(human) - n,
        labels=tuple(labels.tolist()),
        confusion=counts,
        human_marginal=tuple((counts.sum(axis=1) / n).tolist()) if n else (),
        judge_marginal=tuple((counts.sum(axis=0) / n).tolist()) if n else (),
        undefined=undefined,
        **figures,
    )


def _of_labels(human: Counts, judge: Counts, labels: int) -> tuple[Counts, dict[str, float]]:
    """Return the confusion matrix, and the figures that do not look at the size of ratings.

    Args:
        human: label of each answer, from 0; [n].
        judge: the same of the judge; [n].
        labels: number of labels.
    """
    from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support

    names = ("agreement", "kappa", "precision", "recall", "f1")
    counts = np.bincount(human * labels + judge, minlength=labels**2).reshape(labels, labels)
    if not len(human):
        return counts, dict.fromkeys(names, math.nan)
    scores = precision_recall_fscore_support(human, judge, average="weighted", zero_division=0)[:3]
    kappa = cohen_kappa_score(human, judge) if labels > 1 else math.nan
    values = (float(np.mean(human == judge)), float(kappa), *map(float, scores))
    return counts, dict(zip(names, values, strict=True))


def _quadratic_kappa(counts: Counts, labels: Floats) -> float:
    """Return Cohen's kappa with squared differences of the labels, not of their places as scikit-learn has it.

    κ = 1 - Σ w·observed / Σ w·expected, where `expected` follows from the marginals.

    Args:
        counts: number of answers with each pair of labels; [k, k].
        labels: values of the labels; [k], at least two.
    """
    weights = (labels[:, None] - labels[None, :]) ** 2
    expected = float((weights * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum())
    return 1.0 - float((weights * counts).sum()) * float(counts.sum()) / expected


def krippendorff_alpha(ratings: Sequence[Sequence[Rating]], level: Level = "ordinal") -> float:
    """Return Krippendorff's alpha of several raters [krippendorff-alpha]; NaN if the ratings never vary.

    Args:
        ratings: one sequence a rater, of the same answers in the same order; None or NaN where a rater gave none.
        level: what the differences between ratings mean.

    Raises:
        MeasureError: there is no such level.
    """
    check_choice("", "level", level, get_args(Level), MeasureError)
    data = np.array([[np.nan if value is None else value for value in rater] for rater in ratings], dtype=np.float64)
    pairable = data[:, (~np.isnan(data)).sum(axis=0) > 1] if data.size else data
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        return math.nan
    import krippendorff

    return float(krippendorff.alpha(reliability_data=pairable, level_of_measurement=level))


def _spearman(ratings: Floats) -> float:
    """Return the rank correlation of two columns; NaN if one of them never varies."""
    if not len(ratings) or np.any(ratings.min(axis=0) == ratings.max(axis=0)):
        return math.nan
    from scipy.stats import spearmanr

    return float(spearmanr(ratings[:, 0], ratings[:, 1]).statistic)


def _is_rating(value: Rating) -> bool:
    return value is not None and not math.isnan(value)


def _binary(values: Floats, threshold: float | None) -> Floats:
    return values if threshold is None else (values >= threshold).astype(np.float64)


def _reason(name: str, ratings: Floats, binarised: bool) -> str:
    if name == "spearman_binarised" and not binarised:
        return "no threshold was given"
    if not len(ratings):
        return "no answer has two ratings"
    constant = [rater for rater, column in zip(("human", "judge"), ratings.T, strict=True) if len(set(column)) < 2]
    if len(constant) == 2:
        return "the ratings of both raters never vary"
    return f"the ratings of the {constant[0]} never vary"


FORMATS = (".svg", ".png", ".pdf")
"""Endings of the files that are written."""


def draw_matrices(figures: Mapping[tuple[str, str, str], Agreement], path: Path) -> None:
    """Write a picture of the confusion matrix of each pair of raters; the darker a cell, the larger its share of a row.

    Args:
        figures: agreement by measure, rater of the rows, and rater of the columns; each with at least one answer.
        path: a file that ends in one of :data:`FORMATS`.

    Raises:
        MeasureError: the file has another ending, or cannot be written.
    """
    if path.suffix.lower() not in FORMATS:
        raise MeasureError(f"{path} must end in {', '.join(FORMATS)}: these are the pictures that can be written.")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(3, len(figures))
    rows = -(-len(figures) // columns)
    # Text stays text in an SVG, so that the reader's fonts show names in any script.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "legalir"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*", category=UserWarning)
        figure = Figure(figsize=(3.4 * columns, 3.6 * rows), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for place, ((measure, first, second), one) in enumerate(figures.items()):
            panel = axes[place]
            shares = one.confusion / one.confusion.sum(axis=1, keepdims=True).clip(min=1)
            panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)
            labels = [f"{label:g}" for label in one.labels]
            panel.set_xticks(range(len(labels)), labels)
            panel.set_yticks(range(len(labels)), labels)
            panel.set_xlabel(second, parse_math=False)
            panel.set_ylabel(first, parse_math=False)
            kappa = "undefined" if "kappa" in one.undefined else f"{one.kappa:.2f}"
            panel.set_title(f"{measure}: n = {one.n}, κ {kappa}", fontsize=10, parse_math=False)
            for row, counts in enumerate(one.confusion.tolist()):
                for column, count in enumerate(counts):
                    shade = "white" if shares[row, column] > 0.5 else "black"
                    panel.text(column, row, str(count), ha="center", va="center", color=shade)
        for panel in axes[len(figures) :]:
            panel.set_axis_off()
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
        except OSError as error:
            raise MeasureError(f"{path} cannot be written ({error.strerror or error}): give another place.") from error
