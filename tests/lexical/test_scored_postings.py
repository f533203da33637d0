"""Sums over postings, against plain numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from legalir.lexical.postings import ScoredPostings
from legalir.lexical.weights import Weigher, all_weights, bm25_norm, bm25_weigher, lucene_idf


def postings(random: np.random.Generator, terms: int, documents: int) -> tuple[np.ndarray, ...]:
    """Return a random term-document matrix of frequencies, and its postings."""
    matrix = random.poisson(0.3, size=(terms, documents)) * random.integers(1, 5, size=(terms, documents))
    rows, columns = np.nonzero(matrix)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=terms)))).astype(np.int64)
    return matrix, indptr, columns.astype(np.int32), matrix[rows, columns].astype(np.uint8)


def weigher(matrix: np.ndarray, indptr: np.ndarray, documents: np.ndarray, frequencies: np.ndarray) -> Weigher:
    lengths = matrix.sum(axis=0).astype(np.int32)
    idf = lucene_idf(len(lengths), np.diff(indptr))
    return bm25_weigher(indptr, documents, frequencies, bm25_norm(lengths, 1.5, 0.75), idf.__getitem__)


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


@given(st.integers(0, 2**32), st.lists(st.lists(st.integers(0, 39), max_size=6), max_size=12))
def test_weights_computed_by_term_are_those_of_all(seed: int, queries: list[list[int]]) -> None:
    random = np.random.default_rng(seed)
    matrix, indptr, documents, frequencies = postings(random, 40, 30)
    weigh = weigher(matrix, indptr, documents, frequencies)
    expected = all_weights(indptr, weigh)
    lazy, whole = (ScoredPostings(indptr, documents, weights, 30) for weights in (weigh, expected))
    for terms in (np.array(query, dtype=np.int64) for query in queries):
        factors = random.random(len(terms)).astype(np.float32)
        np.testing.assert_array_equal(lazy.scores(terms, factors), whole.scores(terms, factors))
    np.testing.assert_array_equal(lazy.weights, expected)


def test_few_terms_weigh_few_postings() -> None:
    matrix, indptr, documents, frequencies = postings(np.random.default_rng(5), 40, 30)
    weigh = weigher(matrix, indptr, documents, frequencies)
    weighed: list[int] = []

    def counted(terms: slice | np.ndarray, rows: slice | np.ndarray) -> np.ndarray:
        weights = weigh(terms, rows)
        weighed.append(len(weights))
        return weights

    scored = ScoredPostings(indptr, documents, counted, 30)
    ones = np.ones(2, dtype=np.float32)
    for _ in range(2):
        scored.scores(np.array([3, 4]), ones)
    assert weighed == [indptr[5] - indptr[3]]
    for term in range(0, 40, 2):
        scored.scores(np.array([term, term + 1]), ones)
    assert sum(weighed) < 1.5 * len(documents)
    assert weighed[-1] == len(documents)
