"""Inner products of stored vectors with those of a query: by numpy alone, or several times faster by PyTorch.

t stored vectors of d numbers, of which a block holds r; q vectors of a query.
"""

from __future__ import annotations

import importlib.util
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from legalir.retrieve.m3.blocks import Block, Floats

__all__ = ["NumpyProducts", "Products", "halves", "products_of", "rounded"]

_STEPS = 127 * 128
"""The greatest number of a query vector, in units of what it is rounded to beside int8."""


class Products(Protocol):
    """Stored vectors, and how they are multiplied."""

    def prepare(self, query: Floats, /) -> Any:
        """Return what :meth:`multiply` wants of the vectors of a query, [q, d]."""

    def read(self, block: Block, /) -> Any:
        """Return what :meth:`multiply` wants of a block; it is good until the next one is read."""

    def multiply(self, block: Any, query: Any, /) -> Floats:
        """Return the inner products, [r, q or more]; what is beyond q means nothing."""


def products_of(vectors: npt.NDArray[Any], scales: Floats | None, rows: int, *, torch: bool | None = None) -> Products:
    """Return the fastest way that there is here.

    Args:
        vectors: float16, float32 or int8 [t, d], such as a memory map.
        scales: what the numbers of each int8 vector are to be multiplied by, [t].
        rows: of the largest block.
        torch: whether PyTorch multiplies; None: if it is installed.
    """
    if torch is None:
        torch = importlib.util.find_spec("torch") is not None
    if not torch:
        return NumpyProducts(vectors, scales)
    from legalir.retrieve.m3.torch_products import FloatProducts, IntegerProducts, integers_are_exact

    if scales is not None and integers_are_exact():
        return IntegerProducts(vectors, scales, rows)
    return FloatProducts(vectors, scales, rows)


def halves(query: Floats) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8], Floats]:
    """Return a query as integers of 15 bits and a sign, in two halves of 8 bits: ``(128 · high + low) · unit``.

    Beside vectors of 8 bits, this is what products of integers need. An inner product with a vector of length 1 stays
    right to ``max|query| · √d / 32 512``: to 0.001 for 1024 dimensions at the worst, and to 0.00001 as a rule.

    Args:
        query: [q, d].

    Returns:
        High and low halves, int8 [q, d], and the unit of each vector, float32 [q].
    """
    unit = np.abs(query).max(axis=1, initial=0).astype(np.float64) / _STEPS
    numbers = np.rint(query / np.where(unit > 0, unit, 1)[:, None]).astype(np.int64)
    high = (numbers + 64) // 128
    return high.astype(np.int8), (numbers - 128 * high).astype(np.int8), unit.astype(np.float32)


def rounded(query: Floats, scales: Floats | None) -> Floats:
    """Return the query that stored vectors are multiplied with: where they are of 8 bits, as :func:`halves` has it."""
    if scales is None:
        return query
    high, low, unit = halves(query)
    return (128 * high.astype(np.float32) + low) * unit[:, None]


class NumpyProducts:
    """By numpy; arguments as of :func:`products_of`."""

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None) -> None:
        self._vectors = vectors
        self._scales = scales

    def prepare(self, query: Floats, /) -> Floats:
        """Return the vectors as columns, [d, q]."""
        return np.ascontiguousarray(rounded(query, self._scales).T)

    def read(self, block: Block, /) -> Floats:
        """Return the vectors of a block, [r, d]."""
        positions = block.positions()
        chosen: Floats = self._vectors[positions].astype(np.float32)
        return chosen if self._scales is None else chosen * self._scales[positions, None]

    def multiply(self, block: Floats, query: Floats, /) -> Floats:
        """Return the inner products, [r, q]."""
        products: Floats = block @ query
        return products
