"""How a query is rounded, the vectors of a block, and who multiplies."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from legalir.errors import MissingExtra
from legalir.m3.maxsim import MaxSim, _rows, round_query

pieces = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 9)), min_size=1, max_size=12)


@given(pieces)
def test_numbers_of_the_vectors_of_documents(found: list[tuple[int, int]]) -> None:
    starts, sizes = np.array(found).T
    rows = [row for start, size in found for row in range(start, start + size)]
    assert _rows(starts, sizes, np.cumsum(sizes) - sizes).tolist() == rows


@pytest.mark.parametrize("d", [1, 7, 1024])
def test_a_query_is_rounded_within_the_stated_bound(d: int) -> None:
    query = np.random.default_rng(0).standard_normal((50, d)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    query[0], query[1] = 0, -query[2]
    exact = round_query(query, np.float32)
    assert exact.numbers is query and (exact.unit == 1).all()
    greatest = np.abs(query).max(axis=1, keepdims=True)
    for kind, bound in ((np.float16, np.abs(query) / 2048 + 1e-7 * greatest), (np.int8, greatest / 254 * 1.0001)):
        ready = round_query(query, kind)
        assert ready.numbers.dtype == kind
        assert (np.abs(ready.numbers * ready.unit[:, None] - query) <= bound).all()
        assert (ready.numbers[1] == -ready.numbers[2]).all()
        assert not ready.numbers[0].any()


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 2.0**20, 1e12])
def test_queries_of_any_length_keep_their_digits_in_float16(size: float) -> None:
    query = np.array([[1.0, -0.3, 1e-3]], dtype=np.float32) * np.float32(size)
    ready = round_query(query, np.float16)
    np.testing.assert_allclose(ready.numbers * ready.unit[:, None], query, rtol=1 / 1024)


def test_numkong_is_found_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, bounds, query = np.eye(2, dtype=np.float16), np.array([0, 2]), [np.ones((1, 2), dtype=np.float32)]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "numkong", None)
    assert MaxSim(vectors, bounds).scores(query, np.arange(1)).tolist() == [[1.0]]
    with pytest.raises(MissingExtra, match="numkong"):
        MaxSim(vectors, bounds, numkong=True)


@pytest.mark.parametrize("numkong", [False, pytest.param(True, marks=pytest.mark.neural)])
@pytest.mark.parametrize("d", [1, 63, 1024, 1025, 4000])
def test_integers_do_not_overflow(d: int, numkong: bool) -> None:
    grid, scales = np.full((4, d), 127, dtype=np.int8), np.full(4, 1 / 127, dtype=np.float32)
    grid[1] = -127
    query = [np.ones((1, d), dtype=np.float32), -np.ones((1, d), dtype=np.float32)]
    found = MaxSim(grid, np.array([0, 1, 2, 4]), scales, numkong=numkong).scores(query, np.arange(3))
    np.testing.assert_allclose(found, [[d, -d, d], [-d, d, -d]], rtol=1e-5)
