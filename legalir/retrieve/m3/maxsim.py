"""MaxSim: the mean, over the vectors of a query, of the greatest inner product with a vector of a document.

n documents, m queries, t stored vectors of d numbers.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from legalir.retrieve.m3.blocks import Block, Floats, Ints
from legalir.retrieve.m3.products import Products, products_of
from legalir.retrieve.m3.workers import each_alone

__all__ = ["MaxSim"]

_NUMBERS = 4_200_000
"""Numbers of stored vectors that are multiplied at a time; as float32, they fit the cache of a processor."""

_ROWS = 8_192
"""Vectors that are multiplied at a time, at most."""


class MaxSim:
    """Scores documents by their stored vectors.

    What else is scored changes no score by more than rounding in float32, and none at all for int8 or where oneDNN has
    kernels for AVX-512. With float16 and float32, scores are right to that rounding, some 0.000001; for int8, see
    :func:`~legalir.retrieve.m3.products.halves`. Documents are read in blocks, so memory stays flat.

    Args:
        vectors: vectors of all documents, one document's after another's, float16, float32 or int8 [t, d].
        bounds: where the vectors of each document are, int64 [n + 1].
        scales: what the numbers of each int8 vector are to be multiplied by, [t].
        torch: whether PyTorch multiplies; None: if it is installed. Without it, the scores are the same, but later.
    """

    def __init__(
        self,
        vectors: npt.NDArray[Any],
        bounds: Ints,
        scales: Floats | None = None,
        *,
        torch: bool | None = None,
    ) -> None:
        self._bounds = bounds
        self._rows = max(1, min(_ROWS, _NUMBERS // max(1, vectors.shape[1])))
        longest = int(np.diff(bounds).max(initial=0))
        self._torch = importlib.util.find_spec("torch") is not None if torch is None else torch
        self._make = partial(products_of, vectors, scales, max(self._rows, longest), torch=self._torch)
        self._products = self._make()
        self._idle = [self._products]  # Each has buffers of its own, so each thread takes one.
        # Products of integers are short of nothing but memory, which threads that share them read faster.
        self._alone = self._torch and scales is None

    def scores(self, queries: Sequence[Floats], documents: Ints) -> Floats:
        """Return the score of each document for each query; [m, c].

        A query or a document without vectors has score 0.

        Args:
            queries: the vectors of each query, float32 [q, d]; q may differ.
            documents: numbers of c documents, in any order; they are read as they stand.
        """
        out = np.zeros((len(queries), len(documents)), dtype=np.float32)
        asked = [number for number, query in enumerate(queries) if len(query)]
        prepared = [self._products.prepare(np.asarray(queries[number], dtype=np.float32)) for number in asked]
        order = np.argsort(documents, kind="stable")
        sizes = self._bounds[documents[order] + 1] - self._bounds[documents[order]]
        order, sizes = order[sizes > 0], sizes[sizes > 0]

        def score(run: slice) -> None:
            block = Block(self._bounds[documents[order[run]]], sizes[run])
            first = np.cumsum(block.sizes) - block.sizes
            with self._borrowed() as products:
                read = products.read(block)
                for number, query in zip(asked, prepared, strict=True):
                    best = np.maximum.reduceat(products.multiply(read, query), first, axis=0)
                    out[number, order[run]] = best[:, : len(queries[number])].mean(axis=1, dtype=np.float64)

        each_alone(score, self._runs(sizes) if asked else (), several=self._alone)
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

    def _runs(self, sizes: Ints) -> Iterator[slice]:
        """Yield as many documents at a time as fit into a block, at least one."""
        ends = np.cumsum(sizes)
        first = 0
        while first < len(sizes):
            limit = ends[first] - sizes[first] + self._rows
            last = max(first + 1, int(np.searchsorted(ends, limit, side="right")))
            yield slice(first, last)
            first = last
