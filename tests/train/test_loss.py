"""InfoNCE against the formula, written out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from legalir.train.material import Gold
from legalir.train.static_network import Batcher, loss_and_gradient

pytestmark = pytest.mark.neural

GOLD = Gold(np.array([0, 2, 3]), np.array([0, 3, 1]))


def plain(sums: np.ndarray, temperature: float) -> float:
    """Return the loss of the pairs (0, 0) and (1, 1) among documents 0 to 3; 3 is right for query 0, too."""
    unit = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    total = 0.0
    for query, target, others in ((0, 0, (1, 2)), (1, 1, (0, 2, 3))):
        cosines = {document: float(unit[query] @ unit[2 + document]) for document in (target, *others)}
        total -= math.log(
            math.exp(cosines[target] / temperature) / sum(math.exp(c / temperature) for c in cosines.values())
        )
    return total / 2


def test_loss_and_gradient() -> None:
    batch = Batcher(GOLD, 4).batch(np.array([[0, 0], [1, 1]]), np.array([2, 3]))
    sums = np.random.default_rng(1).normal(size=(6, 5)).astype(np.float32)
    loss, gradient = loss_and_gradient(sums, batch, 0.5)
    assert loss == pytest.approx(plain(sums.astype(np.float64), 0.5), rel=1e-5)
    for place in np.ndindex(sums.shape):
        moved = sums.astype(np.float64)
        moved[place] += 1e-5
        back = sums.astype(np.float64)
        back[place] -= 1e-5
        slope = (plain(moved, 0.5) - plain(back, 0.5)) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=2e-3, abs=1e-5)


def test_texts_of_which_nothing_is_read() -> None:
    batch = Batcher(GOLD, 4).batch(np.array([[0, 0], [1, 1]]), np.array([2, 3]))
    loss, gradient = loss_and_gradient(np.zeros((6, 5), np.float32), batch, 0.05)
    # Every cosine is 0: query 0 chooses from three, query 1 from four.
    assert loss == pytest.approx((math.log(3) + math.log(4)) / 2)
    assert np.isfinite(gradient).all()
