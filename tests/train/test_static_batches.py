"""Batches against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.dense.hashed_ngrams import Features
from legalir.train.material import Gold, epoch_order, pairs_of
from legalir.train.static_network import Batcher, rows_matrix

GOLD = Gold(np.array([0, 2, 3, 5]), np.array([4, 0, 2, 4, 1]))
"""Of query 0: 4 and 0; of 1: 2; of 2: 4 and 1."""


def test_pairs() -> None:
    assert pairs_of(GOLD).tolist() == [[0, 4], [0, 0], [1, 2], [2, 4], [2, 1]]


def test_what_is_right_for_a_query_is_no_negative_of_it() -> None:
    batcher = Batcher(GOLD, 6)
    for _ in range(2):  # Nothing of a batch is left for the next.
        batch = batcher.batch(np.array([[0, 4], [1, 2], [2, 1]]), np.array([0, 5, 5]))
        assert batch.documents.tolist() == [0, 1, 2, 4, 5]
        assert batch.target.tolist() == [3, 2, 1]
        # Of query 0: 0 is right, too; of 2: 4.
        assert np.argwhere(batch.masked).tolist() == [[0, 0], [2, 3]]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 9))
def test_each_pair_comes_once_in_an_epoch(sizes: list[int], seed: int) -> None:
    order = epoch_order(sizes, None, np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(sum(sizes)))


@given(st.integers(1, 50), st.integers(1, 50), st.floats(0.05, 20), st.integers(0, 9))
def test_every_stretch_has_the_sources_in_proportion(one: int, two: int, weight: float, seed: int) -> None:
    order = epoch_order([one, two], [weight, 1], np.random.default_rng(seed))
    assert len(order) == one + two
    first = np.cumsum(order < one)
    share = first[-1] / len(order)
    assert abs(share - weight / (weight + 1)) <= 0.5 / len(order) + 1e-9
    # The i-th of n stands between (i-1)/n and i/n of the epoch, and so do those of the other source.
    assert np.all(np.abs(first - share * np.arange(1, len(order) + 1)) <= 2)


def test_a_source_that_gives_more_than_it_has_begins_again() -> None:
    order = epoch_order([2, 10], [5, 1], np.random.default_rng(1))
    assert np.bincount(order, minlength=12)[:2].tolist() == [5, 5]
    assert np.bincount(order, minlength=12)[2:].max() == 1


@pytest.mark.parametrize("weights", [None, [3.0, 1.0, 1.0]])
def test_a_source_without_pairs_has_no_share(weights: list[float] | None) -> None:
    order = epoch_order([0, 4, 6], weights, np.random.default_rng(1))
    assert len(order) == 10
    assert 4 <= np.count_nonzero(order < 4) <= 5


def test_the_order_is_another_in_every_epoch() -> None:
    assert (
        epoch_order([50], None, np.random.default_rng(1)).tolist()
        != epoch_order([50], None, np.random.default_rng(2)).tolist()
    )


def test_rows_of_chosen_texts() -> None:
    features = Features(np.array([0, 2, 2, 3]), np.array([1, 3, 0], np.int32), np.array([1, 4, 2], np.float32))
    other = Features(np.array([0, 1]), np.array([2], np.int32), np.array([7], np.float32))
    matrix = rows_matrix([(features, np.array([2, 1, 0, 0])), (other, np.array([0]))], 4)
    assert matrix.toarray().tolist() == [[2, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 4], [0, 1, 0, 4], [0, 0, 7, 0]]
    assert matrix.dtype == np.float32


def test_gold_of_each_query() -> None:
    rows = [np.array([3, 4]), np.array([], np.int64), np.array([5])]
    assert [Gold.joined(rows).of(query).tolist() for query in range(3)] == [[3, 4], [], [5]]
    assert len(Gold.joined([]).documents) == 0
