"""Arithmetic of fusion: values by hand, and sums that do not depend on order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.fuse.exact import decimal, quotient, totals
from legalir.fuse.rrf import reciprocal_rank

FINITE = st.integers(-(2**50), 2**50).map(lambda bits: bits / 2**30)
"""Numbers whose sum fits into the 106 bits of a pair."""


def numbers(*values: float) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def whole(*values: int) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def test_reciprocal_rank() -> None:
    assert reciprocal_rank(whole(1, 2, 40), 60)[0].tolist() == [1 / 61, 1 / 62, 1 / 100]


@pytest.mark.parametrize("k", [1, 5, 60.7, 1e-3, 12345.678])
def test_quotients_have_twice_the_digits_of_a_float(k: float) -> None:
    """0.1 and k are decimals, not the floats next to them."""
    value, rest = reciprocal_rank(whole(1, 3, 997), k, (numbers(0.1), numbers(decimal(0.1)[1])))
    for rank, one, other in zip((1, 3, 997), value.tolist(), rest.tolist(), strict=True):
        exact = Fraction(1, 10) / (Fraction(repr(k)) + rank)
        assert one + other == float(exact)
        assert abs(Fraction(one) + Fraction(other) - exact) < exact / 2**100


def test_totals() -> None:
    """2⁵³ + 1 + 1, which float64 adds to 2⁵³; and a value whose rest makes up for what another lost."""
    third, rest = quotient((numbers(1), numbers(0)), (numbers(3), numbers(0)))
    value, rests = numbers(2**53, 1, 1, *third, *third, *third), numbers(0, 0, 0, *rest, *rest, *rest)
    found = totals(value, rests, whole(2, 2, 2, 0, 0, 0), whole(0, 1, 2, 3, 4, 5), 3)
    assert found.tolist() == [1, 0, 2**53 + 2]
    assert totals(numbers(), numbers(), whole(), whole(), 2).tolist() == [0, 0]


@given(values=st.lists(FINITE, min_size=1, max_size=8), order=st.randoms())
def test_totals_are_exact_sums_rounded_once(values: list[float], order: object) -> None:
    shuffled = list(values)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    item, turn, rest = np.zeros(len(values), dtype=np.int64), np.arange(len(values)), np.zeros(len(values))
    assert totals(numbers(*shuffled), rest, item, turn, 1).tolist() == [float(sum(map(Fraction, values)))]
