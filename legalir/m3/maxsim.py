"""MaxSim [colbert]: the mean, over the vectors of a query, of the greatest inner product with a vector of a document.

Sizes: n documents, m queries; t stored vectors of d numbers; r vectors in a block, in p pieces; q vectors of a query.

Vectors in eight bits
    With m the greatest absolute component of a vector x, the scale is s = m / 127, and component i is stored as the
    integer qᵢ nearest to xᵢ / s. It is read as x̂ᵢ = s·qᵢ. Then

    - ``|xᵢ − x̂ᵢ| ≤ s / 2 = m / 254``, so at most 1/254 ≈ 0.004 for a vector of length 1;
    - ``|⟨u, x⟩ − ⟨u, x̂⟩| ≤ ‖u‖₁ · m / 254 ≤ √d · m / 254`` for any u of length 1. Errors of independent components
      mostly cancel: their standard deviation is about m / 440, which is 0.0003 for d = 1024 and m = 0.15, where the
      bound is 0.019.

    Both bounds hold up to the rounding of float32, a relative 10⁻⁷. MaxSim is a mean of such inner products, so it
    keeps the bound.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from legalir.executors import processor_count, run_in_threads
from legalir.extras import require
from legalir.storage.arrays import widened

Multi = Literal["float16", "float32", "int8"]
"""Types in which multi-vectors are stored."""
Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.signedinteger[Any]]

_HIGHEST = 127
_QUANTIZED_ROWS = 1024
"""Number of vectors quantized at a time."""


def quantize(vectors: npt.NDArray[np.floating[Any]]) -> tuple[npt.NDArray[np.int8], Floats]:
    """Return `vectors` [t, d] in eight bits, and the scale of each, float32 [t]; a vector of zeros has scale 0."""
    grid = np.empty(vectors.shape, dtype=np.int8)
    scales = np.empty(len(vectors), dtype=np.float32)
    for first in range(0, len(vectors), _QUANTIZED_ROWS):
        rows = slice(first, first + _QUANTIZED_ROWS)
        wide = vectors[rows].astype(np.float32)
        scales[rows] = np.abs(wide).max(axis=1, initial=0) / np.float32(_HIGHEST)
        wide /= np.where(scales[rows] > 0, scales[rows], 1)[:, None]
        grid[rows] = np.clip(np.rint(wide), -_HIGHEST, _HIGHEST)
    return grid, scales


def dequantize(grid: npt.NDArray[np.int8], scales: Floats) -> Floats:
    """Return the original vectors of :func:`quantize`, float32 [t, d], up to its error."""
    return grid.astype(np.float32) * scales[:, None]


class MultiVectors(NamedTuple):
    """Stored vectors of the tokens of all documents.

    Attributes:
        bounds: document i has the vectors in ``[bounds[i], bounds[i + 1])``; int64 [n + 1].
        vectors: float16, float32 or int8 [t, d].
        scales: scale of each int8 vector, float32 [t]; None for floats.
    """

    bounds: npt.NDArray[np.int64]
    vectors: npt.NDArray[Any]
    scales: Floats | None

    def row(self, number: int) -> Floats:
        """Return the vectors of a document, float32 [number of its tokens, d]."""
        run = slice(self.bounds[number], self.bounds[number + 1])
        return widened(self.vectors[run]) if self.scales is None else dequantize(self.vectors[run], self.scales[run])


class Query(NamedTuple):
    """Vectors of a query in the type of the stored vectors.

    Attributes:
        numbers: float16, float32 or int8 [q, d].
        unit: factor of inner products with each vector, float32 [q].
    """

    numbers: npt.NDArray[Any]
    unit: Floats


def round_query(query: Floats, dtype: npt.DTypeLike) -> Query:
    """Return a query in the type of the stored vectors.

    In float16, rounding changes an inner product with a vector of length 1 by at most 0.0005 of the query's length,
    usually by 0.00001; in int8 by at most ``max|query| · √d / 254``, usually by 0.0003.

    Args:
        query: [q, d].
        dtype: float32, float16 or int8.
    """
    if dtype == np.float32:
        return Query(query, np.ones(len(query), dtype=np.float32))
    if dtype == np.int8:
        return Query(*quantize(query))
    # A power of two divides without error and keeps all numbers in the range of float16.
    unit = np.exp2(np.frexp(np.abs(query).max(axis=1, initial=0))[1].astype(np.float32))
    return Query((query / unit[:, None]).astype(np.float16), unit)


class Block(NamedTuple):
    """Rows of an array in p pieces, each of consecutive rows.

    Attributes:
        starts: first row of each piece, [p].
        sizes: number of rows of each piece, at least 1, [p].
    """

    starts: Ints
    sizes: Ints

    @property
    def rows(self) -> int:
        """Number of rows, r."""
        return int(self.sizes.sum())

    @property
    def firsts(self) -> Ints:
        """Position within the block of the first row of each piece, [p]."""
        return np.cumsum(self.sizes) - self.sizes

    def positions(self) -> Ints:
        """Return the rows, [r]."""
        return np.repeat(self.starts - self.firsts, self.sizes) + np.arange(self.rows)

    @property
    def run(self) -> slice | None:
        """The rows as a slice if each piece begins where the one before it ends; else None."""
        consecutive = (self.starts[1:] == self.starts[:-1] + self.sizes[:-1]).all()
        return slice(int(self.starts[0]), int(self.starts[-1] + self.sizes[-1])) if consecutive else None


class Kernel(Protocol):
    """Inner products of stored vectors with query vectors."""

    def prepare(self, query: Floats, /) -> Any:
        """Return the vectors of a query, [q, d], as :meth:`maxima` takes them."""

    def read(self, block: Block, /) -> Any:
        """Return the rows of a block as :meth:`maxima` takes them; valid until the next call."""

    def maxima(self, block: Any, query: Any, /) -> Floats:
        """Return the greatest inner product of each piece of a block with each vector of a query, [p, q]."""


def choose_kernel(
    vectors: npt.NDArray[Any], scales: Floats | None, rows: int, *, numkong: bool | None = None
) -> Kernel:
    """Return the fastest kernel on this machine.

    Args:
        vectors: float16, float32 or int8 [t, d], such as a memory map.
        scales: scale of each int8 vector, [t]; None for floats.
        rows: number of rows of the largest block.
        numkong: use NumKong; None: if it is installed.
    """
    if numkong is None:
        numkong = importlib.util.find_spec("numkong") is not None
    return NumKongKernel(vectors, scales, rows) if numkong else NumpyKernel(vectors, scales)


class NumpyKernel:
    """Inner products by numpy, in float32; arguments as for :func:`choose_kernel`."""

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None) -> None:
        self._vectors = vectors
        self._scales = scales

    def prepare(self, query: Floats, /) -> Query:
        """Return the rounded query."""
        return round_query(query, self._vectors.dtype)

    def read(self, block: Block, /) -> tuple[Floats, Ints, Floats | None]:
        """Return the rows of a block, [r, d], the first row of each piece, and the scales of the rows."""
        positions = block.positions()
        scales = None if self._scales is None else self._scales[positions, None]
        return widened(self._vectors[positions]), block.firsts, scales

    def maxima(self, block: tuple[Floats, Ints, Floats | None], query: Query, /) -> Floats:
        """Return the greatest inner product of each piece, [p, q]."""
        rows, firsts, scales = block
        return _piece_maxima(rows @ query.numbers.T.astype(np.float32), scales, firsts, query)


_LONG_PIECE = 16
"""Mean number of rows of a piece from which pieces are multiplied in place; shorter ones are first copied together."""
_SUM_DTYPES = {"float16": "float32", "float32": "float64", "int8": "int32"}
"""Types in which NumKong sums products."""


class NumKongKernel:
    """Inner products by NumKong, nearly as fast as memory is read; arguments as for :func:`choose_kernel`.

    Rows are widened in registers, never in memory. A product has the same bits whatever else is multiplied. Products of
    float16 are summed in float32, of float32 in float64, of int8 in integers.

    Raises:
        MissingExtra: NumKong is not installed.
    """

    def __init__(self, vectors: npt.NDArray[Any], scales: Floats | None, rows: int) -> None:
        self._numkong: Any = require("numkong", extra="dense")
        self._vectors = vectors
        self._scales = scales
        self._size = rows, vectors.shape[1]

    def prepare(self, query: Floats, /) -> tuple[Any, Query]:
        """Return the rounded query, packed for NumKong and as it is."""
        rounded = round_query(query, self._vectors.dtype)
        return self._numkong.dots_pack(rounded.numbers), rounded

    def read(self, block: Block, /) -> tuple[list[npt.NDArray[Any]], Block, Floats | None]:
        """Return the rows of a block, in place or copied into the buffer, the block, and the scales of its rows."""
        if block.run is not None:
            rows = [self._vectors[block.run]]
        elif block.rows >= _LONG_PIECE * len(block.sizes):
            runs = zip(block.starts.tolist(), block.sizes.tolist(), strict=True)
            rows = [self._vectors[start : start + size] for start, size in runs]
        else:
            buffer = self._buffer[: block.rows]
            rows = [np.take(self._vectors, block.positions(), axis=0, out=buffer, mode="clip")]
        return rows, block, None if self._scales is None else self._scales[block.positions(), None]

    def maxima(self, block: tuple[list[npt.NDArray[Any]], Block, Floats | None], query: tuple[Any, Query], /) -> Floats:
        """Return the greatest inner product of each piece, [p, q]."""
        (rows, pieces, scales), (packed, rounded) = block, query
        products = self._numkong.empty((pieces.rows, len(rounded.numbers)), dtype=_SUM_DTYPES[self._vectors.dtype.name])
        first = 0
        for part in rows:
            self._numkong.dots_packed(part, packed, out=products[first : first + len(part)])
            first += len(part)
        return _piece_maxima(np.asarray(products), scales, pieces.firsts, rounded)

    @cached_property
    def _buffer(self) -> npt.NDArray[Any]:
        return np.zeros(self._size, dtype=self._vectors.dtype)


def _piece_maxima(products: npt.NDArray[Any], scales: Floats | None, firsts: Ints, query: Query) -> Floats:
    """Return the greatest inner product of each piece, [p, q].

    Args:
        products: inner products of the rows of a block with the numbers of the query, [r, q].
        scales: scale of each row of int8, [r, 1].
        firsts: first row of each piece, [p].
        query: the rounded query.
    """
    if scales is not None:
        # First to float32: numpy is several times slower with mixed types.
        products = products.astype(np.float32, copy=False) * scales
    maxima: Floats = np.maximum.reduceat(products, firsts, axis=0) * query.unit
    return maxima


_BLOCK_ROWS = 8_192
"""Maximum number of vectors of a block, unless a single document has more."""
_MIN_BLOCK_ROWS = 512
"""Number of vectors below which another thread does not pay."""
_BLOCKS_PER_THREAD = 2
"""Aim for the number of blocks of each thread; threads wait for each other's Python code, so it is low."""


class MaxSim:
    """Scorer of documents by their stored vectors.

    A score does not depend on what else is scored: not by a bit with NumKong, by rounding in float32 without it. Scores
    are accurate to 0.000001 for float32; for float16 and int8 see :func:`round_query`. Documents are read in place, so
    memory stays flat.

    Args:
        vectors: vectors of all documents in order, float16, float32 or int8 [t, d].
        bounds: document i has the vectors in ``[bounds[i], bounds[i + 1])``; int64 [n + 1].
        scales: scale of each int8 vector, [t]; None for floats.
        numkong: use NumKong; None: if it is installed. Without it, scores are the same but take longer.
    """

    def __init__(
        self,
        vectors: npt.NDArray[Any],
        bounds: Ints,
        scales: Floats | None = None,
        *,
        numkong: bool | None = None,
    ) -> None:
        self._bounds = bounds
        longest = int(np.diff(bounds).max(initial=0))
        self._make = partial(choose_kernel, vectors, scales, max(_BLOCK_ROWS, longest), numkong=numkong)
        self._kernel = self._make()
        self._idle = [self._kernel]  # Each thread needs its own kernel, for the buffer.

    def scores(self, queries: Sequence[Floats], documents: Ints) -> Floats:
        """Return the score of each document for each query, [m, c].

        A query or a document without vectors has score 0.

        Args:
            queries: vectors of each query, float32 [q, d]; q may differ.
            documents: numbers of c documents, in any order.
        """
        out = np.zeros((len(queries), len(documents)), dtype=np.float32)
        numbers = [number for number, query in enumerate(queries) if len(query)]
        prepared = [self._kernel.prepare(np.ascontiguousarray(queries[number], dtype=np.float32)) for number in numbers]
        order = np.argsort(documents, kind="stable")
        sizes = self._bounds[documents[order] + 1] - self._bounds[documents[order]]
        order, sizes = order[sizes > 0], sizes[sizes > 0]

        def score(run: slice) -> None:
            block = Block(self._bounds[documents[order[run]]], sizes[run])
            with self._borrowed_kernel() as kernel:
                rows = kernel.read(block)
                for number, query in zip(numbers, prepared, strict=True):
                    out[number, order[run]] = kernel.maxima(rows, query).mean(axis=1, dtype=np.float64)

        threads = processor_count()
        rows = min(_BLOCK_ROWS, max(_MIN_BLOCK_ROWS, int(sizes.sum()) // (_BLOCKS_PER_THREAD * threads)))
        run_in_threads(score, _blocks(sizes, rows) if numbers else (), threads)
        return out

    @contextmanager
    def _borrowed_kernel(self) -> Iterator[Kernel]:
        try:
            kernel = self._idle.pop()
        except IndexError:
            kernel = self._make()
        try:
            yield kernel
        finally:
            self._idle.append(kernel)


def _blocks(sizes: Ints, rows: int) -> Iterator[slice]:
    """Yield ranges of documents with at most `rows` vectors each, or of a single document."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        limit = ends[first] - sizes[first] + rows
        last = max(first + 1, int(np.searchsorted(ends, limit, side="right")))
        yield slice(first, last)
        first = last
