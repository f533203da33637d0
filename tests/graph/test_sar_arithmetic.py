"""Arithmetic of SAR by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from legalir.graph.sar import add_up, boosted, lifted, paths, penalty
from legalir.storage.csr import adjacency, reverse


def test_penalties() -> None:
    degree = np.array([0, 1, 2, 9])
    assert penalty(degree, "paper").tolist() == pytest.approx([0, math.log(2), math.log(3), math.log(10)])
    assert penalty(degree, "one").tolist() == pytest.approx([1, 1, math.log(3), math.log(10)])


def test_paths_and_their_sums() -> None:
    # 0 → 2, 3 and 1 → 2; both are seeds of query 1, and 0 is one of query 0.
    source, target = np.array([0, 0, 1]), np.array([2, 3, 2])
    links = adjacency(4, source, target, np.zeros(3, dtype=np.uint8))
    found = paths(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0.5, 0.8, 0.6]), links, reverse(links), "paper")
    assert found.seed.tolist() == [0, 0, 1, 1, 2]
    assert found.key.tolist() == [2, 3, 6, 7, 6]
    to_2, to_3 = math.log(3) * math.log(3), math.log(3) * math.log(2)
    share = [0.5 / to_2, 0.5 / to_3, 0.8 / to_2, 0.8 / to_3, 0.6 / (math.log(2) * math.log(3))]
    assert found.share.tolist() == pytest.approx(share)
    key, bonus = add_up(found)
    assert key.tolist() == [2, 3, 6, 7]
    assert bonus.tolist() == pytest.approx([share[0], share[1], share[2] + share[4], share[3]])


def test_no_paths() -> None:
    links = adjacency(2, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8))
    key, bonus = add_up(paths(np.array([0]), np.array([1]), np.array([0.5]), links, links, "paper"))
    assert (len(key), len(bonus), bonus.dtype) == (0, 0, np.float64)


def test_boosts() -> None:
    assert boosted(np.array([0.4, 1.0, 0.0]), np.array([1.5, 9.0, 2.0]), 0.3).tolist() == pytest.approx(
        [0.67, 1.0, 0.6]
    )


def test_lifts_raise_the_lowest_frozen_above_the_highest_other() -> None:
    query = np.array([0, 0, 0, 1, 1, 2, 3])
    frozen = np.array([True, True, False, True, False, True, False])
    score = np.array([0.5, 0.25, 0.75, 0.9, 0.1, 0.3, 0.4])
    found = lifted(query, frozen, score, 4)
    assert found.tolist() == pytest.approx([0.5 + 1e-9, 0, 0, 0])
    assert lifted(np.array([0, 0]), np.array([True, False]), np.array([0.5, 0.5]), 1).tolist() == [1e-9]
