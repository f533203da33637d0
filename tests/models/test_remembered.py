"""What is remembered of queries: computed once, bounded, shared by threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from legalir.models.query_cache import Remembered, afresh


class Counting:
    """Makes the length of each key, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, keys: list[str]) -> list[int]:
        self.asked.append(keys)
        return [len(key) for key in keys]


def test_each_key_is_made_once_and_all_missing_ones_together() -> None:
    remembered, make = Remembered[str, int](), Counting()
    assert remembered.of(["aa", "b", "aa"], make) == [2, 1, 2]
    assert remembered.of(["b", "ccc"], make) == [1, 3]
    assert remembered.of(["ccc", "aa"], make) == [3, 2]
    assert remembered.of([], make) == []
    assert make.asked == [["aa", "b"], ["ccc"]]


def test_what_was_not_asked_for_longest_goes_first() -> None:
    remembered, make = Remembered[str, int](most=2), Counting()
    remembered.of(["a", "b"], make)
    remembered.of(["a"], make)
    remembered.of(["c"], make)  # b goes
    assert len(remembered) == 2
    remembered.of(["a", "c"], make)
    remembered.of(["b"], make)
    assert make.asked == [["a", "b"], ["c"], ["b"]]


def test_more_keys_than_are_kept_are_returned_all_the_same() -> None:
    remembered = Remembered[str, int](most=3)
    assert remembered.of(list("abcdefgh"), Counting()) == [1] * 8
    assert len(remembered) == 3


def test_a_value_too_few_is_noticed_and_nothing_is_remembered() -> None:
    remembered = Remembered[str, int]()
    with pytest.raises(ValueError, match="shorter"):
        remembered.of(["a", "b"], lambda keys: [1])
    assert len(remembered) == 0


def test_nothing_is_remembered_of_what_is_asked_afresh() -> None:
    remembered, make = Remembered[str, int](), Counting()
    remembered.of(["a", "b"], make)
    with afresh():
        assert remembered.of(["b", "c", "b"], make) == [1, 1, 1]
    assert remembered.of(["a", "b", "c"], make) == [1, 1, 1]
    assert make.asked == [["a", "b"], ["b", "c"]]


def test_threads_may_share_it() -> None:
    remembered = Remembered[str, int](most=5)
    keys = [[f"{'x' * (number * step % 11)}" for number in range(20)] for step in range(1, 40)]
    with ThreadPoolExecutor(8) as pool:
        for asked, found in zip(keys, pool.map(lambda some: remembered.of(some, Counting()), keys), strict=True):
            assert found == [len(key) for key in asked]


def test_another_process_starts_without_memories() -> None:
    remembered = Remembered[str, int](most=7)
    remembered.of(["a"], Counting())
    again = pickle.loads(pickle.dumps(remembered))
    assert len(again) == 0
    assert again.of(list("abcdefghi"), Counting()) == [1] * 9
    assert len(again) == 7
