"""The three heads by name, and how their scores become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from legalir.component import check_number
from legalir.errors import ComponentError, suggestion

__all__ = ["HEADS", "WEIGHTS", "check_weights", "combined"]

HEADS = ("dense", "sparse", "multi")
"""A vector for a text, a weight for each of its token ids, and a vector for each of its tokens."""

WEIGHTS: Mapping[str, float] = {"dense": 0.4, "sparse": 0.2, "multi": 0.4}
"""What the scores of the heads count unless anything else is said."""

Score = TypeVar("Score", float, npt.NDArray[np.float32], npt.NDArray[np.float64])


def check_weights(component: str, weights: Any) -> dict[str, float]:
    """Return what each head counts, in the order of :data:`HEADS`, without those that count nothing.

    Args:
        component: what the weights were given to, for the error.
        weights: numbers of at least 0 by head; a head that is not named counts nothing. They need not sum to 1.

    Raises:
        ComponentError: it is no mapping, a key is no head, a value is no such number, or all are 0.
    """
    if not isinstance(weights, Mapping):
        raise ComponentError(f"{component}: weights={weights!r} is no mapping from heads to numbers: {_example()}.")
    for head, weight in weights.items():
        if head not in HEADS:
            hint = suggestion(str(head), HEADS)
            raise ComponentError(
                f"{component}: weights name {head!r}, which is not one of {', '.join(HEADS)}.{hint} Write {_example()}."
            )
        check_number(component, f"weights[{head}]", weight, low=0)
    counting = {head: float(weights[head]) for head in HEADS if weights.get(head, 0) > 0}
    if not counting:
        raise ComponentError(f"{component}: no head counts anything: give one a weight above 0, as in {_example()}.")
    return counting


def combined(scores: Mapping[str, Score], weights: Mapping[str, float]) -> Score:
    """Return ``Σ_h w_h · s_h / Σ_h w_h`` over the heads in `weights`.

    Args:
        scores: numbers, or arrays of one shape, by head; those of other heads are not looked at.
        weights: as :func:`check_weights` returns them.
    """
    first, *others = weights
    whole = weights[first] * scores[first]
    for head in others:
        whole = whole + weights[head] * scores[head]
    return whole / sum(weights.values())


def _example() -> str:
    return "{" + ", ".join(f'"{head}": {weight}' for head, weight in WEIGHTS.items()) + "}"
