"""Truncated SVD of postings against numpy's full one."""

from __future__ import annotations

import numpy as np
import pytest

from legalir.dense import lsa
from legalir.dense.lsa import postings_matrix, right_singular_vectors


def sparse(dense: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Return a matrix [n, V] as postings."""
    term, document = np.nonzero(dense.T)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(term, minlength=dense.shape[1])))).astype(np.int64)
    return indptr, document.astype(np.int32), dense[document, term].astype(np.float32), len(dense)


def low_rank(seed: int, n: int, terms: int, rank: int) -> np.ndarray:
    """Return a matrix whose singular values fall by a half each."""
    random = np.random.default_rng(seed)
    left = np.linalg.qr(random.standard_normal((n, rank)))[0]
    right = np.linalg.qr(random.standard_normal((terms, rank)))[0]
    return left * (10 / 2.0 ** np.arange(rank)) @ right.T


def test_the_postings_are_the_matrix() -> None:
    dense = np.random.default_rng(0).poisson(0.4, (7, 11)).astype(np.float32)
    assert np.array_equal(postings_matrix(*sparse(dense)).toarray(), dense)


@pytest.mark.parametrize(("n", "terms"), [(40, 25), (25, 60)])
def test_the_vectors_are_those_of_a_full_decomposition(n: int, terms: int) -> None:
    dense = low_rank(1, n, terms, 9)
    found = right_singular_vectors(postings_matrix(*sparse(dense)), 5)
    expected = np.linalg.svd(dense)[2][:5].T
    assert found.shape == (terms, 5)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.abs((found * expected).sum(axis=0)), 1, atol=1e-4)
    np.testing.assert_allclose(found.T @ found, np.eye(5), atol=1e-4)


def test_signs_are_fixed_and_all_is_repeatable() -> None:
    matrix = postings_matrix(*sparse(low_rank(2, 30, 20, 6)))
    first, again = (right_singular_vectors(matrix, 4) for _ in range(2))
    assert np.array_equal(first, again)
    assert (first[np.abs(first).argmax(axis=0), np.arange(4)] > 0).all()


def test_there_are_no_more_dimensions_than_the_rank() -> None:
    """Directions beyond the rank would be noise, and queries would be projected on it."""
    assert right_singular_vectors(postings_matrix(*sparse(low_rank(3, 30, 20, 3))), 10).shape == (20, 3)
    assert right_singular_vectors(postings_matrix(*sparse(np.ones((5, 8)))), 256).shape == (8, 1)
    assert right_singular_vectors(postings_matrix(*sparse(np.eye(6))), 256).shape == (6, 6)


@pytest.mark.parametrize(("n", "terms"), [(400, 700), (700, 400)])
def test_the_directions_are_those_of_truncated_svd(n: int, terms: int) -> None:
    """The random start and the number of iterations are the same, so few iterations leave the same error."""
    from sklearn.decomposition import TruncatedSVD

    random = np.random.default_rng(4)
    matrix = postings_matrix(*sparse(random.poisson(0.05, (n, terms)) * random.random(terms)))
    found = right_singular_vectors(matrix, 20)
    theirs = TruncatedSVD(20, random_state=0).fit(matrix).components_.T
    exact = np.linalg.svd(matrix.toarray())[2][:20].T
    np.testing.assert_allclose(np.abs((found * theirs).sum(axis=0)), 1, atol=1e-3)
    assert shared(found, exact) < 0.9, "iterations that find the exact directions would not tell one start from another"


def shared(left: np.ndarray, right: np.ndarray) -> float:
    """Return the mean squared cosine between the subspaces of orthonormal columns."""
    return float((left.T @ right).astype(np.float64).ravel() @ (left.T @ right).ravel()) / left.shape[1]


def test_processors_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    matrix = postings_matrix(*sparse(random.poisson(0.1, (90, 120))))
    monkeypatch.setattr(lsa, "processor_count", lambda: 1)
    alone = right_singular_vectors(matrix, 40)
    monkeypatch.setattr(lsa, "processor_count", lambda: 3)
    assert np.array_equal(right_singular_vectors(matrix, 40), alone)
    monkeypatch.setattr(lsa, "_BLOCK_ROWS", 16)
    monkeypatch.setattr(lsa, "_BLOCK_COLUMNS", 7)
    np.testing.assert_allclose(right_singular_vectors(matrix, 40), alone, atol=1e-4)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (3, 4)])
def test_nothing_has_no_dimensions(shape: tuple[int, int]) -> None:
    assert right_singular_vectors(postings_matrix(*sparse(np.zeros(shape))), 4).shape == (shape[1], 0)
