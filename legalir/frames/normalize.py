"""Normalisers of scores, by name.

A normaliser of :data:`NORMALIZERS` takes scores, and for each score the lowest and the highest score of a list; all are
float64 [m]. A score outside the range of the list becomes 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def ends(score: Floats, group: Integers) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score of each group; [groups]; infinite for a number without rows.

    Args:
        score: [m].
        group: number of the list of each row, from 0; [m].
    """
    groups = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, group, score)
    np.maximum.at(high, group, score)
    return low, high


def minmax_between(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return ``(s − low)/(high − low)``; in a list of equal scores, 1 for scores that reach them and 0 for others."""
    span = high - low
    return np.where(span > 0, (np.clip(score, low, high) - low) / np.where(span > 0, span, 1.0), score >= high)


def max_(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return ``s/high``; 0 for scores below 0, and if the best score is 0."""
    best = np.maximum(high, 0.0)
    return np.clip(score, 0.0, best) / np.where(best > 0, best, 1.0)


def sigmoid(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return ``1/(1 + e^−s)``, for logits such as a cross-encoder's; the rest of the list does not matter."""
    return 0.5 * (1.0 + np.tanh(0.5 * score))


def clip(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return `s` cut to [0, 1], for cosines; the list does not matter."""
    return np.clip(score, 0.0, 1.0)


Normalizer = Literal["minmax", "max", "sigmoid", "clip"]
NORMALIZERS: dict[Normalizer, Callable[[Floats, Floats, Floats], Floats]] = {
    "minmax": minmax_between,
    "max": max_,
    "sigmoid": sigmoid,
    "clip": clip,
}
"""Each normaliser by its name."""

FITTED = ("minmax", "max")
"""Normalisers that depend on the lowest and the highest score of the list."""


def minmax(score: Floats, group: Integers) -> Floats:
    """Return ``(s − min)/(max − min)`` within each group, and 1 where all scores of a group are equal; [m]."""
    low, high = ends(score, group)
    return minmax_between(score, low[group], high[group])


def zscore(score: Floats, group: Integers) -> Floats:
    """Return ``z − min z`` within each group, which is ``(s − min)/σ``; 1 where all scores of a group are equal; [m].

    σ is the standard deviation of the group itself, not an estimate for a population.
    """
    above, _, squares, size = _deviations(score, group)
    sigma = np.sqrt(squares / size)
    return np.divide(above, sigma[group], out=np.ones_like(above), where=sigma[group] > 0)


def three_sigma(score: Floats, group: Integers) -> Floats:
    """Return ``(s − mean + 3σ)/6σ`` within each group; ½ where all scores of a group are equal; [m].

    σ is estimated from the group, with n − 1. Scores within 3σ of the mean come to lie from 0 to 1.
    """
    above, mean, squares, size = _deviations(score, group)
    sigma = np.sqrt(squares / np.maximum(size - 1, 1))
    z = np.divide(above - mean[group], sigma[group], out=np.zeros_like(above), where=sigma[group] > 0)
    return (z + 3) / 6


def _deviations(score: Floats, group: Integers) -> tuple[Floats, Floats, Floats, Integers]:
    """Return each score above the lowest of its group, [m]; the mean of these, squares about it, and size; [groups]."""
    low, _ = ends(score, group)
    size = np.maximum(np.bincount(group), 1)
    # Deviations are taken from the lowest score: squares of large scores that lie close together would lose them.
    above: Floats = score - low[group]
    mean: Floats = np.bincount(group, weights=above) / size
    squares: Floats = np.bincount(group, weights=(above - mean[group]) ** 2).astype(np.float64, copy=False)
    return above, mean, squares, size
