"""Sums over postings, against plain numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from legalir.lexical.retriever import ScoredPostings


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
