"""The arithmetic of the three heads, worked out by hand and in plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_scores import dense_score, multi_score, pair_scores, sparse_score

from legalir.m3.heads import Representations, token_maxima


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def test_the_greatest_weight_of_a_token_counts() -> None:
    # Text 0: id 7 twice, 5 once, the special 0 and 2. Text 1: special ones only. Text 2: id 7, and 9 without weight.
    bounds = np.array([0, 5, 7, 9])
    ids = ints(0, 7, 5, 7, 2, 0, 2, 7, 9)
    weights = floats(9, 0.25, 0.5, 0.75, 9, 9, 9, 0.125, 0)
    found, tokens, greatest = token_maxima(bounds, ids, weights, ints(0, 1, 2, 3))
    assert found.tolist() == [0, 2, 2, 3]
    assert tokens.tolist() == [5, 7, 7]
    assert greatest.tolist() == [0.5, 0.75, 0.125]
    assert (found.dtype, tokens.dtype, greatest.dtype) == (np.int64, np.int32, np.float32)


@given(st.lists(st.lists(st.tuples(st.integers(0, 12), st.integers(-2, 6)), max_size=9), max_size=6))
def test_as_a_dictionary_has_it(texts: list[list[tuple[int, int]]]) -> None:
    bounds = np.concatenate(([0], np.cumsum([len(text) for text in texts]))).astype(np.int64)
    ids = ints(*(token for text in texts for token, _ in text))
    weights = floats(*(weight / 4 for text in texts for _, weight in text))
    found, tokens, greatest = token_maxima(bounds, ids, weights, ints(0, 3))
    for number, text in enumerate(texts):
        wanted: dict[int, float] = {}
        for token, weight in text:
            if token not in (0, 3) and weight > 0:
                wanted[token] = max(wanted.get(token, 0), weight / 4)
        row = slice(found[number], found[number + 1])
        assert tokens[row].tolist() == sorted(wanted)
        assert dict(zip(tokens[row].tolist(), greatest[row].tolist(), strict=True)) == wanted


def test_the_scores_of_a_pair() -> None:
    assert dense_score(floats(0.6, 0.8), floats(0.8, 0.6)) == pytest.approx(0.96)
    # Ids 4 and 9 are in both: 0.5 * 2 + 0.25 * 4.
    left, right = (ints(1, 4, 9), floats(8, 0.5, 0.25)), (ints(4, 5, 9), floats(2, 8, 4))
    assert sparse_score(left, right) == 2.0
    assert sparse_score(left, (ints(), floats())) == sparse_score((ints(), floats()), left) == 0.0
    # Maxima of the rows: 1 for the first vector, 0.6 for the second, -1 for the third; a third of 0.6.
    query = np.array([[1, 0], [0.6, -0.8], [-1, 0]], dtype=np.float32)
    document = np.array([[1, 0]], dtype=np.float32)
    assert multi_score(query, document) == pytest.approx((1 + 0.6 - 1) / 3)


def representations(seed: int, texts: int = 3) -> Representations:
    random = np.random.default_rng(seed)
    counts, lengths = random.integers(0, 4, texts), random.integers(1, 5, texts)
    tokens = [np.sort(random.choice(20, count, replace=False)) for count in counts]
    bounds, later = (np.concatenate(([0], np.cumsum(sizes))).astype(np.int64) for sizes in (counts, lengths))
    return Representations(
        dense=random.standard_normal((texts, 4)).astype(np.float32),
        bounds=bounds,
        tokens=np.concatenate([np.zeros(0), *tokens]).astype(np.int32),
        weights=random.random(counts.sum(), dtype=np.float32) + 0.1,
        vector_bounds=later,
        vectors=random.standard_normal((lengths.sum(), 3)).astype(np.float16),
        truncated=np.arange(texts) == 1,
    )


def test_rows_and_their_heads() -> None:
    queries, documents = representations(1), representations(2)
    found = pair_scores(queries, 1, documents, 2)
    assert list(found) == ["dense", "sparse", "multi"]
    assert found["multi"] == multi_score(queries.multi_row(1), documents.multi_row(2))
    assert found["sparse"] == sparse_score(queries.sparse_row(1), documents.sparse_row(2))
    alone = queries.row(1)
    assert (len(alone), alone.truncated.tolist()) == (1, [True])
    assert pair_scores(alone, 0, documents, 2) == found


def test_a_row_keeps_nothing_else_in_memory() -> None:
    one = representations(1).row(0)
    assert one.vectors is not None
    assert all(array.base is None for array in (one.dense, one.tokens, one.weights, one.vectors))
