"""What the heads count."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from legalir.errors import ComponentError
from legalir.m3.heads import HEADS, WEIGHTS, check_weights, combine


def test_weights_in_one_order_without_those_of_nothing() -> None:
    assert list(check_weights("m3", {"multi": 1, "dense": 2}).items()) == [("dense", 2.0), ("multi", 1.0)]
    assert check_weights("m3", {"sparse": 0.5, "dense": 0, "multi": np.float32(0.25)}) == {"sparse": 0.5, "multi": 0.25}
    assert check_weights("m3", WEIGHTS) == WEIGHTS
    assert tuple(WEIGHTS) == HEADS


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([0.4, 0.2, 0.4], r"m3: weights=\[0.4, 0.2, 0.4\] is not a mapping from heads to numbers"),
        ({"dence": 1}, "'dence', which is not one of dense, sparse, multi. Did you mean 'dense'"),
        ({1: 1}, "weights name 1, which is not one of"),
        ({"dense": -1}, r"weights\[dense\]=-1 is not a number of at least 0"),
        ({"dense": math.nan}, "is not a number"),
        ({"dense": True}, "is not a number"),
        ({"dense": "1"}, "is not a number"),
        ({"dense": 0.0, "multi": 0}, "all weights are 0"),
        ({}, "all weights are 0"),
    ],
)
def test_what_is_no_weights(weights: Any, said: str) -> None:
    with pytest.raises(ComponentError, match=said):
        check_weights("m3", weights)


def test_the_weighted_mean() -> None:
    scores = {"dense": 0.5, "sparse": 2.0, "multi": 0.25}
    # (0.4 * 0.5 + 0.2 * 2 + 0.4 * 0.25) / 1 = 0.7
    assert combine(scores, WEIGHTS) == pytest.approx(0.7)
    # (1 * 0.5 + 3 * 2) / 4 = 1.625; the third head is not looked at.
    assert combine(scores, {"dense": 1, "sparse": 3}) == pytest.approx(1.625)
    arrays = {head: np.array([score, 2 * score], dtype=np.float32) for head, score in scores.items()}
    np.testing.assert_allclose(combine(arrays, WEIGHTS), [0.7, 1.4], rtol=1e-6)
    assert combine(arrays, {"multi": 5.0}).dtype == np.float32
