"""Bringing the scores of a list into [0, 1], by a choice that has a name.

Each function takes scores, and for each score the lowest and the highest of the first-stage list of its query; all
are float64 [m]. The scores need not be of the list: one outside its range ends at 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["FITTED", "NORMALIZERS", "clip", "max_", "minmax", "sigmoid"]

Floats = npt.NDArray[np.float64]


def minmax(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return ``(s − low)/(high − low)``; in a list of equal scores, 1 for what reaches them and 0 for the rest."""
    span = high - low
    return np.where(span > 0, (np.clip(score, low, high) - low) / np.where(span > 0, span, 1.0), score >= high)


def max_(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return ``s/high``, and 0 for what is below 0 and where the best score is 0."""
    best = np.maximum(high, 0.0)
    return np.clip(score, 0.0, best) / np.where(best > 0, best, 1.0)


def sigmoid(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return ``1/(1 + e^−s)``, for logits such as those of a cross-encoder; the list does not matter."""
    return 0.5 * (1.0 + np.tanh(0.5 * score))


def clip(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return `s` with what is below 0 as 0 and what is above 1 as 1, for cosines; the list does not matter."""
    return np.clip(score, 0.0, 1.0)


NORMALIZERS: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "minmax": minmax,
    "max": max_,
    "sigmoid": sigmoid,
    "clip": clip,
}
"""Every normaliser by its name."""

FITTED = ("minmax", "max")
"""Those for which the lowest and the highest score of the list matter."""
