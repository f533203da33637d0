from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.measure.measures import PooledAgg, Share

SHARES = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: Share(min(pair), max(pair)))


@given(st.lists(SHARES, min_size=1))
def test_sum_over_count_and_aggregator_give_the_pooled_share(shares: list[Share]) -> None:
    relevant = sum(share.relevant for share in shares)
    expected = float(Fraction(sum(share.hits for share in shares), relevant)) if relevant else 0.0
    assert sum(shares) / len(shares) == expected
    total = 0.0  # As pt.Experiment adds them.
    for share in shares:
        total = total + share
    assert total / len(shares) == expected
    pooled = PooledAgg()
    for share in shares:
        pooled.add(share)
    assert pooled.result() == expected


def test_a_share_is_a_float() -> None:
    share = Share(1, 3)
    assert share == 1 / 3
    assert repr(share) == repr(1 / 3)
    assert hash(share) == hash(1 / 3)
    assert type(round(share, 2)) is float
    assert type(share * 3) is float
    assert share * 3 == 1.0
    assert share - 1 == 1 / 3 - 1
    assert share / 2 == (1 / 3) / 2
    assert share + 1 == 1 / 3 + 1
    assert np.array([share]).dtype == np.float64
    assert pd.DataFrame([["q", share]])[1].dtype == np.float64


def test_the_sum_of_shares_has_the_value_of_the_sum() -> None:
    assert float(Share(1, 2) + Share(1, 4)) == 0.75
    assert (Share(1, 2) + Share(1, 4)) / 2 == 2 / 6
    assert (Share(1, 2) + Share(1, 4)) / 3 == 0.25  # Three is not how many there are: plain division.


@pytest.mark.parametrize("share", [Share(1, 3), Share(0, 0), Share(1, 3) + Share(2, 2)])
def test_copies_keep_the_counts(share: Share) -> None:
    for twin in (copy.copy(share), copy.deepcopy(share), pickle.loads(pickle.dumps(share))):
        assert twin == share
        assert (twin.hits, twin.relevant, twin.count) == (share.hits, share.relevant, share.count)


@given(st.lists(st.none() | st.floats(-5, 5), min_size=1))
def test_undefined_values_are_left_out_of_the_mean(values: list[float | None]) -> None:
    shares = [Share(0, 0, empty=math.nan) if value is None else Share(value, 1, empty=math.nan) for value in values]
    defined = [value for value in values if value is not None]
    expected = sum(defined) / len(defined) if defined else math.nan
    assert [float(share) for share in shares] == pytest.approx(
        [math.nan if value is None else value for value in values], nan_ok=True
    )
    assert sum(shares) / len(shares) == pytest.approx(expected, nan_ok=True)
    pooled = PooledAgg("Verified", math.nan)
    for share in shares:
        pooled.add(pickle.loads(pickle.dumps(share)))
    assert pooled.result() == pytest.approx(expected, nan_ok=True)
