"""Weights of the pipelines of a fusion."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from legalir.errors import ComponentError

__all__ = ["checked_weights"]


def checked_weights(component: str, weights: object, pipelines: int) -> tuple[float, ...]:
    """Return the weights as plain numbers.

    Raises:
        ComponentError: they are not one finite number for each of `pipelines`.
    """
    given: list[Any] = list(weights) if isinstance(weights, Iterable) else [weights]
    for weight in given:
        if isinstance(weight, bool) or not isinstance(weight, Real) or not math.isfinite(weight):
            raise ComponentError(f"{component}: weights={weights!r} is not a list of finite numbers.")
    if len(given) != pipelines:
        raise ComponentError(
            f"{component}: there are {len(given)} weights for {pipelines} pipelines: give each pipeline one."
        )
    return tuple(float(weight) for weight in given)
