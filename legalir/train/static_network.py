"""The parameters of a static model, a vector and a weight for each row; a batch, its loss, and how a step changes them.

The loss is InfoNCE [infonce]: choose the right provision among the provisions of the batch. Adam [adam] on the rows
that a step touched, in place; the same as ``torch.optim.SparseAdam``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from legalir.dense.hashed_ngrams import Features
from legalir.extras import require
from legalir.storage.arrays import unit_rows
from legalir.train.material import Gold

if TYPE_CHECKING:
    from torch import Tensor

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


def ranges(start: Integers, size: Integers) -> Integers:
    """Return ``start[i], …, start[i] + size[i] - 1`` for each i, one after another."""
    ends = np.cumsum(size)
    return np.repeat(start - (ends - size), size) + np.arange(ends[-1] if len(ends) else 0)


def rows_matrix(parts: Sequence[tuple[Features, Integers]], rows: int) -> sp.csr_matrix:
    """Return chosen texts of several features as one matrix, float32 [texts, rows]."""
    sizes, columns, values = [np.zeros(1, np.int64)], [], []
    for features, chosen in parts:
        size = np.diff(features.indptr)[chosen]
        at = ranges(features.indptr[chosen], size)
        sizes.append(size)
        columns.append(features.rows[at])
        values.append(features.counts[at])
    indptr = np.cumsum(np.concatenate(sizes)).astype(np.int32)
    return sp.csr_matrix(
        (np.concatenate(values), np.concatenate(columns), indptr), shape=(len(indptr) - 1, rows), copy=False
    )


_SPREAD = 0.1
"""Standard deviation of the first vectors."""

_ROWS = 512
"""Rows that are updated at a time: 256 dimensions of them, their moments and their gradient fit into a core's cache."""

_SUMS, _TEXTS = 64, 2048
"""Texts that a thread adds up at a time: of a step, and of a whole collection."""

_FIRST, _SECOND, _EPSILON = 0.9, 0.999, 1e-8


class LazyAdam:
    """Adam on one table; rows without a gradient do not change, nor do their moments.

    Steps are counted for the table and not for the row, as ``SparseAdam`` counts them. ``SparseAdam`` takes a sparse
    gradient of the whole table and makes several copies of it; here the caller gives some rows at a time, few enough
    for the cache of a processor, which takes a sixth of the time.

    Args:
        table: float32 [rows, …], changed in place.
    """

    def __init__(self, table: Floats) -> None:
        self.table = table
        self.first: Floats = np.zeros_like(table)
        self.second: Floats = np.zeros_like(table)

    def update(self, rows: npt.NDArray[np.int64], gradient: Floats, rate: float, step: int) -> None:
        """Move some rows against their gradient; threads may update different rows at once.

        Args:
            rows: row numbers, int64 [u] without repetition.
            gradient: [u, …]; overwritten.
            rate: learning rate.
            step: number of the step, from 1.
        """
        first, second, table = self.first.take(rows, 0), self.second.take(rows, 0), self.table.take(rows, 0)
        first *= np.float32(_FIRST)
        first += gradient * np.float32(1 - _FIRST)
        self.first[rows] = first
        gradient *= gradient
        gradient *= np.float32(1 - _SECOND)
        second *= np.float32(_SECOND)
        second += gradient
        self.second[rows] = second
        np.sqrt(second, out=second)
        second += np.float32(_EPSILON)
        first /= second
        first *= np.float32(rate * math.sqrt(1 - _SECOND**step) / (1 - _FIRST**step))
        table -= first
        self.table[rows] = table


def relative_idf(documents: Features, rows: int) -> Floats:
    """Return the idf of each row, ``ln(1 + (N - df + 0.5) / (df + 0.5))``, as a share of the mean; [rows]."""
    df = np.bincount(documents.rows, minlength=rows)
    count = len(documents.indptr) - 1
    idf = np.log(1 + (count - df + 0.5) / (df + 0.5))
    return np.asarray(idf / idf.mean(), dtype=np.float32)


class Network:
    """Vectors E [rows, d] and weights w [rows]: a text with term frequencies x is ``Σ_r x_r·w_r·E_r``.

    The sparse products and their gradients are written out: torch takes ten times as long for them. Each number is
    computed by one thread in one order, so that it does not depend on the number of threads.

    Args:
        weights: w at the start, float32 [rows].
        dim: d.
        rng: random numbers for the first vectors, which are normal.
        pool: threads that share the work of a step.
    """

    def __init__(self, weights: Floats, dim: int, rng: np.random.Generator, pool: Executor) -> None:
        vectors = rng.standard_normal((len(weights), dim), dtype=np.float32)
        vectors *= np.float32(_SPREAD)
        self.vectors = LazyAdam(vectors)
        self.weights = LazyAdam(weights.copy())
        self._pool = pool

    def sums(self, matrix: sp.csr_matrix) -> Floats:
        """Return the sums of the vectors of texts with term frequencies `matrix` [n, rows]; [n, d]."""
        out = np.empty((matrix.shape[0], self.vectors.table.shape[1]), dtype=np.float32)

        def fill(first: int) -> None:
            part = matrix[first : first + _SUMS]
            part.data = part.data * self.weights.table[part.indices]  # The slice shares its data with the whole.
            out[first : first + _SUMS] = part @ self.vectors.table

        for _ in self._pool.map(fill, range(0, len(out), _SUMS)):
            pass
        return out

    def learn(self, matrix: sp.csr_matrix, gradient: Floats, rate: float, step: int) -> None:
        """Move vectors and weights against the gradient of the loss with respect to :meth:`sums`, [n, d]."""

        def move(touched: tuple[Integers, sp.csr_matrix]) -> None:
            rows, part = touched
            # The gradient with respect to w_r·E_r, from which the gradients of w and E follow.
            product = part @ gradient
            of_weights = np.einsum("ij,ij->i", product, self.vectors.table.take(rows, 0))
            product *= self.weights.table[rows][:, None]
            self.vectors.update(rows, product, rate, step)
            self.weights.update(rows, of_weights, rate, step)

        for _ in self._pool.map(move, _touched(matrix)):
            pass

    def table(self) -> Floats:
        """Return w·E as it is stored: rounded to float16, in float32 [rows, d]."""
        with np.errstate(over="ignore"):  # A number that overflows is not finite, which the training checks.
            half = (self.vectors.table * self.weights.table[:, None]).astype(np.float16)
        return half.astype(np.float32)

    def state(self) -> dict[str, Floats]:
        """Return the arrays needed to resume a training, by name."""
        return {
            f"{name}.{kind}": getattr(part, kind)
            for name, part in (("vectors", self.vectors), ("weights", self.weights))
            for kind in ("table", "first", "second")
        }

    def restore(self, state: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Go on from a :meth:`state`."""
        for name, array in self.state().items():
            array[:] = state[name]


def _touched(matrix: sp.csr_matrix) -> Iterator[tuple[Integers, sp.csr_matrix]]:
    """Yield the rows of the table that occur, some at a time, with the columns of `matrix` for them, transposed."""
    occurs = np.zeros(matrix.shape[1], dtype=np.bool_)
    occurs[matrix.indices] = True
    rows = np.flatnonzero(occurs)
    place = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
    narrow = sp.csr_matrix((matrix.data, place[matrix.indices], matrix.indptr), shape=(matrix.shape[0], len(rows)))
    across = narrow.T.tocsr()
    for first in range(0, len(rows), _ROWS):
        yield rows[first : first + _ROWS], across[first : first + _ROWS]


def encode(features: Features, table: Floats, pool: Executor) -> Floats:
    """Return the vectors of texts, rows of length 1 or 0, float32 [n, d]."""
    out = np.empty((len(features.indptr) - 1, table.shape[1]), dtype=np.float32)

    def fill(first: int) -> None:
        chosen = np.arange(first, min(first + _TEXTS, len(out)))
        out[chosen] = unit_rows(rows_matrix([(features, chosen)], len(table)) @ table)

    for _ in pool.map(fill, range(0, len(out), _TEXTS)):
        pass
    return out


_NEVER = -1e4
"""Instead of minus infinity, which would give NaN if all else is masked."""


class TrainingBatch(NamedTuple):
    """b pairs and the n different provisions that each of their queries chooses from.

    Attributes:
        queries: query numbers, int64 [b].
        documents: document numbers, ascending, int64 [n].
        target: place of each query's own provision in `documents`, int64 [b].
        masked: whether a provision is right or near, too, and so not a negative of the query; bool [b, n].
    """

    queries: Integers
    documents: Integers
    target: Integers
    masked: npt.NDArray[np.bool_]


class Batcher:
    """Maker of batches of pairs.

    Args:
        spared: provisions that are never negatives of a query.
        documents: N, number of provisions.
    """

    def __init__(self, spared: Gold, documents: int) -> None:
        self._spared = spared
        self._place = np.full(documents, -1, dtype=np.int64)

    def batch(self, pairs: Integers, negatives: Integers) -> TrainingBatch:
        """Return the batch of `pairs` [b, 2] and of further documents, `negatives` [k]."""
        queries = pairs[:, 0]
        documents = np.unique(np.concatenate((pairs[:, 1], negatives)))
        self._place[documents] = np.arange(len(documents))
        target = self._place[pairs[:, 1]]
        start, size = self._spared.indptr[queries], np.diff(self._spared.indptr)[queries]
        row = np.repeat(np.arange(len(queries)), size)
        column = self._place[self._spared.documents[ranges(start, size)]]
        masked = np.zeros((len(queries), len(documents)), dtype=np.bool_)
        masked[row[column >= 0], column[column >= 0]] = True
        masked[np.arange(len(queries)), target] = False
        self._place[documents] = -1
        return TrainingBatch(queries, documents, target, masked)


def info_nce(sums: Tensor, batch: TrainingBatch, temperature: float) -> Tensor:
    """Return the mean of ``-ln(exp(c_t/T) / Σ_j exp(c_j/T))``, c_j the cosine of a query and provision j.

    The sum is over all provisions of the batch except masked ones, which may be right as well as t.

    Args:
        sums: sums of the vectors of each text, queries first, then provisions, float [b + n, d]; of any length.
        batch: of b pairs and n provisions.
        temperature: T.
    """
    torch = require("torch", extra="dense")
    vectors = torch.nn.functional.normalize(sums, dim=1)
    size = len(batch.queries)
    logits = vectors[:size] @ vectors[size:].T / temperature
    logits = logits.masked_fill(torch.from_numpy(batch.masked), _NEVER)
    loss: Tensor = torch.nn.functional.cross_entropy(logits, torch.from_numpy(batch.target))
    return loss


def loss_and_gradient(
    sums: npt.NDArray[np.float32], batch: TrainingBatch, temperature: float
) -> tuple[float, npt.NDArray[np.float32]]:
    """Return the loss, and its gradient with respect to `sums`, [b + n, d]."""
    torch = require("torch", extra="dense")
    leaf = torch.from_numpy(sums).requires_grad_()
    loss = info_nce(leaf, batch, temperature)
    loss.backward()
    return float(loss.detach()), leaf.grad.numpy()
