"""Sums over postings and the best k, against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.frames.top import top_k
from legalir.lexical.retriever import ScoredPostings


def full_sort(scores: np.ndarray, order: np.ndarray, k: int) -> list[int]:
    return [int(i) for i in np.lexsort((order, -scores)) if scores[i] > 0][:k]


@given(
    st.lists(st.integers(0, 6), max_size=80),
    st.integers(1, 100),
    st.randoms(use_true_random=False),
)
def test_top_k_is_the_head_of_a_full_sort(values: list[int], k: int, random: object) -> None:
    scores = np.array(values, dtype=np.float32) / 4
    order = np.arange(len(values), dtype=np.int32)
    random.shuffle(order)  # type: ignore[attr-defined]
    assert top_k(scores, order, k).tolist() == full_sort(scores, order, k)


@pytest.mark.parametrize("k", [1, 2, 10, 99, 100, 1000, 4999, 5000, 20_000])
@pytest.mark.parametrize("kind", ["distinct", "ties", "sparse", "zero", "equal", "ascending", "huge"])
def test_top_k_of_many_documents(kind: str, k: int) -> None:
    random = np.random.default_rng(k)
    n = 5000
    scores = {
        "distinct": random.random(n),
        "ties": random.integers(0, 5, n),
        "sparse": np.where(random.random(n) < 0.01, random.random(n), 0),
        "zero": np.zeros(n),
        "equal": np.ones(n),
        "ascending": np.arange(n),
        "huge": random.random(n) * 1e38,
    }[kind].astype(np.float32)
    order = random.permutation(n).astype(np.int32)
    assert top_k(scores, order, k).tolist() == full_sort(scores, order, k)


def postings(random: np.random.Generator, terms: int, documents: int) -> tuple[np.ndarray, ...]:
    """Return a random term-document matrix of frequencies, and its postings."""
    matrix = random.poisson(0.3, size=(terms, documents)) * random.integers(1, 5, size=(terms, documents))
    rows, columns = np.nonzero(matrix)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=terms)))).astype(np.int64)
    return matrix, indptr, columns.astype(np.int32), matrix[rows, columns].astype(np.uint8)


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12), st.data())
def test_scores_are_a_product_with_the_matrix(seed: int, terms: int, documents: int, data: st.DataObject) -> None:
    random = np.random.default_rng(seed)
    matrix, indptr, numbers, frequencies = postings(random, terms, documents)
    chosen = data.draw(st.lists(st.integers(0, terms - 1), unique=True))
    query = random.random(len(chosen)).astype(np.float32)
    scored = ScoredPostings(indptr, numbers, frequencies.astype(np.float32), documents)
    found = scored.scores(np.array(chosen, dtype=np.int64), query)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, query @ matrix[chosen], rtol=1e-5)
