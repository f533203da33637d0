"""Paired tests and confidence intervals over queries: pure functions over arrays, seeded and vectorised."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
PairedTest = Callable[[Array, Array], tuple[float, float]]

SEED = 20_260_101
RESAMPLES = 2_000
FLIPS = 10_000


def paired_test(name: str) -> PairedTest:
    """Return a paired test: a function of two arrays, one value a query, that returns (statistic, p).

    Two systems that are equal on every query, or a single query, give p = 1, where scipy's tests give NaN and a
    warning.

    Args:
        name: ``t`` (Student), ``wilcoxon`` (signed rank, without zeros [wilcoxon]) or ``randomisation``.
    """
    from scipy import stats

    tests: dict[str, PairedTest] = {
        "t": stats.ttest_rel,
        "wilcoxon": stats.wilcoxon,
        "randomisation": randomisation_test,
    }
    test = tests[name]

    def guarded(values: Array, baseline: Array) -> tuple[float, float]:
        if len(values) < 2 or np.array_equal(values, baseline):
            return 0.0, 1.0
        with warnings.catch_warnings():
            # Differences that are all the same leave no variance: t is infinite, and p is 0 as it should be.
            warnings.simplefilter("ignore")
            statistic, p = test(values, baseline)
        # Differences whose squares are 0 in floating point leave 0 / 0; they count as no difference.
        return (0.0, 1.0) if np.isnan(p) else (float(statistic), float(p))

    return guarded


def randomisation_test(values: Array, baseline: Array) -> tuple[float, float]:
    """Test by flipping the signs of the differences at random [randomisation] (two-sided, 10 000 flips, seeded).

    Returns:
        The mean difference, and the share of sign patterns whose mean is at least as far from 0, the observed
        pattern counted among them, so that p is never 0.
    """
    difference = values - baseline
    changed = difference[difference != 0]
    observed = abs(changed.sum()) * (1 - 1e-12)
    generator = np.random.default_rng(SEED)
    extreme = 0
    for _ in range(0, FLIPS, 1_000):
        signs = generator.integers(0, 2, size=(1_000, len(changed)), dtype=np.int8) * 2 - 1
        extreme += int((np.abs(signs @ changed) >= observed).sum())
    return float(difference.mean()), (1 + extreme) / (1 + FLIPS)


def resampling_counts(queries: int) -> Array:
    """Return the number of times that each query is drawn in each bootstrap resample: shape (resamples, queries)."""
    generator = np.random.default_rng(SEED)
    return generator.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES).astype(np.float64)


def corrected(p: Array, method: str | None, alpha: float) -> tuple[npt.NDArray[np.bool_], Array]:
    """Return which of several p-values are significant at `alpha`, and the corrected p-values.

    Args:
        p: p-values of one family, at least one.
        method: name of the correction in statsmodels [holm]; None corrects nothing.
        alpha: level of significance.
    """
    if method is None:
        return p < alpha, p
    from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

    reject, after, _, _ = multipletests(p, alpha=alpha, method=method)
    return reject, after


def bootstrap_interval(
    values: Array, counts: Array, weights: Array | None = None, level: float = 0.95
) -> tuple[Array, Array]:
    """Return percentile intervals [bootstrap] of (weighted) means over queries.

    Resamples without weight are left out; a row without any has NaN.

    Args:
        values: shape (rows, queries); a row is one measure of one system.
        counts: from :func:`resampling_counts`; all rows see the same resamples.
        weights: one weight a query for ``Σ w·v / Σ w``, for measures that pool their judgements, of shape (queries,) or
            (rows, queries); 0 leaves a query out, None is 1.
        level: the share of resamples inside.

    Returns:
        The lower and the upper ends, each of shape (rows,).
    """
    return percentile_ends(resampled_means(values, counts, weights), level)


def resampled_means(values: Array, counts: Array, weights: Array | None = None) -> Array:
    """Return the (weighted) mean of each row in each resample; arguments as :func:`bootstrap_interval`.

    Returns:
        Means of shape (rows, resamples); NaN in a resample without weight.
    """
    shares = np.broadcast_to(1.0 if weights is None else weights, values.shape)
    totals = shares @ counts.T
    means: Array = (values * shares) @ counts.T / np.where(totals > 0, totals, np.nan)
    return means


def percentile_ends(means: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Return the lower and the upper ends of the middle `level` of each row, each of shape (rows,).

    Args:
        means: shape (rows, resamples); NaN is left out, and a row of NaN has NaN.
        level: the share inside.
    """
    ends = np.full((2, len(means)), np.nan)
    there = ~np.isnan(means).all(axis=1)
    ends[:, there] = np.nanquantile(means[there], [(1 - level) / 2, (1 + level) / 2], axis=1)
    return ends[0], ends[1]
