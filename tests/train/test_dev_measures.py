"""Measures on dev queries beside ``ir_measures``."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from ir_measures import Qrel, R, ScoredDoc, nDCG

import legalir
from legalir.storage.arrays import unit_rows
from legalir.train.material import Gold, dev_measures


def test_the_same_as_ir_measures() -> None:
    rng = np.random.default_rng(1)
    documents, queries = (unit_rows(rng.normal(size=(n, 6))) for n in (80, 30))
    queries[0] = 0
    gold = [np.sort(rng.permutation(80)[: rng.integers(1, 15)]) for _ in range(30)]
    flat = Gold(np.cumsum([0, *map(len, gold)]), np.concatenate(gold))
    qrels = [Qrel(str(q), str(d), 1) for q, right in enumerate(gold) for d in right]
    run = [ScoredDoc(str(q), str(d), float(queries[q] @ documents[d])) for q in range(1, 30) for d in range(80)]
    expected = ir_measures.calc_aggregate([R @ 10, nDCG @ 10, legalir.MultiHitRate @ 10], qrels, run)
    found = dev_measures(queries, documents, flat)
    assert found == {str(measure): pytest.approx(value) for measure, value in expected.items()}
    assert 0 < found["R@10"] < 1


def test_worked_values() -> None:
    documents = np.eye(12, dtype=np.float32)
    queries = unit_rows(np.arange(12, 0, -1, dtype=np.float32)[None])  # Document 0 first, 11 last.
    found = dev_measures(queries, documents, Gold(np.array([0, 2]), np.array([1, 11])))
    # One of two, at rank 2.
    assert found == {
        "R@10": 0.5,
        "nDCG@10": pytest.approx((1 / np.log2(3)) / (1 + 1 / np.log2(3))),
        "MultiHitRate@10": 0.0,
    }
