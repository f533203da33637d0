"""MaxSim [colbert]: the mean, over the vectors of a query, of the greatest inner product with a vector of a document.

Sizes: n documents, m queries; t stored vectors of d numbers; r vectors in a block of p documents; q vectors of a
query.

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
from typing import Any, Literal, NamedTuple

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


_BLOCK_ROWS = 8_192
"""Maximum number of vectors of a block, unless a single document has more."""
_MIN_BLOCK_ROWS = 512
"""Number of vectors below which another thread does not pay."""
_BLOCKS_PER_THREAD = 2
"""Aim for the number of blocks of each thread; threads wait for each other's Python code, so it is low."""
_LONG_PIECE = 16
"""Mean number of vectors of a document from which they are multiplied in place; fewer are first copied together."""
_SUM_DTYPES = {"float16": "float32", "float32": "float64", "int8": "int32"}
"""Types in which NumKong sums products."""


class MaxSim:
    """Scorer of documents by their stored vectors, by NumKong nearly as fast as memory is read.

    A score does not depend on what else is scored: not by a bit with NumKong, by rounding in float32 without it. Scores
    are accurate to 0.000001 for float32; for float16 and int8 see :func:`round_query`. Documents are read in place, so
    memory stays flat.

    Args:
        vectors: vectors of all documents in order, float16, float32 or int8 [t, d].
        bounds: document i has the vectors in ``[bounds[i], bounds[i + 1])``; int64 [n + 1].
        scales: scale of each int8 vector, [t]; None for floats.
        numkong: use NumKong; None: if it is installed. Without it, scores are the same but take longer.

    Raises:
        MissingExtra: `numkong` is True, and NumKong is not installed.
    """

    def __init__(
        self,
        vectors: npt.NDArray[Any],
        bounds: Ints,
        scales: Floats | None = None,
        *,
        numkong: bool | None = None,
    ) -> None:
        self._vectors, self._bounds, self._scales = vectors, bounds, scales
        installed = importlib.util.find_spec("numkong") is not None
        self._numkong: Any = require("numkong", extra="dense") if numkong or (numkong is None and installed) else None

    def scores(self, queries: Sequence[Floats], documents: Ints) -> Floats:
        """Return the score of each document for each query, [m, c].

        A query or a document without vectors has score 0.

        Args:
            queries: vectors of each query, float32 [q, d]; q may differ.
            documents: numbers of c documents, in any order.
        """
        out = np.zeros((len(queries), len(documents)), dtype=np.float32)
        numbers = [number for number, query in enumerate(queries) if len(query)]
        prepared = [self._prepared(queries[number]) for number in numbers]
        order = np.argsort(documents, kind="stable")
        sizes = self._bounds[documents[order] + 1] - self._bounds[documents[order]]
        order, sizes = order[sizes > 0], sizes[sizes > 0]

        def score(run: slice) -> None:
            starts, firsts = self._bounds[documents[order[run]]], np.cumsum(sizes[run]) - sizes[run]
            parts = self._parts(starts, sizes[run], firsts)
            scales = None if self._scales is None else self._scales[_rows(starts, sizes[run], firsts), None]
            for number, query in zip(numbers, prepared, strict=True):
                products = self._products(parts, query)
                if scales is not None:
                    # First to float32: numpy is several times slower with mixed types.
                    products = products.astype(np.float32, copy=False) * scales
                maxima = np.maximum.reduceat(products, firsts, axis=0) * query[1].unit
                out[number, order[run]] = maxima.mean(axis=1, dtype=np.float64)

        threads = processor_count()
        rows = min(_BLOCK_ROWS, max(_MIN_BLOCK_ROWS, int(sizes.sum()) // (_BLOCKS_PER_THREAD * threads)))
        run_in_threads(score, _blocks(sizes, rows) if numbers else (), threads)
        return out

    def _prepared(self, query: Floats) -> tuple[Any, Query]:
        """Return the rounded numbers of a query as they are multiplied, and the rounded query."""
        rounded = round_query(np.ascontiguousarray(query, dtype=np.float32), self._vectors.dtype)
        if self._numkong is None:
            return rounded.numbers.T.astype(np.float32), rounded
        return self._numkong.dots_pack(rounded.numbers), rounded

    def _parts(self, starts: Ints, sizes: Ints, firsts: Ints) -> list[npt.NDArray[Any]]:
        """Return the vectors of p documents, in place or copied together; `firsts` are their positions, [p]."""
        if (starts[1:] == starts[:-1] + sizes[:-1]).all():
            parts = [self._vectors[starts[0] : starts[-1] + sizes[-1]]]
        elif sizes.sum() >= _LONG_PIECE * len(sizes):
            parts = [self._vectors[start : start + size] for start, size in zip(starts, sizes, strict=True)]
        else:
            parts = [np.take(self._vectors, _rows(starts, sizes, firsts), axis=0, mode="clip")]
        return [widened(part) for part in parts] if self._numkong is None else parts

    def _products(self, parts: Sequence[npt.NDArray[Any]], query: tuple[Any, Query]) -> npt.NDArray[Any]:
        """Return the inner products of the vectors in `parts` with the rounded numbers of a query, [r, q]."""
        packed, rounded = query
        if self._numkong is None:
            return np.concatenate([part @ packed for part in parts])
        size = sum(map(len, parts)), len(rounded.numbers)
        products = self._numkong.empty(size, dtype=_SUM_DTYPES[self._vectors.dtype.name])
        first = 0
        for part in parts:
            self._numkong.dots_packed(part, packed, out=products[first : first + len(part)])
            first += len(part)
        return np.asarray(products)


def _rows(starts: Ints, sizes: Ints, firsts: Ints) -> Ints:
    """Return the numbers of the vectors of p documents, [r]."""
    return np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())


def _blocks(sizes: Ints, rows: int) -> Iterator[slice]:
    """Yield ranges of documents with at most `rows` vectors each, or of a single document."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        limit = ends[first] - sizes[first] + rows
        last = max(first + 1, int(np.searchsorted(ends, limit, side="right")))
        yield slice(first, last)
        first = last
