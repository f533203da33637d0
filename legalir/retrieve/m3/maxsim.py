"""MaxSim: the mean, over the vectors of a query, of the greatest inner product with a vector of a document.

n documents, m queries, t stored vectors of d numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.retrieve.m3.blocks import Block, Floats, Ints
from legalir.retrieve.m3.products import Products, products_of
from legalir.retrieve.m3.workers import in_threads, processors

__all__ = ["MaxSim"]

_ROWS = 8_192
"""Vectors that a thread takes at a time, at most, unless a document has more."""

_FEW = 512
"""Vectors that are not worth another thread."""

_SHARES = 2
"""How often each thread is to take some: they wait for each other's Python, so not often."""


class MaxSim:
    """Scores documents by their stored vectors.

    What else is scored changes no score: with NumKong by no bit, without it by rounding in float32 at most. Scores are
    right to 0.000001 for float32; for float16 and int8, see :func:`~legalir.retrieve.m3.products.prepared`. Documents
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
