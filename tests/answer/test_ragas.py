from __future__ import annotations

import math

import pytest

from legalir.answer.ragas import (
    absolute_correctness,
    answer_correctness,
    answer_relevancy,
    context_f1,
    context_precision,
    context_recall,
    faithfulness,
    mean_verdict,
    win,
)
from legalir.errors import MeasureError

NAN = math.nan


def test_faithfulness_and_context_recall() -> None:
    assert faithfulness([True, True, False, True, False]) == 0.6
    assert context_recall([True, True, True, False]) == 0.75
    assert math.isnan(faithfulness([]))
    assert math.isnan(context_recall([]))


def test_answer_relevancy_tells_abstentions_apart() -> None:
    assert answer_relevancy([0.9, 0.7, 0.8]).value == pytest.approx(0.8)
    assert answer_relevancy([0.9, 0.7, 0.8], [False] * 3).noncommittal is False
    abstention = answer_relevancy([0.9, 0.7, 0.8], [False, True, False])
    assert abstention.noncommittal
    assert math.isnan(abstention.value)
    assert answer_relevancy([0.9], [True], as_zero=True) == (0.0, True)
    assert math.isnan(answer_relevancy([]).value)


def test_context_precision() -> None:
    assert context_precision([True, False, True, False]) == pytest.approx((1 + 2 / 3) / 2)
    assert context_precision([False, False]) == 0
    assert math.isnan(context_precision([]))


def test_context_f1_is_that_of_the_means() -> None:
    # Means .75 and .5: 2 · .75 · .5 / 1.25 = .6; the mean of the F1 of both questions would be (.667 + .4) / 2 = .533.
    assert context_f1([1.0, 0.5], [0.5, 0.5]) == pytest.approx(0.6)
    assert context_f1([1.0, NAN, 0.5], [0.5, 0.5, None]) == pytest.approx(0.6)
    assert context_f1([0.0], [0.0]) == 0
    assert math.isnan(context_f1([NAN], [0.5]))


def test_answer_correctness() -> None:
    assert answer_correctness(2, 1, 3, 0.8) == pytest.approx(0.575)  # F1 2/(2 + 2) = .5; .75·.5 + .25·.8
    assert answer_correctness(0, 2, 2, 0.8) == pytest.approx(0.2)
    assert answer_correctness(2, 1, 3, 0.8, weights=(3, 1)) == pytest.approx(0.575)
    assert math.isnan(answer_correctness(0, 0, 0, 0.8))
    with pytest.raises(MeasureError, match="at least 0, got 1, -1 and 0"):
        answer_correctness(1, -1, 0, 0.5)
    with pytest.raises(MeasureError, match=r"weights=\(0, 0\)"):
        answer_correctness(1, 1, 0, 0.5, weights=(0, 0))


def test_absolute_correctness() -> None:
    mean, correct = absolute_correctness([5, 4, 3, 2, 4])
    assert (mean.value, correct.value) == pytest.approx((3.6, 0.6))
    mean, correct = absolute_correctness([5, None, 3, NAN], threshold=5)
    assert (mean.value, mean.n, mean.failed) == (4.0, 2, 2)
    assert (correct.value, correct.n, correct.failed) == (0.5, 2, 2)


def test_coverage_and_contradiction_leave_out_what_the_judge_failed_to_say() -> None:
    coverage: list[float | None] = [1, 0.5, 0, 1, None]
    contradiction: list[float | None] = [0, 1, 0, 0, None]
    assert mean_verdict(coverage) == (0.625, 4, 1)
    assert mean_verdict(coverage, as_zero=True) == (0.5, 5, 1)
    assert mean_verdict(contradiction) == (0.25, 4, 1)
    assert mean_verdict(contradiction, as_zero=True) == (0.2, 5, 1)
    assert math.isnan(mean_verdict([]).value)
    assert mean_verdict([None], as_zero=True) == (0.0, 1, 1)


def test_a_win_in_one_order_alone_is_a_tie() -> None:
    assert (win(True), win(False)) == (1, 0)
    assert math.isnan(win(None))
    assert [win(a, b, both_orders=True) for a in (True, False) for b in (True, False)] == [1, 0.5, 0.5, 0]
    assert math.isnan(win(True, None, both_orders=True))
