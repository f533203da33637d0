"""Inner products of stored vectors with those of a query by PyTorch, at a good part of the speed of reading them.

t stored vectors of d numbers, of which a block holds r; q vectors of a query.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.extras import require
from legalir.retrieve.m3.blocks import Block, Floats
from legalir.retrieve.m3.products import halves, rounded

__all__ = ["FloatProducts", "IntegerProducts", "integers_are_exact"]

_LANES = 16
"""Vectors of a query are filled up to a multiple of this, as many float32 as a register holds: it costs no time."""

_IMAGES, _HEIGHT = 16, 16
"""Vectors of a block are images of so many, and at least so many images: fewer are left to another kernel if there is
one thread, and one kernel does for all blocks if images are of one height."""

_LONG = 16_384
"""Numbers in a piece from which on one thread copies pieces one by one; several would wait for each other each time."""

_SHORT = 1_024
"""Numbers of a vector up to which a sum of products of 8 and 16 bits fits 32 bits, whatever they are."""


class _Stored:
    """Stored vectors as a tensor, and blocks of them in a buffer."""

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None, rows: int) -> None:
        self._torch: Any = require("torch", extra="dense")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # It is a read-only map, and nothing writes into it.
            self._vectors = self._torch.from_numpy(np.asarray(vectors))
        self._scales = scales
        self._size = rows, vectors.shape[1]

    @cached_property
    def _gathered(self) -> Any:
        return self._torch.zeros(self._size, dtype=self._vectors.dtype)

    def _fill(self, buffer: Any, block: Block) -> None:
        """Copy a block into `buffer`, which may have another type."""
        rows, run = block.rows, block.run
        if run is not None:
            buffer[:rows].copy_(self._vectors[run])
        elif self._torch.get_num_threads() == 1 and rows * self._size[1] >= _LONG * len(block.sizes):
            for end, start, size in zip(np.cumsum(block.sizes).tolist(), *map(np.ndarray.tolist, block), strict=True):
                buffer[end - size : end].copy_(self._vectors[start : start + size])
        else:
            chosen = self._torch.from_numpy(block.positions())
            self._torch.index_select(self._vectors, 0, chosen, out=self._gathered[:rows])
            if buffer is not self._gathered:
                buffer[:rows].copy_(self._gathered[:rows])

    def _factors(self, block: Block) -> Floats | None:
        """Return the scales of a block as a column, [r, 1]."""
        return None if self._scales is None else self._scales[block.positions(), None]


class FloatProducts(_Stored):
    """In float32, as a convolution of width 1: PyTorch lets oneDNN compute that, but no product of matrices.

    That kernel reads the vectors as they lie and brings only the query into a layout of its own; with a matrix as
    narrow as a query, it is two to three times faster than the product. Arguments as of
    :func:`~legalir.retrieve.m3.products.products_of`.
    """

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None, rows: int) -> None:
        super().__init__(vectors, scales, rows)
        self._floats = self._torch.zeros(
            (_padded(rows, _IMAGES * _HEIGHT), vectors.shape[1]), dtype=self._torch.float32
        )

    def prepare(self, query: Floats, /) -> Any:
        """Return the kernel of the convolution, [q or more, d, 1, 1]."""
        padded = np.zeros((_padded(len(query), _LANES), query.shape[1]), dtype=np.float32)
        padded[: len(query)] = rounded(query, self._scales)
        kernel = self._torch.from_numpy(padded)[:, :, None, None]
        return kernel.contiguous(memory_format=self._torch.channels_last)

    def read(self, block: Block, /) -> tuple[int, Floats | None]:
        """Put the vectors of a block into the buffer; return their number and scales."""
        self._fill(self._floats, block)
        return block.rows, self._factors(block)

    def multiply(self, block: tuple[int, Floats | None], query: Any, /) -> Floats:
        """Return the inner products, [r, q or more]."""
        rows, factors = block
        # Strides that tell a layout with the dimensions last; anything else would be copied first.
        images = self._floats[: _padded(rows, _IMAGES * _HEIGHT)].view(-1, _HEIGHT, 1, self._size[1])
        with self._torch.inference_mode():
            found: Any = self._torch.nn.functional.conv2d(images.permute(0, 3, 1, 2), query)
        products: Floats = found.permute(0, 2, 3, 1).reshape(-1, len(query)).numpy()[:rows]
        return products if factors is None else products * factors


class IntegerProducts(_Stored):
    """Of int8 vectors, in integers, which are exact: the vectors are read where they lie, and never made longer.

    Arguments as of :func:`~legalir.retrieve.m3.products.products_of`.
    """

    def prepare(self, query: Floats, /) -> tuple[Any, Any]:
        """Return high and low halves as columns, int8 [d, 2q], and the unit of each vector, [q]."""
        high, low, unit = halves(query)
        columns = np.ascontiguousarray(np.concatenate([high, low]).T)
        return self._torch.from_numpy(columns), self._torch.from_numpy(unit)

    def read(self, block: Block, /) -> tuple[Any, Floats | None]:
        """Return the vectors of a block, where they lie or in the buffer, and their scales."""
        if block.run is not None:
            return self._vectors[block.run], self._factors(block)
        self._fill(self._gathered, block)
        return self._gathered[: block.rows], self._factors(block)

    def multiply(self, block: tuple[Any, Floats | None], query: tuple[Any, Any], /) -> Floats:
        """Return the inner products, [r, q]."""
        (vectors, factors), (columns, unit) = block, query
        found = self._torch._int_mm(vectors, columns)
        high, low = found[:, : len(unit)], found[:, len(unit) :]
        if vectors.shape[1] > _SHORT:
            low = low.float()
        products: Floats = (self._torch.add(low, high, alpha=128) * self._torch.from_numpy(factors)).mul_(unit).numpy()
        return products


def integers_are_exact() -> bool:
    """Return whether PyTorch multiplies int8 here, without the overflow that kernels for old processors have."""
    torch: Any = require("torch", extra="dense")
    largest = torch.full((32, 64), 127, dtype=torch.int8)
    try:
        found = torch._int_mm(largest, torch.cat([largest, -largest]).T.contiguous())
    except (AttributeError, RuntimeError):
        return False
    wanted = 64 * 127 * 127
    return bool((found[:, :32] == wanted).all() and (found[:, 32:] == -wanted).all())


def _padded(number: int, step: int) -> int:
    """Return the least multiple of `step` that is not below `number`, nor 0."""
    return max(1, -(-number // step)) * step
