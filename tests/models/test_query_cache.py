"""Cache of queries: each value is made once; bounded; shared by threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from legalir.models.query_cache import QueryCache, ignore_cached_queries


class Counting:
    """Make the length of each key, and note the keys."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, keys: list[str]) -> list[int]:
        self.asked.append(keys)
        return [len(key) for key in keys]


def test_each_key_is_made_once_and_all_missing_ones_together() -> None:
    cache, make = QueryCache[str, int](), Counting()
    assert cache.get(["aa", "b", "aa"], make) == [2, 1, 2]
    assert cache.get(["b", "ccc"], make) == [1, 3]
    assert cache.get(["ccc", "aa"], make) == [3, 2]
    assert cache.get([], make) == []
    assert make.asked == [["aa", "b"], ["ccc"]]


def test_what_was_not_asked_for_longest_goes_first() -> None:
    cache, make = QueryCache[str, int](most=2), Counting()
    cache.get(["a", "b"], make)
    cache.get(["a"], make)
    cache.get(["c"], make)  # b goes
    assert len(cache) == 2
    cache.get(["a", "c"], make)
    cache.get(["b"], make)
    assert make.asked == [["a", "b"], ["c"], ["b"]]


def test_more_keys_than_are_kept_are_returned_all_the_same() -> None:
    cache = QueryCache[str, int](most=3)
    assert cache.get(list("abcdefgh"), Counting()) == [1] * 8
    assert len(cache) == 3


def test_a_value_too_few_is_noticed_and_nothing_is_cached() -> None:
    cache = QueryCache[str, int]()
    with pytest.raises(ValueError, match="shorter"):
        cache.get(["a", "b"], lambda keys: [1])
    assert len(cache) == 0


def test_cached_values_are_ignored_on_request() -> None:
    cache, make = QueryCache[str, int](), Counting()
    cache.get(["a", "b"], make)
    with ignore_cached_queries():
        assert cache.get(["b", "c", "b"], make) == [1, 1, 1]
    assert cache.get(["a", "b", "c"], make) == [1, 1, 1]
    assert make.asked == [["a", "b"], ["b", "c"]]


def test_threads_may_share_it() -> None:
    cache = QueryCache[str, int](most=5)
    keys = [[f"{'x' * (number * step % 11)}" for number in range(20)] for step in range(1, 40)]
    with ThreadPoolExecutor(8) as pool:
        for asked, found in zip(keys, pool.map(lambda some: cache.get(some, Counting()), keys), strict=True):
            assert found == [len(key) for key in asked]


def test_another_process_starts_with_an_empty_cache() -> None:
    cache = QueryCache[str, int](most=7)
    cache.get(["a"], Counting())
    again = pickle.loads(pickle.dumps(cache))
    assert len(again) == 0
    assert again.get(list("abcdefghi"), Counting()) == [1] * 9
    assert len(again) == 7
