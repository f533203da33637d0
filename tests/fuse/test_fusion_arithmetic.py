"""Arithmetic of fusion: values by hand, and sums that do not depend on order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from legalir.fuse.fuser import totals
from legalir.fuse.rrf import reciprocal_rank

FINITE = st.floats(-1e6, 1e6, width=32)


def numbers(*values: float) -> npt.NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def whole(*values: int) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def test_reciprocal_rank() -> None:
    assert reciprocal_rank(whole(1, 2, 40), 60).tolist() == [1 / 61, 1 / 62, 1 / 100]


def test_totals() -> None:
    assert totals(numbers(1, 2, 4, 8), whole(2, 0, 2, 0), 4).tolist() == [10, 0, 5, 0]
    assert totals(numbers(), whole(), 2).tolist() == [0, 0]


@given(values=st.lists(FINITE, min_size=1, max_size=8), order=st.randoms())
def test_totals_do_not_depend_on_order_to_the_last_bit(values: list[float], order: object) -> None:
    shuffled = list(values)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    item = np.zeros(len(values), dtype=np.int64)
    assert totals(numbers(*values), item, 1).tolist() == totals(numbers(*shuffled), item, 1).tolist()
