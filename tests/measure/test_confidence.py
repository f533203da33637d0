from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import ComponentError, MeasureError
from legalir.measure.confidence import by_position, correlations, gold_position, rank_correlations, risk_coverage

QUESTIONS = st.lists(st.tuples(st.integers(0, 4).map(float), st.booleans()), min_size=1, max_size=12)


def test_the_curve_by_hand() -> None:
    curve = risk_coverage([0.9, 0.7, 0.7, 0.2], [False, True, False, True])
    assert curve.thresholds.tolist() == [0.9, 0.7, 0.2]
    assert curve.coverage.tolist() == [0.25, 0.75, 1]
    assert curve.risk.tolist() == pytest.approx([0, 1 / 3, 1 / 2])
    # 0 up to .25; then a half of (0 + 1/3), and a quarter of (1/3 + 1/2), each halved
    assert curve.area == pytest.approx(0.5 * (1 / 3) / 2 + 0.25 * (1 / 3 + 1 / 2) / 2)


@given(QUESTIONS)
def test_a_plain_second_implementation(questions: list[tuple[float, bool]]) -> None:
    curve = risk_coverage([c for c, _ in questions], [w for _, w in questions])
    points = []
    for threshold in sorted({c for c, _ in questions}, reverse=True):
        answered = [w for c, w in questions if c >= threshold]
        points.append((threshold, len(answered) / len(questions), sum(answered) / len(answered)))
    for ours, theirs in zip((curve.thresholds, curve.coverage, curve.risk), zip(*points, strict=True), strict=True):
        assert ours.tolist() == pytest.approx(list(theirs))
    area, before = 0.0, (0.0, points[0][2])
    for _, coverage, risk in points:
        area += (coverage - before[0]) * (risk + before[1]) / 2
        before = coverage, risk
    assert curve.area == pytest.approx(area)


def test_a_confidence_that_says_nothing_has_the_share_of_wrong_answers_as_area() -> None:
    curve = risk_coverage([1.0] * 4, [True, False, False, False])
    assert (curve.coverage.tolist(), curve.risk.tolist(), curve.area) == ([1], [0.25], 0.25)
    good = risk_coverage([2, 2, 2, 1], [False, False, False, True]).area
    bad = risk_coverage([1, 1, 1, 2], [False, False, False, True]).area
    assert good < 0.25 < bad


def test_a_question_without_confidence_is_answered_last() -> None:
    curve = risk_coverage([-math.inf, 3], [True, False])
    assert curve.thresholds.tolist() == [3, -math.inf]
    assert curve.risk.tolist() == [0, 0.5]


@pytest.mark.parametrize(
    ("confidence", "wrong", "words"),
    [([], [], "at least one question"), ([1], [], "1 confidences and 0"), ([math.nan], [True], "is NaN")],
)
def test_a_curve_that_cannot_be_drawn(confidence: list[float], wrong: list[bool], words: str) -> None:
    with pytest.raises(MeasureError, match=words):
        risk_coverage(confidence, wrong)


def test_correlations_over_systems() -> None:
    retrieval = {"MultiMRR@10": [0.1, 0.2, 0.3, 0.4], "R@5": [0.5, 0.5, 0.5, 0.5]}
    answers = {"Coverage": [0.2, 0.4, 0.6, 0.9], "Contradiction": [0.4, 0.3, math.nan, 0.1]}
    table = correlations(retrieval, answers).set_index(["retrieval", "answer"])
    assert table.loc[("MultiMRR@10", "Coverage"), "pearson"] == pytest.approx(1.15 / math.sqrt(5 * 0.2675))
    assert table.loc[("MultiMRR@10", "Coverage"), "spearman"] == pytest.approx(1)
    assert table.loc[("MultiMRR@10", "Contradiction"), "n"] == 3
    assert table.loc[("MultiMRR@10", "Contradiction"), "pearson"] == pytest.approx(-1)
    assert table.loc["R@5"][["pearson", "spearman"]].isna().all(axis=None)
    assert list(correlations({}, {}).columns) == ["retrieval", "answer", "n", "pearson", "spearman"]
    with pytest.raises(MeasureError, match=r"have \[1, 2\] values"):
        correlations({"a": [1]}, {"b": [1, 2]})


def test_the_position_of_the_deepest_gold_provision() -> None:
    assert gold_position(["a", "b", "c"], [10, 20, 30], ["b", "a"]) == 10
    assert gold_position(["a", "b", "c"], [10, 20, 30], ["c", "x"]) == 30
    assert gold_position(["a"], [10], ["x"]) is None
    assert gold_position([], [], ["x"]) is None


def test_means_by_position() -> None:
    bins = by_position([0, 99, 100, 350, None, 5], [1.0, 0.0, 1.0, 0.5, 1.0, math.nan], width=100)
    assert [tuple(one)[:3] for one in bins] == [(0, 100, 2), (100, 200, 1), (200, 300, 0), (300, 400, 1)]
    assert [one.mean for one in bins] == pytest.approx([0.5, 1.0, math.nan, 0.5], nan_ok=True)
    assert by_position([], []) == []
    with pytest.raises(ComponentError, match="width=0"):
        by_position([1], [1], width=0)
    with pytest.raises(MeasureError, match="got -1"):
        by_position([-1], [1])
    with pytest.raises(MeasureError, match="1 positions and 0 values"):
        by_position([1], [])


def test_rank_correlations_by_hand() -> None:
    # Of 15 pairs two are the wrong way round; the squared differences of ranks sum to 4.
    kendall, spearman = rank_correlations([1, 2, 3, 4, 5, 6], [20, 10, 30, 40, 60, 50])
    assert (kendall.value, spearman.value) == pytest.approx((11 / 15, 1 - 6 * 4 / 210))
    half = 1.959964 * math.sqrt(0.437 / 2)
    assert kendall[1:] == pytest.approx([math.tanh(math.atanh(11 / 15) + end) for end in (-half, half)])
    half = 1.959964 * math.sqrt((1 + spearman.value**2 / 2) / 3)
    assert spearman[1:] == pytest.approx([math.tanh(math.atanh(spearman.value) + end) for end in (-half, half)])


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_what_never_varies_has_no_rank_correlation(values: list[float]) -> None:
    assert all(map(math.isnan, (*rank_correlations(values, values)[0], *rank_correlations(values, values)[1])))


def test_a_perfect_correlation_and_one_of_few_values_have_no_interval() -> None:
    for values in ([1, 2, 3, 4, 5, 6], [1, 2]):
        for found in rank_correlations(values, values):
            assert found.value == pytest.approx(1) and math.isnan(found.low) and math.isnan(found.high)
    assert all(math.isnan(found.low) for found in rank_correlations([1, 2, 3, 4], [1, 2, 4, 3]))
    with pytest.raises(MeasureError, match="2 and 1 values"):
        rank_correlations([1, 2], [1])
