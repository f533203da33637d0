"""Quotients and sums that are rounded once, so that equal fractions give equal scores [error-free].

A number is a pair: a float64 next to it, and the rest, which is what rounding took from it. A pair has about 106 bits;
the sum of some pairs, rounded to one float64, equals the rounded exact fraction, unless it lies within 2⁻¹⁰⁰ of a
midpoint of two floats. Fractions with the denominators of ranks do not.

m rows, n items.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SPLIT = 2.0**27 + 1
"""Splits a float64 into two halves whose products are exact."""


def decimal(number: float) -> tuple[float, float]:
    """Return the decimal that Python writes for a number as a pair: 0.1 is 1/10."""
    return float(number), float(Fraction(repr(float(number))) - Fraction(float(number)))


def quotient(numerator: tuple[Floats, Floats], denominator: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the quotients of pairs as pairs; each [m]."""
    (n, n_rest), (d, d_rest) = numerator, denominator
    q = n / d
    product, rest = _product(q, d)
    return q, (n - product - rest + n_rest - q * d_rest) / d


def added(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return the sums of numbers as pairs, without any error; each [m]."""
    total = one + other
    rounded = total - one
    return total, (one - (total - rounded)) + (other - rounded)


def _product(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    product = one * other
    (a, b), (c, d) = _halves(one), _halves(other)
    return product, b * d - (product - a * c - b * c - a * d)


def _halves(number: Floats) -> tuple[Floats, Floats]:
    upper = _SPLIT * number
    upper = upper - (upper - number)
    return upper, number - upper


def totals(value: Floats, rest: Floats, item: npt.NDArray[np.int64], turn: npt.NDArray[np.int64], n: int) -> Floats:
    """Return the sum of the pairs of each of `n` items, rounded once; [n].

    So a sum does not depend on the order of the turns.

    Args:
        value: [m].
        rest: what rounding took from each value; [m].
        item: number of the item of each row, from 0; [m].
        turn: ascending; an item occurs once in a turn at most; [m].
        n: number of items.
    """
    total, rests = np.zeros(n), np.zeros(n)
    for rows in np.split(np.arange(len(turn)), np.flatnonzero(np.diff(turn)) + 1):
        place = item[rows]
        total[place], lost = added(total[place], value[rows])
        rests[place] += lost + rest[rows]
    return total + rests
