"""The arithmetic of Rocchio against values worked out by hand and plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.dense.rocchio import moved_terms, moved_vector
from legalir.lexical import postings as arithmetic
from legalir.lexical.postings import rows_of_postings


def test_a_vector_worked_out_by_hand() -> None:
    """q = (1, 0), documents (0.6, 0.8) and (0, 1), of mean (0.3, 0.9): .3·q + .7·mean = (0.51, 0.63).

    Its length is √(0.2601 + 0.3969) = 0.810555, so q' = (0.629198, 0.777245).
    """
    moved = moved_vector(np.array([1, 0], dtype=np.float32), np.array([[0.6, 0.8], [0, 1]]), 0.3, 0.7)
    np.testing.assert_allclose(moved, [0.629198, 0.777245], rtol=1e-5)


def test_the_ends_of_the_scale() -> None:
    query = np.array([0.6, 0.8], dtype=np.float32)
    feedback = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(moved_vector(query, feedback, 1, 0), query, rtol=1e-6)
    np.testing.assert_allclose(moved_vector(query, feedback, 0, 1), [np.sqrt(0.5)] * 2, rtol=1e-6)
    assert moved_vector(query, -query[None], 1, 1).tolist() == [0, 0]
    assert moved_vector(np.zeros(2, dtype=np.float32), np.zeros((1, 2)), 1, 1).tolist() == [0, 0]


def test_terms_worked_out_by_hand() -> None:
    """q = {1: 3, 2: 4} of length 5; f = {2: .8, 3: .6, 4: .1}; α = .5, β = .5, one term added.

    α·q + β·5·f = {1: 1.5, 2: 2 + 2, 3: 1.5}; its length is √(2.25 + 16 + 2.25) = 4.527693; times 5/4.527693:
    {1: 1.656473, 2: 4.417261, 3: 1.656473}.
    """
    moved = moved_terms({1: 3, 2: 4}, {2: 0.8, 3: 0.6, 4: 0.1}, 0.5, 0.5, 1)
    assert moved == pytest.approx({1: 1.656473, 2: 4.417261, 3: 1.656473}, rel=1e-6)


def test_equally_heavy_terms_are_added_in_their_order() -> None:
    assert set(moved_terms({}, {9: 0.5, 3: 0.5, 7: 0.5}, 0.5, 0.5, 2)) == {3, 7}
    assert moved_terms({}, {9: 0.3, 3: 0.4}, 0.5, 0.5, None) == pytest.approx({9: 0.6, 3: 0.8})
    assert moved_terms({}, {}, 0.5, 0.5, 5) == {}


weights = st.dictionaries(st.integers(0, 12), st.floats(0.01, 5), max_size=8)


@given(weights, weights, st.floats(0, 2), st.floats(0, 2), st.one_of(st.none(), st.integers(0, 9)))
def test_terms_are_the_dense_formula(
    query: dict[int, float], feedback: dict[int, float], alpha: float, beta: float, terms: int | None
) -> None:
    moved = moved_terms(query, feedback, alpha, beta, terms)
    q, f = np.zeros(13), np.zeros(13)
    q[list(query)], f[list(feedback)] = list(query.values()), list(feedback.values())
    added = sorted(set(feedback) - set(query), key=lambda term: (-f[term], term))[:terms]
    f[[term for term in range(13) if term not in query and term not in added]] = 0
    length = np.linalg.norm(q) or 1
    expected = alpha * q + beta * length * f
    expected *= length / (np.linalg.norm(expected) or 1)
    np.testing.assert_allclose([moved.get(term, 0) for term in range(13)], expected, rtol=1e-9, atol=1e-12)


@given(weights)
def test_without_feedback_the_query_stays_as_it_is(query: dict[int, float]) -> None:
    assert moved_terms(query, {1: 3.0, 99: 4.0}, 1, 0, 50) == pytest.approx(query)


@pytest.mark.parametrize("block", [1, 5, 4_000_000])
def test_rows_are_those_of_the_matrix(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(arithmetic, "_BLOCK", block)
    matrix = np.random.default_rng(4).poisson(0.5, (9, 14)).astype(np.float32)  # 9 documents, 14 terms
    matrix[3] = 0
    term, document = np.nonzero(matrix.T)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(term, minlength=14)))).astype(np.int64)
    values = matrix[document, term]
    for wanted in ([], [3], [8, 0, 3, 5], list(range(9))):
        numbers = np.array(wanted, dtype=np.int64)
        rows = rows_of_postings(indptr, document.astype(np.int32), values, numbers, 9)
        assert len(rows) == len(wanted)
        for number, (terms, found) in zip(wanted, rows, strict=True):
            assert terms.tolist() == np.flatnonzero(matrix[number]).tolist()
            assert found.tolist() == matrix[number][terms].tolist()
