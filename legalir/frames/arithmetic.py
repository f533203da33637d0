"""Arithmetic of fusion: what a rank or a score is worth, and sums of what the same document got.

m is the number of rows of all lists together. Ranks are 1-based.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["minmax", "reciprocal_rank", "totals", "zscore"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def reciprocal_rank(rank: Integers, k: float) -> Floats:
    """Return ``1/(k + rank)``; [m]."""
    return 1.0 / (k + rank.astype(np.float64))


def minmax(score: Floats, group: Integers) -> Floats:
    """Return ``(s − min)/(max − min)`` within each group, and 1 where all scores of a group are equal; [m].

    Args:
        score: [m].
        group: number of the list that each row belongs to, from 0; [m].
    """
    low, high = _bounds(score, group)
    return _scaled(score - low[group], (high - low)[group])


def zscore(score: Floats, group: Integers) -> Floats:
    """Return ``z − min z`` within each group, which is ``(s − min)/σ``; 1 where all scores of a group are equal; [m].

    σ is the standard deviation of the group itself, not an estimate for something that it was drawn from.
    """
    low, high = _bounds(score, group)
    size = np.maximum(np.bincount(group), 1)
    # Deviations are taken from the lowest score: of large scores that lie close together, squares would lose them.
    above = score - low[group]
    mean = np.bincount(group, weights=above) / size
    variance = np.bincount(group, weights=(above - mean[group]) ** 2) / size
    # Rounding gives equal scores a mean that is not quite theirs.
    sigma = np.where(high > low, np.sqrt(variance), 0.0)
    return _scaled(above, sigma[group])


def totals(value: Floats, item: Integers, n: int) -> Floats:
    """Return the sum of the values of each of `n` items; [n].

    Values of an item are added in ascending order, so that a sum does not depend on the order of the lists, and
    documents with the same values are equal to the last bit.

    Args:
        value: [m].
        item: number of the item of each value, from 0; [m].
        n: number of items.
    """
    order = np.argsort(value)
    summed: Floats = np.bincount(item[order], weights=value[order], minlength=n).astype(np.float64, copy=False)
    return summed


def _bounds(score: Floats, group: Integers) -> tuple[Floats, Floats]:
    groups = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, group, score)
    np.maximum.at(high, group, score)
    return low, high


def _scaled(above: Floats, size: Floats) -> Floats:
    return np.divide(above, size, out=np.ones_like(above), where=size > 0)
