"""Inner products of stored vectors with those of a query: by numpy alone, or many times faster by NumKong.

t stored vectors of d numbers, of which a block holds r in p pieces; q vectors of a query.
"""

from __future__ import annotations

import importlib.util
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from legalir.arrays import widened
from legalir.index.m3.quantized import quantized
from legalir.retrieve.m3.blocks import Block, Floats, Ints

__all__ = ["NumpyProducts", "Products", "Query", "greatest", "prepared", "products_of"]


class Products(Protocol):
    """Stored vectors, and how they are multiplied."""

    def prepare(self, query: Floats, /) -> Any:
        """Return what :meth:`best` wants of the vectors of a query, [q, d]."""

    def read(self, block: Block, /) -> Any:
        """Return what :meth:`best` wants of a block; it is good until the next one is read."""

    def best(self, block: Any, query: Any, /) -> Floats:
        """Return the greatest inner product of each piece of a block with each vector of a query, [p, q]."""


def products_of(vectors: npt.NDArray[Any], scales: Floats | None, rows: int, *, packed: bool | None = None) -> Products:
    """Return the fastest way that there is here.

    Args:
        vectors: float16, float32 or int8 [t, d], such as a memory map.
        scales: what the numbers of each int8 vector are to be multiplied by, [t].
        rows: of the largest block.
        packed: whether NumKong multiplies; None: if it is installed.
    """
    if packed is None:
        packed = importlib.util.find_spec("numkong") is not None
    if not packed:
        return NumpyProducts(vectors, scales)
    from legalir.retrieve.m3.packed_products import PackedProducts

    return PackedProducts(vectors, scales, rows)


class Query(NamedTuple):
    """The vectors of a query as numbers of the type of what is stored.

    Attributes:
        numbers: float16, float32 or int8 [q, d].
        unit: what inner products with them are to be multiplied by, float32 [q].
    """

    numbers: npt.NDArray[Any]
    unit: Floats


def prepared(query: Floats, kind: npt.DTypeLike) -> Query:
    """Return a query as numbers of a type, rounded as stored vectors are.

    That changes an inner product with a vector of length 1 by at most 0.0005 of the query's length in float16, and
    as a rule by 0.00001; in int8 by at most ``max|query| · √d / 254``, and as a rule by 0.0003.

    Args:
        query: [q, d].
        kind: float32, float16 or int8.
    """
    if kind == np.float32:
        return Query(query, np.ones(len(query), dtype=np.float32))
    if kind == np.int8:
        return Query(*quantized(query))
    # A power of two, so that division has no error; and none is too small or too large for float16.
    unit = np.exp2(np.frexp(np.abs(query).max(axis=1, initial=0))[1].astype(np.float32))
    return Query((query / unit[:, None]).astype(np.float16), unit)


def greatest(products: npt.NDArray[Any], scales: Floats | None, firsts: Ints, query: Query) -> Floats:
    """Return the greatest inner product of each piece, [p, q].

    Args:
        products: of the rows of a block with the numbers of the query, [r, q].
        scales: what the numbers of each row of int8 are to be multiplied by, [r, 1].
        firsts: first row of each piece, [p].
        query: what its numbers are.
    """
    if scales is not None:
        # As float32 first: numpy is several times slower where types meet.
        products = products.astype(np.float32, copy=False) * scales
    best: Floats = np.maximum.reduceat(products, firsts, axis=0) * query.unit
    return best


class NumpyProducts:
    """By numpy, in float32; arguments as of :func:`products_of`."""

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None) -> None:
        self._vectors = vectors
        self._scales = scales

    def prepare(self, query: Floats, /) -> Query:
        """Return the numbers of a query, and what they are."""
        return prepared(query, self._vectors.dtype)

    def read(self, block: Block, /) -> tuple[Floats, Ints, Floats | None]:
        """Return the rows of a block, [r, d], the first one of each piece, and the scales of the rows."""
        positions = block.positions()
        scales = None if self._scales is None else self._scales[positions, None]
        return widened(self._vectors[positions]), block.firsts, scales

    def best(self, block: tuple[Floats, Ints, Floats | None], query: Query, /) -> Floats:
        """Return the greatest inner product of each piece, [p, q]."""
        rows, firsts, scales = block
        return greatest(rows @ query.numbers.T.astype(np.float32), scales, firsts, query)
