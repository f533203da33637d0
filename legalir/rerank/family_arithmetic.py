"""Arithmetic of family smoothing: what the best of a group bring to each of its members, for all queries at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["best_of_group", "support"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def best_of_group(group: Ints, score: Floats, m: int) -> npt.NDArray[np.bool_]:
    """Return which rows are among the best `m` of their group; of equal scores, the first rows count; [r].

    Args:
        group: number of the group, [r].
        score: [r].
        m: at least 1.
    """
    order = np.lexsort((-score, group))
    ordered = group[order]
    best = np.empty(len(group), dtype=bool)
    best[order] = np.arange(len(order)) - np.searchsorted(ordered, ordered) < m
    return best


def support(group: Ints, score: Floats, m: int) -> Floats:
    """Return the mean of the best `m` scores of each row's group, those that a smaller group lacks taken as 0; [r].

    Args:
        group: number of the group, from 0; [r].
        score: at least 0, [r].
        m: at least 1.
    """
    best = np.flatnonzero(best_of_group(group, score, m))
    # Added from the best on, so that the sum does not depend on the order of the rows.
    best = best[np.argsort(-score[best], kind="stable")]
    sums = np.bincount(group[best], weights=score[best], minlength=int(group.max(initial=-1)) + 1)
    mean: Floats = sums[group] / m
    return mean
