"""Normalisers: worked values, and what holds for any scores."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.frames.normalize import NORMALIZERS, clip, max_, minmax_between, sigmoid

NUMBERS = st.floats(-1e6, 1e6)


def values(normalizer, scores: list[float], low: float, high: float) -> list[float]:
    ends = np.full(len(scores), low), np.full(len(scores), high)
    return normalizer(np.array(scores), *ends).tolist()


def test_worked_values() -> None:
    assert values(minmax_between, [2, 4, 6, 10, 1, 99], 2, 10) == [0, 0.25, 0.5, 1, 0, 1]
    assert values(minmax_between, [3, 2.9, 5], 3, 3) == [1, 0, 1]
    assert values(max_, [2, 4, 8, 16, -1], 2, 8) == [0.25, 0.5, 1, 1, 0]
    assert values(max_, [0, 3], 0, 0) == [0, 0]
    assert values(clip, [-0.1, 0.25, 1.5], -3, 9) == [0, 0.25, 1]
    assert values(sigmoid, [0, np.log(3), -np.log(3)], 0, 0) == pytest.approx([0.5, 0.75, 0.25])
    assert values(sigmoid, [1e9, -1e9], 0, 0) == [1, 0]


@pytest.mark.parametrize("name", NORMALIZERS)
@given(st.lists(NUMBERS, min_size=1, max_size=10), st.lists(NUMBERS, max_size=4))
def test_all_scores_end_in_the_unit_interval_in_their_order(name: str, own: list[float], others: list[float]) -> None:
    scores = sorted([*own, *others])
    found = values(NORMALIZERS[name], scores, min(own), max(own))
    assert all(0 <= value <= 1 for value in found)
    assert all(one <= other for one, other in pairwise(found))
