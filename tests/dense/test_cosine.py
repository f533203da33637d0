"""Exact cosine search against a full sort in float64."""

from __future__ import annotations

import dense_material
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.dense import cosine
from legalir.dense.cosine import best_cosines, pair_cosines


def permutation(n: int) -> np.ndarray:
    return np.random.default_rng(n).permutation(n).astype(np.int32)


@given(st.integers(0, 1000), st.integers(1, 60), st.integers(1, 9), st.integers(1, 70), st.integers(0, 5))
def test_the_best_are_the_head_of_a_full_sort(seed: int, n: int, d: int, k: int, m: int) -> None:
    vectors = dense_material.random_vectors(seed, n, d)
    queries = dense_material.random_vectors(seed + 1, m, d)
    order = permutation(n)
    found = list(best_cosines(vectors, order, queries, k))
    assert len(found) == m
    for query, (documents, scores) in zip(queries, found, strict=True):
        exact = pair_cosines(vectors, np.arange(n), query[None], np.zeros(n, dtype=np.int64))
        np.testing.assert_allclose(exact, vectors.astype(np.float64) @ query, atol=1e-6)
        expected = np.lexsort((order, -exact))[:k]
        assert documents.tolist() == expected.tolist()
        assert scores.tolist() == exact[expected].tolist()


@pytest.mark.parametrize("precision", ["float32", "float16"])
@pytest.mark.parametrize(("cells", "rows"), [(1, 1), (3000, 7), (8000, 7), (16_000_000, 16_384)])
def test_blocks_and_batches_change_nothing(
    monkeypatch: pytest.MonkeyPatch, precision: str, cells: int, rows: int
) -> None:
    """Products of matrices round differently with their shapes; the scores must not."""
    vectors = dense_material.random_vectors(3, 2000, 24).astype(precision)
    queries = dense_material.random_vectors(4, 17, 24)
    order = permutation(2000)
    alone = [next(iter(best_cosines(vectors, order, query[None], 20))) for query in queries]
    monkeypatch.setattr(cosine, "_CELLS", cells)
    monkeypatch.setattr(cosine, "_ROWS", rows)
    for (documents, scores), (others, their) in zip(best_cosines(vectors, order, queries, 20), alone, strict=True):
        assert documents.tolist() == others.tolist()
        assert scores.tolist() == their.tolist()


def test_equal_vectors_have_equal_scores_and_come_in_order() -> None:
    vectors = np.repeat(dense_material.random_vectors(5, 3, 100), 700, axis=0)
    order = permutation(2100)
    ((documents, scores),) = best_cosines(vectors, order, vectors[:1], 900)
    assert len(set(scores[:700].tolist())) == 1
    assert documents[:700].tolist() == np.argsort(order[:700]).tolist()
    assert (np.diff(scores) <= 0).all()


def test_no_cosine_is_above_one() -> None:
    vectors = dense_material.random_vectors(6, 500, 33)
    for (documents, scores), number in zip(
        best_cosines(vectors, permutation(500), vectors, 5), range(500), strict=True
    ):
        assert scores.max() <= 1
        assert np.array_equal(vectors[documents[0]], vectors[number])


def test_a_query_of_zeros_finds_nothing() -> None:
    vectors = dense_material.random_vectors(1, 5, 4)
    queries = np.stack([np.zeros(4, dtype=np.float32), vectors[2]])
    nothing, something = best_cosines(vectors, permutation(5), queries, 2)
    assert [len(part) for part in nothing] == [0, 0]
    assert len(something[0]) == 2


def test_no_documents_and_no_dimensions() -> None:
    for shape in ((0, 4), (0, 0), (3, 0)):
        vectors = np.zeros(shape, dtype=np.float32)
        queries = np.ones((2, shape[1]), dtype=np.float32)
        for documents, scores in best_cosines(vectors, permutation(shape[0]), queries, 3):
            assert len(documents) == len(scores) == 0
