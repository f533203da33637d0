"""Paired tests and intervals against hand calculation, exact enumeration and plain loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from legalir.experiments.scores import RESAMPLES, bootstrap_interval, paired_test, randomisation_test, resampling_counts

VALUES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=12)


def test_t_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, standard deviation 1, t = 2 / (1/√3) = 2√3. With 2 degrees of freedom
    # p = 1 − t/√(t² + 2) = 1 − √(12/14).
    statistic, p = paired_test("t")(np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert statistic == pytest.approx(2 * 3**0.5)
    assert p == pytest.approx(1 - (12 / 14) ** 0.5)


def test_wilcoxon_by_hand() -> None:
    # Five gains of different size: of 2⁵ sign patterns only all + and all − are as extreme.
    _, p = paired_test("wilcoxon")(np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.zeros(5))
    assert p == pytest.approx(2 / 32)


def test_randomisation_approaches_exact_enumeration() -> None:
    generator = np.random.default_rng(7)
    values, baseline = generator.random(9) + 0.2, generator.random(9)
    difference = values - baseline
    sums = [abs(np.dot(signs, difference)) for signs in itertools.product((-1, 1), repeat=9)]
    exact = np.mean([total >= abs(difference.sum()) - 1e-12 for total in sums])
    _, p = randomisation_test(values, baseline)
    # Four standard errors of a share estimated from 10 000 draws.
    assert abs(p - exact) < 4 * (exact * (1 - exact) / 10_000) ** 0.5 + 1e-4
    assert randomisation_test(values, baseline) == randomisation_test(values, baseline)


@pytest.mark.parametrize("name", ["t", "wilcoxon", "randomisation"])
def test_equal_systems_and_single_queries_give_one(name: str) -> None:
    test = paired_test(name)
    same = np.array([0.2, 0.0, 1.0])
    assert test(same, same.copy()) == (0.0, 1.0)
    assert test(np.array([1.0]), np.array([0.0])) == (0.0, 1.0)


@pytest.mark.parametrize("name", ["t", "wilcoxon", "randomisation"])
@settings(max_examples=15, deadline=None)
@given(pairs=VALUES)
def test_p_is_a_probability_and_symmetric(name: str, pairs: list[tuple[float, float]]) -> None:
    values, baseline = np.array(pairs).T
    test = paired_test(name)
    p, mirrored = test(values, baseline)[1], test(baseline, values)[1]
    assert 0 <= p <= 1
    assert p == pytest.approx(mirrored)


def test_a_constant_gain_is_certain() -> None:
    assert paired_test("t")(np.ones(4), np.zeros(4))[1] == 0


def test_intervals_equal_a_plain_loop() -> None:
    values = np.random.default_rng(1).random((2, 15))
    weights = np.arange(15.0)
    counts = resampling_counts(15)
    assert counts.shape == (RESAMPLES, 15) and (counts.sum(axis=1) == 15).all()
    counts = counts[:100]
    for given_weights in (None, weights):
        means = []
        for drawn in counts:
            chosen = np.repeat(np.arange(15), drawn.astype(int))
            means.append(
                [np.average(row[chosen], weights=None if given_weights is None else weights[chosen]) for row in values]
            )
        low, high = bootstrap_interval(values, counts, given_weights)
        np.testing.assert_allclose([low, high], np.quantile(means, [0.025, 0.975], axis=0))


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    # 400 zeros and ones, half each: standard error 0.5/20, so about 0.5 ± 1.96 · 0.025.
    values = np.array([[0.0, 1.0] * 200])
    low, high = bootstrap_interval(values, resampling_counts(400))
    assert low[0] == pytest.approx(0.451, abs=0.006)
    assert high[0] == pytest.approx(0.549, abs=0.006)


def test_queries_without_weight_never_divide_by_zero() -> None:
    low, high = bootstrap_interval(np.array([[1.0, 0.0]]), resampling_counts(2), np.array([3.0, 0.0]))
    assert (low[0], high[0]) == (1.0, 1.0)


def test_differences_whose_squares_vanish_count_as_none() -> None:
    # scipy divides 0 by 0 here and says NaN.
    assert paired_test("t")(np.array([0.0, 0.0]), np.array([0.0, 5e-324])) == (0.0, 1.0)


def test_clustered_t_by_hand_and_by_statsmodels() -> None:
    # d = 1, 1, 4 with two clusters: mean 2, cluster sums -2 and 2, se² = 2 · 8/9, t = 2/(4/3) = 3/2 with 1 degree.
    t, p = paired_test("t")(np.array([1.0, 1.0, 4.0]), np.zeros(3), np.array([0, 0, 1]))
    assert t == pytest.approx(1.5)
    assert p == pytest.approx(1 - 2 / np.pi * np.arctan(1.5))  # t with 1 degree of freedom is Cauchy's distribution
    regression = pytest.importorskip("statsmodels.regression.linear_model")
    generator = np.random.default_rng(3)
    clusters = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 1, 2, 6])
    ours, theirs = generator.random((2, len(clusters))) + clusters / 9
    fit = regression.OLS(ours - theirs, np.ones(len(clusters))).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
    )
    assert paired_test("t")(ours, theirs, clusters) == pytest.approx((fit.tvalues[0], fit.pvalues[0]))
    each = np.arange(len(clusters))
    assert paired_test("t")(ours, theirs, each) == pytest.approx(paired_test("t")(ours, theirs))
    assert paired_test("t")(ours, theirs, 0 * each) == (0.0, 1.0), "one cluster says nothing"
    assert paired_test("t")(np.ones(3), np.zeros(3), np.array([0, 0, 1])) == (np.inf, 0.0)


def test_whole_clusters_are_flipped_and_drawn() -> None:
    clusters = np.repeat(np.arange(4), 5)
    _, p = paired_test("randomisation")(np.ones(20), np.zeros(20), clusters)
    assert p == pytest.approx(2 / 2**4, abs=0.02), "four signs, not twenty"
    counts = resampling_counts(20, clusters)
    assert (counts.reshape(RESAMPLES, 4, 5) == counts[:, ::5, None]).all()
    assert (counts.sum(axis=1) == 20).all()
