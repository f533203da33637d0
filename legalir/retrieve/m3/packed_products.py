"""Inner products of stored vectors with those of a query by NumKong, at a good part of the speed of reading them.

t stored vectors of d numbers, of which a block holds r in p pieces; q vectors of a query.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.extras import require
from legalir.retrieve.m3.blocks import Block, Floats
from legalir.retrieve.m3.products import Query, greatest, prepared

__all__ = ["PackedProducts"]

_LONG = 16
"""Rows of a piece, on average, from which on pieces are multiplied where they lie; shorter ones are copied together."""

_SUMS = {"float16": "float32", "float32": "float64", "int8": "int32"}
"""What NumKong sums products in."""


class PackedProducts:
    """Rows are widened in registers, never in memory; what else is multiplied does not change a product by a bit.

    Of float16 they are summed in float32, of float32 in float64, of int8 in integers. The query takes the type of what
    is stored, as :func:`~legalir.retrieve.m3.products.prepared` has it. Arguments as of
    :func:`~legalir.retrieve.m3.products.products_of`.
    """

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None, rows: int) -> None:
        self._kernels: Any = require("numkong", extra="dense")
        self._vectors = vectors
        self._scales = scales
        self._size = rows, vectors.shape[1]

    def prepare(self, query: Floats, /) -> tuple[Any, Query]:
        """Return the numbers of a query in the layout that they are multiplied from, and what they are."""
        ready = prepared(query, self._vectors.dtype)
        return self._kernels.dots_pack(ready.numbers), ready

    def read(self, block: Block, /) -> tuple[list[npt.NDArray[Any]], Block, Floats | None]:
        """Return the rows of a block, where they lie or in the buffer, the block, and the scales of its rows."""
        if block.run is not None:
            rows = [self._vectors[block.run]]
        elif block.rows >= _LONG * len(block.sizes):
            runs = zip(block.starts.tolist(), block.sizes.tolist(), strict=True)
            rows = [self._vectors[start : start + size] for start, size in runs]
        else:
            buffer = self._buffer[: block.rows]
            rows = [np.take(self._vectors, block.positions(), axis=0, out=buffer, mode="clip")]
        return rows, block, None if self._scales is None else self._scales[block.positions(), None]

    def best(self, block: tuple[list[npt.NDArray[Any]], Block, Floats | None], query: tuple[Any, Query], /) -> Floats:
        """Return the greatest inner product of each piece, [p, q]."""
        (rows, pieces, scales), (packed, ready) = block, query
        products = self._kernels.empty((pieces.rows, len(ready.numbers)), dtype=_SUMS[self._vectors.dtype.name])
        first = 0
        for part in rows:
            self._kernels.dots_packed(part, packed, out=products[first : first + len(part)])
            first += len(part)
        return greatest(np.asarray(products), scales, pieces.firsts, ready)

    @cached_property
    def _buffer(self) -> npt.NDArray[Any]:
        return np.zeros(self._size, dtype=self._vectors.dtype)
