"""Truncated singular value decomposition of weighted postings.

n documents, V terms, d dimensions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csc_array

__all__ = ["postings_matrix", "right_singular_vectors"]

_ITERATIONS = 5
_SEED = 0
_NOISE = 1e-5
"""Singular values below this share of the first are rounding errors of float32."""


def postings_matrix(
    indptr: npt.NDArray[np.int64], documents: npt.NDArray[np.int32], weights: npt.NDArray[np.float32], n: int
) -> csc_array:
    """Return weighted postings as a matrix [n, V] that shares their memory."""
    from scipy.sparse import csc_array

    matrix = csc_array((n, len(indptr) - 1), dtype=np.float32)
    # Set one by one: the constructor would copy a memory map.
    matrix.indptr, matrix.indices, matrix.data = indptr.astype(np.int32), documents, weights
    return matrix


def right_singular_vectors(matrix: csc_array, dimensions: int) -> npt.NDArray[np.float32]:
    """Return the right singular vectors of the greatest singular values; [V, d], columns of length 1.

    Randomised subspace iteration (Halko, Martinsson, Tropp 2011) with a fixed seed, as scikit-learn's TruncatedSVD
    does it by default. A vector's sign is free: here its component of greatest magnitude is positive.

    Args:
        matrix: float32 [n, V].
        dimensions: at least 1; d is less where the matrix has a lower rank.
    """
    if not min(matrix.shape) or not matrix.nnz:
        return np.zeros((matrix.shape[1], 0), dtype=np.float32)
    from sklearn.utils.extmath import randomized_svd

    rank = min(dimensions, *matrix.shape)
    _, values, rows = randomized_svd(matrix, rank, n_iter=_ITERATIONS, random_state=_SEED, flip_sign=False)
    rows = rows[values > _NOISE * values[0]]
    largest = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    signed: npt.NDArray[np.float32] = np.ascontiguousarray((rows * np.sign(largest)[:, None]).T, dtype=np.float32)
    return signed
