"""What is measured of token weights, on a case worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from legalir.m3.arithmetic import Representations
from legalir.train.batches import Gold
from legalir.train.finetune.measure import sparse_ndcg


def weighted(rows: list[dict[int, float]]) -> Representations:
    return Representations(
        dense=np.zeros((len(rows), 2), np.float32),
        bounds=np.cumsum([0, *map(len, rows)]).astype(np.int64),
        tokens=np.array([token for row in rows for token in sorted(row)], dtype=np.int32),
        weights=np.array([row[token] for row in rows for token in sorted(row)], dtype=np.float32),
        vector_bounds=np.zeros(len(rows) + 1, np.int64),
        vectors=None,
        truncated=np.zeros(len(rows), dtype=bool),
    )


def test_token_weights() -> None:
    documents = weighted([{5: 1.0}, {5: 2.0, 9: 1.0}, {}, {9: 1.0}])
    queries = weighted([{5: 1.0, 9: 0.5}, {9: 1.0}, {7: 1.0}, {}])
    # q0 ranks 1 (2.5), 0 (1.0), 3 (0.5); right are 0 and 2, which shares no token and is not found.
    # q1 ranks 1 and 3 alike, so by number; right is 3. q2 and q3 find nothing.
    gold = Gold(np.array([0, 2, 3, 4, 5]), np.array([0, 2, 3, 0, 1]))
    second = 1 / math.log2(3)
    expected = (second / (1 + second) + second + 0 + 0) / 4
    assert sparse_ndcg(queries, documents, gold) == pytest.approx(expected)
