"""The arithmetic of judged answers: verdicts of a judge in, figures out.

A language model, or a person, gives the verdicts: whether a claim is supported, how much of the reference answer is
covered. The arithmetic here is that of [nitibench] (coverage, contradiction), [ragas] (faithfulness, relevancy, context
precision and recall), [rar-agent] (answer correctness) and [hypa-rag] (context F1, absolute correctness).

A figure with nothing to count is undefined, that is, NaN. A verdict of None or NaN means that the judge failed.
Averages omit such verdicts and report their number; with ``as_zero=True`` they count as 0, as in the released code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from legalir.errors import MeasureError

__all__ = [
    "Mean",
    "Relevancy",
    "absolute_correctness",
    "answer_correctness",
    "answer_relevancy",
    "context_f1",
    "context_precision",
    "context_recall",
    "faithfulness",
    "mean_verdict",
    "win",
]


class Mean(NamedTuple):
    """A mean, the number of values in it, and the number of verdicts that are missing."""

    value: float
    n: int
    failed: int


def mean_verdict(verdicts: Sequence[float | None], *, as_zero: bool = False) -> Mean:
    """Return the mean of verdicts that are numbers: coverage 0/.5/1, contradiction 0/1, a binary judge, wins 0/.5/1.

    Args:
        verdicts: one per answer; None or NaN where the judge failed.
        as_zero: whether a missing verdict counts 0, as in the released code of [nitibench] and [searchfiresafety]: for
            contradiction that reads *no contradiction*.
    """
    given = _given(verdicts)
    n = len(verdicts) if as_zero else len(given)
    return Mean(math.fsum(given) / n if n else math.nan, n, len(verdicts) - len(given))


def faithfulness(supported: Sequence[bool]) -> float:
    """Return the share of the claims of an answer that its context supports; NaN for an answer without claims."""
    return sum(map(bool, supported)) / len(supported) if supported else math.nan


class Relevancy(NamedTuple):
    """Answer relevancy, and whether the judge called the answer non-committal."""

    value: float
    noncommittal: bool


def answer_relevancy(
    cosines: Sequence[float], noncommittal: Sequence[bool] = (), *, as_zero: bool = False
) -> Relevancy:
    """Return the mean cosine between the question and the questions that a model generated from the answer.

    Args:
        cosines: one per generated question.
        noncommittal: whether the judge called the answer non-committal, once or for each generated question.
        as_zero: whether one such verdict makes the value 0, as the reference library of [ragas] has it. There a correct
            abstention scores 0. Otherwise the value of such an answer is NaN, so that abstentions are counted apart.
    """
    if any(noncommittal):
        return Relevancy(0.0 if as_zero else math.nan, True)
    return Relevancy(math.fsum(cosines) / len(cosines) if cosines else math.nan, False)


def context_recall(attributable: Sequence[bool]) -> float:
    """Return the share of the claims of the reference that the context supports; NaN for a reference without claims."""
    return faithfulness(attributable)


def context_precision(useful: Sequence[bool]) -> float:
    """Return Σ_k P@k·v_k / Σ_k v_k, where v_k is 1 if the k-th provision of the context is useful.

    0 if no provision is useful; NaN without context.

    Args:
        useful: verdicts on the first K provisions, best first.
    """
    if not useful:
        return math.nan
    found, total = 0, 0.0
    for rank, verdict in enumerate(useful, 1):
        if verdict:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def context_f1(precisions: Sequence[float | None], recalls: Sequence[float | None]) -> float:
    """Return the harmonic mean of the mean context precision and the mean context recall [hypa-rag].

    It is not the mean of the F1 of the questions. Undefined values are left out of each mean; the result is NaN if a
    mean is undefined, and 0 if both are 0.
    """
    precision, recall = mean_verdict(precisions).value, mean_verdict(recalls).value
    total = precision + recall
    return 0.0 if total == 0 else 2 * precision * recall / total


def answer_correctness(
    tp: int, fp: int, fn: int, similarity: float, weights: tuple[float, float] = (0.75, 0.25)
) -> float:
    """Return the weighted mean of the F1 of claims and of the similarity of the texts [rar-agent].

    F1 = TP/(TP + (FP + FN)/2), which is 0 if TP is 0. Without any claim the result is NaN.

    Args:
        tp: claims of the answer that the reference has.
        fp: claims of the answer that the reference does not have.
        fn: claims of the reference that the answer does not have.
        similarity: of answer and reference, such as a cosine.
        weights: of F1 and similarity; the result is divided by their sum.

    Raises:
        MeasureError: a count is negative, or the weights are negative or both 0.
    """
    if min(tp, fp, fn) < 0:
        raise MeasureError(f"Numbers of claims must be at least 0, got {tp}, {fp} and {fn}.")
    if min(weights) < 0 or sum(weights) <= 0:
        raise MeasureError(f"weights={weights!r} must be at least 0, and one of them more.")
    if not tp + fp + fn:
        return math.nan
    f1 = tp / (tp + 0.5 * (fp + fn))
    return (weights[0] * f1 + weights[1] * similarity) / sum(weights)


def absolute_correctness(scores: Sequence[float | None], threshold: float = 4) -> tuple[Mean, Mean]:
    """Return the mean of the scores of a judge, from 1 to 5, and the share of answers that are correct [hypa-rag].

    Args:
        scores: one per answer; None or NaN where the judge failed.
        threshold: the lowest score of a correct answer.
    """
    correct = [None if score is None or math.isnan(score) else float(score >= threshold) for score in scores]
    return mean_verdict(scores), mean_verdict(correct)


def win(chosen: bool | None, chosen_exchanged: bool | None = None, *, both_orders: bool = False) -> float:
    """Return what a comparison with another answer is worth: 1 for a win, 0 for a loss, .5 for a tie; NaN if it failed.

    Args:
        chosen: whether the judge chose this answer; None if the judge failed.
        chosen_exchanged: the same with the two answers in exchanged order.
        both_orders: whether both verdicts count. If they differ, the judge follows the order, and it is a tie.
    """
    verdicts = [chosen, chosen_exchanged] if both_orders else [chosen]
    if any(verdict is None for verdict in verdicts):
        return math.nan
    return sum(map(bool, verdicts)) / len(verdicts)


def _given(verdicts: Sequence[float | None]) -> list[float]:
    return [float(verdict) for verdict in verdicts if verdict is not None and not math.isnan(verdict)]
