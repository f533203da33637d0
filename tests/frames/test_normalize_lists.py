"""Normalisers within lists: values by hand, and properties of all numbers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.frames.normalize import minmax, three_sigma, zscore

FINITE = st.floats(-1e6, 1e6, width=32)


def numbers(*values: float) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def whole(*values: int) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def test_minmax_of_two_lists() -> None:
    # 0.5 is half way from 0 to 1; 12 is a fifth of the way from 10 to 20.
    found = minmax(numbers(1, 20, 0.5, 10, 0, 12), whole(0, 1, 0, 1, 0, 1))
    assert found == pytest.approx([1, 1, 0.5, 0, 0, 0.2])


def test_zscore_from_the_lowest() -> None:
    # 1, 2, 3: deviations −1, 0, 1; σ = √(2/3); z = −1.2247, 0, 1.2247.
    sigma = math.sqrt(2 / 3)
    assert zscore(numbers(3, 1, 2), whole(0, 0, 0)) == pytest.approx([2 / sigma, 0, 1 / sigma])


def test_three_sigma() -> None:
    # 1, 2, 3 are −1, 0, 1 standard deviations (n − 1) from their mean; equal scores, and one alone, are in the middle.
    found = three_sigma(numbers(3, 1, 2, 7, 0.1, 0.1, 0.1), whole(0, 0, 0, 1, 2, 2, 2))
    assert found == pytest.approx([4 / 6, 2 / 6, 3 / 6, 0.5, 0.5, 0.5, 0.5])


@pytest.mark.parametrize("normalize", [minmax, zscore])
def test_equal_scores_become_one(normalize: object) -> None:
    # 0.1 + 0.1 + 0.1 is no exact triple: the mean of equal scores is not equal to them.
    found = normalize(numbers(0.1, 7, 0.1, 0.1), whole(0, 1, 0, 0))  # type: ignore[operator]
    assert found.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("normalize", [minmax, zscore, three_sigma])
def test_no_rows(normalize: object) -> None:
    assert normalize(numbers(), whole()).tolist() == []  # type: ignore[operator]


@pytest.mark.parametrize("normalize", [minmax, zscore, three_sigma])
@given(scores=st.lists(FINITE, min_size=1, max_size=30), shift=FINITE, scale=st.floats(0.5, 100))
def test_unit_and_origin_of_scores_do_not_matter(
    normalize: object, scores: list[float], shift: float, scale: float
) -> None:
    values, group = numbers(*scores), np.zeros(len(scores), dtype=np.int64)
    # Differences that the shift would round away are no part of the claim.
    values = np.round(values)
    before = normalize(values, group)  # type: ignore[operator]
    after = normalize(values * scale + np.round(shift), group)  # type: ignore[operator]
    assert after == pytest.approx(before, abs=1e-6)
    assert before.min() >= 0


def test_large_scores_that_lie_close_together() -> None:
    assert zscore(numbers(1e8 + 1, 1e8, 1e8 + 2), whole(0, 0, 0)) == pytest.approx(
        zscore(numbers(1, 0, 2), whole(0, 0, 0))
    )
