"""Batches in which nothing right for a query is among what it is told from: a property, whatever the judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.extend import Gold
from legalir_finetune.anchors import Anchor, anchors, compose


def gold_of(rows: Sequence[Sequence[int]]) -> Gold:
    sizes = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return Gold(sizes, np.array([document for row in rows for document in row], dtype=np.int64))


@st.composite
def judged(draw: st.DrawFn) -> tuple[int, list[list[int]], np.ndarray]:
    """Draw a number of provisions, the right ones of each query, and its wrong ones, the best first."""
    documents = draw(st.integers(8, 30))
    right = draw(st.lists(st.sets(st.integers(0, documents - 1), min_size=1, max_size=4), min_size=2, max_size=25))
    pool = np.full((len(right), 3), -1, dtype=np.int32)
    for query, own in enumerate(right):
        wrong = [document for document in range(documents) if document not in own]
        found = draw(st.lists(st.sampled_from(wrong), max_size=3, unique=True))
        pool[query, : len(found)] = found
    return documents, [sorted(own) for own in right], pool


def told_from(batch: Sequence[Anchor], place: int) -> list[int]:
    """Return what the loss takes for negatives of an anchor: its own and all that the others brought."""
    others = [document for other, anchor in enumerate(batch) if other != place for document in anchor.documents]
    return [*batch[place].negatives, *others]


@given(judged(), st.integers(2, 6), st.integers(0, 2), st.integers(0, 99))
def test_nothing_right_is_a_negative(
    case: tuple[int, list[list[int]], np.ndarray], size: int, hard: int, seed: int
) -> None:
    documents, right, pool = case
    gold = gold_of(right)
    pairs = np.array([(query, document) for query, own in enumerate(right) for document in own])
    made = list(anchors(pairs, pool, hard, gold, documents, np.random.default_rng(seed)))
    assert [(anchor.query, anchor.positive) for anchor in made] == [tuple(pair) for pair in pairs.tolist()]
    composed = compose(made, gold, size)
    for batch in composed.batches:
        assert len(batch) == size
        for place, anchor in enumerate(batch):
            assert anchor.positive in right[anchor.query]
            assert len(set(anchor.negatives)) == hard
            assert not set(told_from(batch, place)) & set(right[anchor.query])
    # Each anchor is in one batch, or left; nothing is lost and nothing comes twice.
    placed = Counter(anchor for batch in composed.batches for anchor in batch)
    assert sum(placed.values()) + composed.left == len(made)
    assert not placed - Counter(made)
    assert composed.moved <= len(made)


@given(judged(), st.integers(0, 99))
def test_the_same_seed_makes_the_same_batches(case: tuple[int, list[list[int]], np.ndarray], seed: int) -> None:
    documents, right, pool = case
    gold = gold_of(right)
    pairs = np.array([(query, own[0]) for query, own in enumerate(right)])
    made = [compose(anchors(pairs, pool, 2, gold, documents, np.random.default_rng(seed)), gold, 3) for _ in range(2)]
    assert made[0] == made[1]


def test_who_waits_and_who_is_left() -> None:
    # q0 and q1 have the provision 0 in common, so q1 waits for the second batch; then q4 alone fills no batch.
    gold = gold_of([[0], [0, 1], [2], [3], [4]])
    made = [Anchor(query, positive, ()) for query, positive in ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))]
    composed = compose(made, gold, 2)
    assert [[anchor.query for anchor in batch] for batch in composed.batches] == [[0, 2], [1, 3]]
    assert (composed.moved, composed.left) == (1, 1)


def test_a_hard_negative_that_is_right_for_another() -> None:
    # 5 is wrong for q0 and right for q1: either may be told from it, but not both in one batch.
    gold = gold_of([[0], [5], [2]])
    made = [Anchor(0, 0, (5,)), Anchor(1, 5, (7,)), Anchor(2, 2, (8,))]
    assert [[anchor.query for anchor in batch] for batch in compose(made, gold, 2).batches] == [[0, 2]]
    turned = compose([made[1], made[0], made[2]], gold, 2)
    assert [[anchor.query for anchor in batch] for batch in turned.batches] == [[1, 2]]


def test_near_provisions_are_no_negatives() -> None:
    # What is spared may be more than what is learnt: 9 is near q0.
    spared = gold_of([[0, 9], [1], [2]])
    made = [Anchor(0, 0, ()), Anchor(1, 1, (9,)), Anchor(2, 2, ())]
    assert [[anchor.query for anchor in batch] for batch in compose(made, spared, 2).batches] == [[0, 2]]


def test_hard_negatives_are_the_best_or_drawn() -> None:
    gold = gold_of([[0], [1]])
    pool = np.array([[5, 6, 7, 8], [9, -1, -1, -1]], dtype=np.int32)
    pairs = np.array([[0, 0], [1, 1]] * 50)
    best = list(anchors(pairs, pool[:, :2], 2, gold, 10, np.random.default_rng(1)))
    assert {anchor.negatives for anchor in best if anchor.query == 0} == {(5, 6)}
    # One of the second is not enough: the other is any provision but 1 and 9.
    drawn = {anchor.negatives for anchor in best if anchor.query == 1}
    assert {first for first, _ in drawn} == {9}
    assert {second for _, second in drawn} == {0, 2, 3, 4, 5, 6, 7, 8}
    # From a larger pool they change.
    several = {frozenset(a.negatives) for a in anchors(pairs, pool, 2, gold, 10, np.random.default_rng(1))}
    assert {frozenset(pair) for pair in ((5, 6), (5, 7), (5, 8), (6, 7), (6, 8), (7, 8))} <= several


def test_a_query_for_which_all_is_right_gives_no_anchor() -> None:
    gold = gold_of([[0, 1, 2]])
    pool = np.full((1, 1), -1, dtype=np.int32)
    assert list(anchors(np.array([[0, 0]]), pool, 1, gold, 3, np.random.default_rng(1))) == []


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_for_a_batch(count: int) -> None:
    composed = compose([Anchor(0, 0, ())][:count], gold_of([[0]]), 2)
    assert (composed.batches, composed.moved, composed.left) == ((), 0, count)
