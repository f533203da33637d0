"""MaxSim: the mean, over the vectors of a query, of the greatest inner product with a vector of a document.

n documents, m queries, t stored vectors of d numbers.

Work that is shared among threads, one for each processor.

Rows of an array on disk that are worked on together, in pieces that stand together.

Inner products of stored vectors with those of a query by NumKong, at a good part of the speed of reading them.

t stored vectors of d numbers, of which a block holds r in p pieces; q vectors of a query.

Inner products of stored vectors with those of a query: by numpy alone, or many times faster by NumKong.

t stored vectors of d numbers, of which a block holds r in p pieces; q vectors of a query.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from legalir.extras import require
from legalir.m3.store import quantized
from legalir.storage.arrays import widened

__all__ = [
    "Block",
    "Floats",
    "Ints",
    "MaxSim",
    "NumpyProducts",
    "PackedProducts",
    "Products",
    "Query",
    "greatest",
    "in_threads",
    "prepared",
    "processors",
    "products_of",
]

T = TypeVar("T")


def processors() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Not on macOS or Windows.
        return os.cpu_count() or 1


def in_threads(work: Callable[[T], None], items: Iterable[T], threads: int) -> None:
    """Call `work` for each item, in so many threads, of which the calling one is the first.

    Args:
        work: may be called in several threads at once.
        items: in the order in which they are begun.
        threads: at least 1.
    """
    items = list(items)
    waiting = iter(items)

    def take() -> None:
        for item in waiting:
            work(item)

    others = min(threads, len(items)) - 1
    if others < 1:
        take()
        return
    with ThreadPoolExecutor(others) as pool:
        begun = [pool.submit(take) for _ in range(others)]
        take()
        for one in begun:
            one.result()


Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.signedinteger[Any]]


class Block(NamedTuple):
    """Rows in p pieces.

    Attributes:
        starts: first row of each piece, [p].
        sizes: number of rows of each piece, none 0, [p].
    """

    starts: Ints
    sizes: Ints

    @property
    def rows(self) -> int:
        """Number of rows, r."""
        return int(self.sizes.sum())

    @property
    def firsts(self) -> Ints:
        """The number of the first row of each piece, counted within the block, [p]."""
        return np.cumsum(self.sizes) - self.sizes

    def positions(self) -> Ints:
        """Return the rows, [r]."""
        return np.repeat(self.starts - self.firsts, self.sizes) + np.arange(self.rows)

    @property
    def run(self) -> slice | None:
        """The rows, where each piece begins at the end of the one before it; else None."""
        together = (self.starts[1:] == self.starts[:-1] + self.sizes[:-1]).all()
        return slice(int(self.starts[0]), int(self.starts[-1] + self.sizes[-1])) if together else None


_LONG = 16
"""Rows of a piece, on average, from which on pieces are multiplied where they lie; shorter ones are copied together."""

_SUMS = {"float16": "float32", "float32": "float64", "int8": "int32"}
"""What NumKong sums products in."""


class PackedProducts:
    """Rows are widened in registers, never in memory; what else is multiplied does not change a product by a bit.

    Of float16 they are summed in float32, of float32 in float64, of int8 in integers. The query takes the type of what
    is stored, as :func:`~legalir.m3.maxsim.prepared` has it. Arguments as of
    :func:`~legalir.m3.maxsim.products_of`.
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


_ROWS = 8_192
"""Vectors that a thread takes at a time, at most, unless a document has more."""

_FEW = 512
"""Vectors that are not worth another thread."""

_SHARES = 2
"""How often each thread is to take some: they wait for each other's Python, so not often."""


class MaxSim:
    """Scores documents by their stored vectors.

    What else is scored changes no score: with NumKong by no bit, without it by rounding in float32 at most. Scores are
    right to 0.000001 for float32; for float16 and int8, see :func:`~legalir.m3.maxsim.prepared`. Documents
    are read where they lie, so memory stays flat.

    Args:
        vectors: vectors of all documents, one document's after another's, float16, float32 or int8 [t, d].
        bounds: where the vectors of each document are, int64 [n + 1].
        scales: what the numbers of each int8 vector are to be multiplied by, [t].
        packed: whether NumKong multiplies; None: if it is installed. Without it, the scores are the same, but later.
    """

    def __init__(
        self,
        vectors: npt.NDArray[Any],
        bounds: Ints,
        scales: Floats | None = None,
        *,
        packed: bool | None = None,
    ) -> None:
        self._bounds = bounds
        longest = int(np.diff(bounds).max(initial=0))
        self._make = partial(products_of, vectors, scales, max(_ROWS, longest), packed=packed)
        self._products = self._make()
        self._idle = [self._products]  # Each has a buffer of its own, so each thread takes one.

    def scores(self, queries: Sequence[Floats], documents: Ints) -> Floats:
        """Return the score of each document for each query; [m, c].

        A query or a document without vectors has score 0.

        Args:
            queries: the vectors of each query, float32 [q, d]; q may differ.
            documents: numbers of c documents, in any order; they are read as they stand.
        """
        out = np.zeros((len(queries), len(documents)), dtype=np.float32)
        asked = [number for number, query in enumerate(queries) if len(query)]
        prepared = [self._products.prepare(np.ascontiguousarray(queries[number], dtype=np.float32)) for number in asked]
        order = np.argsort(documents, kind="stable")
        sizes = self._bounds[documents[order] + 1] - self._bounds[documents[order]]
        order, sizes = order[sizes > 0], sizes[sizes > 0]

        def score(run: slice) -> None:
            block = Block(self._bounds[documents[order[run]]], sizes[run])
            with self._borrowed() as products:
                read = products.read(block)
                for number, query in zip(asked, prepared, strict=True):
                    out[number, order[run]] = products.best(read, query).mean(axis=1, dtype=np.float64)

        threads = processors()
        rows = min(_ROWS, max(_FEW, int(sizes.sum()) // (_SHARES * threads)))
        in_threads(score, _runs(sizes, rows) if asked else (), threads)
        return out

    @contextmanager
    def _borrowed(self) -> Iterator[Products]:
        try:
            products = self._idle.pop()
        except IndexError:
            products = self._make()
        try:
            yield products
        finally:
            self._idle.append(products)


def _runs(sizes: Ints, rows: int) -> Iterator[slice]:
    """Yield as many documents at a time as have so many rows, at least one."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        limit = ends[first] - sizes[first] + rows
        last = max(first + 1, int(np.searchsorted(ends, limit, side="right")))
        yield slice(first, last)
        first = last
