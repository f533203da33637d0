"""Weights of postings, against plain numpy on whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

from legalir.lexical import weights
from legalir.lexical.weights import all_weights, bm25_norm, bm25_weigher, lucene_idf, tfidf_weights


def postings(random: np.random.Generator, terms: int, documents: int) -> tuple[np.ndarray, ...]:
    """Return a random term-document matrix of frequencies, and its postings."""
    matrix = random.poisson(0.3, size=(terms, documents)) * random.integers(1, 5, size=(terms, documents))
    rows, columns = np.nonzero(matrix)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=terms)))).astype(np.int64)
    return matrix, indptr, columns.astype(np.int32), matrix[rows, columns].astype(np.uint8)


@pytest.mark.parametrize("block", [1, 7, 2_000_000])
def test_weights_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    random = np.random.default_rng(3)
    matrix, indptr, documents, frequencies = postings(random, 40, 30)
    lengths = matrix.sum(axis=0).astype(np.int32)
    idf = random.random(40)
    monkeypatch.setattr(weights, "_BLOCK", block)
    raw = np.where(matrix > 0, (1 + np.log(np.maximum(matrix, 1))) * idf[:, None], 0)
    cosine = raw / np.sqrt((raw**2).sum(axis=0))
    found = tfidf_weights(indptr, documents, frequencies, lengths, idf)
    np.testing.assert_allclose(found, cosine[np.nonzero(matrix)], rtol=1e-6)
    df = (matrix > 0).sum(axis=1)
    plain_norm = 1.5 * (0.25 + 0.75 * lengths / lengths.mean())
    expected = np.log(1 + (30 - df + 0.5) / (df + 0.5))[:, None] * (matrix / (matrix + plain_norm))
    norm = bm25_norm(lengths, 1.5, 0.75)
    found = all_weights(indptr, bm25_weigher(indptr, documents, frequencies, norm, lucene_idf(30, df).__getitem__))
    np.testing.assert_allclose(found, expected[np.nonzero(matrix)], rtol=1e-6)


def test_weights_of_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int32)
    indptr = np.zeros(1, dtype=np.int64)
    frequencies = np.zeros(0, dtype=np.uint8)
    lengths = np.zeros(3, dtype=np.int32)
    for some in (nothing, lengths):  # Documents without a single term divide by no zero.
        norm = bm25_norm(some, 0.9, 0.4)
        assert len(all_weights(indptr, bm25_weigher(indptr, nothing, frequencies, norm, np.zeros(0).__getitem__))) == 0
    assert len(tfidf_weights(indptr, nothing, frequencies, lengths, np.zeros(0))) == 0
